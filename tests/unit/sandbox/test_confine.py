"""What a program finds inside: layer by layer, as the program itself sees it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.sandbox.inside import ran, said

from llm_testbench.sandbox.file_rules import DEVICES, READABLE
from llm_testbench.sandbox.launcher import ENVIRONMENT
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.limit_rules import LIMIT_RULES
from llm_testbench.sandbox.model import MIB, Job, Layer, Limits, State, Step

TRY = """
import sys
def attempt(name, act):
    try:
        act()
        print(name, "done")
    except OSError as error:
        print(name, error.strerror)
"""


@pytest.fixture(scope="module")
def layers(launchers: Launchers) -> set[Layer]:
    return {layer for layer, state in launchers.layers.items() if state.active}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user may change, on a way that every user may go."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & 0o055 != 0o055:
            folder.chmod(folder.stat().st_mode | 0o055)
    tmp_path.chmod(0o777)
    (tmp_path / "file").write_text("kept")
    (tmp_path / "file").chmod(0o666)
    yield tmp_path
    tmp_path.chmod(0o700)


class TestEnvironment:
    def test_it_is_pinned(self, launchers: Launchers, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        code = "import json, os; print(json.dumps([dict(os.environ), os.getcwd()]))"
        found, folder = json.loads(said(launchers, code, environment={"GOROOT": "/opt/go"}))
        assert found == {**ENVIRONMENT, "HOME": folder, "TMPDIR": f"{folder}/.tmp", "GOROOT": "/opt/go"}
        assert {"TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}.items() <= found.items()
        assert {"GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"}.items() <= found.items()

    def test_nothing_is_left_open(self, launchers: Launchers) -> None:
        code = (
            "import os\ndef is_open(n):\n  try: os.fstat(n); return True\n  except OSError: return False\n"
            "print([n for n in range(4096) if is_open(n)])"
        )
        assert said(launchers, code) == said(launchers, code, stdin=b"x") == "[0, 1, 2]\n"

    @pytest.mark.parametrize("name", ["PIPE", "XFSZ", "INT", "TERM"])
    def test_signals_are_as_a_program_expects_them(self, launchers: Launchers, name: str) -> None:
        (found,) = launchers.run(Job((Step(("/bin/sh", "-c", f"kill -{name} $$; echo alive")),)))
        assert (found.signal, found.stdout) == (signal.Signals[f"SIG{name}"], b"")

    def test_the_umask_is_not_that_of_whoever_asks(self) -> None:
        before = os.umask(0o077)
        try:
            with Launchers(at_once=1) as own:
                assert said(own, "import os; print(oct(os.umask(0)))") == "0o22\n"
        finally:
            os.umask(before)

    def test_session_and_priority(self, launchers: Launchers) -> None:
        code = "import os; print(os.getsid(0) == os.getpid() == os.getpgid(0), os.nice(0))"
        leads, nice = said(launchers, code).split()
        assert (leads, int(nice) >= 5) == ("True", True)

    def test_its_groups_and_capabilities_are_gone(self, launchers: Launchers) -> None:
        code = (
            "print(*(line for line in open('/proc/self/status') if line.startswith(('Cap', 'NoNewPrivs', 'Groups'))))"
        )
        told = dict(
            line.split(":") for line in said(launchers, code, own_proc=True).replace("\n ", "\n").splitlines() if line
        )
        wanted = {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapAmb": 0}
        if os.geteuid() == 0:
            assert told["Groups"].strip() == ""
            wanted["CapBnd"] = 0
        assert {name: int(told[name], 16) for name in wanted} == wanted
        assert told["NoNewPrivs"].strip() == "1"


class TestFiles:
    @pytest.fixture(autouse=True)
    def needs(self, layers: set[Layer]) -> None:
        if Layer.FILES not in layers:
            pytest.skip("no Landlock here")

    def test_nothing_outside_is_read_or_changed(self, launchers: Launchers, outside: Path) -> None:
        code = TRY + (
            "import os\nfile, folder = sys.argv[1], os.path.dirname(sys.argv[1])\n"
            "attempt('read', lambda: open(file))\n"
            "attempt('append', lambda: open(file, 'a'))\n"
            "attempt('list', lambda: os.listdir(folder))\n"
            "attempt('create', lambda: open(folder + '/new', 'w'))\n"
            "attempt('folder', lambda: os.mkdir(folder + '/new'))\n"
            "attempt('remove', lambda: os.unlink(file))\n"
            "attempt('rename', lambda: os.rename(file, 'mine'))\n"
            "attempt('link', lambda: os.link(file, 'mine'))\n"
            "attempt('truncate', lambda: os.truncate(file, 0))\n"
            "attempt('execute', lambda: os.execv(file, [file]))\n"
        )
        lines = said(launchers, code, str(outside / "file")).splitlines()
        assert [line for line in lines if line.endswith("done")] == []
        assert len(lines) == 10
        assert (outside / "file").read_text() == "kept"
        assert [one.name for one in outside.iterdir()] == ["file"]

    def test_what_a_step_names_is_read_and_not_changed(self, launchers: Launchers, outside: Path) -> None:
        code = TRY + "attempt('read', lambda: open(sys.argv[1]))\nattempt('append', lambda: open(sys.argv[1], 'a'))\n"
        found = said(launchers, code, str(outside / "file"), reads=(str(outside),))
        # Mounts refuse it first where there are any.
        assert found.splitlines()[0] == "read done"
        assert found.splitlines()[1] in ("append Permission denied", "append Read-only file system")
        (one,) = [ran(launchers, "", reads=("/nowhere/at/all",))]
        assert one.not_started is not None
        assert one.not_started.startswith("landlock_files: ")

    @pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline"])
    def test_proc_is_closed_but_for_the_own_where_it_is_needed(self, launchers: Launchers, path: str) -> None:
        code = TRY + "attempt('read', lambda: open(sys.argv[1]).read())\n"
        assert said(launchers, code, path) == "read Permission denied\n"
        assert ("done" in said(launchers, code, path, own_proc=True)) == path.startswith("/proc/self")

    def test_the_own_folder_is_open_to_all_but_sockets_and_devices(self, launchers: Launchers) -> None:
        code = TRY + (
            "import os, stat\n"
            "attempt('file', lambda: open('a', 'w').write('x'))\n"
            "attempt('folder', lambda: os.mkdir('b'))\n"
            "attempt('rename', lambda: os.rename('a', 'b/a'))\n"
            "attempt('link', lambda: os.symlink('b', 'c'))\n"
            "attempt('second', lambda: os.link('b/a', 'd'))\n"
            "attempt('fifo', lambda: os.mkfifo('e'))\n"
            "attempt('truncate', lambda: os.truncate('d', 0))\n"
            "attempt('remove', lambda: os.unlink('d'))\n"
            "attempt('socket', lambda: os.mknod('f', stat.S_IFSOCK))\n"
            "attempt('device', lambda: os.mknod('g', stat.S_IFCHR, os.makedev(1, 3)))\n"
        )
        lines = said(launchers, code).splitlines()
        assert [line for line in lines if not line.endswith("done")] == [
            "socket Permission denied",
            lines[-1],
        ]
        assert lines[-1] in ("device Permission denied", "device Operation not permitted")

    def test_the_rules_are_about_what_is_there(self) -> None:
        for rule in (*READABLE, *DEVICES):
            assert rule.path.startswith("/")
            assert rule.why
        paths = [rule.path for rule in (*READABLE, *DEVICES)]
        assert len(paths) == len(set(paths))

    def test_the_devices_may_be_written(self, launchers: Launchers) -> None:
        assert (
            said(launchers, "open('/dev/null', 'w').write('x'); print(open('/dev/zero', 'rb').read(1))") == "b'\\x00'\n"
        )

    def test_files_are_copied_with_their_modes(self, launchers: Launchers) -> None:
        code = "import os; open('a', 'w'); print(os.system('cp -p a b && cp -a a c && install -m 755 a d && ls'))"
        found = ran(launchers, code, chmod=True)
        assert (found.stdout, found.stderr) == (b"a\nb\nc\nd\n0\n", b"")


class TestNetwork:
    @pytest.mark.parametrize(
        "without", [(), ("seccomp",), ("landlock_network",)], ids=lambda one: "".join(one) or "all"
    )
    def test_no_connection_is_made_by_either_layer(self, layers: set[Layer], without: tuple[str, ...]) -> None:
        left = {Layer.CALLS, Layer.NETWORK} & layers - {Layer(one) for one in without}
        if not left:
            pytest.skip("neither layer is there")
        code = TRY + (
            "import socket\n"
            "attempt('connect', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1))\n"
            "attempt('listen', lambda: socket.socket().bind(('127.0.0.1', 0)))\n"
        )
        with socket.create_server(("127.0.0.1", 0)) as server, Launchers(at_once=1, without=frozenset(without)) as own:
            found = said(own, code, str(server.getsockname()[1]))
        assert found == "connect Permission denied\nlisten Permission denied\n"

    def test_pairs_of_streams_work(self, launchers: Launchers) -> None:
        code = "import socket; a, b = socket.socketpair(); a.sendall(b'x'); print(b.recv(1))"
        assert said(launchers, code) == "b'x'\n"


class TestLimits:
    def test_the_kernels_are_those_of_the_step(self, launchers: Launchers) -> None:
        code = "import json, resource; print(json.dumps({n: resource.getrlimit(n) for n in range(16)}))"
        limits = Limits(cpu=3.5, memory=300 * MIB, open_files=20, file_size=5 * MIB, stack=4 * MIB, reserve=700 * MIB)
        found = json.loads(said(launchers, code, limits=limits))
        expected = {
            resource.RLIMIT_CPU: [4, 5],
            resource.RLIMIT_FSIZE: [5 * MIB] * 2,
            resource.RLIMIT_NOFILE: [20] * 2,
            resource.RLIMIT_STACK: [4 * MIB, 300 * MIB],
            resource.RLIMIT_DATA: [700 * MIB] * 2,
            resource.RLIMIT_CORE: [1] * 2,
            resource.RLIMIT_MEMLOCK: [MIB] * 2,
            resource.RLIMIT_RTPRIO: [0] * 2,
            resource.RLIMIT_SIGPENDING: [1024] * 2,
            resource.RLIMIT_MSGQUEUE: [0] * 2,
        }
        for which, values in expected.items():
            highest = resource.getrlimit(which)[1]
            most = values if highest == resource.RLIM_INFINITY else [min(one, highest) for one in values]
            assert (which, found[str(which)]) == (which, most)

    def test_by_default_private_memory_is_twice_the_memory_and_a_gibibyte(self) -> None:
        (rule,) = [one for one in LIMIT_RULES if one.name == "private memory"]
        assert rule.soft(Limits(memory=100 * MIB)) == 200 * MIB + (1 << 30)
        assert rule.soft(Limits(reserve=5)) == 5

    def test_each_has_its_reason(self) -> None:
        names = [rule.name for rule in LIMIT_RULES]
        assert len(names) == len(set(names))
        assert all(rule.why for rule in LIMIT_RULES)

    def test_processes_are_counted_for_this_run_alone(self, launchers: Launchers, layers: set[Layer]) -> None:
        code = (
            "import os, time\nmade = 0\n"
            "try:\n"
            "    for _ in range(60):\n"
            "        if os.fork() == 0:\n            time.sleep(5); os._exit(0)\n"
            "        made += 1\n"
            "except OSError as error:\n    print(error.strerror, made)\n"
        )
        found = ran(launchers, code, limits=Limits(processes=10, wall=5.0))
        if Layer.OWN_UID in layers or Layer.MOUNTS in layers:
            *words, made = found.stdout.split()
            assert words == [b"Resource", b"temporarily", b"unavailable"]
            # Those of the user id's last run may count for a moment longer.
            assert 1 <= int(made) <= 9
            assert found.leftover == int(made)
        else:
            assert found.limit_hit == "processes" or b"unavailable" in found.stdout

    def test_it_is_the_first_to_go_when_memory_runs_out(self, launchers: Launchers) -> None:
        code = "print(open('/proc/self/oom_score_adj').read())"
        assert said(launchers, code, own_proc=True).strip() == "1000"


class TestOneGroup:
    def test_a_command_with_a_time_limit_ends_nobody_else(self, launchers: Launchers) -> None:
        code = "import os; print(os.system('timeout 0.1 sleep 5') >> 8)"
        assert said(launchers, code) == "124\n"

    def test_nobody_leaves_it(self, launchers: Launchers) -> None:
        code = "import os; os.setsid(); os.setpgid(0, 0); print(os.getpgid(0) == os.getpid(), flush=True)\n"
        code += "if os.fork() == 0: os.setsid(); print(os.getpgid(0) == os.getppid(), flush=True); os._exit(0)\n"
        assert said(launchers, code + "os.wait()").count("True") == 2


class TestLayersAreTold:
    def test_those_that_were_put_on(self, launchers: Launchers, layers: set[Layer]) -> None:
        assert set(ran(launchers, "").layers) == layers

    def test_a_user_has_another_set_than_root(self, launchers: Launchers, layers: set[Layer]) -> None:
        assert (Layer.OWN_UID in layers) == (os.geteuid() == 0)
        told: State = launchers.layers[Layer.MOUNTS]
        assert told.active or told.detail

    def test_the_own_uid_is_nobodys(self, launchers: Launchers) -> None:
        uid = int(said(launchers, "import os; print(os.getuid())"))
        assert (61184 <= uid < 61248) if os.geteuid() == 0 else uid == os.geteuid()
