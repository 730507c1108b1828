import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import requests
import responses
from requests.exceptions import ConnectTimeout, ReadTimeout, SSLError
from requests.exceptions import ProxyError as ProxyFault
from responses import matchers
from urllib3.exceptions import NewConnectionError

from llm_testbench import __version__
from llm_testbench.github.api import MAX_JSON, MAX_PAGES, MAX_TRIES, GitHub, GitHubError, OversizedAnswerError
from llm_testbench.github.event import Event
from llm_testbench.json_value import JSON, JSONObject

API = "https://api.github.com"
REPO = f"{API}/repos/octo/shop"
UPLOADS = "https://uploads.github.com/repos/octo/shop/releases/1/assets{?name,label}"
STORAGE = "https://storage.example.net/file?sig=abc"
TOKEN = "ghs_0123456789abcdef"
EVENT = Event(name="push", repository="octo/shop")

LIMITED = {"Retry-After": "7"}
DENIED: JSONObject = {"message": "Resource not accessible by integration"}


@dataclass
class Time:
    """A clock that only sleeping, and `each` reading, moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    each: float = 0.0

    def clock(self) -> float:
        self.now += self.each
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    """The whole web: an address that a test does not name cannot be reached."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def github(time: Time) -> GitHub:
    return client(time)


def client(time: Time, event: Event = EVENT, token: str = TOKEN, total_wait: float = 60.0) -> GitHub:
    session = requests.Session()
    return GitHub(event, token, session=session, clock=time.clock, sleep=time.sleep, total_wait=total_wait)


def sent(web: responses.RequestsMock) -> list[requests.PreparedRequest]:
    return [call.request for call in web.calls]


def authorized(web: responses.RequestsMock) -> list[bool]:
    return ["Authorization" in request.headers for request in sent(web)]


# Requests


