"""What the environment says about the way to an endpoint."""

from __future__ import annotations

import pytest

from llm_testbench.gateway.surroundings import Surroundings, from_environment

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "request_method")
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *(name.upper() for name in VARIABLES), *BUNDLES):
        monkeypatch.delenv(name, raising=False)


def test_an_empty_environment_means_the_direct_way_and_known_authorities() -> None:
    assert from_environment("https://gateway.example.com/v1") == Surroundings()


def test_a_proxy_of_the_scheme_is_used_and_its_password_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://user:canary@proxy:3128")
    surroundings = from_environment("https://gateway.example.com/v1")

    assert surroundings.proxies["https"] == "http://user:canary@proxy:3128"
    assert "canary" not in repr(surroundings)


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.9.9.9/v1",
        "http://[::1]/v1",
        "http://localhost:1/v1",
        "http://a.localhost/v1",
    ],
)
def test_loopback_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")

    assert from_environment(endpoint).proxies == {}


def test_no_proxy_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", ".example.com")

    assert from_environment("https://gateway.example.com/v1").proxies == {}


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_of_authorities_is_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/certs/own.pem")

    assert from_environment("https://gateway.example.com/v1").verify == "/certs/own.pem"
