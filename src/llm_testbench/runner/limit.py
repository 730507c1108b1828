"""How many requests at a time a server can take, learned from those that it rejects. No time, no threads.

Additive increase, multiplicative decrease, as in TCP's congestion avoidance (RFC 5681), with a memory of where it
failed last: probing beyond that point costs a rejection, so it is done ever more rarely.
"""

from __future__ import annotations

from dataclasses import dataclass

PATIENCE = 4  # rounds of successes, each as many as the limit, before the first probe beyond the last failure
MAX_PATIENCE = 64


@dataclass(frozen=True, slots=True)
class Sent:
    """A request on its way: its number, and how many were on their way with it, itself included."""

    number: int
    beside: int


class Limit:
    """At most `ceiling` at a time, fewer when the server says so.

    The first rejection halves the limit. Others of the same wave (sent before that) halve nothing: as they come in,
    they show how many the server did accept beside them. Each success raises the limit by one, up to just below
    where it failed.
    """

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.now = ceiling
        self.running = 0
        self._sent = 0
        self._halved_at = 0  # number of the last request sent before the limit was halved
        self._accepted = 0  # requests sent before that, answered since
        self._knee: int | None = None  # as many at a time were too many
        self._patience = PATIENCE
        self._successes = 0  # at the limit just below the knee

    @property
    def full(self) -> bool:
        """Whether no further request may be sent now."""
        return self.running >= self.now

    def send(self) -> Sent:
        """One more is on its way."""
        self._sent += 1
        self.running += 1
        return Sent(self._sent, self.running)

    def ended(self) -> None:
        """One has come back with what says nothing about the limit."""
        self.running -= 1

    def accepted(self, sent: Sent) -> None:
        """One has been answered."""
        self.running -= 1
        if sent.number <= self._halved_at:
            self._accepted += 1
        elif self._knee is not None and sent.beside >= self._knee:
            self._forget()
        top = self.ceiling if self._knee is None else self._knee - 1
        if self.now < top:
            self.now += 1
        elif self.now == top < self.ceiling:
            self._successes += 1
            if self._successes >= self._patience * top:
                self._successes = 0
                self.now += 1

    def rejected(self, sent: Sent) -> bool:
        """One was too many. True when it was alone: then it is not the number that is too high, but the rate."""
        running, self.running = self.running, self.running - 1
        self._successes = 0
        if sent.number <= self._halved_at:
            beside = running + self._accepted
            self._knee = beside if self._knee is None else min(self._knee, beside)
            self.now = max(1, min(self.now, self._knee - 1))
        else:
            beside = max(sent.beside, running)
            known = self._knee is not None and beside >= self._knee
            self._patience = min(2 * self._patience, MAX_PATIENCE) if known else PATIENCE
            self._knee = beside
            self.now = max(1, min(self.now, beside // 2))
            self._halved_at = self._sent
            self._accepted = 0
        if beside == 1:
            self._forget()
        return beside == 1

    def _forget(self) -> None:
        self._knee = None
        self._patience = PATIENCE
