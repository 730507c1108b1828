"""The first line of every report: the verdict in words, with figures and without foreign text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from llm_testbench.compare.model import ComparedRow, Finding, Verdict
from llm_testbench.compare.numbers import count, score
from llm_testbench.compare.options import GateOptions

UNSAVED = "unsaved"
"""The code of a finding: a result is not on disk, and so is none to rely on."""
UNUSABLE = "baseline_unusable"
"""The code of a finding: a baseline is there, or may be, and cannot be compared with."""


def headline(
    verdict: Verdict,
    reasons: Sequence[Finding],
    overall: ComparedRow,
    counts: Mapping[str, int],
    options: GateOptions,
    *,
    models: int,
    rules_set: bool,
) -> str:
    """One sentence; `rules_set`: anything but a refused request could have failed this gate."""
    # The same test on two models is one test that did not pass, and one model has one finding a code.
    codes = Counter(code for code, _ in {(reason.code, reason.test_id or reason.model) for reason in reasons})
    noun = "test" if models == 1 else "result"
    match verdict:
        case Verdict.FAIL:
            said = f"Fail: {'; '.join(_broken(codes))}"
            missing = _missing(codes)
            return said + (f" (besides, the run is incomplete: {'; '.join(missing)})" if missing else "")
        case Verdict.INCONCLUSIVE:
            start = "Can't tell" if options.role == "gate" else "Not fit as a baseline"
            return f"{start}: {'; '.join(_missing(codes))}"
        case Verdict.PASS | Verdict.NO_BASELINE if options.role == "record":
            return f"Recorded{_mean(overall, noun)}"
        case Verdict.NO_BASELINE:
            return f"No baseline to compare with{_mean(overall, noun)}"
        case Verdict.PASS:
            rules = "Pass: no rule was broken" if rules_set else f"Pass, with no rule set ({_no_rule(options)})"
            return f"{rules}; {_differences(counts, noun, options)}"
        case Verdict.SKIPPED:
            return "Skipped: no credentials"


def _broken(codes: Mapping[str, int]) -> list[str]:
    said = {
        "must_pass": f"{count(codes.get('must_pass', 0), 'must-pass test')} did not pass",
        "rejected": f"the server refuses {count(codes.get('rejected', 0), 'request')} that the baseline answered",
        "min_score": f"{count(codes.get('min_score', 0), 'model')} below min_score",
        "max_drop": f"{count(codes.get('max_drop', 0), 'model')} dropped by more than max_drop",
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


def _no_rule(options: GateOptions) -> str:
    unset = [
        name for name, value in (("min_score", options.min_score), ("max_drop", options.max_drop)) if value is None
    ]
    return f"{' and '.join(unset)} unset, no test is must_pass"


def _differences(counts: Mapping[str, int], noun: str, options: GateOptions) -> str:
    compared = counts["lower"] + counts["higher"] + counts["equal"]
    if compared == 0:
        return f"no {noun} was compared"
    if counts["lower"] == 0:
        return f"none of {count(compared, f'compared {noun}')} scored lower than the baseline"
    judged = "shown, not judged" if options.max_drop is None else "no model by more than max_drop"
    return f"{counts['lower']} of {count(compared, f'compared {noun}')} scored lower than the baseline ({judged})"


def _mean(overall: ComparedRow, noun: str) -> str:
    if overall.current is None or overall.current.mean is None:
        return ": nothing was scored"
    return f": mean {score(overall.current.mean)} over {count(overall.current.n, noun)}"
