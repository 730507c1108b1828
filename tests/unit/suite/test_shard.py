"""Which tests fall to which of several machines."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.runner.samples import a_test

from llm_testbench.suite.shard import Shard, part

IDS = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=30)
OF = st.integers(1, 12)


def ids(names: list[str], shard: Shard) -> list[str]:
    return [test.id for test in part([a_test(name) for name in names], shard)]


@given(IDS, OF)
def test_every_test_falls_to_exactly_one_part(names: list[str], of: int) -> None:
    parts = [ids(names, Shard(number, of)) for number in range(1, of + 1)]

    assert sorted(name for one in parts for name in one) == sorted(names)


@given(IDS, OF)
def test_the_sizes_differ_by_at_most_one(names: list[str], of: int) -> None:
    sizes = [len(ids(names, Shard(number, of))) for number in range(1, of + 1)]

    assert max(sizes) - min(sizes) <= 1


@given(st.data(), IDS, OF)
def test_another_order_changes_the_order_in_a_part_and_nothing_else(
    data: st.DataObject, names: list[str], of: int
) -> None:
    shard = Shard(data.draw(st.integers(1, of)), of)
    shuffled = data.draw(st.permutations(names))

    mine = ids(names, shard)

    assert mine == [name for name in names if name in mine]
    assert ids(shuffled, shard) == [name for name in shuffled if name in mine]


def test_where_a_test_falls_is_the_same_on_every_machine_and_in_every_version() -> None:
    """By the SHA-256 of the id as JSON, dealt round: printf '"a"' | sha256sum."""
    assert [ids(list("abcde"), Shard(number, 2)) for number in (1, 2)] == [["b", "d", "e"], ["a", "c"]]


def test_the_slow_cases_of_all_tests_do_not_fall_to_one_machine() -> None:
    cases = [f"test-{number}[{size}]" for number in range(30) for size in ("large", "medium", "small")]

    slow = Counter(number for number in (1, 2, 3) for name in ids(cases, Shard(number, 3)) if "large" in name)

    assert max(slow.values()) < 20


@pytest.mark.parametrize("text", ["1/1", "2/8", "8/8", "9999/9999"])
def test_a_shard_is_written_as_it_is_read(text: str) -> None:
    assert str(Shard.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "0/8", "9/8", "1/0", "1", "1/", "/2", "-1/2", "1.0/2", " 1/2", "1/2 ", "1/2/3", "01/2", "١/٢", "1/99999"],
)
def test_anything_else_is_no_shard(text: str) -> None:
    with pytest.raises(ValueError, match=r"shard like 2/8|there is no part 9 of 8"):
        Shard.parse(text)
