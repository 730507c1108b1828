"""Ordinary programs, and whether one comes to its right end in the sandbox.

`LANGUAGE/NAME.EXT` is the program, `NAME.out` what it has to print, `NAME.in` its standard input. Its first lines may
be comments: `exit: 3` (else 0), `stdin: 1000` (the numbers up to there, a line each), `repeats: yes` (it prints the
expected text over and over, more than is kept), `modes: yes` (it changes modes by path, which programs of an
ordinary user may not where nothing can be mounted read-only).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from llm_testbench.sandbox.languages import LANGUAGES, Toolchain
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Layer, Ran
from llm_testbench.sandbox.programs import Program, run_program

_HERE = Path(__file__).parent
_KEYS = ("exit", "stdin", "repeats", "modes")
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Ordinary:
    """A program of its language, and how it ends outside the sandbox."""

    name: str
    language: str
    source: str
    stdin: bytes
    stdout: bytes
    exit: int
    repeats: bool
    modes: bool


def programs() -> tuple[Ordinary, ...]:
    """All of them, by language and name."""
    return tuple(
        _read(path)
        for name, language in LANGUAGES.items()
        for path in sorted((_HERE / name).glob(f"*{Path(language.source).suffix}"))
    )


def is_possible(program: Ordinary, launchers: Launchers) -> bool:
    """Whether the sandbox of this machine lets programs do what this one does."""
    return not program.modes or any(launchers.layers[layer].active for layer in (Layer.OWN_UID, Layer.MOUNTS))


def fault(program: Ordinary, launchers: Launchers, toolchain: Toolchain) -> str | None:
    """What went wrong, in one line; None: it did in the sandbox as it does elsewhere. Raises SandboxError."""
    found = run_program(launchers, Program(program.language, program.source, program.stdin), toolchain)
    if found.compiled is not None and not found.compiled.ok:
        return f"not compiled: {_end(found.compiled)}"
    assert found.ran is not None
    return _fault(program, found.ran)


def _fault(program: Ordinary, ran: Ran) -> str | None:
    if ran.exit != program.exit or ran.limit_hit is not None:
        return _end(ran)
    expected = program.stdout
    if program.repeats:
        expected = bytes(byte for byte, _ in zip(cycle(expected), range(len(ran.stdout)), strict=False))
        if not ran.output_capped or not ran.stdout:
            return "its output was not capped"
    if ran.stdout == expected:
        return None
    lines = zip(expected.splitlines(), ran.stdout.splitlines(), strict=False)
    line = next((number for number, (a, b) in enumerate(lines) if a != b), None)
    if line is None:
        return f"{len(expected)} bytes expected, {len(ran.stdout)} printed"
    return f"line {line + 1}: {_short(expected.splitlines()[line])} expected, {_short(ran.stdout.splitlines()[line])}"


def _end(ran: Ran) -> str:
    how = f"exit {ran.exit}, signal {ran.signal}, limit {ran.limit_hit}, {ran.wall:.1f} s, {ran.peak_memory >> 20} MiB"
    return f"{how}: {ran.not_started or _short(ran.stderr or ran.stdout)}"


def _short(text: bytes) -> str:
    return ascii(text.decode("utf-8", "replace")[-_SHOWN:])


def _read(path: Path) -> Ordinary:
    source = path.read_text("utf-8")
    header = _header(source)
    given = path.with_suffix(".in")
    stdin = given.read_bytes() if given.exists() else b""
    if "stdin" in header:
        stdin = b"".join(b"%d\n" % number for number in range(1, int(header["stdin"]) + 1))
    language = path.parent.name
    stdout = path.with_suffix(".out").read_bytes()
    return Ordinary(
        f"{language}/{path.stem}",
        language,
        source,
        stdin,
        stdout,
        int(header.get("exit", "0")),
        header.get("repeats") == "yes",
        header.get("modes") == "yes",
    )


def _header(source: str) -> Mapping[str, str]:
    found = {}
    for line in source.splitlines():
        key, colon, value = line.lstrip("#/* ").partition(":")
        if not colon or key not in _KEYS:
            break
        found[key] = value.strip()
    return found
