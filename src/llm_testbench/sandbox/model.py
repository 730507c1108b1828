"""What goes into the sandbox and what comes out: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

MIB = 1 << 20


class Layer(StrEnum):
    """One kind of confinement; each holds by itself, and they overlap on purpose."""

    NO_NEW_PRIVILEGES = "no_new_privileges"
    OWN_UID = "own_uid"
    FILES = "landlock_files"
    NETWORK = "landlock_network"
    SCOPE = "landlock_scope"
    CALLS = "seccomp"
    MOUNTS = "read_only_mounts"
    RESOURCES = "resource_limits"
    WATCH = "watch"


class Promise(StrEnum):
    """What a user may rely on, whichever layers bring it about."""

    FILES = "files"
    NETWORK = "network"
    SIGNALS = "signals"
    SECRETS = "secrets"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one step may use: seconds, bytes, counts; memory, CPU and processes are those of all its processes.

    Less memory than 32 MiB cannot be told from that of the launcher, which each process is for a moment.
    """

    wall: float = 30.0
    cpu: float = 15.0
    memory: int = 512 * MIB
    processes: int = 64
    """Tasks at once: threads count."""
    open_files: int = 64
    file_size: int = 64 * MIB
    scratch: int = 256 * MIB
    """Bytes that its folder may hold."""
    entries: int = 20_000
    """Files and folders in it."""
    stack: int = 8 * MIB
    output: int = MIB
    """Bytes kept of stdout, and of stderr; the program may write more."""
    reserve: int | None = None
    """Bytes of private writable memory that a process may map; None: twice `memory` and 1 GiB."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command in the run's folder. `argv[0]` is an absolute path, or relative to that folder.

    `reads`: folders beside the system's that it may read and execute, such as a toolchain.
    `own_proc`: it may read its own /proc/self. `chmod`: it may change the modes of files by path, as linkers do.
    `collect`: files of the folder that are read back afterwards, at most `output` bytes each.
    """

    argv: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    own_proc: bool = False
    chmod: bool = False
    collect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """Steps that share one new folder, which holds `files` (by relative path) at first and is removed at the end.

    A step begins when the one before it ended with exit code 0 and all of its processes are gone.
    """

    steps: tuple[Step, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a step. `exit` or `signal` is None unless it ended that way.

    `limit_hit`: which limit ended it: `wall`, `cpu`, `memory`, `processes`, `file_size`, `scratch`, `entries`, `depth`,
    `output`, or `machine` when the machine ran short. `leftover`: processes it left behind, killed since.
    `not_started`: why it never ran, one line. All that it wrote is untrusted.
    """

    exit: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    limit_hit: str | None = None
    output_capped: bool = False
    wall: float = 0.0
    cpu: float = 0.0
    peak_memory: int = 0
    leftover: int = 0
    not_started: str | None = None
    layers: tuple[Layer, ...] = ()
    collected: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def timed_out(self) -> bool:
        """Whether time ran out, on the clock or on the processor."""
        return self.limit_hit in ("wall", "cpu")

    @property
    def ok(self) -> bool:
        """Ended by itself with exit code 0; which says nothing about what it did."""
        return self.exit == 0 and self.limit_hit is None and self.not_started is None


@dataclass(frozen=True, slots=True)
class State:
    """Whether a layer is there on this machine, and what there is to say about it."""

    active: bool
    detail: str = ""


class SandboxError(Exception):
    """The sandbox itself failed; `str()` is one line. Nothing of the program runs any more."""
