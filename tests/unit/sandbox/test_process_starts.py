"""Only the sandbox and the embedded gateway start processes.

import-linter forbids the modules that do nothing else; these functions stand in modules that everybody needs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import llm_testbench

PACKAGE = Path(llm_testbench.__file__).parent
MAY = ("sandbox", "local")
MODULES = {"subprocess", "multiprocessing", "pty", "_posixsubprocess", "concurrent.futures.process"}
FUNCTIONS = {
    *("fork", "forkpty", "system", "popen", "startfile", "posix_spawn", "posix_spawnp"),
    *(f"exec{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *(f"spawn{kind}" for kind in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    "ProcessPoolExecutor",
}


def starts(source: str) -> list[str]:
    """Names by which that module could start a process."""
    nodes = list(ast.walk(ast.parse(source)))
    imported = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    systems = {alias.asname or alias.name for alias in imported if alias.name in ("os", "posix")}
    return [name for node in nodes for name in _named(node, systems)]


def _named(node: ast.AST, systems: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        of_system = isinstance(node.value, ast.Name) and node.value.id in systems
        if of_system or node.attr not in ("fork", "system"):  # words that others use, too
            yield node.attr
    elif isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        yield from names & FUNCTIONS - ({"system"} if node.module == "platform" else set())
        yield from _modules(node.module or "", *(f"{node.module}.{name}" for name in names))
    elif isinstance(node, ast.Import):
        yield from _modules(*(alias.name for alias in node.names))
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[-1], ast.Constant):
        # import_module("subprocess"), getattr(os, "fork")
        by_name = ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__", "getattr")
        if by_name and node.args[-1].value in MODULES | FUNCTIONS:
            yield str(node.args[-1].value)


def _modules(*names: str) -> set[str]:
    return {part for name in names for part in (name, name.partition(".")[0])} & MODULES


def test_no_other_room_does() -> None:
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in MAY and (names := starts(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.fork()",
        "import os\nos.execve('/bin/sh', [], {})",
        "import os\nos.system('x')",
        "from os import posix_spawn as p",
        "import os as o\nrun = o.popen",
        "import subprocess",
        "import multiprocessing.pool",
        "from multiprocessing import Pool",
        "from concurrent.futures import ProcessPoolExecutor",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "import importlib\nimportlib.import_module('subprocess')",
        "import os\ngetattr(os, 'fork')()",
    ],
)
def test_each_way_is_seen(source: str) -> None:
    assert starts(source)


def test_the_rooms_that_may_do() -> None:
    for room in MAY:
        assert any(starts(path.read_text(encoding="utf-8")) for path in (PACKAGE / room).rglob("*.py"))
