"""Whatever is wrong gives its exit code and one line that says what to do, and loses nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.integration.commands.bench import SUITE, Bench, Done
from tests.servers.gateway import Reply


@dataclass(frozen=True)
class Case:
    """`prepare` makes it wrong; `says` are parts of the one error line."""

    code: int
    says: tuple[str, ...]
    command: tuple[str, ...]
    prepare: Callable[[Bench], object] = lambda world: None


def file(name: str, text: str) -> Callable[[Bench], object]:
    return lambda world: world.write(name, text)


def page(world: Bench) -> None:
    world.server.answer = lambda body: Reply(
        "<html><head><title>Sign in</title></head></html>", 200, {"Content-Type": "text/html"}
    )


def refusing(world: Bench) -> None:
    world.server.answer = lambda body: Reply({"error": {"message": "Incorrect API key"}}, 401)


GATE = ("gate", "--suites", "suite.yaml", "--endpoint", "URL", "--models", "m", "--quiet")
RUN = ("run", "--suites", "suite.yaml", "--endpoint", "URL", "--models", "m", "--quiet", "--out", "out.json")
CONFIG = ("run", "--config", "c.yaml")
DEAD = "http://127.0.0.1:9/v1"

CASES = {
    # Config
    "config: missing": Case(2, ("nowhere.yaml",), ("run", "--config", "nowhere.yaml")),
    "config: not YAML": Case(2, ("c.yaml:2:", "not YAML"), CONFIG, file("c.yaml", "models: [a\n")),
    "config: unknown key": Case(
        2,
        ("c.yaml:2:1", "modles", "did you mean 'models'"),
        CONFIG,
        file("c.yaml", "endpoint: http://x/v1\nmodles: [a]\n"),
    ),
    "config: bad number": Case(2, ("c.yaml:1:", "concurrency"), CONFIG, file("c.yaml", "concurrency: many\n")),
    "config: bad URL": Case(2, ("c.yaml:1:", "endpoint"), CONFIG, file("c.yaml", "endpoint: ftp://x\n")),
    "config: no model": Case(2, ("models",), CONFIG, file("c.yaml", "endpoint: http://x/v1\n")),
    # Usage
    "usage: unknown flag": Case(2, ("--modle",), ("run", "--modle", "m")),
    "usage: unknown command": Case(2, ("gaet", "gate"), ("gaet",)),
    "usage: too many tokens": Case(2, ("max_planned_tokens allows 100",), (*GATE, "--max-planned-tokens", "100")),
    "usage: too many requests": Case(2, ("max_requests", "6"), (*GATE, "--max-requests", "5")),
    # Suite
    "suite: missing": Case(2, ("nothing.yaml",), ("list", "--suites", "nothing.yaml")),
    "suite: not YAML": Case(
        2, ("bad.yaml:2:", "not YAML"), ("list", "--suites", "bad.yaml"), file("bad.yaml", "tests: [")
    ),
    "suite: unknown evaluator": Case(
        2,
        ("suite.yaml:7:", "numeric"),
        ("list", "--suites", "suite.yaml"),
        file("suite.yaml", SUITE.replace("numeric:", "numerik:")),
    ),
    "suite: no test selected": Case(2, ("no test selected", "captal", "capital"), (*RUN, "--tests", "captal")),
    "suite: other models only": Case(
        2,
        ("no test selected", "models"),
        RUN,
        file("suite.yaml", SUITE.replace("tests:", "models: [other]\ntests:", 1)),
    ),
    # Artifacts
    "current: missing": Case(2, ("gone.json", "no such file"), ("gate", "--current", "gone.json")),
    "current: not JSON": Case(2, ("x.json", "not JSON"), ("gate", "--current", "x.json"), file("x.json", "{")),
    "current: a row is wrong": Case(
        2, ("x.json", "results[0]"), ("health", "x.json"), file("x.json", '{"results": [{"model": 1}]}')
    ),
    "compare: base missing": Case(2, ("gone.json",), ("compare", "gone.json", "gone.json")),
    # Baseline
    "baseline: missing and required": Case(3, (), (*GATE, "--baseline", "gone.json", "--baseline-missing", "fail")),
    "baseline: broken": Case(3, ("b.json", "baseline"), (*GATE, "--baseline", "b.json"), file("b.json", "[")),
    "baseline: too new": Case(
        3, ("b.json", "newer"), (*GATE, "--baseline", "b.json"), file("b.json", '{"schema_version": 99, "results": []}')
    ),
    # Output
    "output: folder is a file": Case(2, ("cannot be written", "suite.yaml"), (*GATE, "--output-dir", "suite.yaml")),
    "output: the suite itself": Case(2, ("suite.yaml", "no artifact"), (*RUN[:-1], "suite.yaml")),
    "output: below a file": Case(2, ("cannot be written",), (*RUN[:-1], "suite.yaml/out.json")),
    # Endpoint
    "endpoint: down": Case(
        3,
        ("no model answers", "network"),
        ("run", "--suites", "suite.yaml", "--endpoint", DEAD, "--models", "m", "--max-retries", "0", "--quiet"),
    ),
    "endpoint: down, to gate": Case(
        3,
        ("no model answers", "network"),
        ("gate", "--suites", "suite.yaml", "--endpoint", DEAD, "--models", "m", "--max-retries", "0", "--quiet"),
    ),
    "endpoint: no LLM": Case(3, ("no model answers", "protocol", "Sign in"), RUN, page),
    "endpoint: no LLM, to gate": Case(3, ("no model answers", "protocol", "Sign in"), GATE, page),
    "endpoint: no key": Case(3, ("no model answers", "auth", "401", "LLMTB_API_KEY"), GATE, refusing),
    "endpoint: incomplete": Case(3, ("no model answers", "404", "end in /v1"), (*GATE[:4], "ROOT", *GATE[5:])),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_it_ends_with_its_code_and_one_line(world: Bench, case: Case) -> None:
    case.prepare(world)

    addresses = {"URL": world.server.url, "ROOT": world.server.url.removesuffix("/v1")}
    done = world.llmtest(*(addresses.get(word, word) for word in case.command))

    assert done.code == case.code, done
    assert len(done.errors) == (1 if case.says else 0), done.err
    assert all(words in done.err for words in case.says), done.err
    assert "Traceback" not in done.out + done.err


def test_a_missing_baseline_is_no_error(world: Bench) -> None:
    done = world.asking("gate", "--baseline", "gone.json")

    assert (done.code, done.errors) == (0, [])
    assert done.out.startswith("No baseline")
    assert done.err == "warning: there is no baseline at gone.json\n"


def test_a_dead_endpoint_leaves_the_evidence(world: Bench) -> None:
    refusing(world)

    done = world.asking("gate")

    rows = world.json("llm-testbench-results/artifact.json")["results"]
    assert {row["outcome"] for row in rows} == {"auth"}
    assert not list(world.folder.glob("**/*.journal.jsonl*")), "there is nothing to resume"
    assert done.out.startswith("Can't tell")


def test_a_run_gives_up_when_nobody_answers_instead_of_asking_everything(world: Bench) -> None:
    refusing(world)

    world.asking("gate", "--repeat", "50", "--concurrency", "1")

    assert 5 <= len(world.server.requests) < 50, "100 are planned; a call may be under way when it is settled"


def test_a_run_whose_every_attempt_failed_was_not_interrupted(world: Bench) -> None:
    refusing(world)

    done = world.asking("run", "--out", "out.json")

    assert world.json("out.json")["meta"]["interrupted"] is False
    assert "interrupted" not in done.out + done.err
    assert any("no model answers" in line for line in done.errors)


# Measuring coverage and caching bytecode write files of their own, which the limit would cut as well.
UNMEASURED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
UNMEASURED["PYTHONDONTWRITEBYTECODE"] = "1"
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), -1))
from llm_testbench.cli import main
sys.exit(main(sys.argv[2:]))
"""


