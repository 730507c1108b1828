"""Whether a model is asked on, when it has failed again and again. Time is passed in; no threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.outcomes import NOT_ASKED
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.retry import is_throttled

LASTING = 5  # attempts in a row that failed alike in what asking again cannot mend
DOWN = 8  # attempts in a row, each with all its retries, that got no answer
PROBE_SECONDS = 60.0

_DOWN = frozenset({Outcome.NETWORK, Outcome.TIMEOUT, Outcome.IDLE_TIMEOUT, Outcome.EMPTY_STREAM, Outcome.SERVER})
_NO_SUCH_MODEL = (404, 405)

_Kind: TypeAlias = Literal["down", "busy"] | Outcome


class Circuit:
    """Closed: asked. Open (`probe_at` set): held back, but for one try from then on. Refusing (`refusal` set): over.

    Whatever shows that the model answers closes it again.
    """

    def __init__(self) -> None:
        self.doubtful = False
        """A try has failed, and none has been answered since."""
        self._close()

    def _close(self) -> None:
        self.refusal: Failure | None = None
        self.probe_at: float | None = None
        self._kind: _Kind | None = None
        self._first: Failure | None = None
        self._failed = 0  # attempts of this kind in a row

    @property
    def held(self) -> bool:
        """Whether nothing but a probe is asked."""
        return self.probe_at is not None and self.refusal is None

    def answered(self) -> None:
        """Somebody is there."""
        self.doubtful = False
        if self._kind is not None:
            self._close()

    def stumbled(self) -> None:
        """A try failed, and another one of the same attempt is to come."""
        self.doubtful = True

    def throttled(self) -> None:
        """Somebody is there who has too much to do: of a wrong key that says nothing."""
        if self._kind in (None, "down"):
            self.answered()

    def failed(self, failure: Failure, now: float) -> None:
        """An attempt ended so, after its retries."""
        kind = _kind(failure)
        if kind is None:
            self.answered()
            return
        if self.refusal is not None and not isinstance(kind, Outcome):
            return  # under way when the others were refused, and no sign that one of them would be answered now
        if kind != self._kind:
            self._close()
            self._kind, self._first = kind, failure
        self._failed += 1
        self.doubtful = True
        if isinstance(kind, Outcome):
            if self._failed >= LASTING:
                self.refuse()
        elif self._failed >= DOWN and self.probe_at is None:
            self.probe_at = now + PROBE_SECONDS

    def refuse(self) -> None:
        """Nothing is asked any more: every further attempt fails as the first of those in a row did."""
        if self.refusal is None and self._first is not None:
            said = f"{NOT_ASKED}{self._failed} attempts in a row had failed, the first: {self._first.message}"
            self.refusal = replace(self._first, message=said)


def is_busy(failure: Failure) -> bool:
    """Whether an attempt was given up since the server has too much to do, after minutes of waiting."""
    return is_throttled(failure) and not failure.lasting


def _kind(failure: Failure) -> _Kind | None:
    """What counts as the same, an outcome where asking again cannot mend it; None for what does not count."""
    unknown = failure.outcome is Outcome.PROTOCOL and failure.status in _NO_SUCH_MODEL
    if failure.lasting or unknown or failure.outcome is Outcome.AUTH:
        return failure.outcome
    if is_busy(failure):
        return "busy"
    return "down" if failure.outcome in _DOWN else None
