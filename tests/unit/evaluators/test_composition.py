from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evaluators.judging import fault_of, judge

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators.composition import All, Any, Mean, Weighted
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.running import evaluate_in, runs_code, score_of_result
from llm_testbench.evaluators.score import Evaluator, Score
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.programs import Closed, Workshop

CODE: JSONObject = {"language": "python", "stdout": "4"}


@dataclass
class Fixed:
    """A part whose score is known; None: skipped for want of a toolchain."""

    name: ClassVar[str] = "fixed"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "A score that is known."
    schema: ClassVar[JSONObject] = {}

    value: float | None

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        raise NotImplementedError

    def evaluate(self, answer: Answer) -> Score:
        if self.value is None:
            return Score(0.0, "no compiler", Outcome.TOOLCHAIN_MISSING)
        return Score(self.value, f"scored {self.value:g}")


@dataclass
class Running(Fixed):
    """A part that runs programs; it counts how often it is asked."""

    asked: int = 0

    def runs_code(self) -> bool:
        return True

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        assert workshop is WORKSHOP
        self.asked += 1
        return self.evaluate(answer)


WORKSHOP = Closed("this one")


def parts(*values: float | None) -> tuple[Evaluator, ...]:
    return tuple(Fixed(value) for value in values)


def scored(evaluator: Evaluator) -> float | None:
    """The value, or None when skipped."""
    score = evaluator.evaluate(Answer("x"))
    if score.skipped is not None:
        assert score.skipped is Outcome.TOOLCHAIN_MISSING
        assert "no compiler" in score.reason
        assert not score.passed
        return None
    return score.value


@pytest.mark.parametrize(
    ("values", "value"),
    [
        pytest.param([1, 1], 1, id="all pass"),
        pytest.param([1, 0.99], 1, id="0.99 passes"),
        pytest.param([1, 0.98], 0, id="0.98 does not"),
        pytest.param([0, 1], 0, id="one fails"),
        pytest.param([1, None], None, id="skipped and undecided"),
        pytest.param([0, None], 0, id="a 0 decides"),
        pytest.param([None, 0], 0, id="a 0 decides behind the skipped one"),
        pytest.param([None, 0.5], 0, id="a part that does not pass decides"),
    ],
)
def test_all_is_1_if_every_part_passes(values: list[float | None], value: float | None) -> None:
    assert scored(All(parts(*values))) == value


@pytest.mark.parametrize(
    ("values", "value"),
    [
        pytest.param([0, 1], 1, id="one passes"),
        pytest.param([0.25, 0.5], 0.5, id="the best counts"),
        pytest.param([0, 0], 0, id="none"),
        pytest.param([0.5, None], None, id="skipped and undecided"),
        pytest.param([None], None, id="skipped alone"),
        pytest.param([None, 1], 1, id="a 1 decides"),
        pytest.param([1, None], 1, id="a 1 decides before the skipped one"),
    ],
)
def test_any_is_the_best_part(values: list[float | None], value: float | None) -> None:
    assert scored(Any(parts(*values))) == value


@pytest.mark.parametrize(
    ("weighted", "value"),
    [
        pytest.param([(1, 1), (0, 1)], 0.5, id="mean"),
        pytest.param([(1, 3), (0, 1)], 0.75, id="weights"),
        pytest.param([(0.5, 2), (1, 0.5)], 0.6, id="weights below one"),
        pytest.param([(1, 1), (1, 7)], 1, id="all"),
        pytest.param([(0, 1), (None, 1)], None, id="a 0 does not decide"),
        pytest.param([(1, 1), (None, 0.001)], None, id="a 1 does not decide"),
    ],
)
def test_mean_weighs_the_parts(weighted: list[tuple[float | None, float]], value: float | None) -> None:
    assert scored(Mean(tuple(Weighted(Fixed(part), weight) for part, weight in weighted))) == value


