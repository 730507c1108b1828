"""From a question to the HTTP answer: who answers, which faults are in it, how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from llm_testbench.answer.model import Completion
from llm_testbench.local.serving.answers import Answers, Refused, Turns
from llm_testbench.local.serving.chance import chance
from llm_testbench.local.serving.effect import Effect, Frames, Occasion, Refuses, Says, Sends, Shapes, Swaps
from llm_testbench.local.serving.effects import EFFECTS
from llm_testbench.local.serving.forms import Stamp, chunks, whole
from llm_testbench.local.serving.framing import DONE, framed
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.relayed import Relayed
from llm_testbench.local.serving.response import Response, as_events, as_json, encoded, paced, with_json


@dataclass(frozen=True)
class Served:
    """An HTTP answer, and for the log: what it is about (untrusted), and the faults in it."""

    response: Response
    about: str
    faults: tuple[str, ...]


class Desk:
    """Answers questions, whoever `answers` gives the words.

    A fault is in the share of answers that its rate says; in which of them follows from `seed`, the question, and how
    often it was asked. `latency`: seconds. `now`: seconds since the epoch.
    """

    def __init__(
        self, answers: Answers, faults: Sequence[FaultRate], latency: float, seed: int, now: Callable[[], float]
    ) -> None:
        self.models = answers.models
        self._answers = answers
        rates = {fault.name: fault.rate for fault in faults}
        self._rates = {name: rates[name] for name in EFFECTS if name in rates}
        self._latency = latency
        self._seed = seed
        self._now = now
        self._turns = Turns()
        # Ids that began at 1 with every start would make the answers of two runs look like copies.
        self._ids = count(int(now() * 1000) * 1_000_000)

    def serve(self, question: Question) -> Served:
        """The answer to one question."""
        occasion = Occasion(question, self._turns.next((question.model, question.key, question.seed)))
        names = tuple(name for name, rate in self._rates.items() if self._is_in(occasion, name, rate))
        effects = [effect for name in names for effect in EFFECTS[name]]
        for effect in effects:
            refusal = effect.response(occasion) if isinstance(effect, Refuses) else None
            if refusal is not None:
                return Served(refusal, "", names)
        if isinstance(self._answers, Relayed) and not names:
            return Served(paced(self._answers.passed_on(question), self._latency), "", names)
        answer = self._answers.answer(question)
        if isinstance(answer, Refused):
            return Served(answer.response, answer.about, ())
        stamp = Stamp(f"chatcmpl-{next(self._ids):x}", int(self._now()))
        response = delivered(answer.completion, occasion, stamp, effects)
        return Served(paced(response, self._latency), answer.about, names)

    def _is_in(self, occasion: Occasion, name: str, rate: float) -> bool:
        question = occasion.question
        return chance("fault", self._seed, name, question.model, question.key, question.seed, occasion.turn) < rate


def delivered(said: Completion, occasion: Occasion, stamp: Stamp, effects: Sequence[Effect]) -> Response:
    """The completion as it goes out, with these effects."""
    question = occasion.question
    for effect in effects:
        if isinstance(effect, Says):
            said = effect.change(said, occasion)
    shapes = [effect for effect in effects if isinstance(effect, Shapes)]
    frames = [effect for effect in effects if isinstance(effect, Frames)]
    if question.streams is not any(isinstance(effect, Swaps) for effect in effects):
        made = chunks(said, question, stamp)
        for shape in shapes:
            made = shape.chunks(made)
        events = [*map(framed, made), DONE]
        for frame in frames:
            events = frame.frames(events)
        response = as_events(events)
    else:
        body = whole(said, question, stamp)
        for shape in shapes:
            body = shape.body(body)
        data = encoded(body)
        for frame in frames:
            data = frame.body(data)
        response = with_json(data)
    for effect in effects:
        if isinstance(effect, Sends):
            response = effect.change(response, occasion)
    return response


def listing(models: Sequence[str]) -> Response:
    """The answer to GET /v1/models."""
    return as_json({"object": "list", "data": [{"id": name, "object": "model"} for name in models]})
