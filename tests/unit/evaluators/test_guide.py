"""Every YAML example in docs/evaluators.md scores its answers as the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.sandbox.toolchains import go_seed, toolchain_path
from tests.unit.evaluators.judging import answer

from llm_testbench import yaml12
from llm_testbench.answer.model import ToolCall
from llm_testbench.evaluators.registry import build, names
from llm_testbench.evaluators.running import evaluate_in
from llm_testbench.json_value import JSON, JSONObject, canonical
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened

PAGE = (Path(__file__).parents[3] / "docs" / "evaluators.md").read_text("utf-8")


def items(value: JSON) -> Sequence[JSON]:
    assert isinstance(value, Sequence)
    return value


def mapping(value: JSON) -> JSONObject:
    assert isinstance(value, Mapping)
    return value


def shown() -> Iterator[JSONObject]:
    for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S):
        yield from map(mapping, items(yaml12.read(block, "docs/evaluators.md").value))


SHOWN = tuple(shown())


def calls(example: JSONObject) -> tuple[ToolCall, ...]:
    made = map(mapping, items(example.get("tool_calls", [])))
    return tuple(ToolCall(str(call["name"]), mapping(call["arguments"]), canonical(call["arguments"])) for call in made)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
        assert found.refusal == ""
        yield found.workshop


@pytest.mark.parametrize("test", SHOWN, ids=lambda test: next(iter(mapping(test["evaluate"]))))
def test_an_example_of_the_page_scores_as_it_says(test: JSONObject, workshop: Workshop) -> None:
    evaluator = build(test["evaluate"])
    for example in map(mapping, items(test["examples"])):
        score = evaluate_in(evaluator, answer(str(example.get("response", "")), *calls(example)), workshop)
        assert score.skipped is None, score.reason
        assert score.value == example["score"], score.reason


def test_the_page_shows_every_evaluator() -> None:
    assert {name for test in SHOWN for name in mapping(test["evaluate"])} == set(names())
    for name in names():
        assert f"`{name}`" in PAGE
