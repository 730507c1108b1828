"""The sandbox put to the test on this machine: harmless attacks, which ship with the tool, run inside it.

Each tries one thing that a promise forbids, on a stage of its own making: nothing of the user's is aimed at. It prints
whether it succeeded.
"""

from __future__ import annotations

import builtins
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.launching import reachable
from llm_testbench.sandbox.model import Job, Limits, Promise, Ran, Step
from llm_testbench.sandbox.programs import Unavailable, Workshop
from llm_testbench.sandbox.proof import python

_SUCCEEDED = "ATTACK-SUCCEEDED"
_LONGEST = 300  # characters of what an attack says
_LIMITS = Limits(wall=10.0, cpu=5.0)


@dataclass(frozen=True, slots=True)
class Attack:
    """`goal`: what it tries, our own words; `source`: Python that needs the standard library alone."""

    name: str
    promise: Promise
    goal: str
    source: str


@dataclass(frozen=True, slots=True)
class Tried:
    """`done`: what the attack did in spite of the sandbox, "" when it was held back. Untrusted, as `trouble` is.

    `trouble`: why it could not be tried, "" where it was.
    """

    attack: Attack
    done: str = ""
    trouble: str = ""


def attacks() -> tuple[Attack, ...]:
    """Those that ship, in the order of the promises. Raises OSError."""
    # A wheel carries the folder inside the package; a checkout has it among the tests.
    packaged = Path(__file__).parent / "attacks"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[3] / "tests" / "sandbox" / "attacks" / "promises"
    found = [_attack(path) for path in sorted(folder.glob("*.py"))]
    return tuple(sorted(found, key=lambda attack: list(Promise).index(attack.promise)))


def trial(workshop: Workshop, some: Sequence[Attack]) -> Iterator[Tried]:
    """Tries them one by one. Raises OSError where there can be no stage, and SandboxError."""
    with _stage() as target:
        for attack in some:
            files = {"main.py": attack.source.encode(), "target.json": json.dumps(target).encode()}
            job = Job((Step((python(), "-I", "-S", "main.py"), _LIMITS),), files)
            ran = workshop.run_steps(job)
            yield Tried(attack, trouble=ran.reason) if isinstance(ran, Unavailable) else _judged(attack, ran[0])


def _attack(path: Path) -> Attack:
    source = path.read_text("utf-8")
    head: dict[str, str] = {}
    for line in source.splitlines():
        key, colon, value = line.removeprefix("# ").partition(": ")
        if not line.startswith("# ") or not colon:
            break
        head[key] = value
    return Attack(path.stem, Promise(head["promise"]), head["goal"], source)


def _judged(attack: Attack, ran: Ran) -> Tried:
    for line in ran.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith(_SUCCEEDED):
            return Tried(attack, done=line.removeprefix(_SUCCEEDED).strip()[:_LONGEST] or attack.goal)
    last = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    refused = ran.ok or ran.signal is not None or _is_refusal(last)
    if ran.not_started is None and ran.limit_hit is None and refused:
        return Tried(attack)
    return Tried(attack, trouble=(ran.not_started or ran.limit_hit or last or f"it ended with {ran.exit}")[:_LONGEST])


def _is_refusal(last: str) -> bool:
    """Whether Python's last words say that the system refused something: a fault of the attack proves nothing."""
    kind = getattr(builtins, last.partition(":")[0], None)
    return isinstance(kind, type) and issubclass(kind, OSError)


@contextmanager
def _stage() -> Iterator[Mapping[str, object]]:
    """What the attacks are aimed at, as their target.json describes it. Only the sandbox keeps programs away."""
    with ExitStack() as stack:
        base = tempfile.mkdtemp(prefix="llm-testbench-trial-", dir=reachable())
        stack.callback(_remove, base)
        folder = Path(base)
        folder.chmod(0o755)
        secret, canary = _file(folder / "workspace" / "secret.txt", 0o644), _file(folder / "outside" / "canary", 0o666)
        commands = {name: str(_file(folder / "commands" / name, 0o666)) for name in ("GITHUB_ENV", "GITHUB_OUTPUT")}
        tcp = stack.enter_context(_listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)))
        udp = stack.enter_context(_listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)))
        abstract = f"llm-testbench-{os.urandom(9).hex()}"
        stack.enter_context(_listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}"))
        for name, kind in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM)):
            stack.enter_context(_listener(socket.AF_UNIX, kind, f"{base}/{name}"))
            (folder / name).chmod(0o666)
        yield {
            "workspace": str(secret.parent),
            "secret_file": str(secret),
            "canary": str(canary),
            "commands": commands,
            "tool": stack.enter_context(_stand_in()),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "unix": f"{base}/stream",
            "unix_datagram": f"{base}/datagram",
            "abstract": abstract,
        }


def _file(path: Path, mode: int) -> Path:
    """In a new folder that everybody may write to if they may write to the file."""
    path.parent.mkdir(exist_ok=True)
    path.parent.chmod(0o777 if mode & 0o002 else 0o755)
    path.write_text(f"{os.urandom(12).hex()}\n", "ascii")
    path.chmod(mode)
    return path


@contextmanager
def _listener(family: int, kind: int, address: str | tuple[str, int]) -> Iterator[socket.socket]:
    with socket.socket(family, kind) as made:
        made.bind(address)
        if kind == socket.SOCK_STREAM:
            made.listen(64)
        yield made


@contextmanager
def _stand_in() -> Iterator[int]:
    """The pid of a process that holds a secret as this one does, and that nobody misses."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"LLMTB_API_KEY": os.urandom(12).hex()},
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def _remove(base: str) -> None:
    with suppress(OSError):
        scratch.remove(base)
