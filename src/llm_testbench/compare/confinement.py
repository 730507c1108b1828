"""What a reader has to know about how the programs of a run were confined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from llm_testbench.artifact.confined import Confined
from llm_testbench.compare.model import Finding, Quoted
from llm_testbench.sandbox.model import Layer, Promise
from llm_testbench.sandbox.surroundings import spare_layers

OFF, PROMISES, LAYERS = "sandbox_off", "sandbox", "sandbox_layers"
"""Codes: no sandbox was used; a promise is not kept; a layer is missing, and all promises are kept."""
_LONGEST = 200  # characters of a reason, which may come from an artifact that somebody else wrote


def confinement(confined: Confined) -> tuple[Finding, ...]:
    """Nothing where no program was to run, or all is there."""
    return tuple(_findings(confined))


def _findings(confined: Confined) -> Iterator[Finding]:
    missing = _by_reason(confined.promises_missing, [promise.value for promise in Promise])
    if confined.mode == "off":
        words = "the sandbox is off: programs that models wrote run with all rights of this user, but for limits"
        yield Finding(OFF, (words,))
    elif missing and (confined.mode == "require" or not confined.layers):
        advice = "; --sandbox prefer runs them in what there is of it" if confined.layers else ""
        lead = "tests that run programs are skipped, since the sandbox cannot keep its promises: "
        yield Finding(PROMISES, (lead, *missing, *([advice] if advice else [])))
    elif missing:
        lead = "programs that models wrote run though the sandbox cannot keep all its promises: "
        yield Finding(PROMISES, (lead, *missing))
    else:
        layers = _by_reason(confined.layers_missing, _wanted(confined))
        if layers:
            yield Finding(LAYERS, ("the sandbox keeps its promises without all of its layers: ", *layers))


def _wanted(confined: Confined) -> list[str]:
    spare = spare_layers(confined.layers)
    return [layer.value for layer in Layer if layer not in spare]


def _by_reason(missing: Mapping[str, str], known: list[str]) -> tuple[str | Quoted, ...]:
    """`files, secrets: why; network: why`, of what has a name that we know."""
    names: dict[str, list[str]] = {}
    for name in known:
        if name in missing:
            names.setdefault(missing[name], []).append(name)
    parts = [part for why, some in names.items() for part in ("; ", f"{', '.join(some)}: ", Quoted(why[:_LONGEST]))]
    return tuple(parts[1:])
