"""What is tried at the start of a run: every act succeeds where nothing confines, and none is passed over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from llm_testbench.sandbox import proof
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Job, Layer, Promise, Ran, Step
from llm_testbench.sandbox.proof import broken

TRIED = {
    Promise.FILES: [
        "reads a file outside",
        "writes to a file outside",
        "makes a file outside",
        "lists a folder outside",
    ],
    Promise.SECRETS: ["reads the environment of the tool", "opens the memory of the tool"],
    Promise.NETWORK: ["opens an internet socket", "opens a unix socket", "opens a pair of datagram sockets"],
    Promise.SIGNALS: ["may signal the tool"],
}
LINES = [f"{promise.value} refused PermissionError" for promise, acts in TRIED.items() for _ in acts]
WHOLE = "\n".join([*LINES, "end", ""])


class Saying:
    """Launchers in which the acts end like this; `job`: what was to run."""

    def __init__(self, ran: Ran) -> None:
        self.job: Job | None = None
        self._ran = ran

    def run(self, job: Job) -> Sequence[Ran]:
        self.job = job
        return (self._ran,)


def found(ran: Ran) -> dict[Promise, str]:
    return dict(broken(cast(Launchers, Saying(ran))))


def test_all_hold_here(launchers: Launchers) -> None:
    assert broken(launchers) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="a user's processes may be kept apart by the machine itself")
def test_every_act_succeeds_where_nothing_confines(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.touch()
    confining = frozenset(layer.value for layer in Layer) - {Layer.RESOURCES, Layer.WATCH}
    acts = (proof.python(), "-I", "-S", "-c", proof._ACTS, str(canary), str(os.getpid()))
    with Launchers(at_once=1, without=confining) as open_to_all:
        (ran,) = open_to_all.run(Job((Step(acts),)))
        promises = set(broken(open_to_all))
    done = [f"{promise.value} done {act}" for promise, names in TRIED.items() for act in names]
    assert ran.stdout.decode().splitlines() == [*done, "end"]
    assert promises == set(Promise)


@pytest.mark.parametrize("promise", Promise)
def test_one_act_that_is_done_breaks_its_promise(promise: Promise) -> None:
    for number, line in enumerate(LINES):
        if line.startswith(f"{promise.value} "):
            said = "\n".join([*LINES[:number], f"{promise.value} done does it", *LINES[number + 1 :], "end"])
            assert found(Ran(exit=0, stdout=said.encode())) == {promise: "a program in the sandbox does it"}


class TestAProofThatIsCutShort:
    @pytest.mark.parametrize("kept", range(len(LINES) + 1))
    def test_proves_nothing(self, kept: int) -> None:
        said = "\n".join(LINES[:kept]).encode()
        assert found(Ran(exit=0, stdout=said)) == dict.fromkeys(
            Promise, "the proof did not run to its end: it said nothing"
        )

    @pytest.mark.parametrize("left_out", range(len(LINES)))
    def test_nor_does_one_that_left_out_an_act(self, left_out: int) -> None:
        said = "\n".join([*LINES[:left_out], *LINES[left_out + 1 :], "end"]).encode()
        assert set(found(Ran(exit=0, stdout=said))) == {Promise(LINES[left_out].split()[0])}

    @pytest.mark.parametrize(
        ("ran", "why"),
        [
            (Ran(not_started="the program: no such file"), "the program: no such file"),
            (Ran(exit=1, stderr=b"Traceback\nOSError: no room\n"), "OSError: no room"),
            (Ran(signal=9, limit_hit="wall"), "it broke the limit wall"),
            (Ran(signal=9, limit_hit="machine", stderr=b"x\n"), "it broke the limit machine"),
            (Ran(signal=11), "it said nothing"),
        ],
    )
    def test_says_why(self, ran: Ran, why: str) -> None:
        assert found(ran) == dict.fromkeys(Promise, f"the proof did not run to its end: {why}")


def test_the_whole_of_it_is_heard() -> None:
    assert found(Ran(exit=0, stdout=WHOLE.encode())) == {}


def test_only_the_sandbox_keeps_the_acts_from_their_aim() -> None:
    class Looking(Saying):
        def run(self, job: Job) -> Sequence[Ran]:
            canary, tool = map(Path, job.steps[0].argv[-2:])
            assert (canary.stat().st_mode & 0o777, canary.parent.stat().st_mode & 0o777) == (0o666, 0o777)
            assert int(str(tool)) == os.getpid()
            return super().run(job)

    looking = Looking(Ran(exit=0, stdout=WHOLE.encode()))
    assert broken(cast(Launchers, looking)) == {}
    assert looking.job is not None
    assert not Path(looking.job.steps[0].argv[-2]).parent.exists()
