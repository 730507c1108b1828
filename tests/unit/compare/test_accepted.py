"""What an accepted drop replaces, what a failing run offers, and which entries can go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.compare.acceptances import acceptances, cell, whole

from llm_testbench.compare.accepted import References, offered, references, stale
from llm_testbench.compare.accepted_form import acceptance_to_json
from llm_testbench.compare.model import WORSE, Acceptance, ComparedRow, Side, Status

TODAY = "2026-06-30"
DROP = Status.REGRESSION


@pytest.mark.parametrize(
    ("until", "applies"),
    [
        pytest.param("", True, id="no date: for good"),
        pytest.param("2026-07-01", True, id="tomorrow"),
        pytest.param("2026-06-30", True, id="the last day counts"),
        pytest.param("2026-06-29", False, id="yesterday"),
    ],
)
def test_an_entry_counts_up_to_its_last_day(until: str, applies: bool) -> None:
    entry = cell("a", 0.5, until=until)

    taken = references([entry], TODAY)

    assert taken.scores == ({("chat", "a"): (0.5,)} if applies else {})
    assert taken.expired == (() if applies else (entry,))


@pytest.mark.parametrize("swap", [False, True])
def test_a_cells_own_entry_goes_before_that_of_its_model(swap: bool) -> None:
    entries = [cell("a", 0.0), whole(a=(1.0,), b=(0.5, 1.0))]

    taken = references(entries[::-1] if swap else entries, TODAY)

    assert taken.scores == {("chat", "a"): (0.0,), ("chat", "b"): (0.5, 1.0)}


def test_an_own_entry_that_has_ended_leaves_the_cell_to_its_model() -> None:
    taken = references([cell("a", 0.0, until="2020-01-01"), whole(a=(1.0,))], TODAY)

    assert taken.scores == {("chat", "a"): (1.0,)}


@given(acceptances(), st.sampled_from(["", "2026-01-01", "2027-01-01"]))
def test_every_entry_either_applies_or_has_ended(entries: tuple[Acceptance, ...], today: str) -> None:
    taken = references(entries, today)
    applied = [entry for entry in entries if entry not in taken.expired]

    assert taken.scores.keys() == {(entry.model, test) for entry in applied for test in entry.tests}


def row(
    status: Status,
    test: str | None = None,
    *,
    model: str | None = "chat",
    category: str | None = None,
    delta: float = -0.5,
) -> ComparedRow:
    in_category = category if test is None else (category or "c")
    return ComparedRow(status, Side(1.0, 2), Side(1.0 + delta, 2), delta, model, in_category, test)


def offer(
    *rows: ComparedRow, scores: Mapping[tuple[str, str], tuple[float, ...]] | None = None
) -> tuple[Acceptance, ...]:
    tests = [one for one in rows if one.test_id is not None]
    known = {(one.model or "", one.test_id or ""): (0.5, 0.0) for one in tests}
    return offered(rows, tests, known if scores is None else scores)


def test_a_test_that_dropped_is_offered_with_all_that_this_run_scored() -> None:
    rows = [row(DROP, "a"), row(Status.STABLE, "b"), row(Status.SUSPECTED, "d"), row(Status.IMPROVEMENT, "e")]

    assert offer(*rows, scores={("chat", "a"): (0, 1 / 3, 1)}) == (cell("a", 0, 0.33333333, 1),)


def test_a_drop_that_nobody_here_caused_can_be_accepted_too() -> None:
    assert offer(row(Status.DRIFT, "a")) == (cell("a", 0.5, 0.0),)


def test_where_suspects_fail_the_gate_they_are_offered() -> None:
    suspect = row(Status.SUSPECTED, "a")

    assert offered([suspect], [suspect], {("chat", "a"): (0.5,)}, WORSE | {Status.SUSPECTED}) == (cell("a", 0.5),)


def test_a_model_that_dropped_is_offered_whole_and_its_tests_not_again() -> None:
    rows = [
        row(DROP),
        row(DROP, category="c"),
        row(DROP, "b"),
        row(Status.STABLE, "a"),
        row(DROP, "b", model="code"),
        row(Status.QUARANTINED, "q"),
        row(Status.REJECTED, "r"),
    ]

    assert offer(*rows) == (whole(a=(0.5, 0.0), b=(0.5, 0.0)), cell("b", 0.5, 0.0, model="code"))


def test_a_category_that_dropped_is_offered_with_its_own_tests() -> None:
    rows = [row(Status.STABLE), row(DROP, category="x"), row(DROP, "a", category="x"), row(DROP, "b", category="y")]

    assert offer(*rows) == (whole(category="x", a=(0.5, 0.0)), cell("b", 0.5, 0.0))


def test_where_the_whole_alone_dropped_each_model_with_a_drop_is_offered() -> None:
    rows = [
        row(DROP, model=None),
        row(Status.SUSPECTED),
        row(Status.STABLE, model="code", delta=0.1),
        row(Status.STABLE, "a"),
        row(Status.STABLE, "a", model="code"),
    ]

    assert offer(*rows) == (whole(a=(0.5, 0.0)),)


def test_where_a_model_dropped_the_whole_adds_nothing() -> None:
    rows = [row(DROP, model=None), row(DROP), row(Status.STABLE, model="code"), row(Status.STABLE, "a", model="code")]

    assert offer(*rows, row(Status.STABLE, "a")) == (whole(a=(0.5, 0.0)),)


@pytest.mark.parametrize("name", ["", " ", "x" * 1001, "half \ud800"])
def test_a_name_that_no_file_can_hold_is_not_offered(name: str) -> None:
    assert offer(row(DROP, name), row(DROP, "b")) == (cell("b", 0.5, 0.0),)
    assert offer(row(DROP, "a", model=name)) == ()
    assert offer(row(DROP, category=name), row(Status.STABLE, "a", category=name)) == ()


def test_more_scores_than_an_entry_may_hold_are_cut() -> None:
    (entry,) = offer(row(DROP, "a"), scores={("chat", "a"): (0.0,) * 1024})

    assert len(entry.tests["a"]) == 1000


def test_a_cell_without_a_score_is_not_offered() -> None:
    rows = [row(DROP), row(DROP, "a"), row(Status.STABLE, "b")]

    assert offer(*rows, scores={("chat", "b"): (1.0,)}) == (whole(b=(1.0,)),)
    assert offer(*rows, scores={("chat", "a"): ()}) == ()


def test_a_run_without_a_drop_offers_nothing() -> None:
    assert offer(row(Status.STABLE), row(Status.STABLE, "a"), row(Status.ACCEPTED, "b")) == ()


STATUSES = st.sampled_from([DROP, Status.DRIFT, Status.STABLE, Status.SUSPECTED, Status.REJECTED])


@given(st.data())
def test_no_cell_is_offered_twice_and_every_drop_is(data: st.DataObject) -> None:
    models, ids = ("chat", "code"), ("a", "b", "c")
    tests = [row(data.draw(STATUSES), test, model=model, category=test) for model in models for test in ids]
    rows = [
        row(data.draw(STATUSES), model=None),
        *(row(data.draw(STATUSES), model=model) for model in models),
        *(row(data.draw(STATUSES), model=model, category=category) for model in models for category in ids),
        *tests,
    ]

    entries = offer(*rows)

    cells = [(entry.model, test) for entry in entries for test in entry.tests]
    assert len(cells) == len(set(cells))
    assert {(one.model, one.test_id) for one in tests if one.status in WORSE} <= set(cells)
    assert references(entries, "2026-01-01").scores.keys() == set(cells)


def going(
    entry: Acceptance, baseline: Mapping[str, float], current: Mapping[str, float], **known: list[str]
) -> list[str]:
    found = stale(
        [entry],
        references([entry], TODAY),
        baseline={("chat", test): (score,) for test, score in baseline.items()},
        current={("chat", test): (score,) for test, score in current.items()},
        tests=known.get("tests", ["a", "b"]),
        models=known.get("models", ["chat"]),
    )
    assert {finding.code for finding in found} <= {"accepted_can_go"}
    return [finding.message for finding in found]


@pytest.mark.parametrize(
    ("entry", "baseline", "current", "known", "says"),
    [
        pytest.param(cell("a", 0.5), {"a": 1}, {"a": 0.5}, {}, "", id="still needed"),
        pytest.param(cell("a", 0.5), {}, {"a": 0.5}, {}, "", id="no baseline to tell"),
        pytest.param(cell("a", 0.5), {"a": 1}, {}, {}, "", id="not asked now"),
        pytest.param(
            cell("a", 0.5, until="2026-06-01"),
            {"a": 1},
            {"a": 0.5},
            {},
            "a on chat was accepted until 2026-06-01, which has passed",
            id="ended",
        ),
        pytest.param(
            cell("a", 0.5), {"a": 0.5}, {"a": 0.5}, {}, "a on chat is in the newest baseline by now", id="as low"
        ),
        pytest.param(cell("a", 0.5), {"a": 0.4}, {}, {}, "a on chat is in the newest baseline by now", id="lower"),
        pytest.param(cell("a", 0.5), {"a": 1}, {"a": 1}, {}, "a on chat is made up for", id="as high as before"),
        pytest.param(
            cell("a", 0.5),
            {"a": 1},
            {"a": 1},
            {"tests": ["b"]},
            "a on chat is of a test that no suite has any more",
            id="test",
        ),
        pytest.param(
            cell("a", 0.5), {}, {}, {"models": ["b"]}, "a on chat is of a model that is not there any more", id="model"
        ),
        pytest.param(cell("a", 0.5), {"a": 1}, {"a": 0.5}, {"tests": [], "models": []}, "", id="nothing known"),
        pytest.param(whole(a=(1,), b=(0.5,)), {"a": 1, "b": 1}, {"a": 1, "b": 0.5}, {}, "", id="a model, still needed"),
        pytest.param(whole(a=(1,), b=(0.5,)), {"a": 1}, {"a": 1}, {}, "", id="a model, not all asked"),
        pytest.param(
            whole(a=(1,), b=(0.5,)),
            {"a": 1, "b": 0.5},
            {},
            {},
            "chat is in the newest baseline by now",
            id="a model, as low",
        ),
        pytest.param(
            whole(a=(0.5,), gone=(0,)), {"a": 1}, {"a": 1}, {}, "chat is made up for", id="a model, some tests are gone"
        ),
        pytest.param(
            whole(gone=(0,)),
            {},
            {},
            {},
            "chat is of tests that no suite has any more",
            id="a model, all tests are gone",
        ),
        pytest.param(
            whole(category="c", a=(0.5,)), {"a": 1}, {"a": 1}, {}, "category c on chat is made up for", id="a category"
        ),
    ],
)
def test_an_entry_that_is_not_needed_can_go(
    entry: Acceptance, baseline: dict[str, float], current: dict[str, float], known: dict[str, list[str]], says: str
) -> None:
    expected = [f"the accepted drop of {says}: its entry can go"] if says else []

    assert going(entry, baseline, current, **known) == expected


def test_names_in_the_sentence_are_foreign_text() -> None:
    entry = replace(cell("a", 0.5, model="@org"), category=None)

    (finding,) = stale([entry], References({}, (entry,)), baseline={}, current={})

    assert not any("@org" in part for part in finding.sentence if isinstance(part, str))
    assert (finding.model, finding.test_id) == ("@org", "a")


def test_as_data_an_entry_has_only_the_keys_that_say_something() -> None:
    assert acceptance_to_json(cell("a", 1, 0.5)) == {"model": "chat", "test": "a", "scores": [1, 0.5]}
    assert acceptance_to_json(Acceptance("chat", {"a": (1,)}, None, "c", "why", "2026-01-01")) == {
        "model": "chat",
        "category": "c",
        "tests": {"a": [1]},
        "reason": "why",
        "until": "2026-01-01",
    }
