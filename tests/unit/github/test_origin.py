import pytest

from llm_testbench.github.origin import Origin, may_follow, may_upload, origin

GITHUB = "https://api.github.com"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.github.com/repos/a/b?x=1#y", Origin("https", "api.github.com", 443)),
        ("HTTPS://API.GitHub.com:443", Origin("https", "api.github.com", 443)),
        ("http://127.0.0.1:8080/x", Origin("http", "127.0.0.1", 8080)),
        ("http://[::1]/x", Origin("http", "::1", 80)),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, expected: Origin) -> None:
    assert origin(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/repos",
        "ftp://example.com",
        "https://",
        "https://x:port/",
        "https://me@example.com",
        "https://a:b@c",
        "http://[x",
    ],
)
def test_what_is_no_plain_web_address_has_no_origin(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        origin(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "api.localhost"])
def test_this_machine_is_known(host: str) -> None:
    assert origin(f"http://{host}:1").loopback


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example.com", "notlocalhost", "example.com"])
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not origin(f"http://{host}:1").loopback


@pytest.mark.parametrize(
    ("api", "target", "allowed"),
    [
        (GITHUB, "https://uploads.github.com/repos", True),
        (GITHUB, "https://api.github.com/x", True),
        ("https://api.octo.ghe.com", "https://uploads.octo.ghe.com", True),
        ("https://api.octo.ghe.com", "https://api.octo.ghe.com/x", True),
        ("https://git.example.com/api/v3", "https://git.example.com/api/uploads", True),
        ("https://git.example.com:8443/api/v3", "https://git.example.com:8443/api/uploads", True),
        ("http://127.0.0.1:1", "http://127.0.0.1:2", True),
        (GITHUB, "http://uploads.github.com", False),
        (GITHUB, "https://uploads.github.com:8443", False),
        (GITHUB, "https://uploads.github.com.evil.example", False),
        (GITHUB, "https://evil.github.com", False),
        (GITHUB, "https://github.com", False),
        (GITHUB, "https://uploads.octo.ghe.com", False),
        ("https://api.octo.ghe.com", "https://uploads.other.ghe.com", False),
        ("https://api.octo.ghe.com", "https://uploads.ghe.com", False),
        ("https://api.octo.ghe.com", "https://octo.ghe.com", False),
        ("https://api.octo.ghe.com", "https://uploads.github.com", False),
        ("https://git.example.com/api/v3", "https://git.example.com:8443/api/uploads", False),
        (GITHUB, "https://127.0.0.1", False),
        ("https://git.example.com/api/v3", "https://uploads.git.example.com", False),
        ("https://git.example.com/api/v3", "https://uploads.example.com", False),
        ("http://127.0.0.1:1", "http://example.com", False),
    ],
)
def test_only_the_api_and_its_own_upload_host_get_the_token(api: str, target: str, allowed: bool) -> None:
    assert may_upload(origin(api), origin(target)) is allowed


@pytest.mark.parametrize(
    ("source", "target", "allowed"),
    [
        ("https://a.example", "https://b.example", True),
        ("http://a.example", "http://b.example", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "http://localhost:5", False),
    ],
)
def test_a_redirect_never_leaves_https(source: str, target: str, allowed: bool) -> None:
    assert may_follow(origin(source), origin(target)) is allowed
