"""Hostile programs: none succeeds in the sandbox but those that are known to; and most do the naive way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sandbox import each_rule
from tests.sandbox.attack import ATTACKS, attacks, rules
from tests.sandbox.corpus import unexpected
from tests.sandbox.outcome import Outcome, Verdict, read_lines
from tests.sandbox.toolchains import go_seed, toolchain_path

from llm_testbench.sandbox.file_rules import DEVICES, READABLE
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.surroundings import promises

_REPOSITORY = Path(__file__).resolve().parents[2]
_LEAST = 90
_NAIVELY = 0.8
_TIMES_MORE = 2


def test_there_are_ninety_and_each_says_what_it_wants_how_that_is_known_and_what_holds_it() -> None:
    found = attacks()

    assert len(found) >= _LEAST
    assert len(found) == sum(path.is_file() for path in ATTACKS.glob("*/*.*"))


def test_every_layer_and_rule_is_named_by_an_attack_or_says_why_it_stays() -> None:
    named = frozenset().union(*(held_by for attack in attacks() for held_by in attack.held_by))

    assert [rule for rule in rules() if rule not in named and rule not in each_rule.REASONS] == []
    assert [rule.path for rule in (*READABLE, *DEVICES) if not rule.why] == []


@pytest.fixture(scope="module")
def sandboxed(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Outcome]:
    """In the sandbox, as whoever runs the tests."""
    with Launchers(at_once=1) as launchers:
        missing = [promise.value for promise, state in promises(launchers.layers).items() if not state.active]
    if missing:
        pytest.skip(f"this machine lacks what the sandbox needs for: {', '.join(missing)}")
    return _outcomes(tmp_path_factory.mktemp("sandboxed") / "results")


@pytest.fixture(scope="module")
def naively(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Outcome]:
    """The same programs without a sandbox; each is bounded by itself."""
    return _outcomes(tmp_path_factory.mktemp("naively") / "results", "--naive")


def test_none_succeeds_in_the_sandbox_but_those_that_are_known_to(sandboxed: Sequence[Outcome], tmp_path: Path) -> None:
    succeeded = [outcome for outcome in sandboxed if unexpected(outcome)]
    # What is watched overshoots on a machine that is too busy to watch: a hole is there every time.
    for number in range(_TIMES_MORE):
        again = [outcome.attack for outcome in succeeded if outcome.polled]
        if again:
            once_more = _outcomes(tmp_path / str(number), *(f"--only={name}" for name in again))
            held = {outcome.attack for outcome in once_more if not unexpected(outcome)}
            succeeded = [outcome for outcome in succeeded if outcome.attack not in held]

    assert [f"{outcome.attack}: {outcome.evidence}" for outcome in succeeded] == []


def test_all_of_them_were_really_started_in_the_sandbox(sandboxed: Sequence[Outcome]) -> None:
    assert len({outcome.attack for outcome in sandboxed}) == len(attacks())
    assert [outcome.attack for outcome in sandboxed if outcome.ended.startswith(("not started", "the sandbox"))] == []


def test_four_in_five_succeed_the_naive_way(naively: Sequence[Outcome]) -> None:
    counting = [outcome for outcome in naively if outcome.counts]
    failed = [outcome.attack for outcome in counting if outcome.verdict is not Verdict.SUCCEEDED]

    assert len(counting) >= _LEAST * _NAIVELY
    assert len(failed) <= (1 - _NAIVELY) * len(counting), failed


def test_every_way_of_success_is_one_that_the_judge_can_see(naively: Sequence[Outcome]) -> None:
    """Blind to a kind of which there are few, it would still see four in five, and none of that kind in the sandbox."""
    seen = {outcome.attack for outcome in naively if outcome.verdict is Verdict.SUCCEEDED}
    ways = {attack.success for attack in attacks()}

    assert ways - {attack.success for attack in attacks() if attack.name in seen} == set()


def _outcomes(results: Path, *options: str) -> Sequence[Outcome]:
    """In a process of its own: its stdin holds a secret, and it forks."""
    command = [sys.executable, "-m", "tests.sandbox.corpus", "--json", str(results)]
    toolchains = ["--path", toolchain_path(), "--go-seed", go_seed()]
    done = subprocess.run(
        [*command, *toolchains, *options],
        cwd=_REPOSITORY,
        env={**os.environ, "PYTHONPATH": f"{_REPOSITORY / 'src'}:{_REPOSITORY}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode("utf-8", "replace")
    return read_lines([results])
