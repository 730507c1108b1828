"""Prints the table of quirks with what this project's gateway makes of each: `python -m tests.quirks`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tabulate import tabulate
from tests.quirks.corpus import Quirk, corpus
from tests.quirks.ours import play


def main() -> int:
    """1 when a case came out otherwise than expected."""
    failed = 0
    rows = []
    for quirk in corpus():
        told, right = _results(quirk)
        failed += len(quirk.cases) - right
        rows.append([quirk.number, quirk.name, f"{right}/{len(quirk.cases)}", quirk.rule, told])
    print(tabulate(rows, ["#", "quirk", "as expected", "rule", "outcomes"], "github"))  # noqa: T201
    total = sum(len(quirk.cases) for quirk in corpus())
    print(f"\n{len(corpus())} quirks, {total} cases, {total - failed} as expected")  # noqa: T201
    return 1 if failed else 0


def told(seen: Mapping[str, Any]) -> str:
    """A result in a few words: how it ended, after how many tries."""
    if "attempts" in seen:
        return f"{len(seen['attempts'])} × {seen['attempts'][0]['outcome']}"
    tries = len(seen["tries"])
    return seen["outcome"] if tries == 1 else f"{seen['outcome']} after {tries} tries"


def _results(quirk: Quirk) -> tuple[str, int]:
    results: dict[str, None] = {}
    right = 0
    for case in quirk.cases:
        expected, seen = play(case)
        right += expected == seen
        results[told(seen)] = None
    return "; ".join(results), right


if __name__ == "__main__":
    sys.exit(main())