def test_a_full_disk_still_prints_the_report_and_is_inconclusive(world: Bench) -> None:
    """A limit on file sizes stands for the full disk: writing fails in the same places."""
    command = [sys.executable, "-c", LIMITED, "1000", "gate", "--suites", "suite.yaml", "--endpoint", world.server.url]
    ended = subprocess.run(
        [*command, "--models", "m"], cwd=world.folder, capture_output=True, text=True, check=False, env=UNMEASURED
    )
    done = Done(ended.returncode, ended.stdout, ended.stderr)

    assert done.code == 3, done
    assert done.out.startswith("Can't tell: what was measured could not be saved whole")
    assert "Results" in done.out
    assert any("artifact could not be written" in line for line in done.errors), done.err
    assert "journal cannot be written" in done.err
    assert "Traceback" not in done.err
    assert not list((world.folder / "llm-testbench-results").glob("*.tmp")), "no half-written file stays"


def test_an_artifact_is_never_replaced_by_half_of_one(world: Bench) -> None:
    world.asking("run", "--out", "base.json")
    before = (world.folder / "base.json").read_bytes()
    command = [sys.executable, "-c", LIMITED, "1000", "run", "--suites", "suite.yaml", "--endpoint", world.server.url]
    ended = subprocess.run(
        [*command, "--models", "m", "--out", "base.json"],
        cwd=world.folder,
        capture_output=True,
        text=True,
        check=False,
        env=UNMEASURED,
    )

    assert ended.returncode == 3
    assert (world.folder / "base.json").read_bytes() == before
    json.loads(before)
