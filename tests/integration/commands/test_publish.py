"""`llmtest publish` as the second of two stages, against a real HTTP server that plays GitHub."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.integration.commands.job import BASE, HEAD, OLD, PULL
from tests.integration.commands.two_stages import FORKS_RUN, Stages, two_stages
from tests.servers.github import objects
from tests.servers.github.state import Pull
from tests.unit.hostile_text import HOSTILE
from tests.unit.rendered_markdown import rendered

MADE_UP = "These numbers come from the pull request's own run: whoever wrote it could have made them up."


@pytest.fixture
def stages(world: Bench) -> Iterator[Stages]:
    with two_stages(world) as made:
        yield made


def comparison(stages: Stages) -> Any:
    return stages.world.json("llm-testbench-results/comparison.json")


def codes(stages: Stages) -> list[str]:
    return [warning["code"] for warning in comparison(stages)["warnings"]]


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return buffer.getvalue()


def test_what_the_fork_measured_is_judged_and_told_on_its_pull_request_without_asking(stages: Stages) -> None:
    stages.release()
    stages.world.answers["capital"] = "Lyon"
    stages.leave(stages.measured("--repeat", "10"))
    asked = len(stages.world.server.requests)
    done = stages.publish(INPUT_MAX_DROP="0.1")
    assert done.code == 1
    (comment,) = stages.job.comments
    assert comment.startswith(f"<!-- llm-testbench comment=default run={FORKS_RUN} attempt=1 head={HEAD} -->")
    assert stages.job.outputs["verdict"] == "fail"
    assert stages.job.outputs["comment_url"].endswith(f"#issuecomment-{stages.github.comments[PULL][0].id}")
    assert "::error title=llm-testbench::Self-reported: Worse: " in done.err
    assert len(stages.world.server.requests) == asked


def test_it_says_first_and_everywhere_whose_numbers_these_are(stages: Stages) -> None:
    stages.release()
    stages.leave(stages.measured())
    done = stages.publish("--html", "--junit")
    assert done.code == 0
    folder = stages.world.folder / "llm-testbench-results"
    for text in (stages.job.comments[0], stages.job.summary, (folder / "report.md").read_text("utf-8")):
        heading, label = [line for line in text.splitlines() if line.strip() and not line.startswith("<!--")][:2]
        assert heading.startswith("## Self-reported: No drop found")
        assert label == f"<strong>{MADE_UP}</strong>"
    assert done.out.splitlines()[1].startswith("Self-reported: ")
    assert MADE_UP in done.out
    assert MADE_UP in (folder / "report.html").read_text("utf-8").replace("&#x27;", "'").replace("&#39;", "'")
    assert "Self-reported: No drop found" in (folder / "junit.xml").read_text("utf-8")
    assert codes(stages)[0] == "self_reported"
    assert comparison(stages)["warnings"][0]["message"] == MADE_UP


@pytest.mark.parametrize("name", ["artifact.json.gz", "artifact.json", "download.zip"])
def test_a_file_that_another_step_downloaded_is_taken_as_well(stages: Stages, name: str) -> None:
    plain = json.dumps(stages.measured()).encode()
    made = {
        "artifact.json": plain,
        "artifact.json.gz": gzip.compress(plain),
        "download.zip": zipped(artifact_json=plain),
    }
    (stages.world.folder / name).write_bytes(made[name])
    assert stages.publish(name).code == 0
    assert len(stages.job.comments) == 1
    assert not any("/zip" in seen.path for seen in stages.github.requests)


def test_on_a_laptop_a_file_is_judged_and_nobody_is_told(stages: Stages) -> None:
    stages.world.write("fork-results.json", json.dumps(stages.measured()))
    done = stages.world.llmtest("publish", "fork-results.json", "--baseline", "none")
    assert (done.code, done.err) == (0, "results: llm-testbench-results\n")
    assert done.out.startswith("Self-reported: No baseline to compare with: mean 1.00")
    assert stages.github.requests == []


def test_without_a_file_and_without_a_run_there_is_nothing_to_publish(stages: Stages) -> None:
    done = stages.world.llmtest("publish")
    assert done.code == 2
    assert done.errors == [
        "error: no artifact is named: without one, this downloads that of a workflow_run event alone"
    ]


def test_what_the_run_says_of_itself_decides_nothing(stages: Stages) -> None:
    evil = {"repository": "evil/shop", "sha": "f" * 40, "ref": "refs/pull/1/head", "run_url": "https://evil.example/1"}
    stages.leave(stages.measured(git=evil, role="record", finished_at="2099-01-01T00:00:00Z"))
    assert stages.publish().code == 0
    assert list(stages.github.comments) == [PULL]
    meta = stages.world.json("llm-testbench-results/artifact.json")["meta"]
    assert meta["git"] == {
        "repository": "octo/shop",
        "sha": HEAD,
        "ref": f"refs/pull/{PULL}/head",
        "run_url": f"{stages.github.url}/octo/shop/actions/runs/{FORKS_RUN}",
    }
    assert (meta["role"], meta["finished_at"][:4] == "2099") == ("run", False)
    everything = [
        *stages.job.comments,
        stages.job.summary,
        json.dumps(stages.world.json("llm-testbench-results/artifact.json")),
    ]
    assert not any("evil" in text for text in everything)


def test_the_baseline_is_that_of_the_pull_requests_base(stages: Stages) -> None:
    good = stages.job.recorded()
    stages.job.record_on_main(good, sha=BASE, run_id=50)  # main went on since the pull request began
    stages.job.record_on_main(good, sha=OLD, run_id=40)
    stages.github.pulls[PULL].base_sha = OLD
    stages.leave(stages.measured())
    assert stages.publish().code == 0
    assert [run["sha"] for run in comparison(stages)["pooled"] if run["used"]] == [OLD]


def test_the_last_release_is_looked_up_beside_a_recorded_run(stages: Stages) -> None:
    stages.release()
    stages.job.record_on_main(stages.job.recorded(), sha=OLD, run_id=40)
    stages.leave(stages.measured())
    assert stages.publish(INPUT_BASELINE="base").code == 0
    found = stages.world.json("llm-testbench-results/comparison.json")["since_release"]
    assert (found["tag"], found["overall"]["delta"]) == ("v1.2.0", 0)


def test_a_forks_results_are_never_a_baseline(stages: Stages) -> None:
    stages.github.add_recording(
        "llm-testbench-baseline",
        {"artifact.json": json.dumps(stages.measured(role="record")).encode()},
        head_sha=BASE,
        run_id=FORKS_RUN,
        created_at=stages.github.now(),
        fork=True,
    )
    stages.leave(stages.measured())
    stages.publish()
    assert stages.job.outputs["verdict"] == "no_baseline"


def test_the_comment_of_an_older_run_gives_way_and_that_of_a_newer_one_stands(stages: Stages) -> None:
    stages.leave(stages.measured())
    stages.publish()
    stages.publish()
    (first,) = stages.job.comments
    stages.github.comments[PULL][0].body = first.replace(f"run={FORKS_RUN}", f"run={FORKS_RUN + 1}")
    done = stages.publish()
    assert "a newer run has commented already" in done.err
    assert len(stages.job.comments) == 1


def other_base(stages: Stages) -> None:
    for number, base in ((PULL, "v1"), (18, "v2")):
        stages.github.pulls[number] = Pull(number, HEAD, BASE, base, fork=True)


def closed(stages: Stages) -> None:
    stages.github.pulls[PULL].state = "closed"


def moved(stages: Stages) -> None:
    stages.github.pulls[PULL].head_sha = "e" * 40


def gone(stages: Stages) -> None:
    stages.github.pulls.clear()


def again(stages: Stages) -> None:
    stages.run.attempt = 2


NOTHING_TO_PUBLISH: dict[str, tuple[Callable[[Stages], None], dict[str, Any], str]] = {
    "the head has moved on": (moved, {}, "#17 has moved on from aaaaaaa"),
    "the pull request is closed": (closed, {}, "#17 is closed"),
    "there is none": (gone, {}, "no open pull request has the commit aaaaaaa"),
    "there are several": (other_base, {}, "several pull requests have this head (#17, #18)"),
    "the run was started again": (again, {"run_attempt": 1}, "attempt 2 publishes its own results"),
    "the run was cancelled": (
        lambda stages: None,
        {"conclusion": "cancelled"},
        "not carried out to its end: cancelled",
    ),
}


@pytest.mark.parametrize(("change", "payload", "words"), NOTHING_TO_PUBLISH.values(), ids=NOTHING_TO_PUBLISH)
def test_where_there_is_nothing_to_publish_one_line_says_why_and_the_job_passes(
    stages: Stages, change: Callable[[Stages], None], payload: dict[str, Any], words: str
) -> None:
    stages.leave(stages.measured())
    change(stages)
    done = stages.publish(payload=payload)
    assert done.code == 0
    (said,) = [line for line in done.err.splitlines() if "not published" in line]
    assert words in said
    assert stages.job.outputs["verdict"] == "skipped"
    assert stages.job.summary.startswith("## Skipped: nothing to publish")
    assert words in stages.job.summary.replace("`", "")
    assert not any(stages.github.comments.values())
    assert {seen.method for seen in stages.github.requests} <= {"GET"}


def test_a_head_that_moves_while_the_results_are_looked_at_gets_no_comment(stages: Stages) -> None:
    stages.leave(stages.measured())
    stages.github.fail("GET", f"/pulls/{PULL}$", 200, body={"number": PULL, "state": "open", "head": {"sha": "e" * 40}})
    done = stages.publish()
    assert (done.code, stages.job.comments) == (0, [])
    assert "has moved on" in done.err


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a run of a push": ({"event": "push"}, "was started by push, not by pull_request"),
    "a run of pull_request_target": ({"event": "pull_request_target"}, "not by pull_request"),
    "a run of another repository": ({"repository": {"id": 1}}, "is of a workflow in another repository"),
    "another run": ({"id": 901}, ""),
    "another commit": ({"head_sha": "e" * 40}, "is not what GitHub says of it"),
    "no run": ({"id": None}, "names no run"),
}


@pytest.mark.parametrize(("payload", "words"), REFUSED.values(), ids=REFUSED)
def test_a_run_whose_results_may_not_be_published_ends_the_command(
    stages: Stages, payload: dict[str, Any], words: str
) -> None:
    stages.leave(stages.measured())
    done = stages.publish(payload=payload)
    assert done.code in ((3,) if not words else (2,))
    assert words in done.err
    assert not any(stages.github.comments.values())


def bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("artifact.json", b" " * (129 * 1024 * 1024))
    return buffer.getvalue()


def linked() -> bytes:
    buffer = io.BytesIO()
    entry = zipfile.ZipInfo("artifact.json")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, "/proc/self/environ")
    return buffer.getvalue()


def lying() -> bytes:
    data = zipped(artifact_json=b"{}" + b" " * 1000)
    size = (1002).to_bytes(4, "little")
    assert data.count(size) == 2
    return data.replace(size, (2).to_bytes(4, "little"))


HOSTILE_FILES: dict[str, tuple[bytes, str]] = {
    "no zip, no JSON": (b"\x00\x01\x02", "is not JSON"),
    "a zip of something else": (zipped(evil_sh=b"rm -rf /"), "without artifact.json.gz or artifact.json in it"),
    "a zip in a zip": (zipped(artifact_json=zipped(artifact_json=b"{}")), "is not"),
    "a gzip in a gzip in a zip": (zipped(artifact_json_gz=gzip.compress(gzip.compress(b"{}"))), "is not UTF-8"),
    "a zip bomb": (bomb(), "unpacks to more than 128 MiB"),
    "a zip that lies about sizes": (lying(), "is a damaged zip archive"),
    "a link": (linked(), "the file is a link or no file at all"),
    "many entries": (zipped(**{f"f{n}": b"" for n in range(30_000)}), "is a zip archive of too many files"),
    "a gzip bomb": (gzip.compress(b" " * (129 * 1024 * 1024)), "holds more than 128 MiB"),
    "large": (b"{" + b" " * (32 * 1024 * 1024), "is larger than 32 MiB"),
    "workflow commands": (b"\n::error::evil\n##[error]evil", "is not JSON"),
    "a foreign shape": (
        b'{"results": [{"model": "m", "test_id": "capital", "score": 1}]}',
        "schema_version is missing",
    ),
}


@pytest.mark.parametrize(("data", "words"), HOSTILE_FILES.values(), ids=HOSTILE_FILES)
def test_a_hostile_file_is_what_the_user_gave_and_ends_with_2(stages: Stages, data: bytes, words: str) -> None:
    (stages.world.folder / "artifact.bin").write_bytes(data)
    done = stages.publish("artifact.bin")
    assert done.code == 2
    (line,) = [line for line in done.err.splitlines() if line]
    assert line.startswith("::error title=llm-testbench::artifact.bin: ")
    assert words in line
    assert "evil" not in done.err + done.out
    assert not any(stages.github.comments.values())


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "nothing"])
def test_what_is_no_file_is_not_opened(stages: Stages, kind: str) -> None:
    path = stages.world.folder / "results"
    stages.world.write("secret.json", json.dumps(stages.measured()))
    made: dict[str, Callable[[], object]] = {
        "link": lambda: path.symlink_to("secret.json"),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "nothing": lambda: None,
    }
    made[kind]()
    done = stages.publish("results")
    assert done.code == 2
    assert done.err.startswith("::error title=llm-testbench::results: ")


def unfit_artifacts(stages: Stages) -> Iterator[str]:
    made = stages.measured()
    stages.leave(made, expired=True)
    yield f"run {FORKS_RUN} left none behind"
    stages.leave(made)
    stages.run.created_at = stages.github.now()  # another attempt of it began since
    yield "in its attempt 1"
    stages.github.recordings.clear()
    stages.leave(b"PK no zip", name="artifact.json")
    yield "is not JSON"


def test_a_download_that_cannot_be_used_ends_with_2(stages: Stages) -> None:
    for words in unfit_artifacts(stages):
        done = stages.publish()
        assert done.code == 2
        assert words in done.err
    assert not any(stages.github.comments.values())


def test_of_several_uploads_the_newest_is_judged(stages: Stages) -> None:
    stages.world.answers["capital"] = "Lyon"
    stages.leave(stages.measured())
    stages.world.answers["capital"] = "Paris"
    stages.leave(stages.measured())
    stages.publish()
    assert stages.job.outputs["mean"] == "1"


def test_another_runs_upload_of_that_name_is_not_taken(stages: Stages) -> None:
    stages.github.add_run(901, HEAD, branch="feature", fork=True)
    stages.leave(stages.measured(), run_id=901)
    assert "left none behind" in stages.publish().err


def test_a_list_that_holds_another_runs_upload_is_not_believed(stages: Stages) -> None:
    stages.github.add_run(901, HEAD, branch="feature", fork=True)
    stages.leave(stages.measured(), run_id=901)
    (other,) = stages.github.recordings.values()
    listed = {"total_count": 1, "artifacts": [objects.recording(stages.github.site, other, stages.github.runs[901])]}
    stages.github.fail("GET", f"/runs/{FORKS_RUN}/artifacts$", 200, body=listed)
    assert "left none behind" in stages.publish().err


@pytest.mark.parametrize(("path", "code"), [("/artifacts$", 3), ("/zip$", 3), ("/runs/900$", 3), ("/pulls$", 3)])
def test_trouble_with_github_before_there_is_a_file_is_inconclusive(stages: Stages, path: str, code: int) -> None:
    stages.leave(stages.measured())
    stages.github.fail("GET", path, 403, body={"message": "Resource not accessible by integration"}, times=9)
    done = stages.publish()
    assert done.code == code
    assert "the token lacks" in done.err


def test_a_file_is_judged_though_its_pull_request_cannot_be_looked_up(stages: Stages) -> None:
    stages.release()
    stages.world.write("results.json", json.dumps(stages.measured()))
    stages.github.fail("GET", "/runs/900$", 403, body={"message": "Resource not accessible by integration"}, times=9)
    done = stages.publish("results.json")
    assert done.code == 0
    assert "no comment: GitHub could not be asked for the pull request" in done.err
    assert 'the token lacks "actions: read"' in done.err
    assert stages.job.summary.startswith("## Self-reported: ")
    assert not any(stages.github.comments.values())


def test_a_comment_that_may_not_be_written_is_a_warning_that_blames_no_fork(stages: Stages) -> None:
    stages.leave(stages.measured())
    stages.github.fail("POST", "/comments$", 403, body={"message": "Resource not accessible by integration"})
    done = stages.publish()
    assert done.code == 0
    assert 'lacks "pull-requests: write"' in done.err
    assert "fork" not in done.err


class TestACheatingRun:
    """What it may try, and what the report says of it."""

    def cheated(self, stages: Stages, change: Callable[[Any], object], *arguments: str) -> int:
        stages.release()
        stages.world.answers["capital"] = "Lyon"
        made = stages.measured("--repeat", "10")
        change(made)
        stages.leave(made)
        return stages.publish(*arguments).code

    def test_leaves_out_the_tests_that_it_fails(self, stages: Stages) -> None:
        def leave_out(made: Any) -> None:
            made["tests"] = [test for test in made["tests"] if test["test_id"] != "capital"]
            made["results"] = [row for row in made["results"] if row["test_id"] != "capital"]

        assert self.cheated(stages, leave_out) == 3
        (comment,) = stages.job.comments
        assert "## Self-reported: Can't tell: too few tests were scored on 1 model" in comment
        assert "1 test of the base was left out, and counts as unscored: `capital`" in comment

    def test_scores_them_by_an_easier_check(self, stages: Stages) -> None:
        def easier(made: Any) -> None:
            (test,) = [test for test in made["tests"] if test["test_id"] == "capital"]
            test["check"], test["check_hash"] = {"equals": "Lyon"}, "0" * 64
            for row in made["results"]:
                row["score"], row["passed"] = 1.0, True

        assert self.cheated(stages, easier) == 3
        assert (
            "1 test of the base was scored by another check, and counts as unscored: `capital`"
            in stages.job.comments[0]
        )

    def test_puts_them_into_quarantine(self, stages: Stages) -> None:
        def quarantine(made: Any) -> None:
            for test in made["tests"]:
                test["quarantine"] = True

        assert self.cheated(stages, quarantine, "--max-drop", "0.1") == 1
        assert "quarantined" not in [row["status"] for row in comparison(stages)["tests"]]

    def test_asks_something_easier(self, stages: Stages) -> None:
        def other(made: Any) -> None:
            (test,) = [test for test in made["tests"] if test["test_id"] == "capital"]
            test["request_hash"] = "0" * 64
            for row in made["results"]:
                row["score"], row["passed"] = 1.0, True

        assert self.cheated(stages, other) == 0
        assert "1 test of the base was asked with another prompt: `capital`" in stages.job.comments[0]

    def test_adds_easy_tests_to_lift_the_mean(self, stages: Stages) -> None:
        def add(made: Any) -> None:
            template = dict(made["tests"][0]), dict(made["results"][0])
            for number in range(50):
                made["tests"].append(template[0] | {"test_id": f"easy-{number}", "must_pass": False})
                made["results"].append(template[1] | {"test_id": f"easy-{number}", "score": 1.0, "passed": True})

        assert self.cheated(stages, add, "--min-score", "0.9") == 1
        (comment,) = stages.job.comments
        assert "50 tests that the base does not select count for nothing: `easy-0`" in comment
        assert "below min_score" in comment

    def test_pretends_that_the_server_has_drifted_or_that_it_asked_again(self, stages: Stages) -> None:
        def pretend(made: Any) -> None:
            made["meta"]["role"] = "gate"
            again = [
                row | {"phase": "confirm", "attempt": 100 + number, "score": 1.0, "passed": True}
                for number, row in enumerate(made["results"])
            ]
            made["results"] += [*again, *(row | {"side": "baseline", "score": 0.0} for row in again)]

        stages.world.write(
            "llm-testbench.yaml", "suites: [suite.yaml]\nmodels: [m]\ngate: {advanced: {fail_on_drift: false}}\n"
        )
        assert self.cheated(stages, pretend, "--max-drop", "0.1") == 1
        assert "drift" not in stages.job.comments[0]

    def test_wants_its_numbers_accepted(self, stages: Stages) -> None:
        assert self.cheated(stages, lambda made: None, "--max-drop", "0.1") == 1
        assert comparison(stages)["accept"] == []
        assert "accepted.yaml" not in stages.job.comments[0]

    def test_measures_another_model_instead(self, stages: Stages) -> None:
        def rename(made: Any) -> None:
            made["meta"]["models"] = {"better": "better"}
            for row in made["results"]:
                row["model"] = "better"

        assert self.cheated(stages, rename) == 3
        assert "2 tests of the base were left out" in stages.job.comments[0]

    def test_brings_a_check_that_takes_for_ever(self, stages: Stages) -> None:
        def slow(made: Any) -> None:
            for test in made["tests"]:
                test["check"] = {"regex": "(a|a)*" * 20 + "$"}

        assert self.cheated(stages, slow, "--max-drop", "0.1") == 1
        assert "(a|a)" not in stages.job.comments[0]


def test_suites_that_cannot_be_read_are_told_and_the_numbers_shown(stages: Stages) -> None:
    stages.release()
    stages.leave(stages.measured())
    (stages.world.folder / "suite.yaml").unlink()
    assert stages.publish().code == 0
    assert "self_reported_unchecked" in codes(stages)
    assert "The base's suites could not be read" in stages.job.comments[0]


def test_a_run_whose_gateway_wanted_a_key_is_skipped(stages: Stages) -> None:
    stages.release()
    made = stages.measured()
    for row in made["results"]:
        row |= {"error": "401", "outcome": "auth", "score": 0.0, "passed": False}
    stages.leave(made)
    assert stages.publish().code == 0
    assert stages.job.outputs["verdict"] == "skipped"
    assert "## Self-reported: Skipped: no credentials" in stages.job.comments[0]


def test_the_token_stands_nowhere(stages: Stages) -> None:
    stages.leave(stages.measured(version=f"x{stages.github.token}"))
    done = stages.publish("--html")
    files = list((stages.world.folder / "llm-testbench-results").iterdir())
    written = [path.read_text("utf-8") for path in files]
    assert stages.github.token not in "".join([done.out, done.err, *written, *stages.job.comments, stages.job.summary])


@pytest.mark.parametrize(
    "trick", ["command", "old-command", "after-newline", "ansi", "carriage", "separators", "mention"]
)
def test_no_trick_of_the_artifact_reaches_log_summary_or_comment(stages: Stages, trick: str) -> None:
    stages.release()
    bad = HOSTILE[trick]
    made = stages.measured(
        version=bad, endpoint=bad, fingerprints={"m": [bad]}, served_models={"m": [bad]}, host={bad: bad}
    )
    for row in made["results"]:
        row |= {"response_text": bad, "reason": bad, "served_model": bad, "score": 0.0, "passed": False}
    stages.leave(made)
    done = stages.publish("--max-drop", "0.1")
    assert done.code == 1
    first, *inside, last = done.out.splitlines()
    assert last == first.replace("::stop-commands::", "::") + "::"
    told = [line for line in done.err.splitlines() if line.lstrip().startswith("::")]
    assert [line.partition("::Self-reported: Worse")[0] for line in told] == ["::error title=llm-testbench"]
    assert not any(re.search(r"##\w*\[", line) for line in [*inside, *done.err.splitlines()])
    assert not any(ord(letter) < 32 for line in [*inside, *done.err.splitlines()] for letter in line)
    for text in (stages.job.comments[0], stages.job.summary):
        assert "@" not in rendered(text).prose
        assert not {"a", "img", "script"} & set(rendered(text).tags)


def test_the_program_itself_does_the_same(stages: Stages) -> None:
    stages.leave(stages.measured())
    stages.publish()
    told = {"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_RUN_ID": "951", "GITHUB_EVENT_PATH": "event.json"}
    environ = {**os.environ, **stages.github.environ, **told, "GITHUB_TOKEN": stages.github.token}
    command = [sys.executable, "-m", "llm_testbench", "publish"]
    done = subprocess.run(command, cwd=stages.world.folder, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "results: llm-testbench-results\n")
    assert done.stdout.startswith("Self-reported: No baseline to compare with: mean 1.00")
    assert len(stages.job.comments) == 1
    assert stages.github.token not in done.stdout
