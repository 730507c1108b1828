"""What failed or got worse and what to do about it, then what is suspected, and what got better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import Comparison, Status, Verdict
from llm_testbench.compare.numbers import count
from llm_testbench.compare.rows import direction
from llm_testbench.report.document import Block, Group, Heading, Importance, Paragraph, text
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.accept import accept_blocks
from llm_testbench.report.views.commands import ask_again
from llm_testbench.report.views.evidence import (
    MOST_SHOWN,
    Evidence,
    Why,
    evidence,
    failing,
    key_of,
    spread,
    suspects,
)
from llm_testbench.report.views.evidence_blocks import evidence_blocks, folded_evidence
from llm_testbench.report.views.suspected import better_blocks, suspected_blocks


@dataclass(frozen=True, slots=True)
class Explained:
    """`around`: None where nothing was run, and so nothing can be run again. `by_grade`: cells with graded scores."""

    comparison: Comparison
    current: Artifact
    baseline: Artifact | None
    around: Rerun | None
    by_grade: Collection[CellKey]

    def blocks(self) -> list[Block]:
        """The evidence for the verdict, the commands that follow from it, then what nothing follows from."""
        found = failing(self.comparison)
        above = list(found)[:MOST_SHOWN]
        blocks: list[Block] = []
        if found:
            title = Heading(3, text(_title([found[key] for key in above], self.comparison)))
            lead: tuple[Block, ...] = (title, *_spread(self.comparison))
            for number, item in enumerate(self._evidence(above)):
                shown = (*(lead if number == 0 else ()), *evidence_blocks(item, self.by_grade, first=number == 0))
                blocks.append(Group("tests that failed or dropped", Importance.EVIDENCE, shown, claims=True))
            if len(found) > MOST_SHOWN:
                blocks.append(Paragraph(text(f"And {len(found) - MOST_SHOWN} more: see the tables below.")))
            blocks.append(self._again(list(found)))
        if self.baseline is not None:
            accepted = accept_blocks(self.comparison, self.around or Rerun())
            blocks.append(Group("how to accept what dropped", Importance.EVIDENCE, tuple(accepted)))
        return [*blocks, *self._unproven(above)]

    def _unproven(self, above: Collection[CellKey]) -> list[Block]:
        """What is suspected, with the answers under folds where there is room, and what got better."""
        listed = suspected_blocks(self.comparison, self.by_grade, above)
        keys = [key for row in suspects(self.comparison) if (key := key_of(row)) not in above]
        return [
            Group("what is suspected", Importance.EVIDENCE, tuple(listed)),
            *(folded_evidence(item, self.by_grade) for item in self._evidence(keys[: MOST_SHOWN - len(above)])),
            *([] if above else [self._again(keys)]),
            Group("what got better", Importance.TABLE, tuple(better_blocks(self.comparison, self.by_grade))),
        ]

    def _evidence(self, keys: Sequence[CellKey]) -> tuple[Evidence, ...]:
        return evidence(self.comparison, self.current, self.baseline, keys)

    def _again(self, keys: Sequence[CellKey]) -> Group:
        command = ask_again(keys, self.comparison, self.around) if self.around is not None else []
        return Group("the command to ask them again", Importance.EVIDENCE, tuple(command))


_TITLES: Mapping[Why, str] = {
    "worse": "What got worse",
    "drift": "What got worse",
    "rule": "What failed",
    "suspected": "What may have got worse",
    "drop": "What dropped most",
}


def _title(why: Sequence[Why], comparison: Comparison) -> str:
    kinds = dict.fromkeys(why)
    if comparison.verdict is Verdict.INCONCLUSIVE and not {"worse", "drift"} & kinds.keys():
        return "What has no score"
    if kinds.keys() <= {"suspected", "drop"}:
        suspicion = any(reason.code == "suspected" for reason in comparison.reasons)
        return _TITLES["suspected" if suspicion else "drop"]
    return _TITLES[why[0]] if len(kinds) == 1 else "What failed or got worse"


def _spread(comparison: Comparison) -> tuple[Block, ...]:
    """Where a model got worse and no test is named, examples would else read as proof."""
    counted = Counter(direction(row.delta) for row in spread(comparison) if row.delta is not None)
    if not counted:
        return ()
    noun = "test" if len(comparison.models) == 1 else "result"
    lower, every = counted["lower"], counted.total()
    suspicion = any(row.status is Status.SUSPECTED for row in spread(comparison))
    found = "is proven worse by itself" if suspicion else "stands out"
    said = f"No single {noun} {found}: {lower} of {count(every, noun)} scored lower, {counted['higher']} higher."
    return (Paragraph(text(f"{said} Examples of those that scored lower:")),)
