"""The tables of docs/evaluators.md, from the registry: `python -m llm_testbench.settings.documents .` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from llm_testbench.evaluators.registry import GROUPS, described
from llm_testbench.evaluators.short_form import parameters_of, required_of, short_form, with_default

_WITH_PARAMETERS = ("numeric", "code", "sql")
"""Evaluators with so many parameters that a table of them stands on the page."""


def tables() -> Mapping[str, Callable[[], str]]:
    """How each is made, by what its marker on the page says."""
    groups = {group: partial(_evaluators, names) for group, names in GROUPS.items()}
    return {**groups, **{f"parameters of {name}": partial(_parameters, name) for name in _WITH_PARAMETERS}}


def _evaluators(names: Iterable[str]) -> str:
    rows = ["| evaluator | parameters | what it scores |", "|---|---|---|"]
    for one in map(described, names):
        parameters = re.sub(r"\{.*?\}|\btrue\b(?! or)", r"`\g<0>`", short_form(one.schema))
        rows.append(_row(f"`{one.name}`", parameters, one.summary))
    return "\n".join(rows)


def _parameters(name: str) -> str:
    schema = described(name).schema
    required = required_of(schema)
    rows = [f"| parameter of `{name}` | meaning |", "|---|---|"]
    for key, inner in parameters_of(schema).items():
        shown = with_default(key, inner, required=key in required)
        rows.append(_row(f"`{shown}`", f"{inner['description']}{_choices(inner.get('enum'))}"))
    return "\n".join(rows)


def _choices(words: object) -> str:
    if not isinstance(words, list):
        return ""
    *others, last = (f"`{word}`" for word in words)
    return f" One of {', '.join(others)} or {last}."


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
