"""The shell of examples/workflows/fork-approved.yml, run for real on a repository and a fork of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fixtures.events.table import rows
from tests.integration.commands.bench import SUITE, Bench, bench
from tests.servers.github import FakeGitHub

WORKFLOW = yaml.load(
    (Path(__file__).parents[2] / "examples/workflows/fork-approved.yml").read_text("utf-8"), Loader=yaml.BaseLoader
)
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["gate"]["steps"]
TAKE = next(step for step in STEPS if "run" in step)
GATE = next(step for step in STEPS if step.get("uses", "").startswith("org/llm-testbench@"))
CONFIG = "gate: {min_score: 0.1}\n"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    who = [word for key in ("user.name=a", "user.email=a@example.com", "commit.gpgsign=false") for word in ("-c", key)]
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, input=stdin, capture_output=True, text=True, check=True, env=environ
    )
    return done.stdout.strip()


@dataclass
class Repositories:
    """`upstream`: what GitHub holds, the fork's commits too. `fork`: where its owner works. `job`: the checkout."""

    upstream: Path
    fork: Path
    job: Path

    def write(self, name: str, text: str) -> None:
        path = self.fork / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def pushed(self) -> str:
        """The commit with all that lies in the fork's folder, as the head of pull request 17."""
        git(self.fork, "add", "--all", "--force")
        git(self.fork, "commit", "--quiet", "--allow-empty", "--message", "change")
        return self.push()

    def push(self) -> str:
        git(self.fork, "push", "--quiet", "--force", "origin", "HEAD:refs/pull/17/head")
        return git(self.fork, "rev-parse", "HEAD")

    def take(self, commit: str, **more: str) -> subprocess.CompletedProcess[str]:
        """The step as the runner starts it."""
        environ = {
            **{name: value for name, value in TAKE["env"].items() if "${{" not in value},
            "PATH": os.environ["PATH"],
            "HOME": str(self.job),
            "COMMIT": commit,
            "TOKEN": "ghs_x",
            **more,
        }
        script = self.job.parent / "step.sh"
        script.write_text(TAKE["run"], "utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        return subprocess.run(command, cwd=self.job, capture_output=True, text=True, check=False, env=environ)

    def files(self) -> dict[str, str]:
        """What lies in the job's checkout."""
        found = (path for path in self.job.rglob("*") if ".git" not in path.relative_to(self.job).parts)
        return {
            str(path.relative_to(self.job)): path.read_text("utf-8")
            for path in found
            if path.is_file() or path.is_symlink()
        }


@pytest.fixture
def there(tmp_path: Path) -> Repositories:
    made = Repositories(tmp_path / "upstream", tmp_path / "fork", tmp_path / "job")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(made.upstream))
    git(made.upstream, "config", "uploadpack.allowAnySHA1InWant", "true")  # as GitHub does
    git(tmp_path, "clone", "--quiet", str(made.upstream), str(made.fork))
    made.write("llm-testbench.yaml", CONFIG)
    made.write("evals/shop.yaml", SUITE)
    made.write("evals/old.yaml", "old")
    made.write("prompts/greeting.md", "Hello.")
    made.write("secrets/own.txt", "the base's own")
    git(made.fork, "add", "--all")
    git(made.fork, "commit", "--quiet", "--message", "base")
    git(made.fork, "push", "--quiet", "origin", "HEAD:refs/heads/main")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{made.upstream}", str(made.job))
    return made


def test_only_suites_and_prompts_are_the_forks(there: Repositories) -> None:
    before = there.files()
    there.write("evals/shop.yaml", "new")
    there.write("evals/added/more.yaml", "more")
    (there.fork / "evals/old.yaml").unlink()
    shutil.rmtree(there.fork / "prompts")
    there.write("llm-testbench.yaml", "endpoint: https://evil.example.com/v1\n")
    there.write(".github/llm-testbench.yaml", "endpoint: https://evil.example.com/v1\n")
    there.write(".github/workflows/fork-approved.yml", "evil")
    there.write("accepted.yaml", "evil")
    done = there.take(there.pushed())
    assert done.returncode == 0, done.stdout + done.stderr
    kept = {name: before[name] for name in ("llm-testbench.yaml", "secrets/own.txt")}
    assert there.files() == {**kept, "evals/shop.yaml": "new", "evals/added/more.yaml": "more"}


