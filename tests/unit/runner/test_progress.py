from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.runner.samples import a_row

from llm_testbench.runner.progress import Count, Progress, bar, line


@pytest.mark.parametrize(
    ("count", "text"),
    [
        pytest.param(Count(360), "0%  0/360  0s", id="nothing yet"),
        pytest.param(Count(360, 120, elapsed=45), "33%  120/360  45s  ETA ~1m30s", id="under way"),
        pytest.param(Count(360, 120, errors=1, elapsed=724), "33%  120/360  12m04s  ETA ~24m08s  1 error", id="error"),
        pytest.param(Count(360, 359, errors=2, elapsed=3720), "99%  359/360  1h02m  ETA ~10s  2 errors", id="99 %"),
        pytest.param(Count(360, 360, elapsed=3720), "100%  360/360  1h02m", id="done"),
        pytest.param(Count(100, 60, reused=50, elapsed=10), "60%  60/100  10s  ETA ~40s", id="pace without reused"),
        pytest.param(Count(100, 50, reused=50, elapsed=10), "50%  50/100  10s", id="no pace yet"),
        pytest.param(Count(0), "100%  0/0  0s", id="nothing to do"),
    ],
)
def test_a_line_of_a_log(count: Count, text: str) -> None:
    assert line(count) == text


def test_a_bar_has_thirty_cells_and_the_same_facts() -> None:
    count = Count(360, 120, elapsed=45)
    assert bar(count, 100, blocks=False) == "##########--------------------  33%  120/360  45s  ETA ~1m30s"
    assert bar(count, 100, blocks=True).startswith("█" * 10 + "░" * 20 + "  33%")


@given(total=st.integers(0, 10**6), share=st.floats(0, 1), columns=st.integers(0, 200))
def test_a_bar_never_reaches_the_last_column_and_is_full_only_at_the_end(
    total: int, share: float, columns: int
) -> None:
    count = Count(total, int(total * share), elapsed=1.0)
    drawn = bar(count, columns, blocks=False)
    assert len(drawn) <= max(columns - 1, 0)
    if columns > 60:
        assert len(drawn.split(" ")[0]) == 30
        assert ("-" not in drawn.split(" ")[0]) == (count.done == count.total)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A progress with everything around it."""

    def __init__(self, total: int, *, columns: int | None, quiet: bool = False, reused: int = 0) -> None:
        self.clock = Clock()
        self.stream = io.StringIO()
        width = (lambda: columns) if columns is not None else None
        self.progress = Progress(total, stream=self.stream, clock=self.clock, columns=width, quiet=quiet, reused=reused)

    def rows(self, number: int, seconds: float = 0.0, error: str | None = None) -> None:
        for _ in range(number):
            self.clock.now += seconds
            self.progress.row(a_row(error=error))

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


class TestPiped:
    def test_a_line_every_25_completions_and_the_last(self) -> None:
        watched = Watched(60, columns=None)
        watched.rows(60, seconds=0.5)
        watched.progress.finish()
        assert watched.lines == [
            "41%  25/60  12s  ETA ~18s",
            "83%  50/60  25s  ETA ~5s",
            "100%  60/60  30s",
        ]

    def test_the_last_is_not_said_twice(self) -> None:
        watched = Watched(25, columns=None)
        watched.rows(25)
        watched.progress.finish()
        assert len(watched.lines) == 1

    @pytest.mark.parametrize("by_row", [True, False], ids=["while rows come", "while none comes"])
    def test_a_line_each_minute(self, by_row: bool) -> None:
        watched = Watched(60, columns=None)
        for _ in range(13):
            watched.clock.now += 10.0
            if by_row:
                watched.rows(1, error="timeout")
            else:
                watched.progress.tick()
        assert [text.split("  ")[2] for text in watched.lines] == ["1m00s", "2m00s"]

    def test_reused_rows_count_as_done_and_not_as_completions(self) -> None:
        watched = Watched(100, columns=None, reused=70)
        watched.rows(25)
        assert watched.lines == ["95%  95/100  0s  ETA ~0s"]

    def test_no_escape_sequence_and_no_carriage_return(self) -> None:
        watched = Watched(30, columns=None)
        watched.rows(30)
        watched.progress.note("stopping")
        watched.progress.finish()
        assert "\x1b" not in watched.stream.getvalue()
        assert "\r" not in watched.stream.getvalue()

    def test_a_run_without_an_answer_still_says_its_last_line(self) -> None:
        watched = Watched(3, columns=None)
        watched.progress.finish()
        assert watched.lines == ["0%  0/3  0s"]

    def test_what_was_not_planned_is_counted_once_it_is_known(self) -> None:
        watched = Watched(50, columns=None)
        watched.rows(50, seconds=1.0)
        watched.progress.finish()
        watched.progress.expect(30, reused=5)
        watched.rows(25, seconds=1.0)
        watched.progress.finish()
        assert watched.lines == ["50%  25/50  25s  ETA ~25s", "100%  50/50  50s", "100%  80/80  1m15s"]


class TestOnATerminal:
    def test_one_line_rewritten_in_place_and_ended_once(self) -> None:
        watched = Watched(4, columns=80)
        watched.rows(4, seconds=1.0)
        watched.progress.tick()
        watched.progress.finish()
        text = watched.stream.getvalue()
        assert text.count("\n") == 1
        assert text.endswith("\r\x1b[K" + "#" * 30 + " 100%  4/4  4s\n")

    def test_more_to_do_has_a_line_of_its_own(self) -> None:
        watched = Watched(2, columns=80)
        watched.rows(2, seconds=1.0)
        watched.progress.finish()
        watched.progress.expect(2)
        watched.progress.note("asking again: 2 attempts")
        watched.rows(2, seconds=1.0)
        watched.progress.finish()
        shown = [text.split("\r\x1b[K")[-1] for text in watched.stream.getvalue().split("\n")]
        assert shown == ["#" * 30 + " 100%  2/2  2s", "asking again: 2 attempts", "#" * 30 + " 100%  4/4  4s", ""]

    def test_not_more_often_than_the_eye_can_follow(self) -> None:
        watched = Watched(1000, columns=80)
        watched.rows(1000, seconds=0.001)
        assert watched.stream.getvalue().count("\r") == pytest.approx(10, abs=1)

    def test_a_note_stands_above_the_bar(self) -> None:
        watched = Watched(4, columns=80)
        watched.rows(1, seconds=1.0)
        watched.progress.note("stopping: 3 calls in flight")
        first, second = watched.stream.getvalue().split("\n")
        assert first.endswith("\r\x1b[Kstopping: 3 calls in flight")
        assert second.startswith("\r\x1b[K#######---")

    def test_blocks_where_the_terminal_speaks_utf_8(self) -> None:
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="UTF-8")
        Progress(0, stream=stream, clock=Clock(), columns=lambda: 80).finish()
        assert "█" * 30 in raw.getvalue().decode()


def test_quiet_says_nothing() -> None:
    watched = Watched(30, columns=None, quiet=True)
    watched.rows(30, seconds=10.0)
    watched.progress.note("stopping")
    watched.progress.finish()
    assert watched.stream.getvalue() == ""


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), ValueError("I/O operation on closed file")])
def test_a_reader_that_went_away_does_not_end_the_run(error: Exception) -> None:
    class Gone(io.StringIO):
        writes = 0

        def write(self, _text: str) -> int:
            self.writes += 1
            raise error

    stream = Gone()
    progress = Progress(2, stream=stream, clock=Clock(), columns=None)
    progress.finish()
    progress.note("more")
    assert stream.writes == 1
