"""Runs against `serve`: a recording gives what was recorded, examples give the share of right answers asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, Done, bench
from tests.integration.serving.desks import serving
from tests.servers.gateway import Reply, message, tool_message

from llm_testbench.artifact.read import read
from llm_testbench.local.serving.answers import Answers
from llm_testbench.local.serving.from_examples import Examples
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.recorded import Recording
from llm_testbench.suite.load import load

SUITE = """
category: shop
subcategory: orders
defaults: {request: {temperature: 0}}
tests:
  - id: price
    prompt: What does a jacket of 80 euros cost with 15 % off? The number alone.
    evaluate: {numeric: 68}
    examples:
      - {response: "68", score: 1}
      - {response: "<think>80 - 12</think>**68** euros", score: 1}
      - {response: "12", score: 0}
      - {response: "I do not know.", score: 0}
  - id: order
    prompt: Order two of ${what}.
    tools:
      - type: function
        function: {name: order, parameters: {type: object, properties: {what: {type: string}, n: {type: integer}}}}
    evaluate: {tool_call_args: {name: order, args: {what: "${what}", n: 2}}}
    examples:
      - {tool_calls: [{name: order, arguments: {what: "${what}", n: 2}}], score: 1}
      - {tool_calls: [{name: order, arguments: {what: "${what}", n: 3}}], score: 0}
    cases:
      hats: {what: hats}
      socks: {what: Strümpfe}
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        made.write("shop.yaml", SUITE)
        yield made


def run(world: Bench, endpoint: str, *more: str) -> Done:
    """3 is right where errors are among the answers."""
    named = ["--endpoint", endpoint, "--suites", "shop.yaml", "--quiet", "--repeat", "4"]
    done = world.llmtest("run", *named, *more)
    assert done.code in (0, 3), done.err
    return done


def scores(path: Path) -> list[tuple[object, ...]]:
    rows = read(path).results
    return [(row.model, row.test_id, row.attempt, row.score, row.outcome, row.error) for row in rows]


@contextmanager
def examples(world: Bench, right: float, *faults: FaultRate) -> Iterator[str]:
    with serving(Examples(load(["shop.yaml"], world.folder), right, 0), faults, seed=1) as server:
        yield server.endpoint


@pytest.mark.parametrize(("right", "score"), [(1.0, 1.0), (0.0, 0.0)])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_all_examples_are_right_or_all_are_wrong(world: Bench, right: float, score: float, stream: str) -> None:
    with examples(world, right) as endpoint:
        run(world, endpoint, "--models", "a", "--out", "a.json", stream)
    rows = read(world.folder / "a.json").results
    assert {row.test_id for row in rows} == {"price", "order[hats]", "order[socks]"}
    assert {(row.score, row.error) for row in rows} == {(score, None)}


def test_a_share_of_right_answers_is_the_same_whenever_and_by_whomever_it_is_asked(world: Bench) -> None:
    for name, concurrency in (("one.json", "1"), ("two.json", "8")):
        with examples(world, 0.7) as endpoint:
            run(world, endpoint, "--models", "a, b", "--out", name, "--concurrency", concurrency, "--seed", "5")
    one, two = (read(world.folder / name).results for name in ("one.json", "two.json"))
    assert [(row.model, row.test_id, row.attempt, row.response_text) for row in one] == [
        (row.model, row.test_id, row.attempt, row.response_text) for row in two
    ]
    assert 0.4 < sum(row.passed for row in one) / len(one) < 0.95


def test_the_share_is_what_was_asked_for(world: Bench) -> None:
    with examples(world, 0.7) as endpoint:
        run(world, endpoint, "--models", "a", "--out", "a.json", "--repeat", "200")
    rows = read(world.folder / "a.json").results
    assert sum(row.passed for row in rows) / len(rows) == pytest.approx(0.7, abs=0.06)


def test_a_request_of_no_test_is_refused(world: Bench) -> None:
    with examples(world, 1.0) as endpoint:
        done = world.llmtest(
            "run", "--endpoint", endpoint, "--models", "a", "--suites", "suite.yaml", "--out", "b.json"
        )
    assert done.code == 3
    (error,) = {row.error for row in read(world.folder / "b.json").results}
    assert error is not None
    assert "no selected test has these messages and tools: name its suite with --suites" in error


