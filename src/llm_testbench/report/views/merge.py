"""The report of `llmtest merge`: what was joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.numbers import count
from llm_testbench.json_value import JSON
from llm_testbench.report import figures
from llm_testbench.report.document import Document, Heading, Mono, Paragraph, table, text
from llm_testbench.untrusted import Untrusted


@dataclass(frozen=True)
class Part:
    """A file that was joined. `shard`: as `2/8`, or "" for a whole run."""

    file: str
    shard: str
    models: tuple[str, ...]
    tests: int
    attempts: int
    interrupted: bool


def part_of(file: str, artifact: Artifact) -> Part:
    """What the file holds."""
    meta = artifact.meta
    return Part(
        file, meta.shard or "", tuple(meta.models), len(artifact.tests), len(artifact.results), meta.interrupted
    )


def merge_report(parts: Sequence[Part], whole: Part) -> Document:
    """The sums first, then each file. `whole`: what was written."""
    title = (
        f"{count(len(parts), 'file')} joined: {count(len(whole.models), 'model')}, {count(whole.tests, 'test')},"
        f" {count(whole.attempts, 'attempt')}"
    )
    rows = [
        (
            text(Mono(Untrusted(part.file))),
            text(Untrusted(part.shard) if part.shard else "whole", ", interrupted" if part.interrupted else ""),
            text(Untrusted(", ".join(part.models))),
            text(figures.whole(part.tests)),
            text(figures.whole(part.attempts)),
        )
        for part in parts
    ]
    columns = table(
        [("file", "left"), ("part", "left"), ("models", "left"), ("tests", "right"), ("attempts", "right")], rows
    )
    return Document((Heading(1, text(title)), columns, Paragraph(text("written to ", Mono(Untrusted(whole.file))))))


def merge_json(parts: Sequence[Part], whole: Part) -> dict[str, JSON]:
    """The same as data."""
    return {"parts": [_told(part) for part in parts], "whole": _told(whole)}


def _told(part: Part) -> dict[str, JSON]:
    return {
        "file": part.file,
        "shard": part.shard or None,
        "models": list(part.models),
        "tests": part.tests,
        "attempts": part.attempts,
        "interrupted": part.interrupted,
    }
