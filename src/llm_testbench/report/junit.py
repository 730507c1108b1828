"""A comparison as JUnit XML, for the test pages of GitLab, Jenkins and others.

The test case `gate` is the verdict. Each other one is a test on a model, and fails where the verdict rests on it: so
there is a failure if, and only if, the verdict is fail. An error is a test without any answer, or a run that cannot be
judged. What ran and was not judged has passed.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Literal, TypeAlias

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.model import Artifact, Row, TestEntry
from llm_testbench.artifact.outcomes import Outcomes, model_outcomes
from llm_testbench.compare.headline import UNSAVED, UNUSABLE
from llm_testbench.compare.model import ComparedRow, Comparison, Finding, Status, Verdict
from llm_testbench.compare.rules import INCOMPLETE
from llm_testbench.report import figures
from llm_testbench.report.views.cause import badness
from llm_testbench.report.views.certainty import before_and_now, graded, of_test, sentence
from llm_testbench.untrusted import Untrusted

SUITE = "llm-testbench"
GATE = "gate"
MOST_REASONS = 100
NAME_LIMIT = 500  # characters
ANSWER_LIMIT = 1200
_DOUBTS = INCOMPLETE | {UNUSABLE, UNSAVED, "baseline_missing"}
"""Codes of reasons that say of no test that it is bad."""
_GONE = frozenset({Status.REMOVED, Status.NOT_SELECTED})
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

_Result: TypeAlias = Literal["passed", "failure", "error", "skipped"]
_Words: TypeAlias = str | Untrusted


@dataclass(frozen=True, slots=True)
class _Case:
    """`kind`: status, outcome or code; `message`: one line; `lines`: the rest; `seconds`: the mean of the attempts."""

    class_name: _Words
    name: _Words
    result: _Result = "passed"
    kind: str = ""
    message: str = ""
    lines: tuple[_Words, ...] = ()
    seconds: float = 0.0
    test: TestEntry | None = None


@dataclass(frozen=True, slots=True)
class _Suite:
    """The cases of a model, and what became of its attempts."""

    name: _Words
    cases: Sequence[_Case]
    ends: Outcomes | None = None


def render(comparison: Comparison, current: Artifact | None) -> str:
    """The file, in UTF-8 and with characters of XML 1.0 only; ends with a line break.

    `current`: None where nothing was measured. Tests that are not in this run are left out.
    """
    cases = _cases(comparison, current)
    ends = {} if current is None else {one.model: one for one in model_outcomes(current)}
    suites: list[_Suite] = [_Suite(SUITE, [_gate(comparison)])]
    suites += [_Suite(Untrusted(model), cases[model], ends.get(model)) for model in sorted(cases)]
    started = current.meta.started_at if current is not None else ""
    totals = _totals([case for suite in suites for case in suite.cases])
    opened = _tag("testsuites", {"name": SUITE, **totals})
    inner = "".join(_suite(suite, started) for suite in suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{opened}\n{inner}</testsuites>\n'


def _gate(comparison: Comparison) -> _Case:
    """The verdict, with the reasons that are about no test."""
    results: Mapping[Verdict, _Result] = {
        Verdict.FAIL: "failure",
        Verdict.INCONCLUSIVE: "error",
        Verdict.SKIPPED: "skipped",
    }
    own = [reason for reason in comparison.reasons if reason.test_id is None]
    lines: list[_Words] = [Untrusted(reason.message) for reason in own[:MOST_REASONS]]
    if len(own) > MOST_REASONS:
        lines.append(f"and {len(own) - MOST_REASONS} more: see comparison.json")
    verdict = comparison.verdict
    return _Case(SUITE, GATE, results.get(verdict, "passed"), verdict.value, comparison.headline, tuple(lines))


def _cases(comparison: Comparison, current: Artifact | None) -> dict[str, list[_Case]]:
    """By model, in the order of the comparison."""
    attempts: defaultdict[CellKey, list[Row]] = defaultdict(list)
    entries: dict[str, TestEntry] = {}
    if current is not None:
        entries = {entry.test_id: entry for entry in current.tests}
        for attempt in counted(current.results):
            attempts[attempt.model, attempt.test_id].append(attempt)
    held = _held_against(comparison)
    by_grade = graded(current)
    cases: dict[str, list[_Case]] = {}
    several = len({row.model for row in comparison.tests if row.status not in _GONE}) > 1
    for row in comparison.tests:
        if row.status not in _GONE:
            key = (row.model or "", row.test_id or "")
            judged = _Judged(row, attempts.get(key, []), entries.get(key[1]), held.get(key, ()), by_grade)
            cases.setdefault(key[0], []).append(judged.case(comparison.verdict, several=several))
    return cases


def _held_against(comparison: Comparison) -> dict[CellKey, tuple[Finding, ...]]:
    """Why the verdict is fail, by the cell that it rests on."""
    found: dict[CellKey, tuple[Finding, ...]] = {}
    if comparison.verdict is Verdict.FAIL:
        for reason in comparison.reasons:
            if reason.test_id is not None and reason.code not in _DOUBTS:
                key = (reason.model or "", reason.test_id)
                found[key] = (*found.get(key, ()), reason)
    return found


@dataclass(frozen=True, slots=True)
class _Judged:
    """A test on a model, and all that is known of it. `held`: why it fails the gate."""

    row: ComparedRow
    attempts: Sequence[Row]
    test: TestEntry | None
    held: tuple[Finding, ...]
    by_grade: Collection[CellKey]

    def case(self, verdict: Verdict, *, several: bool) -> _Case:
        """`several`: models; readers tell cases apart by class and name alone, whatever suite they stand in."""
        result, kind, message = self._result(verdict)
        test_id, model = self.row.test_id or "", self.row.model or ""
        subcategory = self.test.subcategory if self.test is not None else ""
        category = ".".join(filter(None, (self.row.category, subcategory)))
        return _Case(
            Untrusted(category or SUITE),
            Untrusted(f"{test_id} on {model}" if several else test_id),
            result,
            kind,
            message,
            tuple(self._lines(result)),
            _mean([row.latency_ms / 1000 for row in self.attempts]),
            self.test,
        )

    def _result(self, verdict: Verdict) -> tuple[_Result, str, str]:
        status = self.row.status
        scored = self.row.current is not None and self.row.current.n > 0
        if self.held:
            code = self.held[0].code
            return "failure", code, self._words(code)
        if verdict is Verdict.SKIPPED:
            return "skipped", verdict.value, "the run was skipped"
        if status is Status.QUARANTINED or "quarantined" in self.row.badges:
            return "skipped", "quarantined", f"{self._words('quarantined')}; measured, never judged"
        if scored:
            return "passed", status.value, self._words(status.value)
        failed = [row.outcome.value for row in self.attempts if row.error is not None]
        if failed:
            return "error", failed[0], f"no attempt was scored: {failed[0]}"
        words = f"not scored: {self.attempts[0].outcome.value}" if self.attempts else "not asked"
        return "skipped", status.value, words

    def _words(self, what: str) -> str:
        """`must pass: 10 of 10 → 0 of 3, −100 points`."""
        said = f"{what.replace('_', ' ')}: {before_and_now(self.row, self.by_grade)}"
        return said if self.row.delta is None else f"{said}, {figures.points(self.row.delta)} points"

    def _lines(self, result: _Result) -> Iterator[_Words]:
        yield from (Untrusted(reason.message) for reason in self.held)
        if self.row.badges:
            yield ", ".join(self.row.badges)
        sure = of_test(self.row, self.by_grade)
        yield from (sentence(words) for words in (sure, self.row.settle) if words)
        worst = min(self.attempts, key=badness, default=None)
        if result in ("failure", "error") and worst is not None:
            yield Untrusted(worst.reason if worst.error is None else worst.error)
            answer = normalise(Completion(worst.response_text or "")).text
            if answer:
                yield f"attempt {worst.attempt + 1} answered:"
                yield Untrusted(answer)


def _suite(suite: _Suite, started: str) -> str:
    when = _TIMESTAMP.match(started)
    attributes = {"name": suite.name, **_totals(suite.cases), **({"timestamp": when.group()} if when else {})}
    return f"{_tag('testsuite', attributes)}\n{_properties(suite.ends)}{''.join(map(_case, suite.cases))}</testsuite>\n"


def _properties(ends: Outcomes | None) -> str:
    """What became of the attempts, where not all were answered: a wrong answer is none of these."""
    if ends is None or not (ends.not_asked or ends.outcomes.keys() - {Outcome.ANSWERED}):
        return ""
    numbers = {outcome.value: ends.outcomes[outcome] for outcome in Outcome if ends.outcomes.get(outcome)}
    numbers |= {"not_asked": ends.not_asked} if ends.not_asked else {}
    told = "".join(
        _tag("property", {"name": f"attempts.{kind}", "value": str(number)}, empty=True)
        for kind, number in numbers.items()
    )
    return f"<properties>{told}</properties>\n"


def _case(case: _Case) -> str:
    place: dict[str, _Words] = {}
    if case.test is not None and case.test.suite_file:
        place = {"file": Untrusted(case.test.suite_file)}
        if case.test.line > 0:
            place["line"] = str(case.test.line)
    attributes = {"classname": case.class_name, "name": case.name, "time": _seconds(case.seconds), **place}
    # Some readers show the body and drop the message.
    body = "\n".join(_text(line) for line in (case.message, *case.lines) if line)
    return f"{_tag('testcase', attributes)}{_outcome(case, body)}</testcase>\n"


def _outcome(case: _Case, body: str) -> str:
    match case.result:
        case "passed":
            return f"<system-out>{body}</system-out>"
        case "skipped":
            return f"{_tag('skipped', {'message': case.message}, empty=True)}<system-out>{body}</system-out>"
        case "failure" | "error":
            opened = _tag(case.result, {"type": case.kind, "message": case.message})
            return f"{opened}{body}</{case.result}>"


def _totals(cases: Sequence[_Case]) -> dict[str, _Words]:
    results = [case.result for case in cases]
    return {
        "tests": str(len(results)),
        "failures": str(results.count("failure")),
        "errors": str(results.count("error")),
        "skipped": str(results.count("skipped")),
        "time": _seconds(fsum(case.seconds for case in cases)),
    }


def _tag(name: str, attributes: Mapping[str, _Words], *, empty: bool = False) -> str:
    shown = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{name}{shown}{'/' if empty else ''}>"


def _attribute(words: _Words) -> str:
    # What is visible in HTML is a character of XML 1.0, and the escapes are those of both.
    return words.html_line(NAME_LIMIT) if isinstance(words, Untrusted) else html.escape(words)


def _text(words: _Words) -> str:
    return words.html(ANSWER_LIMIT) if isinstance(words, Untrusted) else html.escape(words)


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if isfinite(value) and value >= 0]
    return fsum(known) / len(known) if known else 0.0
