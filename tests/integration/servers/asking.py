"""A client of the fake GitHub for its tests: plain requests, nothing of the product."""

from __future__ import annotations

from typing import Any

import requests
from tests.servers.github import FakeGitHub

UPLOAD = {"Content-Type": "application/gzip"}


class Asking:
    """Sends requests with a token ("": none) to the repository, or to a whole address."""

    def __init__(self, github: FakeGitHub, token: str | None = None) -> None:
        self.github = github
        self.session = requests.Session()
        sent = github.token if token is None else token
        if sent:
            self.session.headers["Authorization"] = f"Bearer {sent}"

    def __call__(self, method: str, place: str, **options: Any) -> requests.Response:
        url = place if place.startswith("http") else self.github.site.repo + place
        return self.session.request(method, url, timeout=10, **options)

    def get(self, place: str, **options: Any) -> Any:
        """The JSON of an answer that must be good."""
        answer = self("GET", place, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def upload(self, release_id: int, name: str, data: bytes, **options: Any) -> requests.Response:
        """An asset to where the release says that uploads go."""
        place, braces, _ = self.get(f"/releases/{release_id}")["upload_url"].partition("{?name,label}")
        assert braces
        return self("POST", place, params={"name": name}, data=data, headers=UPLOAD, **options)

    def graphql(self, query: str, **variables: Any) -> Any:
        """The whole answer to a query."""
        return self("POST", f"{self.github.url}/graphql", json={"query": query, "variables": variables}).json()
