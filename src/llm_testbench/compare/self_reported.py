"""What a run that was made by whoever is judged by it did otherwise than the base would have: said, never judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llm_testbench.artifact.self_reported import Taken
from llm_testbench.compare.model import Finding, Quoted
from llm_testbench.compare.named import named
from llm_testbench.compare.numbers import count

MISSING, OTHER_CHECK, OTHER_PROMPT, UNKNOWN, UNCHECKED = CODES = (
    "self_reported_missing",
    "self_reported_check",
    "self_reported_prompt",
    "self_reported_unknown",
    "self_reported_unchecked",
)
MOST_NAMED = 5
_LONGEST = 128  # characters of a test's id


def differences(taken: Taken) -> tuple[Finding, ...]:
    """Most important first; a finding about many tests names the first ones."""
    return tuple(_found(taken))


def unchecked(why: str) -> Finding:
    """Where the base's suites cannot be read. `why`: one line, foreign."""
    words = "The base's suites could not be read, so nothing tells which tests were left out or changed: "
    return Finding(UNCHECKED, (words, Quoted(why)))


def _found(taken: Taken) -> Iterator[Finding]:
    if taken.missing:
        words = (
            f"{_of_the_base(taken.missing)} {_was(taken.missing)} left out, and {_counts(taken.missing)} as unscored: "
        )
        yield Finding(MISSING, (words, *_named(taken.missing)))
    if taken.other_check:
        many = taken.other_check
        words = f"{_of_the_base(many)} {_was(many)} scored by another check, and {_counts(many)} as unscored: "
        yield Finding(OTHER_CHECK, (words, *_named(many)))
    if taken.other_prompt:
        words = f"{_of_the_base(taken.other_prompt)} {_was(taken.other_prompt)} asked with another prompt: "
        yield Finding(OTHER_PROMPT, (words, *_named(taken.other_prompt)))
    if taken.unknown:
        words = (
            f"{count(len(taken.unknown), 'test')} that the base does not select {_counts(taken.unknown)} for nothing: "
        )
        yield Finding(UNKNOWN, (words, *_named(taken.unknown)))


def _of_the_base(ids: Sequence[str]) -> str:
    return f"{count(len(ids), 'test')} of the base"


def _was(ids: Sequence[str]) -> str:
    return "was" if len(ids) == 1 else "were"


def _counts(ids: Sequence[str]) -> str:
    return "counts" if len(ids) == 1 else "count"


def _named(ids: Sequence[str]) -> tuple[str | Quoted, ...]:
    return named([one[:_LONGEST] for one in ids], MOST_NAMED)
