"""The check run that a gate leaves on the commit that it measured: verdict, report, marked lines.

It is made when all is known, and ended at once: a gate that dies leaves none that is "in progress" forever. GitHub
shows the newest one of a name.

Source of the rules: docs.github.com, "REST API endpoints for check runs".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from llm_testbench.compare.exit_code import PASSED, exit_code
from llm_testbench.compare.headline import SELF_REPORTED
from llm_testbench.compare.model import Comparison, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.github.answers import number, text
from llm_testbench.github.api import GitHubError
from llm_testbench.json_value import JSON, JSONObject

SUMMARY_LIMIT = 65_535  # bytes
TITLE_LIMIT = 255  # GitHub speaks of characters, which are never fewer bytes
MESSAGE_LIMIT = 64 * 1024  # bytes, of an annotation
BATCH = 50  # annotations a request
MOST = 500  # annotations a check run: ten requests

NEEDS = "checks: write"
_NAME = "llm-testbench"
_RUN = re.compile(r"([0-9]{1,20})/([0-9]{1,20})")

Conclusion: TypeAlias = Literal["success", "failure", "neutral", "skipped"]


class Checks(Protocol):
    """What is used of `api.GitHub`, with its errors."""

    def pages(self, path: str, key: str | None = None, *, needs: str, **params: str | int) -> Iterator[JSONObject]:
        """Every item of every page."""

    def post(self, path: str, body: JSONObject, /, *, needs: str) -> JSON:
        """Creates something."""

    def patch(self, path: str, body: JSONObject, /, *, needs: str, repeatable: bool = True) -> JSON:
        """Changes something."""


@dataclass(frozen=True)
class Annotation:
    """Words at a line of a file, which is named from the root of the repository."""

    path: str
    line: int
    level: Literal["failure", "warning"]
    title: str
    message: str


@dataclass(frozen=True)
class Check:
    """`run`: id and attempt of the workflow run. `url`: its page, or ""."""

    name: str
    sha: str
    run: tuple[int, int]
    url: str
    conclusion: Conclusion
    title: str
    summary: str


@dataclass(frozen=True)
class Left:
    """`url`: its page. `marked`: how many of the annotations it holds. `trouble`: why it holds no more, or "".

    `kept`: a later attempt of the same run has left one already, and that keeps its words.
    """

    url: str
    marked: int = 0
    trouble: str = ""
    kept: bool = False


def conclusion(comparison: Comparison, options: GateOptions) -> Conclusion:
    """`failure` where, and only where, the command ends with another exit code than 0."""
    if exit_code(comparison, options) != PASSED:
        return "failure"
    match comparison.verdict:
        case Verdict.PASS:
            # No green tick for figures that belong to whoever is judged by them.
            made_up = any(warning.code == SELF_REPORTED for warning in comparison.warnings)
            return "neutral" if made_up else "success"
        case Verdict.NO_BASELINE:
            return "success" if comparison.role == "record" else "neutral"
        case Verdict.FAIL | Verdict.INCONCLUSIVE:
            return "neutral"
        case Verdict.SKIPPED:
            return "skipped"


def name_of(key: str) -> str:
    """One name for each `comment_key`."""
    return _NAME if key == "default" else f"{_NAME} ({key})"


def leave(github: Checks, check: Check, annotations: Sequence[Annotation]) -> Left:
    """Leaves the check run, then its annotations, BATCH by BATCH. Raises GitHubError when there is none.

    An earlier attempt's of the same run is written over, unless it has annotations: GitHub only ever adds to them, and
    old marks would stand beside new words. Then a new one takes its place.
    """
    ours = list(_ours(github, check))
    if any(attempt > check.run[1] for _, attempt in ours):
        return Left(next(text(one, "html_url") for one, attempt in ours if attempt > check.run[1]), kept=True)
    made = _written(github, check, [one for one, _ in ours])
    address = f"/check-runs/{number(made, 'id')}"
    marked = 0
    for start in range(0, min(len(annotations), MOST), BATCH):
        batch = annotations[start : start + BATCH]
        output = {**_output(check), "annotations": [_annotation(one) for one in batch]}
        try:
            # Not repeatable: what arrived twice would stand there twice.
            github.patch(address, {"output": output}, needs=NEEDS, repeatable=False)
        except GitHubError as error:
            return Left(text(made, "html_url"), marked, str(error))
        marked += len(batch)
    return Left(text(made, "html_url"), marked)


def _ours(github: Checks, check: Check) -> Iterator[tuple[JSONObject, int]]:
    """All that this workflow run has left under this name, with the attempt that did."""
    path = f"/commits/{check.sha}/check-runs"
    for item in github.pages(path, "check_runs", needs=NEEDS, check_name=check.name, filter="all"):
        # A job of the same name has a check run, too, of GitHub's own making, with another external id.
        found = _RUN.fullmatch(text(item, "external_id"))
        if found is not None and int(found[1]) == check.run[0] and text(item, "name") == check.name:
            yield item, int(found[2])


def _written(github: Checks, check: Check, before: Sequence[JSONObject]) -> JSON:
    """The check run as GitHub answers with it."""
    for one in sorted(before, key=lambda one: number(one, "id"), reverse=True)[:1]:
        if number(one, "output", "annotations_count") == 0:
            try:
                return github.patch(f"/check-runs/{number(one, 'id')}", _body(check), needs=NEEDS)
            except GitHubError as error:
                if error.status not in (403, 404):  # somebody else's, or gone
                    raise
    made = _created(github, check, {number(one, "id") for one in before})
    if number(made, "id") == 0:
        raise GitHubError("POST /check-runs: the answer is no check run")
    return made


def _created(github: Checks, check: Check, known: Set[int]) -> JSON:
    body: JSONObject = {**_body(check), "head_sha": check.sha}
    try:
        return github.post("/check-runs", body, needs=NEEDS)
    except GitHubError as error:
        if error.status is not None and error.status < 500:
            raise
    # It may have been made all the same, and only the answer was lost.
    there = [one for one, attempt in _ours(github, check) if attempt == check.run[1] and number(one, "id") not in known]
    return there[0] if there else github.post("/check-runs", body, needs=NEEDS)


def _body(check: Check) -> JSONObject:
    address = {"details_url": check.url} if check.url else {}
    return {
        "name": check.name,
        "external_id": f"{check.run[0]}/{check.run[1]}",
        "status": "completed",
        "conclusion": check.conclusion,
        "output": _output(check),
        **address,
    }


def _output(check: Check) -> JSONObject:
    return {"title": check.title, "summary": check.summary}


def _annotation(one: Annotation) -> JSONObject:
    line = max(one.line, 1)
    return {
        "path": one.path,
        "start_line": line,
        "end_line": line,
        "annotation_level": one.level,
        "title": one.title,
        "message": one.message,
    }
