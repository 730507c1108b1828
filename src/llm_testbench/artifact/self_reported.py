"""What a run says that belongs to whoever is judged by it, held against the tests of those who judge.

Scores can be made up, and no check of the file finds that. But a run must not choose what it is judged by: which tests
are in quarantine, which have to pass, which check decided, which were left out, whether it was asked again until it
passed. That is the base's to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from llm_testbench.artifact.build import catalog_hash
from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact, Git, Meta, Row, TestEntry
from llm_testbench.artifact.stats import stats
from llm_testbench.evaluators.score import PASS_MARK


@dataclass(frozen=True, slots=True)
class Known:
    """What is known from elsewhere than the run: where it was made, and when it ended (RFC 3339)."""

    git: Git
    finished_at: str


@dataclass(frozen=True, slots=True)
class Taken:
    """The run as it may be judged, and what about it has to be told; test ids, sorted.

    `missing`: tests of the base that it holds no attempt of, for a model at least. `other_check`: tests that another
    check scored, or that are another revision: their attempts are left out, and so are missing. `other_prompt`: tests
    that were asked otherwise than the base asks them. `unknown`: tests that the base does not have; they are shown.
    """

    artifact: Artifact
    missing: tuple[str, ...] = ()
    other_check: tuple[str, ...] = ()
    other_prompt: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def taken(run: Artifact, base: Sequence[TestEntry] | None, planned: Collection[CellKey], known: Known) -> Taken:
    """`base`: the tests of those who judge; None: not known, then the run's own word stands.

    `planned`: the cells (model name, test id) that the base would ask.
    """
    rows = [_plain(row) for row in run.results if row.phase == "main" and row.side == "current"]
    if base is None:
        return Taken(_made(run.meta, run.tests, rows, known))
    ours = {entry.test_id: entry for entry in base}
    otherwise = frozenset(
        test.test_id for test in run.tests if test.test_id in ours and not _same_check(test, ours[test.test_id])
    )
    kept = [test for test in run.tests if test.test_id not in otherwise]
    entries = {test.test_id: _entry(test, ours.get(test.test_id)) for test in kept}
    left = [_of(entries[row.test_id], row) for row in rows if row.test_id in entries]
    measured = {(row.model, row.test_id) for row in left}
    # A test that nobody was asked has to pass all the same.
    wanted = {test_id: ours[test_id] for _, test_id in planned if test_id in ours}
    return Taken(
        _made(run.meta, list((wanted | entries).values()), left, known),
        missing=_sorted({test_id for _, test_id in set(planned) - measured} - otherwise),
        other_check=_sorted(otherwise),
        other_prompt=_sorted(test.test_id for test in kept if _other_prompt(test, ours.get(test.test_id))),
        unknown=_sorted(entries.keys() - ours.keys()),
    )


def _plain(row: Row) -> Row:
    """Whether it passed follows from the score, and is not said twice."""
    return replace(row, passed=row.scored and row.score >= PASS_MARK)


def _same_check(test: TestEntry, ours: TestEntry) -> bool:
    # A hash that is left out would count as equal everywhere else.
    return test.check_hash == ours.check_hash and test.rev == ours.rev


def _other_prompt(test: TestEntry, ours: TestEntry | None) -> bool:
    return ours is not None and test.request_hash != ours.request_hash


def _entry(test: TestEntry, ours: TestEntry | None) -> TestEntry:
    """The base's own words on a test, but for a prompt that was changed: that is what is measured."""
    if ours is None:
        # Shown, and never counted: easy tests of one's own would else lift a mean over min_score.
        return replace(test, must_pass=False, quarantine=True)
    if not _other_prompt(test, ours):
        return ours
    # Without a hash it would pass for the base's prompt.
    return replace(ours, request=test.request, request_hash=test.request_hash or "not told")


def _of(entry: TestEntry, row: Row) -> Row:
    return replace(row, category=entry.category, subcategory=entry.subcategory)


def _made(meta: Meta, tests: Sequence[TestEntry], rows: Sequence[Row], known: Known) -> Artifact:
    entries = tuple(sorted(tests, key=lambda test: test.test_id))
    attempts: dict[CellKey, int] = {}
    for row in rows:
        attempts[row.model, row.test_id] = attempts.get((row.model, row.test_id), 0) + 1
    told = replace(
        meta,
        # Equal times are taken for equal runs.
        started_at="",
        finished_at=known.finished_at,
        git=known.git,
        # Never a recording, and never one that could have asked again.
        role="run",
        repeat=max(attempts.values(), default=0),
        test_count=len(entries),
        catalog_hash=catalog_hash(entries),
    )
    return Artifact(told, entries, tuple(rows), stats(rows))


def _sorted(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids))
