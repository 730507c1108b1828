"""`llmtest gate` as a step of a workflow, against a real HTTP server that plays GitHub."""

from __future__ import annotations

import errno
import gzip
import io
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import ASSET, BASE, OLD, PULL, Job, job
from tests.servers.gateway import Reply

from llm_testbench.cli import main
from llm_testbench.commands.edges import Edges
from llm_testbench.github.event import DEPENDABOT

HEADING = "## "


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def headline(markdown: str) -> str:
    return next(line for line in markdown.splitlines() if line.startswith(HEADING)).removeprefix(HEADING)


WHAT_HAPPENS = [
    ("pull_request", "gate", "comment"),
    ("pull_request_fork", "gate", "comment refused"),
    ("merge_group", "gate", "no comment"),
    ("push", "record", "no comment"),
    ("push_branch", "gate", "no comment"),
    ("schedule", "record", "no comment"),
    ("workflow_dispatch", "record", "no comment"),
    ("release", "record", "attached"),
]


@pytest.mark.parametrize(("payload", "role", "what"), WHAT_HAPPENS, ids=[case[0] for case in WHAT_HAPPENS])
def test_every_event_is_measured_compared_and_summarised(step: Job, payload: str, role: str, what: str) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    made = step.add_release_of_the_event()
    if what == "comment refused":  # GitHub gives the token of a fork's run no right to write
        step.github.fail("POST", "/comments$", 403, body={"message": "Resource not accessible by integration"})
    done = step.gate(payload)
    assert done.code == 0
    assert headline(step.summary).startswith("No drop found" if role == "gate" else "Recorded")
    assert step.world.json("llm-testbench-results/comparison.json")["role"] == role
    assert step.outputs["baseline_tag"] == "v1.2.0"
    assert len(step.comments) == (what == "comment")
    assert bool(made.assets) == (what == "attached")
    assert ('lacks "pull-requests: write"' in done.err) == (what == "comment refused")


def test_outside_of_github_nothing_of_it_is_looked_for_or_said(step: Job) -> None:
    done = step.world.asking("gate", environ=step.github.environ | {"GITHUB_TOKEN": step.github.token})
    assert done.code == 0
    assert "GITHUB_STEP_SUMMARY" not in done.err
    assert not done.out.startswith("::stop-commands::")
    assert {seen.method for seen in step.github.requests} == {"GET"}


def test_a_first_run_has_no_baseline_and_says_how_one_comes_to_be(step: Job) -> None:
    done = step.gate()
    assert done.code == 0
    assert headline(step.comments[0]).startswith("No baseline to compare with: mean 1.00")
    assert "There is no baseline yet:" in step.comments[0]
    assert "there is no release: publish one, and attach a baseline to it" in step.comments[0]
    assert "no run has left an artifact llm-testbench-baseline yet: let this workflow run" in step.comments[0]
    assert step.outputs["verdict"] == "no_baseline"


def test_a_release_is_compared_with_and_named(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded(git={"sha": OLD})})
    done = step.gate()
    assert done.code == 0
    (comment,) = step.comments
    assert headline(comment).startswith("No drop found")
    assert "v1.2.0" in comment
    assert step.outputs["baseline_tag"] == "v1.2.0"
    assert step.world.json("llm-testbench-results/comparison.json")["pooled"][0]["tag"] == "v1.2.0"


def test_one_comment_follows_the_pull_request_from_pass_to_fail_and_back(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    codes, headlines, errors = [], [], []
    for answer in ("4", "5", "4"):
        step.world.answers["2 + 2"] = answer
        done = step.gate()
        codes.append(done.code)
        errors.append([line for line in done.err.splitlines() if line.startswith("::error")])
        headlines.append(headline(step.comments[0]))
        assert len(step.comments) == 1
    assert codes == [0, 1, 0]
    assert [told[-1:] for told in errors] == [[], [f"::error title=llm-testbench::{headlines[1]}"], []]
    assert headlines[1].startswith("Worse: 1 test regressed, also when asked again")
    assert headlines[1].endswith("1 must-pass test did not pass")
    assert all(words.startswith("No drop found") for words in (headlines[0], headlines[2]))


def test_the_summary_and_the_outputs_say_what_the_comment_says(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    step.world.answers["capital"] = "Lyon"
    assert step.gate(INPUT_MAX_DROP="0.1").code == 1
    assert headline(step.summary) == headline(step.comments[0])
    outputs = step.outputs
    url = outputs.pop("comment_url")
    assert url.endswith(f"#issuecomment-{step.github.comments[PULL][0].id}")
    assert outputs == {
        "verdict": "fail",
        "regressions": "1",
        "suspected": "0",
        "improvements": "0",
        "errors": "0",
        "mean": "0.5",
        "baseline_mean": "1",
        "delta": "-0.5",
        "baseline_tag": "v1.2.0",
        "artifact": "llm-testbench-results/artifact.json",
        "report": "llm-testbench-results/report.md",
        "comparison": "llm-testbench-results/comparison.json",
    }


def test_a_cell_that_the_release_lacks_comes_from_the_recorded_run(step: Job) -> None:
    whole = json.loads(gzip.decompress(step.recorded()))
    less = {**whole, "results": [row for row in whole["results"] if row["test_id"] != "capital"]}
    step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(less).encode())})
    step.record_on_main(gzip.compress(json.dumps(whole).encode()))
    assert step.gate().code == 0
    pooled = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert [(run["source"].split()[0], run["cells"]) for run in pooled] == [("release", 1), ("run", 1)]
    rows = step.world.json("llm-testbench-results/comparison.json")["tests"]
    assert [row["status"] for row in rows] == ["stable", "stable"]


