import pytest
from tests.unit.artifact.samples import error_row, row, skipped_row

from llm_testbench.artifact.cells import Cell, cells, counted
from llm_testbench.artifact.model import Row


def cell(*rows: Row) -> Cell:
    found = cells(rows)
    assert list(found) == [("chat", "greeting")]
    return found["chat", "greeting"]


def test_a_cell_is_all_attempts_of_a_model_at_a_test() -> None:
    found = cell(row(attempt=0, score=1.0), row(attempt=1, score=0.5), row(attempt=2, score=0.0))

    assert (found.mean, found.low, found.high, found.n, found.attempts) == (0.5, 0.0, 1.0, 3, 3)
    assert found.state == "scored"


def test_each_model_and_test_has_its_own() -> None:
    assert list(cells([row(), row(model="b"), row("farewell"), row(attempt=1)])) == [
        ("chat", "greeting"),
        ("b", "greeting"),
        ("chat", "farewell"),
    ]


@pytest.mark.parametrize(
    ("rows", "state", "n", "attempts"),
    [
        pytest.param([row(), error_row(attempt=1)], "scored", 1, 2, id="one scored attempt is enough"),
        pytest.param([error_row(), error_row(attempt=1)], "errored", 0, 2, id="all failed"),
        pytest.param([error_row(), skipped_row(attempt=1)], "errored", 0, 2, id="failed and skipped"),
        pytest.param([skipped_row()], "skipped", 0, 1, id="all skipped"),
    ],
)
def test_the_state_says_whether_there_is_a_score(rows: list[Row], state: str, n: int, attempts: int) -> None:
    found = cell(*rows)

    assert (found.state, found.n, found.attempts) == (state, n, attempts)


def test_without_a_score_there_is_no_mean() -> None:
    found = cell(error_row())

    assert (found.mean, found.low, found.high, found.completion_tokens) == (None, None, None, None)
    assert not found.unstable


def test_an_error_is_never_a_score_of_zero() -> None:
    assert cell(row(), error_row(attempt=1)).mean == 1.0


def test_only_main_attempts_of_the_current_side_count() -> None:
    rows = [row(), row(attempt=1, phase="confirm", score=0.0), row(attempt=2, side="baseline", score=0.0)]

    assert counted(rows) == (rows[0],)
    assert cell(*rows).attempts == 1


@pytest.mark.parametrize(
    ("scores", "unstable"),
    [
        pytest.param([1.0, 1.0], False, id="equal"),
        pytest.param([1.0, 0.5], True, id="different"),
        pytest.param([0.1 + 0.2, 0.3], False, id="different by rounding alone"),
        pytest.param([0.5], False, id="one attempt"),
    ],
)
def test_a_cell_is_unstable_when_its_attempts_differ(scores: list[float], *, unstable: bool) -> None:
    assert cell(*(row(attempt=n, score=score) for n, score in enumerate(scores))).unstable == unstable


def test_tokens_are_a_mean_over_the_attempts_that_tell_them() -> None:
    rows = [row(completion_tokens=100), row(attempt=1, completion_tokens=200), row(attempt=2)]

    assert cell(*rows).completion_tokens == 150


def test_truncated_attempts_are_counted() -> None:
    assert cell(row(truncated=True), row(attempt=1), row(attempt=2, truncated=True)).truncated == 2
