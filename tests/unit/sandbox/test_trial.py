"""The attacks that ship: every one is real, and none gets through."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from llm_testbench.answer.outcome import Outcome
from llm_testbench.sandbox.model import Job, Promise, Ran
from llm_testbench.sandbox.programs import Closed, Finished, Program, Unavailable
from llm_testbench.sandbox.trial import Attack, Tried, attacks, trial
from llm_testbench.sandbox.workshop import Mode, opened

ATTACK = Attack("one", Promise.FILES, "do it", "print('x')")


class Saying:
    """A workshop in which every step ends like this."""

    def __init__(self, ran: Ran) -> None:
        self.jobs: list[Job] = []
        self._ran = ran

    def run(self, program: Program) -> Finished | Unavailable:
        raise AssertionError("no program of a language")

    def run_steps(self, job: Job) -> Sequence[Ran]:
        self.jobs.append(job)
        target = json.loads(job.files["target.json"])
        # All of it is there while the attack runs.
        assert Path(target["secret_file"]).read_text("ascii")
        assert Path(f"/proc/{target['tool']}").is_dir()
        return (self._ran,)


def test_each_has_a_goal_and_aims_at_one_promise() -> None:
    assert len(attacks()) >= 25
    assert {attack.promise for attack in attacks()} == set(Promise)
    assert all(attack.goal for attack in attacks())


def test_none_gets_through() -> None:
    with opened(Mode.REQUIRE, "/usr/bin:/bin") as found:
        assert list(trial(found.workshop, attacks())) == [Tried(attack) for attack in attacks()]


def test_all_would_without_a_sandbox() -> None:
    with opened(Mode.OFF, "/usr/bin:/bin") as found:
        held = {tried.attack.name for tried in trial(found.workshop, attacks()) if not tried.done}
    # Its parent, the launcher, lets no other process of an ordinary user look into it, whatever the layers.
    assert held <= {"environ_of_parent"}


@pytest.mark.parametrize(
    ("ran", "tried"),
    [
        (Ran(exit=0, stdout=b"nothing\n"), Tried(ATTACK)),
        (Ran(exit=0, stdout=b"first\nATTACK-SUCCEEDED read 5 bytes\n"), Tried(ATTACK, done="read 5 bytes")),
        (Ran(exit=0, stdout=b"ATTACK-SUCCEEDED\n"), Tried(ATTACK, done="do it")),
        # It succeeded, however it ended.
        (Ran(signal=9, limit_hit="wall", stdout=b"ATTACK-SUCCEEDED x\n"), Tried(ATTACK, done="x")),
        (Ran(exit=0, stdout=b"ATTACK-SUCCEEDED " + b"x" * 999), Tried(ATTACK, done="x" * 300)),
        (Ran(exit=1, stderr=b"Traceback:\nPermissionError: [Errno 13] denied\n"), Tried(ATTACK)),
        (Ran(exit=1, stderr=b"OSError: [Errno 38] no such call\n"), Tried(ATTACK)),
        (Ran(signal=31), Tried(ATTACK)),
        (
            Ran(exit=1, stderr=b"ModuleNotFoundError: No module named 'json'\n"),
            Tried(ATTACK, trouble="ModuleNotFoundError: No module named 'json'"),
        ),
        (Ran(exit=1, stderr=b"SyntaxError: invalid syntax\n"), Tried(ATTACK, trouble="SyntaxError: invalid syntax")),
        (Ran(exit=2), Tried(ATTACK, trouble="it ended with 2")),
        (Ran(signal=9, limit_hit="wall"), Tried(ATTACK, trouble="wall")),
        (Ran(not_started="there is no python"), Tried(ATTACK, trouble="there is no python")),
    ],
)
def test_what_becomes_of_one(ran: Ran, tried: Tried) -> None:
    assert list(trial(Saying(ran), [ATTACK])) == [tried]


def test_what_is_aimed_at_is_gone_afterwards() -> None:
    saying = Saying(Ran(exit=0))
    list(trial(saying, [ATTACK]))
    target = json.loads(saying.jobs[0].files["target.json"])
    assert not Path(target["workspace"]).parent.exists()
    assert not Path(f"/proc/{target['tool']}").exists()


def test_where_nothing_runs_nothing_is_proven() -> None:
    assert list(trial(Closed("needs Linux"), [ATTACK])) == [Tried(ATTACK, trouble="needs Linux")]
    assert Closed("x").run_steps(Job(())).outcome is Outcome.NO_SANDBOX
