"""The file that a finished run left behind, as bytes that nobody trusts: from the disk, or from GitHub."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from llm_testbench.artifact.hostile import MAX_PACKED, MAX_UNPACKED
from llm_testbench.github.answers import number, sha, text
from llm_testbench.github.api import JSON_TYPE, GitHub, GitHubError, OversizedAnswerError
from llm_testbench.github.one_file import ArchiveError, one_file
from llm_testbench.github.pull_lookup import TriggeringRun
from llm_testbench.json_value import JSONObject

RESULTS_NAME = "llm-testbench-results"
"""What the first stage calls its workflow artifact."""
FILE_NAMES = ("artifact.json.gz", "artifact.json")
"""What is looked for in it, at its top."""

_NEEDS = "actions: read"
_ZIP = b"PK"
_GONE = frozenset({404, 410})
_TOO_LARGE = f"is larger than {MAX_PACKED >> 20} MiB"


class ResultsError(ValueError):
    """There is no such file, or it cannot be used; a few words that quote nothing of it."""


def from_file(path: Path) -> bytes:
    """A regular file: .json, .json.gz, or the .zip in which GitHub keeps workflow artifacts. ResultsError."""
    try:
        # A link may lead anywhere on this machine, and whoever packed the file may have put one there.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ResultsError("there is no such file") from None
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise ResultsError(f"cannot be read: {why}") from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise ResultsError("cannot be read: it is no file")
    with os.fdopen(opened, "rb") as file:
        try:
            return unpacked(file.read(MAX_PACKED + 1))
        except OSError as error:
            raise ResultsError(f"cannot be read: {error.strerror or error}") from None


def from_run(github: GitHub, run: TriggeringRun) -> bytes:
    """The newest that this attempt of the run left under the agreed name. ResultsError, GitHubError."""
    path = f"/actions/runs/{run.id}/artifacts"
    items = github.pages(path, "artifacts", needs=_NEEDS, name=RESULTS_NAME)
    found = [item for item in items if _is_of(item, run)]
    if not found:
        raise ResultsError(f"run {run.id} left none behind in its attempt {run.attempt}")
    newest = max(found, key=lambda item: (text(item, "created_at"), number(item, "id")))
    if number(newest, "size_in_bytes") > MAX_PACKED:
        raise ResultsError(_TOO_LARGE)
    try:
        return unpacked(
            github.download(f"/actions/artifacts/{number(newest, 'id')}/zip", MAX_PACKED, JSON_TYPE, needs=_NEEDS)
        )
    except OversizedAnswerError:
        raise ResultsError(_TOO_LARGE) from None
    except GitHubError as error:
        if error.status not in _GONE:
            raise
        raise ResultsError(f"its file is gone: {error}") from None


def unpacked(data: bytes) -> bytes:
    """The one file of an archive, else the bytes as they are; ResultsError."""
    if len(data) > MAX_PACKED:
        raise ResultsError(_TOO_LARGE)
    if not data.startswith(_ZIP):
        return data
    try:
        return one_file(data, FILE_NAMES, MAX_UNPACKED)
    except ArchiveError as error:
        raise ResultsError(str(error)) from None


def _is_of(item: JSONObject, run: TriggeringRun) -> bool:
    """Of this run, this commit, and this attempt: those before it have left theirs under the same name."""
    return (
        text(item, "name") == RESULTS_NAME
        and item.get("expired") is False
        and number(item, "id") > 0
        and number(item, "workflow_run", "id") == run.id
        and number(item, "workflow_run", "repository_id") == run.repository_id
        and sha(item, "workflow_run", "head_sha") == run.head_sha
        and text(item, "created_at") >= run.began
    )
