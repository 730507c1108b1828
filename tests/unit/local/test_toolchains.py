"""What compilers say about themselves, however they behave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from llm_testbench.local import toolchains as room
from llm_testbench.local.toolchains import Toolchain, toolchains


def program(folder: Path, text: str, name: str = "tool") -> dict[str, str]:
    """An environment whose PATH begins with this program."""
    file = folder / name
    file.write_text(text, "utf-8")
    file.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin", "SECRET": "sk-0123456789"}


def asked(environ: dict[str, str]) -> Toolchain:
    (found,) = toolchains(environ, {"tool": ("--version",)})
    return found


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("#!/bin/sh\necho tool $1 1.2\necho more\n", "tool --version 1.2"),
        ("#!/bin/sh\nprintf 'no line end'\n", "no line end"),
        ("#!/bin/sh\necho to stderr >&2\nexit 3\n", ""),
        ('#!/bin/sh\necho "secret: $SECRET"\n', "secret:"),
        ("#!/bin/sh\nread line && echo $line || echo no input\n", "no input"),
        ("no program at all", ""),
    ],
)
def test_the_first_line_is_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, version: str
) -> None:
    monkeypatch.setenv("SECRET", "sk-0123456789")
    assert asked(program(tmp_path, text)) == Toolchain("tool", found=True, version=version)


def test_what_is_not_on_the_path_is_not_there(tmp_path: Path) -> None:
    assert asked({"PATH": str(tmp_path)}) == Toolchain("tool", found=False)


@pytest.mark.parametrize("text", ["#!/bin/sh\nexec sleep 60\n", "#!/bin/sh\necho\nexec sleep 60\n"])
def test_a_silent_one_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(room, "LONGEST", 0.1)

    assert asked(program(tmp_path, text)).version == ""


def test_an_endless_line_is_cut(tmp_path: Path) -> None:
    assert 0 < len(asked(program(tmp_path, "#!/bin/sh\nwhile :; do printf xxxxxxxxxxxxxxxx; done\n")).version) < 10_000


def test_this_machine_has_a_shell() -> None:
    found = {one.name: one for one in toolchains(os.environ)}
    assert list(found) == list(room.TOOLCHAINS)
    assert "bash" in found["bash"].version