def test_a_request_says_who_asks_and_for_what(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/releases", json=[])

    assert github.get("/releases", per_page=3, name="a&b") == []

    request = sent(web)[0]
    assert request.url == f"{REPO}/releases?per_page=3&name=a%26b"
    assert request.headers == {
        "Accept": "application/vnd.github+json",
        "Accept-Encoding": "gzip",
        "Authorization": f"Bearer {TOKEN}",
        "User-Agent": f"llm-testbench/{__version__}",
        "X-GitHub-Api-Version": "2022-11-28",
    }


def test_a_line_break_at_the_end_of_the_token_is_not_sent(web: responses.RequestsMock, time: Time) -> None:
    web.get(f"{REPO}/releases", json=[])

    client(time, token=TOKEN + "\n").get("/releases")

    assert sent(web)[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_without_a_token_nothing_is_authorized(web: responses.RequestsMock, time: Time) -> None:
    web.get(f"{REPO}/releases", json=[])

    client(time, token="").get("/releases")

    assert authorized(web) == [False]


def test_nothing_of_the_session_or_the_netrc_file_is_added(
    web: responses.RequestsMock, time: Time, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    web.get(f"{REPO}/assets", status=302, headers={"Location": STORAGE})
    web.get(STORAGE, body=b"x")
    session = requests.Session()
    session.headers["X-Mine"] = "1"

    GitHub(EVENT, TOKEN, session=session).download("/assets", 10)

    assert [request.headers.get("Authorization") for request in sent(web)] == [f"Bearer {TOKEN}", None]
    assert not any("X-Mine" in request.headers for request in sent(web))


def test_an_enterprise_server_is_asked_at_its_own_address(web: responses.RequestsMock, time: Time) -> None:
    event = replace(EVENT, api_url="https://git.example.com/api/v3", graphql_url="https://git.example.com/api/graphql")
    web.get("https://git.example.com/api/v3/repos/octo/shop/releases", json=[])
    web.post("https://git.example.com/api/graphql", json={"data": {}})
    web.post("https://git.example.com/api/uploads/repos/octo/shop/releases/1/assets", json={}, status=201)
    github = client(time, event)

    github.get("/releases")
    github.graphql("query {a}", {})
    github.upload("https://git.example.com/api/uploads/repos/octo/shop/releases/1/assets{?name,label}", "a", b"")

    assert authorized(web) == [True, True, True]


@pytest.mark.parametrize("api_url", ["", "https://", "https://x:port", "ftp://x"])
def test_an_api_address_that_is_none_is_said(time: Time, api_url: str) -> None:
    with pytest.raises(GitHubError, match=r"^GITHUB_API_URL is .*: expected one like https://api\.github\.com$"):
        client(time, replace(EVENT, api_url=api_url))


def test_without_a_repository_nothing_can_be_asked(time: Time) -> None:
    with pytest.raises(GitHubError, match="set GITHUB_REPOSITORY to owner/name"):
        client(time, replace(EVENT, repository="")).get("/releases")


@pytest.mark.parametrize("path", ["/releases/tags/../../../user", "/contents/.", "/contents/%2e%2e/x"])
def test_a_name_cannot_climb_out_of_the_repository(github: GitHub, path: str) -> None:
    with pytest.raises(GitHubError, match="must not be"):
        github.get(path)


def test_bodies_are_json(web: responses.RequestsMock, github: GitHub) -> None:
    body: JSONObject = {"body": "ü\ud800", "n": 1}
    for method in ("POST", "PATCH"):
        web.add(method, f"{REPO}/x", json={"id": 1}, match=[matchers.json_params_matcher(body)])

    assert github.post("/x", body) == {"id": 1}
    assert github.patch("/x", body) == {"id": 1}
    assert [request.headers["Content-Type"] for request in sent(web)] == ["application/json"] * 2


# Answers


def test_an_answer_without_a_body_is_nothing(web: responses.RequestsMock, github: GitHub) -> None:
    web.delete(f"{REPO}/x", status=204)
    web.patch(f"{REPO}/x", status=204)

    github.delete("/x")
    assert github.patch("/x", {}) is None


def test_a_packed_answer_is_unpacked(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", body=gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})

    assert github.get("/x") == {"a": 1}


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        pytest.param(b"<html>", {}, "the answer is not JSON: Expecting value", id="a page"),
        pytest.param(b"\xff", {}, "the answer is not JSON", id="no UTF-8"),
        pytest.param(b"[" * 100_000, {}, "nested deeper than 200 levels", id="too deep for the stack"),
        pytest.param(b"[" * 300 + b"]" * 300, {}, "nested deeper than 200 levels", id="too deep"),
        pytest.param(b"1e999", {}, "out of range", id="infinity"),
        pytest.param(b" " * (MAX_JSON + 1), {}, "holds more than 32 MiB", id="too large"),
        pytest.param(b"1", {"Content-Length": str(MAX_JSON + 1)}, "holds more than 32 MiB", id="says it is too large"),
        pytest.param(
            gzip.compress(b" " * (MAX_JSON + 1)), {"Content-Encoding": "gzip"}, "holds more than 32 MiB", id="gzip bomb"
        ),
        pytest.param(b"{}", {"Content-Encoding": "br"}, "packed as 'br'", id="packed unasked"),
    ],
)
def test_an_answer_that_cannot_be_read_is_one_line(
    web: responses.RequestsMock, github: GitHub, body: bytes, headers: dict[str, str], words: str
) -> None:
    web.get(f"{REPO}/x", body=body, headers=headers)

    with pytest.raises(GitHubError) as caught:
        github.get("/x")

    assert str(caught.value).startswith("GET /repos/octo/shop/x: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(web.calls) == 1


@pytest.mark.parametrize(
    ("status", "answer", "needs", "token", "line"),
    [
        (
            403,
            DENIED,
            "contents: read",
            TOKEN,
            "HTTP 403: Resource not accessible by integration; "
            'the token lacks "contents: read": add it to the permissions of the job, or set the input token',
        ),
        (
            404,
            {"message": "Not Found"},
            "contents: read",
            TOKEN,
            'HTTP 404: Not Found; it does not exist, or the token lacks "contents: read": '
            "add it to the permissions of the job, or set the input token",
        ),
        (404, {"message": "Not Found"}, "", TOKEN, "HTTP 404: Not Found"),
        (401, {"message": "Bad credentials"}, "x: read", TOKEN, "HTTP 401: Bad credentials; the token is not valid: "),
        (404, {"message": "Not Found"}, "x: read", "", "HTTP 404: Not Found; there is no token: set the input token"),
        (
            422,
            {"message": "Validation Failed", "errors": [{"resource": "Asset", "code": "already_exists"}, "so it is"]},
            "",
            TOKEN,
            "HTTP 422: Validation Failed: Asset already_exists, so it is",
        ),
        (
            422,
            {"message": 7, "errors": [{"message": "too long"}, {"code": 5}, {}, None]},
            "",
            TOKEN,
            "too long, 5, None",
        ),
        (400, "<html>", "", TOKEN, "HTTP 400"),
        (400, ["x"], "", TOKEN, "HTTP 400"),
        (400, {"message": "a\r\n::error::b\x1b[31m"}, "", TOKEN, "HTTP 400: a ::error::b [31m"),
        (400, {"message": f"no {TOKEN} here"}, "", TOKEN, "HTTP 400: no *** here"),
        (400, {"message": "x" * 290 + TOKEN}, "", TOKEN, "xx***"),
    ],
)
def test_a_refusal_says_what_was_tried_why_not_and_what_to_do(
    web: responses.RequestsMock, time: Time, status: int, answer: JSON, needs: str, token: str, line: str
) -> None:
    web.get(f"{REPO}/x", status=status, **({"body": answer} if isinstance(answer, str) else {"json": answer}))

    with pytest.raises(GitHubError) as caught:
        client(time, token=token).get("/x", needs=needs, secret="of no use")

    assert caught.value.status == status
    assert str(caught.value).startswith(f"GET /repos/octo/shop/x: HTTP {status}")
    assert line in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert len(web.calls) == 1


def test_the_body_of_a_refusal_is_bounded(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", status=400, json={"message": "x" * 1_000_000})

    with pytest.raises(GitHubError, match=r"^GET /repos/octo/shop/x: HTTP 400$"):
        github.get("/x")


def test_what_is_gone_need_not_be_deleted(web: responses.RequestsMock, github: GitHub) -> None:
    web.delete(f"{REPO}/x", status=404, json={"message": "Not Found"})
    github.delete("/x")

    web.replace("DELETE", f"{REPO}/x", status=403, json=DENIED)
    with pytest.raises(GitHubError):
        github.delete("/x")


def test_a_token_that_cannot_be_sent_is_not_quoted(web: responses.RequestsMock, time: Time) -> None:
    with pytest.raises(GitHubError, match="characters that cannot be sent") as caught:
        client(time, token="ghs_secret\r\nX-Evil: 1").get("/x")

    assert "ghs_secret" not in str(caught.value)


# Pages


def page(web: responses.RequestsMock, number: int, items: JSON, link: str | None = None) -> None:
    headers = {} if link is None else {"Link": f'<{link}>; rel="next", <{REPO}/x?page=9>; rel="last"'}
    match = [matchers.query_param_matcher({"page": str(number)}, strict_match=False)] if number > 1 else []
    web.get(f"{REPO}/x", json=items, headers=headers, match=match)


def test_every_page_is_read(web: responses.RequestsMock, github: GitHub) -> None:
    page(web, 3, [{"n": 4}])
    page(web, 2, [{"n": 3}], f"{REPO}/x?page=3&per_page=100")
    page(web, 1, [{"n": 1}, {"n": 2}], f"{REPO}/x?page=2&per_page=100")

    assert [item["n"] for item in github.pages("/x", name="a")] == [1, 2, 3, 4]
    assert sent(web)[0].url == f"{REPO}/x?per_page=100&name=a"


def test_a_page_that_nobody_asks_for_is_not_fetched(web: responses.RequestsMock, github: GitHub) -> None:
    page(web, 1, [{"n": 1}], f"{REPO}/x?page=2")

    assert next(github.pages("/x")) == {"n": 1}
    assert len(web.calls) == 1


def test_a_list_may_stand_below_a_key(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", json={"total_count": 1, "artifacts": [{"n": 1}]})

    assert list(github.pages("/x", "artifacts")) == [{"n": 1}]


@pytest.mark.parametrize("answer", [{}, {"artifacts": {}}, [], 3, "x"])
def test_a_list_that_is_not_there_is_said(web: responses.RequestsMock, github: GitHub, answer: JSON) -> None:
    web.get(f"{REPO}/x", json=answer)

    if answer == []:
        assert list(github.pages("/x")) == []
        return
    with pytest.raises(GitHubError, match="the answer holds no list"):
        list(github.pages("/x", "artifacts"))


def test_a_list_of_something_else_is_said(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", json=[1])

    with pytest.raises(GitHubError, match="something else than objects"):
        list(github.pages("/x"))


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/x?page=2",
        "http://api.github.com/repos/octo/shop/x?page=2",
        "https://api.github.com:8443/x",
        "https://me@api.github.com/x",
        "/relative",
        "",
    ],
)
def test_a_next_page_elsewhere_is_not_fetched(web: responses.RequestsMock, github: GitHub, link: str) -> None:
    page(web, 1, [], link)

    with pytest.raises(GitHubError, match="the next page is on another host"):
        list(github.pages("/x"))
    assert len(web.calls) == 1


def test_a_list_that_never_ends_is_ended(web: responses.RequestsMock, github: GitHub) -> None:
    page(web, 1, [{"n": 1}], f"{REPO}/x?page=1")

    with pytest.raises(GitHubError, match=f"the list does not end after {MAX_PAGES} pages"):
        list(github.pages("/x"))
    assert len(web.calls) == MAX_PAGES


# GraphQL


def test_graphql_gives_the_data(web: responses.RequestsMock, github: GitHub) -> None:
    asked = {"query": "query($a: Int) {x}", "variables": {"a": 1}}
    web.post(f"{API}/graphql", json={"data": {"x": 1}}, match=[matchers.json_params_matcher(asked)])

    assert github.graphql("query($a: Int) {x}", {"a": 1}) == {"x": 1}
    assert authorized(web) == [True]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"data": {}, "errors": [{"type": "NOT_FOUND", "message": "no\nsuch node"}]}, "no such node"),
        ({"errors": "x"}, "an error without words"),
        ({"errors": [{"message": TOKEN}]}, r"\*\*\*"),
        ({"data": None}, "the answer holds no data"),
        ([], "the answer holds no data"),
    ],
)
def test_graphql_errors_are_errors(web: responses.RequestsMock, github: GitHub, answer: JSON, words: str) -> None:
    web.post(f"{API}/graphql", json=answer)

    with pytest.raises(GitHubError, match=f"^POST /graphql: {words}$"):
        github.graphql("query {x}", {})


