"""What the Actions runner makes of a log line and of the file of outputs.

Written after the rules in actions/runner (ActionCommand.cs, ActionCommandManager.cs, FileCommandManager.cs), to
read back what our side writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

COMMANDS = frozenset({"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "stop-commands"})


@dataclass(frozen=True)
class Command:
    name: str
    data: str = ""
    properties: dict[str, str] = field(default_factory=dict)


def log_lines(text: str) -> list[str]:
    """Lines as .NET's StreamReader ends them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_command(line: str, known: frozenset[str] = COMMANDS) -> Command | None:
    return _read_new(line, known) or _read_old(line, known)


def obeyed(text: str) -> list[Command]:
    """The commands that a log with these lines runs, the fence's own left out."""
    done: list[Command] = []
    token: str | None = None
    for line in log_lines(text):
        found = read_command(line, COMMANDS if token is None else COMMANDS | {token.lower()})
        if found is None:
            continue
        if token is not None:
            token = None if found.name.lower() == token.lower() else token
        elif found.name == "stop-commands":
            token = found.data
        else:
            done.append(found)
    assert token is None, "the fence was never closed"
    return done


def read_outputs(data: bytes) -> dict[str, str]:
    """The outputs in a file; ValueError where the runner fails the step."""
    rest = data.decode("utf-8-sig", "replace")
    found: dict[str, str] = {}
    while rest:
        line, rest = _line(rest)
        if not line:
            continue
        equals, arrows = line.find("="), line.find("<<")
        if equals >= 0 and (arrows < 0 or equals < arrows):
            name, value = line.split("=", 1)
        elif arrows >= 0:
            name, delimiter = line.split("<<", 1)
            if not name or not delimiter:
                raise ValueError(f"no name or no delimiter: {line}")
            value, rest = _until(delimiter, rest)
        else:
            raise ValueError(f"neither = nor <<: {line}")
        found[name] = value
    return found


def _until(delimiter: str, rest: str) -> tuple[str, str]:
    lines: list[str] = []
    while rest:
        line, rest = _line(rest)
        if line == delimiter:
            return "\n".join(lines), rest
        lines.append(line)
    raise ValueError(f"no end: {delimiter}")


def _line(text: str) -> tuple[str, str]:
    line, _, rest = text.partition("\n")
    return line, rest


def _read_new(line: str, known: frozenset[str]) -> Command | None:
    line = line.lstrip()
    if not line.startswith("::") or (end := line.find("::", 2)) < 0:
        return None
    name, _, described = line[2:end].partition(" ")
    if name.lower() not in known:
        return None
    properties = {}
    for pair in filter(None, described.strip().split(",")):
        key, _, value = pair.lstrip("=").partition("=")
        if value.lstrip("="):
            properties[key] = _unescaped(value.lstrip("="), ("%0D", "%0A", "%3A", "%2C", "%25"))
    return Command(name, _unescaped(line[end + 2 :], ("%0D", "%0A", "%25")), properties)


def _read_old(line: str, known: frozenset[str]) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name = line[start + 3 : end].partition(" ")[0]
    return Command(name, line[end + 1 :]) if name.lower() in known else None


def _unescaped(text: str, escapes: tuple[str, ...]) -> str:
    for escape in escapes:
        text = text.replace(escape, chr(int(escape[1:], 16)))
    return text
