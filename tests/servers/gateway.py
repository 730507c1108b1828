"""A real HTTP/1.1 server on loopback that plays an OpenAI-compatible gateway, well or badly.

In a test, in a thread of its own::

    with Gateway(answer=lambda body: "Paris") as server:   # str: the text of a valid completion
        ask(server.url)                                    # http://127.0.0.1:PORT/v1, paste into ModelOptions.endpoint
        server.requests[0].body["messages"], server.requests[0].headers["authorization"]
        server.connections                                 # TCP connections accepted so far
        server.peak_in_flight, server.peak_of["model-a"]   # most requests at once, over all and by model id
        server.wait_for(3)                                 # blocks until 3 requests came in (or fails the test)

What `answer(body)` may return (it runs in the server's event loop: be quick, never block):

* ``str``: the text of a completion by the model that was asked for, with an id of its own; streamed in
  `stream_chunks` pieces over `latency` when the body says `stream: true`.
* ``dict``: with `choices`, a whole completion as JSON; else a message, e.g. ``tool_message("f", {"x": 1})``;
  streamed likewise.
* ``Reply(body, status, headers, latency)``: any HTTP answer; bytes and str as they are, all else as JSON.
* ``Stream([chunk("Par"), chunk("is"), b": comment\\n\\n", 0.05, chunk(finish="stop")])``: server-sent events;
  dicts become `data: …` events, bytes go out as they are, numbers are pauses in seconds.
* ``Raw([b"HTTP/1.1 200 OK\\r\\n", 0.1, b"X-A: b\\r\\n"])``: raw bytes and pauses, headers included; any iterable,
  an endless one too. Afterwards the connection is closed, or left hanging with ``then="hang"``.
* ``HANG``: never answers.

``Gateway(script=[Reply("slow down", 429, {"Retry-After": "0"}), "Paris"])`` plays one entry per chat request,
in order of arrival, and `answer` afterwards; ``latency=0.2`` delays every answer that `answer` or `script` gives as
str or dict; ``tls=certificate.server_context()`` speaks HTTPS. GET /v1/models lists
`models`, or is answered with `listing` when that is set; any other path is a JSON 404.

As a process of its own, cheap enough for benchmarks on the same machine; the first line of stdout is the URL::

    python -m tests.servers.gateway --port 0 --latency 0.2 --stream-chunks 50 --text "The answer is 4."
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

ANSWER_TEXT = "The answer is 4."
_PLACEHOLDER = b"chatcmpl-%012d" % 0


@dataclass(frozen=True)
class Received:
    """One request as it came in. Header names are in lower case; `body` is None when it was no JSON object."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes
    connection: int


@dataclass(frozen=True)
class Reply:
    """One whole HTTP answer. `body`: bytes and str as they are, all else as JSON."""

    body: object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    latency: float = 0.0
    close: bool = False


@dataclass(frozen=True)
class Stream:
    """Server-sent events. dict: a `data:` event; bytes: raw; a number: a pause in seconds.

    `end="cut"` closes the connection inside the chunked body.
    """

    events: Iterable[object]
    done: bool = True
    end: Literal["clean", "cut", "hang"] = "clean"
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})


@dataclass(frozen=True)
class Raw:
    """Bytes as they are and pauses in seconds; afterwards the connection is closed or left hanging."""

    parts: Iterable[bytes | float]
    then: Literal["close", "hang"] = "close"


HANG = Raw((), then="hang")

Scripted: TypeAlias = str | dict[str, Any] | Reply | Stream | Raw
Answerer: TypeAlias = Callable[[dict[str, Any]], Scripted]


def message(text: str | None, **extra: object) -> dict[str, Any]:
    """An assistant message."""
    return {"role": "assistant", "content": text, **extra}


