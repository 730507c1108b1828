"""The table of processes, read while its contents try to mislead, and the end of all of a tree."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.sandbox.inside import has_ended, wait_until

from llm_testbench.sandbox import processes
from llm_testbench.sandbox.processes import Descendants, Process, kill_group, shared_memory, tasks_of, uids_in_use

SOURCE = str(Path(processes.__file__).resolve().parents[2])


@contextmanager
def child(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that runs meanwhile, once it has printed something."""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as found:
        assert found.stdout is not None
        found.stdout.readline()
        try:
            yield found
        finally:
            found.kill()


def in_a_tree_of_its_own(code: str) -> str:
    """What a program prints that is a subreaper, with everything of `processes` imported."""
    head = """
        import os, signal, sys, time
        from llm_testbench.sandbox import kernel, processes, uids
        from llm_testbench.sandbox.processes import *
        kernel.prctl(kernel.SET_SUBREAPER, 1)
        def stopping(uid):
            uids.become(uid)
            until = time.monotonic() + 8
            while time.monotonic() < until:
                try:
                    os.kill(-1, signal.SIGSTOP)
                except ProcessLookupError:
                    pass
        def child(act):
            pid = os.fork()
            if pid == 0:
                act()
                os._exit(0)
            return pid
    """
    script = textwrap.dedent(head) + textwrap.dedent(code)
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestDescendants:
    @pytest.mark.parametrize("name", ["a) R 1 1 1", "x y", ")", "\\n) Z 0", "é"])
    def test_a_name_may_hold_anything(self, name: str) -> None:
        with child(f"open('/proc/self/comm', 'w').write('{name}'); print(flush=True); input()") as found:
            process = Descendants().scan()[found.pid]
        assert (process.parent, process.alive, process.tasks) == (os.getpid(), True, 1)
        assert 1 << 20 < process.memory < 1 << 30

    def test_grandchildren_and_nobody_else(self) -> None:
        code = (
            "import subprocess, sys; p = subprocess.Popen(['sleep', '20']); print(p.pid, flush=True); input(); p.kill()"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as found:
            assert found.stdout is not None
            grandchild = int(found.stdout.readline())
            table = Descendants()
            for _ in range(2):
                mine = table.scan()
                assert {found.pid, grandchild} <= set(mine)
                assert not {os.getpid(), os.getppid(), 1} & set(mine)
            assert found.stdin is not None
            found.stdin.close()

    def test_those_that_come_later_are_seen(self) -> None:
        table = Descendants()
        table.scan()
        table.forget_ended()
        with child("print(flush=True); input()") as found:
            assert found.pid in table.scan()

    def test_one_whose_first_thread_ended_is_alive_and_has_memory(self) -> None:
        code = (
            "import ctypes, threading, time\n"
            "def rest():\n    b = bytearray(50 << 20)\n    print(flush=True)\n    time.sleep(20)\n"
            "threading.Thread(target=rest).start()\nctypes.CDLL(None).pthread_exit(None)"
        )
        with child(code) as found:
            table = Descendants()
            wait_until(lambda: has_ended(found.pid), "the first thread ended")
            process = table.scan()[found.pid]
            assert (process.alive, process.thread != found.pid) == (True, True)
            assert process.memory > 50 << 20
            both = shared_memory({found.pid: process})
            assert both is None or both > 50 << 20

    def test_a_zombie_is_there_and_not_alive(self) -> None:
        with child("print(flush=True)") as found:
            table = Descendants()
            wait_until(lambda: not table.scan()[found.pid].alive, "it ended")

    def test_an_orphan_of_this_moment_is_looked_at_again(self) -> None:
        # Its parent ended while the table was read: the kernel has found it a new one by the next look.
        table = Descendants()
        with child("print(flush=True); input()") as found:
            table._foreign = set()
            unclear = {found.pid: Process(parent=1 << 22, thread=found.pid, tasks=1, memory=1, cpu=0.0)}
            assert processes._below((0, *table._foreign), unclear) == {}
            assert found.pid in table.scan()

    def test_its_time_on_the_processor(self) -> None:
        code = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); time.sleep(20)"
        with child(code) as found:
            assert 0.25 <= Descendants().scan()[found.pid].cpu < 5

    @pytest.mark.parametrize("content", [b"", b"1 (x) R 1", b"garbage", b"\xff" * 100])
    def test_lines_that_are_none_are_left_out(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "stat").write_bytes(content)
        assert processes._fields(str(tmp_path / "stat")) is None
        assert processes._fields(str(tmp_path / "missing")) is None


