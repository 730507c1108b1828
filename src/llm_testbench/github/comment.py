"""The one comment that a gate keeps on a pull request.

GitHub has no way to say "change it only if nobody else did". So `upsert` looks, writes and looks again, until it
finds what should stand: one comment, the newest run's. A run may have written over newer words that it could not see
when it looked. GitHub keeps what a comment said before, so the look after a write finds them and puts them back:
whoever writes last repairs last. The first comment of ours is the only one that is ever changed, and the others, which
say what they were created with, are deleted once the first has said the newest of that.

The newest run's: of two whose markers name different commits, the one for the head that the pull request has now (a
run for an older head may be started later, by hand or by another workflow); else by run id, then attempt. A GitHub that
tells no history leaves a gap: a run that takes longer from its look to its write than another takes to write and look
again. So does a person who deletes the first comment at that moment. The next run puts both right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias
from urllib.parse import quote

from llm_testbench.github.answers import at, text
from llm_testbench.github.api import GitHubError
from llm_testbench.github.event import Event
from llm_testbench.github.step_file import encoded
from llm_testbench.json_value import JSON, JSONObject

# Bytes, marker included. GitHub speaks of 65,536 characters, which are never fewer bytes.
COMMENT_LIMIT = 65_536

When: TypeAlias = Literal["always", "changes", "failure", "never"]

_NEEDS = "pull-requests: write"
_ROUNDS = 20  # three do when nobody else writes; each run that writes over newer words costs one more
_LOOKS = 8  # others that delete between a list and the question for its authors
_BATCH = 100  # as many `ids` GraphQL takes
_RUN = re.compile(r" run=([0-9]{1,20}) attempt=([0-9]{1,20}) head=([0-9a-f]{0,64})( progress)? -->")
# The body once more: the later it is read, the less time another run has between that and our write.
_AUTHORSHIP = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id body viewerDidAuthor } } }"
# What is asked of our own comments alone: 20 texts of each may be a megabyte. Newest first; `diff` holds a whole text.
_EDITS = "author { __typename login } userContentEdits(first: 20) { nodes { editor { __typename login } diff } }"
# Each is good without the one before: an older server may not know a field, a token may not see a pull request.
_QUESTIONS = tuple(
    f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on IssueComment {{ {fields} }} }} }}"
    for fields in (f"{_EDITS} pullRequest {{ headRefOid }}", _EDITS)
)


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
class _Words:
    """What a run has said, and what its marker tells: id and attempt of the run, the commit, report or progress."""

    body: str
    run: tuple[int, int]
    head: str
    final: bool

    def rank(self, head: str) -> tuple[bool, tuple[int, int], bool]:
        """The larger, the newer. `head`: of the pull request now, "" when that is not known."""
        return not head or self.head == head, self.run, self.final


@dataclass(frozen=True)
class _Comment:
    """One of ours as it stands."""

    id: int
    node_id: str
    url: str
    words: _Words


@dataclass(frozen=True)
class _Past:
    """What comments of ours said before, as far as we wrote it, and the head of the pull request now."""

    said: tuple[_Words, ...] = ()
    head: str = ""


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


def marker(key: str, event: Event, *, final: bool = True) -> str:
    """The hidden line that a comment of ours begins with. `final`: see `upsert`."""
    sha = event.pull_request.head_sha if event.pull_request is not None else event.sha
    stage = "" if final else " progress"
    return f"{_keyed(key)} run={event.run_id} attempt={event.run_attempt} head={sha}{stage} -->"


def room(key: str, event: Event, *, final: bool = True) -> int:
    """How many bytes `upsert` takes as body."""
    return COMMENT_LIMIT - len(_whole(marker(key, event, final=final), b""))


def upsert(github: Comments, key: str, body: str, *, create: bool = True, final: bool = True) -> Posted:
    """Makes the comment of this key say `body`, unless a newer run's is there.

    Ours are those that begin with our marker for the key and that were, as GitHub says, written by the owner of the
    token: anybody may write a marker. Of several the first stays. `create=False`: changes one that is there, makes
    none. `final=False`: progress, which gives way to a report of the same run.
    Raises GitHubError; ValueError when the body is too long or the event is not of a pull request.
    """
    pull_request = github.event.pull_request
    if pull_request is None:
        raise ValueError("a comment needs a pull request")
    whole = _whole(marker(key, github.event, final=final), encoded(body))
    if len(whole) > COMMENT_LIMIT:
        raise ValueError(f"the comment has {len(whole)} bytes, of which GitHub takes {COMMENT_LIMIT}")
    thread = _Thread(github, pull_request.number, key)
    event = github.event
    mine = _Words(whole.decode(), (event.run_id, event.run_attempt), pull_request.head_sha, final)
    return _Upsert(thread, mine, create=create).settled()


class _Upsert:
    """One `upsert` on its way: what it has written so far."""

    def __init__(self, thread: _Thread, mine: _Words, *, create: bool) -> None:
        self._thread = thread
        self._mine = mine
        self._create = create
        self._created: _Comment | None = None
        self._written = False
        self._changed = False  # a comment that may have held newer words
        self._lost = False  # an answer to a creation
        self._questions = list(_QUESTIONS)

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
            past = self._past(ours)
            if past is None:
                continue
            survivor, *others = ours
            newest = max(
                (self._mine, *past.said, *(one.words for one in ours)), key=lambda words: words.rank(past.head)
            )
            kept = newest.rank(past.head) > self._mine.rank(past.head)
            stands = survivor.words.rank(past.head) == newest.rank(past.head) and (kept or self._written)
            posted = Posted(survivor.url, self._action(survivor, kept=kept))
            if not stands and not self._change(survivor, newest.body if kept else self._mine.body):
                continue
            for one in others:
                self._delete(one)
            if stands and not others:
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

    def _past(self, ours: Sequence[_Comment]) -> _Past | None:
        """Where it could make a difference, and as far as GitHub tells it; None when some of ours are gone already."""
        heads = {self._mine.head, *(one.words.head for one in ours)}
        while self._questions and (self._changed or len(heads) > 1):
            try:
                return self._thread.past(self._questions[0], ours)
            except GitHubError:
                if not self._thread.has(ours):
                    return None
                del self._questions[0]
        return _Past()

    def _first(self) -> Posted:
        try:
            self._created = self._thread.create(self._mine)
        except GitHubError as error:
            refused = error.status is not None and error.status < 500
            if refused or self._lost:
                raise
            # It may have been made all the same: the next look tells.
            self._lost = True
            return Posted("", "none")
        self._written = True
        return Posted(self._created.url, "created")

    def _action(self, survivor: _Comment, *, kept: bool) -> Literal["created", "updated", "kept"]:
        if kept:
            return "kept"
        return "created" if self._is_created(survivor) else "updated"

    def _is_created(self, comment: _Comment) -> bool:
        return self._created is not None and comment.id == self._created.id

    def _change(self, comment: _Comment, text: str) -> bool:
        """False when it is gone."""
        self._written = self._thread.change(comment, text)
        self._changed = self._changed or self._written
        if not self._written:
            self._created = None
        return self._written

    def _delete(self, comment: _Comment) -> None:
        if self._is_created(comment):
            self._created = None
        self._thread.delete(comment)


@dataclass(frozen=True)
class _Thread:
    """The comments of one pull request, as far as they are ours by `key`."""

    github: Comments
    number: int
    key: str

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

    def past(self, question: str, ours: Sequence[_Comment]) -> _Past:
        """What these said before, by one of `_QUESTIONS`."""
        said: list[_Words] = []
        head = ""
        for node in self._nodes(question, [one.node_id for one in ours]):
            head = text(node, "pullRequest", "headRefOid") or head
            author, edits = at(node, "author"), at(node, "userContentEdits", "nodes")
            for edit in edits if isinstance(edits, list) else ():
                # GitHub names author and editor alike. A person may have edited it, whatever the marker says.
                if isinstance(author, Mapping) and at(edit, "editor") == author:
                    words = self._words(text(edit, "diff"))
                    said += [words] if words is not None else []
        return _Past(tuple(said), head)

    def has(self, ours: Sequence[_Comment]) -> bool:
        """Whether all of them are still there."""
        return self._listed().keys() >= {one.node_id for one in ours}

    def create(self, words: _Words) -> _Comment:
        """A new comment."""
        match self.github.post(self._path, {"body": words.body}, needs=_NEEDS):
            case {"id": int(number), "node_id": str(node_id), "html_url": str(url)}:
                return _Comment(number, node_id, url, words)
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

    def _nodes(self, query: str, ids: Sequence[str]) -> Iterator[JSON]:
        for start in range(0, len(ids), _BATCH):
            variables: JSONObject = {"ids": list(ids[start : start + _BATCH])}
            nodes = self.github.graphql(query, variables, needs=_NEEDS).get("nodes")
            yield from nodes if isinstance(nodes, list) else ()

    def _authored(self, marked: Mapping[str, _Comment]) -> Iterator[_Comment]:
        for node in self._nodes(_AUTHORSHIP, list(marked)):
            match node:
                case {"id": str(node_id), "body": str(body), "viewerDidAuthor": True} if node_id in marked:
                    words = self._words(body)
                    if words is not None:
                        yield replace(marked[node_id], words=words)

    def _marked(self, item: JSONObject) -> _Comment | None:
        """None for a comment without our marker."""
        match item:
            case {"id": int(number), "node_id": str(node_id), "html_url": str(url), "body": str(body)}:
                words = self._words(body)
                return _Comment(number, node_id, url, words) if words is not None else None
        return None

    def _words(self, body: str) -> _Words | None:
        """None unless the body begins with a marker of ours; further down it may quote what anybody wrote."""
        start = _keyed(self.key)
        found = _RUN.match(body, len(start)) if body.startswith(start) else None
        if found is None:
            return None
        return _Words(body, (int(found[1]), int(found[2])), found[3], final=found[4] is None)


def _path_of(comment: _Comment) -> str:
    return f"/issues/comments/{comment.id}"


def _keyed(key: str) -> str:
    # Without any dash of the key's, nothing in it ends the HTML comment.
    return f"<!-- llm-testbench comment={quote(key, safe='', errors='backslashreplace').replace('-', '%2D')}"


def _whole(line: str, body: bytes) -> bytes:
    # Markdown begins again after a blank line.
    return line.encode() + b"\n\n" + body
