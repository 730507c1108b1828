"""The suites in the pages about one task each load and prove themselves."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.unit.suite.guide import DOCS, files, page
from tests.unit.suite.suites import write

from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.load import load
from llm_testbench.suite.prove import Proof, prove

PAGES = ("choose-an-evaluator", "test-tool-calls", "test-code")
SHOWN = [pytest.param(of, name, id=f"{of}: {name}") for of in PAGES for name in files(page(of))]


@pytest.mark.parametrize(("of", "name"), SHOWN)
def test_a_suite_of_the_page_loads_and_proves_itself(tmp_path: Path, of: str, name: str) -> None:
    write(tmp_path, ".git/config", "")
    write(tmp_path, name, files(page(of))[name])
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert prove(load([name], tmp_path), found.workshop) == Proof()


@pytest.mark.parametrize("of", PAGES)
def test_each_suite_of_the_page_is_a_file_with_a_name(of: str) -> None:
    assert page(of).count("```yaml") == len(files(page(of))) > 0


@pytest.mark.parametrize("of", PAGES)
def test_what_the_page_points_to_exists(of: str) -> None:
    for target, _, anchor in re.findall(r"\]\(([\w./-]+?\.md)(#([\w-]+))?\)", page(of)):
        text = (DOCS / target).read_text("utf-8")
        headings = {
            re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.+)$", text, re.M)
        }
        assert not anchor or anchor in headings, (target, anchor)