def test_graphql_elsewhere_does_not_get_the_token(web: responses.RequestsMock, time: Time) -> None:
    github = client(time, replace(EVENT, graphql_url="https://evil.example/graphql"))

    with pytest.raises(GitHubError, match="the token is not sent there"):
        github.graphql("query {x}", {})


@pytest.mark.parametrize(("query", "calls"), [("query {x}", 2), ("{x}", 2), (" mutation {x}", 1)])
def test_only_a_question_is_asked_again(web: responses.RequestsMock, github: GitHub, query: str, calls: int) -> None:
    web.post(f"{API}/graphql", status=502)
    web.post(f"{API}/graphql", json={"data": {}})

    if calls == 1:
        with pytest.raises(GitHubError):
            github.graphql(query, {})
    else:
        github.graphql(query, {})
    assert len(web.calls) == calls


# Redirects


def test_a_download_is_followed_elsewhere_without_the_token(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/assets/1", status=302, headers={"Location": STORAGE})
    web.get("https://storage.example.net/file", status=307, headers={"Location": "/other"})
    web.get("https://storage.example.net/other", body=b"data")

    assert github.download("/assets/1", 4) == b"data"

    assert authorized(web) == [True, False, False]
    assert [request.headers["Accept"] for request in sent(web)] == ["application/octet-stream"] * 3
    assert not any("X-GitHub-Api-Version" in request.headers for request in sent(web)[1:])


def test_the_token_does_not_come_back_with_the_way(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/assets/1", status=302, headers={"Location": "https://storage.example.net/x"})
    web.get("https://storage.example.net/x", status=302, headers={"Location": f"{REPO}/secrets"})
    web.get(f"{REPO}/secrets", body=b"data")

    github.download("/assets/1", 10)

    assert authorized(web) == [True, False, False]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_moved_repository_is_followed_on_the_same_host(
    web: responses.RequestsMock, github: GitHub, status: int
) -> None:
    web.get(f"{REPO}/x", status=status, headers={"Location": f"{API}/repositories/1/x"})
    web.get(f"{API}/repositories/1/x", json=[1])

    assert github.get("/x") == [1]
    assert authorized(web) == [True, True]


def test_what_changes_something_is_repeated_only_where_the_redirect_says_so(
    web: responses.RequestsMock, github: GitHub
) -> None:
    web.post(f"{REPO}/x", status=307, headers={"Location": f"{API}/repositories/1/x"})
    web.post(f"{API}/repositories/1/x", json=1, match=[matchers.json_params_matcher({"a": 1})])
    web.patch(f"{REPO}/x", status=301, headers={"Location": f"{API}/repositories/1/x"})

    assert github.post("/x", {"a": 1}) == 1
    with pytest.raises(GitHubError, match="HTTP 301: the repository has moved; start a new run"):
        github.patch("/x", {})


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("https://evil.example/x", "redirects to another host, which is not followed"),
        ("http://api.github.com/x", "redirects from https to http, which is not followed"),
        ("ftp://api.github.com/x", "redirects to what is no plain web address"),
        ("https://me:pw@api.github.com/x", "redirects to what is no plain web address"),
        ("https://api.github.com:x/", "redirects to what is no plain web address"),
        ("", "HTTP 302 was not expected"),
    ],
)
def test_other_redirects_are_not_followed(
    web: responses.RequestsMock, github: GitHub, location: str, words: str
) -> None:
    web.get(f"{REPO}/x", status=302, headers={"Location": location} if location else {})

    with pytest.raises(GitHubError, match=words) as caught:
        github.get("/x")
    assert len(web.calls) == 1
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("location", ["http://storage.example.net/x", "file:///etc/passwd", "https://me@evil.example/"])
def test_a_download_is_not_followed_anywhere(web: responses.RequestsMock, github: GitHub, location: str) -> None:
    web.get(f"{REPO}/x", status=302, headers={"Location": location})

    with pytest.raises(GitHubError, match="redirects "):
        github.download("/x", 10)
    assert len(web.calls) == 1


