"""Commands that a person pastes into a shell: whatever a name holds, it stays one argument."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from tests.unit.hostile_text import HOSTILE, texts

from llm_testbench.report.rerun import Rerun
from llm_testbench.report.shell import gate_command, needed

IMAGE = "ghcr.io/org/llm-testbench@sha256:abc"


@pytest.mark.parametrize(
    ("around", "flags", "expected"),
    [
        (Rerun(), [], "llmtest gate"),
        (Rerun(), [("--tests", "a,b"), ("--stream", "")], "llmtest gate --tests a,b --stream"),
        (Rerun(), [("--suites", "evals/*.yaml")], "llmtest gate --suites 'evals/*.yaml'"),
        (Rerun(), [("--tests", "-x")], "llmtest gate --tests=-x"),
        (
            Rerun(environment=("LLMTB_API_KEY", "GITHUB_REPOSITORY=octo/shop")),
            [],
            "GITHUB_REPOSITORY=octo/shop llmtest gate",
        ),
        (
            Rerun(image=IMAGE, environment=("LLMTB_API_KEY", "GITHUB_REPOSITORY=octo/shop")),
            [("--tests", "a")],
            'docker run --rm -u "$(id -u)" -v "$PWD:/work" -w /work'
            " -e LLMTB_API_KEY \\\n  -e GITHUB_REPOSITORY=octo/shop \\\n"
            f"  {IMAGE} \\\n"
            "  gate --tests a",
        ),
    ],
)
def test_each_form(around: Rerun, flags: list[tuple[str, str]], expected: str) -> None:
    assert gate_command(around, flags) == expected


def test_an_image_is_never_read_as_a_flag() -> None:
    assert " ./--privileged " in gate_command(Rerun(image="--privileged"), [])


def test_long_commands_are_broken_into_lines_that_still_are_one_command() -> None:
    flags = [(f"--flag-{number}", "value" * 3) for number in range(8)]
    command = gate_command(Rerun(), flags)
    assert all(len(line) < 110 for line in command.split("\n"))
    assert command.count("\\\n") == command.count("\n") > 0
    assert words_of(command) == ["llmtest", "gate", *(word for flag in flags for word in flag)]


def test_only_names_without_a_value_have_to_be_set() -> None:
    assert needed(Rerun(environment=("LLMTB_API_KEY", "GITHUB_REPOSITORY=octo/shop"))) == ("LLMTB_API_KEY",)


def words_of(command: str) -> list[str]:
    """As a shell reads it; shlex does not know that a backslash joins two lines."""
    return shlex.split(command.replace("\\\n", ""))


def check(foreign: str) -> None:
    around = Rerun(image=f"x{foreign}", environment=(f"A={foreign}",))
    words = words_of(gate_command(around, [("--tests", foreign)]))
    assert words[9:11] == ["-e", f"A={foreign}"]
    assert words[11] == f"x{foreign}"
    assert words[12] == "gate"
    assert words[13:] in (["--tests", foreign], [f"--tests={foreign}"], ["--tests"])


@pytest.mark.parametrize("foreign", [text for text in HOSTILE.values() if "\\\n" not in text])
def test_every_trick_stays_one_argument(foreign: str) -> None:
    check(foreign)


@given(texts.filter(lambda text: "\\\n" not in text))
def test_tricks_mixed_stay_one_argument(foreign: str) -> None:
    check(foreign)
