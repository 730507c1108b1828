"""Tool calls from the fragments of a stream, in any order that servers send them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from llm_testbench.answer.model import ToolCall
from llm_testbench.gateway.text import clean
from llm_testbench.json_value import JSONObject, parse


@dataclass(slots=True)
class _Slot:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add_name(self, name: str) -> None:
        # Some servers repeat the whole name in each fragment; none repeats a piece of it.
        if name != self.name:
            self.name += name

    def add_arguments(self, arguments: object) -> None:
        if isinstance(arguments, dict | list):
            self.arguments = [json.dumps(arguments, ensure_ascii=False)]
        elif isinstance(arguments, str) and arguments:
            # An empty object as the first fragment is a placeholder: what follows is the whole text.
            if self.arguments == ["{}"]:
                self.arguments.clear()
            self.arguments.append(arguments)

    def is_whole(self) -> bool:
        return _as_object("".join(self.arguments)) is not None

    def call(self) -> ToolCall:
        text = clean("".join(self.arguments)).strip() or "{}"
        return ToolCall(clean(self.name), _as_object(text), text, clean(self.id))


class ToolCallFragments:
    """Puts each fragment to its call: by index, else by id, else by its place in the list."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}
        self._by_place: dict[int, _Slot] = {}

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, fragments: object, *, whole: bool = False) -> None:
        """Fragments of one delta, or with `whole` the complete calls of one message."""
        if not isinstance(fragments, list):
            return
        for place, fragment in enumerate(fragments):
            if isinstance(fragment, dict):
                self._add_one(fragment, place, whole=whole)

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which they began."""
        return tuple(slot.call() for slot in self._slots)

    def _add_one(self, fragment: Mapping[str, object], place: int, *, whole: bool) -> None:
        function = fragment.get("function")
        # Some servers put name and arguments beside the id instead of under `function`.
        parts = function if isinstance(function, dict) else fragment
        name, arguments = _word(parts.get("name")), parts.get("arguments")
        call_id = _word(fragment.get("id"))
        slot = self._open("", None, place) if whole else self._slot(fragment.get("index"), call_id, place)
        if not whole and slot.name and name and arguments and not call_id and "index" not in fragment:
            # Neither index nor id: a name beside a call that is whole already begins another one.
            slot = self._open("", None, place) if slot.is_whole() else slot
        slot.id = slot.id or call_id
        slot.add_name(name)
        slot.add_arguments(arguments)

    def _slot(self, index: object, call_id: str, place: int) -> _Slot:
        number = index if isinstance(index, int) else None
        if number is not None:
            known = self._by_index.get(number)
            # Servers that send 0 as every index: an id of its own says that a new call begins.
            if known is None or (call_id and known.id and call_id != known.id):
                return self._by_id.get(call_id) or self._open(call_id, number, place)
            if call_id:
                self._by_id[call_id] = known
            return known
        if call_id:
            return self._by_id.get(call_id) or self._open(call_id, None, place)
        return self._by_place.get(place) or self._open("", None, place)

    def _open(self, call_id: str, index: int | None, place: int) -> _Slot:
        slot = _Slot(call_id)
        self._slots.append(slot)
        self._by_place[place] = slot
        if index is not None:
            self._by_index[index] = slot
        if call_id:
            self._by_id[call_id] = slot
        return slot


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _as_object(text: str) -> JSONObject | None:
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
