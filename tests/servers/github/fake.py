"""The fake GitHub: one repository behind a real HTTP server, its storage behind another."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl

from tests.contracts.openapi import Match, github
from tests.servers.github import actions, checks, comments, commits, contents, grants, graphql, releases, storage
from tests.servers.github.call import Answer, Call, Endpoint, error, not_found, refused
from tests.servers.github.faults import CUT, Fault
from tests.servers.github.http import JSON_TYPE, Answerer, HTTPServer, Request, payload
from tests.servers.github.repository import Repository
from tests.servers.github.site import REPOSITORY_ID, Site

TOKEN = "ghs_fake0123456789"
RATE_LIMIT = 1000
API_VERSIONS = ("2022-11-28",)

_ENDPOINTS: dict[str, Endpoint] = {
    **releases.ENDPOINTS,
    **comments.ENDPOINTS,
    **actions.ENDPOINTS,
    **contents.ENDPOINTS,
    **commits.ENDPOINTS,
    **checks.ENDPOINTS,
}
_MEDIA = re.compile(r"\*/\*|application/(\*|json|vnd\.github(\.[\w.-]+)?(\+json)?)")
_UPLOADS = "/uploads"


@dataclass(frozen=True)
class Seen:
    """One request as it came in. Header names are in lower case; `body`: JSON if it is some, else bytes, else None."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class _Handled:
    """An answer with what stood against GitHub's description before it was sent."""

    answer: Answer
    match: Match | None = None
    call: Call | None = None
    problems: list[str] = field(default_factory=list)
    checked: bool = True


