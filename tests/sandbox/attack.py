"""An attack: a hostile program, and what its first lines say about it (README.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from llm_testbench.sandbox.call_rules import CALL_RULES
from llm_testbench.sandbox.languages import LANGUAGES, Language
from llm_testbench.sandbox.limit_rules import LIMIT_RULES
from llm_testbench.sandbox.model import MIB, Layer, Limits

ATTACKS = Path(__file__).parent / "attacks"
ALWAYS = frozenset(
    {
        *("streams", "environment", "kill", "wall", "fresh folder", "collecting", "removing", "printing"),
    }
)
"""What holds and cannot be switched off."""
NEEDS = frozenset({"root", "user", "gcc", "go", "node", "ipv6", "setuid"})
EXCEEDED = frozenset({"memory", "kernel", "processes", "disk", "entries", "files", "output"})
_SUCCESS: Mapping[str, frozenset[str] | None] = {
    "prints": frozenset({"TOKEN"}),
    "changes": None,
    "creates": None,
    "reaches": frozenset({"tcp", "udp", "tcp6", "unix", "unix_datagram", "abstract"}),
    "signals": frozenset({"tool", "other"}),
    "outlives": frozenset({""}),
    "exceeds": EXCEEDED,
    "stalls": frozenset({""}),
    "stays": frozenset({""}),
    "logs": frozenset({""}),
    "collects": frozenset({"TOKEN", "MORE"}),
    "carries": frozenset({""}),
    "says": frozenset({""}),
}
"""What `success:` may say; None: any word."""
_KEYS = frozenset(
    {
        *("goal", "success", "held_by", "needs", "limits", "compile_limits", "polled", "alone", "runs", "collect"),
        *("own_proc", "chmod", "promise", "no_control", "residual"),
    }
)
_REQUIRED = ("goal", "success", "held_by")
_SUFFIXES: Mapping[str, str] = {
    ".py": "python",
    ".go": "go",
    ".c": "c",
    ".ts": "typescript",
    ".js": "javascript",
    ".sh": "bash",
}
_NEEDED_BY: Mapping[str, str] = {"c": "gcc", "go": "go", "typescript": "node", "javascript": "node"}
_WALL, _MEMORY, _NODE_MEMORY, _COMPILE_WALL = 4.0, 192 * MIB, 512 * MIB, 20.0


class HeaderError(Exception):
    """`str()` is one line: which file, and what is wrong with its first lines."""


@dataclass(frozen=True, slots=True)
class Attack:
    """`held_by`: sums of names; what is in one sum has to be taken away together for the attack to succeed."""

    name: str
    language: Language
    source: bytes
    goal: str
    success: str
    object: str
    held_by: tuple[frozenset[str], ...]
    needs: frozenset[str]
    limits: Limits
    compile_limits: Limits
    polled: bool
    alone: bool
    runs: int
    collect: str | None
    own_proc: bool
    chmod: bool
    promise: str | None
    no_control: str | None
    residual: str | None

    @property
    def category(self) -> str:
        """The folder it lies in."""
        return self.name.partition("/")[0]


def attacks(folder: Path = ATTACKS) -> tuple[Attack, ...]:
    """All of them, by name. Raises HeaderError."""
    files = sorted(path for path in folder.glob("*/*") if path.suffix in _SUFFIXES)
    found = tuple(map(read, files))
    twice = [one.name for one, next_one in pairwise(found) if one.name == next_one.name]
    if twice:
        raise HeaderError(f"{twice[0]}: two files have this name")
    return found


def read(path: Path) -> Attack:
    """That file. Raises HeaderError."""
    try:
        header = _header(path.read_text(encoding="utf-8"))
        return _attack(path, header)
    except ValueError as error:
        raise HeaderError(f"{path.parent.name}/{path.name}: {error}") from None


def rules() -> tuple[str, ...]:
    """Every layer and rule that can be taken away, in the order of the tables."""
    return (
        *(layer.value for layer in Layer),
        *(f"calls:{rule.name}" for rule in CALL_RULES),
        *(f"limits:{rule.name}" for rule in LIMIT_RULES),
        "limits:processes",
    )


def names() -> frozenset[str]:
    """All that `held_by` may name."""
    return frozenset({*rules(), *(f"always:{name}" for name in ALWAYS)})


def _header(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("#!"):
            continue
        comment = line.removeprefix("#").removeprefix("//")
        key, colon, value = comment.strip().partition(":")
        if comment == line or not colon or key not in _KEYS:
            break
        if key in found:
            raise ValueError(f"`{key}` stands there twice")
        found[key] = value.strip()
    missing = [key for key in _REQUIRED if not found.get(key)]
    if missing:
        raise ValueError(f"its first lines lack `{missing[0]}:`")
    return found


def _attack(path: Path, header: Mapping[str, str]) -> Attack:
    language = LANGUAGES[_SUFFIXES[path.suffix]]
    success, _, what = header["success"].partition(" ")
    if success not in _SUCCESS:
        raise ValueError(f"`success: {success}` is not one of {', '.join(_SUCCESS)}")
    objects = _SUCCESS[success]
    if objects is not None and what not in objects:
        raise ValueError(f"`success: {success}` takes {', '.join(sorted(objects)) or 'no word'}, not `{what}`")
    needs = frozenset(header.get("needs", "").replace(",", " ").split())
    if not needs <= NEEDS:
        raise ValueError(f"`needs` has `{min(needs - NEEDS)}`, which is not one of {', '.join(sorted(NEEDS))}")
    own = replace(
        language.run_limits,
        wall=_WALL,
        cpu=_WALL,
        memory=_NODE_MEMORY if _NEEDED_BY.get(language.name) == "node" else _MEMORY,
    )
    compiling = replace(language.compile_limits, wall=min(_COMPILE_WALL, language.compile_limits.wall))
    return Attack(
        name=f"{path.parent.name}/{path.stem}",
        language=language,
        source=path.read_bytes(),
        goal=header["goal"],
        success=success,
        object=what,
        held_by=_sums(header["held_by"]),
        needs=needs | {need for name, need in _NEEDED_BY.items() if name == language.name},
        limits=_limits(header.get("limits", ""), own),
        compile_limits=_limits(header.get("compile_limits", ""), compiling),
        polled=_yes(header, "polled"),
        alone=_yes(header, "alone"),
        runs=int(header.get("runs", "1")),
        collect=header.get("collect"),
        own_proc=_yes(header, "own_proc") or language.own_proc,
        chmod=_yes(header, "chmod"),
        promise=header.get("promise"),
        no_control=header.get("no_control"),
        residual=header.get("residual"),
    )


def _sums(text: str) -> tuple[frozenset[str], ...]:
    found = tuple(frozenset(name.strip() for name in part.split("+")) for part in text.split(";"))
    unknown = sorted(frozenset().union(*found) - names())
    if unknown:
        raise ValueError(f"`held_by` names `{unknown[0]}`, which is no layer and no rule")
    return found


def _limits(text: str, own: Limits) -> Limits:
    changed: dict[str, float | int] = {}
    for part in text.split():
        key, _, value = part.partition("=")
        if key not in Limits.__slots__:
            raise ValueError(f"`limits` has `{key}`, which is not one of {', '.join(Limits.__slots__)}")
        changed[key] = float(value) if key in ("wall", "cpu") else _count(value)
    return replace(own, **changed)  # type: ignore[arg-type]


def _count(text: str) -> int:
    return int(text[:-1]) * {"K": 1 << 10, "M": MIB}[text[-1]] if text[-1:] in ("K", "M") else int(text)


def _yes(header: Mapping[str, str], key: str) -> bool:
    value = header.get(key, "no")
    if value not in ("yes", "no"):
        raise ValueError(f"`{key}` is yes or no, not `{value}`")
    return value == "yes"
