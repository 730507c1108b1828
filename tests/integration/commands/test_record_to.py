"""`record_to`: a recording keeps itself on a branch, and `base` is looked for there."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import ASSET, BASE, OLD, TIP, Job, job
from tests.servers.gateway import Reply

BRANCH = "llm/baselines"
KEPT = {"LLMTB_RECORD_TO": f"ref:{BRANCH}"}


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def files(step: Job) -> dict[str, bytes]:
    git = step.github.git
    return {path: git.blobs[sha] for path, sha in git.files(git.heads.get(BRANCH)).items()}


def on_branch(step: Job, sha: str, data: bytes, asset: str = ASSET) -> None:
    step.github.add_branch_file(BRANCH, f"{sha}/{asset}", data)


WHO_KEEPS = [
    ("push", True),
    ("schedule", True),
    ("workflow_dispatch", True),
    ("release", True),
    ("push_branch", False),
    ("merge_group", False),
    ("pull_request", False),
    ("pull_request_fork", False),
]


@pytest.mark.parametrize(("payload", "keeps"), WHO_KEEPS)
def test_what_records_is_kept_and_what_judges_is_not(step: Job, payload: str, keeps: bool) -> None:
    step.add_release_of_the_event()
    done = step.gate(payload, **KEPT)
    assert done.code == 0
    assert list(files(step)) == ([f"{TIP}/{ASSET}"] if keeps else [])
    assert (f"baseline: {step.github.url}/octo/shop/blob/{BRANCH}/{TIP}/{ASSET}" in done.err) == keeps
    if keeps:
        artifact = json.loads(gzip.decompress(files(step)[f"{TIP}/{ASSET}"]))
        assert artifact == step.world.json("llm-testbench-results/artifact.json")


@pytest.mark.parametrize("payload", ["pull_request", "pull_request_fork"])
def test_a_pull_request_that_calls_itself_a_recording_keeps_nothing(step: Job, payload: str) -> None:
    done = step.gate(payload, INPUT_ROLE="record", **KEPT)
    assert done.code == 0
    said = f"the recording was not kept on branch {BRANCH}: what a pull request measured is nobody's baseline"
    assert said in done.err
    assert step.github.git.heads == {}


def test_outside_of_a_job_nothing_is_kept(step: Job) -> None:
    environ = step.github.environ | {"GITHUB_TOKEN": step.github.token, "GITHUB_SHA": TIP, "LLMTB_REPEAT": "1"}
    done = step.world.asking("gate", "--role", "record", "--record-to", f"ref:{BRANCH}", environ=environ)
    assert done.code == 0
    assert f"note: outside of a job nothing is kept on branch {BRANCH}" in done.err
    assert step.github.git.heads == {}


def test_a_release_is_given_the_baseline_and_the_branch_too(step: Job) -> None:
    made = step.add_release_of_the_event()
    assert step.gate("release", **KEPT).code == 0
    assert [asset.data for asset in made.assets] == list(files(step).values())


def test_trouble_with_the_one_place_does_not_keep_it_from_the_other(step: Job) -> None:
    made = step.add_release_of_the_event()
    step.github.fail("POST", "/assets$", 403, times=9)
    done = step.gate("release", **KEPT)
    assert (done.code, made.assets) == (0, [])
    assert "the baseline was not attached to the release: " in done.err
    assert len(files(step)) == 1


def test_the_gate_of_the_next_pull_request_is_compared_with_it(step: Job) -> None:
    step.github.ancestry = [OLD, TIP, BASE]
    assert step.gate("push", **KEPT).code == 0
    step.world.answers["capital"] = "Lyon"
    step.github.requests.clear()
    done = step.gate("pull_request", INPUT_FAIL_ON="never", INPUT_BASELINE="base", **KEPT)
    assert done.code == 0
    (run,) = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert (run["source"], run["sha"], run["used"]) == (f"branch {BRANCH} (ccccccc)", TIP, True)
    # `base` is the branch: nobody has to grant `actions: read` for it.
    assert not [seen for seen in step.github.requests if "/actions/" in seen.path]


def test_by_default_a_release_is_asked_first_and_then_the_branch(step: Job) -> None:
    whole = json.loads(gzip.decompress(step.recorded()))
    less = {**whole, "results": [row for row in whole["results"] if row["test_id"] != "capital"]}
    step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(less).encode())})
    on_branch(step, BASE, step.recorded())
    assert step.gate(**KEPT).code == 0
    pooled = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert [(run["source"].split()[0], run["cells"]) for run in pooled] == [("release", 1), ("branch", 1)]


def test_the_config_file_may_say_it_and_fetch_looks_there(step: Job) -> None:
    config = (
        f"endpoint: {step.world.server.url}\nmodels: [m]\nsuites: [suite.yaml]\ngate: {{record_to: 'ref:{BRANCH}'}}\n"
    )
    step.world.write("llm-testbench.yaml", config)
    assert step.gate("push").code == 0
    variables = step.environ("push") | {"GITHUB_ACTIONS": ""}
    done = step.world.llmtest("baseline", "fetch", "--baseline", "base", "--out", "b.json", environ=variables)
    assert (done.code, done.out) == (0, f"branch {BRANCH} (ccccccc) → b.json\n")


def test_several_products_of_a_repository_keep_theirs_side_by_side(step: Job) -> None:
    for asset in ("shop.json.gz", "chat.json"):
        assert step.gate("push", INPUT_BASELINE_ASSET=asset, **KEPT).code == 0
    assert sorted(files(step)) == [f"{TIP}/chat.json", f"{TIP}/shop.json.gz"]
    assert step.gate("push", INPUT_BASELINE="base", INPUT_BASELINE_ASSET="chat.json", **KEPT).code == 0
    (run,) = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert run["url"].endswith(f"/{TIP}/chat.json")


def test_a_recording_that_broke_a_rule_is_kept_since_it_says_what_the_models_did(step: Job) -> None:
    step.world.answers["2 + 2"] = "5"
    assert step.gate("push", **KEPT).code == 1
    assert len(files(step)) == 1


def broken(step: Job) -> Any:
    """A gateway that fails for one of the two tests."""

    def answer(body: dict[str, Any]) -> Any:
        words = str(body["messages"][-1]["content"])
        return Reply({"error": {"message": "down"}}, 500) if "capital" in words else step.world.answer(body)

    return answer


def test_a_recording_below_coverage_is_not_kept(step: Job) -> None:
    on_branch(step, OLD, step.recorded())
    before = dict(step.github.git.heads)
    step.world.server.answer = broken(step)
    done = step.gate("push", LLMTB_MAX_RETRIES="0", **KEPT)
    assert done.code == 3
    assert "this recording is not fit as a baseline: " in done.err
    assert step.github.git.heads == before


def test_a_recording_that_could_not_be_saved_whole_is_not_kept(step: Job) -> None:
    def answer(body: dict[str, Any]) -> str:
        (step.world.folder / "llm-testbench-results/report.md").mkdir(exist_ok=True)
        return step.world.answer(body)

    step.world.server.answer = answer
    done = step.gate("push", **KEPT)
    assert done.code == 3
    assert "this recording is not fit as a baseline: " in done.err
    assert step.github.git.heads == {}


def test_a_broken_recording_on_the_branch_does_not_keep_the_next_one_away(step: Job) -> None:
    on_branch(step, OLD, b"no artifact")
    done = step.gate("push", INPUT_BASELINE="base", **KEPT)
    assert done.code == 0
    assert sorted(files(step)) == [f"{OLD}/{ASSET}", f"{TIP}/{ASSET}"]


TROUBLE = {
    "no permission": ("POST", "/git/blobs$", 403, 'the token lacks "contents: write"'),
    "GitHub is down": ("POST", "/git/trees$", 503, "HTTP 503"),
}


@pytest.mark.parametrize(("method", "path", "status", "said"), TROUBLE.values(), ids=TROUBLE)
def test_trouble_is_a_warning_and_the_verdict_stays(
    step: Job, monkeypatch: pytest.MonkeyPatch, method: str, path: str, status: int, said: str
) -> None:
    monkeypatch.setattr("llm_testbench.github.kept.MOST_TRIES", 2)
    monkeypatch.setattr("llm_testbench.github.kept.FIRST_PAUSE", 0.01)
    step.github.fail(method, path, status, times=99)
    done = step.gate("push", **KEPT)
    assert (done.code, step.outputs["verdict"]) == (0, "no_baseline")
    assert f"::warning title=llm-testbench::the recording was not kept on branch {BRANCH}: " in done.err
    assert said in done.err
    assert (step.world.folder / "llm-testbench-results/artifact.json").is_file()


def test_without_a_token_it_is_said(step: Job) -> None:
    done = step.gate("push", INPUT_TOKEN="", **KEPT)
    assert done.code == 0
    assert f"the recording was not kept on branch {BRANCH}: no token of GitHub is given" in done.err


def test_a_branch_of_something_else_is_left_alone(step: Job) -> None:
    head = step.github.add_branch_file(BRANCH, "index.html", b"<h1>our site</h1>")
    done = step.gate("push", **KEPT)
    assert done.code == 0
    assert f"the recording was not kept on branch {BRANCH}: index.html on it is no recording" in done.err
    assert step.github.git.heads == {BRANCH: head}


def test_what_is_kept_holds_no_secret(step: Job) -> None:
    key = "sk-ABCDEFGHijkl0123456789mnop"
    step.world.answers["2 + 2"] = f"4, and your keys are {step.github.token} {key}"
    assert step.gate("push", LLMTB_API_KEY=key, **KEPT).code in (0, 1)
    (data,) = files(step).values()
    text = gzip.decompress(data).decode()
    assert step.github.token not in text
    assert key not in text


@pytest.mark.parametrize("value", ["baselines", "ref:", "ref:../x", "ref:-x", "release"])
def test_a_branch_is_named_as_a_source_names_it(step: Job, value: str) -> None:
    done = step.gate("push", LLMTB_RECORD_TO=value)
    assert done.code == 2
    assert f'LLMTB_RECORD_TO: expected ref:BRANCH, not "{value}"' in done.err
