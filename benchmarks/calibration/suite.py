"""A suite that nobody asks, in two wordings, and the artifacts that its answers make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import catalog_hash, entry_of
from llm_testbench.artifact.model import Artifact, Meta, Row, TestEntry
from llm_testbench.errors import Place
from llm_testbench.evaluators.registry import build
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.json_value import JSON
from llm_testbench.suite.model import Test

QUARTERS = 4
ByScore: TypeAlias = tuple[Row, ...]
"""The row of one attempt for each score that it can have, in quarters."""

_ENDPOINT = "http://gateway.example/v1"
_CATEGORIES = 3
_CHECK: JSON = {"contains_all": ["yes"]}


@dataclass(frozen=True)
class Suite:
    """One wording of the tests. `entries`: as artifacts keep them. `hashes`: of the requests; `catalog`: of all."""

    tests: tuple[Test, ...]
    entries: tuple[TestEntry, ...]
    hashes: frozenset[str]
    catalog: str


@lru_cache
def suite(tests: int, wording: str) -> Suite:
    """Runs of equal size share one."""
    made = tuple(_test(number, wording) for number in range(tests))
    entries = tuple(map(entry_of, made))
    return Suite(made, entries, frozenset(entry.request_hash for entry in entries), catalog_hash(entries))


@lru_cache
def models(count: int, build_of: str) -> tuple[ModelOptions, ...]:
    """`build_of`: what their ids end in."""
    return tuple(ModelOptions(f"m{number}", f"org/m{number}{build_of}", _ENDPOINT) for number in range(count))


@lru_cache
def main_rows(tests: int, asked: int, repeat: int) -> tuple[tuple[tuple[ByScore, ...], ...], ...]:
    """By model, test and attempt."""
    return tuple(
        tuple(
            tuple(by_score(row(model.name, test, attempt)) for attempt in range(repeat))
            for test in suite(tests, "").tests
        )
        for model in models(asked, "")
    )


def row(model: str, test: Test, attempt: int) -> Row:
    """An answer of phase main, without its score."""
    return Row(model, test.id, test.category, test.subcategory, attempt, Outcome.ANSWERED)


def by_score(plain: Row) -> ByScore:
    """The row with each score."""
    return tuple(
        replace(plain, score=quarters / QUARTERS, passed=quarters == QUARTERS) for quarters in range(QUARTERS + 1)
    )


def artifact(
    whole: Suite, asked: Sequence[ModelOptions], rows: tuple[Row, ...], *, number: int, repeat: int
) -> Artifact:
    """The run of this number. Statistics over models, which no comparison reads, are left out."""
    meta = Meta(
        version="1.0.0",
        started_at=f"2026-01-01T00:00:{number:02}Z",
        finished_at=f"2026-01-01T00:01:{number:02}Z",
        endpoint=_ENDPOINT,
        models={model.name: model.id for model in asked},
        asked=dict.fromkeys((model.name for model in asked), "in the same way"),
        repeat=repeat,
        test_count=len(whole.tests),
        catalog_hash=whole.catalog,
        temperature=0.0,
        max_tokens_default=4096,
        role="gate",
    )
    return Artifact(meta, whole.entries, rows, ())


def _test(number: int, wording: str) -> Test:
    return Test(
        id=f"t{number:03}",
        category=f"c{number % _CATEGORIES}",
        subcategory="simulated",
        description="",
        tags=(),
        models=None,
        messages=({"role": "user", "content": f"{wording} of question {number}"},),
        tools=(),
        parameters={},
        max_tokens=None,
        rev=1,
        must_pass=False,
        quarantine=False,
        check=_CHECK,
        evaluator=build(_CHECK),
        check_hash="check",
        ground_truth=None,
        examples=(),
        suite_file="suite.yaml",
        place=Place("suite.yaml", number + 1),
        check_place=Place("suite.yaml", number + 1),
    )
