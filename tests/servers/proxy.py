"""A real HTTP proxy on loopback, in a thread of its own.

    with Proxy(to=server.url, login="user:word") as proxy:     # whatever host is asked for, `to` is reached
        ask("https://gateway.example.com/v1", proxies={"https": proxy.url})
        proxy.asked                                             # ["CONNECT gateway.example.com:443"]

It tunnels (CONNECT) and forwards (`POST http://host/path`). With a `login`, whoever does not send it gets 407.
"""

from __future__ import annotations

import asyncio
import base64
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_PIECE = 64 * 1024


class Proxy:
    """The server; see the module's docstring."""

    def __init__(self, to: str, login: str | None = None) -> None:
        parts = urlsplit(to)
        self.url = ""
        self.asked: list[str] = []
        self._to = (parts.hostname, parts.port)
        self._login = None if login is None else f"basic {base64.b64encode(login.encode()).decode()}"
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="test-proxy", daemon=True)

    def __enter__(self) -> Self:
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        self.asked.append(f"{method} {target}")
        sent = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if self._login is not None and sent.get("proxy-authorization", "").lower() != self._login.lower():
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        there, onwards = await asyncio.open_connection(*self._to)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            path = urlsplit(target).path
            onwards.write(head.replace(target.encode(), path.encode(), 1))
        try:
            await asyncio.gather(_pump(reader, onwards), _pump(there, writer))
        finally:
            onwards.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_PIECE):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