def answered(world: Bench) -> None:
    """A gateway whose answers depend on the attempt, one of them an error."""

    def answer(body: dict[str, Any]) -> Any:
        asked, number = str(body["messages"][-1]["content"]), len(world.server.requests)
        if "jacket" in asked:
            if body.get("seed") == 8:
                return Reply({"error": {"message": "no such luck", "type": "x"}}, 422)
            return message("68" if number % 2 else "68,50", reasoning_content="Hm.")
        what = "hats" if "hats" in asked else "Strümpfe"
        return tool_message("order", {"what": what, "n": 2 + number % 2})

    world.server.answer = answer


@pytest.mark.parametrize("seed", [["--seed", "7"], []], ids=["by seed", "in order"])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_a_recording_gives_what_was_recorded(world: Bench, seed: list[str], stream: str) -> None:
    answered(world)
    asked = ["--models", "a, b", *seed, "--concurrency", "1"]
    run(world, world.server.url, *asked, "--out", "then.json")
    with serving(recording(world)) as server:
        run(world, server.endpoint, *asked, "--out", "now.json", stream)
    then, now = scores(world.folder / "then.json"), scores(world.folder / "now.json")
    if seed:
        assert sum(row[5] is not None for row in then) == 2  # one attempt of each model
    assert [row[:5] for row in now] == [row[:5] for row in then]


def recording(world: Bench) -> Answers:
    return Recording(read(world.folder / "then.json"))


def test_attempts_are_found_by_their_seed_in_any_order(world: Bench) -> None:
    answered(world)
    run(world, world.server.url, "--models", "a", "--seed", "7", "--out", "then.json")
    with serving(recording(world)) as server:
        run(world, server.endpoint, "--models", "a", "--seed", "7", "--out", "now.json", "--concurrency", "64")
    assert [row[:5] for row in scores(world.folder / "now.json")] == [
        row[:5] for row in scores(world.folder / "then.json")
    ]


def test_a_gate_of_a_recording_against_itself_passes(world: Bench) -> None:
    with examples(world, 1.0) as endpoint:
        run(world, endpoint, "--models", "a", "--seed", "7", "--out", "then.json")
    with serving(recording(world)) as server:
        gate = ["--endpoint", server.endpoint, "--models", "a", "--suites", "shop.yaml", "--seed", "7", "--repeat", "4"]
        done = world.llmtest("gate", *gate, "--baseline", "then.json", "--quiet")
    assert done.code == 0, done.out
    assert world.json("llm-testbench-results/comparison.json")["verdict"] == "pass"


def test_a_gate_fails_when_the_answers_became_wrong(world: Bench) -> None:
    gate = ["--models", "a", "--suites", "shop.yaml", "--quiet", "--repeat", "10"]
    with examples(world, 1.0) as endpoint:
        run(world, endpoint, "--models", "a", "--repeat", "10", "--out", "then.json")
    with examples(world, 0.0) as endpoint:
        done = world.llmtest("gate", *gate, "--endpoint", endpoint, "--baseline", "then.json")
    assert done.code == 1, done.out
    assert done.out.startswith("Worse: ")


def test_faults_that_lose_nothing_change_no_score(world: Bench) -> None:
    harmless = ["crlf", "bom", "sse-comments", "think-tags", "usage-on-every-chunk", "content-parts", "repeated-name"]
    with examples(world, 0.5) as endpoint:
        run(world, endpoint, "--models", "a", "--seed", "7", "--stream", "--out", "then.json")
    with examples(world, 0.5, *map(FaultRate, harmless)) as endpoint:
        run(world, endpoint, "--models", "a", "--seed", "7", "--stream", "--out", "now.json")
    assert scores(world.folder / "now.json") == scores(world.folder / "then.json")


def test_a_fault_with_a_rate_is_in_that_share_of_the_answers(world: Bench) -> None:
    with examples(world, 1.0, FaultRate("permanent-4xx", 0.25)) as endpoint:
        run(world, endpoint, "--models", "a", "--out", "a.json", "--repeat", "200")
    rows = read(world.folder / "a.json").results
    assert sum(row.error is not None for row in rows) / len(rows) == pytest.approx(0.25, abs=0.06)