class FakeGitHub(Repository):
    """GitHub with one repository, in threads of its own::

        with FakeGitHub() as github:
            github.add_release("v1.0.0", assets={"baseline.json.gz": data})
            ask(github.url, github.token)        # http://127.0.0.1:PORT; github.environ for a process
            github.requests[0].path, github.comments[7][0].body
            assert github.problems == []         # requests and answers against GitHub's own description

    `fail` makes requests fail; `delay` says for a request how many seconds pass before it takes effect, and until its
    answer is sent; `remaining = 0` exhausts the rate limit; `granted` says what the token may do (`{"contents":
    "read"}`; None: anything); `storage_requests` are those to the storage, which refuses an Authorization header. What
    the state holds and `add_…` do: see Repository.
    """

    def __init__(
        self,
        repository: str = "octo/shop",
        *,
        default_branch: str = "main",
        private: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(default_branch=default_branch, private=private)
        self.token = TOKEN
        self.requests: list[Seen] = []
        self.storage_requests: list[Seen] = []
        self.problems: list[str] = []
        self.remaining = RATE_LIMIT
        self.granted: Mapping[str, str] | None = None
        self.delay: Callable[[Request], tuple[float, float]] | None = None
        self._repository = repository
        self._host, self._port = host, port
        self._faults: list[Fault] = []
        self._lock = threading.RLock()
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        self._api = self._server(self._port, self._answer)
        self._storage = self._server(0, self._download)
        self.site = self._site(self._api.url, self._storage.url, *self._repository.split("/"))
        self._api.start()
        self._storage.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._api.stop()
        self._storage.stop()

    def _server(self, port: int, answer: Answerer) -> HTTPServer:
        return HTTPServer(self._host, port, answer)

    def _site(self, api: str, storage: str, owner: str, name: str) -> Site:
        return Site(api, storage, owner, name)

    def _inside(self, request: Request) -> Request:
        """The request with the path that it would have at github.com, where another server has others."""
        return request

    def _outside(self, answer: Answer) -> Answer:
        """The answer as this server gives it, where it differs from that of github.com."""
        return answer

    @property
    def url(self) -> str:
        """The API."""
        return self.site.url

    @property
    def _graphql_url(self) -> str:
        return f"{self.url}/graphql"

    @property
    def environ(self) -> dict[str, str]:
        """What a job's environment says about where GitHub is."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_GRAPHQL_URL": self._graphql_url,
            "GITHUB_SERVER_URL": self.site.server,
            "GITHUB_REPOSITORY": self._repository,
        }

    def fail(
        self,
        method: str,
        path_regex: str,
        status: int,
        *,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
        body: object = None,
        delay: float = 0.0,
        after: bool = False,
    ) -> None:
        """The next `times` requests whose path (storage and GraphQL too) matches get this answer, `delay` seconds late.

        Status 0: the connection is closed without an answer. `body`: bytes as they are, None a plausible error, all
        else as JSON. `after`: the request takes effect, and only its answer is lost. A given body, and a status that
        GitHub does not declare, are not held against the contract. 5xx on an upload leaves a starter asset.
        """
        assert 0 <= delay < 1, "tests do not sleep"
        fault = Fault(method, re.compile(path_regex), status, times, headers or {}, body, delay, after)
        with self._lock:
            self._faults.append(fault)

    def _answer(self, request: Request) -> Answer | None:
        before, after = self.delay(request) if self.delay is not None else (0.0, 0.0)
        assert max(before, after) < 1, "tests do not sleep"
        self._stopping.wait(before)
        with self._lock:
            self.requests.append(_seen(request))
            request = self._inside(request)
            fault = self._due(request)
            handled = self._handled(request, fault)
            answer = self._with_headers(handled.answer, request)
            label = f"{request.method} {request.path}"
            self.problems += [f"{label}: {one}" for one in handled.problems]
            if handled.match is not None and handled.checked:
                found = github().answer_problems(handled.match, answer.status, _lower(answer), payload(answer))
                self.problems += [f"{label}: answer {answer.status}: {one}" for one in found]
        self._stopping.wait(after)
        return self._late(self._outside(answer), fault)

    def _download(self, request: Request) -> Answer | None:
        with self._lock:
            self.storage_requests.append(_seen(request))
            fault = self._due(request)
            answer = storage.download(self, request.path, request.query, request.headers)
            if "authorization" in request.headers:
                self.problems.append(f"{request.method} {request.path}: the token was sent to the storage")
        return self._late(answer if fault is None else fault.answer(), fault)

    def _due(self, request: Request) -> Fault | None:
        fault = next((one for one in self._faults if one.hits(request.method, request.path)), None)
        if fault is not None:
            fault.times -= 1
        return fault

    def _late(self, answer: Answer, fault: Fault | None) -> Answer | None:
        if fault is not None and fault.delay:
            self._stopping.wait(fault.delay)
        return None if fault is not None and fault.status == CUT else answer

    def _handled(self, request: Request, fault: Fault | None) -> _Handled:
        if request.path == "/graphql" and request.method == "POST":
            return self._graphql(request, fault)
        handled = self._routed(request)
        call = handled.call
        if call is None:
            return handled if fault is None else _Handled(fault.answer(), problems=handled.problems)
        if fault is None or fault.after:
            handled = self._performed(handled, call)
        elif fault.status >= 500 and handled.match is not None and handled.match.operation.uploads:
            releases.leave_starter(call)
        if fault is None:
            return handled
        declared = handled.match is not None and fault.status in handled.match.operation.answers
        return _Handled(
            fault.answer(), handled.match, problems=handled.problems, checked=declared and fault.body is None
        )

    def _graphql(self, request: Request, fault: Fault | None) -> _Handled:
        refusal = self._refusal(request)
        if refusal is not None:
            return _Handled(refusal)
        signed_in = "authorization" in request.headers
        answer, problems = graphql.answer(self.site, self, request.body, signed_in=signed_in, granted=self.granted)
        return _Handled(answer if fault is None else fault.answer(), problems=problems)

    def _routed(self, request: Request) -> _Handled:
        """Which operation it is, with what the request breaks; the answer is that of a request that goes no further."""
        uploads = request.path.startswith(f"{_UPLOADS}/")
        path = request.path.removeprefix(_UPLOADS) if uploads else request.path
        path = path.replace(f"/repositories/{REPOSITORY_ID}", f"/repos/{self._repository}", 1)
        match = github().match(request.method, path, uploads=uploads)
        if match is None:
            return _Handled(not_found(), problems=["GitHub's description has no such method and path"])
        problems = github().request_problems(match, request.query, request.headers, request.body)
        refusal = self._refusal(request)
        signed_in = "authorization" in request.headers
        same = f"{match.parameters['owner']}/{match.parameters['repo']}".lower() == self._repository.lower()
        if refusal is None and not (same and (signed_in or not self.private)):
            refusal = not_found()
        if refusal is None and not signed_in and request.method != "GET":
            refusal = error(401, "Requires authentication")
        if refusal is None and request.body and not match.operation.binary and _json(request.body) is None:
            refusal = error(400, "Problems parsing JSON")
        if refusal is not None:
            return _Handled(refusal, match, problems=problems)
        call = Call(
            site=self.site,
            repository=self,
            parameters=match.parameters,
            query=dict(parse_qsl(request.query, keep_blank_values=True)),
            headers=request.headers,
            body={} if match.operation.binary else _json(request.body or b"{}"),
            raw=request.body,
            signed_in=signed_in,
            below=path.removeprefix(f"/repos/{match.parameters['owner']}/{match.parameters['repo']}"),
        )
        return _Handled(not_found(), match, call, problems)

    def _performed(self, handled: _Handled, call: Call) -> _Handled:
        assert handled.match is not None
        endpoint = _ENDPOINTS.get(handled.match.operation.id)
        if endpoint is None:
            missing = f"the fake does not play {handled.match.operation.id}"
            return _Handled(error(501, missing), problems=[*handled.problems, missing])
        forbidden = grants.refusal(handled.match.operation.id, self.granted)
        if forbidden is not None:
            return _Handled(forbidden, handled.match, call, handled.problems)
        try:
            answer = endpoint(call)
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            # A request that breaks the contract may lack what the endpoint needs.
            if not handled.problems:
                trouble = f"the fake broke: {fault!r}"
                return _Handled(error(500, trouble), problems=[trouble])
            answer = refused("Invalid request.")
        if answer.status == 415 or (answer.status == 200 and not self._acceptable(call)):
            answer = error(
                415, f"Unsupported 'Accept' header: {call.headers['accept']}. Must accept 'application/json'."
            )
        return _Handled(answer, handled.match, call, handled.problems)

    def _acceptable(self, call: Call) -> bool:
        ranges = call.headers.get("accept", "*/*").split(",")
        return any(_MEDIA.fullmatch(one.partition(";")[0].strip()) for one in ranges)

    def _refusal(self, request: Request) -> Answer | None:
        """What GitHub refuses whatever the operation."""
        if not request.headers.get("user-agent"):
            return error(
                403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header."
            )
        version = request.headers.get("x-github-api-version")
        if version is not None and version not in API_VERSIONS:
            return error(400, f"{version} is not a supported version: {', '.join(API_VERSIONS)}")
        given = request.headers.get("authorization")
        scheme, _, token = (given or "").partition(" ")
        if given is not None and (scheme.lower() not in {"bearer", "token"} or token != self.token):
            return error(401, "Bad credentials")
        if self.remaining <= 0:
            return error(403, "API rate limit exceeded for installation ID 1.")
        self.remaining -= 1
        return None

    def _with_headers(self, answer: Answer, request: Request) -> Answer:
        headers = {
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": f"FAKE:{len(self.requests):06X}",
            "X-RateLimit-Limit": str(RATE_LIMIT),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Used": str(RATE_LIMIT - self.remaining),
            "X-RateLimit-Reset": "1767618000",
            "X-RateLimit-Resource": "graphql" if request.path == "/graphql" else "core",
            **({"Content-Type": JSON_TYPE} if answer.body is not None else {}),
            **answer.headers,
        }
        return Answer(answer.status, answer.body, headers)


def _seen(request: Request) -> Seen:
    query = dict(parse_qsl(request.query, keep_blank_values=True))
    json_body = _json(request.body) if "json" in request.headers.get("content-type", "") else None
    body = json_body if json_body is not None else request.body or None
    return Seen(request.method, request.path, query, dict(request.headers), body)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _lower(answer: Answer) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}
