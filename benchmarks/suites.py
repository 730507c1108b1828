"""Writes the suites and artifacts that the budgets are measured on."""

from __future__ import annotations

import json
from pathlib import Path


def write_suite(path: Path, tests: int) -> None:
    """A suite of `tests` small tests, all answered right by the test gateway's `42`."""
    lines = ["category: benchmark", "subcategory: numbers", "tests:"]
    for number in range(tests):
        lines += [
            f"  - id: sum-{number}",
            f"    description: A sum with {number}",
            "    prompt: |",
            f"      What is {number} + 42 - {number}? Answer with the number alone.",
            "    evaluate: {numeric: 42}",
            "    examples:",
            '      - {response: "42", score: 1}',
            '      - {response: "41", score: 0}',
        ]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write_artifact(path: Path, template: Path, rows: int, *, score: float) -> None:
    """An artifact of `rows` rows: the first row of `template` under as many test ids, five attempts each."""
    document = json.loads(template.read_text("utf-8"))
    row = document["results"][0]
    test = document["tests"][0]
    stat = document["stats"][0]
    names = [f"test-{number:05d}" for number in range(rows // 5)]
    document["tests"] = [{**test, "test_id": name} for name in names]
    document["stats"] = [{**stat, "test_id": name} for name in names]
    document["results"] = [
        {**row, "test_id": name, "attempt": attempt, "score": score, "passed": score >= 0.99}
        for name in names
        for attempt in range(5)
    ]
    path.write_text(json.dumps(document), "utf-8")
