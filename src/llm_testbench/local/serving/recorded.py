"""Answers from the artifact of a run: the same request gets what it got then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.rescore import stored_completion
from llm_testbench.errors import InputError
from llm_testbench.local.serving.answers import Answer, Refused, Said, Turns
from llm_testbench.local.serving.question import Question, key_of
from llm_testbench.local.serving.response import Response, as_error
from llm_testbench.nearest import hint
from llm_testbench.untrusted import shortened

_QUOTED = 80  # characters of a foreign name in a message
_NOT_AGAIN = ("X-Should-Retry", "false")  # what was recorded is how it ended, with all its retries
_NO_RESPONSE = Response(0, (), (), ending="reset")

_Recorded: TypeAlias = "dict[str, dict[str, list[Row]]]"


class Recording:
    """The attempts of one run, by model and request.

    An attempt is found by its seed where the run had one, else they come in order and begin anew behind the last.
    Only what this run's side was asked counts, not the other side of a comparison.
    """

    def __init__(self, artifact: Artifact) -> None:
        """InputError when the artifact holds no requests, as those of other tools do not."""
        requests = {test.test_id: test.request for test in artifact.tests}
        keys = {
            test_id: key_of(request.get("messages"), request.get("tools"))
            for test_id, request in requests.items()
            if request.get("messages")
        }
        self._seed = artifact.meta.seed
        self._ids = dict(artifact.meta.models)
        self._rows: _Recorded = defaultdict(lambda: defaultdict(list))
        self._turns = Turns()
        for row in artifact.results:
            if row.side == "current" and row.test_id in keys:
                self._rows[row.model][keys[row.test_id]].append(row)
        if not self._rows:
            raise InputError("holds no recorded requests: it is no artifact of llmtest, or of a run without attempts")

    @property
    def models(self) -> tuple[str, ...]:
        """The names in the recording, and the ids behind them."""
        return tuple(dict.fromkeys((*self._rows, *(self._ids[name] for name in self._rows if name in self._ids))))

    @property
    def unstored(self) -> int:
        """How many attempts have an answer that was not stored."""
        return sum(_is_unstored(row) for by_key in self._rows.values() for rows in by_key.values() for row in rows)

    def answer(self, question: Question) -> Answer:
        """What the run got; an HTTP error for what it did not ask."""
        names = self._names(question.model)
        if not names:
            known = self.models
            message = f"no model {shortened(question.model, _QUOTED)!r} in the recording{hint(question.model, known)}"
            return Refused(as_error(404, message, "invalid_request_error", code="model_not_found"))
        rows = [row for name in names for row in self._rows[name].get(question.key, ())]
        if not rows:
            message = "nothing was recorded for this request: no test of the recorded run has these messages and tools"
            return Refused(as_error(400, message, "invalid_request_error"), "not recorded")
        return replayed(self._chosen(question, rows))

    def _names(self, model: str) -> list[str]:
        if model in self._rows:
            return [model]
        return [name for name in self._rows if self._ids.get(name) == model]

    def _chosen(self, question: Question, rows: Sequence[Row]) -> Row:
        attempt = None if self._seed is None or question.seed is None else question.seed - self._seed
        fitting = [row for row in rows if row.attempt == attempt] or rows
        turn = self._turns.next((question.model, question.key, attempt if fitting is not rows else None))
        return fitting[turn % len(fitting)]


def replayed(row: Row) -> Answer:
    """The row's answer, or the HTTP error that its last try was."""
    if row.response_text is not None:
        return Said(stored_completion(row), row.test_id)
    if _is_unstored(row):
        message = "the answer was not stored: record with store_responses: all"
        return Refused(as_error(400, message, "invalid_request_error"), row.test_id)
    return Refused(_failure(row), row.test_id)


def _is_unstored(row: Row) -> bool:
    return row.response_text is None and row.error is None and not row.skipped


def _failure(row: Row) -> Response:
    last = row.tries[-1] if row.tries else None
    outcome = last.outcome if last is not None else row.outcome
    message = row.error or row.reason or "the attempt failed"
    if last is not None and last.status is not None and last.status >= 300:
        return as_error(last.status, message, outcome.value, _NOT_AGAIN)
    match outcome:
        case Outcome.NETWORK:
            return _NO_RESPONSE
        case Outcome.TIMEOUT | Outcome.IDLE_TIMEOUT:
            # Nobody wants to wait for it once more: 408 is what a server says that has waited for long enough.
            return as_error(408, message, outcome.value, _NOT_AGAIN)
        case Outcome.EMPTY_STREAM:
            return Response(200, (("Content-Type", "application/json"), _NOT_AGAIN), (b"",))
        case Outcome.PROTOCOL:
            return Response(200, (("Content-Type", "text/plain"), _NOT_AGAIN), (message.encode("utf-8", "replace"),))
        case _:
            return as_error(200, message, outcome.value, _NOT_AGAIN)
