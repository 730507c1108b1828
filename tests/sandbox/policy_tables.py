"""The tables of docs/security.md, made of the policy: `python -m tests.sandbox.policy_tables` writes them anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from tests.sandbox.attack import attacks

from llm_testbench.sandbox.call_rules import CALL_RULES, CallRule, Reply
from llm_testbench.sandbox.file_rules import DEVICES, READABLE
from llm_testbench.sandbox.languages import LANGUAGES
from llm_testbench.sandbox.limit_rules import LIMIT_RULES
from llm_testbench.sandbox.model import MIB, Layer, Limits, Promise, State
from llm_testbench.sandbox.surroundings import promises
from llm_testbench.settings.documents import made_anew

PAGE = Path(__file__).parents[2] / "docs" / "security.md"

_ANSWERS = {
    Reply.DONE: "done, it is told; nothing is",
    Reply.EPERM: "not permitted (EPERM)",
    Reply.EACCES: "denied (EACCES)",
    Reply.ENOSYS: "no such call (ENOSYS)",
    Reply.EOPNOTSUPP: "not supported here (EOPNOTSUPP)",
}
_WHERE = {
    "everywhere": "",
    "shared uid": "without a user id of its own",
    "shared files": "without a user id of its own or read-only mounts",
    "shared files, no linker": "without a user id of its own or read-only mounts; compilers may",
    "no signal scope": "without a user id of its own, before version 6 of Landlock",
}


_ALWAYS = (Layer.NO_NEW_PRIVILEGES, Layer.RESOURCES, Layer.WATCH)
_SURROUNDINGS: Mapping[str, tuple[Layer, ...]] = {
    "root, as in the action and in `docker run`": (Layer.FILES, Layer.CALLS, Layer.OWN_UID),
    "an ordinary user": (Layer.FILES, Layer.CALLS),
    "root, without Landlock": (Layer.CALLS, Layer.OWN_UID),
    "an ordinary user, without Landlock": (Layer.CALLS,),
    "root, on a processor that is neither x86-64 nor arm64": (Layer.FILES, Layer.OWN_UID),
    "an ordinary user on such a processor": (Layer.FILES,),
}
"""What Linux offers there, beside what it always does and what no promise needs."""


def page(text: str) -> str:
    """The page with its tables made anew; ValueError when a marker is missing."""
    return made_anew(text, TABLES)


def kept_by() -> str:
    """Which layers bring a promise about: found by asking, for every set of them, what it promises."""
    rows = [(f"`{promise.value}`", ", or ".join(map(_together, _smallest(promise)))) for promise in Promise]
    return _table(("promise", "is kept by"), rows)


def surroundings() -> str:
    """What holds where."""
    rows = []
    for name, layers in _SURROUNDINGS.items():
        there = (*_ALWAYS, *layers)
        rows.append((name, *("yes" if _keeps(promise, there) else "no" for promise in Promise)))
    return _table(("Linux, as", *(promise.value for promise in Promise)), rows)


def known() -> str:
    """The hostile programs that succeed, as their headers say."""
    rows = [(attack.goal, attack.residual) for attack in attacks() if attack.residual is not None]
    return _table(("what a program tries", "what is left"), rows)


def limits() -> str:
    """What a program may use, for each language; those alike in one row."""
    steps: dict[Limits, list[str]] = {}
    for language in LANGUAGES.values():
        steps.setdefault(language.run_limits, []).append(f"{language.name} runs")
        if language.compile:
            steps.setdefault(language.compile_limits, []).append(f"{language.name} compiles")
    columns = ("when", "seconds", "memory", "processes, threads", "open files", "one file", "all files", "output kept")
    return _table(columns, [(", ".join(names), *_amounts(limits)) for limits, names in steps.items()])


def calls() -> str:
    """The system calls that are refused."""
    rows = [(rule.name, _calls(rule), _ANSWERS[rule.reply], _WHERE[rule.where], rule.why) for rule in CALL_RULES]
    return _table(("rule", "calls", "the program is told", "only", "why"), rows)


def files() -> str:
    """What may be opened."""
    rows = [(f"`{rule.path}`", "read, run", rule.why) for rule in READABLE]
    rows += [(f"`{rule.path}`", "read, write", rule.why) for rule in DEVICES]
    return _table(("path, and all below", "may be", "what needs it"), rows)


def process_limits() -> str:
    """The kernel's limits on each process."""
    return _table(("limit", "against"), [(rule.name, rule.why) for rule in LIMIT_RULES])


TABLES: Mapping[str, Callable[[], str]] = {
    "promises": kept_by,
    "surroundings": surroundings,
    "known": known,
    "limits": limits,
    "calls": calls,
    "files": files,
    "process limits": process_limits,
}


def _smallest(promise: Promise) -> list[tuple[Layer, ...]]:
    """The sets of layers that keep it, and lose it with any one layer less."""
    found: list[tuple[Layer, ...]] = []
    for size in range(len(Layer) + 1):
        for layers in combinations(Layer, size):
            if not any(set(smaller) <= set(layers) for smaller in found) and _keeps(promise, layers):
                found.append(layers)
    return found


def _together(layers: Sequence[Layer]) -> str:
    return " and ".join(f"`{layer.value}`" for layer in layers)


def _keeps(promise: Promise, layers: Sequence[Layer]) -> bool:
    return promises({layer: State(layer in layers) for layer in Layer})[promise].active


def _amounts(limits: Limits) -> tuple[str, ...]:
    amounts = (limits.memory, limits.file_size, limits.scratch, limits.output)
    memory, one_file, all_files, output = (f"{amount // MIB} MiB" for amount in amounts)
    return f"{limits.wall:g}", memory, str(limits.processes), str(limits.open_files), one_file, all_files, output


def _calls(rule: CallRule) -> str:
    return _code(rule.calls) + (", by their arguments" if rule.when else "")


def _code(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(row)} |" for row in (columns, *rows))
    return "\n".join((head, f"|{'---|' * len(columns)}", *body))


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
