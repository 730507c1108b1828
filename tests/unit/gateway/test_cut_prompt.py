"""A prompt that a server has cut without a word."""

from __future__ import annotations

from typing import Any

import pytest

from llm_testbench.answer.model import Usage
from llm_testbench.gateway.cut_prompt import was_cut

LONG = "word " * 4000


@pytest.mark.parametrize(
    ("content", "usage", "cut"),
    [
        pytest.param(LONG, Usage(2050), True, id="far fewer tokens than words"),
        pytest.param([{"type": "text", "text": LONG}, {"type": "image_url"}], Usage(2050), True, id="in parts"),
        pytest.param(LONG, Usage(5200), False, id="more tokens than words"),
        pytest.param(LONG, Usage(3000), False, id="an unusual tokeniser"),
        pytest.param(LONG, Usage(2999), True, id="below what that could explain"),
        pytest.param(LONG, Usage(100, cached_tokens=5000), False, id="most came from a cache"),
        pytest.param(LONG, Usage(), False, id="not counted"),
        pytest.param(LONG, Usage(0), False, id="a count of zero says nothing"),
        pytest.param("字" * 20_000, Usage(2050), False, id="no white space"),
        pytest.param(" " * 20_000, Usage(10), False, id="white space alone"),
        pytest.param("word " * 255, Usage(7), False, id="shorter than any context"),
        pytest.param("word " * 256, Usage(7), True, id="as long as the shortest"),
        pytest.param(None, Usage(7), False, id="no text"),
        pytest.param(["x", {"type": "text", "text": 7}], Usage(7), False, id="no text in the parts"),
    ],
)
def test_fewer_tokens_than_words_show_a_cut(content: Any, usage: Usage, *, cut: bool) -> None:
    assert was_cut([{"role": "user", "content": content}], usage) is cut


def test_all_messages_count_together() -> None:
    messages = [{"role": "system", "content": "word " * 200}, {"role": "user", "content": "word " * 200}]

    assert was_cut(messages, Usage(100))
