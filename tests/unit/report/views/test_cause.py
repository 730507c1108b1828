"""What failing tests have in common is said in one line, and only where it is a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import Attempt, artifact, entry, row
from tests.unit.report.views.shown import shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey, cells
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.compare.model import Finding, Status, Verdict
from llm_testbench.report.document import Document
from llm_testbench.report.views.cause import ANSWER_LIMIT, shared, shared_block
from llm_testbench.report.views.evidence import in_question

PRINTED: dict[str, Any] = {"outcome": Outcome.TOOL_CALL_IN_TEXT}


def failed(test_id: str, model: str = "chat", result: Attempt = 0.0, attempt: int = 0, **changes: Any) -> Row:
    """An attempt with words and an answer of its own, so that only `changes` can be shared."""
    plain = row(entry(test_id), model, attempt, result)
    own = {"reason": f"because of {test_id}", "response_text": f"answer to {test_id}"} if plain.scored else {}
    return replace(plain, **own | changes)


def said(rows: Sequence[Row], *, alike: Sequence[str] = (), models: Sequence[str] = ("chat",)) -> str:
    ids = sorted({one.test_id for one in rows} | set(alike))
    before = artifact({(model, test_id): [1.0] for model in models for test_id in ids})
    asked = {(one.model, one.test_id) for one in rows}
    good: dict[tuple[str, str] | str, Sequence[Attempt]] = {
        (model, test_id): [1.0] for model in models for test_id in ids if (model, test_id) not in asked
    }
    now = artifact(good, *map(entry, ids), rows=rows, models={model: model for model in models})
    return of(before, now)


def of(before: Artifact, now: Artifact) -> str:
    """Every test that scored lower has regressed, and one that the server refused breaks a rule by itself."""
    scores = cells(now.results)
    lower = {
        key: {"status": Status.REGRESSION} for key, cell in scores.items() if cell.mean is not None and cell.mean < 1
    }
    refused = [Finding("rejected", ("words",), *key) for key, cell in scores.items() if cell.mean is None]
    comparison = side_by_side(before, now, lower, verdict=Verdict.FAIL, reasons=tuple(refused))
    found = shared(comparison, now, in_question(comparison))
    one_model = len(comparison.models) == 1
    return shown(Document((shared_block(found, one_model=one_model),))) if found else ""


TOOLS = [f"tools-{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (
            [failed(test_id, **PRINTED) for test_id in TOOLS[:5]],
            "In common: 5 of 6 tools tests ended in tool_call_in_text",
        ),
        (
            [failed(test_id, reason="the answer is no JSON") for test_id in TOOLS[:3]],
            "In common: 3 of 6 tools tests failed with the answer is no JSON",
        ),
        (
            [failed(test_id, response_text="Try\n again  later.") for test_id in TOOLS],
            "In common: 6 of 6 tools tests got the answer Try again later.",
        ),
        ([failed(test_id, **PRINTED) for test_id in TOOLS[:2]], ""),
        ([failed(test_id) for test_id in TOOLS], ""),
        ([failed(test_id, reason="", response_text="") for test_id in TOOLS], ""),
    ],
)
def test_what_most_failures_share(rows: list[Row], line: str) -> None:
    assert said(rows, alike=TOOLS) == line


def test_less_than_half_is_no_pattern() -> None:
    printed = [failed(test_id, **PRINTED) for test_id in TOOLS[:3]]
    others = [failed(f"tools-other-{number}") for number in range(4)]
    assert said([*printed, *others]) == ""
    assert said([*printed, *others[:3]]) == "In common: 3 of 6 tools tests ended in tool_call_in_text"


def test_over_several_categories_it_counts_what_failed() -> None:
    rows = [failed(test_id, **PRINTED) for test_id in ("a-1", "b-1", "c-1")]
    line = "In common: 3 of 4 tests that failed or dropped ended in tool_call_in_text"
    assert said([*rows, failed("d-1")], alike=["a-2", "b-2"]) == line


def test_one_of_several_models_is_named() -> None:
    one = [failed(test_id, "old", **PRINTED) for test_id in TOOLS[:3]]
    assert said(one, models=["old", "new"]) == "In common: 3 of 3 tools tests on old ended in tool_call_in_text"
    two = [failed(test_id, "old", **PRINTED) for test_id in ("a-1", "b-1", "c-1")]
    assert said(two, models=["old", "new"]) == "In common: 3 of 3 tests on old ended in tool_call_in_text"
    all_of_them = [failed(test_id, model, **PRINTED) for test_id in TOOLS[:2] for model in ("old", "new")]
    assert said(all_of_them, models=["old", "new"]) == "In common: 4 of 4 tools results ended in tool_call_in_text"


def test_the_worst_attempt_of_a_test_speaks() -> None:
    rows = [
        attempt
        for test_id in TOOLS[:3]
        for attempt in (failed(test_id, result=1.0), failed(test_id, attempt=1, **PRINTED))
    ]
    assert "3 of 3 tools tests ended in tool_call_in_text" in said(rows)


def test_of_one_set_of_tests_one_thing_is_said() -> None:
    rows = [failed(test_id, outcome=Outcome.EMPTY, reason="no text", response_text="") for test_id in TOOLS]
    assert said(rows) == "In common: 6 of 6 tools tests ended in empty"


def test_two_patterns_make_two_lines() -> None:
    printed = [failed(f"tools-{number}", **PRINTED) for number in range(3)]
    empty = [failed(f"text-{number}", outcome=Outcome.EMPTY) for number in range(3)]
    assert said([*printed, *empty]).split("\n") == [
        "- In common: 3 of 3 text tests ended in empty",
        "- In common: 3 of 3 tools tests ended in tool_call_in_text",
    ]


def test_a_refused_request_is_an_outcome_without_words_of_a_check() -> None:
    rows = [failed(test_id, result=Outcome.CONTEXT_LENGTH) for test_id in TOOLS]
    before = artifact({test_id: [1.0] for test_id in TOOLS})
    now = artifact({}, *map(entry, TOOLS), rows=rows)
    assert of(before, now) == "In common: 6 of 6 tools tests ended in context_length"


def test_a_long_answer_is_cut() -> None:
    found = said([failed(test_id, response_text="x" * 1000 + test_id) for test_id in TOOLS])
    assert found.endswith(" " + "x" * ANSWER_LIMIT)


def test_a_test_that_was_never_asked_shares_nothing() -> None:
    keys: list[CellKey] = [("chat", "gone")]
    now = artifact({"t": [1.0]})
    assert shared(side_by_side(None, now), now, keys) == ()
