"""Which answers repeat another one, and which attempts of a cell count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.artifact.samples import error_row, row

from llm_testbench.artifact.build import marked
from llm_testbench.artifact.copies import copied_from, effective
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.rows import row_key


class TestMarks:
    def copies(self, *rows: Row) -> list[str | None]:
        return [found.copy for found in marked(rows)]

    def test_a_later_attempt_with_the_same_response_id_is_a_copy(self) -> None:
        rows = [row(attempt=n, response_id=name) for n, name in enumerate(["x", "x", "y", "x"])]

        assert self.copies(*rows) == [None, "id", None, "id"]

    def test_another_phase_belongs_to_the_same_cell(self) -> None:
        rows = [row(response_id="x"), row(attempt=1, phase="confirm", response_id="x")]

        assert self.copies(*rows) == [None, "id"]

    def test_the_other_side_does_not(self) -> None:
        rows = [row(response_id="x"), row(attempt=1, side="baseline", response_id="x")]

        assert self.copies(*rows) == [None, None]

    def test_what_a_cache_said_stays(self) -> None:
        rows = [row(response_id="x", copy="header"), row(attempt=1, response_id="x", copy="header")]

        assert self.copies(*rows) == ["header", "header"]

    @pytest.mark.parametrize("nothing", [None, ""])
    def test_no_id_is_no_evidence(self, nothing: str | None) -> None:
        assert self.copies(row(response_id=nothing), row(attempt=1, response_id=nothing)) == [None, None]

    def test_an_id_that_answers_every_test_is_a_constant_of_the_server(self) -> None:
        rows = [row(test, attempt=n, response_id="chatcmpl-1") for test in ("a", "b") for n in range(2)]

        assert self.copies(*rows) == [None] * 4

    def test_another_model_may_use_the_same_ids(self) -> None:
        rows = [row(model=model, attempt=n, response_id=f"r{n}") for model in ("a", "b") for n in range(2)]

        assert self.copies(*rows) == [None] * 4

    def test_two_servers_that_count_their_answers_are_no_constant(self) -> None:
        rows = [
            *(row("a", attempt=n, response_id="chatcmpl-1") for n in range(2)),
            row("b", side="baseline", response_id="chatcmpl-1"),
        ]

        assert self.copies(*rows) == [None, "id", None]

    def test_a_constant_of_the_server_is_one_for_the_other_side_too(self) -> None:
        rows = [
            *(row(test, response_id="chatcmpl-1") for test in ("a", "b")),
            *(row("a", attempt=n, side="baseline", phase="confirm", response_id="chatcmpl-1") for n in range(2)),
        ]

        assert self.copies(*rows) == [None] * 4

    @given(
        st.lists(
            st.builds(
                row,
                st.sampled_from(["a", "b"]),
                attempt=st.integers(0, 3),
                phase=st.sampled_from(["main", "confirm"]),
                side=st.sampled_from(["current", "baseline"]),
                response_id=st.sampled_from([None, "x", "y"]),
                copy=st.sampled_from([None, None, "header"]),
                served_model=st.sampled_from([None, "m", "n"]),
            ),
            max_size=12,
            unique_by=row_key,
        )
    )
    def test_what_is_asked_again_changes_nothing_about_what_was_planned(self, rows: list[Row]) -> None:
        planned = [found for found in rows if found.phase == "main"]

        assert [found for found in marked(rows) if found.phase == "main"] == list(marked(planned))
        assert marked(marked(rows)) == marked(rows)


class TestEffective:
    @pytest.mark.parametrize(
        ("copies", "kept"),
        [
            pytest.param([None, None, None], [0, 1, 2], id="no copies"),
            pytest.param([None, "id", "id"], [0], id="the same id"),
            pytest.param([None, "header", "id", None], [0, 3], id="a cache, beside fresh answers"),
            pytest.param(["header", None, "header"], [1], id="a cache, before a fresh answer"),
            pytest.param(["header", "header", "header"], [0], id="nothing but a cache"),
            pytest.param(["header", "id", "header"], [0], id="a cache, and what repeats it"),
        ],
    )
    def test_evident_copies_count_as_one(self, copies: list[str | None], kept: list[int]) -> None:
        rows = [row(attempt=n, copy=copy) for n, copy in enumerate(copies)]

        assert [found.attempt for found in effective(rows)] == kept

    def test_an_attempt_that_stands_twice_counts_once(self) -> None:
        once = [row(), row(attempt=1), row(attempt=1, phase="confirm"), row(attempt=2, phase="confirm")]

        assert list(effective([one for one in once for _ in range(3)])) == once

    def test_a_failed_call_is_not_what_a_cached_answer_repeats(self) -> None:
        rows = [error_row(), row(attempt=1, copy="header"), row(attempt=2, copy="header")]

        assert [found.attempt for found in effective(rows)] == [0, 1]

    def test_of_cached_answers_one_that_is_scored_stays(self) -> None:
        rows = [error_row(copy="header"), row(attempt=1, copy="header")]

        assert [found.attempt for found in effective(rows)] == [1]

    def test_a_cached_answer_of_another_phase_repeats_what_is_there(self) -> None:
        rows = [row(), row(attempt=1, phase="confirm", copy="header"), row(attempt=2, phase="confirm")]

        assert [found.attempt for found in effective(rows)] == [0, 2]

    def test_a_fresh_answer_of_another_phase_leaves_the_cached_one_its_place(self) -> None:
        rows = [row(copy="header"), row(attempt=1, phase="confirm")]

        assert [found.attempt for found in effective(rows)] == [0, 1]

    @given(st.lists(st.tuples(st.booleans(), st.sampled_from([None, "id", "header"]), st.booleans()), max_size=8))
    def test_confirm_attempts_change_nothing_before_them(self, drawn: list[tuple[bool, str | None, bool]]) -> None:
        rows = [
            (row if scored else error_row)(attempt=n, copy=copy, phase="main" if main else "confirm")
            for n, (main, copy, scored) in enumerate(sorted(drawn, key=lambda one: not one[0]))
        ]
        planned = [found for found in rows if found.phase == "main"]

        assert tuple(found for found in effective(rows) if found.phase == "main") == effective(planned)
        assert effective(effective(rows)) == effective(rows)


class TestCopiedFrom:
    def test_counts_answers_whose_id_the_baseline_has_for_the_same_cell(self) -> None:
        before = [row(response_id="x"), row(attempt=1, response_id="y"), row(attempt=2)]
        now = [row(response_id="y"), row(attempt=1, response_id="new"), row(attempt=2, response_id="x"), row(attempt=3)]

        assert copied_from(before, now) == 2

    @pytest.mark.parametrize(
        "now",
        [
            pytest.param(row("other", response_id="x"), id="another test"),
            pytest.param(row(model="other", response_id="x"), id="another model"),
            pytest.param(row(response_id="x", response_text="bye"), id="another text: the server counts its answers"),
        ],
    )
    def test_another_cell_or_answer_is_no_copy(self, now: Row) -> None:
        assert copied_from([row(response_id="x")], [now]) == 0

    @pytest.mark.parametrize("unknown", ["before", "now"])
    def test_a_text_that_is_not_stored_speaks_for_nothing(self, unknown: str) -> None:
        texts = {"before": "hello", "now": "hello"} | {unknown: None}

        found = copied_from(
            [row(response_id="x", response_text=texts["before"])], [row(response_id="x", response_text=texts["now"])]
        )

        assert found == 1

    @pytest.mark.parametrize("where", ["before", "now"])
    def test_a_constant_of_the_server_says_nothing(self, where: str) -> None:
        rows = {"before": [row(response_id="x")], "now": [row(response_id="x")]}
        rows[where].append(row("b", response_id="x"))

        assert copied_from(rows["before"], rows["now"]) == 0
