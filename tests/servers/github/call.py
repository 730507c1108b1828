"""One request to the API as an endpoint sees it, and the answer it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlencode

from tests.servers.github.people import JSONObject
from tests.servers.github.repository import Repository
from tests.servers.github.site import Site

DOCUMENTATION = "https://docs.github.com/rest"
DEFAULT_PAGE = 30
LARGEST_PAGE = 100

Item = TypeVar("Item")


@dataclass(frozen=True)
class Answer:
    """`body`: bytes as they are, None for none, all else as JSON."""

    status: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A request that matched an operation. `below`: its path inside of the repository."""

    site: Site
    repository: Repository
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    raw: bytes
    signed_in: bool
    below: str

    def number(self, name: str) -> int:
        """A parameter of the path that is an id; one that no object has when it is no number."""
        text = self.parameters[name]
        return int(text) if text.isascii() and text.isdigit() else -1

    def accepts(self, media: str) -> bool:
        """Whether the Accept header names this media type."""
        return media in self.headers.get("accept", "")


Endpoint: TypeAlias = Callable[[Call], Answer]


def error(status: int, message: str) -> Answer:
    """An error object as GitHub gives it."""
    return Answer(status, {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)})


def not_found() -> Answer:
    """What is not there, or not for this token."""
    return error(404, "Not Found")


def invalid(resource: str, field_name: str, code: str, message: str | None = None) -> Answer:
    """422 for one field."""
    said = {} if message is None else {"message": message}
    errors = [{"resource": resource, "field": field_name, "code": code, **said}]
    return Answer(422, {"message": "Validation Failed", "errors": errors, "documentation_url": DOCUMENTATION})


def refused(message: str) -> Answer:
    """422 in plain words."""
    return Answer(422, {"message": message, "documentation_url": DOCUMENTATION})


def page(call: Call, items: Iterable[Item]) -> tuple[Sequence[Item], dict[str, str]]:
    """The items of the page that is asked for, and the Link header when there are others.

    Source: GitHub's documentation, "Using pagination in the REST API".
    """
    everything = list(items)
    size = min(_positive(call.query.get("per_page"), DEFAULT_PAGE), LARGEST_PAGE)
    at = _positive(call.query.get("page"), 1)
    last = max(1, -(-len(everything) // size))
    links = []
    if at > 1:
        links.append(("prev", min(at - 1, last)))
    if at < last:
        links += [("next", at + 1), ("last", last)]
    if at > 1:
        links.append(("first", 1))
    header = ", ".join(f'<{_page_address(call, number)}>; rel="{name}"' for name, number in links)
    return everything[(at - 1) * size : at * size], {"Link": header} if header else {}


def _positive(text: str | None, otherwise: int) -> int:
    if text is None or not text.isascii() or not text.isdigit():
        return otherwise
    return int(text) or otherwise


def _page_address(call: Call, number: int) -> str:
    # The repository by its id, not by the name that was asked with: so does GitHub.
    return f"{call.site.by_id}{call.below}?{urlencode({**call.query, 'page': number})}"


def listed(call: Call, items: Iterable[Item], shown: Callable[[Item], JSONObject]) -> Answer:
    """One page of a plain list."""
    found, headers = page(call, items)
    return Answer(200, [shown(one) for one in found], headers)


def counted(call: Call, key: str, items: Sequence[Item], shown: Callable[[Item], JSONObject]) -> Answer:
    """One page of a list inside of an object, as Actions gives it."""
    found, headers = page(call, items)
    return Answer(200, {"total_count": len(items), key: [shown(one) for one in found]}, headers)
