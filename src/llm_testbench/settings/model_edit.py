"""Puts keys into the entries of `models` in a config file, and leaves all else there as it is, comments too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from llm_testbench import yaml12
from llm_testbench.compare.accepted_form import quoted
from llm_testbench.errors import InputError
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.settings.kinds import split_list
from llm_testbench.settings.model_entry import ID, NAME

_MODELS = "models"
# Read as text by YAML 1.2 and 1.1, inside of brackets too.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class NoEditError(ValueError):
    """The file is written in a form that cannot be changed safely in place."""


@dataclass(frozen=True)
class Wanted:
    """A model by its name, and the keys that its entry is to have beside those that it has."""

    name: str
    keys: JSONObject


@dataclass(frozen=True)
class _Change:
    start: int
    end: int
    text: str


def entries_yaml(wanted: Iterable[Wanted]) -> str:
    """The entries as a block to paste below `models:`; every entry has a name alone, or a name and its keys."""
    return "".join(f"  - {_entry(one)}\n" for one in wanted)


def new_file(endpoint: str, wanted: Sequence[Wanted]) -> str:
    """A config file that holds these models and nothing else."""
    return f"endpoint: {_scalar(endpoint)}\n{_MODELS}:\n{entries_yaml(wanted)}"


def edited(content: str, wanted: Sequence[Wanted]) -> str:
    """The file's text with the keys in it, models that it lacks added; NoEditError where that cannot be done in place.

    `content` must be a config file without faults. Read again, it says the same but for these keys.
    """
    newline = "\r\n" if "\r\n" in content else "\n"
    bom = "\ufeff" if content.startswith("\ufeff") else ""  # which the parser does not count
    text = content.removeprefix(bom)
    changes = _changes(text, wanted, newline)
    in_order = sorted(changes, key=lambda change: change.start)
    # From the end, and of two at one place the later one first: so the earlier one comes to stand before it.
    for change in in_order[::-1]:
        text = text[: change.start] + change.text + text[change.end :]
    _check(content, bom + text, wanted)
    return bom + text


def _changes(content: str, wanted: Sequence[Wanted], newline: str) -> list[_Change]:
    # Composed only after the strict reader took it: no alias, no tag, a bounded number of values.
    yaml12.read(content.encode(), "")
    # By the same parser, too: the other one takes fewer tabs.
    root = yaml.compose(content, Loader=yaml.CSafeLoader)
    if root is None:
        return [_appended(content, f"{_MODELS}:\n{entries_yaml(wanted)}", newline)]
    if not isinstance(root, MappingNode):
        raise NoEditError
    models = _value(root, _MODELS)
    if models is None:
        if root.flow_style:
            raise NoEditError
        return [_appended(content, f"{_MODELS}:\n{entries_yaml(wanted)}", newline)]
    if isinstance(models, ScalarNode):
        return [_rewritten(models, wanted)]
    if not isinstance(models, SequenceNode) or not models.value:
        raise NoEditError
    by_name = {one.name: one for one in wanted}
    changes: list[_Change] = []
    for item in models.value:
        one = by_name.pop(_name(item), None)
        if one is not None and one.keys:
            changes += _in_item(content, item, one, newline)
    if by_name:
        changes.append(_added(content, models, list(by_name.values()), newline))
    return changes


def _appended(content: str, block: str, newline: str) -> _Change:
    gap = newline if content and not content.endswith("\n") else ""
    return _Change(len(content), len(content), gap + block.replace("\n", newline))


def _rewritten(models: ScalarNode, wanted: Sequence[Wanted]) -> _Change:
    """`models: a, b` becomes a list."""
    if models.style in ("|", ">"):
        raise NoEditError
    by_name = {one.name: one for one in wanted}
    names = dict.fromkeys([*(split_list(models.value) if models.value != "null" else ()), *by_name])
    listed = ", ".join(_entry(by_name.get(name, Wanted(name, {}))) for name in names)
    return _Change(models.start_mark.index, models.end_mark.index, f"[{listed}]")


def _in_item(content: str, item: Node, one: Wanted, newline: str) -> list[_Change]:
    if isinstance(item, ScalarNode):
        return [_Change(item.start_mark.index, item.end_mark.index, _entry(one))]
    if not isinstance(item, MappingNode):
        raise NoEditError
    changes: list[_Change] = []
    missing: dict[str, JSON] = {}
    for key, value in one.keys.items():
        there = _value(item, key)
        if there is None:
            missing[key] = value
        elif isinstance(there, ScalarNode) and there.style not in ("|", ">"):
            # `key:` alone is a null that takes no room.
            gap = " " if there.start_mark.index == there.end_mark.index else ""
            changes.append(_Change(there.start_mark.index, there.end_mark.index, gap + _flow(value)))
        else:
            raise NoEditError
    if missing:
        changes.append(_with_keys(content, item, missing, newline))
    return changes


def _with_keys(content: str, item: MappingNode, keys: JSONObject, newline: str) -> _Change:
    written = [f"{key}: {_flow(value)}" for key, value in keys.items()]
    if item.flow_style:
        at = item.value[-1][1].end_mark.index
        return _Change(at, at, "".join(f", {pair}" for pair in written))
    indent = " " * item.start_mark.column
    return _on_lines(content, item, [f"{indent}{pair}" for pair in written], newline)


def _added(content: str, models: SequenceNode, wanted: Sequence[Wanted], newline: str) -> _Change:
    if models.flow_style:
        at = models.value[-1].end_mark.index
        return _Change(at, at, "".join(f", {_entry(one)}" for one in wanted))
    indent = " " * models.start_mark.column
    return _on_lines(content, models.value[-1], [f"{indent}- {_entry(one)}" for one in wanted], newline)


def _on_lines(content: str, after: Node, lines: Sequence[str], newline: str) -> _Change:
    """New lines behind the last one of a node; a comment at that line's end stays there."""
    last = len(content[: _end(after)].rstrip())
    at = content.find("\n", last)
    if at == -1:
        return _Change(len(content), len(content), "".join(f"{newline}{line}" for line in lines))
    return _Change(at + 1, at + 1, "".join(f"{line}{newline}" for line in lines))


