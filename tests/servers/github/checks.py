"""Check runs of a commit. Source: GitHub's documentation, "REST API endpoints for check runs"."""

from __future__ import annotations

from tests.servers.github import objects
from tests.servers.github.call import Answer, Call, Endpoint, counted, error, invalid, not_found
from tests.servers.github.state import CheckRun

APP = "github-actions"  # whose token a job has
LONGEST_SUMMARY = 65_535
LONGEST_TITLE = 255
LONGEST_MESSAGE = 64 * 1024  # bytes, of an annotation
MOST_ANNOTATIONS = 50  # a request


def _list(call: Call) -> Answer:
    name, every = call.query.get("check_name"), call.query.get("filter") == "all"
    found = [
        one
        for one in call.repository.checks.values()
        if one.head_sha == call.parameters["ref"] and (name is None or one.name == name)
    ]
    newest_first = sorted(found, key=lambda one: one.id, reverse=True)
    if not every:
        # The most recent one of a name and app.
        newest_first = list({(one.name, one.app): one for one in reversed(newest_first)}.values())
    return counted(call, "check_runs", newest_first, lambda one: objects.check_run(call.site, one))


def _create(call: Call) -> Answer:
    fault = _fault(call)
    if fault is not None:
        return fault
    made = call.repository.add_check(call.body["name"], call.body["head_sha"])
    _change(call, made)
    return Answer(201, objects.check_run(call.site, made))


def _update(call: Call) -> Answer:
    found = call.repository.checks.get(call.number("check_run_id"))
    if found is None:
        return not_found()
    if found.app != APP:
        return error(403, "Resource not accessible by integration")
    fault = _fault(call)
    if fault is not None:
        return fault
    _change(call, found)
    return Answer(200, objects.check_run(call.site, found))


def _change(call: Call, one: CheckRun) -> None:
    for key in ("name", "status", "conclusion", "details_url", "external_id"):
        if key in call.body:
            setattr(one, key, call.body[key])
    if "conclusion" in call.body:
        one.status, one.completed_at = "completed", call.repository.now()
    output = call.body.get("output", {})
    for key in ("title", "summary", "text"):
        if key in output:
            setattr(one, key, output[key])
    one.annotations += output.get("annotations", ())


def _fault(call: Call) -> Answer | None:
    if call.body.get("status") == "completed" and "conclusion" not in call.body:
        return invalid("CheckRun", "conclusion", "missing_field")
    output = call.body.get("output", {})
    if len(output.get("title", "").encode()) > LONGEST_TITLE:
        return invalid("CheckRun", "title", "unprocessable", "title is too long (maximum is 255 characters)")
    if len(output.get("summary", "").encode()) > LONGEST_SUMMARY:
        return invalid("CheckRun", "summary", "unprocessable", "summary exceeds a maximum bytesize of 65535")
    annotations = output.get("annotations", [])
    if len(annotations) > MOST_ANNOTATIONS:
        return invalid("CheckRun", "annotations", "unprocessable", "annotations exceeds a maximum quantity of 50")
    for one in annotations:
        long = len(one["message"].encode()) > LONGEST_MESSAGE or len(one.get("title", "").encode()) > LONGEST_TITLE
        if long or not one["path"] or one["start_line"] < 1 or one["end_line"] < one["start_line"]:
            return invalid("CheckRunAnnotation", "data", "invalid")
    return None


ENDPOINTS: dict[str, Endpoint] = {
    "checks/list-for-ref": _list,
    "checks/create": _create,
    "checks/update": _update,
}