def test_a_recording_that_is_not_before_the_change_is_not_compared_with(step: Job) -> None:
    step.record_on_main(step.recorded(), sha="c" * 40, run_id=60)  # main went on since the pull request began
    step.record_on_main(step.recorded(), sha=BASE, run_id=50)
    step.record_on_main(step.recorded(), sha=OLD, run_id=40)
    assert step.gate().code == 0
    (run,) = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert (run["sha"], run["used"]) == (BASE, True)


def test_a_recording_that_is_incomplete_is_passed_over_and_the_report_says_so(step: Job) -> None:
    step.record_on_main(step.recorded(interrupted=True), sha=BASE, run_id=50)
    step.record_on_main(step.recorded(), sha=OLD, run_id=40)
    assert step.gate().code == 0
    runs = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert [(run["sha"], run["used"]) for run in runs] == [(BASE, False), (OLD, True)]
    assert "interrupted" in step.comments[0]


def test_a_baseline_that_is_broken_ends_the_gate_before_the_first_call(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: b"no artifact"})
    done = step.gate()
    assert done.code == 3
    assert step.world.server.requests == []
    assert done.err.startswith("::error title=llm-testbench::the baseline release v1.2.0 cannot be used: is not JSON")


def test_a_gate_that_asked_nothing_tells_everybody_why(step: Job) -> None:
    step.gate()
    step.github.add_release("v1.2.0", assets={ASSET: b"no artifact"})
    step.gate()
    (comment,) = step.comments
    assert headline(comment) == headline(step.summary) == "Can't tell: the baseline cannot be used"
    assert "No model was asked" in comment
    outputs = step.outputs
    assert (outputs["verdict"], outputs["errors"], outputs["artifact"]) == ("inconclusive", "", "")
    assert outputs["report"] == "llm-testbench-results/report.md"
    comparison = step.world.json("llm-testbench-results/comparison.json")
    assert (comparison["verdict"], comparison["tests"]) == ("inconclusive", [])
    assert [(run["source"], run["used"]) for run in comparison["pooled"]] == [("release v1.2.0", False)]


def test_baselines_are_told_in_the_order_in_which_they_are_preferred(step: Job) -> None:
    whole = json.loads(gzip.decompress(step.recorded()))
    less = {**whole, "results": [row for row in whole["results"] if row["test_id"] != "capital"]}
    step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(less).encode())})
    step.record_on_main(step.recorded(interrupted=True), sha=BASE, run_id=50)
    step.record_on_main(step.recorded(), sha=OLD, run_id=40)
    assert step.gate().code == 0
    runs = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert [(run["source"].split(" (")[0], run["used"]) for run in runs] == [
        ("release v1.2.0", True),
        ("run 50", False),
        ("run 40", True),
    ]


def test_nightly_recordings_alike_are_pooled_and_the_report_says_which(step: Job) -> None:
    step.world.write("llm-testbench.yaml", "gate: {advanced: {baseline_window: 3}}\n")
    step.record_on_main(step.recorded(started_at="2026-01-03T00:00:00Z"), sha=BASE, run_id=50)
    step.record_on_main(step.recorded(started_at="2026-01-02T00:00:00Z"), sha=OLD, run_id=40)
    step.record_on_main(step.recorded(started_at="2026-01-01T00:00:00Z", temperature=1.0), sha=OLD, run_id=30)
    assert step.gate().code == 0
    comparison = step.world.json("llm-testbench-results/comparison.json")
    assert [(run["cells"], run["pooled"], run["why"]) for run in comparison["pooled"]] == [
        (2, 0, ""),
        (0, 2, ""),
        (0, 0, "sampled with other settings"),
    ]
    assert {row["baseline"]["n"] for row in comparison["tests"]} == {4}
    assert "Compared with 2 runs. Left out: " in step.comments[0]