@pytest.mark.parametrize(
    ("kind", "plain", "value"),
    [
        pytest.param(All, [0.0], 0, id="all with a 0"),
        pytest.param(All, [1.0, 0.98], 0, id="all with a part that does not pass"),
        pytest.param(Any, [1.0], 1, id="any with a 1"),
        pytest.param(Any, [0.0, 1.0], 1, id="any with a 1 behind a 0"),
    ],
)
@pytest.mark.parametrize("first", [False, True], ids=["runs last", "runs first"])
def test_no_program_is_run_where_a_plain_check_decides(
    kind: type[All | Any], plain: list[float], value: float, first: bool
) -> None:
    running = Running(1 - value)
    checks = (running, *parts(*plain)) if first else (*parts(*plain), running)
    assert evaluate_in(kind(checks), Answer("x"), WORKSHOP).value == value
    assert running.asked == 0


@pytest.mark.parametrize(
    ("composed", "value"),
    [
        pytest.param(lambda running: All((running, *parts(1))), 0, id="all without a 0"),
        pytest.param(lambda running: Any((running, *parts(0.25))), 0.5, id="any without a 1"),
        pytest.param(lambda running: Any((running, *parts(0.995))), 0.995, id="any that passes, but could be better"),
        pytest.param(lambda running: Mean((Weighted(running), Weighted(Fixed(0.0)))), 0.25, id="mean"),
        pytest.param(lambda running: All((Any((Mean((Weighted(running),)),)),)), 0, id="nested"),
    ],
)
def test_a_program_is_run_in_the_workshop_where_it_may_decide(
    composed: Callable[[Evaluator], Evaluator], value: float
) -> None:
    running = Running(0.5)
    evaluator = composed(running)
    assert evaluate_in(evaluator, Answer("x"), WORKSHOP).value == value
    assert running.asked == 1
    assert runs_code(evaluator)


@pytest.mark.parametrize(
    ("check", "printed", "value"),
    [
        pytest.param({"all": [{"code": CODE}, {"numeric": 4}]}, "4", 1, id="all"),
        pytest.param({"all": [{"code": CODE}, {"numeric": 4}]}, "5", 0, id="all, wrong"),
        pytest.param({"any": [{"numeric": 5}, {"code": CODE}]}, "4", 1, id="any"),
        pytest.param({"mean": [{"code": CODE}, {"numeric": 5}]}, "4", 1, id="mean"),
        pytest.param({"any": [{"numeric": 5}, {"code": CODE}]}, "5", 0, id="any, wrong"),
        pytest.param({"mean": [{"code": CODE}, {"numeric": 5}]}, "5", 0.5, id="mean, wrong"),
        pytest.param({"all": [{"any": [{"code": CODE}]}]}, "4", 1, id="nested"),
    ],
)
def test_beside_a_program_a_ground_truth_is_its_result_and_no_answer_for_other_parts(
    check: JSONObject, printed: str, value: float
) -> None:
    assert score_of_result(build(check), printed, WORKSHOP).value == value


def test_a_composition_of_plain_checks_runs_nothing() -> None:
    plain: list[Evaluator] = [All(parts(1)), Any(parts(1)), Mean((Weighted(Fixed(1)),)), Fixed(1)]
    assert not any(map(runs_code, plain))


@pytest.mark.parametrize(
    ("check", "value"),
    [
        pytest.param({"all": [{"code": CODE}, {"contains_all": "print"}]}, None, id="all, undecided"),
        pytest.param({"all": [{"code": CODE}, {"not_contains": "print"}]}, 0.0, id="all with a 0"),
        pytest.param({"any": [{"code": CODE}, {"contains_all": "print"}]}, 1.0, id="any with a 1"),
        pytest.param({"any": [{"code": CODE}, {"not_contains": "print"}]}, None, id="any, undecided"),
        pytest.param({"mean": [{"code": CODE}, {"not_contains": "print"}]}, None, id="mean"),
    ],
)
def test_without_a_sandbox_code_makes_the_whole_skipped_unless_decided(check: JSONObject, value: float | None) -> None:
    score = build(check).evaluate(Answer("print(4)"))
    assert (score.skipped is None, score.value) == (value is not None, value or 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1e-9, 1e9)), min_size=1, max_size=9))
def test_a_mean_lies_between_its_parts(weighted: list[tuple[float, float]]) -> None:
    value = scored(Mean(tuple(Weighted(Fixed(part), weight) for part, weight in weighted)))
    assert value is not None
    assert min(part for part, _ in weighted) - 1e-9 <= value <= max(part for part, _ in weighted) + 1e-9
    assert 0 <= value <= 1


