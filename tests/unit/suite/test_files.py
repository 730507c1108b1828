"""Files that a suite names lie inside the repository, are regular, and no link leads to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.suite.suites import HEAD, write

from llm_testbench.errors import InputError
from llm_testbench.suite.files import RefusedError, read, repository_of, resolve
from llm_testbench.suite.limits import MAX_FILE
from llm_testbench.suite.load import load


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with `evals/`, beside a file that is not its own."""
    write(tmp_path, "secret.txt", "secret")
    root = tmp_path / "repo"
    write(root, ".git/config", "token")
    write(root, "prompts/x.md", "shared")
    write(root, "evals/near.md", "near")
    write(root, "evals/huge.md", "x" * (MAX_FILE + 1))
    write(root, "evals/full.md", "x" * MAX_FILE)
    write(root, "evals/latin.md", b"\xff")
    os.mkfifo(root / "evals/pipe.md")
    (root / "evals/link.md").symlink_to("near.md")
    (root / "evals/out.md").symlink_to(tmp_path / "secret.txt")
    (root / "evals/folder").symlink_to(root / "prompts")
    (root / "evals/loop").symlink_to("loop")
    return root


def prompt_of(root: Path, name: str) -> str:
    """What the prompt of a suite in evals/ becomes that names the file `name`."""
    suite = f"{HEAD}tests: [{{id: a, prompt: {{file: '{name}'}}, evaluate: {{equals: x}}}}]"
    write(root, "evals/s.yaml", suite)
    (test,) = load(["evals/s.yaml"], root)
    return str(test.messages[0]["content"])


@pytest.mark.parametrize(
    ("name", "text"),
    [("near.md", "near"), ("./near.md", "near"), ("../prompts/x.md", "shared"), ("../evals//near.md", "near")],
)
def test_a_file_inside_the_repository_is_read(repository: Path, name: str, text: str) -> None:
    assert prompt_of(repository, name) == text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no.md", "no such file"),
        ("no/no.md", "no such file"),
        ("near.md/x", "not a directory"),
        ("../../secret.txt", "the path leads out of the repository"),
        ("../../repo/prompts/x.md", "the path leads out of the repository"),
        ("/etc/hostname", "expected a path relative to the file that names it"),
        ("..", "expected a regular file"),
        ("../prompts", "expected a regular file"),
        ("", "expected a regular file"),
        ("link.md", "'link.md' is a symbolic link; expected a regular file and folders"),
        ("out.md", "'out.md' is a symbolic link; expected a regular file and folders"),
        ("folder/x.md", "'folder' is a symbolic link; expected a regular file and folders"),
        ("loop/x.md", "'loop' is a symbolic link; expected a regular file and folders"),
        ("pipe.md", "expected a regular file"),
        ("huge.md", "the file has more than 1048576 bytes"),
        ("latin.md", "not UTF-8 (byte 0)"),
        ("../.git/config", "the inside of .git is never read"),
        ("../.GIT/config", "the inside of .git is never read"),
        ("x" * 300, "file name too long"),
    ],
    ids=lambda case: case[:24],
)
def test_any_other_file_is_refused(repository: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        prompt_of(repository, name)
    assert str(caught.value).startswith("evals/s.yaml:3:26: tests[0].prompt.file: ")
    assert str(caught.value).endswith(reason)


def test_a_file_of_exactly_the_limit_is_read(repository: Path) -> None:
    assert len(prompt_of(repository, "full.md")) == MAX_FILE


def test_a_nul_in_a_path_is_refused() -> None:
    with pytest.raises(RefusedError, match="NUL"):
        resolve((), "a\0b")


def test_a_root_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no such file"):
        read(tmp_path / "gone", ("x",))


def test_a_file_that_fails_in_reading_is_refused() -> None:
    with pytest.raises(RefusedError, match="input/output error"):
        read(Path("/proc/self"), ("mem",))


def test_no_descriptor_stays_open(repository: Path) -> None:
    def count() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    before = count()
    for name in ("near.md", "pipe.md", "link.md", "huge.md", "no.md"):
        try:
            read(repository, ("evals", name))
        except RefusedError:
            continue
    assert count() == before


def test_the_repository_is_the_nearest_folder_with_git(repository: Path) -> None:
    assert repository_of(repository / "evals") == repository
    write(repository, "evals/sub/.git", "gitdir: ../x")
    assert repository_of(repository / "evals" / "sub") == repository / "evals" / "sub"


def test_outside_a_repository_the_base_folder_bounds(tmp_path: Path) -> None:
    write(tmp_path, "x.md", "outside")
    base = tmp_path / "base"
    base.mkdir()
    if repository_of(base) is not None:
        pytest.skip("the folder for temporary files lies in a repository")
    suite = f"{HEAD}tests: [{{id: a, prompt: {{file: ../x.md}}, evaluate: {{equals: x}}}}]"
    write(base, "s.yaml", suite)
    with pytest.raises(InputError, match="leads out of the repository"):
        load(["s.yaml"], base)


@given(st.lists(st.sampled_from(["..", ".", "", "a", "b"])), st.lists(st.sampled_from(["a", "b"])))
def test_a_resolved_path_never_leads_out(parts: list[str], folder: list[str]) -> None:
    name = "/".join(parts)
    try:
        resolved = resolve(folder, name)
    except RefusedError:
        return
    assert ".." not in resolved
    assert "/".join(resolved) == os.path.normpath("/".join(["", *folder, name])).strip("/").replace("//", "/")
