"""How far the run is, on stderr: one line rewritten in place on a terminal, now and then a line elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from llm_testbench import durations
from llm_testbench.artifact.model import Row

CELLS = 30
REDRAW_SECONDS = 0.1  # on a terminal; a faster bar costs more than it tells
LINE_EVERY = 25  # completions, when piped
LINE_SECONDS = 60.0
_ERASE = "\r\x1b[K"


@dataclass(frozen=True, slots=True)
class Count:
    """Attempts of a run: `reused` of `done` were there before it began. `elapsed` in seconds."""

    total: int
    done: int = 0
    reused: int = 0
    errors: int = 0
    elapsed: float = 0.0

    @property
    def percent(self) -> int:
        """Whole percents, rounded down: 100 means all."""
        return 100 * self.done // self.total if self.total else 100

    @property
    def remaining(self) -> float | None:
        """Seconds to go at the pace so far; None before the first answer and after the last."""
        fresh = self.done - self.reused
        if fresh <= 0 or self.done >= self.total:
            return None
        return self.elapsed / fresh * (self.total - self.done)


def bar(count: Count, columns: int, *, blocks: bool) -> str:
    """One line shorter than `columns`: cells, percent, done/total, elapsed, ETA, errors. `blocks`: Unicode cells."""
    filled = CELLS * count.done // count.total if count.total else CELLS
    full, empty = ("█", "░") if blocks else ("#", "-")
    cells = full * filled + empty * (CELLS - filled)
    # A full last column makes some terminals wrap, and a wrapped line cannot be rewritten.
    return f"{cells} {count.percent:3d}%  {_facts(count)}"[: max(columns - 1, 0)]


def line(count: Count) -> str:
    """The same facts for a log."""
    return f"{count.percent}%  {_facts(count)}"


def _facts(count: Count) -> str:
    facts = [f"{count.done}/{count.total}", durations.show(count.elapsed)]
    if count.remaining is not None:
        facts.append(f"ETA ~{durations.show(count.remaining)}")
    if count.errors:
        facts.append(f"{count.errors} error{'s' if count.errors != 1 else ''}")
    return "  ".join(facts)


class Progress:
    """Counts rows and shows them. `columns`: width of the terminal, None when `stream` is no terminal."""

    def __init__(
        self,
        total: int,
        *,
        stream: TextIO,
        clock: Callable[[], float],
        columns: Callable[[], int] | None,
        quiet: bool = False,
        reused: int = 0,
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._columns = columns
        self._quiet = quiet
        self._blocks = (stream.encoding or "").lower().replace("-", "") == "utf8"
        self._total = total
        self._done = self._reused = reused
        self._errors = 0
        self._began = clock()
        self._shown_at = self._began
        self._shown_done: int | None = None
        self._on_bar = False

    @property
    def count(self) -> Count:
        """Where the run stands now."""
        return Count(self._total, self._done, self._reused, self._errors, self._clock() - self._began)

    def expect(self, further: int, reused: int = 0) -> None:
        """There is more to do than was planned; `reused` of it is there already."""
        self._total += further
        self._done += reused
        self._reused += reused

    def row(self, row: Row) -> None:
        """One more attempt is done."""
        self._done += 1
        self._errors += row.error is not None
        if self._columns is not None:
            if self._clock() - self._shown_at >= REDRAW_SECONDS:
                self._show()
        elif (self._done - self._reused) % LINE_EVERY == 0:
            self._show()
        else:
            self.tick()

    def tick(self) -> None:
        """Time has passed."""
        if self._columns is not None or self._clock() - self._shown_at >= LINE_SECONDS:
            self._show()

    def note(self, text: str) -> None:
        """A line of its own, above the bar."""
        self._write(f"{_ERASE}{text}\n" if self._on_bar else f"{text}\n")
        self._on_bar = False
        if self._columns is not None:
            self._show()

    def finish(self) -> None:
        """Shows the last state, once, and ends the line."""
        if self._columns is not None or self._shown_done != self._done:
            self._show()
        if self._on_bar:
            self._write("\n")
        self._on_bar = False

    def _show(self) -> None:
        self._shown_at = self._clock()
        self._shown_done = self._done
        if self._columns is None:
            self._write(line(self.count) + "\n")
        else:
            self._write(_ERASE + bar(self.count, self._columns(), blocks=self._blocks))
            self._on_bar = True

    def _write(self, text: str) -> None:
        if self._quiet:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._quiet = True  # nobody reads stderr any more; the run matters more
