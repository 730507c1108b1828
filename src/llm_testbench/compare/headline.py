"""The first line of every report: the verdict in words, with figures and without foreign text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import ceil

from llm_testbench.compare.model import WORSE, ComparedRow, Comparison, Status, Verdict
from llm_testbench.compare.numbers import count, points, score
from llm_testbench.compare.regressions import standing_out

UNSAVED = "unsaved"
"""The code of a finding: a result is not on disk, and so is none to rely on."""
UNUSABLE = "baseline_unusable"
"""The code of a finding: a baseline is there, or may be, and cannot be compared with."""
ABSENT = "baseline_absent"
"""The code of a finding: a source holds no baseline, and why."""

NO_CREDENTIALS = "no_credentials"
"""The code of a finding: a key is wanted, and GitHub hands none to this run. With a model: of that one alone."""
BASE_CONTEXT = "base_context"
"""The code of a warning: the checkout is the base's, whatever of the pull request was put into it."""
NO_KEY = "no_key"
"""The code of a warning: a key is wanted, and nobody gave one."""

SELF_REPORTED = "self_reported"
"""The code of a warning: whoever is judged by these numbers has made them."""

_WORSE = frozenset({"regression", "drift", "rejected", "max_drop"})
"""Codes of what got worse against the baseline; the others break a rule by themselves."""


def headline(comparison: Comparison) -> str:
    """One sentence, from everything in the comparison but its own headline."""
    reported = any(warning.code == SELF_REPORTED for warning in comparison.warnings)
    return f"Self-reported: {_said(comparison)}" if reported else _said(comparison)


def _said(comparison: Comparison) -> str:
    # The same test on two models is one test that did not pass, and one model has one finding a code.
    codes = Counter(code for code, _ in {(one.code, one.test_id or one.model) for one in comparison.reasons})
    noun = "test" if len(comparison.models) == 1 else "result"
    match comparison.verdict:
        case Verdict.FAIL:
            start = "Worse" if _WORSE & codes.keys() else "Fail"
            said = f"{start}: {'; '.join((*_dropped(comparison, codes), *_broken(codes)))}"
            missing = _missing(codes)
            return said + (f" (besides, the run is incomplete: {'; '.join(missing)})" if missing else "")
        case Verdict.INCONCLUSIVE:
            start = "Can't tell" if comparison.role == "gate" else "Not fit as a baseline"
            return f"{start}: {'; '.join(_missing(codes))}"
        case Verdict.PASS | Verdict.NO_BASELINE if comparison.role == "record":
            return f"Recorded{_mean(comparison.overall, noun)}"
        case Verdict.NO_BASELINE:
            return f"No baseline to compare with{_mean(comparison.overall, noun)}"
        case Verdict.PASS:
            return "; ".join(_passed(comparison))
        case Verdict.SKIPPED:
            return "Skipped: nothing to publish" if "outdated" in codes else _without_key(comparison)


def _without_key(comparison: Comparison) -> str:
    """What is known of the other models is said, too: it may be all that anybody learns of this change."""
    absent = {one.model for one in comparison.reasons if one.code == NO_CREDENTIALS and one.model is not None}
    whole = any(one.code == NO_CREDENTIALS and one.model is None for one in comparison.reasons)
    judged = [row for row in comparison.models if row.current is not None]
    if whole or not absent or not judged:
        return "Skipped: no credentials"
    said = f"Skipped in part: no credentials for {len(absent)} of {len(absent) + len(judged)} models"
    compared = comparison.overall.delta is not None
    return f"{said}; on the rest, {'no drop found' if compared else 'nothing was compared'}"


def _dropped(comparison: Comparison, codes: Collection[str]) -> list[str]:
    """The drops that are reasons, the narrowest first: a named test says more than a sum."""
    said = _worse(standing_out(comparison, *(status for status in WORSE if status.value in codes)))
    if "drift" in codes:
        said.append("nothing was changed on this side, so what answers has changed (drift)")
    if "suspected" in codes:
        said.append(f"{count(_suspected(comparison), 'suspected drop')}, and fail_on is suspected")
    return said


def _suspected(comparison: Comparison) -> int:
    return len({_name(row) for row in standing_out(comparison, Status.SUSPECTED)})


