"""What a run records of requests that its server did not take, and what a comparison says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, bench
from tests.servers.gateway import Reply, Scripted

PAGE = (Path(__file__).parents[3] / "docs/gateways.md").read_text("utf-8")
SUITE, BY_HAND = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[:2]
REPORTED = re.findall(r"```text\n(my-model: .*?)\n```", PAGE)[0]
PHRASES = ["temperature is not sent", "the token limit is sent as max_completion_tokens"]


def picky(*refused: str) -> Any:
    """Answers the page's test, unless the request holds a key that is refused."""

    def answer(body: dict[str, Any]) -> Scripted:
        for key in refused:
            if key in body:
                words = f"Unsupported parameter: '{key}' is not supported with this model."
                return Reply({"error": {"message": words, "param": key}}, 400)
        return "68"

    return answer


def world(made: Bench, *refused: str) -> Bench:
    made.server.answer = picky(*refused)
    made.write("evals/shop.yaml", SUITE)
    made.environ = {"LLMTB_ENDPOINT": made.server.url, "LLMTB_MODELS": "my-model"}
    return made


def words_of(report: str) -> str:
    return re.sub(r"[`*\s]+", " ", report)


def test_a_run_says_and_records_what_it_changed(tmp_path: Path) -> None:
    with bench(tmp_path) as made:
        done = world(made, "max_tokens", "temperature").llmtest("run", "--suites", "evals/shop.yaml", "--out", "a.json")

    assert done.code == 0, done.err
    assert REPORTED in words_of(done.out)
    artifact = made.json("a.json")
    assert artifact["meta"]["adaptations"] == {"my-model": PHRASES}
    (row,) = artifact["results"]
    assert (row["score"], [one["outcome"] for one in row["tries"]]) == (1, ["rejected", "rejected", "answered"])
    assert "'temperature' is not supported" in row["tries"][1]["reason"]


def test_a_run_that_changed_nothing_says_nothing(tmp_path: Path) -> None:
    with bench(tmp_path) as made:
        done = world(made).llmtest("run", "--suites", "evals/shop.yaml", "--out", "a.json")

    assert "requests were changed" not in done.out
    assert made.json("a.json")["meta"].get("adaptations", {}) == {}


@pytest.mark.parametrize(
    ("now", "warning"),
    [
        ((), "my-model: requests were adapted to the server in another way: temperature is not sent → none"),
        (
            ("temperature", "max_tokens"),
            "my-model: requests were adapted to the server in another way: temperature is not sent →"
            " temperature is not sent; the token limit is sent as max_completion_tokens",
        ),
        (("temperature",), None),
    ],
    ids=["no more", "more", "the same"],
)
def test_a_comparison_names_the_model_and_the_difference(
    tmp_path: Path, now: tuple[str, ...], warning: str | None
) -> None:
    with bench(tmp_path) as made:
        asking = ("--suites", "evals/shop.yaml", "--repeat", "3")
        world(made, "temperature").llmtest("run", *asking, "--out", "a.json")
        done = world(made, *now).llmtest("gate", *asking, "--baseline", "a.json")

    assert done.code == 0, done.err
    said = words_of(done.out)
    assert ("adapted to the server" in said) is (warning is not None)
    if warning is not None:
        assert warning in said
        # Above the tables: who reads the first lines alone has seen it.
        assert said.index(warning) < said.index("Mind when comparing")


def test_what_is_set_by_hand_is_sent_so_from_the_first_request_on(tmp_path: Path) -> None:
    with bench(tmp_path) as made:
        world(made, "max_tokens", "temperature", "seed", "stream_options")
        made.write("llm-testbench.yaml", BY_HAND)
        done = made.llmtest("run", "--out", "a.json", "--seed", "5")
        sent = made.server.requests[-1].body

    assert done.code == 0, done.err
    assert made.json("a.json")["meta"].get("adaptations", {}) == {}
    assert {key: sent[key] for key in sent if key not in ("messages", "model")} == {
        "max_completion_tokens": 4096,
        "stream": True,
    }


def test_a_suite_that_sets_a_temperature_keeps_it_unless_the_model_forbids_it(tmp_path: Path) -> None:
    suite = SUITE.replace("    evaluate", "    request: {temperature: 0.5}\n    evaluate")
    with bench(tmp_path) as made:
        world(made, "temperature")
        made.write("evals/shop.yaml", suite)
        refused = made.llmtest("run", "--suites", "evals/shop.yaml", "--out", "a.json")
        made.write("llm-testbench.yaml", "models: [{name: my-model, temperature: null}]\n")
        taken = made.llmtest("run", "--suites", "evals/shop.yaml", "--out", "b.json")

    assert (refused.code, taken.code) == (3, 0)
    (row,) = made.json("a.json")["results"]
    assert (row["outcome"], len(row["tries"])) == ("rejected", 1)
    assert "'temperature' is not supported" in row["error"]
    assert made.json("b.json")["results"][0]["score"] == 1


@pytest.mark.parametrize("key", ["temperature: null", "max_tokens_limit: 100", "tool_choice: required"])
def test_a_setting_by_hand_makes_another_way_of_asking(tmp_path: Path, key: str) -> None:
    with bench(tmp_path) as made:
        world(made)
        ways = []
        for entry in ("{name: my-model}", f"{{name: my-model, {key}}}", "{name: my-model, stream_options: false}"):
            made.write("llm-testbench.yaml", f"models: [{entry}]\n")
            made.llmtest("run", "--suites", "evals/shop.yaml", "--out", "a.json")
            ways.append(made.json("a.json")["meta"]["asked"]["my-model"])

    assert ways[0] != ways[1]
    assert ways[0] == ways[2]
