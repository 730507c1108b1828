"""`llmtest doctor`: what each model takes, what this machine and the token can, and what to do about the rest."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.commands.asking import serving, surroundings
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.machine import machine_facts
from llm_testbench.commands.model_entries import Written, check_target, entries, write_entries
from llm_testbench.commands.output import Output, plain_output, pretty
from llm_testbench.commands.programs import workshop
from llm_testbench.commands.sandbox_facts import layer_facts, promise_facts, sandbox_advice, toolchain_facts
from llm_testbench.commands.token import token_facts
from llm_testbench.commands.try_sandbox import try_sandbox
from llm_testbench.compare.numbers import count
from llm_testbench.errors import InputError
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.listing import Listing, listed
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.probe import AsAsked, probe
from llm_testbench.gateway.probe_findings import CALL_AS_TEXT
from llm_testbench.gateway.probe_model import Probed
from llm_testbench.gateway.remedy import remedy
from llm_testbench.nearest import nearest
from llm_testbench.report.views.doctor import Advice, Diagnosis, Fact, ModelFacts, doctor_json, doctor_report
from llm_testbench.sandbox.workshop import Mode
from llm_testbench.settings import doctor, options
from llm_testbench.settings.kinds import BadValueError, split_list
from llm_testbench.settings.model import Settings
from llm_testbench.settings.model_entry import NAME
from llm_testbench.settings.resolve import resolve

MOST_MODELS = 4
"""How many of the listed models are asked when none is named, or named when none is like the one that is asked."""
MISUSED = 2
NOT_ASKED = 3

_Listings: TypeAlias = dict[tuple[str, str | None], Listing | Failure]
"""What is listed, by endpoint and key."""

# What such models do is not chat; where all are of this kind, they are asked all the same.
_NO_CHAT = re.compile(r"embed|rerank|whisper|transcri|tts|dall-e|image|moderation|realtime", re.IGNORECASE)
_ANY = "any"  # stands for a model that is not known yet


@dataclass(frozen=True)
class _Seen:
    """One model: as the settings have it, as it was probed, and what its endpoint lists (None: was not asked).

    `better`: a base URL beside the model's, where a list of models was found.
    """

    model: ModelOptions
    probed: Probed
    listing: Listing | Failure | None
    better: str | None = None

    @property
    def is_listed(self) -> bool | None:
        """None: the endpoint lists nothing."""
        return self.model.id in self.listing.ids if isinstance(self.listing, Listing) and self.listing.ids else None


@dataclass(frozen=True)
class _Chosen:
    """The models to ask. `listings`: where they were taken from. `advice`: why there are none."""

    models: tuple[ModelOptions, ...]
    left_out: tuple[str, ...] = ()
    listings: _Listings = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0 when every model can be asked; 3 when one cannot; 2 when none is known, or the file cannot be written."""
    settings = resolve(doctor.COMMAND, flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    for note in settings.notes:
        output.log(f"note: {note}")
    if settings.try_sandbox:
        return try_sandbox(output, edges)
    if settings.write:
        check_target(settings, edges.cwd)
    chosen = _chosen(settings, flags, edges)
    seen = tuple(_looked_at(settings, chosen, output))
    token, about_token = token_facts(settings, edges)
    probed = [one.probed for one in seen]
    done = _written(settings, probed, edges) if settings.write else Written()
    with workshop(Mode.PREFER, edges) as sandbox:
        toolchains = toolchain_facts(sandbox)
    found = Diagnosis(
        models=tuple(_facts(one) for one in seen),
        machine=machine_facts(settings, edges),
        token=token,
        advice=(
            *chosen.advice,
            *(advice for one in seen for advice in _advice(one)),
            *sandbox_advice(sandbox),
            *about_token,
        ),
        promises=promise_facts(sandbox),
        layers=layer_facts(sandbox),
        toolchains=toolchains,
        entries=entries(probed),
        written=done.changed,
        left_out=chosen.left_out,
    )
    output.print(doctor_report(found), lambda: pretty(doctor_json(found)))
    for line in done.lines:
        output.log(line)
    if done.trouble is not None:
        raise done.trouble
    if not seen:
        return NOT_ASKED if settings.endpoint else MISUSED
    return 0 if all(one.failure is None for one in probed) else NOT_ASKED


def _chosen(settings: Settings, flags: Mapping[str, str | None], edges: Edges) -> _Chosen:
    """The models that are named, else the first ones that the endpoint lists."""
    if settings.models:
        return _Chosen(settings.models)
    if not settings.endpoint:
        return _Chosen((), advice=(Advice("", f"name an endpoint: {options.ENDPOINT.flag} URL"),))

    def called(names: str) -> tuple[ModelOptions, ...]:
        return resolve(doctor.COMMAND, {**flags, options.MODELS.name: names}, edges.environ, edges.cwd).models

    (any_model,) = called(_ANY)
    listing, better = _listing(settings, any_model)
    if isinstance(listing, Failure):
        what = remedy(listing, any_model, better=better)
        return _Chosen((), advice=(Advice(settings.endpoint, what, listing.message),))
    ids = [name for name in listing.ids if _is_name(name)]
    if not ids:
        return _Chosen((), advice=(Advice(settings.endpoint, f"lists no model: name one by {options.MODELS.flag}"),))
    first = ([name for name in ids if not _NO_CHAT.search(name)] or ids)[:MOST_MODELS]
    left_out = tuple(name for name in ids if name not in first)
    return _Chosen(called("\n".join(first)), left_out, {_place(any_model): listing})


def _is_name(name: str) -> bool:
    """Whether it can stand in a list of names."""
    try:
        return split_list(name) == (NAME.kind.from_text(name),)
    except BadValueError:
        return False


def _place(model: ModelOptions) -> tuple[str, str | None]:
    """What decides which models are listed."""
    return model.endpoint, model.api_key


def _looked_at(settings: Settings, chosen: _Chosen, output: Output) -> Iterator[_Seen]:
    listings = dict(chosen.listings)
    with (
        serving(settings) as address,
        Gateway(1, surroundings=surroundings(settings), adaptations=AsAsked()) as gateway,
    ):
        for model in chosen.models:
            if not settings.quiet:
                output.log(f"asking {model.name}")
            asked = address(model)
            probed = probe(gateway.start, asked, time.sleep)
            if not probed.answered:
                yield _Seen(model, probed, None)
                continue
            place = _place(asked)
            better = None
            if place not in listings:
                listings[place], better = _listing(settings, asked, further=probed.failure is not None)
            yield _Seen(model, probed, listings[place], better)


def _listing(settings: Settings, model: ModelOptions, *, further: bool = True) -> tuple[Listing | Failure, str | None]:
    """What the endpoint lists; when it has no list, and `further` is to be looked, a base URL below it that has one."""
    try:
        around = surroundings(settings)(model.endpoint)
    except InputError as error:  # authorities or a proxy that do not exist
        return Failure(Outcome.NETWORK, str(error), lasting=True), None
    listing = listed(model, around)
    below = f"{model.endpoint}/v1"
    lost = isinstance(listing, Failure) and listing.outcome is Outcome.PROTOCOL
    if not lost or not further or model.endpoint.endswith("/v1"):
        return listing, None
    there = isinstance(listed(replace(model, endpoint=below), around), Listing)
    return listing, below if there else None


def _facts(seen: _Seen) -> ModelFacts:
    probed, failure = seen.probed, seen.probed.failure
    calls = probed.calls + (seen.listing is not None)
    facts = [
        *_of_listing(seen),
        *([] if failure is None else [Fact("answers", "no", said=failure.message)]),
        *(Fact(one.what, one.state, one.seen, one.said) for one in probed.findings),
        Fact("asked", "note", f"{count(calls, 'call')}, {'with a' if seen.model.api_key else 'without a'} key"),
    ]
    return ModelFacts(seen.model.name, seen.model.endpoint, failure is None, tuple(facts), calls, probed.keys)


def _of_listing(seen: _Seen) -> Iterator[Fact]:
    if isinstance(seen.listing, Failure):
        yield Fact("listed", "unknown", "no list", seen.listing.message)
    elif seen.listing is not None:
        among = f"among {count(len(seen.listing.ids), 'model')}"
        near = nearest(seen.model.id, seen.listing.ids)
        if seen.is_listed:
            yield Fact("listed", "yes", among)
        elif near is not None:
            yield Fact("listed", "no", f"{among}; much like it is", near)
        else:
            first = seen.listing.ids[:MOST_MODELS]
            more = "" if len(first) == len(seen.listing.ids) else "; the first"
            yield Fact("listed", "no", f"{among}{more}", ", ".join(first))


def _advice(seen: _Seen) -> Iterator[Advice]:
    name, probed = seen.model.name, seen.probed
    if probed.failure is not None:
        yield Advice(name, remedy(probed.failure, seen.model, better=seen.better, listed=seen.is_listed))
    for finding in probed.findings:
        if finding.what == "tools" and finding.state == "no" and finding.seen == CALL_AS_TEXT:
            yield Advice(name, "start its server with a parser for tool calls, else every test of tools fails")


def _written(settings: Settings, probed: Sequence[Probed], edges: Edges) -> Written:
    """What became of --write; the report is printed whatever that is."""
    try:
        return write_entries(settings, probed, edges.cwd)
    except InputError as error:
        return Written(trouble=error)
