"""Checks made of other checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.parameters import Fields, kind, mapping_of
from llm_testbench.evaluators.registry import build, known_names
from llm_testbench.evaluators.running import evaluate_in, runs_code, score_of_result
from llm_testbench.evaluators.score import Evaluator, Score, SpecError
from llm_testbench.evaluators.text import fields_schema
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.nearest import hint, nearest
from llm_testbench.sandbox.programs import CLOSED, Workshop

# A reason stays one readable line, whatever is composed.
_REASON_LIMIT = 300
_LONGEST_WEIGHT = 12  # characters of what may be meant as "weight"

_CHECKS: JSONObject = {"type": "array", "items": {"$ref": "#/$defs/check"}, "minItems": 1}
_WEIGHTED: JSONObject = {"type": "array", "items": {"$ref": "#/$defs/weighted_check"}, "minItems": 1}
_LISTED: JSONObject = {**_CHECKS, "description": "The checks."}
_LISTED_WEIGHTED: JSONObject = {**_WEIGHTED, "description": "The checks, each with its weight."}


def _listed(parameters: JSON) -> tuple[Sequence[JSON], tuple[str | int, ...]]:
    fields = Fields(parameters, ("checks",))
    value, path = fields.value("checks"), fields.path("checks")
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise SpecError(f"expected a list of checks, found {kind(value)}", path)
    if not value:
        raise SpecError("expected at least one check, found an empty list", path)
    return value, path


def _built(check: JSON, path: tuple[str | int, ...]) -> Evaluator:
    try:
        return build(check)
    except SpecError as error:
        raise error.below(*path) from None


def _parts(parameters: JSON) -> tuple[Evaluator, ...]:
    checks, path = _listed(parameters)
    for index, check in enumerate(checks):
        if isinstance(check, Mapping) and "weight" in check and len(check) > 1:
            raise SpecError("a weight counts in a mean only: all and any have none", (*path, index, "weight"))
    return tuple(_built(check, (*path, index)) for index, check in enumerate(checks))


ScoreOf: TypeAlias = Callable[[Evaluator], Score]


def _cheap_first(parts: Sequence[Evaluator]) -> Sequence[Evaluator]:
    """The parts in their order, those that run programs last: what another part decides needs no program."""
    return sorted(parts, key=runs_code)


def _shorten(reason: str) -> str:
    return reason if len(reason) <= _REASON_LIMIT else reason[: _REASON_LIMIT - 1] + "…"


def _told(part: Evaluator, score: Score) -> str:
    # What the machine lacks is no matter of the part: all tests that lack the same say so in the same words.
    return score.reason if score.skipped is not None else _shorten(f"{part.name}: {score.reason}")


class _Composed(ABC):
    """What all compositions have in common: how a part is scored is the same for each of them."""

    __slots__ = ()

    undecided: ClassVar[float] = 1.0
    """The value of a part that leaves the score of the whole to the others."""

    @abstractmethod
    def parts(self) -> Sequence[Evaluator]:
        """The checks that it is made of."""

    @abstractmethod
    def score(self, score_of: ScoreOf) -> Score:
        """The score of the whole, given how a part is scored."""

    def evaluate(self, answer: Answer) -> Score:
        """Without programs: parts that need some are skipped."""
        return self.evaluate_in(answer, CLOSED)

    def runs_code(self) -> bool:
        """Whether any part does."""
        return any(map(runs_code, self.parts()))

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        """The score of an answer. Raises SandboxError."""
        return self.score(lambda part: evaluate_in(part, answer, workshop))

    def score_of_result(self, printed: str, workshop: Workshop) -> Score:
        """The same for what a ground truth printed: beside a program, whose output that is, it is no answer's text."""
        of_program = self.runs_code()

        def score_of(part: Evaluator) -> Score:
            if of_program and not runs_code(part):
                return Score(self.undecided, "a result says nothing of the answer's text")
            return score_of_result(part, printed, workshop)

        return self.score(score_of)


