"""A query or mutation in GraphQL's language, read into plain values: what a client of this size needs, nothing more.

Source: GraphQL specification, October 2021, section 2. Not read: directives, named fragments, block strings,
objects in place of a variable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

_TOKEN = re.compile(
    r"""(?P<space>[\s,\ufeff]+|\#[^\n]*)|(?P<spread>\.\.\.)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[{}()\[\]:!=$])"""
    r"""|(?P<number>-?\d+(?:\.\d+)?)|(?P<string>"(?:[^"\\\n]|\\.)*")"""
)
_END = "end of file"


@dataclass(frozen=True)
class Variable:
    """A use of `$name` as a value."""

    name: str


@dataclass(frozen=True)
class Field:
    """One field that is asked for; `key`: how the answer calls it."""

    key: str
    name: str
    arguments: Mapping[str, Any]
    selections: tuple[Selection, ...]
    line: int
    column: int


@dataclass(frozen=True)
class Fragment:
    """`... on Type { … }`."""

    on: str
    selections: tuple[Selection, ...]
    line: int
    column: int


Selection: TypeAlias = Field | Fragment


@dataclass(frozen=True)
class Document:
    """`operation`: "Query" or "Mutation". `variables`: the declared ones with their types, `defaults` those of them
    with a default.
    """

    operation: str
    variables: Mapping[str, str]
    defaults: frozenset[str]
    selections: tuple[Selection, ...]


class GraphQLSyntaxError(Exception):
    """No query in the language, or a part of it that is not read here; one line."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


def parse(text: str) -> Document:
    """The operation in a text; GraphQLSyntaxError."""
    return _Reader(text).document()


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        hit = _TOKEN.match(text, at)
        if hit is None:
            raise GraphQLSyntaxError(f'Parse error on "{text[at]}" (error) at [{line}, {column}]')
        if hit.lastgroup != "space":
            yield _Token(str(hit.lastgroup), hit.group(), line, column)
        at = hit.end()


class _Reader:
    def __init__(self, text: str) -> None:
        self._left = list(_tokens(text))
        self._at = 0

    def document(self) -> Document:
        variables: dict[str, str] = {}
        defaults: set[str] = set()
        mutation = self._next.text == "mutation"
        if self._take_if("query") or self._take_if("mutation"):
            if self._next.kind == "name":
                self._take()
            if self._take_if("("):
                while not self._take_if(")"):
                    self._expect("$")
                    name = self._name()
                    self._expect(":")
                    variables[name] = self._type()
                    if self._take_if("="):
                        defaults.add(name)
                        self._value()
        selections = self._selections()
        if self._next.text != _END:
            raise self._unexpected()
        return Document("Mutation" if mutation else "Query", variables, frozenset(defaults), selections)

    @property
    def _next(self) -> _Token:
        if self._at < len(self._left):
            return self._left[self._at]
        last = self._left[-1] if self._left else _Token("", "", 1, 1)
        return _Token("end", _END, last.line, last.column)

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _take_if(self, text: str) -> bool:
        if self._next.text != text:
            return False
        self._at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._take_if(text):
            raise self._unexpected()

    def _name(self) -> str:
        if self._next.kind != "name":
            raise self._unexpected()
        return self._take().text

    def _unexpected(self) -> GraphQLSyntaxError:
        token = self._next
        return GraphQLSyntaxError(f'Parse error on "{token.text}" ({token.kind}) at [{token.line}, {token.column}]')

    def _type(self) -> str:
        if self._take_if("["):
            inner = self._type()
            self._expect("]")
            text = f"[{inner}]"
        else:
            text = self._name()
        return text + ("!" if self._take_if("!") else "")

    def _selections(self) -> tuple[Selection, ...]:
        self._expect("{")
        found: list[Selection] = []
        while not self._take_if("}"):
            found.append(self._selection())
        if not found:
            raise self._unexpected()
        return tuple(found)

    def _selection(self) -> Selection:
        start = self._next
        if self._take_if("..."):
            self._expect("on")
            return Fragment(self._name(), self._selections(), start.line, start.column)
        key = name = self._name()
        if self._take_if(":"):
            name = self._name()
        arguments: dict[str, Any] = {}
        if self._take_if("("):
            while not self._take_if(")"):
                argument = self._name()
                self._expect(":")
                arguments[argument] = self._value()
        selections = self._selections() if self._next.text == "{" else ()
        return Field(key, name, arguments, selections, start.line, start.column)

    def _value(self) -> Any:
        token = self._take()
        if token.text == "$":
            return Variable(self._name())
        if token.text == "[":
            items = []
            while not self._take_if("]"):
                items.append(self._value())
            return items
        if token.kind in {"string", "number"} or token.text in {"true", "false", "null"}:
            return json.loads(token.text)
        self._at -= 1
        raise self._unexpected()
