"""Tool calls from the fragments of a stream, in any order that servers send them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from llm_testbench.answer.model import ToolCall
from llm_testbench.gateway.text import clean
from llm_testbench.json_value import JSONObject, canonical, parse

MOST_CALLS = 1000  # in one answer; each costs far more memory than the bytes that began it

_UNWRITABLE = "(arguments that cannot be written)"
_DECODER = json.JSONDecoder()


class TooManyCallsError(ValueError):
    """An answer has more than MOST_CALLS tool calls."""


@dataclass(slots=True)
class _Brackets:
    """Whether some pieces of JSON are whole, by their brackets. Looks at each piece once."""

    seen: int = 0  # pieces
    depth: int = 0
    quoted: bool = False
    escaped: bool = False

    def closed(self, pieces: list[str]) -> bool:
        for piece in pieces[self.seen :]:
            for char in piece:
                if self.escaped:
                    self.escaped = False
                elif self.quoted:
                    self.escaped, self.quoted = char == "\\", char != '"'
                elif char == '"':
                    self.quoted = True
                elif char in "{[":
                    self.depth += 1
                elif char in "}]":
                    self.depth -= 1
        self.seen = len(pieces)
        return self.seen > 0 and self.depth <= 0 and not self.quoted


@dataclass(slots=True)
class _Slot:
    id: str = ""
    index: int | None = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    quirks: set[str] = field(default_factory=set)
    _brackets: _Brackets = field(default_factory=_Brackets)

    def add_name(self, name: str) -> None:
        # Some servers repeat the whole name in each fragment; none repeats a piece of it.
        if name != self.name:
            self.name += name
        elif name:
            self.quirks.add("repeated-name")

    def add_arguments(self, arguments: object) -> None:
        if isinstance(arguments, dict | list):
            self.quirks.add("arguments-as-object")
            self._start([_written(arguments)])
        elif isinstance(arguments, str) and arguments:
            # An empty object as the first fragment is a placeholder: what follows is the whole text.
            if self.has_placeholder():
                self.quirks.add("empty-arguments-first")
                self._start([])
            self.arguments.append(arguments)

    def has_placeholder(self) -> bool:
        return self.arguments == ["{}"]

    def is_whole(self) -> bool:
        return self._brackets.closed(self.arguments)

    def call(self) -> ToolCall:
        text = clean("".join(self.arguments)).strip()
        if not text:
            self.quirks.add("empty-arguments-first")
        arguments = _as_object(text or "{}")
        if arguments is None and _goes_on_after_json(text):
            self.quirks.add("text-after-arguments")
        return ToolCall(clean(self.name), arguments, text or "{}", clean(self.id))

    def _start(self, arguments: list[str]) -> None:
        self.arguments, self._brackets = arguments, _Brackets()


class ToolCallFragments:
    """Puts each fragment to its call: by index, else by id, else by its place in the list."""

    def __init__(self) -> None:
        self.quirks: set[str] = set()
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}
        self._by_place: dict[int, _Slot] = {}

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, fragments: object, *, whole: bool = False) -> None:
        """Fragments of one delta, or with `whole` the complete calls of one message; TooManyCallsError."""
        if not isinstance(fragments, list):
            return
        for place, fragment in enumerate(fragments):
            if isinstance(fragment, dict):
                self._add_one(fragment, place, whole=whole)

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which they began. Afterwards `quirks` is complete."""
        # Fragments of nothing, with an id of their own, follow the last call of some servers.
        slots = [slot for slot in self._slots if slot.name or slot.arguments] or self._slots
        calls = tuple(slot.call() for slot in slots)
        self.quirks.update(*(slot.quirks for slot in slots))
        return calls

    def _add_one(self, fragment: Mapping[str, object], place: int, *, whole: bool) -> None:
        function = fragment.get("function")
        # Some servers put name and arguments beside the id instead of under `function`.
        parts = function if isinstance(function, dict) else fragment
        name, arguments = _word(parts.get("name")), parts.get("arguments")
        call_id, index = _word(fragment.get("id")), fragment.get("index")
        if whole:
            slot = self._open("", None, place)
        else:
            number = index if isinstance(index, int) and not isinstance(index, bool) else None
            if number is None:
                self.quirks.add("index-missing")
            slot = self._slot(number, call_id, name, place)
            if not call_id and _begins_another(slot, name, arguments):
                if number is not None:
                    self.quirks.add("index-always-zero")
                slot = self._open("", number, place)
        if call_id and not slot.id:
            slot.id = call_id
            self._by_id[call_id] = slot
        slot.add_name(name)
        slot.add_arguments(arguments)

    def _slot(self, number: int | None, call_id: str, name: str, place: int) -> _Slot:
        known = self._by_id.get(call_id) if call_id else None
        if known is not None and number is not None and _is_numbered_otherwise(known, number, name):
            known = None
        if number is not None and (numbered := self._by_index.get(number)) is not None:
            if known is numbered or (known is None and not _is_anothers(numbered, call_id, name)):
                return numbered
            # Servers that send 0 as every index: an id of its own says that a new call begins.
            self.quirks.add("index-always-zero")
        if known is None:
            known = self._unnumbered(call_id, name, place, numbered=number is not None)
        if known is None:
            return self._open(call_id, number, place)
        if number is not None:
            known.index = number
            self._by_index[number] = known
        return known

    def _unnumbered(self, call_id: str, name: str, place: int, *, numbered: bool) -> _Slot | None:
        """The call at this place, where the fragment may be one of its own that tells more than those before."""
        slot = self._by_place.get(place)
        if slot is None or (numbered and slot.index is not None):
            return None
        if call_id and (slot.id or slot.index is not None):
            return None
        return None if name and slot.name and (call_id or numbered) else slot

    def _open(self, call_id: str, index: int | None, place: int) -> _Slot:
        if len(self._slots) >= MOST_CALLS:
            raise TooManyCallsError(f"more than {MOST_CALLS} tool calls")
        slot = _Slot(call_id, index)
        self._slots.append(slot)
        self._by_place[place] = slot
        if index is not None:
            self._by_index[index] = slot
        if call_id:
            self._by_id[call_id] = slot
        return slot


def _is_anothers(slot: _Slot, call_id: str, name: str) -> bool:
    """Whether a fragment with this id cannot belong to the call that has its index."""
    if not call_id or not slot.id or call_id == slot.id:
        return False
    # Some servers make up an id for each fragment: without a name it continues a call that is not whole.
    return bool(name) or slot.is_whole()


def _is_numbered_otherwise(slot: _Slot, number: int, name: str) -> bool:
    """Whether a fragment with the id of this call and another index is the next call of a server that repeats ids.

    The index of others rises with each fragment of one call: that has no name, or continues what is not whole.
    """
    return slot.index is not None and slot.index != number and bool(name) and slot.is_whole()


def _begins_another(slot: _Slot, name: str, arguments: object) -> bool:
    """Whether a fragment without an id, but with a name, begins a call after the one in this slot."""
    if not name or not slot.name:
        return False
    if name != slot.name:
        return bool(slot.arguments)
    return bool(arguments) and not slot.has_placeholder() and slot.is_whole()


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _written(arguments: object) -> str:
    try:
        return canonical(arguments)  # type: ignore[arg-type]  # it came out of JSON
    except (ValueError, RecursionError):
        return _UNWRITABLE


def _as_object(text: str) -> JSONObject | None:
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _goes_on_after_json(text: str) -> bool:
    if not text.startswith("{"):
        return False
    try:
        return _DECODER.raw_decode(text)[1] < len(text)
    except (ValueError, RecursionError):
        return False
