"""The report of what was tried inside the sandbox."""

from __future__ import annotations

import json

import pytest
from tests.unit.hostile_text import HOSTILE
from tests.unit.report.views.shown import in_order, shown
from tests.unit.report.views.test_hostile import MARK, check_markdown, check_terminal

from llm_testbench.report.views.doctor import Fact
from llm_testbench.report.views.trial import Trial, trial_json, trial_report

HELD = Trial("files", "read a file")
DONE = Trial("network", "connect", done="connected to port 7")
TROUBLED = Trial("signals", "send a signal", trouble="wall")


@pytest.mark.parametrize(
    ("trials", "headline"),
    [
        ((), "No program was run"),
        ((HELD,), "The attack was held back"),
        ((HELD, HELD), "All 2 attacks were held back"),
        ((HELD, DONE), "Of 2 attacks 1 succeeded"),
        ((HELD, TROUBLED), "Of 2 attacks 1 could not be tried"),
        ((HELD, DONE, TROUBLED), "Of 3 attacks 1 succeeded, 1 could not be tried"),
    ],
)
def test_the_headline_counts(trials: tuple[Trial, ...], headline: str) -> None:
    assert shown(trial_report(trials, (), ())).startswith(headline)


def test_each_attack_is_a_row() -> None:
    in_order(
        shown(trial_report((HELD, DONE, TROUBLED), (Fact("files", "yes"),), (Fact("seccomp", "no", said="old"),))),
        "What the sandbox promises here",
        "files  yes",
        "Its layers",
        "seccomp  no  old",
        "files  read a file  yes",
        "network  connect  NO  connected to port 7",
        "signals  send a signal  not tried  wall",
    )


def test_why_nothing_ran_is_said() -> None:
    assert "needs Linux" in shown(trial_report((), (), (), "needs Linux"))


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
def test_every_trick_in_every_field(bad: str) -> None:
    bad = MARK + bad
    rows = (Trial("files", "x", done=bad), Trial("files", "x", trouble=bad))
    report = trial_report(rows, (Fact("files", "no", said=bad),), (), bad)
    check_markdown(report)
    check_terminal(report)


def test_the_data_is_the_same() -> None:
    data = trial_json((HELD, DONE, TROUBLED), (), ())
    assert json.loads(json.dumps(data)) == data
    assert isinstance(data, dict)
    assert data["trials"] == [
        {"promise": "files", "tried": "read a file", "held": True, "done": None, "trouble": None},
        {"promise": "network", "tried": "connect", "held": False, "done": "connected to port 7", "trouble": None},
        {"promise": "signals", "tried": "send a signal", "held": None, "done": None, "trouble": "wall"},
    ]
