"""Which toolchains a command takes, and what it keeps from programs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.programs import checkouts, searched, workshop
from llm_testbench.sandbox.languages import Toolchain
from llm_testbench.sandbox.workshop import Mode


@pytest.mark.parametrize(
    ("environ", "cwd", "found"),
    [
        ({}, "/work/repo", ("/work/repo",)),
        (
            {"GITHUB_WORKSPACE": "/github/workspace"},
            "/github/workspace/sub",
            ("/github/workspace/sub", "/github/workspace"),
        ),
        ({"GITHUB_WORKSPACE": "relative"}, "/work/repo", ("/work/repo",)),
        # Where somebody works in the folder of all of their own things, these are none of a pull request.
        ({"HOME": "/home/u"}, "/home/u", ()),
        ({"HOME": "/home/u"}, "/home/u/repo", ("/home/u/repo",)),
        ({}, "/", ()),
        ({"GITHUB_WORKSPACE": "/"}, "/", ()),
    ],
)
def test_a_checkout_is_what_a_pull_request_fills(environ: dict[str, str], cwd: str, found: tuple[str, ...]) -> None:
    assert checkouts(environ, Path(cwd)) == found


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        ("{repo}/bin:/usr/bin", "/usr/bin"),
        ("{repo}:/usr/bin", "/usr/bin"),
        ("{repo}beside:/usr/bin", "{repo}beside:/usr/bin"),
        ("{linked}:/usr/bin", "/usr/bin"),
        ("bin:.::/usr/bin", "/usr/bin"),
        ("{repo}/../x:/usr/bin", "{repo}/../x:/usr/bin"),
        ("", ""),
    ],
)
def test_nothing_in_it_is_on_the_path(tmp_path: Path, path: str, kept: str) -> None:
    repo, linked = tmp_path / "repo", tmp_path / "linked"
    (repo / "bin").mkdir(parents=True)
    linked.symlink_to(repo / "bin")
    names = {"repo": repo, "linked": linked}
    assert searched(path.format(**names), (str(repo),)) == kept.format(**names)


def test_the_environment_of_the_command_decides_not_that_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    edges = Edges(stdout=io.StringIO(), stderr=io.StringIO(), environ={"PATH": "/usr/bin:/bin"}, cwd=tmp_path)
    with workshop(Mode.PREFER, edges) as found:
        assert isinstance(found.toolchain("bash"), Toolchain)
