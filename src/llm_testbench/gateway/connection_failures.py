"""What a connection that could not be made, or did not hold, means; and answers that are not the gateway's own."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected
from urllib.parse import urljoin, urlsplit

from urllib3.exceptions import ProxyError, ReadTimeoutError

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.deadline import Call, Cut
from llm_testbench.gateway.failures import one_line, redactor_of
from llm_testbench.gateway.model import Failure, ModelOptions

_PROXY_WANTS_LOGIN = 407
_TAILS = ("/chat/completions", "/models")  # what follows the endpoint in our URLs
# Codes of OpenSSL's verification (x509_vfy.h).
_OUT_OF_DATE = frozenset({9, 10})
_OTHER_NAME = frozenset({62, 64})
# What its handshake says where the other side answers in plain text.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"})


def broken(error: Exception, call: Call, model: ModelOptions, status: int | None = None) -> Failure:
    """What a connection that could not be made, or did not hold, means."""
    if call.cut is not None:
        return _cut(call.cut, model, status)
    causes = list(_causes(error))
    if any(isinstance(cause, BadStatusLine) and not isinstance(cause, RemoteDisconnected) for cause in causes):
        return Failure(Outcome.PROTOCOL, "the server does not speak HTTP", status)
    if any(isinstance(cause, ReadTimeoutError) for cause in causes):
        return _cut(Cut.TOTAL, model, status)
    deepest = causes[-1]
    words = deepest.strerror if isinstance(deepest, OSError) and deepest.strerror else str(deepest)
    if isinstance(deepest, IncompleteRead):
        words = "the connection ended in the middle of the answer"
        if deepest.expected:
            words = f"{words}, {deepest.expected} bytes before its Content-Length"
    by_proxy = any(isinstance(cause, ProxyError) for cause in causes)
    if by_proxy and f" {_PROXY_WANTS_LOGIN} " in words:
        return _proxy_wants_login()
    advice = _advice(deepest)
    if advice is not None:
        words = f"{words}; {advice}"
    through = "the proxy: " if by_proxy else ""
    message = one_line(f"{through}{words or type(deepest).__name__}", 300)
    return Failure(Outcome.NETWORK, message, status, lasting=advice is not None)


def turned_away(
    status: int, headers: Mapping[str, str], url: str, model: ModelOptions, *, proxied: bool
) -> Failure | None:
    """What an answer means that is not the gateway's own: a redirect, or a proxy's; None for all others."""
    if 300 <= status < 400 and "location" in headers:
        # Before it is taken apart: the half of a secret that becomes a host would not be recognised.
        return _redirected(status, url, redactor_of(model).text(headers["location"]))
    return _proxy_wants_login() if status == _PROXY_WANTS_LOGIN and proxied else None


def _proxy_wants_login() -> Failure:
    """The proxy on the way lets nobody through whom it does not know."""
    advice = "write them into its address, http://user:password@host:port, in HTTP_PROXY and HTTPS_PROXY"
    message = f"the proxy: it asks for a user and a password (HTTP {_PROXY_WANTS_LOGIN}): {advice}"
    return Failure(Outcome.NETWORK, message, _PROXY_WANTS_LOGIN, lasting=True)


def _redirected(status: int, url: str, location: str) -> Failure:
    """A redirect of the request to `url`; never followed, not to the same host either. `location`: without secrets."""
    try:
        target = urlsplit(urljoin(url, location))
        port = "" if target.port is None else f":{target.port}"
        base = f"{target.scheme}://{target.hostname}{port}"
    except ValueError:
        base, path = "an address that is none", ""
    else:
        path = target.path
    tail = next((tail for tail in _TAILS if path.endswith(tail)), None)
    advice = "set it as endpoint" if tail is None else f"set endpoint: {base}{path.removesuffix(tail)}"
    message = f"HTTP {status}: redirects to {base}, which is not followed, since it would get the key; {advice}"
    return Failure(Outcome.PROTOCOL, one_line(message), status)


def _advice(error: BaseException) -> str | None:
    """What to do about TLS that will fail the same way each time; None for what may pass."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _OTHER_NAME:
            return "write a name of the certificate in endpoint"
        if error.verify_code in _OUT_OF_DATE:
            return "renew the certificate, or correct this machine's clock"
        return "name the PEM file of its authority in ca_bundle"
    if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS:
        return "the server speaks no TLS: write http:// in endpoint, or correct its port"
    return None


def _cut(why: Cut, model: ModelOptions, status: int | None) -> Failure:
    if why is Cut.CONNECT:
        return Failure(Outcome.NETWORK, f"no connection within {model.connect_timeout:g}s", status)
    if why is Cut.IDLE:
        return Failure(Outcome.IDLE_TIMEOUT, f"the stream was silent for {model.idle_timeout:g}s", status)
    if why is Cut.ABORT:
        return Failure(Outcome.NETWORK, "abandoned: the run was interrupted", status)
    return Failure(Outcome.TIMEOUT, f"no complete answer within {model.request_timeout:g}s", status)


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it wraps, outermost first: requests and urllib3 nest it in arguments and `reason`."""
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found:
        found.append(following)
        inner = [getattr(following, "reason", None), *following.args, following.__cause__]
        following = next((item for item in inner if isinstance(item, BaseException)), None)
    return found
