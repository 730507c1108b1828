"""Each case is a process of its own: the first thing it does is to give its environment away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

SECRETS = {
    "LLMTB_API_KEY": "sk-llmtb-0123456789",
    "INPUT_TOKEN": "ghs-input-0123456789",
    "B_KEY": "sk-b-0123456789",
    "PYTHON_KEY": "sk-python-0123456789",
    "LC_KEY_2": "sk-locale-0123456789",
    "https_proxy": "http://user:proxy-0123456789@localhost:1",
    "A": "x",
    "EMPTY": "",
}
# Not the environment of the test run, which a failure would print.
PLAIN = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("COVERAGE_")}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="what /proc shows is Linux's")

TAKE = """
import json, os, sys
from pathlib import Path
from llm_testbench.entry import take_environment
first = dict(os.environ)
taken = take_environment(Path(sys.argv[1]))
block = Path("/proc/self/environ")
print(json.dumps({
    "first": first,
    "taken": taken,
    "left": dict(os.environ),
    "shown": os.fsdecode(block.read_bytes()) if block.exists() else "",
    "child": os.popen("env").read(),
}))
"""


def python(code: str, *arguments: str, environ: Mapping[str, str] = PLAIN) -> Any:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def entered() -> Any:
    return python(
        TAKE, "/proc/self", environ={**PLAIN, **SECRETS, "TERM": "dumb", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    )


def test_the_copy_is_the_whole_environment(entered: Any) -> None:
    assert entered["taken"] == entered["first"]
    assert entered["taken"].items() >= SECRETS.items()


def test_only_harmless_variables_and_proxies_stay(entered: Any) -> None:
    left = entered["left"]
    assert left["PATH"] == os.environ["PATH"]
    assert (left["TERM"], left["LC_ALL"], left["PYTHONHASHSEED"]) == ("dumb", "C", "7")
    assert SECRETS.keys() & left.keys() == {"https_proxy"}
    assert left["https_proxy"] == SECRETS["https_proxy"]


def test_a_child_gets_no_secret(entered: Any) -> None:
    assert "PATH=" in entered["child"]
    for name in SECRETS.keys() - {"https_proxy"}:
        assert f"{name}=" not in entered["child"]


@LINUX
def test_the_memory_of_the_first_environment_holds_no_secret(entered: Any) -> None:
    assert f"PATH={os.environ['PATH']}\0" in entered["shown"]
    for name, secret in SECRETS.items():
        assert f"{name}=\0" in entered["shown"]
        if len(secret) > 1:
            assert secret not in entered["shown"]


@LINUX
def test_entries_that_only_a_strange_parent_makes_are_overwritten_too() -> None:
    # execve takes any bytes: a name twice, none at all, no "=", no UTF-8.
    strange = [b"TWICE=sk-first-0123", b"TWICE=sk-second-0123", b"=sk-nameless-0123", b"sk-alone-0123", b"\xff=sk-\xfe"]
    code = (
        "import ctypes, sys;"
        "words = lambda these: (ctypes.c_char_p * (len(these) + 1))(*these, None);"
        f"ctypes.CDLL(None).execve(sys.executable.encode(), words([sys.executable.encode(), b'-c', {TAKE!r}.encode(),"
        f" b'/proc/self']), words([{', '.join(map(repr, strange))}, b'PATH=/bin:/usr/bin']))"
    )
    shown = python(code)["shown"]
    assert "PATH=/bin:/usr/bin\0" in shown
    assert "sk-" not in shown


LIES = {
    "nothing there": {},
    "no environment": {"stat": "1 (x) S " + "0 " * 60, "environ": "", "maps": ""},
    "not the usual form": {"stat": "1 (x) S", "environ": "A=1\0", "maps": ""},
    "another length": {"stat": "{stat}", "environ": "A=1\0", "maps": "{maps}"},
    "memory that is not there": {"stat": "1 (x) S " + "0 " * 46 + "4096 4100", "environ": "A=1\0", "maps": "{maps}"},
    "memory that may not be written": {"stat": "{stat}", "environ": "{environ}", "maps": "0-ffffffffffffffff r--p 0"},
    "memory that holds something else": {"stat": "{stat}", "environ": "{other}", "maps": "{maps}"},
}


@LINUX
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_proc_that_tells_something_else_changes_no_memory(tmp_path: Path, lie: dict[str, str]) -> None:
    code = (
        "import sys; from pathlib import Path; real = Path('/proc/self'); told = Path(sys.argv[1]);"
        "texts = {name: (real / name).read_bytes() for name in ('stat', 'environ', 'maps')};"
        "texts['other'] = texts['environ'].replace(b'LLMTB', b'OTHER');"
        "[p.write_bytes(texts[p.read_text()[1:-1]]) for p in told.iterdir() if p.read_text().startswith('{')];"
    )
    for name, text in lie.items():
        (tmp_path / name).write_text(text)

    told = python(code + TAKE, str(tmp_path), environ={**PLAIN, **SECRETS})

    assert set(told["left"]) & set(SECRETS) == {"https_proxy"}
    assert SECRETS["LLMTB_API_KEY"] in told["shown"]


NOBODY = 65534

# Becomes an ordinary user's process, which any other process of that user may look into; then the real
# command line starts, with a command that waits.
TARGET = """
import ctypes, os, sys
from llm_testbench import cli, entry
from llm_testbench.commands import edges
def wait(flags, arguments, world):
    print(world.environ["B_KEY"], flush=True)
    sys.stdin.readline()
    return 0
# All that is imported on the way, since that user may be unable to read it.
cli.main(["version"], edges=edges.Edges(), find=lambda name: lambda flags, arguments, world: 0)
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
print("ready", flush=True)
sys.stdin.readline()
sys.exit(cli.main(["version"], find=lambda name: wait))
"""
LOOK = """
import json, os, sys
pid, user = sys.argv[1:]
os.setgroups([]); os.setgid(int(user)); os.setuid(int(user))
def look(name):
    try:
        if name == "fd":
            return os.readlink(f"/proc/{pid}/fd/0") != ""
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return name == "mem" or file.read() != b""
    except PermissionError:
        return False
print(json.dumps([name for name in ("environ", "mem", "fd") if look(name)]))
"""


@LINUX
@pytest.mark.skipif(os.geteuid() != 0, reason="becomes other users")
def test_another_process_of_the_same_user_cannot_look_into_it() -> None:
    measured_by_nobody = {"PATH": PLAIN["PATH"]}  # coverage's file is one that such a user cannot write

    def look(user: int) -> Any:
        return python(LOOK, str(target.pid), str(user), environ=measured_by_nobody)

    with subprocess.Popen(
        [sys.executable, "-c", TARGET, str(NOBODY)],
        env={**measured_by_nobody, **SECRETS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as target:
        assert target.stdin is not None
        assert target.stdout is not None
        assert target.stdout.readline() == "ready\n"
        before = look(NOBODY)
        target.stdin.write("go\n")
        assert target.stdout.readline() == SECRETS["B_KEY"] + "\n"
        after = look(NOBODY)
        stranger = look(NOBODY - 1)
        target.stdin.write("go\n")
    assert target.returncode == 0
    assert before == ["environ", "mem", "fd"]
    assert after == stranger == []
