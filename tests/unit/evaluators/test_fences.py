from __future__ import annotations

import time

import pytest

from llm_testbench.evaluators.fences import Block, fenced_blocks


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param("no fence", [], id="none"),
        pytest.param("```json\n1\n```", [Block("json", "1")], id="tagged"),
        pytest.param("```\n1\n```", [Block("", "1")], id="untagged"),
        pytest.param("~~~json\n1\n~~~", [Block("json", "1")], id="tildes"),
        pytest.param("```JSON title=x\n1\n```", [Block("json", "1")], id="upper case and more words"),
        pytest.param("``` json\n1\n```", [Block("json", "1")], id="space before the tag"),
        pytest.param("a\n```a\n1\n```\nb\n```b\n2\n\n3\n```", [Block("a", "1"), Block("b", "2\n\n3")], id="several"),
        pytest.param("  - x\n    ```json\n    1\n    ```", [Block("json", "    1")], id="indented"),
        pytest.param("> ```\n> 1\n> ```", [Block("", "> 1")], id="quoted"),
        pytest.param("````\n```\n1\n```\n````", [Block("", "```\n1\n```")], id="a longer fence holds a shorter"),
        pytest.param("```\n1\n~~~\n```", [Block("", "1\n~~~")], id="the other fence closes nothing"),
        pytest.param("```\n```json\n```", [Block("", "```json")], id="a tagged fence closes nothing"),
        pytest.param("```json\n1", [Block("json", "1")], id="never closed"),
        pytest.param("```json", [Block("json", "")], id="opened at the very end"),
        pytest.param("```json {}```", [], id="inline code"),
        pytest.param("```\n```", [Block("", "")], id="empty"),
    ],
)
def test_blocks_are_found_as_markdown_has_them(text: str, blocks: list[Block]) -> None:
    assert list(fenced_blocks(text)) == blocks


def test_a_line_of_nothing_but_a_fence_costs_little() -> None:
    begun = time.process_time()
    assert list(fenced_blocks("~" * 50_000 + "`")) == []
    assert time.process_time() - begun < 1
