"""Packages with evaluators, installed for one test: as pip leaves them, by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from llm_testbench.evaluators import plugins

SOURCE = """
from dataclasses import dataclass, field
from llm_testbench.evaluators.public import Score, SpecError, build, evaluate_in, runs_code

@dataclass(frozen=True)
class Shouts:
    name = "shouts"
    revision = 1
    summary = "The answer is in capitals."
    schema = {"type": "integer"}

    least: int

    @classmethod
    def from_parameters(cls, parameters):
        if not isinstance(parameters, int):
            raise SpecError("expected a number", ("least",))
        return cls(parameters)

    def evaluate(self, answer):
        return Score(1.0 if answer.text.isupper() else 0.0, f"found {answer.text}")
"""
"""The module of a package whose evaluator is sound."""


class Shelf:
    """The folder of a test from which Python imports; `add` installs a package there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: list[str] = []

    def add(self, package: str, version: str, module: str, source: str, points: Mapping[str, str]) -> None:
        """A package of one module; `points`: the objects of its evaluators, by name."""
        (self.folder / f"{module}.py").write_text(source, "utf-8")
        self._modules.append(module)
        info = self.folder / f"{package.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", "utf-8")
        lines = "".join(f"{name} = {place}\n" for name, place in points.items())
        (info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{lines}", "utf-8")
        forget()

    def sound(self, source: str = SOURCE) -> None:
        """The package `loud 1.2` with the evaluator `shouts`."""
        self.add("loud", "1.2", "loud_module", source, {"shouts": "loud_module:Shouts"})

    def remove(self) -> None:
        for module in self._modules:
            sys.modules.pop(module, None)


def forget() -> None:
    """As in a new process: what is installed is looked up again."""
    plugins.declared.cache_clear()
    plugins._loaded.cache_clear()


@contextmanager
def shelf_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    shelf = Shelf(folder)
    monkeypatch.syspath_prepend(folder)
    forget()
    yield shelf
    monkeypatch.undo()
    shelf.remove()
    forget()
