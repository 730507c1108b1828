"""How many rows stand out: the figures of the outputs and of the first line are the same."""

from __future__ import annotations

import pytest
from tests.unit.report.comparisons import compared, comparison

from llm_testbench.compare.headline import headline
from llm_testbench.compare.model import ComparedRow, Finding, Status, Verdict
from llm_testbench.compare.regressions import Tally, tally

DROP, LOW, RISE = Status.REGRESSION, Status.SUSPECTED, Status.IMPROVEMENT


def whole(status: Status) -> ComparedRow:
    return compared(status, 0.9, 0.8, 40, model=None)


def models(*statuses: Status) -> list[ComparedRow]:
    return [compared(status, 0.9, 0.8, 20, model=f"m{number}") for number, status in enumerate(statuses)]


@pytest.mark.parametrize(
    ("overall", "of_models", "tally_of_it"),
    [
        pytest.param(whole(DROP), models(DROP, Status.STABLE), Tally(1, 0, 0), id="a model dropped, and so the whole"),
        pytest.param(whole(DROP), models(LOW, LOW), Tally(1, 2, 0), id="the whole is proven, its models are not"),
        pytest.param(whole(LOW), models(LOW, Status.STABLE), Tally(0, 1, 0), id="a model is suspected, and the whole"),
        pytest.param(whole(LOW), models(DROP, Status.STABLE), Tally(1, 1, 0), id="another doubt than the model's"),
        pytest.param(whole(RISE), models(RISE, RISE), Tally(0, 0, 2), id="two models improved, and so the whole"),
        pytest.param(whole(RISE), models(Status.STABLE, Status.STABLE), Tally(0, 0, 1), id="the whole improved"),
        pytest.param(whole(DROP), models(DROP), Tally(1, 0, 0), id="one model is the whole"),
    ],
)
def test_the_whole_counts_where_no_model_says_the_same(
    overall: ComparedRow, of_models: list[ComparedRow], tally_of_it: Tally
) -> None:
    assert tally(comparison(Verdict.PASS, models=of_models, overall=overall)) == tally_of_it


def test_the_first_line_counts_suspects_as_the_outputs_do() -> None:
    found = comparison(Verdict.PASS, models=models(LOW, Status.STABLE), overall=whole(LOW))
    assert headline(found).startswith("No drop proven, 1 suspected")
    strict = comparison(
        Verdict.FAIL, models=models(LOW, LOW), overall=whole(LOW), reasons=[Finding("suspected", ("m0",), "m0")]
    )
    assert headline(strict) == "Fail: 2 suspected drops, and fail_on is suspected"
