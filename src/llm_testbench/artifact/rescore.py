"""Today's evaluators on stored answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from llm_testbench.answer.classify import classify, offered
from llm_testbench.answer.model import Completion, Usage
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact, Row, TestEntry
from llm_testbench.artifact.scoring import scored
from llm_testbench.artifact.stats import stats
from llm_testbench.evaluators import registry
from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.score import Evaluator, SpecError
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.programs import CLOSED, Workshop, side_by_side
from llm_testbench.suite.model import Test


@dataclass(frozen=True, slots=True)
class Rescored:
    """`unscored`: cells of (model, test id) that keep their old scores, since an answer is not stored whole,
    the check is not known, or it needs what the machine lacks (`lacking`: what, by test id). A test with such a cell
    keeps all its rows, and its old check_hash.
    """

    artifact: Artifact
    unscored: tuple[CellKey, ...]
    lacking: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Check:
    evaluator: Evaluator
    definition: JSON
    hash: str


@dataclass(frozen=True, slots=True)
class _Again:
    """What became of the rows of a test: scored by `check` (None: they keep their scores, since `lacking` if told)."""

    rows: Sequence[Row]
    check: _Check | None = None
    scored: Sequence[Row] = ()
    lacking: str | None = None


def rescore(
    artifact: Artifact,
    tests: Sequence[Test] | None = None,
    *,
    by: Iterable[TestEntry] = (),
    only: Collection[str] | None = None,
    workshop: Workshop = CLOSED,
) -> Rescored:
    """Scores every stored answer again: by the check of the test of that id, else by the artifact's own.

    `by`: tests as another artifact keeps them, whose checks go before the artifact's own.
    `only`: ids of the tests to look at; the rest stays as it is and is not told as unscored. `workshop`: where checks
    run programs.
    What an artifact says of a test has one check_hash, so that a test is rescored as a whole or not
    at all; failed calls need no score. Rows skipped or crashed back then get a score now if they can.
    """
    given = {test.id: _Check(test.evaluator, test.check, test.check_hash) for test in tests or ()}
    entries = {entry.test_id: entry for entry in artifact.tests}
    others = {entry.test_id: entry for entry in by}
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in artifact.results:
        if only is None or row.test_id in only:
            rows[row.test_id].append(row)

    def again(test_id: str) -> _Again:
        check = given.get(test_id) or _own_check(others.get(test_id) or entries.get(test_id))
        needing = [row for row in rows[test_id] if _has_answer(row)]
        if isinstance(check, SpecError):
            return _Again(needing, lacking=check.message)
        if check is None or not all(_stored_whole(row) for row in needing):
            return _Again(needing)
        return _rescored(needing, check, entries.get(test_id), workshop)

    unscored: list[CellKey] = []
    checks: dict[str, _Check] = {}
    fresh: dict[int, Row] = {}
    lacking: dict[str, str] = {}
    for test_id, found in zip(rows, side_by_side(again, rows, workshop), strict=True):
        if found.check is not None:
            checks[test_id] = found.check
            fresh.update(zip(map(id, found.rows), found.scored, strict=True))
        else:
            unscored.extend(dict.fromkeys((row.model, row.test_id) for row in found.rows))
        if found.lacking is not None:
            lacking[test_id] = found.lacking

    results = tuple(fresh.get(id(row), row) for row in artifact.results)
    return Rescored(
        artifact=replace(
            artifact,
            tests=tuple(_with_check(entry, checks.get(entry.test_id)) for entry in artifact.tests),
            results=results,
            stats=stats(results),
        ),
        unscored=tuple(sorted(unscored)),
        lacking=lacking,
    )


def evaluators_of(tests: Iterable[TestEntry]) -> tuple[Evaluator, ...]:
    """Those that score the tests as the artifact keeps them; one that this version does not know is left out."""
    return tuple(check.evaluator for test in tests if isinstance(check := _own_check(test), _Check))


def _own_check(entry: TestEntry | None) -> _Check | SpecError | None:
    """What the artifact says of a test; the error where this version, with the packages installed, cannot build it."""
    if entry is None or entry.check is None:
        return None
    try:
        return _Check(registry.build(entry.check), entry.check, registry.check_hash(entry.check))
    except SpecError as error:
        return error


def _has_answer(row: Row) -> bool:
    """An answer came: the call did not fail, whatever the evaluator made of it."""
    if row.skipped:
        # Without credentials nothing was asked; the other skips happened after the answer.
        return row.outcome is not Outcome.NO_CREDENTIALS
    return row.error is None or row.outcome is Outcome.EVALUATOR_CRASH


def _stored_whole(row: Row) -> bool:
    return row.response_text is not None and not row.response_capped


def _with_check(entry: TestEntry, check: _Check | None) -> TestEntry:
    return entry if check is None else replace(entry, check=check.definition, check_hash=check.hash)


def _rescored(rows: Sequence[Row], check: _Check, entry: TestEntry | None, workshop: Workshop) -> _Again:
    found: list[Row] = []
    for row in rows:
        found.append(_scored_again(row, check, entry, workshop))
        if found[-1].skipped:
            return _Again(rows, lacking=found[-1].reason)
    return _Again(rows, check, found)


def _scored_again(row: Row, check: _Check, entry: TestEntry | None, workshop: Workshop) -> Row:
    completion = stored_completion(row)
    answer = normalise(completion)
    fresh = replace(
        row,
        outcome=classify(completion, answer, offered(entry.request.get("tools") if entry is not None else None)),
        score=0.0,
        passed=False,
        reason="",
        error=None,
        skipped=False,
        truncated=row.truncated or answer.truncated,
    )
    return scored(fresh, evaluate(check.evaluator, answer, workshop))


def stored_completion(row: Row) -> Completion:
    """What the model answered, as far as the row keeps it."""
    return Completion(
        text=row.response_text or "",
        reasoning=row.reasoning_text or "",
        tool_calls=row.tool_calls,
        finish_reason=row.finish_reason,
        refused=row.outcome is Outcome.REFUSED,
        usage=Usage(row.prompt_tokens, row.completion_tokens, row.reasoning_tokens, row.cached_tokens),
        served_model=row.served_model,
        fingerprint=row.fingerprint,
        response_id=row.response_id,
    )
