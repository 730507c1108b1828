from dataclasses import replace

import pytest
from tests.unit.artifact.samples import artifact, error_row, row, skipped_row

from llm_testbench.artifact.health import SubcategoryHealth, TestHealth, WorstCell, health
from llm_testbench.artifact.model import Artifact, Row


def scored(*means: float, test_id: str = "greeting") -> Artifact:
    """One artifact: a model for each mean."""
    return artifact(*(row(test_id, model=f"m{n}", score=mean) for n, mean in enumerate(means)))


def one(*artifacts: Artifact) -> TestHealth:
    (found,) = health(artifacts).tests
    return found


@pytest.mark.parametrize(
    ("means", "saturated"),
    [
        pytest.param([1.0] * 9 + [0.0], True, id="nine of ten"),
        pytest.param([1.0] * 8 + [0.0, 0.0], False, id="eight of ten"),
        pytest.param([0.999], True, id="just full"),
        pytest.param([0.998], False, id="just not"),
    ],
)
def test_a_test_is_saturated_when_nine_in_ten_cells_are_full(means: list[float], *, saturated: bool) -> None:
    assert one(scored(*means)).saturated == saturated


@pytest.mark.parametrize(
    ("means", "weak"),
    [
        pytest.param([0.0, 0.1], True, id="nobody above 0.1"),
        pytest.param([0.0, 0.2], False, id="somebody can do a bit"),
    ],
)
def test_a_test_is_weak_when_nobody_can_do_it(means: list[float], *, weak: bool) -> None:
    assert one(scored(*means)).weak == weak


def test_a_test_tells_models_apart_by_their_spread() -> None:
    found = one(scored(0.5, 0.75, 1.0))

    assert (found.spread, found.discriminates, found.cells, found.mean) == (0.5, True, 3, 0.75)


def test_unstable_is_a_cell_whose_attempts_differ_in_any_artifact() -> None:
    flips = artifact(row(score=1.0), row(attempt=1, score=0.0))

    assert one(scored(1.0), flips).unstable
    assert not one(artifact(row(score=1.0)), artifact(row(score=0.0))).unstable


def test_truncated_attempts_are_counted_over_all_artifacts() -> None:
    found = one(artifact(row(truncated=True), row(attempt=1)), artifact(row(truncated=True)))

    assert (found.truncated, found.attempts) == (2, 3)


class TestSeveralArtifacts:
    FIRST = artifact(row(score=1.0), row("other", score=0.5))
    SECOND = artifact(row(score=0.2), row("other", score=1.0))

    def test_each_cell_counts_with_its_worst_artifact(self) -> None:
        assert health([self.FIRST, self.SECOND]).cells == (
            WorstCell("chat", "greeting", artifact=1, mean=0.2, best=1.0),
            WorstCell("chat", "other", artifact=0, mean=0.5, best=1.0),
        )

    def test_of_equals_the_newest_is_named(self) -> None:
        assert health([self.FIRST, self.FIRST]).cells[0].artifact == 1

    def test_a_test_that_one_artifact_broke_is_not_saturated(self) -> None:
        assert one(scored(1.0), scored(1.0)).saturated
        assert not one(scored(1.0), scored(0.0)).saturated

    def test_a_test_that_worked_once_is_not_weak(self) -> None:
        assert not one(scored(0.0), scored(1.0)).weak

    def test_tests_of_all_artifacts_are_there_with_their_newest_category(self) -> None:
        moved = artifact(row("a", category="new"))

        found = health([artifact(row("a", category="old"), row("b")), moved])

        assert [(test.category, test.test_id) for test in found.tests] == [("language", "b"), ("new", "a")]


def test_subcategories_pool_their_tests() -> None:
    rows: list[Row] = [
        row("full", model="a", score=1.0),
        row("full", model="b", score=1.0),
        row("hard", model="a", score=0.0),
        row("hard", model="b", score=0.0, truncated=True),
        row("good", model="a", score=0.0),
        row("good", model="b", score=1.0),
        row("good", model="b", attempt=1, score=0.0),
        row("far", model="a", subcategory="zzz", score=0.5),
    ]

    first, second = health([artifact(*rows)]).subcategories

    assert first == SubcategoryHealth(
        category="language",
        subcategory="politeness",
        tests=3,
        mean=(1.0 + 0.0 + 0.25) / 3,
        discriminating=1,
        saturated=1,
        weak=1,
        unstable=1,
        truncated=1,
    )
    assert (second.subcategory, second.tests) == ("zzz", 1)


def test_tests_without_a_score_are_named_and_nothing_more() -> None:
    found = health([artifact(error_row("down"), skipped_row("code"), row("fine"))])

    assert found.unscored == ("code", "down")
    assert [test.test_id for test in found.tests] == ["fine"]


def test_a_foreign_artifact_has_a_health_too() -> None:
    assert one(replace(scored(1.0), foreign=True, tests=())).saturated


def test_nothing_has_no_health() -> None:
    found = health([])

    assert (found.tests, found.subcategories, found.cells, found.unscored) == ((), (), (), ())
