"""A command line of the tool, as a person pastes it into a shell."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from llm_testbench.report.rerun import Rerun

Flag = tuple[str, str]

_FOLDER = "/work"
_WIDTH = 96  # characters
_CONTINUED = " \\\n  "


def gate_command(around: Rerun, flags: Sequence[Flag]) -> str:
    """`llmtest gate …`, or `docker run … gate …` where the run had an image. Holds foreign text, quoted for a shell."""
    gate = ["gate", *(_flag(name, value) for name, value in flags)]
    if around.image:
        given = [f"-e {quote(variable)}" for variable in around.environment]
        # The caller's own user, so that nothing in the folder ends up belonging to root.
        run = f'docker run --rm -u "$(id -u)" -v "$PWD:{_FOLDER}" -w {_FOLDER}'
        return _CONTINUED.join((*_lines([run, *given]), _operand(around.image), *_lines(gate)))
    set_here = [_assignment(variable) for variable in around.environment if "=" in variable]
    return _CONTINUED.join(_lines([*set_here, "llmtest", *gate]))


def needed(around: Rerun) -> tuple[str, ...]:
    """Names of the variables that have to be set before the command."""
    return tuple(variable for variable in around.environment if "=" not in variable)


def _lines(words: Sequence[str]) -> list[str]:
    """The words in lines of readable length: GitHub scrolls long ones out of sight."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return lines


def _flag(name: str, value: str) -> str:
    if not value:
        return name
    # A value that begins with a dash would else be read as a flag.
    return f"{name}={quote(value)}" if value.startswith("-") else f"{name} {quote(value)}"


def _operand(word: str) -> str:
    return quote(word if not word.startswith("-") else f"./{word}")


def _assignment(variable: str) -> str:
    name, _, value = variable.partition("=")
    return f"{quote(name)}={quote(value)}"
