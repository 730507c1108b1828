"""How a failing report says that a drop can be accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.acceptances import cell, whole
from tests.unit.compare.artifacts import artifact
from tests.unit.hostile_text import HOSTILE
from tests.unit.rendered_markdown import rendered
from tests.unit.report.views.shown import as_markdown, shown

from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import Acceptance
from llm_testbench.compare.options import GateOptions
from llm_testbench.report import terminal
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.accept import accept_blocks
from llm_testbench.settings.accepted_file import parse

NOW = artifact({"t": [1.0]})


def document(*entries: Acceptance, **paths: Any) -> Document:
    comparison = replace(compare(None, NOW, GateOptions()), accept=entries)
    return Document(tuple(accept_blocks(comparison, Rerun(**paths))))


def test_the_entry_is_there_to_be_pasted_and_the_command_beside_it() -> None:
    assert shown(document(cell("refund[de]", 0, 0.5))).split("\n") == [
        "If you want this drop, accept it",
        "",
        "Put this entry into accepted.yaml, in place of an older one of the same name. Then only a further drop fails.",
        "",
        '│ - model: "chat"',
        '│  test: "refund[de]"',
        "│  scores: [0, 0.5]",
        "",
        "Or let the files of this run do it:",
        "",
        "│ llmtest accept llm-testbench-results/comparison.json --reason '…'",
    ]


def test_several_drops_are_several_entries() -> None:
    text = shown(document(whole(a=(0.5,)), cell("b", 0)))

    assert text.startswith("If you want these drops, accept them\n\nPut these entries into accepted.yaml")
    assert '│ - model: "chat"\n│  tests:\n│  "a": [0.5]\n│ - model: "chat"\n│  test: "b"' in text


def test_the_paths_are_those_of_the_run() -> None:
    text = shown(document(cell("a", 0), accepted=".github/accepted.yaml", comparison="-my out/comparison.json"))

    assert "into .github/accepted.yaml," in text
    assert "llmtest accept './-my out/comparison.json' --reason" in text


def test_what_is_too_long_to_be_pasted_is_left_to_the_command() -> None:
    assert shown(document(*(cell(f"test-{number}", 0) for number in range(100)))).split("\n") == [
        "If you want these drops, accept them",
        "",
        "This writes the scores of this run to accepted.yaml. Then only a further drop fails.",
        "",
        "│ llmtest accept llm-testbench-results/comparison.json --reason '…'",
    ]


def test_where_nothing_can_be_accepted_nothing_is_said() -> None:
    assert document() == Document(())


@pytest.mark.parametrize(
    "bad", [text for name, text in HOSTILE.items() if text.strip() and name not in ("surrogate", "long")]
)
def test_what_is_pasted_is_what_this_run_scored(bad: str) -> None:
    bad = bad[:150]  # a longer entry is not shown
    entries = (cell(bad, 0, 0.5, model=bad), whole(model=bad, category=bad, **{f"{bad} 2": (1.0,)}))
    report = document(*entries)
    (on_a_page,) = [code for code in rendered(as_markdown(report)).code if code.startswith("- model")]
    lines = terminal.render(report, 80, color=False).splitlines()
    printed = "\n".join(line.removeprefix("  │ ") for line in lines if "│" in line).partition("llmtest accept")[0]

    assert parse(on_a_page, "f") == entries
    assert parse(printed, "f") == entries
