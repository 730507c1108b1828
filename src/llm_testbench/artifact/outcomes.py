"""What became of the attempts of each model, as values: apart from what their answers were worth (design 5.5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import counted
from llm_testbench.artifact.model import Artifact, Row

NOT_ASKED = "not asked: "
"""How the error of an attempt begins that was not made, since all before it failed."""
_ADAPTED = frozenset({Outcome.REJECTED, Outcome.CONTEXT_LENGTH, Outcome.BUDGET_EXHAUSTED})
"""Tries after which the request is sent in another form at once: the server was not in trouble."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One model. `outcomes`, `wrong`, `not_asked`: rows of phase main and side current, as in the means.

    `outcomes` counts each attempt that was made. `wrong`: answered, scored and not passed.
    All rows: `attempts`, `retried` (asked again after trouble), `retries` (what the tries before the last one of
    these ended in), `quirks` (in how many attempts each was seen).
    """

    model: str
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    wrong: int = 0
    not_asked: int = 0
    attempts: int = 0
    retried: int = 0
    retries: Mapping[Outcome, int] = field(default_factory=dict)
    quirks: Mapping[str, int] = field(default_factory=dict)


def was_not_asked(row: Row) -> bool:
    """The run gave up on this model before."""
    return row.error is not None and not row.tries and row.error.startswith(NOT_ASKED)


def model_outcomes(artifact: Artifact) -> tuple[Outcomes, ...]:
    """One per model that has rows, in the order of `meta.models`, then by name."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in artifact.results:
        rows[row.model].append(row)
    names = dict.fromkeys([*(name for name in artifact.meta.models if name in rows), *sorted(rows)])
    return tuple(_outcomes(name, rows[name]) for name in names)


def _outcomes(model: str, rows: list[Row]) -> Outcomes:
    kept = counted(rows)
    made = [row for row in kept if not was_not_asked(row)]
    again = [kinds for row in rows if (kinds := _trouble(row))]
    return Outcomes(
        model=model,
        outcomes=Counter(row.outcome for row in made),
        wrong=sum(row.outcome is Outcome.ANSWERED and row.scored and not row.passed for row in made),
        not_asked=len(kept) - len(made),
        attempts=len(rows),
        retried=len(again),
        retries=Counter(kind for kinds in again for kind in kinds),
        quirks=Counter(quirk for row in rows for quirk in dict.fromkeys(row.quirks)),
    )


def _trouble(row: Row) -> Iterable[Outcome]:
    """What the tries ended in that another one followed, but for the form of the request."""
    return [one.outcome for one in row.tries[:-1] if one.outcome not in _ADAPTED]