def test_the_command_in_the_comment_finds_the_recorded_run_again(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE, run_id=50)
    step.world.answers["2 + 2"] = "5"
    step.gate()
    shown = str(re.findall(r"```sh\n(.*?)```", step.comments[0], re.DOTALL)[0]).replace("\\\n", " ")
    variables, _, gate = shown.partition(" llmtest ")
    environ = dict(re.findall(r"(\w+)=(\S+)", variables)) | {"GITHUB_TOKEN": step.github.token}
    done = step.world.llmtest(*shlex.split(gate), environ=step.github.environ | environ)
    assert done.code == 1
    assert "asked again: 0 of" in done.out


def test_what_is_written_goes_through_no_planted_link(step: Job) -> None:
    victim = step.world.write("victim.json", "[]")
    folder = step.world.folder / "llm-testbench-results"
    folder.mkdir()
    for name in ("artifact.json", "comparison.json", "report.md"):
        (folder / name).symlink_to(victim)
    assert step.gate().code == 0
    assert victim.read_text("utf-8") == "[]"


def test_where_inconclusive_is_no_failure_a_broken_baseline_is_a_verdict(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: b"no artifact"})
    done = step.gate(INPUT_ON_INCONCLUSIVE="warn")
    assert done.code == 0
    assert headline(step.comments[0]) == "Can't tell: the baseline cannot be used"
    assert step.outputs["verdict"] == "inconclusive"


def test_a_github_that_cannot_be_asked_is_not_taken_for_one_without_a_baseline(step: Job) -> None:
    step.github.fail("GET", "/releases$", 403, times=9, body={"message": "Resource not accessible by integration"})
    step.github.fail("GET", "/artifacts$", 403, times=9, body={"message": "Resource not accessible by integration"})
    done = step.gate()
    assert done.code == 3
    assert '"contents: read"' in done.err


@pytest.mark.parametrize("payload", ["push", "schedule", "workflow_dispatch"])
def test_a_recording_is_kept_and_judged_by_absolute_rules_alone(step: Job, payload: str) -> None:
    step.record_on_main(step.recorded(), sha=BASE, run_id=50)
    step.world.answers["capital"] = "Lyon"
    done = step.gate(payload, INPUT_MAX_DROP="0.1")
    assert done.code == 0
    assert headline(step.summary).startswith("Recorded: mean 0.50")
    meta = step.world.json("llm-testbench-results/artifact.json")["meta"]
    assert (meta["role"], meta["git"]["sha"], meta["git"]["repository"]) == ("record", "c" * 40, "octo/shop")
    assert step.github.comments == {}


@pytest.mark.parametrize(("rule", "answers"), [({}, {"2 + 2": "5"}), ({"INPUT_MIN_SCORE": "0.9"}, {"capital": "Lyon"})])
def test_a_recording_fails_for_must_pass_and_min_score(
    step: Job, rule: dict[str, str], answers: dict[str, str]
) -> None:
    step.world.answers.update(answers)
    assert step.gate("push", **rule).code == 1