def test_an_address_that_cannot_be_asked_is_said(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", status=302, headers={"Location": f"https://{'a' * 70}.example/"})

    with pytest.raises(GitHubError, match="GET /repos/octo/shop/x"):
        github.download("/x", 10)


@pytest.mark.parametrize("call", [lambda github: github.get("/x"), lambda github: github.download("/x", 10)])
def test_a_circle_of_redirects_ends(
    web: responses.RequestsMock, github: GitHub, call: Callable[[GitHub], object]
) -> None:
    web.get(f"{REPO}/x", status=302, headers={"Location": f"{REPO}/x"})

    with pytest.raises(GitHubError, match="more than 5 redirects"):
        call(github)
    assert len(web.calls) == 6


def test_trouble_after_a_redirect_names_the_host_and_blames_no_token(
    web: responses.RequestsMock, github: GitHub
) -> None:
    web.get(f"{REPO}/x", status=302, headers={"Location": STORAGE})
    web.get(STORAGE, status=403, body="<Error>")

    with pytest.raises(GitHubError, match=r"^GET /repos/octo/shop/x \(at storage\.example\.net\): HTTP 403$"):
        github.download("/x", 10, needs="contents: read")


# Files


@pytest.mark.parametrize("size", [0, 1, 10])
def test_a_file_up_to_the_limit_is_downloaded(web: responses.RequestsMock, github: GitHub, size: int) -> None:
    web.get(f"{REPO}/x", body=b"x" * size)

    assert github.download("/x", 10, "application/vnd.github.raw+json", ref="b") == b"x" * size
    assert sent(web)[0].headers["Accept"] == "application/vnd.github.raw+json"
    assert sent(web)[0].headers["Accept-Encoding"] == "identity"
    assert sent(web)[0].url == f"{REPO}/x?ref=b"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(b"x" * 11, {}, id="no length"),
        pytest.param(b"x", {"Content-Length": "11"}, id="says so"),
        pytest.param(b"x" * 11, {"Content-Length": "5"}, id="says less"),
        pytest.param(b"x" * 11, {"Content-Length": "many"}, id="says nonsense"),
        pytest.param(gzip.compress(b"x" * 1_000_000), {"Content-Encoding": "gzip"}, id="gzip bomb"),
    ],
)
def test_a_larger_file_is_not_read(
    web: responses.RequestsMock, github: GitHub, body: bytes, headers: dict[str, str]
) -> None:
    web.get(f"{REPO}/x", body=body, headers=headers, auto_calculate_content_length=False)

    with pytest.raises(OversizedAnswerError, match=r"^GET /repos/octo/shop/x: holds more than 10 bytes$"):
        github.download("/x", 10)
    assert len(web.calls) == 1


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(b"xxx", {"Content-Length": "5"}, id="short"),
        pytest.param(gzip.compress(b"xxx")[:-1], {"Content-Encoding": "gzip"}, id="short gzip"),
        pytest.param(b"xxx", {"Content-Encoding": "gzip"}, id="no gzip"),
    ],
)
def test_half_a_file_is_asked_for_again(
    web: responses.RequestsMock, github: GitHub, time: Time, body: bytes, headers: dict[str, str]
) -> None:
    web.get(f"{REPO}/x", body=body, headers=headers)
    web.get(f"{REPO}/x", body=b"whole")

    assert github.download("/x", 10) == b"whole"
    assert time.slept == [1.0]


