"""A client for GitHub's REST and GraphQL API: pages, retries, bounds, and a token that stays where it belongs.

Source of the rules: docs.github.com, "Best practices for using the REST API". Answers are untrusted: bounded in
size, time, depth and number; the texts in errors are bounded too, and a sink has to escape them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlencode, urljoin, urlsplit

import requests
from requests.utils import parse_header_links

from llm_testbench import __version__
from llm_testbench.gateway.failures import one_line
from llm_testbench.gateway.retry import retry_after
from llm_testbench.github.event import Event
from llm_testbench.github.exchange import Answer, BrokenError, OversizedError, exchange
from llm_testbench.github.origin import may_follow, may_upload, origin
from llm_testbench.github.rate_limit import is_query_limit, is_rate_limit, pause
from llm_testbench.json_value import JSON, JSONObject, parse
from llm_testbench.redaction import Redactor

JSON_TYPE = "application/vnd.github+json"
RAW_TYPE = "application/vnd.github.raw+json"
BINARY_TYPE = "application/octet-stream"

MAX_JSON = 32 * 1024 * 1024  # bytes
MAX_PAGES = 100  # of 100 items: GitHub itself ends most lists at 10,000
MAX_REQUESTS = 6  # of which all but the last were redirected
MAX_TRIES = 5
TOTAL_WAIT = 90.0  # seconds; a secondary limit that says nothing takes a minute
FIRST_PAUSE = 1.0  # seconds; doubles with each retry
JSON_TIME = 60.0  # seconds to read one answer
FILE_TIME = 300.0

_MAX_MESSAGE = 300  # characters of GitHub's own words
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class GitHubError(Exception):
    """A call that did not succeed; `str()` is one line for a person, partly in GitHub's words, without the token.

    `status`: of the HTTP answer, None when none came.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class OversizedAnswerError(GitHubError):
    """What was asked for is larger than the caller allows."""


@dataclass(frozen=True)
class _Ask:
    """One request. `label`: its name in messages. `trusted`: gets the token. `roams`: may be redirected to another
    origin, without the token. `repeatable`: doing it twice is as good as once. `query`: of GraphQL, whose answer tells
    of a rate limit with HTTP 200.
    """

    method: str
    url: str
    label: str
    needs: str
    accept: str = JSON_TYPE
    data: bytes | None = field(default=None, repr=False)
    data_type: str = "application/json"
    limit: int = MAX_JSON
    seconds: float = JSON_TIME
    trusted: bool = True
    roams: bool = False
    repeatable: bool = True
    query: bool = False


