"""The report of `llmtest doctor --sandbox`: what was tried inside the sandbox, and what was done in spite of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.compare.numbers import count
from llm_testbench.json_value import JSON
from llm_testbench.report.document import Align, Block, Document, Heading, Mono, Paragraph, Text, Title, table, text
from llm_testbench.report.views.doctor import Fact, sandbox_blocks, sandbox_data
from llm_testbench.untrusted import Untrusted

NOT_TRIED = "No program was run"


@dataclass(frozen=True)
class Trial:
    """One attack. `promise` and `tried`: our own words; `done` and `trouble` are foreign, "" where there is none."""

    promise: str
    tried: str
    done: str = ""
    trouble: str = ""

    @property
    def held(self) -> bool:
        """It was tried, and held back."""
        return not self.done and not self.trouble


def trial_report(
    trials: Sequence[Trial], promises: Sequence[Fact], layers: Sequence[Fact], refusal: str = ""
) -> Document:
    """`refusal`: why nothing was run, foreign."""
    blocks: list[Block] = [Heading(1, text(headline(trials)))]
    if refusal:
        blocks.append(Paragraph(text(Mono(Untrusted(refusal)))))
    blocks += sandbox_blocks(promises, layers)
    if trials:
        columns: list[tuple[Title, Align]] = [
            ("promise", "left"),
            ("tried", "left"),
            ("held", "left"),
            ("what was done", "left"),
        ]
        rows = [[text(one.promise), text(one.tried), text(_held(one)), _done(one)] for one in trials]
        blocks += [Heading(2, text("What was tried, inside")), table(columns, rows)]
    return Document(tuple(blocks))


def trial_json(trials: Sequence[Trial], promises: Sequence[Fact], layers: Sequence[Fact], refusal: str = "") -> JSON:
    """The same as data."""
    told: list[JSON] = [
        {
            "promise": one.promise,
            "tried": one.tried,
            "held": None if one.trouble else one.held,
            "done": one.done or None,
            "trouble": one.trouble or None,
        }
        for one in trials
    ]
    return {"trials": told, "sandbox": sandbox_data(promises, layers), "refusal": refusal or None}


def headline(trials: Sequence[Trial]) -> str:
    """How many were held back."""
    if not trials:
        return NOT_TRIED
    done, troubled = sum(bool(one.done) for one in trials), sum(bool(one.trouble) for one in trials)
    if not done and not troubled:
        return "The attack was held back" if len(trials) == 1 else f"All {len(trials)} attacks were held back"
    told = [f"{done} succeeded"] if done else []
    told += [f"{troubled} could not be tried"] if troubled else []
    return f"Of {count(len(trials), 'attack')} {', '.join(told)}"


def _held(one: Trial) -> str:
    if one.trouble:
        return "not tried"
    return "yes" if one.held else "NO"


def _done(one: Trial) -> Text:
    said = one.done or one.trouble
    return text(Mono(Untrusted(said))) if said else text("")
