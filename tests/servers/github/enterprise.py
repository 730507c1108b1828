"""A GitHub Enterprise Server: the fake GitHub on one https host with a certificate of its own authority.

Source of the paths: docs.github.com for Enterprise Server, "Endpoint URLs" of each page of its REST API (`/api/v3`); a
job's GITHUB_GRAPHQL_URL there (`/api/graphql`); the `upload_url` of its releases (`/api/uploads`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from tests.servers.certificate import server_context
from tests.servers.github.call import Answer
from tests.servers.github.fake import FakeGitHub
from tests.servers.github.http import Answerer, HTTPServer, Request
from tests.servers.github.site import Site

_PATHS = {"/api/v3": "", "/api/graphql": "/graphql", "/api/uploads": "/uploads"}
_NOWHERE = "/there-is-no-such-path"
_NEWER = frozenset({"digest"})
"""Members of objects that an older server does not know."""


class EnterpriseServer(FakeGitHub):
    """As FakeGitHub, at `https://NAME:PORT/api/…`; tells no rate limit, no digest, no history of comments.

    `authority_file()` of the certificates vouches for it. A request for another host is a problem. Its storage is
    called localhost whatever its own name.
    """

    def __init__(self, name: str = "localhost") -> None:
        super().__init__()
        self.keeps_edits = False
        self._name = name

    @property
    def listens_at(self) -> str:
        """Its address where nobody knows its name."""
        return f"https://{self._host}:{self._api.server_port}"

    def _server(self, port: int, answer: Answerer) -> HTTPServer:
        # Bound methods are equal, never the same.
        name = self._name if answer == self._answer else "localhost"
        return HTTPServer(self._host, port, answer, server_context(name), name)

    def _site(self, api: str, storage: str, owner: str, name: str) -> Site:
        return Site(f"{api}/api/v3", storage, owner, name, pages=api, upload_to=f"{api}/api/uploads")

    @property
    def _graphql_url(self) -> str:
        return f"{self.site.server}/api/graphql"

    def _inside(self, request: Request) -> Request:
        if request.headers.get("host") != urlsplit(self.site.server).netloc:
            self.problems.append(f"a request for the host {request.headers.get('host')}")
        for below, path in _PATHS.items():
            if request.path == below or request.path.startswith(f"{below}/"):
                return replace(request, path=path + request.path.removeprefix(below))
        return replace(request, path=_NOWHERE)

    def _outside(self, answer: Answer) -> Answer:
        headers = {name: value for name, value in answer.headers.items() if not name.startswith("X-RateLimit-")}
        return Answer(answer.status, _older(answer.body), headers)


def _older(value: object) -> object:
    """JSON without what an older server does not know."""
    match value:
        case Mapping():
            return {name: _older(one) for name, one in value.items() if name not in _NEWER}
        case list() | tuple():
            return [_older(one) for one in value]
        case _:
            return value
