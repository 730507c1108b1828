"""The Dockerfile and its twin, as text; tests/container builds and runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from llm_testbench.sandbox.uids import COUNT, FIRST

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"
TWIN = ROOT / "Dockerfile.code"
WRITE_ANEW = "sed '$s/tool/code/' Dockerfile >Dockerfile.code"


def stages(dockerfile: Path) -> list[tuple[str, str]]:
    """(what it starts from, its name), in order."""
    return re.findall(r"(?m)^FROM (\S+) AS (\S+)$", dockerfile.read_text("utf-8"))


def test_the_last_stage_is_the_default_image_and_nothing_more() -> None:
    assert DOCKERFILE.read_text("utf-8").endswith("\n\nFROM tool AS default\n")


def test_the_twin_differs_in_its_last_line_alone() -> None:
    *expected, last = DOCKERFILE.read_text("utf-8").splitlines()
    anew = [*expected, last.replace("tool", "code")]
    assert TWIN.read_text("utf-8").splitlines() == anew, f"run: {WRITE_ANEW}"


@pytest.mark.parametrize(
    ("action", "dockerfile"), [("action.yml", DOCKERFILE), ("code/action.yml", TWIN)], ids=["default", "code"]
)
def test_each_action_builds_its_file_with_the_repository_as_context(action: str, dockerfile: Path) -> None:
    image = yaml.safe_load((ROOT / action).read_text("utf-8"))["runs"]["image"]
    # The runner's rules: such a name is a Dockerfile, and its folder is the context (DockerUtil.IsDockerfile,
    # ActionManager.BuildActionContainerAsync).
    assert re.fullmatch(r"(.*/)?(Dockerfile|Dockerfile\..+)", image)
    assert ((ROOT / action).parent / image).resolve() == dockerfile


def test_both_builders_understand_it() -> None:
    text = DOCKERFILE.read_text("utf-8")
    assert not re.search(r"<<|--mount|--chmod|--link|^# *syntax=", text, re.MULTILINE)


def test_a_stage_is_built_of_stages_above_it() -> None:
    known = {"${BASE}"}
    for base, name in stages(DOCKERFILE):
        assert base in known
        known.add(name)


def test_the_users_are_those_that_the_sandbox_lends() -> None:
    ranges = set(re.findall(r"seq (\d+) (\d+)", DOCKERFILE.read_text("utf-8")))
    assert ranges == {(str(FIRST), str(FIRST + COUNT - 1))}


def test_packages_come_with_hashes_and_as_wheels() -> None:
    unfolded = re.sub(r"\\\n\s+", "", DOCKERFILE.read_text("utf-8"))
    installs = re.findall(r"bin/pip (?:--python \S+ )?install ([^&\n]+)", unfolded)
    assert len(installs) >= 5
    for install in installs:
        assert "--no-index" in install or ("--require-hashes" in install and "--only-binary :all:" in install)


def test_the_context_holds_what_is_copied_and_nothing_else() -> None:
    copied = {
        word.strip("/").split("/")[0]
        for line in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text("utf-8"))
        for word in line.split()
    }
    sent = {
        line.removeprefix("!").split("/")[0]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    }
    assert "*" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert sent == copied
