"""What the main attempts say of each row (stats.md, steps 2 to 6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from llm_testbench.compare.model import Status
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.stage import Scored, Stage, stage
from llm_testbench.compare.variants import Tested, variants

OPTIONS = GateOptions()
Sides = tuple[Sequence[float], Sequence[float]]


def cell(name: str, sides: Sides, model: str = "chat", category: str = "a") -> Scored:
    return Scored((model, name), category, tuple(sides[0]), tuple(sides[1]))


def staged(cells: Sequence[Scored], options: GateOptions = OPTIONS, *, asks: bool = False) -> Stage:
    tested = [Tested(one.key, len(one.before), len(one.now), both_sides=False) for one in cells]
    return stage(cells, options, variants(tested, options, asks=asks, exchange="attempt"))


def many(count: int, sides: Sides, start: int = 0, **where: str) -> list[Scored]:
    return [cell(f"t{start + number}", sides, **where) for number in range(count)]


def test_one_attempt_each_is_mcnemars_test() -> None:
    found = staged([*many(8, ([1], [0])), *many(1, ([0], [1]), 8), *many(91, ([1], [1]), 9)])
    model = found.models["chat"]
    assert model.p_worse == pytest.approx(5 / 256, abs=1e-12)
    assert model.p_better == pytest.approx(511 / 512, abs=1e-12)
    assert model.delta == pytest.approx(-0.07)
    assert model.ci == pytest.approx((-0.1319795032, -0.0080204968), abs=1e-9)
    assert model.mde == pytest.approx(0.0819759548, abs=1e-9)
    assert model.status is Status.REGRESSION
    assert found.overall == model, "one model is the whole"


def test_several_models_and_the_whole_are_one_family() -> None:
    halves = [*many(8, ([1], [0])), *many(1, ([0], [1]), 8), *many(91, ([1], [1]), 9)]
    other = many(100, ([1], [1]), model="other")
    found = staged([*halves, *other])
    assert found.models["chat"].p_adj == pytest.approx(3 * 5 / 256)
    assert found.models["chat"].status is Status.SUSPECTED, "adjusted for three rows, 0.0195 is no proof"
    assert found.overall is not None
    assert found.overall.p_worse == pytest.approx(5 / 256)
    assert found.overall.p_adj == pytest.approx(3 * 5 / 256)
    assert set(found.models) == {"chat", "other"}


def test_a_proven_drop_smaller_than_the_least_effect_fails_nothing() -> None:
    cells = [*many(10, ([1], [0])), *many(1100, ([1], [1]), 10)]
    assert staged(cells).models["chat"].p_worse < 0.001
    assert staged(cells).models["chat"].status is Status.STABLE
    assert staged(cells, GateOptions(min_effect_model=0.009)).models["chat"].status is Status.REGRESSION


def test_better_is_told_and_never_a_regression() -> None:
    found = staged(many(8, ([0], [1])))
    assert found.models["chat"].status is Status.IMPROVEMENT


@pytest.mark.parametrize(
    ("sides", "status"),
    [
        pytest.param(([1] * 5, [0] * 5), Status.REGRESSION, id="five of five to none, alone"),
        pytest.param(([1] * 3, [0] * 3), Status.SUSPECTED, id="three of three to none proves nothing"),
        pytest.param(([1] * 3, [0, 0, 1]), Status.SUSPECTED, id="three of three to one of three"),
        pytest.param(([1] * 3, [0, 1, 1]), Status.STABLE, id="three of three to two of three"),
        pytest.param(([1], [0]), Status.SUSPECTED, id="every flip of a single attempt"),
        pytest.param(([1] * 10, [0.95] * 10), Status.STABLE, id="a drop below min_effect_test"),
        pytest.param(([0] * 5, [1] * 5), Status.IMPROVEMENT, id="none to five of five"),
        pytest.param(([1] * 3, [1] * 3), Status.STABLE, id="always right"),
    ],
)
def test_a_test_about_which_nobody_is_asked_again(sides: Sides, status: Status) -> None:
    assert staged([cell("t", sides)]).tests["chat", "t"].status is status


def test_a_test_that_is_asked_again_is_a_suspect_however_clear_it_is() -> None:
    found = staged([cell("t", ([1] * 10, [0] * 10))], asks=True)
    assert found.tests["chat", "t"].status is Status.SUSPECTED


def test_many_tests_have_to_stand_out_from_each_other() -> None:
    noise = many(60, ([1, 1, 1, 0, 0], [1, 1, 0, 0, 0]), 1)
    alone, among = staged([cell("t", ([1] * 5, [0] * 5))]), staged([cell("t", ([1] * 5, [0] * 5)), *noise])
    assert alone.tests["chat", "t"].q == pytest.approx(1 / 252)
    assert among.tests["chat", "t"].status is Status.SUSPECTED
    assert among.tests["chat", "t"].expected == pytest.approx(61 / 252)


def test_categories_fail_nothing_unless_they_gate() -> None:
    cells = [*many(8, ([1], [0])), *many(10, ([1], [1]), 8, category="b")]
    informal = staged(cells).categories["chat", "a"]
    gating = staged(cells, GateOptions(gate_levels=("model", "category", "test"))).categories["chat", "a"]
    assert (informal.status, gating.status) == (Status.SUSPECTED, Status.REGRESSION)


def test_partial_credit_stands_on_one_grid_for_all() -> None:
    found = staged([cell("t", ([1, 1, 0.5], [0.5, 0.5, 0])), cell("u", ([0.25], [0.75]))])
    assert found.unit == 4
    assert found.tests["chat", "t"].p_worse == pytest.approx(3 / 20)


def test_nothing_scored_is_nothing_judged() -> None:
    found = staged([])
    assert (found.overall, found.models, found.tests, found.categories) == (None, {}, {}, {})


@pytest.mark.parametrize(
    ("levels", "shares"),
    [
        (("model", "test"), (0.04, 0.0, 0.01)),
        (("model", "category", "test"), (0.03, 0.01, 0.01)),
        (("model",), (0.05, 0.0, 0.0)),
        (("test",), (0.0, 0.0, 0.05)),
    ],
)
def test_alpha_is_split_over_the_families_that_gate(levels: tuple[str, ...], shares: tuple[float, ...]) -> None:
    options = GateOptions(gate_levels=levels)  # type: ignore[arg-type] # from a table
    found = tuple(options.level_alpha(level) for level in ("model", "category", "test"))
    assert found == pytest.approx(shares)


def test_alpha_can_be_split_by_hand() -> None:
    options = GateOptions(alpha=0.1, alpha_split={"model": 0.5, "test": 0.5})
    assert [options.level_alpha("model"), options.level_alpha("test"), options.level_alpha("category")] == [
        0.05,
        0.05,
        0.0,
    ]
