"""Every file in docs/write-a-suite.md is what the page says: it loads, proves itself, or fails as shown."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.unit.suite.guide import FILES, PAGE
from tests.unit.suite.suites import write

from llm_testbench.errors import InputError
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.load import load
from llm_testbench.suite.prove import Proof, prove
from llm_testbench.suite.select import Filters, select


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, ".git/config", "")
    for name, content in FILES.items():
        write(tmp_path, name, content)
    return tmp_path


def test_the_page_shows_files() -> None:
    assert len(FILES) == 9
    assert PAGE.count("```yaml") == sum(name.endswith(".yaml") for name in FILES)


@pytest.mark.parametrize("name", sorted(name for name in FILES if re.fullmatch(r"evals/\w+\.yaml", name)))
def test_a_suite_of_the_page_loads_and_proves_itself(repository: Path, name: str) -> None:
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert prove(load([name], repository), found.workshop) == Proof()


def test_the_suites_of_the_page_load_together(repository: Path) -> None:
    tests = load(["evals/*.yaml"], repository)
    chosen = select(tests, Filters(tests=("unit[*]",)))
    assert [test.id for test in chosen] == ["unit[km]", "unit[miles]"]


def test_the_broken_suite_of_the_page_ends_as_shown(repository: Path) -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.S)
    with pytest.raises(InputError) as caught:
        load(["broken/suite.yaml"], repository)
    assert [line.split(" (known: ")[0] for line in str(caught.value).split("\n")] == shown.splitlines()
