"""Workflow commands: lines in a job's log that the Actions runner obeys.

Source of the rules: actions/runner, ActionCommand.cs and ActionCommandManager.cs.
"""

from __future__ import annotations

import re
import secrets

from llm_testbench.untrusted import ELLIPSIS

# Characters of a message that GitHub keeps; bytes are never fewer. Source: actions/runner, ExecutionContext.cs.
MESSAGE_LIMIT = 4096
TITLE_LIMIT = 255
MOST_SHOWN = 10
"""Annotations of one type that GitHub shows of a step; the rest it drops without a word."""

_NAME = re.compile(r"[a-z]+(-[a-z]+)*")
_TOKEN = re.compile(r"[0-9a-f]{32,}")
# The percent sign first: it begins the escapes of the others.
_IN_DATA = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_DATA, (":", "%3A"), (",", "%2C"))


def command(name: str, message: str, /, **properties: str | int) -> str:
    """One line without its end, as `::error title=Worse,file=evals/a.yaml,line=3::two tests fail`.

    A property that is empty is left out. The runner would drop white space around the properties and `=` at the
    start of a value, and has no escape for them: they are dropped here. ValueError for a name that no command has.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"no name of a workflow command: {name!r}")
    pairs = [(key, _escaped(str(value).strip().lstrip("="), _IN_PROPERTY)) for key, value in properties.items()]
    described = ",".join(f"{key}={value}" for key, value in pairs if value)
    return f"::{name}{' ' if described else ''}{described}::{_escaped(message, _IN_DATA)}"


def cut(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """The beginning of a text, which as a message or a property has at most `limit` bytes when it is escaped."""
    shown = text[: limit + 1]
    sizes = [len(_escaped(character, _IN_PROPERTY).encode("utf-8", "backslashreplace")) for character in shown]
    if sum(sizes) <= limit:
        return text
    room = limit - len(ELLIPSIS.encode())
    for end, size in enumerate(sizes):
        room -= size
        if room < 0:
            return text[:end] + ELLIPSIS
    return text


def new_token() -> str:
    """128 random bits for `fenced`."""
    return secrets.token_hex(16)


def fenced(text: str, token: str) -> str:
    """The text as lines in which the runner obeys no command; without a line break at the end.

    ValueError when the token could be guessed (fewer than 32 hexadecimal digits) or stands in the text: the runner
    would take up its work again there. It compares tokens without regard to case, hence digits and lower case only.
    """
    if not _TOKEN.fullmatch(token):
        raise ValueError("the token of a fence has 32 or more hexadecimal digits in lower case")
    if token in text.lower():
        raise ValueError("the token of a fence stands in the fenced text: draw another")
    return f"::stop-commands::{token}\n{text}\n::{token}::"


def _escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text
