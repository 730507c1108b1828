"""The report on a run that belongs to whoever is judged by it: its label, and nothing of its markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from tests.unit.artifact.samples import document
from tests.unit.compare.artifacts import artifact, entry
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.rendered_markdown import rendered
from tests.unit.report.parsed_html import parsed
from tests.unit.report.views.test_hostile import MARK, check_markdown, check_terminal, hostile_run

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.hostile import read_hostile
from llm_testbench.artifact.model import QUIRK_CAP, TRY_REASON_CAP, Artifact, Git, TestEntry
from llm_testbench.artifact.self_reported import Known, taken
from llm_testbench.compare.compare import MADE_UP, compare, doubted, skipped
from llm_testbench.compare.model import Comparison, Finding, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import Scope
from llm_testbench.compare.self_reported import differences, unchecked
from llm_testbench.report import html, junit, markdown, terminal
from llm_testbench.report.document import Document
from llm_testbench.report.fit import fit
from llm_testbench.report.views.gate import gate_report

LABEL = MADE_UP.message
SCOPE = Scope(self_reported=True)
GOOD: dict[Any, Any] = {"a-one": [1.0] * 10, "b-one": [1.0] * 10}
BAD: dict[Any, Any] = {"a-one": [0.0] * 10, "b-one": [1.0] * 10}


def reported(
    before: dict[Any, Any] | None, now: dict[Any, Any], options: GateOptions | None = None, scope: Scope = SCOPE
) -> tuple[Comparison, Artifact, Artifact | None]:
    current, baseline = artifact(now), artifact(before) if before is not None else None
    return compare(baseline, current, options or GateOptions(), scope), current, baseline


VERDICTS: dict[str, Callable[[], tuple[Comparison, Artifact, Artifact | None]]] = {
    "pass": lambda: reported(GOOD, GOOD),
    "fail": lambda: reported(GOOD, BAD),
    "no baseline": lambda: reported(None, GOOD),
    "inconclusive": lambda: reported(GOOD, {"a-one": [Outcome.TIMEOUT] * 10}),
    "skipped": lambda: (skipped(reported(GOOD, GOOD)[0], Finding("no_credentials", ("no key",))), artifact(GOOD), None),
    "unsaved": lambda: (doubted(reported(GOOD, GOOD)[0], [Finding("unsaved", ("lost",))]), artifact(GOOD), None),
}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_whatever_the_verdict_the_label_stands_right_below_it(verdict: str) -> None:
    comparison, current, baseline = VERDICTS[verdict]()
    shown = gate_report(comparison, current, baseline)
    headline, label = [line for line in markdown.render(shown).splitlines() if line][:2]
    assert headline.startswith("## Self-reported: ")
    assert label == f"<strong>{LABEL}</strong>"
    assert terminal.render(shown, 200, color=False).split("\n\n")[1].strip() == LABEL
    page = html.render(shown, comparison, current, baseline, GateOptions())
    assert LABEL in parsed(page).said()
    assert "Self-reported: " in junit.render(comparison, current)
    assert comparison.warnings[0] == MADE_UP


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_report_too_long_for_all_else_keeps_the_label_or_says_nothing(verdict: str) -> None:
    shown = gate_report(*VERDICTS[verdict]())
    whole = len(markdown.render(shown).encode())
    kept = [fit(shown, limit, markdown.render) for limit in range(0, whole, max(1, whole // 60))]
    assert any(kept)
    assert "" in kept
    assert all(LABEL in text for text in kept if text)


def test_its_own_numbers_are_not_offered_as_a_baseline() -> None:
    text = markdown.render(gate_report(*reported(None, GOOD)))
    assert "There is no baseline yet: a recording of the default branch" in text
    assert "llmtest run" not in text


def test_a_run_of_ones_own_has_no_label() -> None:
    comparison, current, baseline = reported(GOOD, GOOD, scope=Scope())
    assert LABEL not in markdown.render(gate_report(comparison, current, baseline))
    assert "Self-reported" not in comparison.headline


def test_such_a_run_does_not_blame_the_server() -> None:
    assert reported(GOOD, BAD, scope=Scope())[0].headline.endswith("what answers has changed (drift)")
    comparison, *_ = reported(GOOD, BAD, GateOptions(fail_on_drift=False))
    assert comparison.verdict is Verdict.FAIL
    assert "drift" not in comparison.headline


def test_such_a_run_offers_no_numbers_to_accept() -> None:
    assert reported(GOOD, BAD, scope=Scope())[0].accept
    assert reported(GOOD, BAD)[0].accept == ()


def test_what_it_did_otherwise_stands_beside_the_label_and_names_the_first_tests() -> None:
    base = tuple(entry(f"a-{number}") for number in range(10))
    run = artifact({"a-0": [1.0], "b-mine": [1.0]}, replace(base[0], request_hash="mine"))
    found = taken(run, base, frozenset(("chat", one.test_id) for one in base), Known(Git(), ""))
    scope = replace(SCOPE, noted=differences(found))
    text = markdown.render(gate_report(compare(None, found.artifact, GateOptions(), scope), found.artifact, None))
    below = text.split("</strong>")[1].strip().splitlines()
    assert below[:3] == [
        "- 9 tests of the base were left out, and count as unscored: `a-1`, `a-2`, `a-3`, `a-4`, `a-5` and 4 more",
        "- 1 test of the base was asked with another prompt: `a-0`",
        "- 1 test that the base does not select counts for nothing: `b-mine`",
    ]
    assert text.count("were left out") == 1


def test_that_the_base_is_not_known_stands_there_too() -> None:
    scope = replace(SCOPE, noted=(unchecked("@someone: no such file"),))
    comparison, current, baseline = reported(GOOD, GOOD, scope=scope)
    text = markdown.render(gate_report(comparison, current, baseline))
    assert "nothing tells which tests were left out or changed: `@someone: no such file`" in text


# Words of the format, times, hashes and names: each has its own rule, and no text may stand there.
CLOSED = frozenset({"phase", "side", "outcome", "copy", "role", "mode", "check_hash"})
SHORT = {"quirks": QUIRK_CAP, "reason": TRY_REASON_CAP}
NAMES = frozenset({"model", "test_id", "category", "subcategory"})


def spoiled(value: Any, bad: str, key: str = "") -> Any:
    """Every string of an artifact, and every key that is a name, replaced by the text."""
    if isinstance(value, dict):
        named = key in {"models", "fingerprints", "served_models", "adaptations", "throttled", "asked"}
        return {
            (name_of(one, bad) if named else one): spoiled(inner, bad, "" if named else one)
            for one, inner in value.items()
        }
    if isinstance(value, list):
        return [spoiled(inner, bad, key) for inner in value]
    if not isinstance(value, str) or key in CLOSED:
        return value
    return name_of(value, bad) if key in NAMES else f"{MARK}{value}{bad}"[: SHORT.get(key)]


def name_of(value: str, bad: str) -> str:
    """Names stay different from each other, and hold what names may hold."""
    return f"{MARK}{value} {''.join(one for one in bad if one.isprintable())}"[:900]


def full_run() -> Any:
    """A run with something in every field, as JSON."""
    run = hostile_run("", spoiled=True)
    models = {row.model: row.model for row in run.results} | dict(run.meta.models)
    return json.loads(json.dumps(document(replace(run, meta=replace(run.meta, models=models)))))


def published(bad: str, *, base_knows: bool) -> tuple[Document, Comparison, Artifact]:
    """What `publish` shows of a run that has the text in each of its fields."""
    whole = spoiled(full_run(), bad)
    found = read_hostile(json.dumps(whole).encode())
    base: tuple[TestEntry, ...] = found.tests[:2] if base_knows else (entry("a-one"),)
    planned = frozenset((model, one.test_id) for model in found.meta.models for one in base)
    run = taken(found, base, planned, Known(Git("octo/shop", "a" * 40), "2026-12-01T00:00:00Z"))
    before = replace(run.artifact, results=tuple(replace(one, score=1.0, error=None) for one in run.artifact.results))
    scope = Scope(planned=planned, noted=differences(run), self_reported=True)
    options = GateOptions(min_score=0.9, max_drop=0.0)
    comparison = compare(before, run.artifact, options, scope)
    return gate_report(comparison, run.artifact, before), comparison, run.artifact


def check(bad: str) -> None:
    for base_knows in (True, False):
        shown, comparison, current = published(bad, base_knows=base_knows)
        check_markdown(shown)
        check_terminal(shown)
        prose = rendered(markdown.render(shown)).prose
        assert LABEL in prose
        page = parsed(html.render(shown, comparison, current, None, GateOptions()))
        assert not {"img", "iframe", "object", "form", "a"} & set(page.tags)
        assert MARK not in comparison.headline


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
def test_every_trick_in_every_string_of_the_artifact(bad: str) -> None:
    check(bad)


@given(texts)
@settings(max_examples=15)
def test_tricks_mixed(bad: str) -> None:
    check(bad)


def test_the_text_stands_in_every_field_that_takes_one() -> None:
    whole = spoiled(full_run(), "!")
    plain = full_run()

    def compared(one: Any, other: Any, path: str) -> None:
        if isinstance(one, dict):
            for (key, mine), theirs in zip(one.items(), other.values(), strict=True):
                compared(mine, theirs, f"{path}.{key}")
        elif isinstance(one, list):
            for mine, theirs in zip(one, other, strict=True):
                compared(mine, theirs, path)
        elif isinstance(one, str) and path.rpartition(".")[2] not in CLOSED:
            assert other.startswith(MARK), path

    compared(plain, whole, "")


def test_a_name_that_hides_something_never_gets_that_far() -> None:
    whole = full_run()
    whole["tests"][0]["category"] = "a\u202eb"
    with pytest.raises(ArtifactError):
        read_hostile(json.dumps(whole).encode())
