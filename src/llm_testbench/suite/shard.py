"""One machine's part of the selected tests, where several share a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llm_testbench.suite.model import Test

PATTERN = r"[1-9][0-9]{0,3}/[1-9][0-9]{0,3}"
_WRITTEN = re.compile(PATTERN)


@dataclass(frozen=True, slots=True)
class Shard:
    """The part `number`, from 1 on, of `of` parts; written `2/8`."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """What `str` wrote; ValueError when it is none."""
        if not _WRITTEN.fullmatch(text):
            raise ValueError("expected a shard like 2/8")
        number, of = map(int, text.split("/"))
        if number > of:
            raise ValueError(f"there is no part {number} of {of}")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def part(tests: Sequence[Test], shard: Shard) -> tuple[Test, ...]:
    """The tests that fall to the shard, in their order.

    Each test falls to exactly one, and the sizes of the parts differ by at most one. Which one depends on the ids of
    all tests and on nothing else. They are dealt by their hashes: in order of the ids, the cases of every test could
    follow each other so that all the slow ones fall to one machine.
    """
    from llm_testbench.json_value import digest  # noqa: PLC0415 -- the option table, which --help needs, knows Shard

    dealt = sorted((test.id for test in tests), key=digest)[shard.number - 1 :: shard.of]
    mine = frozenset(dealt)
    return tuple(test for test in tests if test.id in mine)
