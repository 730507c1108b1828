"""Coverage of the tests as one comment on the pull request, and in the job's summary.

`python -m scripts.coverage_comment coverage.json --minimum 95`: the file is what `coverage json` writes. Trouble with
GitHub is a warning: the token of a fork's pull request may not write, and the summary has the same words.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.github.answers import number
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.comment import upsert
from llm_testbench.github.event import Event, read_event
from llm_testbench.github.session import session_for
from llm_testbench.github.summary import append_summary
from llm_testbench.github.workflow_commands import command
from llm_testbench.json_value import JSON, parse
from llm_testbench.untrusted import Untrusted

KEY = "coverage"
MOST_FILES = 30
_MAX_PATH = 200  # characters


class CoverageError(Exception):
    """The file is none of coverage's; `str()` is one line."""


@dataclass(frozen=True)
class File:
    """`missing`: lines and branches that no test reaches."""

    path: str
    percent: float
    missing: int


@dataclass(frozen=True)
class Coverage:
    """`files`: those with something missing, most of it first."""

    percent: float
    files: tuple[File, ...]


def read(data: bytes) -> Coverage:
    """From coverage's JSON; CoverageError."""
    try:
        value = parse(data)
    except ValueError as error:
        raise CoverageError(f"not JSON: {error}") from None
    match value:
        case {"totals": {"percent_covered": int() | float() as percent}, "files": Mapping() as files}:
            found = [_file(path, each) for path, each in files.items()]
            worst = sorted((one for one in found if one.missing), key=lambda one: (-one.missing, one.path))
            return Coverage(float(percent), tuple(worst))
    raise CoverageError("expected what `coverage json` writes")


def _file(path: str, value: JSON) -> File:
    match value:
        case {"summary": {"percent_covered": int() | float() as percent, "missing_lines": int(lines)}}:
            return File(path, float(percent), lines + number(value, "summary", "missing_branches"))
    raise CoverageError("a file has no summary")


def text(coverage: Coverage, minimum: float) -> str:
    """The comment in Markdown."""
    enough = coverage.percent >= minimum
    sign = "✅" if enough else "❌"
    verdict = "enough" if enough else f"less than the {minimum:g} % that are asked for"
    lines = [f"### {sign} Coverage: {_floored(coverage.percent)} % of lines and branches, {verdict}"]
    shown = coverage.files[:MOST_FILES]
    if shown:
        rows = [
            f"| {Untrusted(one.path).markdown(_MAX_PATH)} | {_floored(one.percent)} % | {one.missing} |"
            for one in shown
        ]
        left = len(coverage.files) - len(shown)
        more = [f"\nand {left} files more"] if left else []
        lines += [
            "",
            f"<details><summary>{len(coverage.files)} files with lines or branches that no test reaches</summary>",
            "",
            "| file | covered | missing |",
            "|---|---:|---:|",
            *rows,
            *more,
            "",
            "</details>",
        ]
    return "\n".join(lines) + "\n"


def _floored(percent: float) -> str:
    """Never rounded up to what was asked for."""
    return f"{int(percent * 100) / 100:.2f}"


def report(
    data: bytes, minimum: float, event: Event, client: Callable[[], GitHub], say: Callable[[str], object]
) -> str:
    """Posts the comment where there is a pull request, and returns its text; CoverageError."""
    body = text(read(data), minimum)
    if event.pull_request is None:
        say("no pull request: no comment")
        return body
    try:
        say(f"comment: {upsert(client(), KEY, body).url}")
    except GitHubError as error:
        say(command("warning", f"the coverage was not commented: {error}"))
    return body


def main(arguments: Sequence[str], environ: Mapping[str, str], say: Callable[[str], object]) -> int:
    """2 when the file cannot be read; else 0: the tests' own job fails for coverage that is too low."""
    parser = argparse.ArgumentParser(prog="python -m scripts.coverage_comment", allow_abbrev=False)
    parser.add_argument("file", type=Path)
    parser.add_argument("--minimum", type=float, required=True, help="percent")
    given = parser.parse_args(arguments)
    event = read_event(environ)

    def client() -> GitHub:
        return GitHub(event, environ.get("GITHUB_TOKEN", ""), session=session_for(event.api_url))

    try:
        body = report(given.file.read_bytes(), given.minimum, event, client, say)
    except (OSError, CoverageError) as error:
        say(f"coverage: {given.file}: {error}")
        return 2
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        append_summary(Path(summary), body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, print))