def tool_message(name: str, arguments: object, call_id: str = "call_1") -> dict[str, Any]:
    """An assistant message with one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return message(None, tool_calls=[{"id": call_id, "type": "function", "function": function}])


def completion(said: str | dict[str, Any] = ANSWER_TEXT, finish: str | None = None, **extra: object) -> dict[str, Any]:
    """The JSON body of a valid chat completion; `extra` adds or replaces top-level keys."""
    answer = message(said) if isinstance(said, str) else said
    words = len(str(answer.get("content") or "").split()) or 1
    reason = finish or ("tool_calls" if answer.get("tool_calls") else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "model-a",
        "choices": [{"index": 0, "message": answer, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": words, "total_tokens": 7 + words},
        "system_fingerprint": "fp_test",
    }
    return {**body, **extra}


def chunk(text: str | None = None, finish: str | None = None, **extra: object) -> dict[str, Any]:
    """One chat.completion.chunk; `delta=…` and `choices=…` in `extra` replace what is built from `text`."""
    delta = extra.pop("delta", {} if text is None else {"content": text})
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "model-a",
        "system_fingerprint": "fp_test",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return {**body, **extra}


def as_stream(body: dict[str, Any], pieces: int = 2, latency: float = 0.0) -> Stream:
    """The stream that says the same as a completion body: role, text in pieces, tool calls, finish, usage.

    The pieces are spread evenly over `latency` seconds.
    """
    choice = body["choices"][0]
    answer = choice["message"]
    head = {key: body[key] for key in ("id", "model", "system_fingerprint") if key in body}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if answer.get("reasoning_content"):
        deltas.append({"reasoning_content": answer["reasoning_content"]})
    text = answer.get("content") or ""
    step = max(1, -(-len(text) // max(1, pieces)))
    deltas += [{"content": text[at : at + step]} for at in range(0, len(text), step)]
    calls = [{"index": at, **call} for at, call in enumerate(answer.get("tool_calls") or [])]
    if calls:
        deltas.append({"tool_calls": calls})
    events: list[object] = []
    for delta in deltas:
        if latency:
            events.append(latency / len(deltas))
        events.append(chunk(delta=delta, **head))
    events.append(chunk(finish=choice["finish_reason"], **head))
    if "usage" in body:
        events.append(chunk(choices=[], usage=body["usage"], **head))
    return Stream(events)


def sse(event: object) -> bytes:
    """One event as bytes: bytes as they are, str as the data, all else as JSON data."""
    if isinstance(event, bytes):
        return event
    data = event if isinstance(event, str) else json.dumps(event)
    return b"data: " + data.encode() + b"\n\n"


class _Connection(asyncio.Protocol):
    """One TCP connection: parses requests with a Content-Length, plays the answers."""

    def __init__(self, server: Gateway, number: int) -> None:
        self._server = server
        self._number = number
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._busy_with: str | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server._open.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._server._open.discard(self._transport)
        self._finished()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._busy_with is None:
            head, separator, rest = self._buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {}
            for line in lines:
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            method, path, _ = (*first.split(" "), "", "")[:3]
            self._serve(method, path, headers, rest[:length])

    def _serve(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> None:
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        received = Received(method, path, headers, body if isinstance(body, dict) else {}, raw, self._number)
        self._busy_with = str(received.body.get("model"))
        self._play(self._server._reply_to(received), received.body)

    def _play(self, reply: Scripted, body: dict[str, Any]) -> None:
        server = self._server
        if isinstance(reply, str | dict):
            if body.get("stream"):
                reply = server._stream_of(reply, body)
            else:
                self._later(server.latency, server._answer_of(reply, body))
                return
        if isinstance(reply, Reply):
            self._later(reply.latency, whole_answer(reply), close=reply.close)
        else:
            run = self._stream(reply) if isinstance(reply, Stream) else self._raw(reply)
            self._task = asyncio.get_running_loop().create_task(run)

    def _later(self, delay: float, data: bytes, *, close: bool = False) -> None:
        if delay:
            asyncio.get_running_loop().call_later(delay, self._write_and_finish, data, close)
        else:
            self._write_and_finish(data, close)

    def _write_and_finish(self, data: bytes, close: bool) -> None:
        assert self._transport is not None
        if self._transport.is_closing():
            return
        self._transport.write(data)
        self._finished()
        if close:
            self._transport.close()
        elif self._buffer:
            self.data_received(b"")

    async def _stream(self, reply: Stream) -> None:
        lines = [f"{name}: {value}" for name, value in reply.headers.items()]
        await self._write("\r\n".join(["HTTP/1.1 200 OK", *lines, "Transfer-Encoding: chunked", "\r\n"]).encode())
        loop = asyncio.get_running_loop()
        due = loop.time()
        for event in reply.events:
            if isinstance(event, int | float):
                # By the clock and not one sleep after the other: with many streams at once each sleep is late.
                due += event
                await asyncio.sleep(due - loop.time())
                continue
            data = sse(event)
            await self._write(b"%x\r\n%s\r\n" % (len(data), data))
        assert self._transport is not None
        if reply.end == "cut":
            await self._write(b"400\r\nda")
            self._transport.close()
        elif reply.end == "hang":
            await asyncio.Event().wait()
        else:
            last = sse("[DONE]") if reply.done else b""
            ending = b"%x\r\n%s\r\n" % (len(last), last) if last else b""
            self._write_and_finish(ending + b"0\r\n\r\n", False)

    async def _raw(self, reply: Raw) -> None:
        for part in reply.parts:
            if isinstance(part, bytes):
                await self._write(part)
            else:
                await asyncio.sleep(part)
        if reply.then == "hang":
            await asyncio.Event().wait()
        assert self._transport is not None
        self._transport.close()

    async def _write(self, data: bytes) -> None:
        await self._writable.wait()
        assert self._transport is not None
        if self._transport.is_closing():
            raise asyncio.CancelledError
        self._transport.write(data)

    def _finished(self) -> None:
        if self._busy_with is not None:
            self._server._done_with(self._busy_with)
            self._busy_with = None


def whole_answer(reply: Reply) -> bytes:
    """The bytes of one HTTP answer with a Content-Length."""
    body, kind = reply.body, "text/plain"
    if not isinstance(body, bytes | str):
        body, kind = json.dumps(body), "application/json"
    data = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": kind, "Content-Length": str(len(data)), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {'OK' if reply.status == 200 else 'Status'}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "\r\n"]).encode() + data


class Gateway:
    """The server; see the module's docstring. A context manager that runs it in a thread."""

    def __init__(
        self,
        answer: Answerer = lambda body: ANSWER_TEXT,
        *,
        script: Sequence[Scripted] = (),
        latency: float = 0.0,
        stream_chunks: int = 2,
        models: Sequence[str] = ("model-a",),
        keep_requests: bool = True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.answer = answer
        self.script = deque(script)
        self.latency = latency
        self.stream_chunks = stream_chunks
        self.models = models
        self.listing: Scripted | None = None
        self.root = "/v1"
        self.requests: list[Received] = []
        self.connections = 0
        self.served = 0
        self.peak_in_flight = 0
        self.peak_of: Counter[str] = Counter()
        self.url = ""
        self._keep_requests = keep_requests
        self._tls = tls
        self._in_flight: Counter[str] = Counter()
        self._open: set[asyncio.Transport] = set()
        self._answers: dict[tuple[str, str], bytes] = {}
        self._streams: dict[tuple[str, str], list[bytes | float]] = {}
        self._arrived = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="test-gateway", daemon=True)

    def __enter__(self) -> Self:
        self._server = self._loop.run_until_complete(self.listen())
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def listen(self, port: int = 0) -> asyncio.Server:
        """Opens the port in the running loop and sets `url`; for use without a thread."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self._connected, "127.0.0.1", port, backlog=512, ssl=self._tls)
        scheme = "http" if self._tls is None else "https"
        self.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        return server

    def wait_for(self, requests: int, timeout: float = 10.0) -> None:
        """Blocks until so many requests came in; AssertionError after `timeout` seconds."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= requests, timeout), self.requests

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(self._close())
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for transport in tuple(self._open):
            transport.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while self._open:  # connection_lost comes in a later turn of the loop
            await asyncio.sleep(0)

    def _connected(self) -> _Connection:
        self.connections += 1
        return _Connection(self, self.connections)

    def _reply_to(self, received: Received) -> Scripted:
        self.served += 1
        model = str(received.body.get("model"))
        self._in_flight[model] += 1
        self.peak_of[model] = max(self.peak_of[model], self._in_flight[model])
        self.peak_in_flight = max(self.peak_in_flight, self._in_flight.total())
        if self._keep_requests:
            with self._arrived:
                self.requests.append(received)
                self._arrived.notify_all()
        if received.method == "GET" and received.path == f"{self.root}/models":
            if self.listing is not None:
                return self.listing
            return Reply({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})
        if received.path != f"{self.root}/chat/completions":
            return Reply({"error": {"message": f"no such path: {received.path}"}}, 404)
        return self.script.popleft() if self.script else self.answer(received.body)

    def _done_with(self, model: str) -> None:
        self._in_flight[model] -= 1

    def _fresh_id(self) -> bytes:
        return b"chatcmpl-%012d" % self.served

    def _answer_of(self, said: str | dict[str, Any], body: Mapping[str, Any]) -> bytes:
        if isinstance(said, dict):
            return whole_answer(Reply(_whole(said, body, self._fresh_id().decode())))
        # Built once a text, then only the id changes: in a benchmark the server must cost next to nothing.
        key = (said, str(body.get("model")))
        if key not in self._answers:
            self._answers[key] = whole_answer(Reply(_whole(said, body, _PLACEHOLDER.decode())))
        return self._answers[key].replace(_PLACEHOLDER, self._fresh_id())

    def _stream_of(self, said: str | dict[str, Any], body: Mapping[str, Any]) -> Stream:
        if isinstance(said, dict):
            return as_stream(_whole(said, body, self._fresh_id().decode()), self.stream_chunks, self.latency)
        key = (said, str(body.get("model")))
        if key not in self._streams:
            whole = _whole(said, body, _PLACEHOLDER.decode())
            events = as_stream(whole, self.stream_chunks, self.latency).events
            self._streams[key] = [event if isinstance(event, float) else sse(event) for event in events]
        fresh = self._fresh_id()
        return Stream([e if isinstance(e, float) else e.replace(_PLACEHOLDER, fresh) for e in self._streams[key]])


def _whole(said: str | dict[str, Any], body: Mapping[str, Any], response_id: str) -> dict[str, Any]:
    if isinstance(said, dict) and "choices" in said:
        return said
    return completion(said, model=body.get("model"), id=response_id)


def main() -> None:
    """Serves until killed; prints the URL first."""
    parser = argparse.ArgumentParser(description="An OpenAI gateway on loopback that answers the same text each time")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--stream-chunks", type=int, default=50, help="pieces of a streamed answer")
    parser.add_argument("--text", default=f"{'Two and two make four. ' * 12}{ANSWER_TEXT}")
    options = parser.parse_args()

    async def serve() -> None:
        gateway = Gateway(
            lambda body: options.text,
            latency=options.latency,
            stream_chunks=options.stream_chunks,
            keep_requests=False,
        )
        server = await gateway.listen(options.port)
        print(gateway.url, flush=True)  # noqa: T201 - the contract of this process
        await server.serve_forever()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
