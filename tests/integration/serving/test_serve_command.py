"""The command `serve`: what it prints, how it ends, and what it refuses to start with."""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from tests.integration.commands.bench import SUITE, Bench, bench
from tests.integration.serving.process import served

from llm_testbench.commands import serve
from llm_testbench.commands.edges import Edges
from llm_testbench.local.serving.fault_table import FAULTS
from llm_testbench.local.weights import available

ASKED = {"model": "m", "messages": [{"role": "user", "content": "What is the capital of France? One word."}]}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_interrupted_and_ends_well(world: Bench, number: signal.Signals) -> None:
    with served(world.folder, "--examples", "--suites", "suite.yaml") as (process, endpoint):
        headers = {"Authorization": "Bearer sk-canary-of-a-client"}
        answer = requests.post(f"{endpoint}/chat/completions?key=sk-canary", json=ASKED, headers=headers, timeout=20)
        requests.post(f"{endpoint}/chat/completions", json={**ASKED, "model": "m\n::error::x"}, timeout=20)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert answer.json()["choices"][0]["message"]["content"] == "Paris"
    assert out == ""
    first, second = err.splitlines()
    assert re.fullmatch(r"POST /v1/chat/completions model=m \(capital\) 200 \d+ ms", first)
    assert "::error" not in second
    assert "canary" not in err


def test_quiet_logs_nothing(world: Bench) -> None:
    with served(world.folder, "--examples", "--suites", "suite.yaml", "--quiet") as (process, endpoint):
        requests.post(f"{endpoint}/chat/completions", json=ASKED, timeout=20)
        process.terminate()
        _, err = process.communicate(timeout=20)
    assert err == ""


def here(world: Bench, *arguments: str) -> tuple[int, str, str]:
    """The command in this process, which ends as soon as it serves."""
    stdout, stderr = io.StringIO(), io.StringIO()
    edges = Edges(stdout, stderr, {}, world.folder)
    flags = dict(zip(arguments[::2], arguments[1::2], strict=True))
    code = serve.main({"port": "0", **flags}, (), edges, wait=lambda: None)
    return code, stdout.getvalue(), stderr.getvalue()


def test_tests_without_a_fitting_example_are_named_at_the_start(world: Bench) -> None:
    world.write("suite.yaml", SUITE.replace('      - {response: "Lyon", score: 0}\n', ""))
    _, out, err = here(world, "examples", "true", "suites", "suite.yaml", "right", "0.5")
    assert out.startswith("endpoint: http://127.0.0.1:")
    assert err == "warning: capital has no wrong example: every wrong answer is an empty one\n"
    _, _, err = here(world, "examples", "true", "suites", "suite.yaml")
    assert err == ""


def test_answers_that_were_not_stored_are_told_at_the_start(world: Bench) -> None:
    world.asking("run", "--out", "then.json", "--store-responses", "failed")
    _, _, err = here(world, "replay", "then.json")
    assert err == "warning: 2 answers are not in the recording and get status 400: record with store_responses: all\n"


REFUSED = [
    (["--replay", "nothing.json"], "error: nothing.json: there is no such file"),
    (["--replay", "suite.yaml"], "error: suite.yaml: is not JSON"),
    (["--replay", "foreign.json"], "error: foreign.json: holds no recorded requests"),
    (["--replay", "a.json", "--examples"], "error: flag --examples: either --replay or --examples"),
    (["--right", "0.5"], "error: flag --right: says how many of the examples are right: give --examples"),
    (["--suites", "suite.yaml"], "error: flag --suites: selects the tests of --examples: give both, or neither"),
    (["--replay", "a.json", "--tests", "a"], "error: flag --tests: selects the tests of --examples"),
    (["--right", "2", "--examples"], "error: flag --right: expected a number from 0 to 1"),
    (["--examples", "--suites", "no.yaml"], "error: "),
    (["--fault", "crfl"], "error: flag --fault: there is no fault \"crfl\"; did you mean 'crlf'?"),
    (["--fault", "zzz"], 'error: flag --fault: there is no fault "zzz"; --fault help lists them'),
    (["--fault", "crlf:2"], "error: flag --fault: expected a number from 0 to 1"),
    (["--fault", "crlf:"], "error: flag --fault: expected a number from 0 to 1"),
    (["--fault", "crlf", "--fault", "crlf:0.5"], 'error: flag --fault: the fault "crlf" stands twice'),
    (["--port", "70000"], "error: flag --port: expected a whole number from 0 to 65535"),
    (["--max-in-flight", "0"], "error: flag --max-in-flight: expected"),
    (["--latency", "5"], "error: flag --latency: expected a duration"),
]


@pytest.mark.parametrize(("arguments", "line"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_cannot_be_served_is_one_line(world: Bench, arguments: list[str], line: str) -> None:
    world.write("foreign.json", "[]")
    done = world.llmtest("serve", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(line)
    assert done.err.count("\n") == 1


def test_the_faults_are_listed(world: Bench) -> None:
    done = world.llmtest("serve", "--fault", "help")
    assert done.code == 0
    for fault in FAULTS:
        assert re.search(rf"^ *{fault.number} +{fault.name} ", done.out, re.MULTILINE), fault.name


@pytest.mark.skipif(not available(), reason="the embedded model is not installed")
def test_the_embedded_model_answers_as_it_comes_and_with_faults(world: Bench) -> None:
    asked = {**ASKED, "temperature": 0, "max_tokens": 8}
    with served(world.folder) as (process, endpoint):
        plain = requests.post(f"{endpoint}/chat/completions", json=asked, timeout=60).json()
        stream = requests.post(f"{endpoint}/chat/completions", json={**asked, "stream": True}, timeout=60)
        process.terminate()
        process.communicate(timeout=20)
    assert process.returncode == 0
    assert plain["choices"][0]["message"]["content"]
    assert stream.text.count("data: ") > 4
    with served(world.folder, "--fault", "stream-flag-ignored") as (_, endpoint):
        swapped = requests.post(f"{endpoint}/chat/completions", json={**asked, "stream": True}, timeout=60)
    assert swapped.json()["choices"][0]["message"] == plain["choices"][0]["message"]
