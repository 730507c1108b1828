"""The stage of one attack: what there is to steal, change, reach and hurt (README.md), and what became of it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.sandbox.stand_in import StandIn

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.launching import barred

_OWNER_OF_SETUID = 61150
"""Nobody's: neither root's nor of those that the sandbox lends."""
_CAT = "/bin/cat"

Print = Mapping[str, tuple[object, ...]]
"""What is there below a path, by relative path."""


class Stage:
    """A context; leaving it removes all of it."""

    def __init__(self, go_seed: str | None = None) -> None:
        self._go_seed = go_seed
        self._listeners: dict[str, socket.socket] = {}
        self._stand_ins: list[StandIn] = []
        # Open to everybody by its mode: only the sandbox keeps the program away.
        self.folder = Path(tempfile.mkdtemp(prefix="attacked-", dir=temporary_folder()))
        try:
            self._build()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Idempotent."""
        for listener in self._listeners.values():
            listener.close()
        for stand_in in self._stand_ins:
            stand_in.end()
        with suppress(OSError):
            scratch.remove(str(self.folder))

    @property
    def secrets(self) -> frozenset[str]:
        """What no program may get hold of."""
        return frozenset({*self._files, *self.tool.secrets, *self.other.secrets})

    def path(self, key: str) -> Path | None:
        """The path that `changes KEY` and `creates KEY/NAME` speak of; None: there is no such key."""
        head, _, rest = key.partition("/")
        known = {**self.target, **self.target["commands"], "stage": str(self.folder)}
        found = known.get(head)
        return Path(found, rest) if isinstance(found, str) and found.startswith("/") else None

    def reached(self, name: str) -> str | None:
        """What that listener got; None: nothing."""
        listener = self._listeners.get(name)
        if listener is None:
            return None
        try:
            if listener.type == socket.SOCK_DGRAM:
                return f"got {listener.recv(1000)!r}"
            connection, _ = listener.accept()
        except BlockingIOError:
            return None
        with connection:
            connection.setblocking(False)
            with suppress(OSError):
                return f"was connected to, got {connection.recv(1000)!r}"
            return "was connected to"

    def _build(self) -> None:
        folder = self.folder
        folder.chmod(0o755)
        self._files = [f"{kind}-{os.urandom(12).hex()}" for kind in ("workspace", "name")]
        workspace = _folder(folder / "workspace", 0o755)
        _folder(workspace / ".git", 0o755)
        _file(workspace / ".git" / "config", "[core]\n\tbare = false\n", 0o644)
        _file(workspace / "secret.txt", self._files[0], 0o644)
        _file(workspace / "run.sh", "#!/bin/sh\necho a step of the job\n", 0o755)
        _file(workspace / "tell.sh", '#!/bin/sh\ncat "${0%/*}/secret.txt"\n', 0o755)
        _file(workspace / self._files[1], "its name is what nobody knows", 0o644)
        opened = _folder(folder / "open", 0o777)
        _file(opened / "canary", "untouched", 0o666)
        commands = _folder(folder / "commands", 0o777)
        for name in ("set_env", "set_output"):
            _file(commands / name, "", 0o666)
        self.tool, self.other = self._stand_in(), self._stand_in()
        setuid, setuid_file = self._set_uid_program(_folder(folder / "programs", 0o755))
        self.target: dict[str, Any] = {
            "workspace": str(workspace),
            "secret_file": str(workspace / "secret.txt"),
            "open": str(opened),
            "canary": str(opened / "canary"),
            "commands": {
                "GITHUB_ENV": str(commands / "set_env"),
                "GITHUB_OUTPUT": str(commands / "set_output"),
            },
            "tool": self.tool.pid,
            "other": self.other.pid,
            **self._ports(),
            "unix": self._unix("unix", socket.SOCK_STREAM, str(folder / "docker.sock")),
            "unix_datagram": self._unix("unix_datagram", socket.SOCK_DGRAM, str(folder / "log.sock")),
            "abstract": self._unix("abstract", socket.SOCK_STREAM, f"\0attacked-{os.urandom(6).hex()}")[1:],
            "go_seed": self._go_seed,
            "setuid": setuid,
            "setuid_file": setuid_file,
        }

    def target_json(self, **more: str) -> bytes:
        """What the program is told."""
        return json.dumps({**self.target, **more}).encode()

    def filled(self, source: bytes) -> bytes:
        """With what `target.json` has in place of each `@KEY@`: a compiler reads no JSON."""
        for key, value in self.target.items():
            source = source.replace(b"@%s@" % key.encode(), str(value).encode())
        return source

    def _stand_in(self) -> StandIn:
        self._stand_ins.append(StandIn(self.folder))
        return self._stand_ins[-1]

    def _ports(self) -> dict[str, int | None]:
        ports: dict[str, int | None] = {}
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1"),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1"),
            ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, "::1"),
        ):
            ports[name] = None
            with suppress(OSError):
                ports[name] = self._listen(name, socket.socket(family, kind), (address, 0))[1]
        return ports

    def _unix(self, name: str, kind: socket.SocketKind, path: str) -> str:
        self._listen(name, socket.socket(socket.AF_UNIX, kind), path)
        if path.startswith("/"):
            Path(path).chmod(0o666)
        return path

    def _listen(self, name: str, made: socket.socket, address: tuple[str, int] | str) -> Any:
        try:
            made.bind(address)
            if made.type == socket.SOCK_STREAM:
                made.listen(16)
        except OSError:
            made.close()
            raise
        made.setblocking(False)
        self._listeners[name] = made
        return made.getsockname()

    def _set_uid_program(self, folder: Path) -> tuple[str | None, str | None]:
        """A copy of cat that runs as a user who owns a single file, and that file; only root can make them."""
        if os.geteuid() != 0:
            return None, None
        program, file = folder / "cat", folder / "owners.txt"
        shutil.copyfile(_CAT, program)
        self._files.append(f"setuid-{os.urandom(12).hex()}")
        _file(file, self._files[-1], 0o600)
        for path in (program, file):
            os.chown(path, _OWNER_OF_SETUID, _OWNER_OF_SETUID)
        program.chmod(0o4755)
        file.chmod(0o600)
        return str(program), str(file)


