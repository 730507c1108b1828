"""Answers GraphQL about comments, the viewer and git. Source of the errors' shape: answers of GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.contracts.graphql import github_graphql
from tests.contracts.graphql_document import Document, Field, GraphQLSyntaxError, Selection, Variable, parse
from tests.servers.github import grants, graphql_git, objects, people
from tests.servers.github.call import Answer, error
from tests.servers.github.graphql_git import RefusedError
from tests.servers.github.people import JSONObject
from tests.servers.github.repository import Repository
from tests.servers.github.site import Site
from tests.servers.github.state import Comment, Edit

# "You may not provide more than 100 node ids", seen in answers of GitHub.
MOST_IDS = 100
LARGEST_PAGE = 100


def answer(
    site: Site, repository: Repository, raw: bytes, *, signed_in: bool, granted: Mapping[str, str] | None = None
) -> tuple[Answer, list[str]]:
    """The answer to a query, and what is wrong with the query or the answer."""
    if not signed_in:
        return error(401, "This endpoint requires you to be authenticated."), []
    contract = github_graphql()
    try:
        body = json.loads(raw)
    except ValueError:
        return error(400, "Problems parsing JSON"), ["the body is not JSON"]
    problems = contract.request_problems(body)
    if problems:
        return error(400, "A query attribute must be specified and must be a string."), problems
    try:
        document = parse(body["query"])
    except GraphQLSyntaxError as fault:
        return Answer(200, {"errors": [{"message": str(fault)}]}), [str(fault)]
    variables = body.get("variables") or {}
    if not repository.keeps_edits and any(one.name == "userContentEdits" for one in _fields(document.selections)):
        message = "Field 'userContentEdits' doesn't exist on type 'IssueComment'"
        return Answer(200, {"errors": [{"message": message}]}), []
    refusals = contract.refusals(document, variables)
    if refusals:
        return Answer(200, {"errors": refusals}), [one["message"] for one in refusals]
    asked = frozenset(one.name for one in document.selections if isinstance(one, Field))
    forbidden = grants.query_refusal(asked, mutation=document.operation == "Mutation", granted=granted)
    if forbidden is not None:
        return forbidden, []
    data = _Execution(site, repository, document, variables).answer()
    return Answer(200, data), [f"answer: {one}" for one in contract.answer_problems(document, data)]


class _Execution:
    def __init__(self, site: Site, repository: Repository, document: Document, variables: Mapping[str, Any]) -> None:
        self._site = site
        self._repository = repository
        self._document = document
        self._variables = variables
        self._errors: list[JSONObject] = []

    def answer(self) -> JSONObject:
        try:
            if self._document.operation == "Mutation":
                data: Any = self._object(self._document.selections, self._mutation_field, "Mutation")
            else:
                data = self._object(self._document.selections, self._query_field)
        except RefusedError as refused:
            return {"data": None, "errors": [refused.fault]}
        return {"data": data, **({"errors": self._errors} if self._errors else {})}

    def _mutation_field(self, field: Field) -> Any:
        if field.name == "__typename":
            return "Mutation"
        graphql_git.update_refs(self._repository, self._value(field.arguments["input"]), [field.key])
        return self._chosen("UpdateRefsPayload", {"clientMutationId": None}, field.selections)

    def _query_field(self, field: Field) -> Any:
        if field.name == "__typename":
            return "Query"
        if field.name == "viewer":
            return self._chosen("User", self._person("User", self._repository.viewer), field.selections)
        if field.name == "rateLimit":
            limit = {"cost": 1, "limit": 1000, "nodeCount": 0, "remaining": 999, "resetAt": people.LONG_AGO, "used": 1}
            return self._chosen("RateLimit", limit, field.selections)
        if field.name == "repository":
            return self._git(field)
        if field.name == "node":
            return self._node(self._value(field.arguments["id"]), field.selections, [field.key])
        ids = self._value(field.arguments["ids"])
        ids = ids if isinstance(ids, list) else [ids]
        if len(ids) > MOST_IDS:
            message = f"You may not provide more than {MOST_IDS} node ids; you provided {len(ids)}."
            raise RefusedError({"type": "ARGUMENT_LIMIT", **_place(field, [field.key]), "message": message})
        return [self._node(one, field.selections, [field.key, at], field) for at, one in enumerate(ids)]

    def _git(self, field: Field) -> Any:
        owner, name = (self._value(field.arguments[one]) for one in ("owner", "name"))
        if (owner, name) != (self._site.owner, self._site.name):
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            self._errors.append({"type": "NOT_FOUND", "path": [field.key], "message": message})
            return None
        return self._chosen("Repository", graphql_git.repository(self._site, self._repository), field.selections)

    def _node(
        self, node_id: Any, selections: tuple[Selection, ...], path: list[str | int], field: Field | None = None
    ) -> Any:
        comments = (one for ones in self._repository.comments.values() for one in ones)
        found = next((one for one in comments if one.node_id == node_id), None)
        if found is None:
            message = f"Could not resolve to a node with the global id of '{node_id}'."
            self._errors.append({"type": "NOT_FOUND", "path": path, "message": message})
            return None
        return self._chosen("IssueComment", self._comment(found), selections)

    def _comment(self, one: Comment) -> JSONObject:
        return {
            "id": one.node_id,
            # An Int of GraphQL has 32 bits; GitHub gives null for a larger id.
            "databaseId": one.id if one.id < 2**31 else None,
            "fullDatabaseId": str(one.id),
            "viewerDidAuthor": one.author == self._repository.viewer,
            "viewerCanUpdate": True,
            "isMinimized": one.minimized,
            "minimizedReason": "outdated" if one.minimized else None,
            "body": one.body,
            "url": objects.comment_page(self._site, one),
            "createdAt": one.created_at,
            "updatedAt": one.updated_at,
            "author": self._actor(one.author),
            "editor": self._actor(one.edits[0].editor) if one.edits else None,
            "includesCreatedEdit": bool(one.edits),
            "lastEditedAt": one.edits[0].at if one.edits else None,
            "pullRequest": self._pull(one.number),
            "userContentEdits": [self._edit(edit) for edit in one.edits],
        }

    def _pull(self, number: int) -> JSONObject | None:
        pull = self._repository.pulls.get(number)
        if pull is None:
            return None
        return {
            "__typename": "PullRequest",
            "id": f"PR_fake{number}",
            "number": number,
            "headRefOid": pull.head_sha,
            "url": f"{self._site.html}/pull/{number}",
        }

    def _edit(self, edit: Edit) -> JSONObject:
        return {
            "__typename": "UserContentEdit",
            "id": f"UCE_fake{edit.id}",
            "createdAt": edit.at,
            "updatedAt": edit.at,
            "editedAt": edit.at,
            "deletedAt": edit.at if edit.body is None else None,
            "deletedBy": self._actor("octocat") if edit.body is None else None,
            "diff": edit.body,
            "editor": self._actor(edit.editor),
        }

    def _actor(self, login: str) -> JSONObject:
        # Here, unlike in REST and in `viewer`, a bot's login goes without [bot].
        return self._person("Bot" if login.endswith("[bot]") else "User", login.removesuffix("[bot]"))

    def _person(self, kind: str, login: str) -> JSONObject:
        shown = people.user(self._site, login)
        return {
            "__typename": kind,
            "id": shown["node_id"],
            "databaseId": shown["id"] % 2**31,
            "login": login,
            "name": None,
            "resourcePath": f"/{login}",
            "url": shown["html_url"],
        }

    def _chosen(self, kind: str, everything: JSONObject, selections: tuple[Selection, ...]) -> JSONObject:
        def of_field(field: Field) -> Any:
            value: Any = kind if field.name == "__typename" else everything[field.name]
            if field.name == "userContentEdits":
                value = self._connection("UserContentEditConnection", value, field)
            if callable(value):
                value = value(**{name: self._value(one) for name, one in field.arguments.items()})
            if isinstance(value, list):
                return [self._chosen(one["__typename"], one, field.selections) for one in value]
            return self._chosen(value["__typename"], value, field.selections) if isinstance(value, dict) else value

        return self._object(selections, of_field, kind)

    def _connection(self, kind: str, everything: list[JSONObject], field: Field) -> JSONObject:
        """The first so many; a page from elsewhere is not played. Source of the words: answers of GitHub."""
        first = self._value(field.arguments.get("first"))
        if first is None:
            message = f"You must provide a `first` or `last` value to properly paginate the `{field.name}` connection."
            raise RefusedError(
                {"type": "MISSING_PAGINATION_BOUNDARIES", **_place(field, [field.key]), "message": message}
            )
        if not 1 <= first <= LARGEST_PAGE:
            message = (
                f"Requesting {first} records on the `{field.name}` connection exceeds the `first` limit of"
                f" {LARGEST_PAGE} records."
            )
            raise RefusedError({"type": "EXCESSIVE_PAGINATION", **_place(field, [field.key]), "message": message})
        return {"__typename": kind, "nodes": everything[:first], "totalCount": len(everything)}

    def _object(self, selections: tuple[Selection, ...], of_field: Any, kind: str = "Query") -> JSONObject:
        made: JSONObject = {}
        for one in selections:
            if isinstance(one, Field):
                made[one.key] = of_field(one)
            elif kind in github_graphql().possible(one.on):
                made |= self._object(one.selections, of_field, kind)
        return made

    def _value(self, value: Any) -> Any:
        if isinstance(value, Variable):
            return self._variables.get(value.name)
        return [self._value(one) for one in value] if isinstance(value, list) else value


def _fields(selections: tuple[Selection, ...]) -> Iterator[Field]:
    for one in selections:
        if isinstance(one, Field):
            yield one
        yield from _fields(one.selections)


def _place(field: Field, path: list[str | int]) -> JSONObject:
    return {"path": path, "locations": [{"line": field.line, "column": field.column}]}
