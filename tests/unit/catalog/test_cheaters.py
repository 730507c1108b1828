"""Answers that understand nothing: each of them passes the check that was made for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.catalog.cheaters import CHEATS, earned

from llm_testbench.sandbox.programs import CLOSED
from llm_testbench.suite.load import load

SUITE = """
category: a
subcategory: b
tests:
  - id: weak
    prompt: |
      A pod asks for 1,250 units. Its class is "Low", and Burstable is not what it was. Which class does it get at 3.5:
      Guaranteed, Burstable or BestEffort? Answer with "one word"
    {tools}evaluate: {check}
"""
TOOLS = "tools: [{type: function, function: {name: look_up, parameters: {type: object}}}]\n    "


@pytest.mark.parametrize(
    ("cheat", "check"),
    [
        ("the prompt echoed", "{contains_all: [Guaranteed, not what it was]}"),
        ("its first number", "{numeric: 1250}"),
        ("its last number", "{numeric: 3.5}"),
        ("its most common option word", "{equals: Burstable}"),
        ("its first quoted text", "{equals: Low}"),
        ("its last quoted text", "{equals: one word}"),
        ("its last word", "{equals: 'word\"'}"),
        ("yes", "{equals: 'yes'}"),
        ("no", "{equals: 'no'}"),
        ("zero", "{numeric: 0}"),
        ("one", "{numeric: 1}"),
        ("an empty object", "{json_schema: {type: object}}"),
        ("an empty list", "{json_schema: {type: array}}"),
        ("a refusal", "{contains_all: [sorry]}"),
        ("the first tool called without arguments", "{tool_called: look_up}"),
    ],
)
def test_it_passes_the_check_that_was_made_for_it(tmp_path: Path, cheat: str, check: str) -> None:
    tools = TOOLS if "tool" in cheat else ""
    tmp_path.joinpath("suite.yaml").write_text(SUITE.replace("{tools}", tools).replace("{check}", check))
    tests = load(["suite.yaml"], tmp_path)
    (found,) = [one for one in earned(tests, CLOSED) if one.cheat == cheat]
    assert (found.mean, found.passed) == (1, ("weak",))


def test_every_cheat_is_shown_to_work() -> None:
    (marked,) = test_it_passes_the_check_that_was_made_for_it.pytestmark  # type: ignore[attr-defined]
    # No check passes on an empty answer: see test_any_answer.
    assert ["an empty answer", *(cheat for cheat, _ in marked.args[1])] == list(CHEATS)
