"""The scripts of pull requests and of autoupdate, on a server that plays GitHub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import action_pins, coverage_comment
from tests.integration.commands.job import EVENTS
from tests.servers.github import FakeGitHub

ROOT = Path(__file__).parents[3]


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as github:
        yield github
    assert github.problems == []


@pytest.fixture
def environ(fake: FakeGitHub, tmp_path: Path) -> dict[str, str]:
    return {
        **fake.environ,
        "GITHUB_TOKEN": fake.token,
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(EVENTS / "pull_request.json"),
        "GITHUB_RUN_ID": "5",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }


def commented(environ: dict[str, str], percent: float, tmp_path: Path) -> tuple[int, list[str]]:
    file = tmp_path / "coverage.json"
    file.write_text(json.dumps({"totals": {"percent_covered": percent}, "files": {}}))
    said: list[str] = []
    return coverage_comment.main([str(file), "--minimum", "95"], environ, said.append), said


def test_the_coverage_is_one_comment_that_is_kept_up_to_date(
    fake: FakeGitHub, environ: dict[str, str], tmp_path: Path
) -> None:
    assert commented(environ, 96.5, tmp_path)[0] == 0
    assert commented(environ | {"GITHUB_RUN_ID": "6"}, 90, tmp_path)[0] == 0

    (comments,) = (found for found in fake.comments.values() if found)
    (comment,) = comments
    assert "Coverage: 90.00 %" in comment.body
    assert comment.body.startswith("<!-- llm-testbench comment=coverage run=6 ")
    assert "96.50 %" in (tmp_path / "summary").read_text()


def test_the_comment_of_the_gate_is_another(fake: FakeGitHub, environ: dict[str, str], tmp_path: Path) -> None:
    fake.add_comment(17, "<!-- llm-testbench comment=default run=5 attempt=1 head= -->\n\nPass")
    commented(environ, 96.5, tmp_path)
    assert len(fake.comments[17]) == 2


def test_a_token_that_may_not_write_is_a_warning_and_the_summary_has_the_words(
    fake: FakeGitHub, environ: dict[str, str], tmp_path: Path
) -> None:
    fake.fail("POST", "/comments$", 403, body={"message": "Resource not accessible by integration"}, times=9)

    code, said = commented(environ, 96.5, tmp_path)

    assert code == 0
    assert said[0].startswith("::warning::the coverage was not commented: ")
    assert 'the token lacks "pull-requests: write"' in said[0]
    assert "96.50 %" in (tmp_path / "summary").read_text()


def test_without_a_pull_request_there_is_only_the_summary(
    fake: FakeGitHub, environ: dict[str, str], tmp_path: Path
) -> None:
    code, said = commented(environ | {"GITHUB_EVENT_PATH": str(EVENTS / "push.json")}, 96.5, tmp_path)
    assert (code, said, fake.requests) == (0, ["no pull request: no comment"], [])
    assert "96.50 %" in (tmp_path / "summary").read_text()


def test_a_missing_file_is_told(environ: dict[str, str], tmp_path: Path) -> None:
    said: list[str] = []
    assert coverage_comment.main([str(tmp_path / "none"), "--minimum", "95"], environ, said.append) == 2
    assert "No such file" in said[0]


def checkout(tmp_path: Path, sha: str) -> Path:
    root = tmp_path / "checkout"
    for name in ("requirements/actions.lock", ".github/workflows/a.yml"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(f"octo/shop@{sha} # v1.0.0\n")
    (root / "requirements/run.lock").write_text("a==1\n")
    return root


def test_newer_actions_are_found_by_their_tags(fake: FakeGitHub, environ: dict[str, str], tmp_path: Path) -> None:
    old, new, major = (fake.add_branch_file("main", "a", data) for data in (b"1", b"2", b"3"))
    fake.git.tags.update({"v1.0.0": old, "v1": new, "v1.1.0": new, "v2.0.0": major})
    root, notes, said = checkout(tmp_path, old), tmp_path / "notes.md", list[str]()

    assert action_pins.main([str(notes)], environ, root, said.append) == 0

    assert (root / ".github/workflows/a.yml").read_text() == f"octo/shop@{new} # v1.1.0\n"
    assert "v2.0.0 is there, v1.1.0 is used" in notes.read_text()
    assert said == [f"octo/shop@{old} # v1.0.0 -> v1.1.0"]


def test_an_action_that_is_not_there_is_told_and_nothing_is_written(
    fake: FakeGitHub, environ: dict[str, str], tmp_path: Path
) -> None:
    root, said = checkout(tmp_path, "a" * 40), list[str]()
    (root / "requirements/actions.lock").write_text(f"octo/gone@{'a' * 40} # v1.0.0\n")
    assert action_pins.main([str(tmp_path / "notes.md")], environ, root, said.append) == 2
    assert said[0].startswith("action pins: GET /repos/octo/gone/tags: HTTP 404")
    assert len(fake.requests) == 1


class Autoupdate:
    """scripts/autoupdate in a checkout of its own; `lock`: what stands for scripts/lock there."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self.root, self.folder = root, root.parent / "changes"
        self._environ = environ
        (root / "scripts").mkdir()
        for name in ("autoupdate", "action_pins.py"):
            (root / "scripts" / name).write_bytes((ROOT / "scripts" / name).read_bytes())
        (root / "scripts/autoupdate").chmod(0o755)
        self.lock("a==1")
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("-c", "user.name=o", "-c", "user.email=o@example.com", "commit", "--quiet", "-m", "x")

    def lock(self, line: str) -> None:
        script = self.root.parent / "lock"
        script.write_text(f"#!/bin/sh\necho '{line}' >requirements/run.lock\n")
        script.chmod(0o755)

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def run(self, *arguments: str, **environ: str) -> str:
        variables = {**os.environ, **self._environ, "PYTHON": sys.executable, "LOCK": str(self.root.parent / "lock")}
        path = os.pathsep.join([str(self.root), str(ROOT / "src")])
        done = subprocess.run(
            ["scripts/autoupdate", *arguments, str(self.folder)],
            cwd=self.root,
            env={**variables, "PYTHONPATH": path, **environ},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def changed(self) -> set[str]:
        return set(self.git("diff", "--name-only").split())


@pytest.fixture
def autoupdate(fake: FakeGitHub, environ: dict[str, str], tmp_path: Path) -> Autoupdate:
    old, new = (fake.add_branch_file("main", "a", data) for data in (b"1", b"2"))
    fake.git.tags.update({"v1.0.0": old, "v1.1.0": new})
    return Autoupdate(checkout(tmp_path, old), environ)


LOCKS, ACTIONS = {"requirements/run.lock"}, {"requirements/actions.lock", ".github/workflows/a.yml"}


@pytest.mark.parametrize(("may", "expected"), [("true", LOCKS | ACTIONS), ("false", LOCKS), ("", LOCKS)])
def test_what_was_refreshed_is_applied_as_far_as_the_token_may(
    autoupdate: Autoupdate, may: str, expected: set[str]
) -> None:
    autoupdate.lock("a==2")
    assert autoupdate.run("refresh").endswith("changed=true\n")
    assert autoupdate.changed() == LOCKS | ACTIONS
    autoupdate.git("checkout", "--quiet", ".")

    autoupdate.run("apply", WORKFLOWS_TOO=may)

    assert autoupdate.changed() == expected
    body = (autoupdate.folder / "body.md").read_text()
    assert "- `requirements/run.lock`" in body
    assert "- `octo/shop`: v1.0.0 → v1.1.0" in body
    assert ("AUTOUPDATE_TOKEN" in body) is (may != "true")


def test_newer_actions_alone_are_a_change(autoupdate: Autoupdate) -> None:
    assert autoupdate.run("refresh").endswith("changed=true\n")
    assert autoupdate.changed() == ACTIONS


def test_newer_lock_files_alone_are_a_change(autoupdate: Autoupdate, fake: FakeGitHub) -> None:
    del fake.git.tags["v1.1.0"]
    autoupdate.lock("a==2")
    assert autoupdate.run("refresh").endswith("changed=true\n")
    assert autoupdate.changed() == LOCKS


def test_nothing_new_changes_nothing(autoupdate: Autoupdate, fake: FakeGitHub) -> None:
    del fake.git.tags["v1.1.0"]
    assert autoupdate.run("refresh").endswith("changed=false\n")
    assert autoupdate.changed() == set()