def temporary_folder() -> str:
    """Where temporary files go, unless other users have no way there: then nothing but modes would hold."""
    usual = tempfile.gettempdir()
    return usual if barred(usual) is None else "/tmp"


def fingerprint(path: Path) -> Print:
    """All that could be changed about it, and about what is below it if it is a folder."""
    found: dict[str, tuple[object, ...]] = {}
    waiting = [path]
    while waiting:
        one = waiting.pop()
        name = str(one.relative_to(path))
        try:
            status = one.lstat()
        except OSError:
            found[name] = ("gone",)
            continue
        content: object = None
        if stat.S_ISDIR(status.st_mode):
            waiting += sorted(one.iterdir())
        elif stat.S_ISLNK(status.st_mode):
            content = str(one.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = hashlib.sha256(one.read_bytes()).hexdigest()
        size = None if stat.S_ISDIR(status.st_mode) else status.st_size
        found[name] = (
            *(status.st_mode, status.st_uid, status.st_gid, status.st_nlink, size, status.st_mtime_ns),
            *(_attributes(one), content),
        )
    return found


def difference(before: Print, after: Print) -> str | None:
    """The first thing that differs, in words; None: nothing."""
    names = ("mode", "owner", "group", "links", "size", "time", "attributes", "content")
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if old is None:
            return f"{path} is new"
        if new is None or new == ("gone",) or old == ("gone",):
            return f"{path} is gone"
        return f"{path}: {', '.join(name for name, a, b in zip(names, old, new, strict=False) if a != b)} changed"
    return None


def _attributes(path: Path) -> tuple[object, ...]:
    try:
        return tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in _names(path))
    except OSError:
        return ()


def _names(path: Path) -> list[str]:
    return sorted(os.listxattr(path, follow_symlinks=False))


def _folder(path: Path, mode: int) -> Path:
    path.mkdir()
    path.chmod(mode)
    return path


def _file(path: Path, text: str, mode: int) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
