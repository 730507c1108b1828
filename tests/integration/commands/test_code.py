"""Tests that run what a model wrote: in the sandbox of this machine, in one that lacks something, and in none."""

from __future__ import annotations

import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.test_doctor_sandbox import without
from tests.unit.sandbox.inside import asleep, wait_until

from llm_testbench.runner.attempt import NOT_CHECKED
from llm_testbench.sandbox import workshop
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Layer

SUITE = """\
category: programs
subcategory: small
tests:
  - id: says-four
    prompt: Write Python that prints 4.
    evaluate: {code: {language: python, stdout: "4"}}
    examples:
      - {response: "print(2 + 2)", score: 1}
      - {response: "print(5)", score: 0}
"""
PLAIN = """\
  - id: capital
    prompt: What is the capital of France? One word.
    evaluate: {equals: Paris}
    examples:
      - {response: "Paris", score: 1}
      - {response: "Lyon", score: 0}
"""
PATIENCE = 20.0  # seconds; only what hangs ever takes them


@pytest.fixture(autouse=True)
def _programs(world: Bench) -> None:
    world.environ = {"PATH": "/usr/bin:/bin"}
    world.answers = {"prints 4": "```python\nprint(4)\n```", "capital": "Paris"}
    world.write("suite.yaml", SUITE)


def run(world: Bench, *arguments: str, **environ: str) -> tuple[Done, dict[str, Any]]:
    done = world.asking("run", "--out", "out.json", *arguments, environ=environ)
    return done, world.json("out.json")


def broken_sandbox(**_: object) -> Launchers:
    raise AssertionError("nobody asked for a sandbox")


class TestWhereTheSandboxKeepsItsPromises:
    def test_the_program_is_run_and_judged(self, world: Bench) -> None:
        done, artifact = run(world)
        assert (done.code, done.err) == (0, "")
        assert artifact["results"][0]["score"] == 1
        assert "sandbox" not in done.out or "without all of its layers" in done.out

    def test_the_artifact_says_how_it_was_confined(self, world: Bench) -> None:
        sandbox = run(world)[1]["meta"]["sandbox"]
        assert sandbox["mode"] == "require"
        assert {"seccomp", "landlock_files", "no_new_privileges"} <= set(sandbox["layers"])
        assert sandbox["promises"] == ["files", "network", "signals", "secrets"]
        assert sandbox["promises_missing"] == {}
        assert sandbox["landlock"] >= 1

    def test_a_gate_re_scores_a_baselines_answer_whose_check_was_edited(self, world: Bench) -> None:
        run(world)
        world.write("suite.yaml", SUITE.replace('stdout: "4"', 'stdout: "4", timeout: 20s'))
        done = world.asking("gate", "--baseline", "out.json", "--repeat", "1")
        assert done.code == 0, done.out
        assert world.json("llm-testbench-results/comparison.json")["tests"][0]["baseline"] == {"mean": 1.0, "n": 1}

    def test_rescore_runs_stored_answers_again(self, world: Bench) -> None:
        run(world)
        world.write("suite.yaml", SUITE.replace('stdout: "4"', 'stdout: "5"'))
        done = world.llmtest("rescore", "out.json", "--suites", "suite.yaml", "--out", "again.json")
        assert (done.code, done.err) == (0, "")
        assert world.json("again.json")["results"][0]["score"] == 0
        assert world.json("again.json")["meta"]["sandbox"]["mode"] == "require"

    def test_validate_runs_examples(self, world: Bench) -> None:
        assert world.llmtest("validate", "suite.yaml").code == 0
        world.write("suite.yaml", SUITE.replace("print(2 + 2)", "print(2 + 3)"))
        done = world.llmtest("validate", "suite.yaml")
        assert done.code == 2
        assert "example 1 must score 1 but scores 0" in " ".join(done.out.split())


