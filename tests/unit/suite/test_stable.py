"""What results are compared by stays while a suite grows; what the defaults say holds until a test says else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, load_text

from llm_testbench.suite.model import Test

CASES = {"km": "{n: 3, unit: km}", "miles": "{n: 2, unit: miles}", "cm": "{n: 5, unit: cm}"}


def expanded(folder: Path, *names: str, before: str = "") -> dict[str, Test]:
    cases = ", ".join(f"{name}: {CASES[name]}" for name in names)
    text = f"""{HEAD}tests:
{before}
  - id: unit
    prompt: How far is ${{n}} ${{unit}}?
    evaluate: {{contains_all: ["${{n}}"]}}
    cases: {{{cases}}}
"""
    return {test.id: test for test in load_text(folder, text)}


def test_a_case_is_called_by_its_name_whatever_stands_around_it(tmp_path: Path) -> None:
    first = expanded(tmp_path, "km", "miles")
    other = "  - {id: first, prompt: x, evaluate: {equals: x}}"
    later = expanded(tmp_path, "cm", "miles", "km", before=other)

    assert set(first) == {"unit[km]", "unit[miles]"}
    assert set(later) == {"first", "unit[cm]", "unit[miles]", "unit[km]"}
    for name, test in first.items():
        assert (later[name].request_hash, later[name].check_hash) == (test.request_hash, test.check_hash)


def test_cases_differ_in_what_they_ask(tmp_path: Path) -> None:
    found = expanded(tmp_path, "km", "miles", "cm").values()
    assert len({test.request_hash for test in found}) == len({test.check_hash for test in found}) == 3


def test_what_a_case_inherits(tmp_path: Path) -> None:
    text = f"""{HEAD}defaults: {{tags: [all], must_pass: true, quarantine: true, rev: 2, request: {{temperature: 0}}}}
tests:
  - id: a
    tags: [own]
    prompt: Say ${{x}}.
    evaluate: {{equals: y}}
    cases: {{one: {{x: 1}}, two: {{x: 2}}}}
  - {{id: b, prompt: z, must_pass: false, quarantine: false, rev: 1, request: {{}}, evaluate: {{equals: y}}}}
"""
    one, two, plain = load_text(tmp_path, text)
    for test in (one, two):
        assert (test.tags, test.must_pass, test.quarantine, test.rev) == (("all", "own"), True, True, 2)
        assert test.parameters == {"temperature": 0}
    assert (plain.tags, plain.must_pass, plain.quarantine, plain.rev) == (("all",), False, False, 1)
    assert plain.parameters == {}


@pytest.mark.parametrize("written", ["must_pass", "quarantine"])
def test_a_case_may_say_for_itself_whether_it_must_pass(tmp_path: Path, written: str) -> None:
    text = f"""{HEAD}tests:
  - id: a
    prompt: x
    {written}: ${{it}}
    evaluate: {{equals: y}}
    cases: {{one: {{it: true}}, two: {{it: false}}}}
"""
    one, two = load_text(tmp_path, text)
    assert (getattr(one, written), getattr(two, written)) == (True, False)
