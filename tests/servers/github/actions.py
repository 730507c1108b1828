"""Workflow runs and artifacts. Source: GitHub's documentation, "REST API endpoints for GitHub Actions artifacts"."""

from __future__ import annotations

from tests.servers.github import objects
from tests.servers.github.call import Answer, Call, Endpoint, counted, error, not_found
from tests.servers.github.people import JSONObject
from tests.servers.github.state import Recording
from tests.servers.github.storage import recording_address


def _list(call: Call) -> Answer:
    return _listed(call, list(call.repository.recordings.values()))


def _list_of_run(call: Call) -> Answer:
    run_id = call.number("run_id")
    if run_id not in call.repository.runs:
        return not_found()
    return _listed(call, [one for one in call.repository.recordings.values() if one.run_id == run_id])


def _listed(call: Call, recordings: list[Recording]) -> Answer:
    name = call.query.get("name")
    found = [one for one in recordings if name is None or one.name == name]
    newest_first = sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)
    return counted(call, "artifacts", newest_first, lambda one: _shown(call, one))


def _shown(call: Call, one: Recording) -> JSONObject:
    return objects.recording(call.site, one, call.repository.runs[one.run_id])


def _get(call: Call) -> Answer:
    found = call.repository.recordings.get(call.number("artifact_id"))
    return not_found() if found is None else Answer(200, _shown(call, found))


def _download(call: Call) -> Answer:
    found = call.repository.recordings.get(call.number("artifact_id"))
    if not call.signed_in:
        return error(401, "Requires authentication")
    if found is None or call.parameters["archive_format"] != "zip":
        return not_found()
    if found.expired:
        return error(410, "Artifact has expired")
    return Answer(302, None, {"Location": recording_address(call.site, found.id)})


def _list_runs(call: Call) -> Answer:
    wanted = {key: call.query[key] for key in ("head_sha", "event") if key in call.query}
    if "branch" in call.query:
        wanted["head_branch"] = call.query["branch"]
    runs = [
        one
        for one in call.repository.runs.values()
        if all(getattr(one, key) == value for key, value in wanted.items())
        and call.query.get("status", "success") in {"success", "completed"}
    ]
    newest_first = sorted(runs, key=lambda one: (one.created_at, one.id), reverse=True)
    return counted(call, "workflow_runs", newest_first, lambda one: objects.workflow_run(call.site, one))


def _get_run(call: Call) -> Answer:
    found = call.repository.runs.get(call.number("run_id"))
    return not_found() if found is None else Answer(200, objects.workflow_run(call.site, found))


ENDPOINTS: dict[str, Endpoint] = {
    "actions/list-artifacts-for-repo": _list,
    "actions/list-workflow-run-artifacts": _list_of_run,
    "actions/get-artifact": _get,
    "actions/download-artifact": _download,
    "actions/list-workflow-runs-for-repo": _list_runs,
    "actions/get-workflow-run": _get_run,
}