@pytest.mark.parametrize("command", ["run", "gate", "rescore", "validate"])
def test_no_sandbox_is_opened_where_no_check_runs_a_program(
    world: Bench, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    world.write("suite.yaml", SUITE.partition("  - id")[0] + PLAIN)
    monkeypatch.setattr(workshop, "Launchers", broken_sandbox)
    _, artifact = run(world)
    assert artifact["meta"]["sandbox"] == {}
    commands: dict[str, Callable[[], Done]] = {
        "run": lambda: world.asking("run"),
        "gate": lambda: world.asking("gate", "--baseline", "out.json"),
        "rescore": lambda: world.llmtest("rescore", "out.json"),
        "validate": lambda: world.llmtest("validate", "suite.yaml"),
    }
    assert commands[command]().code == 0


class TestWhereAPromiseIsMissing:
    SKIPPED = "tests that run programs are skipped, since the sandbox cannot keep its promises: "
    WHY = "network: seccomp is missing: switched off"

    @pytest.fixture(autouse=True)
    def _open_network(self, monkeypatch: pytest.MonkeyPatch) -> None:
        without(monkeypatch, Layer.CALLS)

    def test_such_tests_are_skipped_and_count_against_coverage(self, world: Bench) -> None:
        done, artifact = run(world)
        (row,) = artifact["results"]
        assert (row["outcome"], row["skipped"], row["score"]) == ("no_sandbox", True, 0)
        assert self.WHY in row["reason"]
        assert "--sandbox prefer" in row["reason"]
        assert done.code == 3
        assert f"warning: {self.SKIPPED}{self.WHY}" in done.err
        assert "0 of 1 test scored" in done.err
        assert self.SKIPPED in " ".join(done.out.split())
        assert artifact["meta"]["sandbox"]["promises_missing"]["network"] == "seccomp is missing: switched off"

    def test_others_are_scored(self, world: Bench) -> None:
        world.write("suite.yaml", SUITE + PLAIN)
        rows = {row["test_id"]: row for row in run(world)[1]["results"]}
        assert rows["capital"]["score"] == 1
        assert rows["says-four"]["outcome"] == "no_sandbox"

    def test_a_gate_cannot_tell_and_says_why_in_its_first_lines(self, world: Bench) -> None:
        done = world.asking("gate", "--baseline", "none", "--repeat", "1")
        assert done.code == 3
        comparison = world.json("llm-testbench-results/comparison.json")
        assert comparison["verdict"] == "inconclusive"
        assert [warning["code"] for warning in comparison["warnings"]] == ["sandbox"]
        report = (world.folder / "llm-testbench-results" / "report.md").read_text("utf-8")
        assert self.SKIPPED in report

    def test_prefer_runs_them_with_a_warning(self, world: Bench) -> None:
        done, artifact = run(world, "--sandbox", "prefer")
        assert done.code == 0
        assert artifact["results"][0]["score"] == 1
        warning = f"programs that models wrote run though the sandbox cannot keep all its promises: {self.WHY}"
        assert f"warning: {warning}" in done.err
        assert "cannot keep all its promises" in " ".join(done.out.split())

    def test_rescoring_keeps_old_scores_and_says_why(self, world: Bench) -> None:
        run(world, "--sandbox", "prefer")
        done = world.llmtest("rescore", "out.json", "--out", "again.json")
        assert "warning: says-four on m keeps its old score: the sandbox cannot keep its promises" in done.err
        again = world.json("again.json")
        assert again["results"][0]["score"] == 1
        # Not better than it was when that score was given.
        assert again["meta"]["sandbox"]["mode"] == "prefer"

    def test_in_a_job_the_warning_is_an_annotation(self, world: Bench) -> None:
        done, _ = run(world, GITHUB_ACTIONS="true")
        assert f"::warning title=llm-testbench::{self.SKIPPED}" in done.err


class TestOff:
    @pytest.mark.parametrize(("arguments", "environ"), [(["--sandbox", "off"], {}), ([], {"INPUT_SANDBOX": "off"})])
    def test_nothing_is_promised_and_the_report_says_so(
        self, world: Bench, arguments: list[str], environ: dict[str, str]
    ) -> None:
        done, artifact = run(world, *arguments, **environ)
        assert done.code == 0
        assert artifact["results"][0]["score"] == 1
        assert (artifact["meta"]["sandbox"]["mode"], artifact["meta"]["sandbox"]["promises"]) == ("off", [])
        assert "the sandbox is off: programs that models wrote run with all rights of this user" in done.err
        assert "the sandbox is off" in " ".join(done.out.split())

    @pytest.mark.parametrize(
        ("name", "text", "line"),
        [
            (
                "llm-testbench.yaml",
                "sandbox: off\n",
                "error: llm-testbench.yaml:1:1: sandbox: off is taken only from the flag --sandbox and from the"
                " action's input sandbox\n",
            ),
            (
                "suite.yaml",
                f"sandbox: off\n{SUITE}",
                "error: suite.yaml:1:1: sandbox: unknown key; no suite decides on that: the flag --sandbox does, and"
                " the action's input\n",
            ),
        ],
    )
    def test_no_file_switches_it_off(self, world: Bench, name: str, text: str, line: str) -> None:
        world.write(name, text)
        done = world.asking("run", "--out", "out.json")
        assert done.code == 2
        assert done.err == line
        assert world.server.requests == []


class TestSignals:
    def start(self, world: Bench, seconds: str) -> subprocess.Popen[str]:
        world.answers = {"prints 4": f"```python\nimport subprocess\nsubprocess.run(['sleep', '{seconds}'])\n```"}
        command = [sys.executable, "-m", "llm_testbench", "run", "--endpoint", world.server.url, "--models", "m"]
        command += ["--suites", "suite.yaml", "--repeat", "9", "--out", "out.json"]
        return subprocess.Popen(
            command,
            cwd=world.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": "/usr/bin:/bin", "CI": "true"},
            start_new_session=True,
        )

    @pytest.mark.parametrize("numbers", [[signal.SIGINT, signal.SIGINT], [signal.SIGTERM, signal.SIGINT]])
    def test_no_program_outlives_them_and_no_answer_is_lost(self, world: Bench, numbers: list[signal.Signals]) -> None:
        seconds = f"25.{secrets.randbelow(10**9)}"
        child = self.start(world, seconds)
        world.server.wait_for(9)
        wait_until(lambda: len(asleep(seconds)) >= 2, "two programs run")
        for number in numbers:
            child.send_signal(number)
            time.sleep(0.3)
        _, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 130, err
        wait_until(lambda: not asleep(seconds), "no program runs")
        rows = world.json("out.json")["results"]
        assert [row["error"] for row in rows] == [NOT_CHECKED.message] * 9
        assert all("subprocess" in row["response_text"] for row in rows)
