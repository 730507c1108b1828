"""What each event means: what is measured, from where a baseline may come, and who is recorded or judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.events.table import Row, markdown, rows

from llm_testbench.github.event import NO_EVENT, Event, PullRequest, read_event
from llm_testbench.github.role import role_of
from llm_testbench.settings.resolve import resolve

EVENTS = Path(__file__).parents[2] / "fixtures/events"
A, B = "a" * 40, "b" * 40
COMMON = {
    "GITHUB_REPOSITORY": "octo/shop",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql",
}


ROWS = rows()


def environ(row: Row) -> dict[str, str]:
    return COMMON | row.environ


@pytest.mark.parametrize("row", ROWS, ids=[row.payload for row in ROWS])
def test_an_event_says_what_is_measured_and_against_what(row: Row) -> None:
    event = read_event(environ(row))
    assert (event.sha, event.base_sha) == (row.measured, row.base)
    assert event.default_branch == "main"
    assert role_of(event, "auto") == row.role
    pull_request = event.pull_request
    assert ((pull_request.number if pull_request else event.queued) or None) == row.number
    assert (pull_request is not None) == (row.comment != "no")
    assert event.without_secrets == (not row.secrets)
    assert event.release == row.release
    assert event.run_url == f"https://github.com/{row.repository}/actions/runs/4711"
    assert event.trouble == ""


def test_every_payload_has_its_row() -> None:
    assert sorted(row.payload for row in ROWS) == sorted(path.stem for path in EVENTS.glob("*.json"))


def test_the_page_on_github_shows_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs/github-action.md").read_text("utf-8")
    assert f"<!-- events: python -m tests.fixtures.events -->\n\n{markdown()}\n\n<!-- end -->" in page


def row_of(payload: str) -> Row:
    return next(row for row in ROWS if row.payload == payload)


def test_a_pull_request_is_read_whole() -> None:
    assert read_event(environ(row_of("pull_request"))).pull_request == PullRequest(17, A, B, fork=False)


# Suites of others are measured there with secrets at hand, so that "has no secrets" is not "is one of us".
OUTSIDE = [
    ("pull_request_fork", True, True),
    ("pull_request_deleted_fork", True, True),
    ("pull_request_dependabot", True, True),
    ("pull_request_target_fork", True, False),
    ("push_dependabot", False, True),
    ("pull_request_base_is_fork", False, False),
    ("merge_group", False, False),
]


@pytest.mark.parametrize(("payload", "outside", "secretless"), OUTSIDE, ids=[case[0] for case in OUTSIDE])
def test_who_wrote_it_is_one_thing_and_whether_there_are_secrets_another(
    payload: str, outside: bool, secretless: bool
) -> None:
    event = read_event(environ(row_of(payload)))
    assert (event.from_outside, event.without_secrets) == (outside, secretless)


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/heads/gh-readonly-queue/main/pr-x-" + B, "", None, 7])
def test_a_merge_group_with_another_branch_has_no_number(ref: object, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"merge_group": {"head_ref": ref}}), "utf-8")
    assert read_event({"GITHUB_EVENT_NAME": "merge_group", "GITHUB_EVENT_PATH": str(path)}).queued == 0


def test_outside_github_there_is_no_event_and_the_run_is_judged() -> None:
    assert read_event({}) == NO_EVENT
    assert NO_EVENT.run_url == ""
    assert role_of(NO_EVENT, "auto") == "gate"


@pytest.mark.parametrize("row", ROWS, ids=[row.payload for row in ROWS])
@pytest.mark.parametrize("wanted", ["gate", "record"])
def test_whoever_names_a_role_gets_it(row: Row, wanted: str) -> None:
    assert role_of(read_event(environ(row)), wanted) == wanted  # type: ignore[arg-type]


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
    variables = environ(row_of("push")) | {"INPUT_ENDPOINT": "local"} | given
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
