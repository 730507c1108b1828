"""docs/security.md says what the policy is."""

from __future__ import annotations

import re

from tests.sandbox import policy_tables

from llm_testbench.sandbox.call_rules import CALL_RULES
from llm_testbench.sandbox.model import Layer, Promise
from llm_testbench.sandbox.workshop import Mode

AGAIN = "run: python -m tests.sandbox.policy_tables"
PAGE = policy_tables.PAGE.read_text("utf-8")


def first_cells(title: str) -> list[str]:
    """What stands in the first column of the table whose head begins so."""
    table = re.search(rf"(?m)^\| {re.escape(title)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE)
    assert table, f"no table begins with {title!r}"
    return [line.split("|")[1].strip() for line in table[1].splitlines()]


def test_the_tables_of_the_page_are_the_policy() -> None:
    assert policy_tables.page(PAGE) == PAGE, AGAIN


def test_each_refused_call_stands_on_the_page() -> None:
    shown = set(re.findall(r"`(\w+)`", policy_tables.calls()))
    assert {call for rule in CALL_RULES for call in rule.calls} == shown


def test_every_layer_and_promise_is_told_in_order() -> None:
    assert first_cells("layer") == [f"`{layer.value}`" for layer in Layer]
    assert first_cells("promise") == [f"`{promise.value}`" for promise in Promise]


def test_every_choice_is_told() -> None:
    assert [cell.split("`")[1] for cell in first_cells("`sandbox`")] == [mode.value for mode in Mode]


def test_a_program_of_its_own_uid_needs_no_landlock_for_secrets() -> None:
    """Were a row read off the wrong way, this would be no table to rely on."""
    assert "| `secrets` | `own_uid`, or `landlock_files` |" in policy_tables.kept_by()
    assert "| an ordinary user, without Landlock | no | yes | yes | no |" in policy_tables.surroundings()
