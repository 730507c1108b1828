"""One request and its whole answer, bounded in size and time; knows nothing of GitHub."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from requests import PreparedRequest, Response, Session
from requests.exceptions import ConnectionError as LostError
from requests.exceptions import ConnectTimeout, ReadTimeout, RequestException, SSLError
from requests.exceptions import ProxyError as ProxyFault
from urllib3.exceptions import HTTPError, NameResolutionError, NewConnectionError, ReadTimeoutError

from llm_testbench.github.origin import origin

CONNECT_TIMEOUT = 10.0  # seconds
READ_TIMEOUT = 30.0  # seconds of silence
ERROR_BODY = 64 * 1024  # bytes kept of an answer that is no success

_READ = 64 * 1024  # bytes at a time


@dataclass(frozen=True)
class Answer:
    """Status, headers (any case) and decoded body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class BrokenError(Exception):
    """No whole answer came; `str()` says why. `sent`: the server may have acted on the request.

    `final`: trying again would not help.
    """

    def __init__(self, why: str, *, sent: bool, final: bool = False) -> None:
        self.sent = sent
        self.final = final
        super().__init__(why)


class OversizedError(Exception):
    """The answer holds more than was allowed."""


def exchange(
    session: Session, request: PreparedRequest, limit: int, seconds: float, clock: Callable[[], float]
) -> Answer:
    """Sends the request, follows nothing. `limit`: bytes of a successful body; `seconds`: for reading it.

    Raises BrokenError and OversizedError.
    """
    url = request.url or ""
    here = origin(url)
    settings: Any = session.merge_environment_settings(
        url, dict(session.proxies), stream=True, verify=session.verify, cert=session.cert
    )
    if here.loopback:
        settings["proxies"] = {}  # a proxy's loopback is another machine
    try:
        # Not Session.send, which reads the body of a redirect without a bound.
        response = session.get_adapter(url).send(request, timeout=(CONNECT_TIMEOUT, READ_TIMEOUT), **settings)
    except (RequestException, HTTPError, OSError) as error:
        raise _broken(error) from None
    return _Reading(response, seconds, clock).answer(limit)


class _Reading:
    """Reads one body to its end, or to a bound."""

    def __init__(self, response: Response, seconds: float, clock: Callable[[], float]) -> None:
        self._response = response
        self._raw: Any = response.raw
        self._clock = clock
        self._seconds = seconds
        self._due = clock() + seconds
        coded = response.headers.get("Content-Encoding", "identity").strip().lower()
        self._unpacker = zlib.decompressobj(wbits=31) if coded in ("gzip", "x-gzip") else None
        self._unreadable = coded if coded not in ("", "identity", "gzip", "x-gzip") else ""

    def answer(self, limit: int) -> Answer:
        """The whole answer; of one that is no success, the beginning of its body."""
        status, headers = self._response.status_code, self._response.headers
        success = 200 <= status < 300
        try:
            if self._unreadable and success:
                raise BrokenError(f"the answer is packed as {self._unreadable[:40]!r}", sent=True, final=True)
            body, whole = self._read(limit if success else ERROR_BODY)
        except (RequestException, HTTPError, OSError, ValueError, zlib.error) as error:
            raise _broken(error) from None
        finally:
            # Ends a connection on which the rest of a body is; one without was given back at the body's end.
            self._raw.close()
        if success and not whole:
            raise OversizedError
        return Answer(status, headers, body)

    def _read(self, limit: int) -> tuple[bytes, bool]:
        """The decoded body up to the limit, and whether that is all of it."""
        announced = self._response.headers.get("Content-Length", "")
        length = int(announced) if announced.isascii() and announced.isdigit() else None
        if length is not None and length > limit:
            return b"", False
        body, received = bytearray(), 0
        while data := self._raw.read1(_READ, decode_content=False):
            received += len(data)
            body += self._decoded(data, limit + 1 - len(body))
            if len(body) > limit:
                return bytes(body[:limit]), False
            if self._clock() > self._due:
                raise BrokenError(f"the answer was not complete within {self._seconds:g}s", sent=True)
        if (length is not None and received < length) or (self._unpacker and received and not self._unpacker.eof):
            raise BrokenError("the connection ended before the answer did", sent=True)
        return bytes(body), True

    def _decoded(self, data: bytes, room: int) -> bytes:
        if self._unpacker is None:
            return data
        return self._unpacker.decompress(data, room)


def _broken(error: Exception) -> BrokenError:
    causes = _causes(error)
    unsent = any(isinstance(cause, NewConnectionError | NameResolutionError | ConnectTimeout) for cause in causes)
    if any(isinstance(cause, SSLError) for cause in causes):
        return BrokenError(
            "its certificate is not trusted (an authority of your own goes into the input ca_bundle)",
            sent=False,
            final=True,
        )
    if any(isinstance(cause, ProxyFault) for cause in causes):
        return BrokenError("the proxy does not let it through", sent=False)
    if any(isinstance(cause, ConnectTimeout) for cause in causes):
        return BrokenError(f"no connection within {CONNECT_TIMEOUT:g}s", sent=False)
    if any(isinstance(cause, ReadTimeout | ReadTimeoutError | TimeoutError) for cause in causes):
        return BrokenError(f"no answer within {READ_TIMEOUT:g}s", sent=True)
    if unsent:
        return BrokenError(_system_words(causes) or "no connection", sent=False)
    lost = any(isinstance(cause, LostError | HTTPError | OSError) for cause in causes)
    return BrokenError(
        _system_words(causes) or ("the connection was lost" if lost else "the answer is damaged"), sent=True
    )


def _system_words(causes: list[BaseException]) -> str:
    """What the operating system calls it. Other errors' texts may quote addresses with passwords in them."""
    words = (cause.strerror for cause in causes if isinstance(cause, OSError) and isinstance(cause.strerror, str))
    return next(words, "")


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it wraps, outermost first: requests and urllib3 nest it in arguments and `reason`."""
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found:
        found.append(following)
        inner = [getattr(following, "reason", None), *following.args, following.__cause__, following.__context__]
        following = next((item for item in inner if isinstance(item, BaseException)), None)
    return found
