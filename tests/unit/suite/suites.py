"""Writes suites for the tests of the room and loads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm_testbench.errors import InputError
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test

HEAD = "category: programming\nsubcategory: python\n"


def load_text(folder: Path, text: str) -> tuple[Test, ...]:
    """The tests of one suite file with that text."""
    (folder / "s.yaml").write_text(text, "utf-8")
    return load(["s.yaml"], folder)


def load_one(folder: Path, body: str, head: str = HEAD) -> Test:
    """The only test of a suite; `body` is what stands below `- `, indented by four."""
    (test,) = load_text(folder, f"{head}tests:\n  - {body.strip()}\n")
    return test


def faults_of(folder: Path, text: str) -> list[str]:
    """The lines of the error that loading a suite ends in."""
    with pytest.raises(InputError) as caught:
        load_text(folder, text)
    return str(caught.value).split("\n")


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """A file below `folder`, its folders made."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