@dataclass(frozen=True, slots=True)
class All(_Composed):
    """Every part passes."""

    name: ClassVar[str] = "all"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "1 if every check of the list passes, else 0."
    schema: ClassVar[JSONObject] = fields_schema(_CHECKS, {"checks": _LISTED}, ["checks"])

    checks: tuple[Evaluator, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[check, …]`."""
        return cls(_parts(parameters))

    def parts(self) -> Sequence[Evaluator]:
        """The checks."""
        return self.checks

    def score(self, score_of: ScoreOf) -> Score:
        """1 or 0; skipped when a part is and none fails. Programs are run only where no other part fails."""
        skipped: Score | None = None
        for part in _cheap_first(self.checks):
            score = score_of(part)
            if score.skipped is not None:
                skipped = skipped or Score(0.0, _told(part, score), score.skipped)
            elif not score.passed:
                return Score(0.0, _told(part, score))
        return skipped or Score(1.0, f"all {len(self.checks)} checks pass")


@dataclass(frozen=True, slots=True)
class Any(_Composed):
    """The best part counts."""

    name: ClassVar[str] = "any"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "The best score of the list."
    undecided: ClassVar[float] = 0.0
    schema: ClassVar[JSONObject] = fields_schema(_CHECKS, {"checks": _LISTED}, ["checks"])

    checks: tuple[Evaluator, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[check, …]`."""
        return cls(_parts(parameters))

    def parts(self) -> Sequence[Evaluator]:
        """The checks."""
        return self.checks

    def score(self, score_of: ScoreOf) -> Score:
        """The best value; skipped when a part is and none passes. Programs are run only where no other scores 1."""
        skipped: Score | None = None
        best: Score | None = None
        for part in _cheap_first(self.checks):
            if best is not None and best.value >= 1 and runs_code(part):
                break
            score = score_of(part)
            told = Score(score.value, _told(part, score), score.skipped)
            if score.skipped is not None:
                skipped = skipped or told
            elif best is None or score.value > best.value:
                best = told
        if skipped is not None and (best is None or not best.passed):
            return skipped
        assert best is not None  # noqa: S101  # a composition has at least one part
        return best


@dataclass(frozen=True, slots=True)
class Weighted:
    """A part of a mean."""

    check: Evaluator
    weight: float = 1


@dataclass(frozen=True, slots=True)
class Mean(_Composed):
    """The weighted mean of the parts."""

    name: ClassVar[str] = "mean"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = "The mean of the list's scores, each with its `weight` (1 unless given)."
    schema: ClassVar[JSONObject] = fields_schema(_WEIGHTED, {"checks": _LISTED_WEIGHTED}, ["checks"])

    checks: tuple[Weighted, ...]

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`[{NAME: …, weight: 2}, …]`."""
        checks, path = _listed(parameters)
        return cls(tuple(_weighted(check, (*path, index)) for index, check in enumerate(checks)))

    def parts(self) -> Sequence[Evaluator]:
        """The checks."""
        return tuple(part.check for part in self.checks)

    def score(self, score_of: ScoreOf) -> Score:
        """Σ weight × value ÷ Σ weight; skipped when any part is."""
        scored: list[tuple[Weighted, Score]] = []
        for part in self.checks:
            score = score_of(part.check)
            if score.skipped is not None:
                return Score(0.0, _told(part.check, score), score.skipped)
            scored.append((part, score))
        total = sum(part.weight for part in self.checks)
        value = sum(part.weight * score.value for part, score in scored) / total
        short = [(part, score) for part, score in scored if not score.passed]
        if not short:
            return Score(min(1.0, value), f"all {len(self.checks)} checks pass")
        told = "; ".join(f"{part.check.name} {score.value:.2g}: {score.reason}" for part, score in short)
        return Score(min(1.0, value), _shorten(told))


def _weighted(check: JSON, path: tuple[str | int, ...]) -> Weighted:
    part = mapping_of(check, "a check, like {equals: text}", path)
    for key in part if len(part) == 2 else ():
        if len(key) <= _LONGEST_WEIGHT and nearest(key, (*known_names(), "weight")) == "weight" != key:
            raise SpecError(f"there is no evaluator {key!r}{hint(key, ['weight'])}", (*path, key))
    weight = part.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise SpecError(f"expected a weight above 0, found {kind(weight)}", (*path, "weight"))
    # The upper bound keeps Σ weight × value a finite number.
    if not 0 < weight <= 1e9:
        raise SpecError(f"expected a weight above 0 and at most 1e9, found {weight}", (*path, "weight"))
    return Weighted(_built({key: value for key, value in part.items() if key != "weight"}, path), weight)
