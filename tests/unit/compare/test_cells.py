"""What of an artifact makes a cell."""

from __future__ import annotations

from tests.unit.compare.artifacts import artifact, entry, row

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import mean
from llm_testbench.compare.cells import cells_of

TEST = entry("t")


def test_errors_and_skips_do_not_count_in_the_mean() -> None:
    (cell,) = cells_of(artifact({"t": [1.0, 0.0, Outcome.TIMEOUT, Outcome.TOOLCHAIN_MISSING]})).values()
    assert (cell.attempts, cell.errors, cell.scores, cell.mean) == (4, 1, (1.0, 0.0), 0.5)
    assert cell.refusal is None


def test_only_rows_of_the_main_phase_and_the_current_side_count() -> None:
    others = [row(TEST, "chat", 1, 0.0, phase="confirm"), row(TEST, "chat", 0, 0.0, side="baseline")]
    (cell,) = cells_of(artifact({"t": [1.0]}, TEST, rows=others)).values()
    assert cell.scores == (1.0,)


def test_a_refused_cell_keeps_the_servers_first_words() -> None:
    (cell,) = cells_of(artifact({"t": [Outcome.CONTEXT_LENGTH, Outcome.REJECTED]})).values()
    assert cell.refusal == "words: context_length"


def test_a_foreign_artifact_knows_its_tests_by_their_rows() -> None:
    (cell,) = cells_of(artifact({"b-t": [1.0]}, foreign=True)).values()
    assert (cell.test.test_id, cell.test.category, cell.test.request_hash) == ("b-t", "b", "")


def test_planned_cells_are_there_even_when_never_asked() -> None:
    known = entry("known", must_pass=True)
    cells = cells_of(artifact({"t": [1.0]}, known), [("chat", "t"), ("chat", "known"), ("chat", "unknown")])
    assert [(key, cell.attempts, cell.mean) for key, cell in sorted(cells.items())] == [
        (("chat", "known"), 0, None),
        (("chat", "t"), 1, 1.0),
        (("chat", "unknown"), 0, None),
    ]
    assert cells["chat", "known"].test is known
    assert cells["chat", "known"].refusal is None


def test_a_mean_does_not_depend_on_order() -> None:
    values = [0.1, 1e-17, 0.7, 0.2, 0.30000000000000004] * 7
    assert mean(values) == mean(values[::-1]) == mean(sorted(values))
    assert mean([]) is None
