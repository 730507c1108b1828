"""Which toolchains a command takes, and what it keeps from programs."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

import pytest

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.programs import checkouts, searched, workshop
from llm_testbench.sandbox.languages import NoToolchain, Toolchain
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


@pytest.mark.parametrize("private", ["HOME", "GITHUB_WORKSPACE", "cwd"])
def test_no_toolchain_opens_what_is_private_to_programs(private: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm_testbench.sandbox.languages._SYSTEM_PATH", "/nowhere")
    # Open to the users of the sandbox, as pytest's own folders are not.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        around = Path(name)
        around.chmod(0o755)
        for folder in ("bin", "lib/own", "other"):
            (around / folder).mkdir(parents=True)
        shutil.copy("/bin/bash", around / "bin")
        environ = {"PATH": str(around / "bin"), "HOME": str(around / "other")}
        more = {} if private == "cwd" else {private: str(around / "lib" / "own")}
        cwd = around / ("lib/own" if private == "cwd" else "other")
        edges = Edges(stdout=io.StringIO(), stderr=io.StringIO(), environ={**environ, **more}, cwd=cwd)
        with workshop(Mode.PREFER, edges) as found:
            bash = found.toolchain("bash")
    assert isinstance(bash, NoToolchain)
    assert bash.reason.endswith("what is private would be open to programs")
