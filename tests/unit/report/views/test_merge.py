"""The report of `llmtest merge`."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.views.shown import shown

from llm_testbench.report.views.merge import Part, merge_json, merge_report

ONE = Part("a.json", "1/2", ("chat", "b"), 1234, 12, interrupted=False)
TWO = replace(ONE, file="b.json", shard="2/2", interrupted=True)
WHOLE = Part("whole.json", "", ("chat", "b"), 1, 1, interrupted=True)


def test_it_begins_with_the_sums_and_names_each_file() -> None:
    text = shown(merge_report([ONE, TWO], WHOLE))

    assert text.startswith("2 files joined: 2 models, 1 test, 1 attempt\n")
    assert "a.json  1/2  chat, b  1,234  12\n" in text
    assert "b.json  2/2, interrupted  chat, b" in text
    assert text.rstrip().endswith("written to whole.json")
    assert "whole  chat, b  1  1" in shown(merge_report([WHOLE], WHOLE)).replace("whole, interrupted", "whole")


def test_the_same_as_data() -> None:
    told = merge_json([TWO], WHOLE)

    assert told["parts"] == [
        {
            "file": "b.json",
            "shard": "2/2",
            "models": ["chat", "b"],
            "tests": 1234,
            "attempts": 12,
            "interrupted": True,
        }
    ]
    assert told["whole"] == {
        "file": "whole.json",
        "shard": None,
        "models": ["chat", "b"],
        "tests": 1,
        "attempts": 1,
        "interrupted": True,
    }
