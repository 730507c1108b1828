"""The one comment that a gate keeps on a pull request.

GitHub has no way to say "change it only if nobody else did". So `upsert` looks, writes and looks again, until it
finds what should stand: one comment, the newest run's. A run that takes longer from its look to its write than
another takes to write and look again can still win; the next run puts that right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias
from urllib.parse import quote

from llm_testbench.github.api import GitHubError
from llm_testbench.github.event import Event
from llm_testbench.github.step_file import encoded
from llm_testbench.json_value import JSON, JSONObject

# Bytes, marker included. GitHub speaks of 65,536 characters, which are never fewer bytes.
COMMENT_LIMIT = 65_536

When: TypeAlias = Literal["always", "changes", "failure", "never"]

_NEEDS = "pull-requests: write"
_ROUNDS = 5  # three do when nobody else writes
_LOOKS = 8  # others that delete between a list and the question for its authors
_BATCH = 100  # as many `ids` GraphQL takes
_RUN = re.compile(r" run=([0-9]{1,20}) attempt=([0-9]{1,20}) head=[0-9a-f]{0,64} -->")
# The body once more: the later it is read, the less time another run has between that and our write.
_AUTHORSHIP = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id body viewerDidAuthor } } }"


class Comments(Protocol):
    """What is used of `api.GitHub`, with its errors."""

    @property
    def event(self) -> Event:
        """Where the run takes place."""

    def pages(self, path: str, /, *, needs: str) -> Iterator[JSONObject]:
        """Every item of every page."""

    def post(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        """Creates something."""

    def patch(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        """Changes something."""

    def delete(self, path: str, /, *, needs: str) -> None:
        """Removes something; well when it is gone already."""

    def graphql(self, query: str, variables: JSONObject, /, *, needs: str) -> JSONObject:
        """`data` of the answer."""


@dataclass(frozen=True)
class Posted:
    """`kept`: a newer run's comment stands and keeps its words. `none`: there is none, and none was wanted."""

    url: str
    action: Literal["created", "updated", "kept", "none"]


@dataclass(frozen=True)
class _Comment:
    """`run`: id and attempt of the workflow run that wrote it, from the marker."""

    id: int
    node_id: str
    url: str
    body: str
    run: tuple[int, int]


def should_comment(when: When, *, failing: bool, differs: bool) -> Literal["create", "update", "nothing"]:
    """What the option `comment` asks for; `update`: only a comment that is there already.

    `failing`: the verdict is fail or inconclusive. `differs`: something is lower, higher or edited against the
    baseline. A comment once made is kept up to date, lest "Worse" stands over a pull request that is good again.
    """
    match when:
        case "never":
            return "nothing"
        case "always":
            return "create"
        case "changes":
            return "create" if failing or differs else "update"
        case "failure":
            return "create" if failing else "update"


def marker(key: str, event: Event) -> str:
    """The hidden line that a comment of ours begins with."""
    sha = event.pull_request.head_sha if event.pull_request is not None else event.sha
    return f"{_keyed(key)} run={event.run_id} attempt={event.run_attempt} head={sha} -->"


def room(key: str, event: Event) -> int:
    """How many bytes `upsert` takes as body."""
    return COMMENT_LIMIT - len(_whole(key, event, b""))


def upsert(github: Comments, key: str, body: str, *, create: bool = True) -> Posted:
    """Makes the comment of this key say `body`, unless a newer run's is there (by run id, then attempt).

    Ours are those that begin with our marker for the key and that were, as GitHub says, written by the owner of the
    token: anybody may write a marker. Of several the first stays. `create=False`: changes one that is there, makes
    none. Raises GitHubError; ValueError when the body is too long or the event is not of a pull request.
    """
    pull_request = github.event.pull_request
    if pull_request is None:
        raise ValueError("a comment needs a pull request")
    whole = _whole(key, github.event, encoded(body))
    if len(whole) > COMMENT_LIMIT:
        raise ValueError(f"the comment has {len(whole)} bytes, of which GitHub takes {COMMENT_LIMIT}")
    return _Upsert(_Thread(github, pull_request.number, key), whole.decode(), create=create).settled()


