"""Why a program came to no result of its own, in one line."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Mapping

from llm_testbench.evaluators.quote import quote
from llm_testbench.sandbox.languages import LANGUAGES, limits_of_run
from llm_testbench.sandbox.model import MIB, Limits, Ran, SandboxError
from llm_testbench.sandbox.programs import Finished, Program

_LIMITS: Mapping[str, Callable[[Limits], str]] = {
    "wall": lambda limits: f"took longer than {limits.wall:g} s",
    "cpu": lambda limits: f"used more than {limits.cpu:g} s of the processor",
    "memory": lambda limits: f"used more than {limits.memory // MIB} MiB of memory",
    "processes": lambda limits: f"had more than {limits.processes} processes and threads",
    "file_size": lambda limits: f"wrote a file of more than {limits.file_size // MIB} MiB",
    "scratch": lambda limits: f"wrote more than {limits.scratch // MIB} MiB of files",
    "entries": lambda limits: f"made more than {limits.entries} files",
    "depth": lambda _: "made folders too deep",
    "output": lambda limits: f"printed more than {limits.output // MIB} MiB",
}
_NOT_ITS_OWN: Mapping[str, str] = {
    "machine": "the machine ran short of memory or disk",
    "cancelled": "the run was ended meanwhile",
}

_TELLING = re.compile(
    r"^(?:[\w.]*(?:Error|Exception)\b.*|panic: .*|fatal error: .*|.*\berror: .*|.*\bundefined reference to .*"
    r"|\S*main\.go:\d+:\d+: .*)$",
    re.MULTILINE,
)
_SHOWN = 160  # characters of a message


def failure_of(finished: Finished, program: Program) -> str | None:
    """None if it was compiled and ended by itself with exit code 0, which says nothing about what it printed.

    Raises SandboxError when the machine is to blame and not the program.
    """
    language = LANGUAGES[program.language]
    compiled, ran = finished.compiled, finished.ran
    if compiled is not None and not compiled.ok:
        told = _limit_told(compiled, language.compile_limits)
        return f"the program does not compile: {f'that {told}' if told else _words(compiled, program.language)}"
    if ran is None:
        raise SandboxError("the program was not started")
    if ran.not_started is not None and compiled is not None:
        # The compiler made something that is no program, such as a Go package of another name than main.
        return f"what was compiled is no program that can be started: {quote(ran.not_started)}"
    limits = limits_of_run(language, program.timeout)
    told = _limit_told(ran, limits)
    if told is not None:
        return f"the program {told}"
    if ran.signal is not None:
        return f"the program crashed with {_signal_name(ran.signal)}{_colon(ran, program.language)}"
    if ran.exit != 0:
        return f"the program ended with exit code {ran.exit}{_colon(ran, program.language)}"
    if ran.output_capped and len(ran.stdout) >= limits.output:
        return f"the program {_LIMITS['output'](limits)}"
    return None


def _limit_told(ran: Ran, limits: Limits) -> str | None:
    """Which limit ended it; SandboxError for what no program did."""
    if ran.not_started is not None:
        raise SandboxError(f"a program could not be started: {ran.not_started}")
    if ran.limit_hit is None:
        return None
    refuse_to_blame(ran)
    return _LIMITS[ran.limit_hit](limits)


def refuse_to_blame(ran: Ran) -> None:
    """Raises SandboxError for a limit that no program is to blame for: then there is no score."""
    if ran.limit_hit is not None and ran.limit_hit in _NOT_ITS_OWN:
        raise SandboxError(_NOT_ITS_OWN[ran.limit_hit])


def _colon(ran: Ran, language: str) -> str:
    return f": {_words(ran, language)}" if ran.stderr.strip() else ""


def _words(ran: Ran, language: str) -> str:
    """The line of stderr that tells most."""
    text = ran.stderr.decode("utf-8", "replace")
    telling = [match[0] for match in _TELLING.finditer(text)]
    if telling:
        # Python tells last what ended the program, all others first.
        return quote(telling[-1 if language == "python" else 0], _SHOWN)
    lines = text.split("\n")
    return quote(next((line for line in reversed(lines) if line.strip()), "no message"), _SHOWN)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
