"""Any run with any text in it: a comparison with its two artifacts, where every foreign word is hostile.

Hypothesis draws the shape, the texts and a seed; the seed fills in the rest, so that 400 tests cost no more draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hypothesis import strategies as st
from tests.unit.compare.artifacts import META
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.report.comparisons import CODES

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row, TestEntry
from llm_testbench.compare.headline import SELF_REPORTED, headline
from llm_testbench.compare.model import (
    Acceptance,
    AskedAgain,
    BaselineRun,
    Change,
    ComparedRow,
    Comparison,
    Confirmation,
    Finding,
    Quoted,
    Side,
    SinceRelease,
    Status,
    Verdict,
)
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.gate import FIRST_LINES, gate_report, outdated_report, unmeasured_report

MARK = "FOREIGN"
"""At both ends of every hostile text: one that breaks out in its middle shows its end outside of code."""
OTHERS = tuple(status for status in Status if status not in (Status.REGRESSION, Status.DRIFT))
BADGES = ("prompt changed", "accepted", "errors", "quarantined", "served model changed")
OUTCOMES = (Outcome.ANSWERED, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.TOOL_CALL_IN_TEXT, Outcome.TIMEOUT)


@dataclass(frozen=True)
class AnyRun:
    """`current`: None where nothing was measured. `kind`: of report."""

    comparison: Comparison
    current: Artifact | None
    baseline: Artifact | None
    around: Rerun | None

    @property
    def document(self) -> Document:
        """What all sinks are given."""
        if self.current is None:
            outdated = self.comparison.verdict is Verdict.SKIPPED
            return outdated_report(self.comparison) if outdated else unmeasured_report(self.comparison)
        return gate_report(self.comparison, self.current, self.baseline, None, self.around)


@dataclass(frozen=True)
class Shape:
    """How many there are of what."""

    verdict: Verdict
    worse: int
    others: int
    models: int
    compared: bool
    measured: bool
    on_github: bool
    role: str
    seed: int


shapes = st.builds(
    Shape,
    verdict=st.sampled_from(Verdict),
    worse=st.sampled_from([*range(7)] * 4 + [12, 30, 101, 400]),
    others=st.integers(0, 14),
    models=st.integers(1, 3),
    compared=st.sampled_from([True, True, True, False]),
    measured=st.sampled_from([True] * 9 + [False]),
    on_github=st.booleans(),
    role=st.sampled_from(["gate", "gate", "gate", "record"]),
    seed=st.integers(0, 2**32),
)
bad_texts = st.one_of(
    texts,
    st.sampled_from(sorted(HOSTILE.values())),
    st.sampled_from(["x" * 100_000, "`" * 100_000, "a|" * 5_000, "\U000e0041" * 400, "<b>" * 20_000, "\n" * 10_000]),
)
pools = st.lists(bad_texts, min_size=1, max_size=5)


@st.composite
def any_runs(draw: st.DrawFn) -> AnyRun:
    return made(draw(shapes), draw(pools))


def made(shape: Shape, pool: Sequence[str]) -> AnyRun:
    return _Maker(shape, pool).run()


class _Maker:
    def __init__(self, shape: Shape, pool: Sequence[str]) -> None:
        self.shape = shape
        self.random = Random(shape.seed)
        self.pool = [f"{MARK}{text}{MARK}" for text in pool]
        self.models = [f"{self.bad()}{number}" for number in range(shape.models)]
        self.names = [f"{self.bad()}{number}" for number in range(shape.worse + shape.others)]
        self.categories = [self.bad() for _ in range(3)]

    def bad(self) -> str:
        return self.random.choice(self.pool)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def run(self) -> AnyRun:
        shape = self.shape
        tests = [self.test(number) for number in range(len(self.names))]
        found = Comparison(
            shape.verdict,
            "",
            tuple(self.reasons(tests)),
            tuple(self.warnings()),
            self.row(None, None, None),
            tuple(self.row(model, None, None) for model in self.models),
            tuple(self.row(model, category, None) for model in self.models for category in self.categories[:2]),
            tuple(tests),
            counts=Counter(row.status.value for row in tests) | ({"equal": 7} if self.chance(0.3) else {}),
            role="record" if shape.role == "record" else "gate",
            baselines=tuple(self.baseline_run() for _ in range(self.random.randrange(4))),
            exchange=self.random.choice(["attempt", "run"]),
            mde=dict.fromkeys(self.models, self.random.random()) if self.chance(0.5) else {},
            blind="no single test could have been proven" if self.chance(0.2) else "",
            confirmation=Confirmation(12, 60, 5, self.random.randrange(3)),
            accept=tuple(self.accepted(tests)) if self.chance(0.6) else (),
            truncated=dict.fromkeys(self.models, Change(0.1, 0.4)) if self.chance(0.3) else {},
            latency=dict.fromkeys(self.models, Change(100.0, 900.0)) if self.chance(0.3) else {},
            since_release=self.since() if self.chance(0.2) else None,
        )
        found = replace(found, headline=headline(found))
        if not shape.measured:
            return AnyRun(found, None, None, None)
        return AnyRun(
            found,
            self.artifact(tests, "now"),
            self.artifact(tests, "before") if shape.compared else None,
            self.around() if self.chance(0.8) else None,
        )

    def test(self, number: int) -> ComparedRow:
        worse = number < self.shape.worse
        status = self.random.choice([Status.REGRESSION] * 4 + [Status.DRIFT] if worse else OTHERS)
        category = self.random.choice(self.categories)
        return self.row(self.random.choice(self.models), category, self.names[number], status)

    def row(
        self, model: str | None, category: str | None, test_id: str | None, status: Status | None = None
    ) -> ComparedRow:
        draw = self.random
        before, now = (Side(draw.choice([0.0, 0.4, 2 / 3, 1.0]), 3) for _ in range(2))
        asked = AskedAgain(draw.choice(["current", "both"]), 8, now, before, draw.choice([None, 1 / 252]))
        return ComparedRow(
            status or draw.choice([Status.STABLE, Status.REGRESSION, Status.SUSPECTED, Status.IMPROVEMENT]),
            before if self.shape.compared else None,
            now,
            (now.mean or 0.0) - (before.mean or 0.0) if self.shape.compared else None,
            model,
            category,
            test_id,
            tuple(draw.sample(BADGES, draw.randrange(3))),
            ci=(-0.3, 0.1) if self.chance(0.5) else None,
            p_worse=draw.random() if self.chance(0.7) else None,
            p_better=draw.random() if self.chance(0.7) else None,
            p_adj=draw.random() if self.chance(0.5) else None,
            q=draw.random() if self.chance(0.5) else None,
            expected=draw.random() if self.chance(0.5) else None,
            confirmed=draw.choice([None, True, False]),
            asked=asked if self.chance(0.5) else None,
            settle="8 attempts can prove it" if self.chance(0.3) else "",
        )

    def reasons(self, tests: Sequence[ComparedRow]) -> list[Finding]:
        about = [
            Finding(row.status.value, self.sentence(), row.model, row.test_id) for row in tests[: self.shape.worse]
        ]
        codes = self.random.sample(CODES, self.random.randrange(4))
        rows = [self.random.choice(tests) if tests and self.chance(0.5) else None for _ in codes]
        return about + [
            Finding(code, self.sentence(), row.model if row else None, row.test_id if row else None)
            for code, row in zip(codes, rows, strict=True)
        ]

    def warnings(self) -> list[Finding]:
        codes = [*sorted(FIRST_LINES), SELF_REPORTED, "suite", "model_id", "other"]
        drawn = self.random.sample(codes, self.random.randrange(5))
        return [Finding(code, self.sentence(), self.bad()) for code in drawn]

    def sentence(self) -> tuple[str | Quoted, ...]:
        return (Quoted(self.bad()), " is not what it was: ", Quoted(self.bad()))

    def baseline_run(self) -> BaselineRun:
        used = self.chance(0.5)
        tag, sha, why = self.bad() if used else "", self.bad(), "" if used else self.bad()
        return BaselineRun(self.bad(), tag, sha, self.bad(), self.bad(), 3600.0, 5, 2, used=used, why=why)

    def since(self) -> SinceRelease:
        rows = tuple(self.row(model, None, None) for model in self.models)
        return SinceRelease(self.baseline_run(), self.row(None, None, None), rows, 2, 0.95)

    def accepted(self, tests: Sequence[ComparedRow]) -> list[Acceptance]:
        cells = [
            Acceptance(row.model or "", {row.test_id or "": (0.0, 0.5)}, row.test_id, reason=self.bad())
            for row in tests[: self.shape.worse]
        ]
        whole = Acceptance(self.models[0], {self.bad(): (0.5,)}, None, self.bad(), self.bad(), "2027-01-01")
        return [*cells, whole]

    def artifact(self, tests: Sequence[ComparedRow], when: str) -> Artifact:
        entries = [self.entry(row, when) for row in tests if self.chance(0.95)]
        rows = [
            self.attempt(row, number, phase)
            for row in tests
            for number, phase in ((0, "main"), (1, "main"), (3, "confirm"))
        ]
        named = dict.fromkeys(self.models, f"{self.bad()} {when}")
        odd: dict[str, Any] = dict.fromkeys(self.models, (self.bad(), when))
        meta = replace(
            META,
            models=named,
            endpoint=self.bad(),
            version=self.bad(),
            served_models=odd,
            fingerprints=odd,
            adaptations=odd,
        )
        return Artifact(meta, tuple(entries), tuple(rows), ())

    def entry(self, row: ComparedRow, when: str) -> TestEntry:
        changed = when if self.chance(0.5) else ""
        words = [self.bad(), *([changed] if changed else [])]
        return TestEntry(
            row.test_id or "",
            row.category or "",
            self.bad(),
            request={"messages": [{"role": self.bad(), "content": "\n".join(words)}], "tools": [{self.bad(): words}]},
            check={self.bad(): self.bad()},
            request_hash=changed,
            suite_file=self.bad() if self.chance(0.9) else "",
            line=self.random.randrange(3),
        )

    def attempt(self, row: ComparedRow, number: int, phase: Any) -> Row:
        outcome = self.random.choice(OUTCOMES)
        return Row(
            row.model or "",
            row.test_id or "",
            row.category or "",
            self.bad(),
            number,
            outcome,
            score=self.random.choice([0.0, 0.5, 1.0]),
            reason=self.bad(),
            error=self.bad() if outcome is Outcome.TIMEOUT else None,
            phase=phase,
            side="baseline" if phase == "confirm" and self.chance(0.5) else "current",
            response_text=self.bad() if self.chance(0.8) else None,
            tool_calls=(ToolCall(self.bad(), None, self.bad()),) if self.chance(0.3) else (),
            quirks=(self.bad(),) if self.chance(0.1) else (),
        )

    def around(self) -> Rerun:
        flags = ((f"--{self.bad()}", self.bad()),)
        some = (self.bad(), self.bad())
        names = (self.bad(), self.bad(), self.bad())
        return Rerun(self.shape.on_github, *names[:2], some, some[:1], some, flags, flags, some, names[2], self.bad())
