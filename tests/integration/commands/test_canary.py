"""No output of any command shows a secret, though the gateway repeats all of them everywhere (canary.py)."""

from __future__ import annotations

import gzip
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import requests
from tests.integration.commands import canary
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, Job, job
from tests.servers.gateway import Reply, Scripted

from llm_testbench.commands import measure, serve
from llm_testbench.commands.edges import Edges

PATIENCE = 30  # seconds


@pytest.fixture
def world(world: Bench) -> Bench:
    world.write(canary.CONFIG_NAME, canary.CONFIG.replace("URL", world.server.url))
    world.write("canary.yaml", canary.suite())
    world.environ.update(canary.ENVIRON)
    world.server.answer = canary.echo
    world.server.stream_chunks = 400
    return world


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def said(done: Done, name: str) -> dict[str, str]:
    return {f"{name}: stdout": done.out, f"{name}: stderr": done.err}


def test_the_search_finds_every_spelling_and_takes_nothing_else_for_one() -> None:
    for secret in canary.SECRETS:
        for spelling in canary.spellings(secret):
            assert canary.found(f"before {spelling} after"), spelling
    assert canary.found("9a1b" * 40 + " ordinary words, org/model-a sk-proj and the header of the team") == []


@pytest.mark.parametrize(
    ("shown", "way"), [("terminal", []), ("markdown", ["--stream"]), ("json", [])], ids=["terminal", "streamed", "json"]
)
def test_a_run(world: Bench, way: list[str], shown: str) -> None:
    done = world.llmtest("run", "--out", "out.json", "--format", shown, *way)

    assert done.code == 3, done.err
    assert canary.leaks(dict(canary.files(world.folder)) | said(done, "run")) == {}
    rows = world.json("out.json")["results"]
    assert {row["test_id"] for row in rows} == canary.PLACES.keys()
    assert {row["model"] for row in rows} == {"a", "b", "c"}
    # What had to go is gone, and the rest is there.
    alone = next(row for row in rows if row["test_id"] == "text-alone")
    assert alone["response_text"] == "***"
    assert (world.folder / "out.json.journal.jsonl").read_text().count("***") > 50


def test_a_run_that_keeps_no_answers(world: Bench) -> None:
    done = world.llmtest("run", "--out", "out.json.gz", "--store-responses", "none")
    assert canary.leaks(dict(canary.files(world.folder)) | said(done, "run")) == {}


def recorded(world: Bench, answer: Callable[[Mapping[str, Any]], Scripted]) -> bytes:
    """A baseline as somebody else may have written it: nothing in it is redacted."""
    world.server.answer = answer
    done = world.llmtest("run", "--repeat", "3", "--out", "made.json", "--quiet")
    assert done.code == 0, done.err
    made = world.json("made.json")
    (world.folder / "made.json").unlink()
    made["meta"]["role"] = "record"
    for row in made["results"]:
        row["response_text"] = row["reasoning_text"] = row["reason"] = canary.SAID
        row["fingerprint"] = canary.KEY
    made["meta"]["fingerprints"] = made["meta"]["served_models"] = {"a": [canary.KEY]}
    made["meta"]["adaptations"] = {"a": [canary.SAID]}
    world.server.answer = canary.echo
    return gzip.compress(json.dumps(made).encode(), mtime=0)


def of_job(step: Job, done: Done) -> dict[str, str]:
    """All that a job leaves, at GitHub too."""
    files = dict(canary.files(step.world.folder))
    comments = {f"comment {number}": body for number, body in enumerate(step.comments)}
    sent = {f"request {n}: {seen.path}": str(seen.body) for n, seen in enumerate(step.github.requests)}
    return files | comments | sent | said(done, "gate")


@pytest.mark.parametrize("way", [[], ["--stream"]], ids=["whole", "streamed"])
def test_a_gate_on_a_pull_request_with_every_report(step: Job, way: list[str]) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: recorded(step.world, lambda _: "4")})
    step.world.write("summary.md", "")
    step.world.write("output.txt", "")

    environ = step.environ("pull_request")
    done = step.world.llmtest("gate", "--html", "--junit", "--repeat", "2", *way, environ=environ)

    assert done.code == 1, done.err
    outputs = of_job(step, done)
    folder = "llm-testbench-results"
    reports = [
        f"{folder}/{name}" for name in ("artifact.json", "comparison.json", "report.md", "report.html", "junit.xml")
    ]
    for name in (*reports, "summary.md", "comment 0", "gate: stdout"):
        assert "***" in outputs[name], f"{name} does not hold what the gateway said"
    assert {"output.txt", "gate: stderr", f"{folder}/artifact.json.journal.jsonl"} <= outputs.keys()
    assert canary.leaks(outputs) == {}


def test_a_recording_that_is_attached_to_a_release(step: Job) -> None:
    step.add_release_of_the_event()
    step.world.server.answer = lambda body: canary.SAID

    done = step.world.llmtest("gate", "--repeat", "2", environ=step.environ("release"))

    assert done.code == 0, done.err
    (asset,) = step.github.releases[5012].assets
    outputs = of_job(step, done) | {"asset": gzip.decompress(asset.data).decode()}
    assert "***" in outputs["asset"]
    assert canary.leaks(outputs) == {}