class TestCounts:
    def test_owners(self) -> None:
        assert os.geteuid() in uids_in_use()

    def test_threads_of_a_user(self) -> None:
        code = (
            "import threading, time\n"
            "for _ in range(5): threading.Thread(target=time.sleep, args=(20,)).start()\n"
            "print(flush=True)"
        )
        with child(code) as found:
            assert len(list(Path(f"/proc/{found.pid}/task").iterdir())) == 6
            assert tasks_of(os.geteuid()) >= 7
        assert tasks_of(4_000_000) == 0

    def test_shared_pages_count_once(self) -> None:
        code = (
            "import os, time\nb = bytearray(80 << 20)\npid = os.fork()\nif pid: print(pid, flush=True)\ntime.sleep(20)"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as found:
            assert found.stdout is not None
            other = int(found.stdout.readline())
            table = Descendants().scan()
            pair = {pid: table[pid] for pid in (found.pid, other)}
            together = shared_memory(pair)
            os.kill(other, 9)
            found.kill()
        assert sum(one.memory for one in pair.values()) > 160 << 20
        assert together is None or 80 << 20 < together < 140 << 20
        assert shared_memory(pair) in (0, None)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root takes another user's id")
    def test_shared_pages_of_another_user_without_the_capability_to_look_at_others(self) -> None:
        said = in_a_tree_of_its_own(
            """
            import struct
            block = bytearray(b"x") * (80 << 20)
            def hold():
                uids.become(61996)
                kernel.prctl(kernel.SET_DUMPABLE, 1)
                time.sleep(20)
            pair = [child(hold), child(hold)]
            time.sleep(0.3)
            # CAP_KILL, CAP_SETGID, CAP_SETUID, as a container's root has them.
            left = 1 << 5 | 1 << 6 | 1 << 7
            kernel.call("capset", struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", left, left, 0, 0, 0, 0))
            table = Descendants().scan()
            print(sum(table[pid].memory for pid in pair) > 160 << 20, 40 << 20 < shared_memory(table) < 140 << 20)
            for pid in pair:
                os.kill(pid, signal.SIGKILL)
            """
        )
        assert said == "True True\n"

    def test_maps_that_may_not_be_read(self) -> None:
        if os.geteuid() == 0:
            pytest.skip("root may read them")
        assert shared_memory({1: Process(0, 1, 1, 1, 0.0)}) is None


class TestTheEnd:
    def test_of_a_tree_that_runs_away(self) -> None:
        said = in_a_tree_of_its_own(
            """
            def spread(depth):
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                os.setsid()
                for _ in range(2):
                    if depth:
                        child(lambda: spread(depth - 1))
                time.sleep(20)
            main = child(lambda: spread(3))
            table = Descendants()
            while len(table.scan(full=True)) < 15:
                time.sleep(0.01)
            reaper = Reaper(main)
            reaper.held = False
            print(end_all(table, None, reaper), reaper(), len(table.scan(full=True)), reaper.killed)
            """
        )
        assert said == "0 False 0 14\n"

    def test_of_one_group_at_once(self) -> None:
        said = in_a_tree_of_its_own(
            """
            def group():
                os.setsid()
                for _ in range(5):
                    child(lambda: time.sleep(20))
                print(flush=True)
                time.sleep(20)
            main = child(group)
            table = Descendants()
            while len(table.scan(full=True)) < 6:
                time.sleep(0.01)
            kill_group(main)
            reaper = Reaper(main)
            while not reaper.main_ended:
                reaper()
            print(reaper(), reaper.status)
            reaper.held = False
            print(end_all(table, None, reaper), reaper.status, reaper.killed)
            """
        )
        assert said.split("\n")[1:] == ["True None", "0 9 5", ""]

    def test_what_it_used_is_added_up(self) -> None:
        said = in_a_tree_of_its_own(
            """
            def work():
                b = bytearray(60 << 20)
                while time.process_time() < 0.2: pass
            mains = [child(work) for _ in range(2)]
            reaper = Reaper(mains[0])
            while not reaper.main_ended or reaper.held and reaper.cpu < 0.1:
                reaper()
                reaper.held = False
            while reaper():
                time.sleep(0.01)
            print(0.35 < reaper.cpu < 2, 60 << 20 < reaper.peak_memory < 200 << 20, reaper.status, reaper.killed)
            """
        )
        assert said == "True True 0 0\n"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root takes another user's id")
    def test_of_a_user_reaches_what_left_every_group(self) -> None:
        said = in_a_tree_of_its_own(
            """
            from llm_testbench.sandbox.uids import become
            def wander():
                become(61999)
                until = time.monotonic() + 10
                while time.monotonic() < until:
                    os.setsid() if os.getsid(0) != os.getpid() else None
                    if os.fork():
                        os._exit(0)
            main = child(wander)
            time.sleep(0.1)
            reaper = Reaper(main)
            reaper.held = False
            print(end_all(Descendants(), 61999, reaper), reaper(), 61999 in uids_in_use())
            """
        )
        assert said == "0 False False\n"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root takes another user's id")
    def test_of_a_user_who_stops_whoever_has_its_id(self) -> None:
        said = in_a_tree_of_its_own(
            """
            main = child(lambda: stopping(61997))
            time.sleep(0.1)
            looks = [unlinked((main,), "/nowhere", 1, 61997)[0] for _ in range(40)]
            for _ in range(40):
                # As if it went on for a while: it is killed, and another is there.
                processes._kill_user(61997)
                child(lambda: stopping(61997))
            reaper = Reaper(main)
            reaper.held = False
            print(looks == [0] * 40, end_all(Descendants(), 61997, reaper), reaper(), 61997 in uids_in_use())
            """
        )
        assert said == "True 0 False False\n"

    def test_a_group_that_is_gone_is_no_error(self) -> None:
        with child("import os; os.setsid(); print(flush=True)") as found:
            found.wait()
            kill_group(found.pid)