def test_a_recording_that_a_release_started_is_attached_to_it(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    release = step.add_release_of_the_event()
    assert step.gate("release").code == 0
    (asset,) = release.assets
    assert asset.name == ASSET
    kept = json.loads(gzip.decompress(asset.data))
    assert (kept["meta"]["role"], len(kept["results"])) == ("record", 4)
    pooled = step.world.json("llm-testbench-results/comparison.json")["pooled"]
    assert [run["tag"] for run in pooled] == ["v1.2.0"]  # never with the release that is being made


@pytest.mark.parametrize(("answer", "code"), [("4", 3), ("5", 1)])  # even where a broken rule is the verdict
def test_an_incomplete_recording_is_attached_to_nothing(step: Job, answer: str, code: int) -> None:
    release = step.add_release_of_the_event()
    step.world.server.answer = lambda body: Reply({}, 500) if "capital" in str(body) else answer
    done = step.gate("release", "--max-retries", "0")
    assert done.code == code
    assert release.assets == []
    assert "::warning title=llm-testbench::this recording is not fit as a baseline: m: 1 of 2 tests scored" in done.err


def test_a_merge_group_is_judged_without_a_comment(step: Job) -> None:
    step.record_on_main(step.recorded())
    step.world.answers["2 + 2"] = "5"
    done = step.gate("merge_group")
    assert done.code == 1
    assert headline(step.summary).startswith("Worse")
    assert "note: no comment: there is no pull request in the event merge_group" in done.err
    assert step.github.comments == {}


@pytest.mark.parametrize("status", [401, 403, 404, 422, 500])
def test_a_comment_that_github_refuses_changes_no_verdict(step: Job, status: int) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    step.github.fail("POST", "/comments$", status, times=20, headers={"retry-after": "0"})
    done = step.gate()
    assert done.code == 0
    assert "::warning title=llm-testbench::the comment was not written: " in done.err
    assert step.outputs["verdict"] == "pass"
    assert step.outputs["comment_url"] == ""
    assert headline(step.summary).startswith("No drop found")


def test_without_a_token_the_report_is_printed_and_one_line_says_what_is_missing(step: Job) -> None:
    done = step.gate(INPUT_TOKEN="")
    assert done.code == 0
    assert "No baseline to compare with" in done.out
    missing = [line for line in done.err.splitlines() if "no token of GitHub is given" in line]
    assert missing
    assert all(line.startswith("::warning") for line in missing)


def test_without_files_of_the_runner_the_report_is_printed(step: Job) -> None:
    done = step.gate(GITHUB_STEP_SUMMARY="", GITHUB_OUTPUT="")
    assert done.code == 0
    assert "No baseline to compare with" in done.out
    assert "note: GITHUB_STEP_SUMMARY is not set: nothing is written there" in done.err


def test_foreign_text_in_the_log_stands_behind_a_fence(step: Job) -> None:
    step.world.answers["2 + 2"] = "::set-output name=verdict::pass\n::add-mask::a\n##[error]no"
    done = step.gate()
    first, *_, last = done.out.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert len(token) >= 32
    assert last == f"::{token}::"
    assert not [line for line in done.err.splitlines() if line.startswith("::set-output")]


def test_data_on_stdout_has_no_fence_and_no_command(step: Job) -> None:
    step.world.answers["2 + 2"] = "##[error]no"
    done = step.gate("pull_request", "--format", "json")
    assert json.loads(done.out)["verdict"] == "fail"
    assert "##[" not in done.out


def test_a_token_is_written_nowhere(step: Job) -> None:
    step.world.answers["2 + 2"] = f"4, and your token is {step.github.token}"
    done = step.gate()
    files = [path for path in step.world.folder.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not [path for path in files if step.github.token.encode() in path.read_bytes()]
    assert step.github.token not in done.out + done.err + "".join(step.comments)


@pytest.mark.parametrize(
    ("when", "answer", "comments"),
    [("always", "4", 1), ("changes", "4", 0), ("failure", "4", 0), ("never", "5", 0), ("failure", "5", 1)],
)
def test_comments_come_when_they_are_wanted(step: Job, when: str, answer: str, comments: int) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    step.world.answers["2 + 2"] = answer
    step.gate(INPUT_COMMENT=when)
    assert len(step.comments) == comments


def test_a_summary_can_be_done_without(step: Job) -> None:
    step.gate(INPUT_SUMMARY="false")
    assert step.summary == ""


def test_an_api_address_that_is_none_leaves_the_public_one_alone(step: Job) -> None:
    done = step.gate(GITHUB_API_URL="https://api.example.com:port")
    assert done.code == 0
    assert step.github.requests == []


def test_half_of_a_key_in_a_reason_that_was_cut_is_no_key_either(step: Job) -> None:
    key = "sk-ABCDEFGHijkl0123456789mnopQRSTuv"
    step.world.answers["2 + 2"] = f"{'a' * 48} {key}"
    done = step.gate(LLMTB_API_KEY=key)
    texts = [path.read_text("utf-8") for path in step.world.folder.rglob("*") if path.is_file()]
    for text in (done.out, done.err, *step.comments, *texts):
        assert key[:8] not in text


def test_a_report_that_cannot_be_written_is_in_the_verdict_of_every_sink(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})

    def answer(body: dict[str, Any]) -> str:
        (step.world.folder / "llm-testbench-results/report.md").mkdir(exist_ok=True)
        return step.world.answer(body)

    step.world.server.answer = answer
    done = step.gate()
    said = "Can't tell: what was measured could not be saved whole"
    assert (done.code, headline(step.comments[0]), headline(step.summary)) == (3, said, said)
    assert (step.outputs["verdict"], step.outputs["report"]) == ("inconclusive", "")


@pytest.mark.parametrize(("payload", "actor"), [("pull_request_fork", "mona"), ("pull_request_dependabot", DEPENDABOT)])
def test_a_run_that_github_gives_no_key_is_skipped(step: Job, payload: str, actor: str) -> None:
    step.world.server.answer = lambda _: Reply({"error": {"message": "no key"}}, 401)
    done = step.gate(payload, GITHUB_ACTOR=actor)
    assert done.code == 0
    assert headline(step.summary) == "Skipped: no credentials"
    assert "the gateway wants a key, and GitHub hands no secrets to runs of forks and of Dependabot" in step.summary
    assert step.outputs["verdict"] == "skipped"
    assert "::error" not in done.err


@pytest.mark.parametrize(
    ("payload", "more"),
    [("pull_request", {}), ("push", {}), ("pull_request_fork", {"LLMTB_API_KEY": "sk-a-wrong-key"})],
)
def test_a_wrong_key_is_no_reason_to_skip(step: Job, payload: str, more: dict[str, str]) -> None:
    step.world.server.answer = lambda _: Reply({"error": {"message": "no key"}}, 401)
    assert step.gate(payload, GITHUB_ACTOR="mona", **more).code == 3


def test_a_source_that_could_not_be_asked_stands_in_the_first_lines(step: Job) -> None:
    whole = json.loads(gzip.decompress(step.recorded()))
    less = {**whole, "results": [row for row in whole["results"] if row["test_id"] != "capital"]}
    step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(less).encode())})
    step.github.fail("GET", "/artifacts$", 403, times=9, body={"message": "Resource not accessible by integration"})
    assert step.gate().code == 0
    start = step.comments[0].partition("### ")[0]
    assert "not every source of baselines could be asked: " in start
    assert "actions: read" in start