def test_what_is_made_of_an_artifact_later(world: Bench) -> None:
    (world.folder / "base.json.gz").write_bytes(recorded(world, lambda _: "4"))
    world.llmtest("gate", "--baseline", "base.json.gz", "--repeat", "2", "--quiet")
    now = "llm-testbench-results/artifact.json"
    lines = (
        ("rescore", now, "--out", "rescored.json.gz"),
        ("rescore", now, "--format", "json"),
        ("health", now),
        ("health", now, "--format", "json"),
        *(("compare", "base.json.gz", now, "--format", shown) for shown in ("terminal", "markdown", "json")),
        ("accept", "llm-testbench-results/comparison.json", "--reason", "wanted"),
        ("validate", now),
        ("validate", "canary.yaml"),
        ("list",),
        ("gate", "--current", now, "--baseline", "base.json.gz", "--output-dir", "judged", "--html", "--junit"),
        ("run", "--plan"),
        ("merge", now, "--out", "merged.json"),
        ("merge", now, now, "--out", "merged.json"),
    )

    outputs: dict[str, str] = {}
    for line in lines:
        outputs |= said(world.llmtest(*line), " ".join(line))

    (world.folder / "base.json.gz").unlink()
    assert (
        "***"
        in outputs["health llm-testbench-results/artifact.json: stdout"]
        + outputs[f"rescore {now} --format json: stdout"]
    )
    assert canary.leaks(dict(canary.files(world.folder)) | outputs) == {}


def test_an_interrupted_run_and_its_journal(world: Bench) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "llm_testbench", "run", "--repeat", "20", "--concurrency", "2", "--out", "out.json"],
        cwd=world.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", **world.environ},
    ) as child:
        world.server.wait_for(150)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)

    assert child.returncode == 130, err
    assert "***" in (world.folder / "out.json.journal.jsonl").read_text()
    assert canary.leaks(dict(canary.files(world.folder)) | said(Done(130, out, err), "run")) == {}


@pytest.mark.parametrize("place", ["text", "refused", "wrong-key", "no-json", "labels", "arguments", "html"])
def test_the_doctor_and_the_entries_that_it_writes(world: Bench, place: str) -> None:
    world.server.answer = lambda _: canary.PLACES[place]()
    world.server.models = [f"org/{canary.KEY}", canary.SAID]

    done = world.llmtest("doctor", "--write")

    assert done.out
    assert canary.leaks(dict(canary.files(world.folder)) | said(done, "doctor")) == {}
    # The file holds the header's values, as the user wrote them, and nothing that was only sent.
    written = (world.folder / canary.CONFIG_NAME).read_text()
    assert written.count(canary.HEADER) == canary.CONFIG.count(canary.HEADER)
    assert not any(key in written for key in (canary.KEY, canary.OTHER_KEY, canary.PROXY))


def test_an_artifact_that_is_served_again(world: Bench) -> None:
    data = gzip.decompress(recorded(world, lambda _: "4"))
    world.write("base.json", data.decode())
    entry = next(test for test in world.json("base.json")["tests"] if test["test_id"] == "text")
    body = {"messages": entry["request"]["messages"], "tools": entry["request"]["tools"]}
    headers = {"Authorization": f"Bearer {canary.KEY}"}
    answers: list[str] = []

    def ask() -> None:
        (address,) = re.findall("endpoint: (.*)", stdout.getvalue())
        for model in ("a", canary.KEY):
            asked = {**body, "model": model}
            answers.append(
                requests.post(f"{address}/chat/completions", json=asked, headers=headers, timeout=PATIENCE).text
            )

    stdout, stderr = io.StringIO(), io.StringIO()
    edges = Edges(stdout=stdout, stderr=stderr, environ=world.environ, cwd=world.folder)
    code = serve.main({"replay": "base.json", "port": "0"}, (), edges, wait=ask)

    assert (code, "***" in answers[0]) == (0, True), answers
    outputs = {"stdout": stdout.getvalue(), "stderr": stderr.getvalue(), "answer": answers[0]}
    assert canary.leaks(outputs) == {}


@pytest.mark.parametrize("arguments", [["--debug"], []])
def test_a_bug_whose_words_quote_secrets(world: Bench, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(canary.SAID)

    monkeypatch.setattr(measure, "build", broken)
    done = world.llmtest("run", "--quiet", *arguments)

    assert done.code == 3
    assert "***" in done.err
    assert ("Traceback" in done.err) == bool(arguments)
    assert canary.leaks(said(done, "run")) == {}


@pytest.mark.parametrize(
    ("arguments", "environ", "code"),
    [
        (["--endpoint", f"https://me:{canary.PROXY}@gateway.example/v1"], {}, 2),
        (["--endpoint", f"https://gateway.example/v1?key={canary.OTHER_KEY}"], {}, 2),
        ([], {"LLMTB_API_KEY": f"{canary.KEY}ü"}, 2),
        ([], {"LLMTB_ENDPOINT": f"http://me:{canary.PROXY}@gateway.example"}, 2),
        ([], {"LLMTB_CONCURRENCY": canary.KEY}, 2),
        (["--suites", canary.KEY], {}, 2),
        (["--tests", canary.KEY], {}, 2),
        ([canary.KEY], {}, 2),
        (["--no-such-flag", canary.KEY], {}, 2),
    ],
)
def test_what_is_wrong_with_what_the_user_gave(
    world: Bench, arguments: list[str], environ: Mapping[str, str], code: int
) -> None:
    done = world.llmtest("run", *arguments, environ=environ)

    assert done.code == code, done.err
    assert done.err
    assert canary.leaks(said(done, "run")) == {}


def test_nobody_there_and_nobody_let_in(world: Bench) -> None:
    world.server.answer = lambda _: Reply({"error": {"message": canary.SAID}}, 401)
    refused = world.llmtest("gate", "--output-dir", "refused")
    world.write(canary.CONFIG_NAME, canary.CONFIG.replace("URL", "http://127.0.0.1:9/v1"))
    nobody = world.llmtest("gate", "--output-dir", "nobody")

    assert (refused.code, nobody.code) == (3, 3)
    assert canary.leaks(dict(canary.files(world.folder)) | said(refused, "refused") | said(nobody, "nobody")) == {}