class GitHub:
    """The API of the event's repository.

    Proxies, certificates and adapters are the session's, and nothing else of it is used. `total_wait`: seconds
    that all calls together may lose to pauses and failed tries. Every method raises GitHubError; `needs` names the
    permission of the token that a call takes, as a workflow writes it (`contents: read`).
    """

    def __init__(
        self,
        event: Event,
        token: str,
        *,
        session: requests.Session,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        total_wait: float = TOTAL_WAIT,
    ) -> None:
        self.event = event
        self._token = token.strip()
        self._redactor = Redactor([self._token])
        self._session = session
        self._clock = clock
        self._sleep = sleep
        self._left = total_wait
        try:
            self._origin = origin(event.api_url)
        except ValueError as error:
            raise GitHubError(f"GITHUB_API_URL is {error}: expected one like https://api.github.com") from None

    def get(self, path: str, *, needs: str = "", **params: str | int) -> JSON:
        """The JSON at a path below the repository, such as `/releases`; the caller has quoted what stands in it."""
        return self._json(self._ask("GET", path, needs, params))

    def pages(self, path: str, key: str | None = None, *, needs: str = "", **params: str | int) -> Iterator[JSONObject]:
        """Every item of every page. `key`: the list's name where an answer is an object (`artifacts`)."""
        ask = self._ask("GET", path, needs, {"per_page": 100, **params})
        for _ in range(MAX_PAGES):
            answer = self._followed(ask)
            value = self._parsed(ask, answer)
            items = value.get(key) if key is not None and isinstance(value, Mapping) else value
            if not isinstance(items, list):
                raise GitHubError(f"{ask.label}: the answer holds no list", answer.status)
            for item in items:
                if not isinstance(item, Mapping):
                    raise GitHubError(
                        f"{ask.label}: the answer's list holds something else than objects", answer.status
                    )
                yield item
            following = _next_page(answer)
            if following is None:
                return
            ask = self._next(ask, following)
        raise GitHubError(f"{ask.label}: the list does not end after {MAX_PAGES} pages")

    def post(self, path: str, body: JSONObject, *, needs: str = "") -> JSON:
        """Creates something; tried again only where it surely was not done."""
        # After a lost connection, a timeout or a 5xx the thing may exist: a second one is worse than an error.
        return self._json(replace(self._ask("POST", path, needs), data=_encoded(body), repeatable=False))

    def patch(self, path: str, body: JSONObject, *, needs: str = "", repeatable: bool = True) -> JSON:
        """Changes something. `repeatable`: doing it twice is as good as once."""
        return self._json(replace(self._ask("PATCH", path, needs), data=_encoded(body), repeatable=repeatable))

    def delete(self, path: str, *, needs: str = "") -> None:
        """Removes something; well when it is gone already."""
        try:
            self._followed(self._ask("DELETE", path, needs))
        except GitHubError as error:
            if error.status != 404:
                raise

    def graphql(self, query: str, variables: JSONObject, *, needs: str = "") -> JSONObject:
        """`data` of the answer; GitHubError when it names any error."""
        url = self.event.graphql_url
        if not self._is_api(url):
            raise GitHubError("GITHUB_GRAPHQL_URL is on another host than GITHUB_API_URL: the token is not sent there")
        data = _encoded({"query": query, "variables": variables})
        changes = query.lstrip().startswith("mutation")
        ask = _Ask("POST", url, "POST /graphql", needs, data=data, repeatable=not changes, query=True)
        value = self._json(ask)
        if isinstance(value, Mapping):
            errors, found = value.get("errors"), value.get("data")
            if errors:
                raise GitHubError(f"{ask.label}: {self._quoted(_error_words(errors)) or 'an error without words'}", 200)
            if isinstance(found, Mapping):
                return found
        raise GitHubError(f"{ask.label}: the answer holds no data", 200)

    def download(
        self, path: str, limit: int, accept: str = BINARY_TYPE, *, needs: str = "", **params: str | int
    ) -> bytes:
        """A file of at most `limit` bytes, else OversizedAnswerError; a redirect elsewhere gets no token."""
        ask = self._ask("GET", path, needs, params)
        return self._followed(replace(ask, accept=accept, limit=limit, seconds=FILE_TIME, roams=True)).body

    def upload(self, url: str, name: str, data: bytes, *, needs: str = "") -> JSONObject:
        """A new asset of a release. `url`: the release's `upload_url`, a template that ends in `{?name,label}`."""
        address = url.split("{", 1)[0]
        try:
            allowed = may_upload(self._origin, origin(address))
        except ValueError:
            allowed = False
        if not allowed:
            raise GitHubError(f"upload of {name}: the address belongs to another host, which does not get the token")
        label = f"POST {urlsplit(address).path}"
        target = f"{address}?{urlencode({'name': name})}"
        ask = _Ask("POST", target, label, needs, data=data, data_type=BINARY_TYPE, seconds=FILE_TIME, repeatable=False)
        value = self._json(ask)
        if not isinstance(value, Mapping):
            raise GitHubError(f"{label}: the answer is no asset")
        return value

    def wait(self, seconds: float) -> bool:
        """Waits that long before a caller tries something again; False when no more waiting is allowed."""
        if seconds > self._left:
            return False
        self._left -= seconds
        self._sleep(seconds)
        return True

    def _ask(self, method: str, path: str, needs: str, params: Mapping[str, str | int] | None = None) -> _Ask:
        whole = f"/repos/{self.event.repository}{path}"
        if not self.event.repository:
            raise GitHubError("the repository is not known: set GITHUB_REPOSITORY to owner/name")
        if any(unquote(part) in (".", "..") for part in whole.split("/")):
            # The HTTP library would resolve it, and the request would go somewhere else.
            raise GitHubError(f"{method} {whole}: a name must not be . or ..")
        query = f"?{urlencode(params)}" if params else ""
        return _Ask(method, f"{self.event.api_url}{whole}{query}", f"{method} {whole}", needs)

    def _json(self, ask: _Ask) -> JSON:
        return self._parsed(ask, self._followed(ask))

    def _parsed(self, ask: _Ask, answer: Answer) -> JSON:
        if not answer.body:
            return None
        try:
            return parse(answer.body)
        except ValueError as error:
            raise GitHubError(
                f"{ask.label}: the answer is not JSON: {self._quoted(str(error))}", answer.status
            ) from None

    def _followed(self, ask: _Ask) -> Answer:
        """The answer after all redirects."""
        for _ in range(MAX_REQUESTS):
            answer = self._sent(ask)
            if answer.status < 300:
                return answer
            ask = self._redirected(ask, answer)
        raise GitHubError(f"{ask.label}: more than {MAX_REQUESTS - 1} redirects")

    def _redirected(self, ask: _Ask, answer: Answer) -> _Ask:
        status, location = answer.status, answer.headers.get("Location", "")
        if status not in _REDIRECTS or not location:
            raise GitHubError(f"{ask.label}: HTTP {status} was not expected", status)
        try:
            target = urljoin(ask.url, location)
            here, there = origin(ask.url), origin(target)
        except ValueError:
            raise GitHubError(f"{ask.label}: redirects to what is no plain web address", status) from None
        if not may_follow(here, there):
            raise GitHubError(f"{ask.label}: redirects from https to http, which is not followed", status)
        if ask.method != "GET" and status not in (307, 308):
            raise GitHubError(f"{ask.label}: HTTP {status}: the repository has moved; start a new run", status)
        if here != there and not ask.roams:
            raise GitHubError(f"{ask.label}: redirects to another host, which is not followed", status)
        # Once away, the token stays out even if the way leads back: another host chose the address.
        label = ask.label if here == there else f"{ask.label.split(' (at ')[0]} (at {self._quoted(there.host)})"
        return replace(ask, url=target, trusted=ask.trusted and here == there, label=label)

    def _sent(self, ask: _Ask) -> Answer:
        """The answer below 400, after as many tries as it takes and may take."""
        tries = limits = 0
        while True:
            began = self._clock()
            wait = FIRST_PAUSE * 2.0**tries
            try:
                answer = exchange(self._session, self._prepared(ask), ask.limit, ask.seconds, self._clock)
            except OversizedError:
                raise OversizedAnswerError(f"{ask.label}: holds more than {_size(ask.limit)}") from None
            except BrokenError as broken:
                trouble = GitHubError(f"{ask.label}: {self._quoted(str(broken))}")
                again = not broken.final and (ask.repeatable or not broken.sent)
            else:
                words = self._quoted(_words(answer)) if answer.status >= 400 or ask.query else ""
                limited = is_rate_limit(answer.status, answer.headers, words) or (ask.query and is_query_limit(words))
                if answer.status < 400 and not limited:
                    return answer
                if limited:
                    wait = pause(answer.headers, limits)
                    limits += 1
                else:
                    wait = retry_after(answer.headers, 0.0) or wait
                trouble = self._refused(ask, answer, words, wait if limited else None)
                again = limited or (answer.status >= 500 and ask.repeatable)
            self._left -= self._clock() - began
            tries += 1
            if not again or tries == MAX_TRIES or wait > self._left:
                raise trouble
            self._left -= wait
            self._sleep(wait)

    def _prepared(self, ask: _Ask) -> requests.PreparedRequest:
        packed = "identity" if ask.roams else "gzip"
        headers = {"Accept": ask.accept, "Accept-Encoding": packed, "User-Agent": f"llm-testbench/{__version__}"}
        if ask.trusted:
            headers["X-GitHub-Api-Version"] = "2022-11-28"
            if self._token:
                headers["Authorization"] = f"Bearer {self._token}"
        if ask.data is not None:
            headers["Content-Type"] = ask.data_type
        try:
            return requests.Request(ask.method, ask.url, headers=headers, data=ask.data).prepare()
        except (requests.RequestException, ValueError):
            # The library's words quote the header or the address.
            raise GitHubError(f"{ask.label}: the token or the address holds characters that cannot be sent") from None

    def _refused(self, ask: _Ask, answer: Answer, words: str, limited: float | None) -> GitHubError:
        said = f"{ask.label}: HTTP {answer.status}" + (f": {words}" if words else "")
        return GitHubError(said + self._advice(ask, answer.status, words, limited), answer.status)

    def _advice(self, ask: _Ask, status: int, words: str, limited: float | None) -> str:
        if limited is not None:
            return f"; the rate limit is used up, next try in {limited:.0f}s: run the job again later"
        if not ask.trusted or status not in (401, 403, 404) or "locked" in words:
            return ""
        if not self._token:
            return "; there is no token: set the input token"
        if status == 401:
            return "; the token is not valid: set the input token"
        if not ask.needs:
            return ""
        lacks = f'the token lacks "{ask.needs}": add it to the permissions of the job, or set the input token'
        return f"; {lacks}" if status == 403 else f"; it does not exist, or {lacks}"

    def _next(self, ask: _Ask, url: str) -> _Ask:
        if not self._is_api(url):
            raise GitHubError(f"{ask.label}: the next page is on another host, which is not followed")
        return replace(ask, url=url)

    def _is_api(self, url: str) -> bool:
        try:
            return origin(url) == self._origin
        except ValueError:
            return False

    def _quoted(self, text: str) -> str:
        """Foreign words as they may stand in an error: without the token, on one line, bounded."""
        return one_line(self._redactor.text(text), _MAX_MESSAGE)


