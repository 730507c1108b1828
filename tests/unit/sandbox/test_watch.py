"""What a step may use, what is kept of it, and how it ends: seen from the one call."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.unit.sandbox.inside import ran, said

from llm_testbench.sandbox import watch
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import MIB, Layer, Limits

FORK = "import os, sys, time\ndef child(act):\n    if os.fork() == 0:\n        act()\n        os._exit(0)\n"
LIMITS: dict[str, tuple[str, Limits]] = {
    "wall": ("import time; time.sleep(30)", Limits(wall=0.3)),
    "cpu": ("while True: pass", Limits(cpu=1.0, wall=10.0)),
    "memory": ("b = bytearray(300 << 20); import time; time.sleep(10)", Limits(memory=64 * MIB, wall=10.0)),
    "file_size": ("open('x', 'wb').write(bytes(3 << 20))", Limits(file_size=MIB)),
    "scratch": (
        "import time\nfor n in range(8): open(str(n), 'wb').write(bytes(2 << 20))\ntime.sleep(10)",
        Limits(scratch=5 * MIB, file_size=4 * MIB, wall=10.0),
    ),
    "entries": ("import time\nfor n in range(300): open(str(n), 'w')\ntime.sleep(10)", Limits(entries=200, wall=10.0)),
    "depth": ("import os, time\nfor n in range(200): os.mkdir('d'); os.chdir('d')\ntime.sleep(10)", Limits(wall=10.0)),
    "output": ("import os\nwhile True: os.write(1, bytes(65536))", Limits(output=10_000, wall=10.0)),
}


class TestLimits:
    @pytest.mark.parametrize("name", LIMITS)
    def test_each_ends_the_step_and_is_told(self, launchers: Launchers, name: str) -> None:
        code, limits = LIMITS[name]
        # Python itself would turn the signal into an exception.
        quiet = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        found = ran(launchers, quiet + code, limits=limits)
        assert (found.limit_hit, found.exit, found.ok) == (name, None, False)
        assert found.timed_out == (name in ("wall", "cpu"))
        assert found.wall < 10

    @pytest.mark.parametrize("name", ["scratch", "entries", "depth"])
    def test_the_folder_is_measured_at_the_end_too(self, launchers: Launchers, name: str) -> None:
        code, limits = LIMITS[name]
        found = ran(launchers, code.replace("time.sleep(10)", ""), limits=limits)
        assert found.limit_hit == name

    @pytest.mark.parametrize("keeps", ["open", "mapped"])
    def test_files_that_the_folder_shows_no_more_count(self, launchers: Launchers, keeps: str) -> None:
        code = (
            "import mmap, os, sys, time\nkept = []\n"
            "for n in range(20):\n"
            "    file = open('x', 'w+b'); file.write(os.urandom(1 << 20) * 4); file.flush(); os.unlink('x')\n"
            "    kept.append(file if sys.argv[1] == 'open' else mmap.mmap(file.fileno(), 4096))\n"
            "time.sleep(10)\n"
        )
        limits = Limits(scratch=30 * MIB, file_size=5 * MIB, wall=10.0)
        assert ran(launchers, code, keeps, limits=limits).limit_hit == "scratch"
        fewer = code.replace("range(20)", "range(5)").replace("sleep(10)", "sleep(0.3)")
        assert ran(launchers, fewer, keeps, limits=limits).limit_hit != "scratch"

    def test_what_others_write_does_not_count(self, launchers: Launchers, tmp_path: Path) -> None:
        limits = Limits(scratch=MIB, wall=10.0)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(ran, launchers, "import time; time.sleep(0.6)", limits=limits)
            while not running.done():
                (tmp_path / "large").write_bytes(b"x" * (20 * MIB))
            brief = [ran(launchers, "", limits=limits) for _ in range(3)]
        assert [one.limit_hit for one in (running.result(), *brief)] == [None] * 4

    def test_who_hides_open_files_while_room_is_lost_is_ended(self, launchers: Launchers, tmp_path: Path) -> None:
        code = "import ctypes, time; ctypes.CDLL(None).prctl(4, 0); open('ready', 'w'); time.sleep(8)"
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(ran, launchers, code, limits=Limits(scratch=MIB, wall=8.0))
            for number in range(100):
                if running.done():
                    break
                (tmp_path / str(number)).write_bytes(b"x" * MIB)
                time.sleep(0.02)
        if os.geteuid() == 0 and not launchers.layers[Layer.OWN_UID].active:
            pytest.skip("root sees all")
        assert running.result().limit_hit == "machine"

    def test_memory_held_for_a_moment_counts(self, launchers: Launchers) -> None:
        # Too short for a look to be sure to come, so that it is done several times.
        code = "import os; b = bytearray(25 << 20); os._exit(0)"
        for _ in range(5):
            # `machine`: should others take the machine's memory meanwhile.
            assert ran(launchers, code, limits=Limits(memory=32 * MIB)).limit_hit in ("memory", "machine")

    def test_memory_of_all_processes_counts_together(self, launchers: Launchers) -> None:
        code = FORK + "for _ in range(6): child(lambda: (bytearray(30 << 20), time.sleep(10)))\ntime.sleep(10)"
        assert ran(launchers, code, limits=Limits(memory=100 * MIB, wall=10.0)).limit_hit == "memory"

    def test_memory_of_a_process_whose_first_thread_ended_counts(self, launchers: Launchers) -> None:
        code = (
            "import ctypes, threading, time\n"
            "def take():\n    time.sleep(0.1)\n    b = bytearray(300 << 20)\n    time.sleep(10)\n"
            "threading.Thread(target=take).start()\n"
            "ctypes.CDLL(None).pthread_exit(None)\n"
        )
        assert ran(launchers, code, limits=Limits(memory=100 * MIB, wall=10.0)).limit_hit == "memory"

    def test_memory_that_processes_share_counts_once(self, launchers: Launchers) -> None:
        code = FORK + "b = bytearray(60 << 20)\nfor _ in range(6): child(lambda: time.sleep(0.3))\ntime.sleep(0.4)"
        found = ran(launchers, code, limits=Limits(memory=200 * MIB, wall=10.0))
        if not _may_read_maps():
            pytest.skip("shared pages are not told here")
        assert found.ok, found

    def test_pages_that_nobody_maps_any_more_count(self, launchers: Launchers) -> None:
        code = (
            "import mmap, time\n"
            "m = mmap.mmap(-1, 500 << 20)\n"
            "for place in range(0, 300 << 20, 4 << 20):\n"
            "    m[place : place + (4 << 20)] = bytes(4 << 20)\n"
            "    m.madvise(mmap.MADV_DONTNEED, place, 4 << 20)\n"
            "time.sleep(10)\n"
        )
        assert ran(launchers, code, limits=Limits(memory=100 * MIB, wall=10.0)).limit_hit == "machine"

    def test_threads_count_as_processes(self, launchers: Launchers) -> None:
        code = (
            "import threading, time\nmade = 0\n"
            "try:\n"
            "    for _ in range(50):\n"
            "        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()\n        made += 1\n"
            "except RuntimeError:\n    print(made)\n"
        )
        if os.geteuid() == 0:
            # Those of the user id's last run may count for a moment longer.
            assert 1 <= int(ran(launchers, code, limits=Limits(processes=8)).stdout) <= 7

    def test_more_processes_than_allowed_end_it_where_the_kernel_does_not_count(self) -> None:
        code = FORK + "for _ in range(40): child(lambda: time.sleep(10))\ntime.sleep(10)"
        with Launchers(at_once=1, without=frozenset(["limits:processes"])) as own:
            assert ran(own, code, limits=Limits(processes=8, wall=10.0)).limit_hit == "processes"

    def test_without_the_watch_only_the_clock_and_the_kernel_are_left(self) -> None:
        with Launchers(at_once=1, without=frozenset([Layer.WATCH.value])) as own:
            code = "b = bytearray(200 << 20); import time; time.sleep(0.2)"
            assert ran(own, code, limits=Limits(memory=64 * MIB)).ok
            assert ran(own, "import time; time.sleep(5)", limits=Limits(wall=0.2)).limit_hit == "wall"

    def test_a_crash_is_a_signal_and_no_limit(self, launchers: Launchers) -> None:
        found = ran(launchers, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        assert (found.signal, found.exit, found.limit_hit) == (11, None, None)

    def test_what_it_used_is_told(self, launchers: Launchers) -> None:
        code = "import time\nb = bytearray(100 << 20)\nwhile time.process_time() < 0.3: pass"
        found = ran(launchers, code)
        assert 0.25 < found.cpu < 2
        assert found.wall >= found.cpu / 2
        assert 100 * MIB < found.peak_memory < 200 * MIB


class TestStreams:
    def test_what_is_kept_is_capped_while_the_program_sees_full_writes(self, launchers: Launchers) -> None:
        code = (
            "import os, sys\nwritten = 0\n"
            "for _ in range(100): written += os.write(1, b'x' * 65536)\n"
            "os.write(2, b'y' * 100)\n"
            "sys.exit(0 if written == 6553600 else 1)"
        )
        found = ran(launchers, code)
        assert (found.ok, found.output_capped) == (True, True)
        assert found.stdout == b"x" * MIB
        assert found.stderr == b"y" * 100

    def test_exactly_as_much_as_is_kept(self, launchers: Launchers) -> None:
        found = ran(launchers, "import os; os.write(2, b'x' * 1000)", limits=Limits(output=1000))
        assert (found.stderr, found.output_capped) == (b"x" * 1000, False)

    def test_each_stream_has_its_own_cap(self, launchers: Launchers) -> None:
        found = ran(
            launchers, "import os; os.write(1, b'x' * 2000); os.write(2, b'y' * 500)", limits=Limits(output=1000)
        )
        assert (len(found.stdout), len(found.stderr), found.output_capped) == (1000, 500, True)

    def test_bytes_stay_as_they_are(self, launchers: Launchers) -> None:
        every = bytes(range(256))
        code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
        assert ran(launchers, code, stdin=every * 10).stdout == every * 10

    def test_input_that_nobody_reads(self, launchers: Launchers) -> None:
        assert said(launchers, "print(1)", stdin=b"x" * (5 * MIB)) == "1\n"

    def test_no_input_is_an_end(self, launchers: Launchers) -> None:
        assert said(launchers, "import sys; print(repr(sys.stdin.read()))") == "''\n"

    def test_input_cannot_be_changed(self, launchers: Launchers) -> None:
        code = (
            "import fcntl, os\n"
            "seal = lambda: fcntl.fcntl(0, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)\n"
            "for act in (lambda: os.write(0, b'x'), lambda: os.ftruncate(0, 0), seal):\n"
            "    try: act()\n"
            "    except OSError as error: print(error.errno)\n"
            "print(os.read(0, 10))"
        )
        assert said(launchers, code, stdin=b"given") == "1\n1\n1\nb'given'\n"

    def test_a_child_that_holds_the_output_does_not_hold_the_run(self, launchers: Launchers) -> None:
        found = ran(launchers, FORK + "child(lambda: time.sleep(20))\nprint('x')")
        assert (found.stdout, found.ok, found.leftover) == (b"x\n", True, 1)
        assert found.wall < 10

    def test_they_may_be_opened_by_name(self, launchers: Launchers) -> None:
        found = ran(launchers, "open('/dev/stdout', 'w').write('out'); open('/dev/stderr', 'w').write('err')")
        assert (found.stdout, found.stderr) == (b"out", b"err")

    def test_streams_that_were_closed(self, launchers: Launchers) -> None:
        found = ran(launchers, "import os, time; os.close(1); os.close(2); os.close(0); time.sleep(0.1); os._exit(3)")
        assert (found.exit, found.limit_hit) == (3, None)


class TestWhatIsLeft:
    @pytest.mark.parametrize(
        "act",
        ["time.sleep(30)", "os.setsid(); time.sleep(30)", "child(lambda: time.sleep(30)); os._exit(0)"],
        ids=["child", "would-be daemon", "orphan"],
    )
    def test_is_counted_and_ended(self, launchers: Launchers, act: str) -> None:
        code = FORK + f"def act():\n    {act}\nfor _ in range(3): child(act)\ntime.sleep(0.2)"
        assert (found := ran(launchers, code)).ok
        assert found.leftover == 3

    def test_nothing_is_nothing(self, launchers: Launchers) -> None:
        code = (
            FORK + "for _ in range(3): child(lambda: None)\nwhile True:\n    try: os.wait()\n    except OSError: break"
        )
        assert ran(launchers, code).leftover == 0

    def test_what_ends_by_a_limit_leaves_nothing_either(self, launchers: Launchers) -> None:
        code = FORK + "for _ in range(3): child(lambda: time.sleep(30))\ntime.sleep(30)"
        assert ran(launchers, code, limits=Limits(wall=0.5)).leftover == 3

    def test_a_process_that_hops_from_pid_to_pid(self) -> None:
        code = FORK + (
            "until = time.monotonic() + 8\n"
            "def hop():\n"
            "    os.setsid()\n"
            "    while time.monotonic() < until:\n"
            "        if os.fork(): os._exit(0)\n"
            "child(hop)\ntime.sleep(0.2)\n"
        )
        for without in ((), ("seccomp",)):
            with Launchers(at_once=1, without=frozenset(without)) as own:
                found = ran(own, code)
                assert found.wall < 5
                assert said(own, "print(1)") == "1\n"


def test_a_machine_that_tells_nothing_of_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.open", _nothing)
    assert watch._memory() is None


def test_the_memory_of_this_machine() -> None:
    found = watch._memory()
    assert found is not None
    assert 0 < found.kernel <= found.elsewhere + found.kernel
    assert found.available > 0


def _nothing(*_: object, **__: object) -> None:
    raise FileNotFoundError


def _may_read_maps() -> bool:
    try:
        with open(f"/proc/{os.getpid()}/smaps_rollup", "rb") as file:  # noqa: PTH123
            return b"Pss" in file.read()
    except OSError:
        return False


@pytest.mark.parametrize(
    ("took", "since_last", "before", "filled", "after"),
    [
        (0.001, 0.1, 0.2, 0.2, 0.1),  # nothing grows
        (0.001, 0.1, 0.5, 0.2, 0.1),
        (0.05, 0.2, 0.2, 0.2, 0.2),  # a walk takes its time
        (9.0, 9.0, 0.2, 0.2, 0.5),
        (0.001, 0.1, 0.2, 0.21, 0.1),  # slowly: no sooner than usual
        (0.001, 0.1, 0.0, 0.8, 0.0125),  # a tenth of a second for four fifths: half of what the last fifth takes
        (0.03, 0.1, 0.0, 0.8, 0.035),  # but never without a pause
    ],
)
def test_the_next_walk_comes_before_the_folder_is_full_at_the_pace_of_growth(
    took: float, since_last: float, before: float, filled: float, after: float
) -> None:
    found = watch._until_next_walk(took=took, since_last=since_last, filled=filled, before=before)
    assert found == pytest.approx(after)
