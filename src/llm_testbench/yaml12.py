"""YAML as this project reads it: 1.2 core scalars, no aliases, tags or duplicate keys, positions kept.

PyYAML resolves scalars by YAML 1.1, where `no` is false and `12:30` is 750; here the rules of the
YAML 1.2.2 core schema (section 10.3.2) decide. Aliases are refused since they can blow up memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not know it
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON, MAX_DEPTH

MAX_BYTES = 1024 * 1024
MAX_NODES = 200_000  # values in one file: bounds the memory that `[0, 0, 0, …` can take

Path: TypeAlias = tuple[str | int, ...]

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAX_DIGITS = 1000  # Python itself refuses to print integers of more than 4,300 digits


_ADVICE = (
    (
        "mapping values are not allowed",
        "quote a text that holds a colon and a space, or look how this line is indented",
    ),
    ("unknown escape character", "write single quotes where a backslash is no escape"),
    ("quoted scalar found unexpected end", "a quote is not closed"),
    ("block mapping did not find expected key", "look how this line is indented, and for a quote that ends before it"),
    ("did not find expected '-' indicator", "look how this line is indented"),
)
"""Words of the parser, and what to do about the usual cause."""


@dataclass(frozen=True)
class YamlDocument:
    """One document as plain JSON data, with the 1-based (line, column) of every key and item."""

    value: JSON
    source: str
    positions: Mapping[Path, tuple[int, int]]

    def place(self, path: Path) -> Place:
        """Where `path` was written; for a path that does not exist, its nearest parent."""
        for end in range(len(path), -1, -1):
            found = self.positions.get(tuple(path[:end]))
            if found is not None:
                return Place(self.source, *found)
        return Place(self.source)


def read(content: str | bytes, source: str) -> YamlDocument:
    """Parses one document; InputError (one line with source, line and column) on anything refused."""
    text = _decoded(content, source)
    builder = _Builder(text, source)
    try:
        value = builder.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(source) if mark is None else Place(source, mark.line + 1, mark.column + 1)
        message = " ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"not YAML: {message}{_advice(message, _character(text, mark))}", place) from None
    except yaml.reader.ReaderError as error:
        before = text.encode()[: error.position].decode(errors="ignore")
        place = Place(source, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise InputError(f"not YAML: {error.reason}", place) from None
    return YamlDocument(value, source, builder.positions)


def _character(text: str, mark: yaml.Mark | None) -> str:
    """What stands at the mark, or nothing."""
    if mark is None:
        return ""
    return "".join(line[mark.column : mark.column + 1] for line in text.split("\n")[mark.line : mark.line + 1])


def _advice(problem: str, character: str) -> str:
    """What to do, where the parser's own words tell only those who know its grammar."""
    if "cannot start any token" in problem:
        return (
            "; indent by spaces, not by tabs" if character == "\t" else "; quote a text that begins with this character"
        )
    return next((f"; {advice}" for words, advice in _ADVICE if words in problem), "")


def _decoded(content: str | bytes, source: str) -> str:
    try:
        encoded = content.encode() if isinstance(content, str) else content
        # Whoever reads no more than this and a byte may have cut a character in two: that is no fault in the encoding.
        if len(encoded) > MAX_BYTES:
            raise InputError(f"more than the {MAX_BYTES} bytes that a YAML file may have", Place(source))
        return content if isinstance(content, str) else content.decode("utf-8-sig")
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        raise InputError(f"not UTF-8: {error.reason} at {error.start}", Place(source)) from None


class _Builder:
    """Turns the parser's events into plain values and notes where each was written.

    Events rather than PyYAML's nodes: an alias, a tag or one value too many is seen before it is built.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.positions: dict[Path, tuple[int, int]] = {(): (1, 1)}
        self._parser = CParser(text)
        self._left = MAX_NODES

    def document(self) -> JSON:
        self._next()  # the stream's start
        if isinstance(self._next(), StreamEndEvent):
            return None
        value = self._value(self._next(), ())
        self._next()  # the document's end
        after = self._next()
        if not isinstance(after, StreamEndEvent):
            raise InputError("a second document begins here; a file holds one", self._place(after))
        return value

    def _next(self) -> Event:
        event: Event = self._parser.get_event()  # type: ignore[assignment]  # None only after the stream's end
        return event

    def _value(self, event: Event, path: Path) -> JSON:
        self._left -= 1
        if self._left < 0:
            raise InputError(f"more than {MAX_NODES} values in one file", self._place(event))
        self._refuse_indirection(event)
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if len(path) > MAX_DEPTH:
            raise InputError(f"nested deeper than {MAX_DEPTH} levels", self._place(event))
        return self._sequence(path) if isinstance(event, SequenceStartEvent) else self._mapping(path)

    def _sequence(self, path: Path) -> JSON:
        items: list[JSON] = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            below = (*path, len(items))
            self._note(below, event)
            items.append(self._value(event, below))
        return items

    def _mapping(self, path: Path) -> JSON:
        mapping: dict[str, JSON] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            self._refuse_indirection(event)
            if not isinstance(event, ScalarEvent):
                raise InputError("a key must be a plain scalar", self._place(event))
            key = event.value
            if key in mapping:
                raise InputError(f"the key {key[:60]!r} stands here a second time", self._place(event))
            below = (*path, key)
            self._note(below, event)
            mapping[key] = self._value(self._next(), below)
        return mapping

    def _refuse_indirection(self, event: Event) -> None:
        if isinstance(event, AliasEvent):
            raise InputError("aliases (*name) are not supported; write the value out", self._place(event))
        tag = getattr(event, "tag", None)
        if tag is not None:
            hint = "quote strings" if isinstance(event, ScalarEvent) else "write plain values"
            raise InputError(f"the tag {tag[:60]!r} is not supported; {hint} instead", self._place(event))

    def _scalar(self, event: ScalarEvent) -> JSON:
        text: str = event.value
        if event.style:  # quoted or block: always a string
            return text
        try:
            return _core_scalar(text)
        except ValueError as error:
            raise InputError(str(error), self._place(event)) from None

    def _note(self, path: Path, event: Event) -> None:
        self.positions[path] = _position(event)

    def _place(self, event: Event) -> Place:
        return Place(self.source, *_position(event))


def _position(event: Event) -> tuple[int, int]:
    mark: yaml.Mark = event.start_mark  # type: ignore[assignment]  # the C parser always sets it
    return mark.line + 1, mark.column + 1


def _core_scalar(text: str) -> JSON:
    """A plain scalar by the core schema; ValueError for what JSON cannot hold."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    # Most plain scalars are words: one look at the first character spares five patterns.
    if text[0] not in "+-.0123456789":
        return text
    for pattern, start, base in ((_INTEGER, 0, 10), (_OCTAL, 2, 8), (_HEXADECIMAL, 2, 16)):
        if pattern.fullmatch(text):
            if len(text) > _MAX_DIGITS:
                raise ValueError("this number is too long; quote it if it is text")
            return int(text[start:], base)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if abs(number) == float("inf"):
            raise ValueError("this number is out of range; quote it if it is text")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a number that JSON can hold; quote it if it is text")
    return text
