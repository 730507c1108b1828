"""The sandbox does not trust its own report: at the start of a run it tries the forbidden acts, inside.

Takes some 0.1 s. What it tries is harmless where it succeeds.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from llm_testbench.sandbox import scratch
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Limits, Promise, Step

_ACTS = r"""
import os, socket, sys
canary, tool = sys.argv[1], int(sys.argv[2])
def attempt(promise, act):
    try:
        act()
    except BaseException as error:
        print(promise, "refused", type(error).__name__)
    else:
        print(promise, "done", act.__doc__)
def read():
    "reads a file outside"
    open(canary).read()
def append():
    "writes to a file outside"
    open(canary, "a")
def create():
    "makes a file outside"
    open(os.path.dirname(canary) + "/new", "w")
def listing():
    "lists a folder outside"
    os.listdir(os.path.dirname(canary))
def environ():
    "reads the environment of the tool"
    open("/proc/%d/environ" % tool).read()
def memory():
    "opens the memory of the tool"
    open("/proc/%d/mem" % tool, "rb")
def inet():
    "opens an internet socket"
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def unix():
    "opens a unix socket"
    socket.socket(socket.AF_UNIX)
def datagrams():
    "opens a pair of datagram sockets"
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
def signal():
    "may signal the tool"
    os.kill(tool, 0)
for act in (read, append, create, listing):
    attempt("files", act)
for act in (environ, memory):
    attempt("secrets", act)
for act in (inet, unix, datagrams):
    attempt("network", act)
attempt("signals", signal)
with open("own", "w") as file:
    file.write("x")
print("end")
"""
_TRIED = {Promise.FILES: 4, Promise.SECRETS: 2, Promise.NETWORK: 3, Promise.SIGNALS: 1}
_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")


def broken(launchers: Launchers) -> Mapping[Promise, str]:
    """The promises that do not hold, each with what was done in spite of it; empty when all hold."""
    base = tempfile.mkdtemp(prefix="llm-testbench-proof-")
    try:
        # Open to everybody by its mode: only the sandbox keeps the program away.
        Path(base).chmod(0o777)
        canary = Path(base, "canary")
        canary.write_text("x", encoding="ascii")
        canary.chmod(0o666)
        acts = (python(), "-I", "-S", "-c", _ACTS, str(canary), str(os.getpid()))
        (ran,) = launchers.run(Job((Step(acts, Limits(wall=10.0, cpu=5.0)),)))
    finally:
        with suppress(OSError):
            scratch.remove(base)
    limit = "" if ran.limit_hit is None else f"it broke the limit {ran.limit_hit}"
    trouble = ran.not_started or limit or ran.stderr.decode("utf-8", "replace")
    return _judged(ran.stdout.decode("utf-8", "replace"), trouble)


def python() -> str:
    """The interpreter that programs inside use: the system's, since this one may lie where they have no way."""
    for path in _PYTHONS:
        if os.access(path, os.X_OK):
            return path
    return sys.executable


def _judged(said: str, trouble: str) -> dict[Promise, str]:
    lines = said.splitlines()
    found: dict[Promise, str] = {}
    for promise, tried in _TRIED.items():
        acts = [line.split(" ", 2) for line in lines if line.startswith(f"{promise.value} ")]
        done = [act[2] for act in acts if act[1] == "done"]
        if done:
            found[promise] = f"a program in the sandbox {done[0]}"
        elif len(acts) != tried or lines[-1] != "end":
            why = trouble.strip().rpartition("\n")[2][:200] or "it said nothing"
            found[promise] = f"the proof did not run to its end: {why}"
    return found
