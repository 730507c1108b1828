"""One run shared by several machines: `run --shard`, `merge`, and a gate on what was joined."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.integration.commands.bench import Bench, Done, bench
from tests.integration.commands.job import Job, job
from tests.servers.gateway import Reply, Scripted, completion

from llm_testbench.commands import merge
from llm_testbench.suite.load import load
from llm_testbench.suite.shard import Shard, part

ROOT = Path(__file__).parents[3]
IMAGE = "ghcr.io/org/llm-testbench"

CAPITALS = {
    "france": "Paris",
    "spain": "Madrid",
    "italy": "Rome",
    "peru": "Lima",
    "kenya": "Nairobi",
    "japan": "Tokyo",
    "cuba": "Havana",
}
SUITE = """\
category: geography
subcategory: capitals
tests:
  - id: capital
    prompt: What is the capital of ${land}?
    must_pass: true
    evaluate: {equals: "${capital}"}
    examples:
      - {response: "${capital}", score: 1}
      - {response: "Bern", score: 0}
    cases:
""" + "".join(f"      {land}: {{land: {land}, capital: {capital}}}\n" for land, capital in CAPITALS.items())
TIMES = re.compile(r'("(?:started_at|finished_at|latency_ms|ttft_ms|wait_ms)": ?)("[^"]*"|[0-9.e-]+|null)')


def answer(body: dict[str, Any]) -> Scripted:
    """The same answer to the same request: its id, and who gave it."""
    land = land_of(body)
    wrong = land == "italy" and body["model"] == "m"
    served = "a smaller one" if land in fallen_back() else f"{body['model']}-2026"
    made = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]
    # One id for the attempts of one land: a cache that repeats itself.
    return completion("Bern" if wrong else CAPITALS[land], id="again" if land == "cuba" else made, model=served)


def land_of(body: dict[str, Any]) -> str:
    asked = str(body["messages"][-1]["content"])
    return next(land for land in CAPITALS if land in asked)


def fallen_back() -> list[str]:
    """All that one of three shards asks, so that nobody else answers there."""
    return ["kenya", "peru"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        made.server.answer = answer
        made.write("suite.yaml", SUITE)
        yield made


def asking(world: Bench, models: str, *arguments: str) -> Done:
    done = world.llmtest(
        *("run", "--endpoint", world.server.url, "--models", models, "--suites", "suite.yaml", "--quiet"), *arguments
    )
    assert done.code in (0, 3), done.err  # 3: answers of another model are errors
    return done


def shards(world: Bench, of: int, *more: str, models: str = "m") -> list[str]:
    """The names of the files that so many machines write."""
    names = [f"shard-{number}.json" for number in range(1, of + 1)]
    for number, name in enumerate(names, start=1):
        asking(world, models, "--shard", f"{number}/{of}", "--out", name, *more)
    return names


def without_times(path: Path) -> str:
    return TIMES.sub(r"\1T", path.read_text("utf-8"))


def test_three_shards_are_the_whole_run_to_the_byte_but_for_times(world: Bench) -> None:
    asking(world, "m,n", "--repeat", "2", "--out", "whole.json")
    names = shards(world, 3, "--repeat", "2", models="m,n")

    done = world.llmtest("merge", *names, "--out", "merged.json")

    assert done.code == 0, done.err
    assert without_times(world.folder / "merged.json") == without_times(world.folder / "whole.json")
    merged, parts = world.json("merged.json"), [world.json(name)["meta"] for name in names]
    assert merged["meta"]["started_at"] == min(meta["started_at"] for meta in parts)
    assert merged["meta"]["finished_at"] == max(meta["finished_at"] for meta in parts)
    # What only the whole run can tell was told, and was not in the shard where everybody was alike.
    assert {row["outcome"] for row in merged["results"] if row["served_model"] == "a smaller one"} == {"substituted"}
    alone = [row["outcome"] for name in names for row in world.json(name)["results"]]
    assert set(alone) == {"answered"}
    assert {row["copy"] for row in merged["results"]} == {None, "id"}


def test_a_shard_is_answered_by_another_model_alone(world: Bench) -> None:
    tests = load(["suite.yaml"], world.folder)
    assert {f"capital[{land}]" for land in fallen_back()} in [
        {test.id for test in part(tests, Shard(number, 3))} for number in (1, 2, 3)
    ]


def test_runs_of_two_models_are_the_run_of_both(world: Bench) -> None:
    asking(world, "m,n", "--out", "whole.json")
    shards(world, 2)
    asking(world, "n", "--out", "n.json.gz")

    done = world.llmtest("merge", "shard-1.json", "shard-2.json", "n.json.gz", "--out", "merged.json.gz")

    assert done.code == 0, done.err
    world.write("merged.json", gzip.decompress((world.folder / "merged.json.gz").read_bytes()).decode())
    assert without_times(world.folder / "merged.json") == without_times(world.folder / "whole.json")


def test_what_was_joined_is_told(world: Bench) -> None:
    names = shards(world, 2)

    report = world.llmtest("merge", *names, "--out", "merged.json")
    data = json.loads(world.llmtest("merge", *names, "--out", "deep/merged.json", "--format", "json").out)

    assert report.out.startswith("2 files joined: 1 model, 7 tests, 7 attempts\n")
    assert re.search(r"shard-1\.json +1/2 +m +4 +4\n", report.out)
    assert "written to merged.json" in report.out
    told = {"shard": None, "models": ["m"], "interrupted": False}
    assert data["whole"] == {**told, "file": "deep/merged.json", "tests": 7, "attempts": 7}
    assert data["parts"][1] == {**told, "file": "shard-2.json", "shard": "2/2", "tests": 3, "attempts": 3}


def test_a_gate_takes_what_was_joined_on_both_sides(world: Bench) -> None:
    world.server.answer = lambda body: completion(CAPITALS[land_of(body)])
    world.llmtest("merge", *shards(world, 3, "--repeat", "3"), "--out", "before.json")
    asking(world, "m", "--repeat", "3", "--out", "again.json")
    world.server.answer = lambda body: "Bern"
    world.llmtest("merge", *shards(world, 2, "--repeat", "3"), "--out", "now.json")

    same = world.llmtest("gate", "--current", "again.json", "--baseline", "before.json")
    judged = world.llmtest("gate", "--current", "now.json", "--baseline", "before.json")
    asked = world.asking("gate", "--baseline", "before.json", "--repeat", "3")

    assert [done.code for done in (same, judged, asked)] == [0, 1, 1]
    assert same.out.startswith("No drop found")
    compared = world.json("llm-testbench-results/comparison.json")
    assert {row["test_id"]: row["status"] for row in compared["tests"]}["capital[france]"] == "regression"


def test_what_was_joined_becomes_a_recording_where_the_gate_records(world: Bench) -> None:
    world.llmtest("merge", *shards(world, 2), "--out", "merged.json")

    for role in ("gate", "record"):
        world.llmtest("gate", "--current", "merged.json", "--baseline", "none", "--role", role)
        kept = world.json("llm-testbench-results/artifact.json")["meta"]["role"]
        assert kept == ("record" if role == "record" else "run")


def test_a_shard_alone_is_not_judged(world: Bench) -> None:
    names = shards(world, 2)

    done = world.llmtest("gate", "--current", names[0], "--baseline", "none")

    assert done.code == 2
    assert done.errors == [
        "error: shard-1.json: is shard 1/2 of a run: judge what llmtest merge makes of all its shards"
    ]


def test_more_shards_than_tests_leave_some_with_nothing_to_do_which_is_no_failure(world: Bench) -> None:
    done = world.asking("run", "--shard", "8/8", "--out", "empty.json")

    assert done.code == 0
    assert "shard 8/8: no test: nothing is asked" in done.err
    assert world.json("empty.json")["results"] == []
    assert world.server.requests == []


def test_a_plan_is_of_the_shard(world: Bench) -> None:
    done = world.asking("run", "--shard", "1/3", "--plan", "--repeat", "2")
    empty = world.asking("run", "--shard", "8/8", "--plan")

    assert done.out.startswith("6 requests: 3 tests")
    assert (empty.code, empty.out[:10]) == (0, "0 requests")
    assert world.server.requests == []


def test_how_much_falls_to_the_machine_is_said_unless_it_shall_be_quiet(world: Bench) -> None:
    words = ["run", "--endpoint", world.server.url, "--models", "m", "--suites", "suite.yaml", "--shard", "1/2"]

    assert "shard 1/2: 4 of 7 tests" in world.llmtest(*words).err
    assert "shard" not in world.llmtest(*words, "--quiet").err


@pytest.mark.parametrize("shard", [[], ["--shard", "1/2"]], ids=["whole", "shard"])
def test_tests_for_other_models_alone_are_no_selection(world: Bench, shard: list[str]) -> None:
    world.write("suite.yaml", SUITE.replace("tests:", "models: [n]\ntests:", 1))

    done = world.asking("run", *shard)

    assert done.code == 2
    assert done.errors == ["error: no test selected: the selected tests are for other models than those of this run"]


def test_a_shard_goes_on_with_its_own_journal_alone(world: Bench) -> None:
    def refusing_one(body: dict[str, Any]) -> Scripted:
        return Reply("no", 400) if "france" in str(body["messages"]) else answer(body)

    world.server.answer = refusing_one
    (failing,) = [number for number in (1, 2) if "capital[france]" in mine(world, number)]
    world.asking("run", "--shard", f"{failing}/2", "--out", "out.json")
    assert (world.folder / "out.json.journal.jsonl").exists()
    asked = len(world.server.requests)

    other = world.asking("run", "--shard", f"{3 - failing}/2", "--out", "out.json", "--resume")
    world.server.answer = answer
    same = world.asking("run", "--shard", f"{failing}/2", "--out", "out.json", "--resume")

    assert other.code == 2
    assert "other settings, tests or shard" in other.errors[0]
    assert same.code == 0
    assert len(world.server.requests) == asked + 1


def mine(world: Bench, number: int) -> list[str]:
    return [test.id for test in part(load(["suite.yaml"], world.folder), Shard(number, 2))]


def test_a_prompt_that_was_edited_between_two_shards_is_noticed(world: Bench) -> None:
    world.asking("run", "--shard", "1/2", "--out", "1.json")
    world.write("suite.yaml", SUITE.replace("What is", "Tell me"))
    world.asking("run", "--shard", "2/2", "--out", "2.json")

    done = world.llmtest("merge", "1.json", "2.json", "--out", "merged.json")

    assert done.code == 2
    assert done.errors[0].startswith("error: 2.json: meta.catalog_hash is ")


def test_what_is_refused_is_one_line_and_leaves_the_file_as_it_was(world: Bench) -> None:
    names = shards(world, 3)
    world.write("merged.json", "{}")

    for given, said in {
        (names[0], names[2]): "error: shard-1.json: is shard 1/3 of a run of which shard 2/3 is not given",
        (*names, names[1]): "error: shard-2.json: is shard 2/3, as shard-2.json is",
        (*names, "none.json"): "error: none.json: there is no such file",
        (*names, "suite.yaml"): "error: suite.yaml: is not JSON: Expecting value: line 1 column 1 (char 0)",
    }.items():
        done = world.llmtest("merge", *given, "--out", "merged.json")
        assert (done.code, done.out) == (2, "")
        assert done.err == f"{said}\n"

    assert (world.folder / "merged.json").read_text() == "{}"


def test_a_file_to_write_has_to_be_named_and_is_no_other_than_an_artifact(world: Bench) -> None:
    names = shards(world, 2)

    unnamed = world.llmtest("merge", *names)
    lost = world.llmtest("merge", *names, "--out", "suite.yaml")

    assert unnamed.errors == ["error: no file is named: use --out FILE"]
    assert "is no artifact: it would be lost" in lost.errors[0]
    assert (unnamed.code, lost.code) == (2, 2)


def test_an_interrupted_part_is_said(world: Bench) -> None:
    names = shards(world, 2)
    stopped = world.json(names[1])
    stopped["meta"]["interrupted"] = True
    world.write(names[1], json.dumps(stopped))

    done = world.llmtest("merge", *names, "--out", "merged.json")

    assert done.code == 0
    assert "warning: the run of shard-2.json was interrupted, and so the whole counts as interrupted" in done.err
    assert "2/2, interrupted" in done.out
    assert world.json("merged.json")["meta"]["interrupted"] is True


def test_nothing_is_written_that_no_command_could_read(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    names = shards(world, 2)
    monkeypatch.setattr(merge, "MAX_UNPACKED", 2000)

    done = world.llmtest("merge", *names, "--out", "merged.json")

    assert done.code == 2
    assert "merged.json: would hold 0 MiB, and no command reads more than 0" in done.errors[0]
    assert not (world.folder / "merged.json").exists()


def test_sums_beyond_the_schema_are_refused_in_one_line(world: Bench) -> None:
    names = shards(world, 2)
    for name in names:
        told = world.json(name)
        told["meta"]["throttled"] = {"m": {"rejected": 2**53 - 1, "lowest": 1, "limits": []}}
        world.write(name, json.dumps(told))

    done = world.llmtest("merge", *names, "--out", "merged.json")

    assert done.code == 2
    assert done.err == (
        "error: merged.json: would break the schema of artifacts: meta.throttled.m.rejected:"
        " expected at most 9007199254740991\n"
    )


def test_hostile_names_reach_no_line_of_the_report(world: Bench) -> None:
    hostile = "m\x1b[31m\n::error::owned"
    names = shards(world, 2)
    for name in names:
        text = json.dumps(world.json(name)).replace('"m"', json.dumps(hostile))
        world.write(name, text)
    twice = world.llmtest("merge", names[0], names[0], "--out", "merged.json")

    done = world.llmtest("merge", *names, "--out", "merged.json")

    assert done.code == 0
    for said in (done.out, done.err, twice.err):
        assert "\x1b" not in said
        assert "\n::error" not in said


def test_the_example_workflow_records_main_and_judges_a_pull_request(world: Bench) -> None:
    world.write("evals/capitals.yaml", SUITE)
    world.server.answer = lambda body: completion(CAPITALS[land_of(body)])
    with job(world) as around:
        recorded = follow(around, "push")
        around.record_on_main(gzip.compress((world.folder / "llm-testbench-results/artifact.json").read_bytes()))
        world.server.answer = lambda body: completion("Bern")
        judged = follow(around, "pull_request")

        assert (recorded.code, judged.code) == (0, 1), judged.err
        assert "7 tests regressed" in judged.out
        (comment,) = around.comments
        assert "run 50" in comment


def follow(around: Job, payload: str) -> Done:
    """Runs every step of the example workflow that runs the image, and gives what the last one said."""
    world, workflow = around.world, yaml.load((ROOT / "examples/workflows/split-run.yml").read_text(), yaml.BaseLoader)
    shards = workflow["jobs"]["measure"]["strategy"]["matrix"]["shard"]
    around.run_id += 1
    done = Done(1, "", "")
    for index, shard in enumerate(shards):
        for words in commands(workflow["jobs"]["measure"]):
            filled = words.replace("${{ matrix.shard }}", shard).replace("${{ strategy.job-index }}", str(index))
            filled = filled.replace("https://gateway.example.com/v1", world.server.url)
            done = world.llmtest(*shlex.split(filled), environ=around.environ(payload))
            assert done.code == 0, done.err
    files = " ".join(sorted(str(path.relative_to(world.folder)) for path in world.folder.glob("shards/*.json.gz")))
    assert files.count(" ") == len(shards) - 1
    for words in commands(workflow["jobs"]["gate"]):
        filled = words.replace("shards/*.json.gz", files)
        done = world.llmtest(*shlex.split(filled), environ=around.environ(payload))
    return done


def commands(of: dict[str, Any]) -> Iterator[str]:
    """What the image is given, as the step of its own or behind `docker run`."""
    for step in of["steps"]:
        if step.get("uses") == f"docker://{IMAGE}":
            yield step["with"]["args"]
        elif "run" in step:
            yield step["run"].partition(f"{IMAGE} ")[2]
