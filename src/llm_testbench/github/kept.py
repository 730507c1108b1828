"""Keeps a recording on a branch, beside those of other commits.

The whole branch is one commit without parents, so that it does not grow with what it no longer holds. It is moved only
from where it was seen: GraphQL's `updateRefs` compares and moves at once (docs.github.com, "GraphQL: Git"; GitHub
Enterprise Server since 3.16 at the latest). Who comes second begins again with what the first one left.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from llm_testbench.gateway.failures import one_line
from llm_testbench.github.answers import at, is_sha, number, sha, text
from llm_testbench.github.api import GitHub, GitHubError
from llm_testbench.github.wanted import KEPT
from llm_testbench.json_value import JSON, JSONObject

MAX_BYTES = 25 * 1024 * 1024
"""Of one recording: GitHub takes 100 MB in base64, and a branch holds many."""
MOST_TRIES = 30
MOST_REFUSALS = 3
FIRST_PAUSE = 0.5  # seconds; doubles with each try up to the longest, and chance takes a part of it
LONGEST_PAUSE = 5.0

_NEEDS = "contents: write"
_MAX_NAME = 120  # characters in a message
_DATES_AT_ONCE = 100
_PLAIN = frozenset({0o100644, 0o100755})  # git's modes of a file that is no link
_FINAL = frozenset({401, 403, 404})
_BY_NAME = "owner: $owner, name: $name"
_ENTRY = "name type mode oid"
_ENTRIES = f"entries {{ {_ENTRY} object {{ ... on Tree {{ entries {{ {_ENTRY} }} }} }} }}"
_READ = f"""query Kept($owner: String!, $name: String!, $ref: String!) {{
  repository({_BY_NAME}) {{
    id
    ref(qualifiedName: $ref) {{ target {{ oid ... on Commit {{ tree {{ {_ENTRIES} }} }} }} }}
  }}
}}"""
_MOVE = "mutation Keep($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"


@dataclass(frozen=True)
class _Folder:
    """What is kept of one commit. `tree`: its hash in git; `files`: those of its files by name."""

    tree: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class _Branch:
    """As it was seen. `repository`: GraphQL's id; `head`: "" where there is no such branch; `folders`: by commit."""

    repository: str
    head: str
    folders: Mapping[str, _Folder]


class _MovedError(GitHubError):
    """Somebody else was quicker."""


class _HopelessError(GitHubError):
    """Another try would come to the same."""


class _Refusals:
    """Counts what was refused without a reason that is known here."""

    def __init__(self) -> None:
        self._count = 0

    def last(self, error: GitHubError) -> bool:
        """Whether there is no point in trying again after this one."""
        self._count += error.status is not None and error.status < 500 and not isinstance(error, _MovedError)
        return isinstance(error, _HopelessError) or error.status in _FINAL or self._count >= MOST_REFUSALS


def keep(github: GitHub, branch: str, asset: str, data: bytes, *, chance: Callable[[], float] = random.random) -> str:
    """Keeps `data` as the recording of the event's commit and returns its address for a browser.

    The newest `KEPT` commits stay. Doing it again with the same bytes changes nothing. Raises GitHubError: what other
    recorders keep, and what stands on the branch and is no recording, is never lost.
    """
    _check(github, branch, asset, data)
    keeper, refusals = _Keeper(github, branch, asset, data), _Refusals()
    tries = 0
    while True:
        try:
            keeper.attempt()
        except GitHubError as error:
            # All that were too late once would be too late together again.
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**tries) * chance()
            tries += 1
            if refusals.last(error) or tries == MOST_TRIES or not github.wait(pause):
                raise
        else:
            event = github.event
            file = f"{event.sha}/{quote(asset, safe='')}"
            return f"{event.server_url}/{event.repository}/blob/{quote(branch)}/{file}"


def _check(github: GitHub, branch: str, asset: str, data: bytes) -> None:
    event = github.event
    if not event.sha:
        raise GitHubError("the commit that was measured is not known: set GITHUB_SHA")
    if branch == event.default_branch or event.ref == f"refs/heads/{branch}":
        raise GitHubError("this branch holds the code: name another one, which holds nothing else, in record_to")
    if len(data) > MAX_BYTES:
        packed = "" if asset.endswith(".gz") else ", or an asset whose name ends in .gz"
        raise GitHubError(
            f"the recording has {len(data) / 1024 / 1024:.0f} MiB, and a branch takes {MAX_BYTES >> 20} MiB of one:"
            f" store_responses: failed makes it smaller{packed}"
        )


