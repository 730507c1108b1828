"""What a run could have seen: so that a pass is never read as proven equal."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import shown
from tests.unit.report.views.side_by_side import side_by_side

from llm_testbench.compare.model import Confirmation
from llm_testbench.compare.power import MODEL_PROVEN
from llm_testbench.report.document import Document
from llm_testbench.report.views.seen import BY_RUN, MOST_MODELS, seen

ONE = artifact({"t": [1.0]})
TWO = artifact({("m", "t"): [1.0], ("n", "t"): [1.0]})
BROKEN = "A test that always passed and broke altogether would have been found in nearly every run."


def lines(run: Any = ONE, **fields: Any) -> list[str]:
    found = shown(Document((seen(side_by_side(run, run, **fields)),))).strip("\n").split("\n")
    assert found[0] in ("", "What this run could have seen")
    return [line.removeprefix("- ") for line in found[2:]]


def test_the_smallest_drop_is_rounded_up_and_smaller_ones_can_hide() -> None:
    said = "A drop of 2.4 points on average would have been seen in 4 of 5 runs; smaller ones can hide."
    assert lines(mde={"chat": 0.02301}) == [said, BROKEN]


def test_each_of_several_models_has_its_own_and_all_together_one() -> None:
    assert [line.partition(" would")[0] for line in lines(TWO, mde={"m": 0.02, "n": 0.031, "overall": 0.015})] == [
        "A drop of 2.0 points on average on m",
        "A drop of 3.1 points on average on n",
        "A drop of 1.5 points on average over all models",
        "A test that always passed and broke altogether",
    ]


def test_a_model_may_be_called_overall() -> None:
    run = artifact({("overall", "t"): [1.0], ("m", "t"): [1.0]})
    found = [line.partition(" would")[0] for line in lines(run, mde={"m": 0.02, "overall": 0.03})]
    assert found[:-1] == ["A drop of 2.0 points on average on m", "A drop of 3.0 points on average on overall"]


def test_many_models_are_cut() -> None:
    names = [f"m{number:02}" for number in range(MOST_MODELS + 2)]
    found = lines(artifact({(name, "t"): [1.0] for name in names}), mde=dict.fromkeys(names, 0.1))
    assert sum("would have been seen" in line for line in found) == MOST_MODELS
    assert "and 2 more models: see comparison.json" in found


def test_where_no_drop_can_be_seen_it_says_so() -> None:
    said = "No drop of the average would have been seen in 4 of 5 runs: there are too few answers."
    assert lines(mde={"chat": 1.3}, blind="1 attempt cannot prove it") == [said]


@pytest.mark.parametrize(
    "fields",
    [
        {"blind": "3 attempts cannot"},
        {"role": "record"},
        {"confirmation": Confirmation(60, 60, 9, 1)},
        {"confirmation": Confirmation(suspects=1, why_not="no room")},
    ],
)
def test_one_broken_test_is_promised_only_where_it_could_be_proven(fields: dict[str, Any]) -> None:
    assert BROKEN not in lines(mde={"chat": 0.02}, **fields)


def test_a_comparison_that_saw_nothing_says_nothing() -> None:
    assert lines() == []


@pytest.mark.parametrize(
    ("confirmation", "line"),
    [
        (Confirmation(10, 60, 1), "Asking again: 1 suspect, with 10 further requests (at most 60 allowed)."),
        (Confirmation(5, 60), "Asking again: tests that must pass, with 5 further requests (at most 60 allowed)."),
        (Confirmation(1, 0, 1), "Asking again: 1 suspect, with 1 further request."),
        (
            Confirmation(60, 60, 5, 2),
            "Asking again: 3 of 5 suspects, with 60 further requests (at most 60 allowed);"
            " the others did not fit in (see confirm_budget, max_requests, max_duration).",
        ),
        (
            Confirmation(0, 60, 2, 2, "the model's mean dropped"),
            "Asking again: 2 suspects were not asked again, since the model's mean dropped.",
        ),
        (Confirmation(0, 60, 1, 1, "no room."), "Asking again: 1 suspect was not asked again, since no room."),
        (
            Confirmation(53, 60, 9, 4, MODEL_PROVEN),
            "Asking again: 5 of 9 suspects, with 53 further requests (at most 60 allowed); the others were not asked"
            " again, since the model's drop is proven already, whatever a single test does.",
        ),
    ],
)
def test_what_asking_again_cost(confirmation: Confirmation, line: str) -> None:
    assert lines(confirmation=confirmation) == [line]


def test_runs_that_count_as_one_measurement_are_told() -> None:
    assert lines(exchange="run") == [BY_RUN]
