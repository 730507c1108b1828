"""A pull request's comments in memory, and runs that publish to them at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from llm_testbench.github.api import GitHubError
from llm_testbench.github.event import Event, PullRequest
from llm_testbench.json_value import JSON, JSONObject

T = TypeVar("T")

NUMBER = 7
BOT = "github-actions[bot]"
SHA = "a" * 40


def event(run: int = 10, attempt: int = 1, sha: str = SHA) -> Event:
    """Of a run for the pull request."""
    return Event(
        name="pull_request",
        repository="octo/shop",
        run_id=run,
        run_attempt=attempt,
        pull_request=PullRequest(NUMBER, sha, "b" * 40, fork=False),
    )


@dataclass
class Comment:
    """`edits`: who wrote which text, newest first; empty when it was never changed, as GitHub has it."""

    body: str
    author: str = BOT
    edits: tuple[tuple[str, str | None], ...] = ()


@dataclass
class Conversation:
    """What GitHub holds. `calls`: method and path of each call; `before`: runs before a call is answered.

    `head`: of the pull request, None for a token that may not see it. `keeps_edits=False`: it tells no history.
    """

    comments: dict[int, Comment] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    before: Callable[[str], None] = lambda call: None
    last: int = 0
    head: str | None = SHA
    keeps_edits: bool = True

    def add(self, body: str, author: str = BOT) -> int:
        self.last += 1
        self.comments[self.last] = Comment(body, author)
        return self.last

    def edit(self, number: int, body: str, editor: str = BOT) -> None:
        one = self.comments[number]
        one.edits = ((editor, body), *(one.edits or ((one.author, one.body),)))
        one.body = body

    @property
    def bodies(self) -> list[str]:
        """What stands, without our markers."""
        return [one.body.rpartition("-->\n\n")[2] for _, one in sorted(self.comments.items())]


@dataclass(frozen=True)
class Client:
    """The calls of one run, as `api.GitHub` has them."""

    conversation: Conversation
    event: Event = field(default_factory=event)
    viewer: str = BOT

    def pages(self, path: str, /, *, needs: str) -> Iterator[JSONObject]:
        self._call("GET", path, needs)
        return iter([self._item(number) for number in sorted(self.conversation.comments)])

    def post(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        self._call("POST", path, needs)
        return self._item(self.conversation.add(str(body["body"]), self.viewer))

    def patch(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        self._call("PATCH", path, needs)
        number = _number(path)
        if number not in self.conversation.comments:
            raise GitHubError("HTTP 404", 404)
        self.conversation.edit(number, str(body["body"]), self.viewer)
        return self._item(number)

    def delete(self, path: str, /, *, needs: str) -> None:
        self._call("DELETE", path, needs)
        self.conversation.comments.pop(_number(path), None)

    def graphql(self, query: str, variables: JSONObject, /, *, needs: str) -> JSONObject:
        ids = variables["ids"]
        assert isinstance(ids, list)
        assert "nodes(ids: $ids)" in query
        assert 0 < len(ids) <= 100
        self._call("GRAPHQL", " ".join(ids), needs)
        if gone := [one for one in ids if _number(one) not in self.conversation.comments]:
            raise GitHubError(f"POST /graphql: Could not resolve to a node with the global id of '{gone[0]}'", 200)
        told = {"userContentEdits": self.conversation.keeps_edits, "pullRequest": self.conversation.head is not None}
        for name in (name for name, there in told.items() if name in query and not there):
            raise GitHubError(f"POST /graphql: Field '{name}' doesn't exist on type 'IssueComment'", 200)
        return {"nodes": [self._node(one, query) for one in ids]}

    def _call(self, method: str, path: str, needs: str) -> None:
        assert needs == "pull-requests: write"
        self.conversation.before(f"{method} {path}")
        self.conversation.calls.append(f"{method} {path}")

    def _item(self, number: int) -> JSONObject:
        body = self.conversation.comments[number].body
        return {"id": number, "node_id": f"IC/{number}", "html_url": url(number), "body": body}

    def _node(self, node_id: str, query: str) -> JSONObject:
        one = self.conversation.comments[_number(node_id)]
        if "userContentEdits" not in query:
            return {"id": node_id, "body": one.body, "viewerDidAuthor": one.author == self.viewer}
        edits: list[JSON] = [{"editor": _person(editor), "diff": body} for editor, body in one.edits]
        pull: JSONObject = {"pullRequest": {"headRefOid": self.conversation.head}} if "pullRequest" in query else {}
        return {"author": _person(one.author), "userContentEdits": {"nodes": edits}, **pull}


def _person(login: str) -> JSONObject:
    return {"__typename": "Bot" if login.endswith("[bot]") else "User", "login": login.removesuffix("[bot]")}


def url(number: int) -> str:
    return f"https://github.com/octo/shop/pull/{NUMBER}#issuecomment-{number}"


def interleaved(conversation: Conversation, runs: Sequence[Callable[[], T]], turns: Iterable[int]) -> list[T]:
    """What the runs return when they take turns, one call to GitHub a turn; `turns` says whose is next.

    A turn of a run that has ended is passed over; afterwards each goes on alone, in order.
    """
    players = [_Player(run) for run in runs]
    by_thread = {player.thread: player for player in players}
    conversation.before = lambda call: by_thread[threading.current_thread()].wait()
    for player in players:
        player.start()
    for turn in turns:
        players[turn].go()
    for player in players:
        while player.go():
            pass
    return [player.result() for player in players]


class _Player(Generic[T]):
    """A run in a thread that stops before each call until `go`."""

    def __init__(self, run: Callable[[], T]) -> None:
        self._run = run
        self._results: list[T] = []
        self._errors: list[Exception] = []
        self._may_go = threading.Semaphore(0)
        self._waits = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._play, daemon=True)

    def start(self) -> None:
        """Up to its first call."""
        self.thread.start()
        self._waits.acquire()

    def go(self) -> bool:
        """One call; False when it has ended."""
        if self._results or self._errors:
            return False
        self._may_go.release()
        self._waits.acquire()
        return True

    def wait(self) -> None:
        self._waits.release()
        self._may_go.acquire()

    def result(self) -> T:
        for error in self._errors:
            raise error
        return self._results[0]

    def _play(self) -> None:
        try:
            self._results.append(self._run())
        except Exception as error:
            self._errors.append(error)
        self._waits.release()


def _number(text: str) -> int:
    return int(text.rpartition("/")[2])
