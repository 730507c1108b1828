"""What each event means: what is measured, from where a baseline may come, and who is recorded or judged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.github.event import NO_EVENT, Event, PullRequest, Release, read_event
from llm_testbench.github.role import role_of
from llm_testbench.settings.resolve import resolve

EVENTS = Path(__file__).parents[2] / "fixtures/events"
A, B, C, D = (letter * 40 for letter in "abcd")
COMMON = {
    "GITHUB_REPOSITORY": "octo/shop",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql",
}


@dataclass(frozen=True)
class Case:
    """`sha` is GITHUB_SHA as the runner sets it for this event."""

    payload: str
    name: str
    sha: str
    ref: str
    measured: str
    base: str
    role: str
    number: int | None = None
    fork: bool = False
    release: str | None = None


CASES = (
    Case("pull_request", "pull_request", C, "refs/pull/17/merge", A, B, "gate", 17),
    Case("pull_request_fork", "pull_request", C, "refs/pull/17/merge", A, B, "gate", 17, fork=True),
    Case("pull_request_deleted_fork", "pull_request", C, "refs/pull/17/merge", A, B, "gate", 17, fork=True),
    Case("pull_request_dependabot", "pull_request", C, "refs/pull/17/merge", A, B, "gate", 17),
    Case("pull_request_fork", "pull_request_target", B, "refs/heads/main", A, B, "gate", 17, fork=True),
    Case("push", "push", C, "refs/heads/main", C, C, "record"),
    Case("push_branch", "push", C, "refs/heads/greeting", C, C, "gate"),
    Case("schedule", "schedule", C, "refs/heads/main", C, C, "record"),
    Case("workflow_dispatch", "workflow_dispatch", C, "refs/heads/main", C, C, "record"),
    Case("release", "release", C, "refs/tags/v1.3.0", C, C, "record", release="v1.3.0"),
    Case("merge_group", "merge_group", D, f"refs/heads/gh-readonly-queue/main/pr-17-{B}", D, B, "gate"),
)


def environ(case: Case) -> dict[str, str]:
    return COMMON | {
        "GITHUB_EVENT_NAME": case.name,
        "GITHUB_EVENT_PATH": str(EVENTS / f"{case.payload}.json"),
        "GITHUB_SHA": case.sha,
        "GITHUB_REF": case.ref,
    }


@pytest.mark.parametrize("case", CASES, ids=[f"{case.name}: {case.payload}" for case in CASES])
def test_an_event_says_what_is_measured_and_against_what(case: Case) -> None:
    event = read_event(environ(case))
    assert (event.sha, event.base_sha, event.default_branch) == (case.measured, case.base, "main")
    assert role_of(event, "auto") == case.role
    pull_request = event.pull_request
    assert (pull_request.number if pull_request else None) == case.number
    assert (pull_request is not None and pull_request.fork) == case.fork
    assert event.release == (Release(5012, case.release) if case.release else None)
    assert event.run_url == "https://github.com/octo/shop/actions/runs/4711"
    assert event.trouble == ""


def test_a_pull_request_is_read_whole() -> None:
    assert read_event(environ(CASES[0])).pull_request == PullRequest(17, A, B, fork=False)


def test_outside_github_there_is_no_event_and_the_run_is_judged() -> None:
    assert read_event({}) == NO_EVENT
    assert NO_EVENT.run_url == ""
    assert role_of(NO_EVENT, "auto") == "gate"


@pytest.mark.parametrize("case", CASES, ids=[case.payload for case in CASES])
@pytest.mark.parametrize("wanted", ["gate", "record"])
def test_whoever_names_a_role_gets_it(case: Case, wanted: str) -> None:
    assert role_of(read_event(environ(case)), wanted) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "repeat", "role"),
    [
        ({}, 10, "record"),
        ({"INPUT_ROLE": "gate"}, 3, "gate"),
        ({"INPUT_REPEAT": "4"}, 4, "record"),
    ],
)
def test_a_recording_takes_more_attempts_unless_told(
    given: dict[str, str], repeat: int, role: str, tmp_path: Path
) -> None:
    variables = environ(CASES[5]) | {"INPUT_ENDPOINT": "local"} | given
    settings = resolve("gate", {}, variables, tmp_path)
    assert (settings.repeat, settings.gate.role) == (repeat, role)


BROKEN = {
    "missing": (None, "cannot be read"),
    "not JSON": ("{", "is not JSON"),
    "deep": ("[" * 5000, "is not JSON"),
    "binary": ("\udcff", "is not JSON"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_payload_that_cannot_be_read_is_said_and_taken_as_none(text: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    event = read_event(COMMON | {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(path)})
    assert event.pull_request is None
    assert said in event.trouble
    assert "\n" not in event.trouble


@pytest.mark.parametrize(
    "variables",
    [
        {"GITHUB_REPOSITORY": "octo/shop/../../other"},
        {"GITHUB_REPOSITORY": "octo"},
        {"GITHUB_RUN_ID": "-1"},
        {"GITHUB_RUN_ID": "9" * 40},
        {"GITHUB_SHA": "../../etc"},
    ],
)
def test_variables_of_another_form_count_as_unset(variables: dict[str, str]) -> None:
    event = read_event(variables)
    assert (event.repository, event.sha, event.run_id, event.api_url) == ("", "", 0, NO_EVENT.api_url)


@pytest.mark.parametrize("given", ["file:///etc/passwd", "https://user@ghe.example.com/api/v3", "ghe.example.com"])
def test_an_address_of_the_api_that_is_none_is_not_replaced_by_that_of_github(given: str) -> None:
    assert read_event({"GITHUB_API_URL": f" {given} "}).api_url == given


def test_an_enterprise_server_is_taken_from_the_environment() -> None:
    event = read_event(
        {
            "GITHUB_SERVER_URL": "https://ghe.example.com",
            "GITHUB_API_URL": "https://ghe.example.com/api/v3/",
            "GITHUB_GRAPHQL_URL": "https://ghe.example.com/api/graphql",
        }
    )
    urls = (event.server_url, event.api_url, event.graphql_url)
    assert urls == ("https://ghe.example.com", "https://ghe.example.com/api/v3", "https://ghe.example.com/api/graphql")


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
KEYS = st.sampled_from(
    ["pull_request", "number", "head", "base", "repo", "sha", "id", "release", "tag_name", "merge_group", "repository"]
)
PAYLOADS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=20
)


@given(payload=PAYLOADS, name=st.sampled_from(["pull_request", "release", "merge_group", "push"]))
def test_any_payload_gives_an_event(payload: object, name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any-event.json"
    path.write_text(json.dumps(payload), "utf-8")
    event = read_event(COMMON | {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)})
    assert isinstance(event, Event)
    assert event.pull_request is None or event.pull_request.number > 0