class _Keeper:
    """One recording on its way to the branch."""

    def __init__(self, github: GitHub, branch: str, asset: str, data: bytes) -> None:
        self._github = github
        self._branch = branch
        self._asset = asset
        self._data = data
        self._commit = github.event.sha
        self._blob = ""
        owner, _, name = github.event.repository.partition("/")
        self._repository = {"owner": owner, "name": name}

    def attempt(self) -> None:
        """Done, or GitHubError and nothing was changed."""
        if not self._blob:
            content = base64.b64encode(self._data).decode()
            self._blob = self._created("blobs", {"content": content, "encoding": "base64"})
        seen = self._seen()
        own = seen.folders.get(self._commit)
        if own is not None and own.files.get(self._asset) == self._blob:
            return
        tree = self._created("trees", {"tree": list(self._entries(seen))})
        message = f"Recordings, the latest of {self._commit}"
        commit = self._created("commits", {"message": message, "tree": tree, "parents": []})
        self._move(seen, commit)

    def _created(self, kind: str, body: JSONObject) -> str:
        made = sha(self._github.post(f"/git/{kind}", body, needs=_NEEDS), "sha")
        if not made:
            raise GitHubError(f"POST /git/{kind}: the answer names no object")
        return made

    def _seen(self) -> _Branch:
        variables = {**self._repository, "ref": f"refs/heads/{self._branch}"}
        found = at(self._github.graphql(_READ, variables, needs=_NEEDS), "repository")
        repository, ref = text(found, "id"), at(found, "ref")
        if not repository:
            raise _HopelessError("GitHub does not show the repository to this token")
        if ref is None:
            return _Branch(repository, "", {})
        head, entries = sha(ref, "target", "oid"), at(ref, "target", "tree", "entries")
        if not head or not isinstance(entries, list):
            raise GitHubError("GitHub does not show what is on the branch")
        return _Branch(repository, head, dict(self._folder(entry) for entry in entries))

    def _folder(self, entry: JSON) -> tuple[str, _Folder]:
        """The folder of a commit; GitHubError for anything else: a branch that is not ours is left alone."""
        commit, files = text(entry, "name"), at(entry, "object", "entries")
        if text(entry, "type") != "tree" or not is_sha(commit):
            raise self._foreign(commit)
        if not isinstance(files, list):
            raise GitHubError("GitHub does not show what is on the branch")
        for file in files:
            if text(file, "type") != "blob" or number(file, "mode") not in _PLAIN:
                raise self._foreign(f"{commit}/{text(file, 'name')}")
        return commit, _Folder(sha(entry, "oid"), {text(file, "name"): sha(file, "oid") for file in files})

    def _foreign(self, path: str) -> GitHubError:
        shown = one_line(path, _MAX_NAME)
        return _HopelessError(
            f"{shown} on it is no recording, so the branch is left as it is: name one in record_to that holds nothing"
            " else, or does not exist"
        )

    def _entries(self, seen: _Branch) -> Iterator[JSONObject]:
        """The branch as it is to be."""
        for commit in self._newest(seen):
            yield {"path": commit, "mode": "040000", "type": "tree", "sha": seen.folders[commit].tree}
        own = seen.folders.get(self._commit)
        files = {**(own.files if own is not None else {}), self._asset: self._blob}
        for name, blob in files.items():
            yield {"path": f"{self._commit}/{name}", "mode": "100644", "type": "blob", "sha": blob}

    def _newest(self, seen: _Branch) -> list[str]:
        """The other commits that stay; of those that are gone from the repository, none before the others."""
        others = sorted(seen.folders.keys() - {self._commit})
        if len(others) < KEPT:
            return others
        dates = self._dates(others)
        return sorted(others, key=lambda commit: (dates.get(commit, ""), commit))[-(KEPT - 1) :]

    def _dates(self, commits: Sequence[str]) -> dict[str, str]:
        """When each was committed, RFC 3339 in UTC; "" where the repository does not know it."""
        dates: dict[str, str] = {}
        for start in range(0, len(commits), _DATES_AT_ONCE):
            some = commits[start : start + _DATES_AT_ONCE]
            asked = " ".join(
                f'c{commit}: object(oid: "{commit}") {{ ... on Commit {{ committedDate }} }}' for commit in some
            )
            query = f"query Dates($owner: String!, $name: String!) {{ repository({_BY_NAME}) {{ {asked} }} }}"
            found = self._github.graphql(query, self._repository, needs=_NEEDS)
            dates |= {commit: text(found, "repository", f"c{commit}", "committedDate") for commit in some}
        return dates

    def _move(self, seen: _Branch, commit: str) -> None:
        nothing = "0" * len(commit)
        move = {"name": f"refs/heads/{self._branch}", "beforeOid": seen.head or nothing, "afterOid": commit}
        wanted: JSONObject = {"repositoryId": seen.repository, "refUpdates": [{**move, "force": True}]}
        try:
            self._github.graphql(_MOVE, {"input": wanted}, needs=_NEEDS)
        except GitHubError as error:
            # The words of a refusal are not documented: where the branch stands now tells what it was. If it is there
            # where it was to go, and only the answer was lost, the next attempt finds nothing to do.
            if self._seen().head != seen.head:
                raise _MovedError(f"others were quicker each time: {error}", error.status) from None
            if error.status is None or error.status >= 500:
                raise
            raise GitHubError(
                f'{error}; the branch may be protected: let whoever has the token force-push it, or "{_NEEDS}" is'
                f" missing, or this server is older than GitHub Enterprise Server 3.16",
                error.status,
            ) from None