class _Upsert:
    """One `upsert` on its way: what it has written so far."""

    def __init__(self, thread: _Thread, text: str, *, create: bool) -> None:
        self._thread = thread
        self._text = text
        self._create = create
        self._created: _Comment | None = None
        self._written = False
        self._lost = False  # an answer to a creation

    def settled(self) -> Posted:
        """Rounds of look and write, until a look finds nothing left to write."""
        posted = Posted("", "none")
        for _ in range(_ROUNDS):
            ours = self._look()
            if not ours and not self._create:
                return Posted("", "none")
            if not ours:
                posted = self._first()
                continue
            survivor, *others = ours
            newest = max(ours, key=lambda one: one.run)
            newer = newest.run > self._thread.run
            if newer:
                stands = survivor.run == newest.run
                posted = Posted(survivor.url, "kept")
            else:
                stands = self._written and survivor.run == self._thread.run
                posted = Posted(survivor.url, "created" if self._is_created(survivor) else "updated")
            if not stands and not self._change(survivor, newest.body if newer else self._text):
                continue
            for one in others:
                self._thread.delete(one)
            if stands:
                return posted
        if not self._written and posted.action != "kept":
            raise GitHubError("the comment disappeared whenever it was written; run the job again")
        return posted

    def _look(self) -> list[_Comment]:
        """Ours by id, so that all runs agree on which is the first."""
        ours = self._thread.ours()
        if self._created is not None and not any(map(self._is_created, ours)):
            # GitHub's replicas may lag behind. If it was deleted instead, writing to it will tell.
            ours.append(self._created)
        return sorted(ours, key=lambda one: one.id)

    def _first(self) -> Posted:
        try:
            self._created = self._thread.create(self._text)
        except GitHubError as error:
            refused = error.status is not None and error.status < 500
            if refused or self._lost:
                raise
            # It may have been made all the same: the next look tells.
            self._lost = True
            return Posted("", "none")
        self._written = True
        return Posted(self._created.url, "created")

    def _is_created(self, comment: _Comment) -> bool:
        return self._created is not None and comment.id == self._created.id

    def _change(self, comment: _Comment, text: str) -> bool:
        """False when it is gone."""
        self._written = self._thread.change(comment, text)
        if not self._written:
            self._created = None
        return self._written


@dataclass(frozen=True)
class _Thread:
    """The comments of one pull request, as far as they are ours by `key`."""

    github: Comments
    number: int
    key: str

    @property
    def run(self) -> tuple[int, int]:
        """Of what is written now."""
        return self.github.event.run_id, self.github.event.run_attempt

    def ours(self) -> list[_Comment]:
        """Marked by us, and by nobody else."""
        marked = self._listed()
        for _ in range(_LOOKS):
            try:
                return list(self._authored(marked))
            except GitHubError:
                # GraphQL refuses all ids when one is gone: another run has deleted it since it was listed.
                there = self._listed()
                if there.keys() >= marked.keys():
                    raise
                marked = there
        return list(self._authored(marked))

    def create(self, text: str) -> _Comment:
        """A new comment."""
        match self.github.post(self._path, {"body": text}, needs=_NEEDS):
            case {"id": int(number), "node_id": str(node_id), "html_url": str(url)}:
                return _Comment(number, node_id, url, text, self.run)
        raise GitHubError(f"POST {self._path}: the answer is no comment")

    def change(self, comment: _Comment, text: str) -> bool:
        """False when it is gone."""
        try:
            self.github.patch(_path_of(comment), {"body": text}, needs=_NEEDS)
        except GitHubError as error:
            if error.status != 404:
                raise
            return False
        return True

    def delete(self, comment: _Comment) -> None:
        """Gone afterwards."""
        self.github.delete(_path_of(comment), needs=_NEEDS)

    @property
    def _path(self) -> str:
        return f"/issues/{self.number}/comments"

    def _listed(self) -> dict[str, _Comment]:
        """All with our marker, whoever wrote them, by node id."""
        items = self.github.pages(self._path, needs=_NEEDS)
        return {one.node_id: one for item in items if (one := self._marked(item)) is not None}

    def _authored(self, marked: Mapping[str, _Comment]) -> Iterator[_Comment]:
        ids = list(marked)
        for start in range(0, len(ids), _BATCH):
            variables = {"ids": ids[start : start + _BATCH]}
            nodes = self.github.graphql(_AUTHORSHIP, variables, needs=_NEEDS).get("nodes")
            for node in nodes if isinstance(nodes, list) else ():
                match node:
                    case {"id": str(node_id), "body": str(body), "viewerDidAuthor": True} if node_id in marked:
                        run = self._run(body)
                        if run is not None:
                            yield replace(marked[node_id], body=body, run=run)

    def _marked(self, item: JSONObject) -> _Comment | None:
        """None for a comment without our marker."""
        match item:
            case {"id": int(number), "node_id": str(node_id), "html_url": str(url), "body": str(body)}:
                run = self._run(body)
                return _Comment(number, node_id, url, body, run) if run is not None else None
        return None

    def _run(self, body: str) -> tuple[int, int] | None:
        """Whose marker the body begins with; further down it may quote what anybody wrote."""
        start = _keyed(self.key)
        found = _RUN.match(body, len(start)) if body.startswith(start) else None
        return (int(found[1]), int(found[2])) if found is not None else None


def _path_of(comment: _Comment) -> str:
    return f"/issues/comments/{comment.id}"


def _keyed(key: str) -> str:
    # Without any dash of the key's, nothing in it ends the HTML comment.
    return f"<!-- llm-testbench comment={quote(key, safe='', errors='backslashreplace').replace('-', '%2D')}"


def _whole(key: str, event: Event, body: bytes) -> bytes:
    # Markdown begins again after a blank line.
    return marker(key, event).encode() + b"\n\n" + body