@pytest.mark.parametrize(
    ("check", "text", "value", "reason"),
    [
        (
            {"all": [{"contains_all": ["a", "b"]}, {"not_contains": "c"}]},
            "a b",
            1,
            "all 2 checks pass",
        ),
        ({"all": {"checks": [{"equals": "a"}]}}, "b", 0, "equals: found 'b', expected 'a'"),
        ({"any": [{"equals": "a"}, {"equals": "b"}]}, "b", 1, "equals: found 'b', expected 'b'"),
        (
            {"mean": [{"numeric": 5, "weight": 3}, {"contains_all": ["five", "5"]}]},
            "5",
            0.875,
            "contains_all 0.5: missing 'five' in '5'",
        ),
        (
            {"mean": [{"equals": "a"}, {"any": [{"equals": "c"}, {"all": [{"equals": "b"}, {"numeric": 1}]}]}]},
            "b",
            0,
            None,
        ),
        ({"mean": [{"equals": "a"}, {"equals": "A"}]}, "a", 1, "all 2 checks pass"),
    ],
)
def test_compositions_are_built_from_yaml(check: JSONObject, text: str, value: float, reason: str | None) -> None:
    score = judge(check, text)
    assert score.value == value
    assert reason is None or score.reason == reason


def test_the_reason_of_many_parts_stays_short() -> None:
    check: JSONObject = {"mean": [{"equals": "x" * 100}] * 50}
    assert len(judge(check, "y" * 100).reason) <= 300


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param({"all": []}, ("all",), "at least one check", id="no part"),
        pytest.param({"all": "equals"}, ("all",), "a list of checks", id="no list"),
        pytest.param({"any": {"equals": "a"}}, ("any", "equals"), "known are checks", id="a check for a list"),
        pytest.param({"all": ["equals"]}, ("all", 0), "expected a check", id="a part that is no check"),
        pytest.param(
            {"all": [{"equals": "a"}, {"equal": "b"}]}, ("all", 1, "equal"), "did you mean", id="mistyped part"
        ),
        pytest.param({"all": {"checks": [{"equals": 1.5}]}}, ("all", "checks", 0, "equals"), "quotes", id="long form"),
        pytest.param(
            {"all": [{"equals": "a", "weight": 2}]}, ("all", 0, "weight"), "counts in a mean only", id="weight in all"
        ),
        pytest.param({"mean": [{"weight": 2}]}, ("mean", 0), "exactly one evaluator", id="a weight alone"),
        pytest.param({"mean": [5]}, ("mean", 0), "expected a check", id="a number for a check"),
        pytest.param({"mean": [{"equals": "a", "weight": 0}]}, ("mean", 0, "weight"), "above 0", id="no weight"),
        pytest.param({"mean": [{"equals": "a", "weight": -1}]}, ("mean", 0, "weight"), "above 0", id="negative weight"),
        pytest.param({"mean": [{"equals": "a", "weight": 1e10}]}, ("mean", 0, "weight"), "at most", id="too heavy"),
        pytest.param(
            {"mean": [{"equals": "a", "weight": "2"}]}, ("mean", 0, "weight"), "found text", id="weight as text"
        ),
        pytest.param(
            {"mean": [{"equals": "a", "weight": True}]}, ("mean", 0, "weight"), "true or false", id="weight: true"
        ),
        pytest.param(
            {"mean": [{"equals": "a", "weigth": 2}]},
            ("mean", 0, "weigth"),
            "did you mean 'weight'?",
            id="weight mistyped",
        ),
    ],
)
def test_a_composition_that_cannot_be_meant_is_refused(check: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of(check)
    assert fault.path == path
    assert message in str(fault)


@pytest.mark.parametrize("long", [False, True], ids=["short form", "long form"])
def test_nesting_has_an_end(long: bool) -> None:
    check: JSON = {"equals": "a"}
    for _ in range(50):
        check = {"all": {"checks": [check]} if long else [check]}
    assert "nested deeper" in str(fault_of(check))


@pytest.mark.parametrize("whole", [All((Fixed(None),)), Any((Fixed(None),)), Mean((Weighted(Fixed(None)),))])
def test_what_a_part_lacks_is_told_in_its_own_words(whole: Evaluator) -> None:
    assert whole.evaluate(Answer("x")).reason == "no compiler"