def test_the_commit_is_that_of_the_approval_though_the_fork_went_on(there: Repositories) -> None:
    there.write("evals/shop.yaml", "approved")
    approved = there.pushed()
    there.write("evals/shop.yaml", "slipped in")
    git(there.fork, "commit", "--quiet", "--all", "--amend", "--message", "other")
    assert there.push() != approved
    assert there.take(approved).returncode == 0
    assert there.files()["evals/shop.yaml"] == "approved"


def test_attributes_of_the_fork_change_no_byte(there: Repositories) -> None:
    there.write(".gitattributes", "* ident export-subst filter=evil eol=crlf\n")
    there.write("prompts/greeting.md", "$Id$ $Format:%H$\n")
    assert there.take(there.pushed()).returncode == 0
    assert (there.job / "prompts/greeting.md").read_bytes() == b"$Id$ $Format:%H$\n"


def test_a_program_of_the_fork_is_no_program_here(there: Repositories) -> None:
    there.write("evals/run.sh", "#!/bin/sh\ntouch ran\n")
    (there.fork / "evals/run.sh").chmod(0o755)
    assert there.take(there.pushed()).returncode == 0
    assert not os.access(there.job / "evals/run.sh", os.X_OK)


def link(there: Repositories) -> None:
    (there.fork / "evals/key.yaml").symlink_to("../secrets/own.txt")


def linked_prompt(there: Repositories) -> None:
    (there.fork / "prompts/host.md").symlink_to("/etc/passwd")


def linked_folder(there: Repositories) -> None:
    shutil.rmtree(there.fork / "evals")
    (there.fork / "evals").symlink_to("secrets")


def folder_as_file(there: Repositories) -> None:
    shutil.rmtree(there.fork / "evals")
    there.write("evals", "no folder")


def submodule(there: Repositories) -> None:
    there.write("evals/new.yaml", "new")
    sha = git(there.fork, "rev-parse", "HEAD")
    git(there.fork, "update-index", "--add", "--cacheinfo", f"160000,{sha},evals/module")


def huge(there: Repositories) -> None:
    there.write("prompts/huge.md", "x" * 1_000_001)


def many(there: Repositories) -> None:
    for number in range(201):
        there.write(f"evals/{number}.yaml", "x")


def command_in_a_name(there: Repositories) -> None:
    there.write("evals/a\n::set-env name=PATH::evil\nb.yaml", "x")


def option_as_a_name(there: Repositories) -> None:
    there.write("evals/-rf.yaml", "x")


def hidden(there: Repositories) -> None:
    there.write("evals/.gitattributes", "* filter=evil\n")


def spaced(there: Repositories) -> None:
    there.write("evals/a $(touch ran).yaml", "x")


REFUSED: list[tuple[Callable[[Repositories], None], str]] = [
    (link, "evals/key.yaml is a link or a submodule"),
    (linked_prompt, "prompts/host.md is a link or a submodule"),
    (linked_folder, "evals is no folder"),
    (folder_as_file, "evals is no folder"),
    (submodule, "evals/module is a link or a submodule"),
    (huge, "more than 200 files or 1000000 bytes"),
    (many, "more than 200 files or 1000000 bytes"),
    (command_in_a_name, "a file in evals has a name"),
    (option_as_a_name, "a file in evals has a name"),
    (hidden, "a file in evals has a name"),
    (spaced, "a file in evals has a name"),
]


@pytest.mark.parametrize(("planted", "said"), REFUSED, ids=[case[0].__name__ for case in REFUSED])
def test_what_is_no_plain_text_is_refused_before_anything_is_written(
    there: Repositories, planted: Callable[[Repositories], None], said: str
) -> None:
    before = there.files()
    planted(there)
    if planted is submodule:
        git(there.fork, "commit", "--quiet", "--message", "change")
        commit = there.push()
    else:
        commit = there.pushed()
    done = there.take(commit)
    assert done.returncode == 1
    assert done.stdout.startswith(f"::error::{said}")
    assert len(done.stdout.splitlines()) == 1
    assert there.files() == before


@pytest.mark.parametrize("commit", ["", "main", "--upload-pack=touch ran", "a" * 39, "a" * 40 + "\n--x"])
def test_what_is_no_commit_is_refused(there: Repositories, commit: str) -> None:
    done = there.take(commit)
    assert (done.returncode, done.stdout) == (1, "::error::the event names no commit\n")


