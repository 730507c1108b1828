from __future__ import annotations

import pytest

from llm_testbench.answer.finish import is_failure, is_filtered, is_length


@pytest.mark.parametrize(
    ("reason", "length", "filtered", "failure"),
    [
        (None, False, False, False),
        ("stop", False, False, False),
        ("end_turn", False, False, False),
        ("length", True, False, False),
        ("MAX_TOKENS", True, False, False),
        ("model_context_window_exceeded", True, False, False),
        ("content_filter", False, True, False),
        ("SAFETY", False, True, False),
        ("guardrail_intervened", False, True, False),
        ("error", False, False, True),
        ("insufficient_system_resource", False, False, True),
    ],
)
def test_a_finish_reason_is_read_in_the_words_of_each_vendor(
    reason: str | None, *, length: bool, filtered: bool, failure: bool
) -> None:
    assert (is_length(reason), is_filtered(reason), is_failure(reason)) == (length, filtered, failure)
