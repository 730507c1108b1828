"""Ordinary programs come out of the sandbox as they do elsewhere. `python -m tests.sandbox.benign` prints a table."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sandbox import as_user
from tests.sandbox.benign.corpus import Ordinary, fault, is_possible, programs
from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.sandbox.languages import LANGUAGES, Toolchain
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.programs import toolchain

PROGRAMS = programs()


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as opened:
        yield opened


@functools.cache
def found(launchers: Launchers, language: str) -> Toolchain:
    """Nothing is skipped: scripts/install dev brings them all."""
    toolchain_ = toolchain(launchers, language, toolchain_path(), go_seed())
    assert isinstance(toolchain_, Toolchain), toolchain_.reason
    return toolchain_


def test_there_are_enough_in_every_language() -> None:
    assert len(PROGRAMS) >= 44
    assert {program.language for program in PROGRAMS} == set(LANGUAGES)


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_it_comes_out_right(launchers: Launchers, program: Ordinary) -> None:
    if not is_possible(program, launchers):
        pytest.skip("programs of an ordinary user may not change modes here")
    assert fault(program, launchers, found(launchers, program.language)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="who is no root has done this above")
def test_so_it_does_for_an_ordinary_user(tmp_path: Path) -> None:
    results = tmp_path / "results"
    module = "tests.sandbox.benign"
    as_user.run(["--path", toolchain_path(), "--go-seed", go_seed()], results, module)
    faults = dict(map(json.loads, results.read_text("ascii").splitlines()))
    assert faults == {program.name: None for program in PROGRAMS if program.name in faults or not program.modes}
