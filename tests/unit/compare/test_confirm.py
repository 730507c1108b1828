"""Suspects are asked again: round by round, within the budget, and never with another result than asking everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from tests.unit.compare import twin

from llm_testbench.artifact.cells import CellKey
from llm_testbench.compare.confirm import Found, State, begin, findings, following, proofs, spent
from llm_testbench.compare.model import Side, Status, Variant
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.proofs import Proof
from llm_testbench.compare.suspects import Fresh, Suspect
from llm_testbench.compare.variants import Variants, needed_both, needed_current

Stream: TypeAlias = Sequence[float | str]
"""What further attempts give: a score, `error` or `copy`. The last one goes on for ever."""
Streams: TypeAlias = Mapping[str, tuple[Stream, Stream]]
"""Of a test: the current side, the baseline side."""
Rounds: TypeAlias = list[dict[str, tuple[int, int]]]
"""Of each round, the attempts asked of a test: on the current side, on the baseline side."""

ALPHA = 0.01
CONTINUE_AS_ASKED: Callable[[int], int] = lambda count: count  # noqa: E731


def suspect(
    name: str, variant: Variant = "current", *, needed: int = 5, p: float = 0.01, drop: float = 1.0,
    baseline: tuple[int, ...] = (1,) * 10, current: tuple[int, ...] = (0,) * 3,
) -> Suspect:  # fmt: skip
    return Suspect(("chat", name), variant, needed, baseline, current, p=p, drop=drop)


def start(
    *suspects: Suspect, proofs: Sequence[Proof] = (), tests: int = 250, alpha: float = ALPHA, unit: int = 1,
    requests: int = 750, room: int | None = None, **options: Any,
) -> State:  # fmt: skip
    groups = {one.variant for one in suspects}
    chosen = Variants(
        chosen={one.key: one.variant for one in suspects},
        needed={one.key: one.needed for one in suspects if one.variant == "current"},
        alpha=dict.fromkeys(groups, alpha),
        size=dict.fromkeys(groups, tests),
    )
    return begin(suspects, proofs, chosen, GateOptions(**options), unit=unit, requests=requests, room=room)


def answered(current: Sequence[float | str], baseline: Sequence[float | str] = ()) -> Fresh:
    now, before = ([one for one in side if not isinstance(one, str)] for side in (current, baseline))
    return Fresh(
        current=tuple(now),
        baseline=tuple(before),
        passed=tuple(score >= 0.99 for score in now),
        spent_current=len(current),
        spent_baseline=len(baseline),
        copies=[*current, *baseline].count("copy"),
    )


def play(
    state: State, streams: Streams, *, give: Callable[[int], int] = CONTINUE_AS_ASKED
) -> tuple[Rounds, dict[CellKey, Fresh]]:
    """Asks until nothing more is wanted. `give`: how many attempts come in for so many that are wanted."""
    rounds: Rounds = []
    done: dict[str, tuple[int, int]] = {}
    while asks := following(state, fresh_of(done, streams)):
        assert len(rounds) < 1000, "it does not end"
        rounds.append({})
        for ask in asks:
            assert ask.count > 0
            name = ask.key[1]
            more = (ask.count, 0) if ask.side == "current" else (0, ask.count)
            rounds[-1][name] = _added(rounds[-1].get(name, (0, 0)), more)
            done[name] = _added(done.get(name, (0, 0)), (give(more[0]), give(more[1])))
    return rounds, fresh_of(done, streams)


def fresh_of(done: Mapping[str, tuple[int, int]], streams: Streams) -> dict[CellKey, Fresh]:
    def first(stream: Stream, count: int) -> Sequence[float | str]:
        return [*stream[:count], *[stream[-1]] * (count - len(stream))] if count else ()

    return {
        ("chat", name): answered(first(streams[name][0], counts[0]), first(streams[name][1], counts[1]))
        for name, counts in done.items()
    }


def _added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def ends(found: Mapping[CellKey, Found]) -> dict[str, tuple[str, bool | None]]:
    return {key[1]: (one.status.value, one.confirmed) for key, one in found.items()}


@dataclass(frozen=True)
class Story:
    title: str
    variant: Variant
    answers: tuple[Stream, Stream]
    rounds: list[tuple[int, int]]
    status: Status
    confirmed: bool | None
    sides: tuple[Side, Side | None]
    note: str = ""


STORIES = [
    Story(
        "a test that is broken now fails again, five times, and it is sure",
        "current", ([0.0], []),
        [(1, 0), (1, 0), (2, 0), (1, 0)],
        Status.REGRESSION, True, (Side(0.0, 5), None),
    ),
    Story(
        "a test that had bad luck passes when asked again, and that is all that is asked",
        "current", ([1.0], []),
        [(1, 0)],
        Status.STABLE, False, (Side(1.0, 1), None), "asked again, it did too well to be worse beyond doubt",
    ),
    Story(
        "a test that fails four times and then passes leaves room for chance",
        "current", ([0.0, 0.0, 0.0, 0.0, 1.0], []),
        [(1, 0), (1, 0), (2, 0), (1, 0)],
        Status.SUSPECTED, False, (Side(0.2, 5), None), "asked again, it may still be chance",
    ),
    Story(
        "the new prompt fails while the old one passes: the baseline is asked from the second round on",
        "both", ([0.0], [1.0]),
        [(1, 0), (1, 1), (2, 2), (1, 2)],
        Status.REGRESSION, True, (Side(0.0, 5), Side(1.0, 5)),
    ),
    Story(
        "the new prompt passes: the old one is never asked",
        "both", ([1.0], [1.0]),
        [(1, 0)],
        Status.STABLE, False, (Side(1.0, 1), Side(None, 0)), "asked again, it did too well to be worse beyond doubt",
    ),
    Story(
        "the old prompt fails too: whatever broke, it was not the prompt",
        "both", ([0.0], [0.0]),
        [(1, 0), (1, 1)],
        Status.SUSPECTED, False, (Side(0.0, 2), Side(0.0, 1)),
        "the baseline's side fails too now: a flaky test or a changed server, not this change",
    ),
    Story(
        "an error is replaced, once for each attempt that is needed",
        "current", (["error", 0.0, "error", 0.0], []),
        [(1, 0), (1, 0), (1, 0), (1, 0), (2, 0), (1, 0)],
        Status.REGRESSION, True, (Side(0.0, 5), None),
    ),
    Story(
        "a server that is down is asked no more than it takes to know that",
        "current", (["error"], []),
        [(1, 0)] * 6,
        Status.SUSPECTED, None, (Side(None, 0), None), "6 of 6 fresh attempts ended in an error",
    ),
    Story(
        "an old model that is gone leaves it open",
        "both", ([0.0], ["error"]),
        [(1, 0), (1, 1), (0, 1), (0, 1), (0, 1), (0, 1), (0, 1)],
        Status.SUSPECTED, None, (Side(0.0, 2), Side(None, 0)), "6 of 8 fresh attempts ended in an error",
    ),
    Story(
        "a cache that gives one answer for ever tells nothing new",
        "current", ([0.0, "copy"], []),
        [(1, 0)] * 7,
        Status.SUSPECTED, None, (Side(0.0, 1), None), "the answers were copies of one answer (a cache)",
    ),
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.title)
def test_the_story_of_a_suspect(story: Story) -> None:
    state = start(suspect("t", story.variant))
    rounds, fresh = play(state, {"t": story.answers})
    found = findings(state, fresh)["chat", "t"]
    assert [one["t"] for one in rounds] == story.rounds
    assert (found.status, found.confirmed, found.asked.note) == (story.status, story.confirmed, story.note)
    assert (found.asked.current, found.asked.baseline) == story.sides
    assert (found.asked.variant, found.asked.needed) == (story.variant, 5)


def test_p_is_of_the_test_that_decides_and_absent_where_it_was_not_reached() -> None:
    for variant, p in (("current", Fraction(1, 43758)), ("both", Fraction(1, 252))):
        state = start(suspect("t", variant))  # type: ignore[arg-type]
        assert findings(state, {("chat", "t"): answered([0.0] * 5, [1.0] * 5)})["chat", "t"].asked.p == float(p)
        assert findings(state, {("chat", "t"): answered([1.0])})["chat", "t"].asked.p is None


def test_one_round_asks_all_suspects_and_the_worst_stand_first() -> None:
    state = start(
        suspect("d", p=0.2), suspect("b", p=0.1, drop=0.4), suspect("c", p=0.1, drop=0.4), suspect("a", p=0.1)
    )
    assert [ask.key[1] for ask in following(state, {})] == ["a", "b", "c", "d"]


def test_both_sides_are_asked_in_one_round_so_that_they_alternate() -> None:
    state = start(suspect("t", "both"), suspect("u", "both"))
    fresh = {("chat", name): answered([0.0]) for name in "tu"}
    asks = [(ask.key[1], ask.side, ask.count) for ask in following(state, fresh)]
    assert asks == [("t", "current", 1), ("t", "baseline", 1), ("u", "current", 1), ("u", "baseline", 1)]


def test_golden_benjamini_hochberg_keeps_keeps_and_drops() -> None:
    # 250 tests at .01: limits .00004, .00008, .00012 by rank. Here p is .0000229, .0000514, .000251.
    broken, also, luck = suspect("broken"), suspect("also", p=0.02, current=(0,) * 2), suspect("luck", p=0.03)
    fresh = {
        broken.key: answered([0.0] * 5),
        also.key: answered([0.0] * 5),
        luck.key: answered([0.0, 0.0, 0.0, 0.0, 1.0]),
    }
    found = findings(start(broken, also, luck), fresh)
    assert [one.asked.p for one in found.values()] == [1 / 43758, 1 / 19448, 11 / 43758]
    assert [one.confirmed for one in found.values()] == [True, True, False]
    # Alone, the second is not enough: it is kept because the first is worse still.
    assert not findings(start(also), fresh)[also.key].confirmed


def test_a_second_regression_helps_one_that_alone_would_be_chance() -> None:
    # 10/10 → 1/8 has p .000251: alone it needs p <= .01 · 1/50, beside a proven one .01 · 2/50.
    mild = suspect("mild", current=(0, 0, 1))
    fresh = {mild.key: answered([0.0] * 5)}
    assert ends(findings(start(mild, tests=50), fresh))["mild"] != ("regression", True)
    with_other = start(mild, suspect("broken"), tests=50)
    both = findings(with_other, fresh | {("chat", "broken"): answered([0.0] * 5)})
    assert ends(both) == {"mild": ("regression", True), "broken": ("regression", True)}


@pytest.mark.parametrize(
    ("what", "variant", "main", "again"),
    [
        ("all attempts of this run", "current", 95, 0.88),  # fresh ones alone dropped by .12, all of them by .09
        ("the fresh attempts", "both", 0, 0.95),
    ],
)
def test_a_drop_too_small_to_matter_is_no_regression_however_sure(
    what: str, variant: Variant, main: int, again: float
) -> None:
    small = suspect("t", variant, baseline=(100,) * 10, current=(main,) * 3)
    fresh = {small.key: answered([again] * 5, [1.0] * 5)}
    found = findings(start(small, unit=100), fresh)[small.key]
    assert (found.status, found.confirmed) == (Status.SUSPECTED, False), what
    assert found.asked.note == "it is worse beyond doubt, but by less than min_effect_test"
    assert findings(start(small, unit=100, min_effect_test=0.05), fresh)[small.key].confirmed, what


def test_nothing_is_spent_where_no_answer_could_prove_it() -> None:
    lost = suspect("t", baseline=(1,) * 10, current=(1, 1, 0))
    state = start(lost)
    assert following(state, {}) == ()
    found = findings(state, {})[lost.key]
    assert (found.status, found.confirmed) == (Status.STABLE, None)
    assert found.asked.note == "it was not asked again: even 5 failed attempts more would not prove it"


def test_more_suspects_than_can_be_told_from_chance_leave_the_mildest_suspected() -> None:
    # At .00001 and 10 a side (1 in 184,756) one suspect can be told from chance.
    state = start(suspect("worse", "both", p=0.01), suspect("mild", "both", p=0.02), alpha=0.00001)
    rounds, fresh = play(state, {"worse": ([0.0], [1.0]), "mild": ([0.0], [1.0])})
    assert {name for one in rounds for name in one} == {"worse"}
    found = findings(state, fresh)
    assert ends(found) == {"worse": ("regression", True), "mild": ("suspected", None)}
    assert found["chat", "worse"].asked.needed == found["chat", "mild"].asked.needed == 10
    assert found["chat", "mild"].asked.note.startswith("too many tests stood out")


def test_the_attempts_of_both_sides_depend_on_the_number_of_suspects() -> None:
    state = start(*[suspect(f"t{i}", "both", needed=0) for i in range(10)])
    assert {one.needed for one in state.suspects} == {7}


def test_a_run_that_was_interrupted_leaves_it_open() -> None:
    found = findings(start(suspect("t")), {("chat", "t"): answered([0.0, 0.0])})["chat", "t"]
    assert (found.confirmed, found.asked.note) == (None, "the run ended before it was settled")
    assert found.asked.current == Side(0.0, 2)


# -- the budget


@pytest.mark.parametrize(
    ("requests", "share", "room", "budget"),
    [
        (750, 0.25, None, 187),
        (90, 0.25, None, 60),
        (90, 0.01, None, 60),
        (750, 0.0, None, 0),
        (750, 0.25, 100, 100),
        (750, 0.25, 0, 0),
        (750, 0.25, -5, 0),
    ],
)
def test_budget(requests: int, share: float, room: int | None, budget: int) -> None:
    assert start(requests=requests, confirm_budget=share, room=room).budget == budget


def broken(count: int) -> tuple[list[Suspect], dict[str, tuple[Stream, Stream]]]:
    names = [f"t{i:02}" for i in range(count)]
    return [suspect(name) for name in names], dict.fromkeys(names, ([0.0], []))


def test_a_short_budget_ends_in_decisions_not_in_halves() -> None:
    suspects, streams = broken(30)
    state = start(*suspects, room=62)
    rounds, fresh = play(state, streams)
    # 30 first attempts leave 32 requests: eight suspects go on to their end.
    assert [len(one) for one in rounds] == [30, 8, 8, 8]
    assert spent(fresh) == 62
    found = findings(state, fresh)
    assert [one.status for one in found.values()].count(Status.REGRESSION) == 8
    assert {one.asked.note for one in found.values()} == {
        "",
        "the budget for asking again (62 requests, see confirm_budget) ran out before it was settled",
    }


def test_most_of_many_suspects_are_tried_at_least_once() -> None:
    suspects, streams = broken(60)
    state = start(*suspects, room=62)
    rounds, fresh = play(state, streams)
    assert [len(one) for one in rounds] == [31, 7, 7, 7]
    last = findings(state, fresh)[suspects[-1].key]
    assert last.asked.note == "the budget for asking again (62 requests, see confirm_budget) did not reach it"


def test_suspects_that_are_cleared_make_room_for_others() -> None:
    suspects, streams = broken(60)
    lucky: dict[str, tuple[Stream, Stream]] = dict.fromkeys(list(streams)[:50], ([1.0], []))
    state = start(*suspects, tests=2500, room=120)
    _, fresh = play(state, streams | lucky)
    assert [one.status for one in findings(state, fresh).values()] == [Status.STABLE] * 50 + [Status.REGRESSION] * 10


def test_a_suspect_that_cannot_be_finished_is_not_begun() -> None:
    assert following(start(suspect("t"), room=4), {}) == ()
    assert following(start(suspect("t"), room=5), {}) != ()
    assert following(start(suspect("t", "both"), room=9), {}) == ()
    assert following(start(suspect("t", "both"), room=10), {}) != ()


def test_one_that_waits_for_room_is_not_overtaken_by_a_new_one() -> None:
    state = start(suspect("waits", p=0.1), suspect("new", p=0.2, needed=1), tests=10, room=5)
    assert [ask.key[1] for ask in following(state, {})] == ["waits", "new"]
    assert following(state, {("chat", "waits"): answered([0.0, "error"])}) == ()


def test_all_that_can_be_finished_are_begun_at_once() -> None:
    suspects = [suspect(name, needed=1) for name in "abc"]
    assert len(following(start(*suspects, tests=10, room=3), {})) == 3


@pytest.mark.parametrize(("fresh", "status"), [(0.75, "regression"), (1.0, "stable")])
def test_a_fresh_score_between_those_of_the_main_attempts_counts_as_it_is(fresh: float, status: str) -> None:
    """Rounded to the halves of the main attempts, 0.75 would be all of an answer."""
    state = start(suspect("t", "both", baseline=(2,) * 5, current=(1, 1, 2)), unit=2)
    _, seen = play(state, {"t": ([fresh], [1.0])})
    assert ends(findings(state, seen))["t"][0] == status


def test_a_score_that_comes_after_the_decision_changes_no_rounding() -> None:
    """A grid that had to take 0.55 too would tell three thirds from one whole."""
    thirds = suspect("t", baseline=(3, 2, 3, 2, 3, 2), current=(0, 1), needed=4)
    state, enough = start(thirds, tests=2, alpha=0.9, unit=3), [1 / 3, 1 / 3, 1 / 3, 1.0]
    found = findings(state, {thirds.key: answered(enough)})
    assert found == findings(state, {thirds.key: answered([*enough, 0.55])})
    assert found[thirds.key].asked.p == float(twin.p((3, 2, 3, 2, 3, 2), (0, 1, 1, 1, 1, 3)))


def test_errors_on_a_side_that_is_complete_do_not_end_the_other() -> None:
    fresh = {("chat", "t"): answered(["error"] * 6 + [0.0] * 5, [1.0] * 4)}
    asks = following(start(suspect("t", "both")), fresh)
    assert [(ask.side, ask.count) for ask in asks] == [("baseline", 1)]


# -- must pass


def test_a_proof_shares_its_attempts_with_the_suspect_and_comes_first() -> None:
    state = start(suspect("a"), suspect("t", p=0.02), proofs=[Proof(("chat", "t"), 2, 3)], tests=9)
    assert [(ask.key[1], ask.count) for ask in following(state, {})] == [("t", 1), ("a", 1)]
    _, fresh = play(state, {"a": ([1.0], []), "t": ([0.0], [])})
    assert fresh["chat", "t"].spent_current == 5
    assert proofs(state, fresh)["chat", "t"].breached
    assert ends(findings(state, fresh)) == {"a": ("stable", False), "t": ("regression", True)}


def test_what_a_proof_and_its_suspect_share_is_paid_once() -> None:
    state = start(suspect("t"), suspect("u", p=0.02, needed=3), proofs=[Proof(("chat", "t"), 9, 10)], tests=50, room=8)
    assert [(ask.key[1], ask.count) for ask in following(state, {})] == [("t", 3), ("u", 1)]


def test_a_proof_of_a_flaky_test_goes_on_where_the_suspect_is_cleared() -> None:
    state = start(suspect("t"), proofs=[Proof(("chat", "t"), 2, 3)])
    rounds, fresh = play(state, {"t": ([1.0], [])})
    assert [one["t"] for one in rounds] == [(1, 0)] * 5
    found = proofs(state, fresh)["chat", "t"]
    assert (found.rate, found.decided, found.breached, found.asked) == (7 / 8, True, False, 5)
    assert findings(state, fresh)["chat", "t"].asked.current == Side(1.0, 1)


def test_a_proof_is_given_up_where_only_errors_come_back() -> None:
    state = start(proofs=[Proof(("chat", "t"), 2, 3)])
    rounds, fresh = play(state, {"t": (["error"], [])})
    assert len(rounds) == 6
    found = proofs(state, fresh)["chat", "t"]
    assert (found.decided, found.breached, found.asked) == (False, True, 0)


def test_proofs_come_first_in_a_short_budget() -> None:
    state = start(suspect("a"), proofs=[Proof(("chat", "t"), 2, 3)], room=5)
    assert [ask.key[1] for ask in following(state, {})] == ["t"]


def test_without_a_budget_nothing_is_asked() -> None:
    state = start(suspect("a"), proofs=[Proof(("chat", "t"), 2, 3)], confirm_budget=0.0)
    assert following(state, {}) == ()
    assert not proofs(state, {})["chat", "t"].decided


# -- properties


@dataclass(frozen=True)
class Case:
    suspects: tuple[Suspect, ...]
    scores: Mapping[CellKey, tuple[list[int], list[int]]]
    tests: int
    alpha: Fraction
    unit: int

    def state(self, **options: Any) -> State:
        return start(*self.suspects, tests=self.tests, alpha=float(self.alpha), unit=self.unit, **options)

    @property
    def streams(self) -> Streams:
        return {
            key[1]: ([score / self.unit for score in now], [score / self.unit for score in before])
            for key, (now, before) in self.scores.items()
        }


@st.composite
def cases(draw: st.DrawFn, variants: Sequence[Variant]) -> Case:
    unit = draw(st.sampled_from([1, 1, 2, 4]))
    count = draw(st.integers(1, 4))
    tests = draw(st.integers(count, 6))
    alpha = draw(st.sampled_from([Fraction(1, 20), Fraction(1, 10), Fraction(3, 10)]))
    low = st.sampled_from([0, 0, 0, 0, *range(unit + 1)])
    high = st.sampled_from([unit, unit, unit, unit, *range(unit + 1)])
    suspects: list[Suspect] = []
    scores = {}
    for i in range(count):
        variant = draw(st.sampled_from(variants))
        baseline = tuple(draw(st.lists(high, min_size=2, max_size=5)))
        current = tuple(draw(st.lists(low, min_size=1, max_size=3)))
        needed = needed_current(len(baseline), len(current), tests, float(alpha)) if variant == "current" else 0
        assume(needed is not None and needed <= 7)
        one = suspect(
            f"t{i}", variant, needed=needed or 0, p=float(twin.p(baseline, current)),
            baseline=baseline, current=current, drop=float(twin.drop(baseline, current, unit)),
        )  # fmt: skip
        suspects.append(one)
        bad = draw(st.booleans())
        scores[one.key] = (
            draw(st.lists(low if bad else high, min_size=8, max_size=8)),
            draw(st.lists(high, min_size=8, max_size=8)),
        )
    return Case(tuple(suspects), scores, tests, alpha, unit)


def regressions(found: Mapping[CellKey, Found]) -> set[CellKey]:
    return {key for key, one in found.items() if one.status is Status.REGRESSION}


def by_twin(case: Case) -> set[CellKey]:
    current = [one for one in case.suspects if one.variant == "current"]
    both = [one for one in case.suspects if one.variant == "both"]
    rules: dict[str, Any] = {"alpha": case.alpha, "unit": case.unit, "least": Fraction(1, 10)}
    now = {key: side for key, (side, _) in case.scores.items()}
    needed = needed_both(len(both), float(case.alpha)) or 0
    return twin.regressions_of_current(current, now, tests=case.tests, **rules) | (
        twin.regressions_of_both(both, case.scores, needed=needed, **rules) if both else set()
    )


BATCHES: dict[str, Callable[[int], int]] = {
    "as asked": CONTINUE_AS_ASKED,
    "one by one": lambda wanted: min(1, wanted),
    "more than asked": lambda wanted: wanted + 2,
    "far more than asked": lambda wanted: wanted + 20,
}


@given(cases(["current", "both"]))
def test_stopping_early_finds_the_regressions_of_asking_everything(case: Case) -> None:
    state = case.state(requests=10_000)
    _, fresh = play(state, case.streams)
    expected = by_twin(case)
    event(f"{len(expected)} regressions")
    assert regressions(findings(state, fresh)) == expected


@given(cases(["current", "both"]))
def test_the_size_of_batches_changes_nothing(case: Case) -> None:
    state = case.state(requests=10_000)
    first, *others = (findings(state, play(state, case.streams, give=give)[1]) for give in BATCHES.values())
    for other in others:
        assert other == first


@given(cases(["current", "both"]), st.integers(0, 30))
def test_a_short_budget_is_never_exceeded_and_only_takes_regressions_away(case: Case, room: int) -> None:
    state = case.state(room=room)
    _, fresh = play(state, case.streams)
    assert spent(fresh) <= room
    assert regressions(findings(state, fresh)) <= by_twin(case)


@given(cases(["current", "both"]), st.data())
def test_it_ends_whatever_comes_back(case: Case, data: st.DataObject) -> None:
    answer: st.SearchStrategy[float | str] = st.sampled_from([0.0, 1.0, 0.5, "error", "copy"])
    side = st.lists(answer, min_size=1, max_size=12)
    streams = {one.key[1]: (data.draw(side), data.draw(side)) for one in case.suspects}
    state = case.state(requests=10_000)
    _, fresh = play(state, streams)
    needed = {one.key: one.needed for one in state.suspects}
    for key, seen in fresh.items():
        assert seen.spent_current <= 2 * needed[key]
        assert seen.spent_baseline <= 2 * needed[key]
    for one in findings(state, fresh).values():
        assert (one.confirmed is True) == (one.status is Status.REGRESSION)


@given(cases(["current", "both"]), st.data())
def test_only_what_may_still_become_a_regression_is_asked_and_no_more_than_it_needs(
    case: Case, data: st.DataObject
) -> None:
    state = case.state(requests=10_000)
    before = {one.key[1]: data.draw(st.integers(0, 8)) for one in case.suspects}
    # As rounds bring them: the current side is ahead by one.
    lengths = {name: (count + 1 if count else data.draw(st.integers(0, 1)), count) for name, count in before.items()}
    fresh = fresh_of(lengths, case.streams)
    asked = following(state, fresh)
    needed = {one.key: one.needed for one in state.suspects}
    for ask in asked:
        seen = fresh[ask.key]
        have = len(seen.current if ask.side == "current" else seen.baseline)
        assert have + ask.count <= needed[ask.key]
    hopeful = {
        key: (
            [*now[: lengths[key[1]][0]], *[0] * 24],
            [*then[: lengths[key[1]][1]], *[case.unit] * 24],
        )
        for key, (now, then) in case.scores.items()
    }
    # With the best of all finishes for everybody, each that is asked would be proven.
    assert {ask.key for ask in asked} <= by_p(replace(case, scores=hopeful))


def by_p(case: Case) -> set[CellKey]:
    """Suspects whose own p passes if those of all others do."""
    both = [one for one in case.suspects if one.variant == "both"]
    count = len(case.suspects) - len(both)
    found = set()
    for one in case.suspects:
        now, before = case.scores[one.key]
        if one.variant == "current":
            p = twin.p(one.baseline, one.current + tuple(now[: one.needed]))
            passes = p <= case.alpha * count / case.tests
        else:
            needed = needed_both(len(both), float(case.alpha)) or 0
            passes = twin.p(tuple(before[:needed]), tuple(now[:needed])) <= case.alpha / len(both)
        if passes:
            found.add(one.key)
    return found