def _encoded(body: JSONObject) -> bytes:
    return json.dumps(body, allow_nan=False).encode()


def _next_page(answer: Answer) -> str | None:
    """The URL of the next page (RFC 8288), as GitHub writes it."""
    links = parse_header_links(answer.headers.get("Link", ""))
    return next((link["url"] for link in links if link.get("rel") == "next"), None)


def _words(answer: Answer) -> str:
    """What GitHub says about a call that it refused: `message`, and that of each of `errors`."""
    try:
        value = parse(answer.body)
    except ValueError:
        return ""  # the page of some proxy
    if not isinstance(value, Mapping):
        return ""
    message = value.get("message")
    parts = [message if isinstance(message, str) else "", _error_words(value.get("errors"))]
    return ": ".join(part for part in parts if part)


def _error_words(errors: JSON) -> str:
    """The words of a list of errors, each a text or an object with `message`, or `resource`, `field` and `code`."""
    said: list[str] = []
    for error in errors[:5] if isinstance(errors, list) else []:
        if isinstance(error, Mapping):
            message = error.get("message")
            named = [error.get(name) for name in ("resource", "field", "code")]
            said.append(message if isinstance(message, str) else " ".join(str(word) for word in named if word))
        else:
            said.append(str(error))
    return ", ".join(word for word in said if word)


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit} bytes"