@pytest.fixture
def world(there: Repositories) -> Iterator[Bench]:
    with bench(there.job) as made:
        (there.job / "suite.yaml").unlink()
        yield made


class TestTheGateAfterwards:
    """With the limits of the workflow, and config and key of the base."""

    @staticmethod
    def gate(world: Bench) -> Any:
        row = next(row for row in rows() if row.payload == "pull_request_target_fork")
        with FakeGitHub() as github:
            runner = {"GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "1"}
            inputs = {
                "INPUT_ENDPOINT": world.server.url,
                "INPUT_MODELS": GATE["with"]["models"],
                "INPUT_SUITES": GATE["with"]["suites"],
                "INPUT_COMMENT_KEY": GATE["with"]["comment_key"],
                "INPUT_API_KEY": "sk-the-key-of-the-base",
                "INPUT_TOKEN": github.token,
            }
            done = world.llmtest("gate", environ=github.environ | row.environ | runner | inputs | GATE["env"])
            return done, [comment.body for comment in github.comments[17]]

    def test_asks_the_bases_gateway_and_says_which_commit_was_judged(self, there: Repositories, world: Bench) -> None:
        there.write("evals/shop.yaml", SUITE.replace("One word.", "One word, please."))
        there.write("llm-testbench.yaml", "models: [{name: my-model, endpoint: 'http://127.0.0.1:9/v1'}]\n")
        (there.fork / "evals/old.yaml").unlink()
        assert there.take(there.pushed()).returncode == 0
        done, (comment,) = self.gate(world)
        assert done.code == 0, done.err
        assert "judged for the commit `aaaaaaaaaaaa`" in comment
        asked = [str(seen.body["messages"]) for seen in world.server.requests]
        assert any("One word, please." in words for words in asked)
        assert {row["suite_file"] for row in world.json("llm-testbench-results/artifact.json")["tests"]} == {
            "evals/shop.yaml"
        }

    def test_asks_for_no_more_tokens_than_the_base_allows(self, there: Repositories, world: Bench) -> None:
        there.write("evals/shop.yaml", SUITE.replace("    evaluate:", "    max_tokens: 20000\n    evaluate:", 1))
        (there.fork / "evals/old.yaml").unlink()
        assert there.take(there.pushed()).returncode == 0
        self.gate(world)
        limit = int(GATE["env"]["LLMTB_MAX_TOKENS_LIMIT"])
        assert max(seen.body["max_tokens"] for seen in world.server.requests) == limit

    @pytest.mark.parametrize(
        ("edit", "said"),
        [
            (("prompt: ", "prompt: {file: ../../../etc/passwd} #"), "the path leads out of the repository"),
            (("prompt: ", "prompt: {file: ../.git/config} #"), "the inside of .git is never read"),
            (("    evaluate:", "    request: {models: [dear/one]}\n    evaluate:"), "cannot be set by a suite"),
        ],
    )
    def test_refuses_a_suite_that_reaches_beyond_itself(
        self, there: Repositories, world: Bench, edit: tuple[str, str], said: str
    ) -> None:
        there.write("evals/shop.yaml", SUITE.replace(*edit, 1))
        (there.fork / "evals/old.yaml").unlink()
        assert there.take(there.pushed()).returncode == 0
        done, _ = self.gate(world)
        assert (done.code, world.server.requests) == (2, [])
        assert said in done.err

    def test_refuses_more_than_the_planned_tokens(self, there: Repositories, world: Bench) -> None:
        there.write("prompts/long.md", "x" * 800_000)
        start = SUITE.index("  - id:")
        tests = "".join(
            f"  - id: long-{number}\n    prompt: {{file: ../prompts/long.md}}\n    evaluate: {{equals: x}}\n"
            '    examples: [{response: "x", score: 1}, {response: "y", score: 0}]\n'
            for number in range(4)
        )
        there.write("evals/shop.yaml", SUITE[:start] + tests)
        (there.fork / "evals/old.yaml").unlink()
        assert there.take(there.pushed()).returncode == 0
        done, _ = self.gate(world)
        assert (done.code, world.server.requests) == (2, [])
        assert "max_planned_tokens allows 1000000" in done.err
