"""The lines about the baseline: which, how old, and what was passed over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import as_markdown, shown

from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.options import GateOptions, Role
from llm_testbench.compare.scope import Scope
from llm_testbench.report.document import Document
from llm_testbench.report.views.baseline import MOST_LISTED, MOST_NAMED, baseline_blocks

DAY = 24 * 3600.0
RELEASE = BaselineRun("release v1.2.0", "v1.2.0", "a1b2c3d4e5f6", age=3 * DAY, cells=20, used=True)
RECORDING = BaselineRun("run 4711", "", "0011223344", age=7200, cells=1, used=True)
BROKEN = BaselineRun("release v1.3.0", "v1.3.0", "ffff", why="the asset is damaged")


def document(*runs: BaselineRun, role: Role = "gate", models: int = 1) -> Document:
    one = artifact({(f"m{number}", "t"): [1.0] for number in range(models)})
    return Document(tuple(baseline_blocks(compare(one, one, GateOptions(role=role), Scope(baselines=runs)))))


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (RELEASE, "Compared with release v1.2.0 (a1b2c3d, 3 days old)."),
        (RECORDING, "Compared with run 4711 (0011223, 2 hours old)."),
        (replace(RECORDING, source="run 4711 (0011223)"), "Compared with run 4711 (0011223) (2 hours old)."),
        (replace(RELEASE, age=None), "Compared with release v1.2.0 (a1b2c3d)."),
        (BaselineRun("base.json", used=True), "Compared with base.json."),
        (BaselineRun("base.json", used=True, age=10), "Compared with base.json (less than a minute old)."),
    ],
)
def test_one_baseline_is_named_with_its_commit_and_age(run: BaselineRun, line: str) -> None:
    assert shown(document(run)) == line


def test_an_old_baseline_stands_out() -> None:
    assert "<strong>" not in as_markdown(document(replace(RELEASE, age=30 * DAY)))
    assert "<strong>31 days old</strong>" in as_markdown(document(replace(RELEASE, age=31 * DAY)))


def test_a_recording_compares_for_information() -> None:
    assert shown(document(RELEASE, role="record")).startswith("For information, compared with release v1.2.0")


def test_of_several_each_says_what_it_gave() -> None:
    assert shown(document(RELEASE, RECORDING)).split("\n") == [
        "Compared with 2 baselines.",
        "",
        "- 20 tests with release v1.2.0 (a1b2c3d, 3 days old)",
        "- 1 test with run 4711 (0011223, 2 hours old)",
    ]
    assert "- 20 results with" in shown(document(RELEASE, RECORDING, models=2))


def test_what_was_preferred_and_passed_over_is_said_at_once() -> None:
    text = shown(document(BROKEN, RELEASE))
    assert text.endswith("3 days old). The newer release v1.3.0 was passed over: the asset is damaged.")
    assert "▾" not in shown(document(BROKEN, RELEASE))
    assert "). release v1.3.0 was passed over: the asset is damaged." in shown(document(BROKEN, RECORDING))


def test_runs_that_joined_and_those_left_out_are_named_with_their_reasons() -> None:
    joined = replace(RECORDING, cells=0, pooled=18, why="code: its scores differ from the newest")
    both = BaselineRun("run 4000", cells=2, pooled=1, used=True)
    left_out = BaselineRun("release v1.1.0", "v1.1.0", why="its scores differ from the newest")
    assert shown(document(RELEASE, joined, both, left_out)).split("\n") == [
        "Compared with 3 runs. Left out: release v1.1.0 (its scores differ from the newest).",
        "",
        "- 20 tests with release v1.2.0 (a1b2c3d, 3 days old)",
        "- 18 tests joined by attempts of run 4711 (0011223, 2 hours old);"
        " not everywhere: code: its scores differ from the newest",
        "- 2 tests with run 4000, and 1 more joined by its attempts",
    ]


def test_more_left_out_than_a_sentence_holds_stand_in_a_fold() -> None:
    later = [BaselineRun(f"run {number}", why="holds nothing new") for number in range(MOST_NAMED + 1)]
    text = shown(document(RELEASE, *later[:MOST_NAMED]))
    assert text.endswith("Left out: run 0 (holds nothing new), run 1 (holds nothing new), run 2 (holds nothing new).")
    text = shown(document(RELEASE, *later))
    assert "run 2 (holds nothing new) and 1 more." in text
    assert "▾ 4 baselines passed over" in text
    assert text.endswith("- run 3: holds nothing new")


def test_all_that_was_passed_over_stands_in_a_fold() -> None:
    later = BaselineRun("run 12", why="holds nothing new")
    text = shown(document(BROKEN, replace(BROKEN, tag="v1.2.9"), RELEASE, later))
    assert "was passed over: the asset is damaged (and 1 more). Left out: run 12 (holds nothing new)." in text
    assert text.endswith(
        "▾ 3 baselines passed over\n\n- release v1.3.0: the asset is damaged\n- release v1.2.9: the asset is damaged\n"
        "- run 12: holds nothing new"
    )


def test_without_a_usable_one_it_says_why() -> None:
    assert shown(document(BROKEN)) == "1 baseline could not be used:\n\n- release v1.3.0: the asset is damaged"
    many = shown(document(*[BROKEN] * (MOST_LISTED + 2)))
    assert many.endswith("- and 2 more")


def test_where_nobody_looked_there_is_no_line() -> None:
    assert baseline_blocks(compare(None, artifact({"t": [1.0]}), GateOptions())) == []