def _end(node: Node) -> int:
    """Where its last value ends: a block itself ends only where something else begins."""
    if isinstance(node, MappingNode) and not node.flow_style:
        return _end(node.value[-1][1]) if node.value else node.end_mark.index
    if isinstance(node, SequenceNode) and not node.flow_style:
        return _end(node.value[-1]) if node.value else node.end_mark.index
    return node.end_mark.index


def _value(node: MappingNode, key: str) -> Node | None:
    return next((value for named, value in node.value if named.value == key), None)


def _name(item: Node) -> str:
    """What the model is called, as ModelEntry has it."""
    if isinstance(item, ScalarNode):
        return str(item.value)
    if isinstance(item, MappingNode):
        found = _value(item, NAME.name) or _value(item, ID.name)
        return str(found.value) if isinstance(found, ScalarNode) else ""
    return ""


def _check(before: str, after: str, wanted: Sequence[Wanted]) -> None:
    """The proof, whatever form the file has: read by the strict reader, nothing but the wanted keys has changed."""
    try:
        value = yaml12.read(after.encode(), "").value
    except InputError:
        raise NoEditError from None
    old = yaml12.read(before.encode(), "").value
    whole = old if isinstance(old, Mapping) else {}
    if value != {**whole, _MODELS: _merged(whole.get(_MODELS), wanted)}:
        raise NoEditError


def _merged(models: JSON, wanted: Sequence[Wanted]) -> list[JSON]:
    """The value of `models` with the keys in it."""
    if isinstance(models, str):
        models = list(split_list(models))
    by_name = {one.name: one for one in wanted}
    items: list[JSON] = []
    for item in models if isinstance(models, Sequence) else ():
        whole = item if isinstance(item, Mapping) else {NAME.name: item}
        name = whole.get(NAME.name, whole.get(ID.name))
        one = by_name.pop(name, None) if isinstance(name, str) else None
        items.append({**whole, **one.keys} if one is not None and one.keys else item)
    return [*items, *({NAME.name: one.name, **one.keys} if one.keys else one.name for one in by_name.values())]


def _entry(one: Wanted) -> str:
    return _flow({NAME.name: one.name, **one.keys}) if one.keys else _scalar(one.name)


def _flow(value: JSON) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    return _scalar(value) if isinstance(value, str) else json.dumps(value)


def _scalar(word: str) -> str:
    plain = _PLAIN.fullmatch(word) and word.lower() not in _WORDS
    return word if plain else quoted(word)