def test_a_summary_without_room_is_said(step: Job) -> None:
    full = step.world.write("full.md", "x" * (1024 * 1024 - 20))
    done = step.gate(GITHUB_STEP_SUMMARY=str(full))
    assert "the job summary was not written: there is room for" in done.err
    assert full.stat().st_size == 1024 * 1024 - 20


def test_a_folder_that_leads_out_of_the_checkout_is_refused(
    step: Job, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (step.world.folder / "llm-testbench-results").symlink_to(elsewhere)
    done = step.gate()
    assert done.code == 2
    assert "llm-testbench-results: this output folder is a link that leads out of the working directory" in done.err
    assert list(elsewhere.iterdir()) == []


def test_github_is_told_even_where_stdout_has_gone_away(step: Job) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    step.run_id += 1
    arguments = ["gate", "--endpoint", step.world.server.url, "--models", "m", "--suites", "suite.yaml", "--quiet"]
    for name in ("summary.md", "output.txt"):
        step.world.write(name, "")
    edges = Edges(stdout=Gone(), stderr=Gone(), environ=step.environ("pull_request"), cwd=step.world.folder)
    assert main(arguments, edges=edges) == 141
    assert headline(step.summary) == headline(step.comments[0])
    assert step.outputs["verdict"] == "no_baseline"


def test_a_release_whose_payload_cannot_be_read_is_not_compared_with_itself(step: Job) -> None:
    step.github.add_release("v1.3.0", assets={ASSET: step.recorded()})
    done = step.gate("release", GITHUB_EVENT_PATH="/nonexistent")
    assert (done.code, step.outputs["baseline_tag"]) == (0, "")
    assert "the baseline was not attached to the release: the event's payload names no release" in done.err


def test_a_baseline_of_which_nothing_was_compared_is_not_named(step: Job) -> None:
    made = json.loads(gzip.decompress(step.recorded()))
    for row in (*made["results"], *made["tests"], *made["stats"]):
        row["test_id"] = f"other-{row['test_id']}"
    step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(made).encode())})
    step.gate()
    assert (step.outputs["verdict"], step.outputs["baseline_tag"]) == ("no_baseline", "")


def test_a_locked_pull_request_is_no_missing_permission(step: Job) -> None:
    said = "Unable to create comment because issue is locked."
    step.github.fail("POST", "/comments$", 403, body={"message": said})
    done = step.gate()
    assert said in done.err
    assert "the token lacks" not in done.err


def test_a_comment_that_disappears_whenever_it_is_written_is_said(step: Job) -> None:
    step.gate()
    step.github.fail("PATCH", "/comments/", 404, times=20)
    done = step.gate()
    assert "the comment was not written: the comment disappeared whenever it was written" in done.err
    assert step.outputs["comment_url"] == ""
