"""Suites are named by path, by glob, or from the built-in catalog."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, write

from llm_testbench.errors import InputError
from llm_testbench.suite import sources
from llm_testbench.suite.load import load
from llm_testbench.suite.sources import builtin_names, find


@pytest.fixture
def base(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    for name in (
        ".git/config",
        *("a.yaml", "evals/b.yaml", "evals/c.yaml", "evals/[x].yaml", "evals/deep/d.yaml", "evals/deep/e.yml"),
        *("evals/.hidden/h.yaml", ".github/llm/f.yaml"),
    ):
        write(root, name, "")
    write(tmp_path, "other/o.yaml", "")
    return root


def shown(names: list[str], base: Path) -> list[str]:
    return [file.shown for file in find(names, base)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.yaml", ["a.yaml"]),
        ("./evals/../a.yaml", ["a.yaml"]),
        ("evals/?.yaml", ["evals/b.yaml", "evals/c.yaml"]),
        ("evals/*.yaml", ["evals/[x].yaml", "evals/b.yaml", "evals/c.yaml"]),
        ("evals/[x].yaml", ["evals/[x].yaml"]),
        ("evals/[x]*", ["evals/[x].yaml"]),
        ("*/*/*.yaml", ["evals/deep/d.yaml"]),
        ("*/deep/*", ["evals/deep/d.yaml", "evals/deep/e.yml"]),
        ("**/*.yaml", ["a.yaml", "evals/[x].yaml", "evals/b.yaml", "evals/c.yaml", "evals/deep/d.yaml"]),
        ("evals/**/**/d.yaml", ["evals/deep/d.yaml"]),
        ("evals/deep/**", ["evals/deep/d.yaml"]),
        (".github/*/*.yaml", [".github/llm/f.yaml"]),
        ("../other/*.yaml", ["../other/o.yaml"]),
        ("../other/o.yaml", ["../other/o.yaml"]),
    ],
)
def test_paths_and_globs_are_relative_to_the_base(base: Path, name: str, expected: list[str]) -> None:
    assert shown([name], base) == expected


def test_a_file_is_loaded_once_at_its_first_mention(base: Path) -> None:
    assert shown(["evals/c.yaml", "evals/*.yaml", str(base / "evals" / "b.yaml")], base) == [
        "evals/c.yaml",
        "evals/[x].yaml",
        "evals/b.yaml",
    ]


def test_an_absolute_path_is_shown_relative(base: Path, tmp_path: Path) -> None:
    assert shown([str(base / "a.yaml"), str(tmp_path / "other" / "?.yaml")], base) == ["a.yaml", "../other/o.yaml"]
    (tmp_path / "alias").symlink_to(base)
    assert shown([str(tmp_path / "alias" / "evals" / "b.yaml")], base) == ["evals/b.yaml"]


def test_a_base_below_the_repository_reaches_all_of_it(base: Path) -> None:
    (file,) = find(["../evals/b.yaml"], base / ".github")
    assert (file.shown, file.root, file.parts) == ("../evals/b.yaml", base, ("evals", "b.yaml"))


def test_a_suite_elsewhere_is_bounded_by_its_own_folder(base: Path, tmp_path: Path) -> None:
    (file,) = find([str(tmp_path / "other" / "o.yaml")], base)
    assert (file.root, file.parts) == (tmp_path / "other", ("o.yaml",))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("evals/bb.yaml", r"^suites: 'evals/bb\.yaml' is no file \(seen from .*/repo\); did you mean 'b\.yaml'\?$"),
        ("evals/zzzz", r"is no file .*; that folder holds \[x\]\.yaml, b\.yaml, c\.yaml$"),
        ("gone/x.yaml", r"is no file \(seen from .*/repo\)$"),
        ("evals", r"^suites: 'evals' is a folder; write its files, for example 'evals/\*\.yaml'$"),
        ("evals/", r"for example 'evals/\*\.yaml'$"),
        ("evals/*.yml", r"^suites: no file matches 'evals/\*\.yml' \(seen from .*/repo\); "),
        ("gone/*.yaml", r"^suites: no file matches"),
        ("a.yaml/*.yaml", r"^suites: no file matches"),
        ("EVALS/*.yaml", r"^suites: no file matches"),
        ("", r"^suites: expected the path of a suite file, got ''$"),
        ("a\0b", r"^suites: expected the path of a suite file"),
        ("a\n::error::b", r"^suites: expected the path of a suite file, got 'a\\n::error::b'$"),
        ("x" * 5000, r"is no file"),
        ("builtin:", r"^suites: there is no built-in suite ''; expected builtin:NAME with one of "),
        ("builtin:nothing-like-it", r"^suites: there is no built-in suite 'nothing-like-it'"),
        ("builtin:../suite", r"^suites: there is no built-in suite '\.\./suite'"),
    ],
)
def test_a_name_that_means_no_file_is_told(base: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find([name], base)


def test_all_wrong_names_are_told_at_once(base: Path) -> None:
    with pytest.raises(InputError) as caught:
        find(["x.yaml", "a.yaml", "y.yaml"], base)
    assert len(str(caught.value).split("\n")) == 2


def test_a_linked_suite_in_the_repository_is_refused(base: Path, tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/s.yaml", f"{HEAD}tests: []")
    (base / "link.yaml").symlink_to(tmp_path / "elsewhere" / "s.yaml")
    (base / "folder").symlink_to(tmp_path / "elsewhere")
    for name in ("link.yaml", "li*.yaml", "folder/s.yaml", "folder/*.yaml"):
        with pytest.raises(InputError, match="is a symbolic link"):
            load([name], base)


def test_links_to_folders_do_not_multiply_a_walk(base: Path) -> None:
    for name in ("l1", "l2", "l3"):
        (base / "evals" / name).symlink_to(base / "evals")
    assert shown(["**/d.yaml"], base) == ["evals/deep/d.yaml"]


def test_a_file_name_that_cannot_be_printed_is_refused(base: Path) -> None:
    write(base, "evals/x\x1b[2J.yaml", "")
    with pytest.raises(InputError) as caught:
        find(["evals/x*"], base)
    assert str(caught.value).isprintable()


def test_a_folder_that_may_not_be_read_matches_nothing(base: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (base / "evals").chmod(0)
    try:
        assert shown(["**/*.yaml"], base) == ["a.yaml"]
    finally:
        (base / "evals").chmod(0o755)


def test_too_many_files_are_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_FILES", 2)
    with pytest.raises(InputError, match="3 files are more than the 2 that one load may have"):
        find(["evals/*.yaml"], base)


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "catalog"
    for name in ("smoke", "programming/python", "programming/go", "tools/calls"):
        test_id = name.replace("/", "-")
        text = f"{HEAD}tests: [{{id: {test_id}, prompt: {{file: p.md}}, evaluate: {{equals: x}}}}]"
        write(root, f"{name}.yaml", text)
        write(root, f"{name.rpartition('/')[0]}/p.md".lstrip("/"), "built in")
    monkeypatch.setattr(sources, "_catalog", lambda: root)
    return root


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("builtin:smoke", ["builtin:smoke"]),
        ("builtin", ["builtin:programming/go", "builtin:programming/python", "builtin:tools/calls"]),
        ("builtin:programming", ["builtin:programming/go", "builtin:programming/python"]),
        ("builtin:programming/go", ["builtin:programming/go"]),
    ],
)
def test_built_in_suites_have_names(catalog: Path, tmp_path: Path, name: str, expected: list[str]) -> None:
    tests = load([name], tmp_path)
    assert [test.suite_file for test in tests] == expected
    assert all(test.messages[0]["content"] == "built in" for test in tests)
    assert tests[0].place.source == expected[0]


def test_a_mistyped_built_in_suite_has_a_hint(catalog: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no built-in suite 'smok'; did you mean 'smoke'\?$"):
        find(["builtin:smok"], tmp_path)
    assert builtin_names() == ("programming/go", "programming/python", "smoke", "tools/calls")


def test_the_real_catalog_is_found(tmp_path: Path) -> None:
    for name in builtin_names():
        (file,) = find([f"builtin:{name}"], tmp_path)
        assert (file.root.joinpath(*file.parts)).is_file()
