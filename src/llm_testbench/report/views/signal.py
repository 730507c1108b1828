"""Which tests say something: those that tell models apart, and those whose answers cannot be relied on."""

from __future__ import annotations

from llm_testbench.artifact.model import Artifact, Stat
from llm_testbench.artifact.stats import discriminates
from llm_testbench.compare.numbers import count
from llm_testbench.report.document import Bullets, Mono, Text, text
from llm_testbench.untrusted import Untrusted

MOST_NAMED = 10


def signal(artifact: Artifact, models: int) -> Bullets:
    """One line a kind of test; empty when there is nothing to say."""
    kinds = [
        ("with attempts that disagree", [stat for stat in artifact.stats if stat.unstable]),
        ("with answers cut off at the token limit", [stat for stat in artifact.stats if stat.truncated]),
    ]
    items = [_named(f"{count(len(stats), 'test')} {words}", stats) for words, stats in kinds if stats]
    if models > 1:
        telling = sorted((stat for stat in artifact.stats if discriminates(stat.spread)), key=_by_spread)
        items.insert(
            0, _named(f"{len(telling)} of {count(len(artifact.stats), 'test')} tell the models apart", telling)
        )
    return Bullets(tuple(items))


def _named(words: str, stats: list[Stat]) -> Text:
    if not stats:
        return text(words)
    spans = [span for stat in stats[:MOST_NAMED] for span in (", ", Mono(Untrusted(stat.test_id)))]
    more = f" and {len(stats) - MOST_NAMED} more" if len(stats) > MOST_NAMED else ""
    return text(words, ": ", *spans[1:], more)


def _by_spread(stat: Stat) -> tuple[float, str]:
    return -(stat.spread or 0.0), stat.test_id
