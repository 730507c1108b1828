"""What the sandbox is on this machine: its promises, its layers, and the toolchains that programs find in it."""

from __future__ import annotations

from collections.abc import Iterator

from llm_testbench.report.views.doctor import Advice, Fact
from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain
from llm_testbench.sandbox.model import SandboxError, State
from llm_testbench.sandbox.surroundings import spare_layers
from llm_testbench.sandbox.workshop import Opened, reasons


def promise_facts(found: Opened) -> tuple[Fact, ...]:
    """One for each promise."""
    return tuple(_fact(promise.value, state) for promise, state in found.promises.items())


def layer_facts(found: Opened) -> tuple[Fact, ...]:
    """One for each layer."""
    spare = spare_layers([layer for layer, state in found.layers.items() if state.active])
    return tuple(
        Fact(layer.value, "note", said=state.detail) if layer in spare else _fact(layer.value, state)
        for layer, state in found.layers.items()
    )


def toolchain_facts(found: Opened) -> tuple[Fact, ...]:
    """One for each language of `code`; nothing where no program runs."""
    return () if found.refusal else tuple(_toolchains(found))


def sandbox_advice(found: Opened) -> tuple[Advice, ...]:
    """What becomes of tests that run programs, where a promise is missing."""
    if not found.missing:
        return ()
    if found.refusal:
        return (Advice("", "tests that run programs are skipped on this machine", found.refusal),)
    what = "tests that run programs are skipped on this machine, but with --sandbox prefer"
    return (Advice("", what, reasons(found.missing)),)


def _fact(name: str, state: State) -> Fact:
    return Fact(name, "yes" if state.active else "no", said=state.detail)


def _toolchains(found: Opened) -> Iterator[Fact]:
    for language in LANGUAGES:
        try:
            toolchain = found.toolchain(language)
        except SandboxError as error:
            yield Fact(language, "unknown", said=str(error))
            continue
        if isinstance(toolchain, NoToolchain):
            yield Fact(language, "no", toolchain.reason, toolchain.where)
        else:
            yield Fact(language, "yes", said=toolchain.version)