def test_a_file_that_trickles_is_given_up(web: responses.RequestsMock, github: GitHub, time: Time) -> None:
    time.each = 301.0
    web.get(f"{REPO}/x", body=b"x" * 10)

    with pytest.raises(GitHubError, match=r"^GET /repos/octo/shop/x: the answer was not complete within 300s$"):
        github.download("/x", 10)


def test_an_asset_is_uploaded_with_its_name(web: responses.RequestsMock, github: GitHub) -> None:
    web.post("https://uploads.github.com/repos/octo/shop/releases/1/assets", json={"id": 1}, status=201)

    assert github.upload(UPLOADS, "a b&c", b"data") == {"id": 1}

    request = sent(web)[0]
    assert request.url == "https://uploads.github.com/repos/octo/shop/releases/1/assets?name=a+b%26c"
    assert (request.body, request.headers["Content-Type"]) == (b"data", "application/octet-stream")
    assert authorized(web) == [True]


@pytest.mark.parametrize("url", ["https://evil.example/{?name}", "http://uploads.github.com/x", "", "x", "https://["])
def test_an_upload_elsewhere_does_not_happen(web: responses.RequestsMock, github: GitHub, url: str) -> None:
    with pytest.raises(GitHubError, match="does not get the token"):
        github.upload(url, "a", b"data")
    assert len(web.calls) == 0


