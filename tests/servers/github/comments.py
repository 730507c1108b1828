"""Comments on issues and pull requests. Source: GitHub's documentation, "REST API endpoints for issue comments"."""

from __future__ import annotations

from tests.servers.github import objects
from tests.servers.github.call import Answer, Call, Endpoint, invalid, listed, not_found
from tests.servers.github.state import Comment

# GitHub's message speaks of characters; how it counts is not documented, so the stricter reading.
LONGEST_BODY = 65_536


def _list(call: Call) -> Answer:
    since = call.query.get("since", "")
    found = [one for one in call.repository.comments.get(call.number("issue_number"), ()) if one.updated_at >= since]
    return listed(call, sorted(found, key=lambda one: one.id), lambda one: objects.comment(call.site, one))


def _create(call: Call) -> Answer:
    body = call.body["body"]
    fault = _body_fault(body)
    if fault is not None:
        return fault
    number = call.number("issue_number")
    made = call.repository.add_comment(number, body, author=call.repository.viewer)
    shown = objects.comment(call.site, call.repository.comments[number][-1])
    return Answer(201, shown, {"Location": f"{call.site.repo}/issues/comments/{made}"})


def _get(call: Call) -> Answer:
    found = _comment(call)
    return not_found() if found is None else Answer(200, objects.comment(call.site, found))


def _update(call: Call) -> Answer:
    found = _comment(call)
    if found is None:
        return not_found()
    fault = _body_fault(call.body["body"])
    if fault is not None:
        return fault
    call.repository.edit_comment(found, call.body["body"], editor=call.repository.viewer)
    return Answer(200, objects.comment(call.site, found))


def _delete(call: Call) -> Answer:
    found = _comment(call)
    if found is None:
        return not_found()
    call.repository.comments[found.number].remove(found)
    return Answer(204)


def _comment(call: Call) -> Comment | None:
    wanted = call.number("comment_id")
    return next((one for ones in call.repository.comments.values() for one in ones if one.id == wanted), None)


def _body_fault(body: str) -> Answer | None:
    if not body.strip():
        return invalid("IssueComment", "body", "missing_field", "body can't be blank")
    if len(body.encode()) > LONGEST_BODY:
        return invalid("IssueComment", "body", "unprocessable", "body is too long (maximum is 65536 characters)")
    return None


ENDPOINTS: dict[str, Endpoint] = {
    "issues/list-comments": _list,
    "issues/create-comment": _create,
    "issues/get-comment": _get,
    "issues/update-comment": _update,
    "issues/delete-comment": _delete,
}
