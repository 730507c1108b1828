"""Signals and --resume, on the real process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.servers.gateway import HANG

PATIENCE = 20  # seconds


def start(world: Bench, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "llm_testbench", "run", "--endpoint", world.server.url, "--models", "m"]
    command += ["--suites", "suite.yaml", "--repeat", "10", "--concurrency", "2", "--out", "out.json", *arguments]
    return subprocess.Popen(
        command,
        cwd=world.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", **environ},
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_calls_in_flight_finish_and_saves(world: Bench, number: signal.Signals) -> None:
    world.server.latency = 0.3
    child = start(world)
    world.server.wait_for(3)
    child.send_signal(number)
    _, err = child.communicate(timeout=PATIENCE)

    artifact = world.json("out.json")
    assert child.returncode == 130, err
    assert artifact["meta"]["interrupted"] is True
    assert len(artifact["results"]) == len(world.server.requests) < 20
    assert "--resume" in err


@pytest.mark.parametrize("command", ["run", "gate"])
def test_an_interrupted_run_says_that_it_could_not_be_saved(world: Bench, command: str) -> None:
    world.server.latency = 0.3
    where = {"run": ["--out", "results/artifact.json"], "gate": ["--output-dir", "results"]}[command]
    # The limit on file sizes stands for a full disk. Coverage and cached bytecode would hit it as well.
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1));"
    limited += "from llm_testbench.cli import main; sys.exit(main(sys.argv[1:]))"
    asked = ["--endpoint", world.server.url, "--models", "m", "--suites", "suite.yaml", "--repeat", "10"]
    child = subprocess.Popen(
        [sys.executable, "-c", limited, command, *asked, "--concurrency", "2", *where],
        cwd=world.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    world.server.wait_for(3)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=PATIENCE)

    assert child.returncode == 130, err
    assert "error: " in err
    assert "the artifact could not be written" in err
    assert "--resume" not in err, "the journal is not whole either"


def test_the_second_signal_gives_up_calls_that_hang(world: Bench) -> None:
    answers = iter(["4", "Paris"])
    world.server.answer = lambda body: next(answers, HANG)
    child = start(world)
    world.server.wait_for(4)
    child.send_signal(signal.SIGINT)
    assert child.stderr is not None
    # Two signals at once would count as one.
    assert any("in flight" in line for line in child.stderr)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)

    assert child.returncode == 130
    assert len(world.json("out.json")["results"]) == 2


def test_an_interrupted_run_is_resumed_without_asking_twice(world: Bench) -> None:
    world.server.latency = 0.1
    child = start(world)
    world.server.wait_for(5)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    asked = len(world.server.requests)

    second = start(world, "--resume")
    _, err = second.communicate(timeout=PATIENCE)

    assert second.returncode == 0, err
    assert len(world.server.requests) == 20
    assert asked < 20
    rows: list[dict[str, Any]] = world.json("out.json")["results"]
    assert sorted((row["test_id"], row["attempt"]) for row in rows) == [
        (test, attempt) for test in ("capital", "two-and-two") for attempt in range(10)
    ]
    assert world.json("out.json")["meta"]["interrupted"] is False
    assert not (world.folder / "out.json.journal.jsonl").exists()


def test_resuming_with_other_settings_is_refused(world: Bench) -> None:
    world.server.latency = 0.1
    child = start(world)
    world.server.wait_for(3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)

    other = start(world, "--resume", "--temperature", "1")
    _, err = other.communicate(timeout=PATIENCE)

    assert other.returncode == 2
    assert "other settings" in err


def test_a_leftover_journal_is_moved_aside(world: Bench) -> None:
    world.server.latency = 0.1
    child = start(world)
    world.server.wait_for(3)
    child.kill()
    child.communicate(timeout=PATIENCE)
    left = (world.folder / "out.json.journal.jsonl").read_text()

    _, err = start(world).communicate(timeout=PATIENCE)

    assert (world.folder / "out.json.journal.jsonl.1").read_text() == left
    assert "moved to" in err
    json.loads(left.splitlines()[0])


def test_rows_of_a_journal_that_nobody_planned_are_left_out(world: Bench) -> None:
    world.server.latency = 0.1
    child = start(world)
    journal = world.folder / "out.json.journal.jsonl"
    until = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_text().count("\n") < 2:  # its head and one row
        assert time.monotonic() < until
        time.sleep(0.01)
    child.kill()
    child.communicate(timeout=PATIENCE)
    row = json.loads(journal.read_text().splitlines()[1])
    with journal.open("a") as file:
        for change in ({"attempt": 99}, {"model": "other"}, {"test_id": "other"}):
            file.write(json.dumps({**row, **change}) + "\n")

    _, err = start(world, "--resume").communicate(timeout=PATIENCE)

    rows = world.json("out.json")["results"]
    assert len(rows) == 20, err
    assert {row["model"] for row in rows} == {"m"}