def test_an_upload_must_answer_with_an_asset(web: responses.RequestsMock, github: GitHub) -> None:
    web.post("https://uploads.github.com/repos/octo/shop/releases/1/assets", json=[])

    with pytest.raises(GitHubError, match="the answer is no asset"):
        github.upload(UPLOADS, "a", b"data")


# Trying again


def refused_connection() -> requests.ConnectionError:
    inner = OSError(111, "Connection refused")
    outer = NewConnectionError(None, "Failed")  # type: ignore[arg-type]  # the pool is not looked at
    outer.__cause__ = inner
    return requests.ConnectionError(outer)


LOST = requests.ConnectionError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer"))

FAULTS: Mapping[str, tuple[dict[str, Any], str]] = {
    "no connection": ({"body": refused_connection()}, "Connection refused"),
    "no connection in time": ({"body": ConnectTimeout()}, "no connection within 10s"),
    "lost": ({"body": LOST}, "Connection reset by peer"),
    "lost without words": ({"body": requests.ConnectionError()}, "the connection was lost"),
    "silent": ({"body": ReadTimeout()}, "no answer within 30s"),
    "proxy": ({"body": ProxyFault("http://me:password@proxy")}, "the proxy does not let it through"),
    "500": ({"status": 500}, "HTTP 500"),
    "502": ({"status": 502, "body": "<html>"}, "HTTP 502"),
    "503": ({"status": 503}, "HTTP 503"),
    "429": ({"status": 429, "headers": LIMITED}, "HTTP 429; the rate limit is used up, next try in 7s"),
    "403": ({"status": 403, "headers": LIMITED}, "HTTP 403; the rate limit is used up, next try in 7s"),
}
SURELY_NOT_DONE = {"no connection", "no connection in time", "proxy", "429", "403"}


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE", "POST"])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_may_pass_is_tried_again_unless_it_could_be_done_twice(
    web: responses.RequestsMock, github: GitHub, time: Time, method: str, fault: str
) -> None:
    answer, words = FAULTS[fault]
    web.add(method, f"{REPO}/x", **answer)
    web.add(method, f"{REPO}/x", json={})

    def call() -> None:
        match method:
            case "GET":
                github.get("/x")
            case "PATCH":
                github.patch("/x", {})
            case "DELETE":
                github.delete("/x")
            case _:
                github.post("/x", {})

    if method == "POST" and fault not in SURELY_NOT_DONE:
        with pytest.raises(GitHubError, match=words) as caught:
            call()
        assert "password" not in str(caught.value)
        assert time.slept == []
    else:
        call()
        assert time.slept == [7.0 if "rate limit" in words else 1.0]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_pass_is_told_in_one_line(web: responses.RequestsMock, github: GitHub, fault: str) -> None:
    answer, words = FAULTS[fault]
    web.get(f"{REPO}/x", **answer)

    with pytest.raises(GitHubError) as caught:
        github.get("/x")

    assert str(caught.value).startswith(f"GET /repos/octo/shop/x: {words}")
    assert len(web.calls) == MAX_TRIES


