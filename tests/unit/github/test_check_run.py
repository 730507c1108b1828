"""The check's conclusion beside the exit code: they come from one verdict and never disagree."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest
from tests.unit.report.comparisons import comparison

from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.headline import SELF_REPORTED
from llm_testbench.compare.model import Finding, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.github.check_run import Conclusion, conclusion, name_of

FAIL_ON = ("regression", "suspected", "never")
ON_INCONCLUSIVE = ("fail", "warn")
ROLES = ("gate", "record")

TABLE = {
    # verdict, fail_on, on_inconclusive, role: None is whatever it may be; the first line that fits counts
    (Verdict.PASS, None, None, None): ("success", 0),
    (Verdict.FAIL, "never", None, None): ("neutral", 0),
    (Verdict.FAIL, None, None, None): ("failure", 1),
    (Verdict.INCONCLUSIVE, None, "warn", None): ("neutral", 0),
    (Verdict.INCONCLUSIVE, None, None, None): ("failure", 3),
    (Verdict.NO_BASELINE, None, None, "record"): ("success", 0),
    (Verdict.NO_BASELINE, None, None, None): ("neutral", 0),
    (Verdict.SKIPPED, None, None, None): ("skipped", 0),
}
EVERY = list(product(Verdict, FAIL_ON, ON_INCONCLUSIVE, ROLES))


@pytest.mark.parametrize("case", EVERY, ids=[" ".join(case) for case in EVERY])
def test_the_check_and_the_exit_code_say_the_same(case: tuple[Any, ...]) -> None:
    verdict, fail_on, on_inconclusive, role = case
    options = GateOptions(fail_on=fail_on, on_inconclusive=on_inconclusive, role=role)
    found = comparison(verdict, role=role)
    expected = next(
        said for line, said in TABLE.items() if all(one in (None, other) for one, other in zip(line, case, strict=True))
    )
    assert (conclusion(found, options), exit_code(found, options)) == expected
    assert (conclusion(found, options) == "failure") == (exit_code(found, options) != 0)


def test_the_table_has_every_conclusion() -> None:
    assert {said for said, _ in TABLE.values()} == set(get_args(Conclusion))


def test_figures_that_belong_to_whoever_is_judged_get_no_green_tick() -> None:
    label = Finding(SELF_REPORTED, ("self-reported",))
    found = comparison(Verdict.PASS)
    assert conclusion(found, GateOptions()) == "success"
    assert conclusion(replace(found, warnings=(label,)), GateOptions()) == "neutral"


def test_each_comment_key_has_a_check_of_its_own() -> None:
    assert name_of("default") == "llm-testbench"
    assert name_of("nightly") == "llm-testbench (nightly)"
