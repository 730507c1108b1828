"""What the fake GitHub does not do: a server that ignores the filter by name, and odd entries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import responses

from llm_testbench.github.api import GitHub
from llm_testbench.github.event import Event
from llm_testbench.github.recordings import Recording, recordings
from llm_testbench.github.wanted import ARTIFACT_NAME

SHA = "a" * 40
RUN = {"id": 7, "repository_id": 1, "head_repository_id": 1, "head_sha": SHA}
WHOLE = {
    "id": 5,
    "name": ARTIFACT_NAME,
    "size_in_bytes": 3,
    "expired": False,
    "created_at": "2026-01-01T00:00:00Z",
    "workflow_run": RUN,
}


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock() as mock:
        yield mock


def listed(web: responses.RequestsMock, *items: object) -> tuple[Recording, ...]:
    web.get("https://api.github.com/repos/octo/shop/actions/artifacts", json={"artifacts": list(items)})
    event = Event(repository="octo/shop", run_id=99)
    return recordings(GitHub(event, "t" * 20, session=requests.Session()))


def test_a_recording_is_what_github_says_of_it(web: responses.RequestsMock) -> None:
    assert listed(web, WHOLE) == (Recording(5, 7, SHA, "2026-01-01T00:00:00Z", 3),)


def test_the_newest_goes_first(web: responses.RequestsMock) -> None:
    found = listed(web, WHOLE, WHOLE | {"id": 6}, WHOLE | {"id": 4, "created_at": "2026-01-02T00:00:00Z"})

    assert [one.id for one in found] == [4, 6, 5]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"name": "other"}, id="of another name"),
        pytest.param({"id": "5"}, id="an id that is none"),
        pytest.param({"workflow_run": None}, id="of no run"),
        pytest.param({"workflow_run": RUN | {"id": 99}}, id="of this run"),
        pytest.param({"workflow_run": RUN | {"head_repository_id": 2}}, id="of a fork"),
        pytest.param({"workflow_run": RUN | {"head_repository_id": None}}, id="of a fork that is gone"),
        pytest.param(
            {"workflow_run": RUN | {"repository_id": None, "head_repository_id": None}}, id="of no repository at all"
        ),
        pytest.param({"workflow_run": RUN | {"head_sha": "main"}}, id="of no commit"),
        pytest.param({"workflow_run": RUN | {"head_sha": "../../x"}}, id="of a path"),
    ],
)
def test_what_may_be_anything_else_does_not_count(web: responses.RequestsMock, odd: dict[str, Any]) -> None:
    assert listed(web, WHOLE | odd) == ()


@pytest.mark.parametrize("said", [True, None, "no"])
def test_one_of_which_github_does_not_say_that_it_is_there_has_expired(web: responses.RequestsMock, said: Any) -> None:
    assert [one.expired for one in listed(web, WHOLE | {"expired": said}, WHOLE | {"id": 4})] == [True, False]
