"""action.yml and code/action.yml say what the tables say, and what GitHub reads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from llm_testbench.github.action_outputs import OUTPUTS
from llm_testbench.settings import documents
from llm_testbench.settings.action_file import ACTION, CODE_ACTION, ActionFile, action_inputs, action_text
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import OPTIONS, options_of

ROOT = Path(__file__).parents[3]
AGAIN = "run: python -m llm_testbench.settings.documents ."
FILES = pytest.mark.parametrize("action", [ACTION, CODE_ACTION], ids=lambda action: action.path)
INPUTS = pytest.mark.parametrize("option", action_inputs(), ids=lambda option: option.name)
IMAGE = f"ghcr.io/org/llm-testbench@sha256:{'0123456789abcdef' * 4}"
CODE_IMAGE = f"localhost:5000/org/code/llm-testbench@sha256:{'0' * 64}"

TAGGED = f"ghcr.io/org/llm-testbench:1.2.3-code@sha256:{'0' * 64}"


def read(text: str) -> Any:
    return yaml.safe_load(text)


def committed(action: ActionFile) -> str:
    return (ROOT / action.path).read_text("utf-8")


@FILES
def test_the_committed_file_is_the_tables(action: ActionFile) -> None:
    image = read(committed(action))["runs"]["image"]
    released = image if image.startswith("docker://") else None  # as in the tree of a release's tag
    assert committed(action) == action_text(action, released), AGAIN


@FILES
def test_without_an_image_it_builds_a_dockerfile_of_this_repository(action: ActionFile) -> None:
    runs = read(action_text(action))["runs"]
    assert runs == {"using": "docker", "image": action.dockerfile}
    assert (ROOT / action.path / ".." / runs["image"]).resolve().parent == ROOT


@FILES
@pytest.mark.parametrize("image", [IMAGE, CODE_IMAGE, TAGGED])
def test_a_release_names_its_image_by_digest_and_tells_the_tool(action: ActionFile, image: str) -> None:
    runs = read(action_text(action, f"docker://{image}"))["runs"]
    assert runs == {"using": "docker", "image": f"docker://{image}", "env": {"LLMTB_IMAGE": image}}


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        "docker://ghcr.io/org/llm-testbench",
        "docker://ghcr.io/org/llm-testbench:v1",
        f"docker://{IMAGE[:-1]}",
        f"docker://{IMAGE}\n",
        f"docker://{IMAGE.upper()}",
        f"docker://@sha256:{'0' * 64}",
        f"docker://ghcr.io/org/llm-testbench:@sha256:{'0' * 64}",
        "",
    ],
)
def test_an_image_without_a_digest_is_refused(image: str) -> None:
    with pytest.raises(ValueError, match="sha256:DIGEST"):
        action_text(ACTION, image)


def test_the_files_are_valid_for_github(tmp_path: Path) -> None:
    released = tmp_path / "action.yml"
    released.write_text(action_text(CODE_ACTION, f"docker://{IMAGE}"), "utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    files = [str(ROOT / action.path) for action in (ACTION, CODE_ACTION)]
    done = subprocess.run([*command, *files, str(released)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_actions_differ_in_name_text_and_image_alone() -> None:
    one, other = read(action_text(ACTION)), read(action_text(CODE_ACTION))
    assert {key for key in one if one[key] != other[key]} == {"name", "description", "runs"}
    assert one.keys() == other.keys()


def test_the_inputs_are_the_options_that_an_input_sets_in_the_tables_order() -> None:
    inputs = read(action_text(ACTION))["inputs"]
    assert list(inputs) == [option.name for option in OPTIONS if "input" in option.sources]
    heard = [option.name for option in options_of("gate")]
    assert set(inputs) <= set(heard), "the action runs the gate, which must hear every input"


@INPUTS
def test_the_runner_hands_an_input_over_where_the_option_looks_for_it(option: Option[object]) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", option.name)
    assert option.input == "INPUT_" + option.name.replace(" ", "_").upper()


@INPUTS
def test_an_input_is_described_with_its_default_and_never_required(option: Option[object]) -> None:
    described = read(action_text(ACTION))["inputs"][option.name]
    assert described["required"] is False
    assert described["description"].startswith(option.help)
    assert re.search(r"[;,.] (?:.+\. )?Default: .+\.$", described["description"])


def test_an_input_says_how_it_is_written() -> None:
    inputs = read(action_text(ACTION))["inputs"]
    said = [inputs[name]["description"].partition(". Default")[0].rpartition("; ")[2] for name in ("comment", "tags")]
    assert said == ["one of `always`, `changes`, `failure`, `never`", "several by comma or line"]
    assert "from the secrets of the repository" in inputs["api_key"]["description"]


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("repeat", "`3`; to record `10`"),
        ("endpoint", "unset"),
        ("tags", "unset"),
        ("baseline", "`release, base`"),
        ("token", "the job's token"),
    ],
)
def test_a_default_is_told_as_a_user_would_write_it(name: str, default: str) -> None:
    described = read(action_text(ACTION))["inputs"][name]
    assert described["description"].endswith(f" Default: {default}.")


def test_only_the_token_has_a_default_so_that_the_config_file_is_heard() -> None:
    defaults = {name: one["default"] for name, one in read(action_text(ACTION))["inputs"].items() if "default" in one}
    assert defaults == {"token": "${{ github.token }}"}


def test_every_output_is_described() -> None:
    outputs = read(action_text(ACTION))["outputs"]
    assert outputs == {name: {"description": f"{text}."} for name, text in OUTPUTS.items()}
    for name, text in OUTPUTS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
        assert not text.endswith(".")


class TestTheCommandOfARelease:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        for folder in ("schemas", "docs", "code"):
            (tmp_path / folder).mkdir()
        for page in (documents.PAGE_FILE, documents.FAULTS_FILE, documents.EVALUATORS_FILE):
            (tmp_path / page).write_bytes((ROOT / page).read_bytes())
        return tmp_path

    def test_without_images_it_writes_what_the_repository_holds(self, root: Path) -> None:
        assert documents.main([str(root)]) == 0
        for action in (ACTION, CODE_ACTION):
            assert (root / action.path).read_text("utf-8") == action_text(action)

    def test_each_image_goes_to_its_action(self, root: Path) -> None:
        images = ["--image", f"docker://{IMAGE}", "--code-image", f"docker://{CODE_IMAGE}"]
        assert documents.main([str(root), *images]) == 0
        assert read((root / ACTION.path).read_text("utf-8"))["runs"]["env"] == {"LLMTB_IMAGE": IMAGE}
        assert read((root / CODE_ACTION.path).read_text("utf-8"))["runs"]["env"] == {"LLMTB_IMAGE": CODE_IMAGE}

    def test_an_image_without_a_digest_is_one_line_and_writes_nothing(
        self, root: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as ended:
            documents.main([str(root), "--image", f"docker://{IMAGE}", "--code-image", "docker://ghcr.io/org/x:v1"])
        assert ended.value.code == 2
        assert "error: an image is docker://" in capsys.readouterr().err.splitlines()[-1]
        assert not (root / ACTION.path).exists()
