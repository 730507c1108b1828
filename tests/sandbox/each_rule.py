"""Takes every layer and rule away once: does an attack that names it then succeed?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.sandbox.attack import Attack, rules
from tests.sandbox.outcome import Outcome, Verdict

from llm_testbench.sandbox.call_rules import CALL_RULES
from llm_testbench.sandbox.limit_rules import LIMIT_RULES
from llm_testbench.sandbox.model import Layer, State

REASONS: Mapping[str, str] = {
    **{f"calls:{rule.name}": rule.unproven for rule in CALL_RULES if rule.unproven},
    **{f"limits:{rule.name}": rule.unproven for rule in LIMIT_RULES if rule.unproven},
}
"""Why a rule stays though no attack shows what it is for."""
_OF_PLACES = frozenset({Layer.OWN_UID.value, Layer.MOUNTS.value})


@dataclass(frozen=True, slots=True)
class Trial:
    """These attacks, without what is in `without`."""

    without: frozenset[str]
    attacks: tuple[Attack, ...]


def trials(attacks: Iterable[Attack], layers: Mapping[Layer, State]) -> list[Trial]:
    """Each sum that some attack names, and the same less one of its parts, with the attacks that name it."""
    wanted: dict[frozenset[str], dict[str, Attack]] = {}
    # What is not there cannot be taken away.
    absent = {layer.value for layer, state in layers.items() if not state.active}
    for attack in attacks:
        for named in attack.held_by:
            held_by = named - absent
            if any(name.startswith("always:") for name in named) or not held_by:
                continue
            smaller = [held_by - {one} for one in held_by] if len(held_by) > 1 else []
            for without in (held_by, *smaller):
                wanted.setdefault(without, {})[attack.name] = attack
    return [Trial(without, tuple(named.values())) for without, named in wanted.items()]


def proofs(outcomes: Sequence[Outcome]) -> Mapping[str, str]:
    """By layer or rule: an attack that it stops, and what had to be taken away beside it."""
    verdicts: dict[tuple[str, str, frozenset[str]], Verdict] = {}
    for outcome in outcomes:
        key = (outcome.place, outcome.attack, frozenset(outcome.without))
        if verdicts.get(key) is not Verdict.SUCCEEDED:
            verdicts[key] = outcome.verdict
    found: dict[str, tuple[int, str]] = {}
    for (place, attack, without), verdict in verdicts.items():
        if verdict is not Verdict.SUCCEEDED:
            continue
        for one in without:
            rest = without - {one}
            # Alone it is enough; in a sum it must be needed, too.
            if rest and verdicts.get((place, attack, rest)) is not Verdict.HELD:
                continue
            beside = f", {' + '.join(sorted(rest))} taken away too" if rest else ""
            told = (len(rest), f"{attack} ({place}{beside})")
            found[one] = min(found.get(one, told), told)
    return {one: told for one, (_, told) in found.items()}


def untrue(attacks: Iterable[Attack], outcomes: Sequence[Outcome]) -> list[str]:
    """What `held_by` says and no place bears out: taken away it did not succeed, or less was enough."""
    succeeded: dict[str, set[frozenset[str]]] = {}
    tried: dict[str, set[frozenset[str]]] = {}
    for outcome in outcomes:
        if outcome.verdict is not Verdict.NOT_APPLICABLE:
            tried.setdefault(outcome.attack, set()).add(frozenset(outcome.without))
        if outcome.verdict is Verdict.SUCCEEDED:
            succeeded.setdefault(outcome.attack, set()).add(frozenset(outcome.without))
    found = []
    for attack in attacks:
        wins = succeeded.get(attack.name, set())
        for named in attack.held_by:
            told = " + ".join(sorted(named))
            if not any(without <= named for without in tried.get(attack.name, set())):
                continue
            if not any(without <= named for without in wins):
                found.append(f"{attack.name}: does not succeed without {told}")
            # Layers that a place has not got are no part of the sum there.
            enough = [without for without in wins if without < named and not named - without <= _OF_PLACES]
            found += [f"{attack.name}: of {told}, {' + '.join(sorted(without))} is enough" for without in enough]
    return found


def report(outcomes: Sequence[Outcome]) -> tuple[list[str], list[str]]:
    """Lines for each layer and rule; and those that neither an attack nor a reason speaks for."""
    shown = proofs(outcomes)
    lines, missing = [], []
    for rule in rules():
        if rule in shown:
            stale = " -- its reason in the table is out of date" if rule in REASONS else ""
            lines.append(f"{rule}: taken away, {shown[rule]} succeeds{stale}")
        elif rule in REASONS:
            lines.append(f"{rule}: stays: {REASONS[rule]}")
        else:
            lines.append(f"{rule}: NO ATTACK SUCCEEDS WITHOUT IT, and it has no reason")
            missing.append(rule)
    return lines, missing
