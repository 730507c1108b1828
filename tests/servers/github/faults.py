"""Faults that a test asks for: the next so many requests that match get this answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.servers.github.call import Answer, error

CUT = 0

_MESSAGES = {
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    409: "Conflict",
    410: "Gone",
    422: "Validation Failed",
    429: "API rate limit exceeded",
}


@dataclass
class Fault:
    """`status` CUT closes the connection without an answer; `after`: the request takes effect all the same."""

    method: str
    path: re.Pattern[str]
    status: int
    times: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    delay: float = 0.0
    after: bool = False

    def hits(self, method: str, path: str) -> bool:
        """Whether it is this request's turn."""
        return self.times > 0 and method == self.method and self.path.search(path) is not None

    def answer(self) -> Answer:
        """The answer in place of the true one."""
        if self.body is not None:
            return Answer(self.status, self.body, self.headers)
        if self.status < 400:
            return Answer(self.status, None, self.headers)
        plain = error(self.status, _MESSAGES.get(self.status, "Server Error"))
        if self.status == 422 and isinstance(plain.body, dict):
            plain.body.pop("status")
        return Answer(self.status, plain.body, self.headers)
