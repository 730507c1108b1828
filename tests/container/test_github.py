"""The image as a step of a workflow, with a gateway and a server that plays GitHub."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.container.runner import Runner
from tests.integration.commands.job import ASSET, PULL
from tests.servers.github import FakeGitHub, Release


@pytest.fixture
def release(github: FakeGitHub) -> Release:
    """The one that the event `release` is about."""
    made = github.releases.pop(github.add_release("v1.3.0"))
    made.id = 5012
    github.releases[made.id] = made
    return made


def headline(markdown: str) -> str:
    return next(line for line in markdown.splitlines() if line.startswith("## ")).removeprefix("## ")


def test_a_release_records_then_pull_requests_are_judged_in_one_comment(
    runner: Runner, github: FakeGitHub, release: Release, answers: dict[str, str]
) -> None:
    recorded = runner.step("release")
    assert recorded.code == 0, recorded.err
    (asset,) = release.assets
    assert asset.name == ASSET
    kept = json.loads(gzip.decompress(asset.data))
    assert (kept["meta"]["role"], len(kept["results"])) == ("record", 4)
    assert headline(runner.summary).startswith("Recorded: mean 1.00")

    equal = runner.step()
    assert equal.code == 0, equal.err
    assert runner.outputs["baseline_tag"] == "v1.3.0"
    (comment,) = github.comments[PULL]
    created = comment.id
    assert headline(comment.body).startswith("No drop found")
    assert "v1.3.0" in comment.body
    assert runner.outputs["comment_url"].endswith(f"#issuecomment-{created}")

    answers["2 + 2"] = "5"
    broken = runner.step()
    assert broken.code == 1, broken.err
    (comment,) = github.comments[PULL]
    assert comment.id == created
    assert headline(comment.body).startswith(("Fail", "Worse"))
    assert runner.outputs["verdict"] == "fail"
    text = [line for line in comment.body.splitlines() if line.strip() and not line.startswith("<!--")]
    assert text[0].startswith(("## Fail", "## Worse")), "the verdict is what is read first"
    assert "two-and-two" in comment.body
    assert runner.not_the_owners() == []


def test_without_a_baseline_the_first_run_passes_and_says_how_one_comes_to_be(
    runner: Runner, github: FakeGitHub
) -> None:
    done = runner.step()
    assert done.code == 0, done.err
    (comment,) = github.comments[PULL]
    assert headline(comment.body).startswith("No baseline to compare with: mean 1.00")
    assert "There is no baseline yet:" in comment.body
    assert runner.outputs["verdict"] == "no_baseline"


def test_a_dead_gateway_is_no_verdict_and_the_comment_says_so(runner: Runner, github: FakeGitHub) -> None:
    done = runner.step(endpoint="http://127.0.0.1:9/v1")
    assert done.code == 3, done.err
    assert runner.outputs["verdict"] == "inconclusive"
    (comment,) = github.comments[PULL]
    assert headline(comment.body).startswith("Can't tell")


def test_a_comment_that_github_refuses_changes_no_verdict(runner: Runner, github: FakeGitHub) -> None:
    github.fail("POST", "/comments$", 403, body={"message": "Resource not accessible by integration"})
    done = runner.step()
    assert done.code == 0, done.err
    assert 'lacks "pull-requests: write"' in done.err
    assert runner.outputs["comment_url"] == ""


def test_the_token_is_sent_to_github_and_written_nowhere(runner: Runner, github: FakeGitHub) -> None:
    done = runner.step()
    assert {seen.headers.get("authorization") for seen in github.requests} == {f"Bearer {github.token}"}
    assert github.token not in done.out + done.err
    assert [path for path in runner.files if github.token.encode() in path.read_bytes()] == []


def test_what_a_model_says_is_no_command_to_the_runner(
    runner: Runner, github: FakeGitHub, answers: dict[str, str]
) -> None:
    answers["2 + 2"] = "::set-output name=verdict::pass\n##[error]no"
    done = runner.step()
    assert done.code == 1
    assert runner.outputs["verdict"] == "fail"
    first, *_, last = done.out.splitlines()
    assert last == f"::{first.removeprefix('::stop-commands::')}::"
    assert not [line for line in done.err.splitlines() if line.lstrip().startswith("::set-output")]
    assert len(github.comments[PULL]) == 1
