"""The check of code: the answer is compiled and run in the sandbox, and what it prints is compared here.

What is expected stays outside: a program that nobody trusts may read all that lies in the sandbox, and say of itself
what it likes, by its exit code too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

from llm_testbench import durations
from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.code_block import code_in
from llm_testbench.evaluators.harness import PLACE, filled
from llm_testbench.evaluators.parameters import Fields, mapping_of, text_of
from llm_testbench.evaluators.printed import difference
from llm_testbench.evaluators.program_failure import failure_of
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.languages import LANGUAGES
from llm_testbench.sandbox.programs import CLOSED, Program, Unavailable, Workshop

MOST_CODE = 256 * 1024
"""Characters of an answer's code; as much of an answer is stored."""
MOST_TEXT = 256 * 1024
"""Characters of the harness, of stdin, and of all files together."""
MOST_STDOUT = 64 * 1024
MOST_FILES = 50
LONGEST = 120.0
"""Seconds."""

_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*){0,7}")
_LONGEST_PATH = 200
_MADE = "program"  # by compilers
_KEYS = ("language", "stdout", "harness", "stdin", "files", "timeout")


@dataclass(frozen=True, slots=True)
class Code:
    """What the answer's code prints when it is run is the expected text."""

    name: ClassVar[str] = "code"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The answer's code, compiled and run in the sandbox, prints this."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "language": {"enum": list(LANGUAGES), "description": "What the code is written in."},
            "stdout": {
                "type": ["string", "integer"],
                "description": "What it must print. White space at the ends of lines, and blank lines at the end, do"
                " not count.",
            },
            "harness": {
                "type": "string",
                "pattern": r"\{\{code\}\}",
                "description": "The program around the code. `{{code}}` stands in it once, on a line of its own, where"
                " the code goes. Without one, the code is the program.",
            },
            "stdin": {"type": ["string", "integer"], "default": "", "description": "What it reads from stdin."},
            "files": {
                "type": "object",
                "additionalProperties": {"type": ["string", "integer"]},
                "maxProperties": MOST_FILES,
                "description": "Files beside it: a mapping of relative paths to texts.",
            },
            "timeout": {
                "type": "string",
                "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$",
                "default": "30s",
                "description": "How long it may run, up to `2m`. Compiling has a limit of its own: Go 2 minutes, C 30"
                " seconds.",
            },
        },
        "required": ["language", "stdout"],
        "additionalProperties": False,
    }

    language: str
    stdout: str
    harness: str | None = None
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 30.0

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{language, stdout, harness, stdin, files, timeout}`."""
        fields = Fields(mapping_of(parameters, "a mapping like {language: python, stdout: text}"), _KEYS)
        fields.value("language")
        language = fields.choice("language", tuple(LANGUAGES), "")
        if not fields.has("stdout"):
            raise SpecError("the key 'stdout' is missing: only what a program prints is checked, never its exit code")
        return cls(
            language,
            _at_most(MOST_STDOUT, fields.text("stdout"), "stdout").rstrip(),
            _harness(fields) if fields.has("harness") else None,
            _at_most(MOST_TEXT, fields.text("stdin", empty=True), "stdin") if fields.has("stdin") else "",
            _files(fields, LANGUAGES[language].source) if fields.has("files") else {},
            _timeout(fields) if fields.has("timeout") else 30.0,
        )

    def runs_code(self) -> bool:
        """Always."""
        return True

    def evaluate(self, answer: Answer) -> Score:
        """Skipped, unless there is no code: nothing is run without a workshop."""
        return self.evaluate_in(answer, CLOSED)

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        """1 when it prints what is expected and ends with exit code 0, else 0. Raises SandboxError."""
        code = code_in(answer.text, self.language)
        if not code.strip():
            return Score(0.0, "the answer holds no code")
        if len(code) > MOST_CODE:
            return Score(0.0, f"the code has {len(code)} characters, more than {MOST_CODE} are not run")
        program = self._program(code)
        finished = workshop.run(program)
        if isinstance(finished, Unavailable):
            return Score(0.0, finished.reason, finished.outcome)
        failure = failure_of(finished, program)
        if failure is not None:
            return Score(0.0, failure)
        printed = finished.ran.stdout if finished.ran is not None else b""
        # Bytes that are no UTF-8 stay unlike any text.
        return self._compared(printed.decode("utf-8", "surrogateescape"))

    def score_of_result(self, printed: str, _workshop: Workshop) -> Score:
        """The score of an answer that prints what a ground truth printed."""
        return self._compared(printed)

    def _compared(self, printed: str) -> Score:
        told = difference(printed, self.stdout)
        return Score(1.0, f"printed {quote(printed)}, as expected") if told is None else Score(0.0, told)

    def _program(self, code: str) -> Program:
        source = code if self.harness is None else filled(self.harness, code, self.language)
        files = {path: _bytes(text) for path, text in self.files.items()}
        return Program(self.language, source, _bytes(self.stdin), files, self.timeout)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _at_most(limit: int, text: str, *path: str | int) -> str:
    if len(text) > limit:
        raise SpecError(f"expected at most {limit} characters, found {len(text)}", path)
    return text


def _harness(fields: Fields) -> str:
    harness = _at_most(MOST_TEXT, fields.text("harness"), "harness")
    found = harness.count(PLACE)
    if found != 1:
        raise SpecError(f"expected {PLACE} once, where the answer's code goes, found it {found} times", ("harness",))
    return harness


def _files(fields: Fields, source: str) -> Mapping[str, str]:
    written = mapping_of(fields.value("files"), "a mapping of relative paths to texts", ("files",))
    if len(written) > MOST_FILES:
        raise SpecError(f"expected at most {MOST_FILES} files, found {len(written)}", ("files",))
    files: dict[str, str] = {}
    for path, content in written.items():
        if len(path) > _LONGEST_PATH or not _PATH.fullmatch(path):
            raise SpecError(
                f"expected a relative path like data/input.txt (letters, digits and . _ + -), found {path!r:.80}",
                ("files", path),
            )
        if path.partition("/")[0] in (source, _MADE):
            raise SpecError(f"{path} is where the program itself goes: choose another name", ("files", path))
        files[path] = text_of(content, ("files", path), empty=True)
    for path in files:
        for inner in files:
            if inner.startswith(f"{path}/"):
                raise SpecError(f"{path} cannot be a file and hold {inner}", ("files", inner))
    _at_most(MOST_TEXT, "".join(files.values()), "files")
    return files


def _timeout(fields: Fields) -> float:
    text = fields.text("timeout")
    try:
        seconds = durations.parse(text)
    except ValueError as error:
        raise SpecError(f"{error}, found {text!r:.80}", ("timeout",)) from None
    if not 0 < seconds <= LONGEST:
        raise SpecError(f"expected a duration above zero and up to 2m, found {text!r:.80}", ("timeout",))
    return seconds
