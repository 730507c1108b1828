"""What went wrong with attempts that have no score, grouped."""

from __future__ import annotations

from collections import Counter

from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.outcomes import was_not_asked
from llm_testbench.report.document import Mono, Table, table, text
from llm_testbench.untrusted import Untrusted, shortened

MOST_KINDS = 20
MESSAGE_LIMIT = 200  # characters


def error_table(artifact: Artifact) -> Table | None:
    """By model and outcome, the most frequent first, each with the words of its first attempt; None without errors.

    Attempts that were not made stand apart.
    """
    failed = [row for row in artifact.results if row.error is not None]
    if not failed:
        return None
    kinds = Counter((row.model, _kind(row)) for row in failed)
    words = {(row.model, _kind(row)): shortened(row.error or "", MESSAGE_LIMIT) for row in reversed(failed)}
    ordered = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return table(
        [("model", "left"), ("error", "left"), ("attempts", "right"), ("first message", "left")],
        [
            [text(Mono(Untrusted(key[0]))), text(key[1]), text(str(number)), text(Untrusted(words[key]))]
            for key, number in ordered[:MOST_KINDS]
        ],
    )


def _kind(row: Row) -> str:
    return "not asked" if was_not_asked(row) else row.outcome.value
