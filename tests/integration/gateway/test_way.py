"""The way to an endpoint: certificates, proxies, redirects."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.integration.gateway.asking import KEY, QUESTION, Pauses, client, model
from tests.servers.certificate import authority_file, authority_folder, server_context
from tests.servers.gateway import Gateway, Reply
from tests.servers.proxy import Proxy

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.client import Gateway as Client
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.model import Reply as Asked

OWN = str(authority_file())
ELSEWHERE = "https://gateway.example.com/v1"


def asked(url: str, **surroundings: Any) -> Asked:
    """One attempt that may be made again five times, without a pause."""
    with client(sleep=Pauses(), **surroundings) as asking:
        return asking.ask(model(url, max_retries=5), QUESTION, 0)


def lasting(reply: Asked) -> str:
    """The message of a failure that was not tried again, since it would be the same each time."""
    failure = reply.failure
    assert failure is not None
    assert (failure.outcome, failure.lasting, len(reply.tries)) == (Outcome.NETWORK, True, 1)
    assert "\n" not in failure.message
    return failure.message


class TestCertificates:
    def test_an_authority_that_is_known_is_trusted(self) -> None:
        with Gateway(tls=server_context()) as server:
            assert asked(server.url, verify=OWN).completion is not None

    def test_an_authority_that_nobody_knows_is_not_and_the_message_says_what_to_do(self) -> None:
        with Gateway(tls=server_context()) as server:
            message = lasting(asked(server.url))

        assert "unable to get local issuer certificate" in message
        assert message.endswith("; name the PEM file of its authority in ca_bundle")
        assert server.requests == []

    def test_another_name_is_not(self) -> None:
        with Gateway(tls=server_context("gateway.example.com")) as server:
            message = lasting(asked(server.url, verify=OWN))

        assert "not valid for '127.0.0.1'" in message
        assert message.endswith("; write a name of the certificate in endpoint")

    def test_one_that_is_out_of_date_is_not(self) -> None:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        with Gateway(tls=server_context("127.0.0.1", until=yesterday)) as server:
            message = lasting(asked(server.url, verify=OWN))

        assert "certificate has expired" in message
        assert message.endswith("; renew the certificate, or correct this machine's clock")

    def test_a_server_without_tls_is_named_so(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                connection, _ = server.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")

            thread = threading.Thread(target=answer)
            thread.start()
            message = lasting(asked(f"https://127.0.0.1:{server.getsockname()[1]}/v1"))
            thread.join()

        assert message.endswith("; the server speaks no TLS: write http:// in endpoint, or correct its port")

    @pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
    def test_the_environment_names_one(self, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(variable, OWN)
        with Gateway(tls=server_context()) as server, Client() as asking:
            assert asking.ask(model(server.url), QUESTION, 0).completion is not None

    def test_a_folder_of_them_will_do(self, tmp_path: Path) -> None:
        with Gateway(tls=server_context()) as server:
            assert asked(server.url, verify=str(authority_folder(tmp_path))).completion is not None

    def test_a_variable_that_names_nothing_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere.pem")
        with Client() as asking:
            failure = asking.ask(model(ELSEWHERE), QUESTION, 0).failure

        message = "REQUESTS_CA_BUNDLE: nothing is at '/nowhere.pem': name a PEM file of authorities, or unset it"
        assert failure == Failure(Outcome.NETWORK, message, lasting=True)


class TestProxies:
    """Of a host that exists behind them alone."""

    def test_https_goes_through_a_tunnel(self) -> None:
        with Gateway(tls=server_context("gateway.example.com")) as server, Proxy(server.url) as proxy:
            reply = asked(ELSEWHERE, verify=OWN, proxies={"https": proxy.url})

        assert reply.completion is not None
        assert proxy.asked == ["CONNECT gateway.example.com:443"]
        assert "proxy-authorization" not in server.requests[0].headers

    def test_http_is_handed_on(self) -> None:
        with Gateway() as server, Proxy(server.url) as proxy:
            reply = asked("http://gateway.example.com/v1", proxies={"http": proxy.url})

        assert reply.completion is not None
        assert proxy.asked == ["POST http://gateway.example.com/v1/chat/completions"]

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_the_usual_variables_name_one_with_its_login(self, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
        tls = server_context("gateway.example.com") if scheme == "https" else None
        with Gateway(tls=tls) as server, Proxy(server.url, login="user:pass word") as proxy, Client() as asking:
            for name in ("no_proxy", "NO_PROXY", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
                monkeypatch.delenv(name, raising=False)
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", OWN)
            monkeypatch.setenv(f"{scheme}_proxy", proxy.url.replace("http://", "http://user:pass%20word@"))
            reply = asking.ask(model(f"{scheme}://gateway.example.com/v1"), QUESTION, 0)

        assert reply.completion is not None
        assert len(proxy.asked) == 1
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_one_that_wants_a_login_says_so(self, scheme: str) -> None:
        with Gateway() as server, Proxy(server.url, login="user:word") as proxy:
            reply = asked(f"{scheme}://gateway.example.com/v1", proxies={scheme: proxy.url})

        assert lasting(reply) == (
            "the proxy: it asks for a user and a password (HTTP 407): write them into its address,"
            " http://user:password@host:port, in HTTP_PROXY and HTTPS_PROXY"
        )
        assert server.requests == []

    def test_a_gateway_that_says_407_is_no_proxy(self) -> None:
        with Gateway(lambda body: Reply("who are you", 407)) as server:
            failure = asked(server.url).failure

        assert failure == Failure(Outcome.PROTOCOL, "HTTP 407: who are you", 407)


class TestRedirects:
    """None is followed: the key would go along, and the request's body."""

    @pytest.mark.parametrize(
        ("location", "advice"),
        [
            ("https://other.example:444/v2/chat/completions", "set endpoint: https://other.example:444/v2"),
            ("/openai/v1/chat/completions", "set endpoint: {own}/openai/v1"),
            ("https://user:word@sso.example/login?next=/v1", "redirects to https://sso.example, "),
        ],
    )
    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_the_message_says_what_to_set(self, status: int, location: str, advice: str) -> None:
        with Gateway(lambda body: Reply("", status, {"Location": location})) as server:
            failure = asked(server.url).failure

        assert failure is not None
        assert failure.outcome is Outcome.PROTOCOL
        assert advice.format(own=server.url.removesuffix("/v1")) in failure.message
        assert "word" not in failure.message
        assert len(server.requests) == 1

    @pytest.mark.parametrize("location", ["http://{key}@own.example/{key}/v1/chat/completions", "//{key}"])
    def test_a_key_in_the_address_is_not_shown_half(self, location: str) -> None:
        key = "Sk-Canary-0123/456789+secret=="
        answer = Reply("", 307, {"Location": location.format(key=key)})
        with Gateway(lambda body: answer) as server, client() as asking:
            failure = asking.ask(model(server.url, api_key=key), QUESTION, 0).failure

        assert failure is not None
        assert "redirects to http" in failure.message
        assert not any(half in failure.message.lower() for half in ("sk-canary", "456789", "secret"))