def _worse(sure: Sequence[ComparedRow]) -> list[str]:
    """`2 tests regressed, also when asked again`, `1 model dropped by 4.2 points`."""
    models = [row for row in sure if row.test_id is None and row.category is None and row.model is not None]
    whole = [row for row in sure if row.test_id is None and row.category is None and row.model is None]
    categories = [row for row in sure if row.test_id is None and row.category is not None]
    tests = [row for row in sure if row.test_id is not None]
    said = []
    if tests:
        names = len({row.test_id for row in tests})
        again = ", also when asked again" if all(row.confirmed for row in tests) else ""
        said.append(f"{count(names, 'test')} regressed{again}")
    if models:
        most = max(-(row.delta or 0.0) for row in models)
        said.append(f"{count(len(models), 'model')} dropped by {'up to ' if len(models) > 1 else ''}{points(most)}")
    if whole:
        said.append(f"all models together dropped by {points(-(whole[0].delta or 0.0))}")
    if categories:
        said.append(f"{count(len(categories), 'category', 'categories')} dropped")
    return said


def _name(row: ComparedRow) -> str | None:
    return row.test_id or row.category or row.model


def _broken(codes: Mapping[str, int]) -> list[str]:
    said = {
        "must_pass": f"{count(codes.get('must_pass', 0), 'must-pass test')} did not pass",
        "rejected": f"the server refuses {count(codes.get('rejected', 0), 'request')} that the baseline answered",
        "min_score": f"{count(codes.get('min_score', 0), 'model')} below min_score",
        "max_drop": f"{count(codes.get('max_drop', 0), 'model')} dropped by more than max_drop",
        "max_latency_increase": (
            f"{count(codes.get('max_latency_increase', 0), 'model')} slower than max_latency_increase allows"
        ),
    }
    return [words for code, words in said.items() if codes.get(code)]


def _missing(codes: Mapping[str, int]) -> list[str]:
    said = {
        "interrupted": "the run ended early",
        "nothing": "the run holds no result",
        "must_pass_unscored": f"{count(codes.get('must_pass_unscored', 0), 'must-pass test')} without a score",
        "coverage": f"too few tests were scored on {count(codes.get('coverage', 0), 'model')}",
        "errors": f"too many errors on {count(codes.get('errors', 0), 'model')}",
        UNUSABLE: "the baseline cannot be used",
        UNSAVED: "what was measured could not be saved whole",
        "baseline_missing": "the baseline is missing, and baseline_missing is fail",
    }
    return [words for code, words in said.items() if codes.get(code)]


def _passed(comparison: Comparison) -> list[str]:
    """What was found, what could have been seen, and what could not."""
    drifting = standing_out(comparison, Status.DRIFT)
    unsure = _suspected(comparison)
    improved = standing_out(comparison, Status.IMPROVEMENT)
    better = [row for row in improved if row.test_id is None and row.model]
    if drifting:
        said = [f"Pass, though {'; '.join(_worse(drifting))}: nothing was changed, and fail_on_drift is off"]
    elif unsure:
        said = [f"No drop proven, {unsure} suspected"]
    elif better:
        most = max(row.delta or 0.0 for row in better)
        up_to = "up to " if len(better) > 1 else ""
        said = [f"Better: {count(len(better), 'model')} improved by {up_to}{points(most)}, and no drop was found"]
    elif comparison.overall.delta is None:
        said = ["Nothing was judged: no test that may fail the gate was compared"]
    else:
        said = ["No drop found"]
    seen = max(comparison.mde.values(), default=None)
    if seen is not None:
        # Rounded up: the promise is what would have been seen.
        tenths = ceil(1000 * seen - 1e-6) / 10
        if tenths < 100:
            said.append(f"a drop of {tenths:.1f} points would have been seen")
        elif not comparison.blind:
            said.append("one broken test would have been seen, a drop of the mean would not")
    return [*said, *((comparison.blind,) if comparison.blind else ())]


def _mean(overall: ComparedRow, noun: str) -> str:
    if overall.current is None or overall.current.mean is None:
        return ": nothing was scored"
    return f": mean {score(overall.current.mean)} over {count(overall.current.n, noun)}"
