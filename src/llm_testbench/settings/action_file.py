"""action.yml and code/action.yml, from the option table and the table of outputs.

In the repository they build the Dockerfile beside them; a release names its own image by digest instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from llm_testbench.github.action_outputs import OUTPUTS
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import API_KEY, OPTIONS, TOKEN
from llm_testbench.settings.values import IMAGE_VARIABLE

COMMAND = "gate"
"""What the image runs when it is given no command."""

_SCHEME = "docker://"
_TAG = r"(?::\w[\w.-]{0,127})?"  # for people; the digest decides
_IMAGE = re.compile(rf"{_SCHEME}[a-z0-9][a-z0-9._-]*(?::[0-9]+)?(?:/[a-z0-9][a-z0-9._-]*)+{_TAG}@sha256:[0-9a-f]{{64}}")
_HEAD = "# Written by `python -m llm_testbench.settings.documents .`; a test proves that it is current.\n"
_TOKEN_DEFAULT = "${{ github.token }}"
_WIDTH = 120  # columns


@dataclass(frozen=True)
class ActionFile:
    """One action: where its file stands, what it is called, and the Dockerfile as seen from that file."""

    path: str
    name: str
    description: str
    dockerfile: str


ACTION = ActionFile(
    "action.yml",
    "llm-testbench",
    "A CI quality gate for language models behind an OpenAI-compatible gateway",
    "Dockerfile",
)
CODE_ACTION = ActionFile(
    "code/action.yml",
    "llm-testbench with compilers",
    "llm-testbench with gcc, Go and Node, for suites that run what a model wrote",
    "../Dockerfile.code",
)


def action_inputs() -> tuple[Option[object], ...]:
    """The options that are inputs of the action, in the table's order."""
    return tuple(option for option in OPTIONS if "input" in option.sources and COMMAND in option.commands)


def action_text(action: ActionFile, image: str | None = None) -> str:
    """The text of the file. `image`: `docker://NAME:TAG@sha256:…` of a release; None builds the Dockerfile.

    ValueError when the image is not named by its digest.
    """
    runs: dict[str, object] = {"using": "docker", "image": action.dockerfile}
    if image is not None:
        if not _IMAGE.fullmatch(image):
            raise ValueError(f"an image is docker://REGISTRY/NAME:TAG@sha256:DIGEST, not {image!r}")
        runs = {"using": "docker", "image": image, "env": {IMAGE_VARIABLE: image.removeprefix(_SCHEME)}}
    content = {
        "name": action.name,
        "description": action.description,
        "author": "The llm-testbench authors",
        "branding": {"icon": "bar-chart-2", "color": "blue"},
        "inputs": {option.name: _input(option) for option in action_inputs()},
        "outputs": {name: {"description": f"{text}."} for name, text in OUTPUTS.items()},
        "runs": runs,
    }
    return _HEAD + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=_WIDTH)


def _input(option: Option[object]) -> dict[str, object]:
    """Without a `default`, which would overrule the config file: the runner hands it over like a given value."""
    described: dict[str, object] = {"description": _description(option), "required": False}
    if option is TOKEN:
        described["default"] = _TOKEN_DEFAULT
    return described


def _description(option: Option[object]) -> str:
    form = f"; {option.accepted}" if option.accepted else ""
    secret = ", from the secrets of the repository" if option is API_KEY else ""
    return f"{option.help}{form}{secret}. Default: {_default(option)}."


def _default(option: Option[object]) -> str:
    if option is TOKEN:
        return "the job's token"
    text = _shown(option.default_text(COMMAND))
    recording = option.defaults.get("record")
    return f"{text}; to record {_shown(recording)}" if recording is not None else text


def _shown(text: str) -> str:
    return "unset" if text in ("", "none") else f"`{text}`"
