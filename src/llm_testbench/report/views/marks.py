"""Which tests are marked on their lines, and with which words: those that the verdict is about, or may be.

An accepted drop was wanted and a quarantined test gates nothing: neither is marked. Drift is, since it fails like a
regression; its title says that nothing was changed on this side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.artifact.model import Artifact
from llm_testbench.compare import regressions
from llm_testbench.compare.model import WORSE, ComparedRow, Comparison, Finding, Status, Verdict
from llm_testbench.report.views.evidence import evidence
from llm_testbench.untrusted import shortened

MOST_MODELS = 5
WORDS_LIMIT = 600  # characters of what a check or a server said
_TITLES: Mapping[str, str] = {
    "regression": "Worse",
    "drift": "Worse, though nothing was changed here",
    "rejected": "Refused by the server",
    "must_pass": "Must pass, and does not",
    "must_pass_unscored": "Must pass, and has no score",
    "suspected": "Perhaps worse",
}
"""By code of a finding, the most important first."""

Level: TypeAlias = Literal["failure", "warning"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said about one test at its line; `file` may be empty, `builtin:NAME` or anything that a suite named.

    `failure`: the command fails for it. All texts are untrusted, and on one line or several.
    """

    level: Level
    file: str
    line: int
    title: str
    message: str


def marks(comparison: Comparison, current: Artifact | None, *, failing: bool) -> tuple[Mark, ...]:
    """One for each test, the most important first. `failing`: the exit code of the command is not 0."""
    if comparison.verdict is Verdict.SKIPPED or current is None:
        return ()
    reasons = {(one.code, one.model, one.test_id) for one in comparison.reasons}
    by_test: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(_findings(comparison), key=lambda one: _ORDER[one.code]):
        by_test[finding.test_id or ""].append(finding)
    entries = {entry.test_id: entry for entry in current.tests}
    words = _words(comparison, current, by_test)
    made: list[Mark] = []
    for test_id, findings in by_test.items():
        counts = failing and any((one.code, one.model, one.test_id) in reasons for one in findings)
        entry = entries.get(test_id)
        made.append(
            Mark(
                "failure" if counts else "warning",
                entry.suite_file if entry is not None else "",
                entry.line if entry is not None else 0,
                f"{_TITLES[findings[0].code]}: {test_id}",
                _message(findings, words.get(test_id, "")),
            )
        )
    return tuple(sorted(made, key=lambda mark: mark.level != "failure"))


_ORDER = {code: number for number, code in enumerate(_TITLES)}


def _findings(comparison: Comparison) -> Iterator[Finding]:
    """The reasons that are about a test, and drops that are none: of a gate that may not fail, or of a recording."""
    said = {(one.code, one.model, one.test_id) for one in comparison.reasons}
    rows = sorted(comparison.tests, key=_by_drop)
    every = (*regressions.proven(rows), *regressions.drifted(rows), *regressions.suspected(rows))
    # Those of the rows first: they are in the order of the drops.
    yield from (one for one in every if one.test_id is not None)
    told = {(one.code, one.model, one.test_id) for one in every}
    for reason in comparison.reasons:
        key = (reason.code, reason.model, reason.test_id)
        if reason.test_id is not None and reason.code in _ORDER and key in said - told:
            yield reason


def _by_drop(row: ComparedRow) -> tuple[bool, float, str, str]:
    return row.status not in WORSE, row.delta or 0.0, row.test_id or "", row.model or ""


def _message(findings: list[Finding], words: str) -> str:
    """`total on chat dropped from 1.00 to 0.00, also when asked again; … Now: no number in the answer`."""
    said = list(dict.fromkeys(shortened(one.message, 2 * WORDS_LIMIT) for one in findings))
    more = f"; and {len(said) - MOST_MODELS} more" if len(said) > MOST_MODELS else ""
    now = f". Now: {words}" if words else ""
    return f"{'; '.join(said[:MOST_MODELS])}{more}{now}"


def _words(comparison: Comparison, current: Artifact, by_test: Mapping[str, list[Finding]]) -> dict[str, str]:
    """By test, what was said of the worst attempt on the model that its first finding is about."""
    keys = [(findings[0].model or "", test_id) for test_id, findings in by_test.items()]
    found: dict[str, str] = {}
    for item in evidence(comparison, current, None, keys):
        row = item.now
        # A refusal quotes the server's words already.
        if row is not None and item.row.status is not Status.REJECTED:
            found[item.row.test_id or ""] = shortened(row.error if row.error is not None else row.reason, WORDS_LIMIT)
    return found
