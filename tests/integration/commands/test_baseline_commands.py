"""`llmtest baseline push` and `baseline fetch`, against a real HTTP server that plays GitHub."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, Job, job


@pytest.fixture
def step(world: Bench) -> Iterator[Job]:
    with job(world) as made:
        yield made


def llmtest(step: Job, *arguments: str, **environ: str) -> Done:
    variables = step.github.environ | {"GITHUB_TOKEN": step.github.token} | environ
    return step.world.llmtest("baseline", *arguments, environ=variables)


@pytest.fixture
def artifact(step: Job) -> bytes:
    data = step.recorded(role="run")
    (step.world.folder / "a.json.gz").write_bytes(data)
    return data


@pytest.mark.usefixtures("artifact")
def test_what_is_pushed_is_fetched(step: Job) -> None:
    release = step.github.releases[step.github.add_release("v1.2.0")]
    done = llmtest(step, "push", "a.json.gz", "--release", "v1.2.0")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{step.github.url}/octo/shop/releases/download/v1.2.0/{ASSET}\n"
    assert [asset.name for asset in release.assets] == [ASSET]

    fetched = llmtest(step, "fetch", "--baseline", "release", "--out", "b.json")
    assert (fetched.code, fetched.out) == (0, "release v1.2.0 → b.json\n")
    assert step.world.json("b.json")["results"] == json.loads(gzip.decompress(release.assets[0].data))["results"]


@pytest.mark.usefixtures("artifact")
def test_pushing_twice_changes_nothing(step: Job) -> None:
    release = step.github.releases[step.github.add_release("v1.2.0")]
    for _ in range(2):
        assert llmtest(step, "push", "a.json.gz", "--release", "v1.2.0").code == 0
    assert len(release.assets) == 1
    assert [seen.method for seen in step.github.requests].count("POST") == 1


@pytest.mark.usefixtures("artifact")
def test_an_upload_that_fails_leaves_the_old_baseline(step: Job) -> None:
    release = step.github.releases[step.github.add_release("v1.2.0", assets={ASSET: b"old"})]
    step.github.fail("POST", "/assets$", 500, times=20)
    done = llmtest(step, "push", "a.json.gz", "--release", "v1.2.0")
    assert done.code == 3
    assert done.err.startswith("error: the baseline was not attached to the release: ")
    assert [asset.data for asset in release.assets if asset.name == ASSET] == [b"old"]


def test_no_other_file_is_replaced(step: Job, artifact: bytes) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: artifact})
    done = llmtest(step, "fetch", "--baseline", "release", "--out", "suite.yaml")
    assert done.code == 2
    assert "suite.yaml: exists and is no artifact: it would be lost" in done.err
    assert step.github.requests == []


REFUSED = {
    "no release": (("push", "a.json.gz"), {}, "no release is named: use --release TAG"),
    "no token": (
        ("push", "a.json.gz", "--release", "v1"),
        {"GITHUB_TOKEN": ""},
        "no token of GitHub is given: set the input token, or GITHUB_TOKEN",
    ),
    "no repository": (
        ("push", "a.json.gz", "--release", "v1"),
        {"GITHUB_REPOSITORY": ""},
        "no repository is known: set GITHUB_REPOSITORY to owner/name",
    ),
    "no artifact": (("push", "none.json", "--release", "v1"), {}, "none.json: there is no such file"),
    "nowhere to put it": (("fetch",), {}, "no file is named: use --out FILE"),
}


@pytest.mark.usefixtures("artifact")
@pytest.mark.parametrize(("arguments", "environ", "said"), REFUSED.values(), ids=REFUSED)
def test_what_was_given_is_wrong(step: Job, arguments: tuple[str, ...], environ: dict[str, str], said: str) -> None:
    done = llmtest(step, *arguments, **environ)
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_an_incomplete_run_is_no_baseline(step: Job) -> None:
    (step.world.folder / "a.json.gz").write_bytes(step.recorded(interrupted=True))
    step.github.add_release("v1.2.0")
    done = llmtest(step, "push", "a.json.gz", "--release", "v1.2.0")
    assert (done.code, done.err) == (2, "error: a.json.gz: is not fit as a baseline: its run was interrupted\n")


@pytest.mark.usefixtures("artifact")
def test_a_release_that_is_not_there_is_said(step: Job) -> None:
    done = llmtest(step, "push", "a.json.gz", "--release", "v9")
    assert done.code == 3
    assert "v9" in done.err


@pytest.mark.parametrize(
    ("assets", "said"),
    [
        (None, "there is no baseline"),
        ({ASSET: b"no artifact"}, "the baseline release v1.2.0 cannot be used: is not JSON"),
    ],
)
def test_nothing_to_fetch_is_no_success(step: Job, assets: dict[str, bytes] | None, said: str) -> None:
    step.github.add_release("v1.2.0", assets=assets)
    done = llmtest(step, "fetch", "--baseline", "release", "--out", "b.json")
    assert done.code == 3
    assert said in done.err
    assert not (step.world.folder / "b.json").exists()


def test_the_source_that_is_named_is_the_one_that_is_written(step: Job, artifact: bytes) -> None:
    step.github.add_release("v1.1.0", assets={ASSET: artifact}, published_at="2026-01-01T00:00:00Z")
    step.github.add_release("v1.2.0", assets={ASSET: b"no artifact"}, published_at="2026-02-01T00:00:00Z")
    done = llmtest(step, "fetch", "--baseline", "release", "--out", "b.json")
    assert (done.code, done.out) == (0, "release v1.1.0 → b.json\n")


def test_what_is_fetched_depends_on_no_event(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: b"no artifact"})
    variables = step.environ("push") | {"GITHUB_ACTIONS": ""}
    done = llmtest(step, "fetch", "--baseline", "release", "--out", "b.json", **variables)
    assert (done.code, done.err.startswith("error: the baseline release v1.2.0 cannot be used")) == (3, True)


def test_without_a_token_nothing_is_found_and_said_why(step: Job) -> None:
    done = llmtest(step, "fetch", "--out", "b.json", GITHUB_TOKEN="")
    said = "there is no baseline (no token of GitHub is given: set the input token, or GITHUB_TOKEN)"
    assert (done.code, done.err) == (3, f"error: {said}\n")


def test_the_help_of_a_group_lists_its_commands(step: Job, capsys: pytest.CaptureFixture[str]) -> None:
    assert llmtest(step, "--help").code == 0
    shown = capsys.readouterr().out
    assert "Usage: llmtest baseline [OPTIONS] COMMAND [ARGS]..." in shown
    assert [line.split()[0] for line in shown.splitlines() if "baseline that" in line or "Attach" in line] == [
        "fetch",
        "push",
    ]


def test_a_command_that_is_none_is_said_with_the_nearest(step: Job) -> None:
    done = llmtest(step, "pusch")
    assert done.code == 2
    assert "no command 'pusch'" in done.err
    assert "push" in done.err
