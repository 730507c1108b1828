"""The report of `llmtest doctor`: what was found first, then what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from llm_testbench.compare.numbers import count
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.report.document import (
    Block,
    Bullets,
    Code,
    Document,
    Heading,
    Mono,
    Paragraph,
    Text,
    table,
    text,
)
from llm_testbench.untrusted import Untrusted

State: TypeAlias = Literal["yes", "no", "unknown", "note"]
MOST_NAMED = 20
_WORDS: dict[State, str] = {"yes": "yes", "no": "no", "unknown": "not known", "note": ""}


@dataclass(frozen=True)
class Fact:
    """One line of a table. `what` and `seen`: our own words; `said`: foreign ones."""

    what: str
    state: State
    seen: str = ""
    said: str = ""


@dataclass(frozen=True)
class ModelFacts:
    """One model that was looked at. `name` and `endpoint` are foreign; `works`: it can be asked."""

    name: str
    endpoint: str
    works: bool
    facts: tuple[Fact, ...]
    calls: int
    keys: JSONObject = field(default_factory=dict)  # what its entry needs beyond what it has


@dataclass(frozen=True)
class Advice:
    """What to do. `do`: our own words; `about` stands in front, `said` is quoted behind: both foreign."""

    about: str
    do: str
    said: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """All that was found. `promises`, `layers`: of the sandbox. `toolchains`: as programs in it find them.

    `entries`: YAML of the entries to use, with foreign names in it, or "".
    `written`: the entries stand in the config file already. `left_out`: foreign names of listed models.
    """

    models: tuple[ModelFacts, ...]
    machine: tuple[Fact, ...]
    token: tuple[Fact, ...]
    advice: tuple[Advice, ...]
    entries: str = ""
    written: bool = False
    left_out: tuple[str, ...] = ()
    promises: tuple[Fact, ...] = ()
    layers: tuple[Fact, ...] = ()
    toolchains: tuple[Fact, ...] = ()


def doctor_report(found: Diagnosis) -> Document:
    """A headline, a table for each model, for the machine and the token, and the list of what to do."""
    blocks: list[Block] = [Heading(1, text(_headline(found.models)))]
    for model in found.models:
        blocks += [
            Heading(2, text(Mono(Untrusted(model.name)), " at ", Mono(Untrusted(model.endpoint)))),
            _facts(model.facts),
        ]
    if found.left_out:
        blocks.append(Paragraph(_left_out(found.left_out)))
    blocks += [Heading(2, text("This machine")), _facts(found.machine)]
    blocks += sandbox_blocks(found.promises, found.layers)
    if found.toolchains:
        blocks += [Heading(2, text("Toolchains, as programs in the sandbox find them")), _facts(found.toolchains)]
    if found.token:
        blocks += [Heading(2, text("GitHub, with this token")), _facts(found.token)]
    if found.advice or found.entries:
        blocks.append(Heading(2, text("What to do")))
    if found.advice:
        blocks.append(Bullets(tuple(_advice(advice) for advice in found.advice)))
    if found.entries:
        use = "The config file now says what these models need:"
        if not found.written:
            use = "With these entries nothing is sent that is refused; --write puts them into the config file:"
        blocks += [Paragraph(text(use)), Code(Untrusted(found.entries.rstrip("\n")), "yaml")]
    return Document(tuple(blocks))


def doctor_json(found: Diagnosis) -> dict[str, JSON]:
    """The same as data."""
    return {
        "models": [
            {
                "name": model.name,
                "endpoint": model.endpoint,
                "works": model.works,
                "calls": model.calls,
                "facts": _as_data(model.facts),
                "keys": model.keys,
            }
            for model in found.models
        ],
        "machine": _as_data(found.machine),
        "sandbox": sandbox_data(found.promises, found.layers),
        "toolchains": _as_data(found.toolchains),
        "token": _as_data(found.token),
        "advice": [{"about": one.about or None, "do": one.do, "said": one.said or None} for one in found.advice],
        "entries": found.entries or None,
        "left_out": list(found.left_out),
    }


def sandbox_blocks(promises: Sequence[Fact], layers: Sequence[Fact]) -> tuple[Block, ...]:
    """What the sandbox promises here, and which layers bring that about; nothing where nothing was looked at."""
    blocks: tuple[Block, ...] = ()
    if promises:
        blocks += (Heading(2, text("What the sandbox promises here")), _facts(promises))
    if layers:
        blocks += (Heading(2, text("Its layers")), _facts(layers))
    return blocks


def sandbox_data(promises: Sequence[Fact], layers: Sequence[Fact]) -> dict[str, JSON]:
    """The same as data."""
    return {"promises": _as_data(promises), "layers": _as_data(layers)}


def _headline(models: Sequence[ModelFacts]) -> str:
    works = sum(model.works for model in models)
    if not models:
        return "No model was asked"
    if not works:
        return "The model cannot be asked" if len(models) == 1 else "No model can be asked"
    if works == len(models):
        return f"{count(works, 'model')} can be asked"
    return f"{works} of {count(len(models), 'model')} can be asked"


def _facts(facts: Sequence[Fact]) -> Block:
    return table(
        [("what", "left"), ("", "left"), ("seen", "left")],
        [[text(fact.what), text(_WORDS[fact.state]), _seen(fact)] for fact in facts],
    )


def _left_out(names: Sequence[str]) -> Text:
    shown = [span for name in names[:MOST_NAMED] for span in (", ", Mono(Untrusted(name)))]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return text("Listed, and not asked: ", *shown[1:], more, "; --models names those to ask.")


def _seen(fact: Fact) -> Text:
    if not fact.said:
        return text(fact.seen)
    return text(f"{fact.seen}: " if fact.seen else "", Mono(Untrusted(fact.said)))


def _advice(advice: Advice) -> Text:
    about: Text = (Mono(Untrusted(advice.about)), ": ") if advice.about else ()
    said: Text = (" (", Mono(Untrusted(advice.said)), ")") if advice.said else ()
    return (*about, advice.do, *said)


def _as_data(facts: Sequence[Fact]) -> list[JSON]:
    return [{"what": fact.what, "state": fact.state, "seen": fact.seen, "said": fact.said or None} for fact in facts]