def test_a_certificate_that_is_not_trusted_is_not_tried_again(web: responses.RequestsMock, github: GitHub) -> None:
    web.get(f"{REPO}/x", body=SSLError("bad"))

    with pytest.raises(GitHubError, match=r"its certificate is not trusted .*ca_bundle"):
        github.get("/x")
    assert len(web.calls) == 1


def test_pauses_grow(web: responses.RequestsMock, github: GitHub, time: Time) -> None:
    web.get(f"{REPO}/x", status=500)

    with pytest.raises(GitHubError):
        github.get("/x")
    assert time.slept == [1.0, 2.0, 4.0, 8.0]


def test_the_server_may_say_how_long(web: responses.RequestsMock, github: GitHub, time: Time) -> None:
    web.get(f"{REPO}/x", status=503, headers={"Retry-After": "3"})
    web.get(f"{REPO}/x", json={})

    github.get("/x")
    assert time.slept == [3.0]


@pytest.mark.parametrize(
    ("headers", "slept"),
    [({"Retry-After": "3600"}, []), ({"Retry-After": "60"}, [60.0]), ({"Retry-After": "61"}, []), ({}, [60.0])],
)
def test_no_wait_is_longer_than_allowed(
    web: responses.RequestsMock, github: GitHub, time: Time, headers: dict[str, str], slept: list[float]
) -> None:
    web.get(f"{REPO}/x", status=429, headers=headers)

    with pytest.raises(GitHubError, match="run the job again later"):
        github.get("/x")
    assert time.slept == slept


def test_all_calls_share_one_allowance(web: responses.RequestsMock, time: Time) -> None:
    github = client(time, total_wait=10.0)
    web.get(f"{REPO}/x", status=429, headers={"Retry-After": "6"})
    web.get(f"{REPO}/x", json={})
    web.get(f"{REPO}/y", status=429, headers={"Retry-After": "6"})

    github.get("/x")
    with pytest.raises(GitHubError):
        github.get("/y")
    assert time.slept == [6.0]


def test_the_time_of_failed_tries_counts_too(web: responses.RequestsMock, time: Time) -> None:
    github = client(time, total_wait=10.0)
    time.each = 4.0
    web.get(f"{REPO}/x", body=ReadTimeout())

    with pytest.raises(GitHubError):
        github.get("/x")
    assert len(web.calls) == 2
