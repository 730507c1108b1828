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
from yaml.resolver import BaseResolver

from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON, MAX_DEPTH

MAX_BYTES = 1024 * 1024

Path: TypeAlias = tuple[str | int, ...]

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_STRING_TAG = "tag:yaml.org,2002:str"
_COLLECTION_TAGS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


@dataclass(frozen=True)
class YamlDocument:
    """One document as plain JSON data, with the place of every key and item."""

    value: JSON
    source: str
    places: Mapping[Path, Place]

    def place(self, path: Path) -> Place:
        """Where `path` was written; for a path that does not exist, its nearest parent."""
        for end in range(len(path), -1, -1):
            found = self.places.get(tuple(path[:end]))
            if found is not None:
                return found
        return Place(self.source)


class _Loader(CParser, BaseResolver):
    """Composes nodes without resolving any scalar: an explicit tag then shows as an unusual one."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        BaseResolver.__init__(self)


def read(content: str | bytes, source: str) -> YamlDocument:
    """Parses one document; InputError (one line with source, line and column) on anything refused."""
    text = _decoded(content, source)
    loader = _Loader(text)
    try:
        # libyaml refuses more than 1,000 levels by itself, so its recursion is bounded.
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(source) if mark is None else Place(source, mark.line + 1, mark.column + 1)
        message = " ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"not YAML: {message}", place) from None
    except yaml.YAMLError as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", Place(source)) from None
    finally:
        loader.dispose()
    places: dict[Path, Place] = {(): Place(source, 1, 1)}
    value = None if node is None else _Builder(source, places).build(node, ())
    return YamlDocument(value, source, places)


def _decoded(content: str | bytes, source: str) -> str:
    size = len(content.encode("utf-8", "surrogatepass")) if isinstance(content, str) else len(content)
    if size > MAX_BYTES:
        raise InputError(f"{size} bytes are more than the {MAX_BYTES} that a YAML file may have", Place(source))
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte {error.start} cannot be decoded", Place(source)) from None
    return text


class _Builder:
    """Turns nodes into plain values and notes where each was written."""

    def __init__(self, source: str, places: dict[Path, Place]) -> None:
        self.source = source
        self.places = places
        self._seen: set[int] = set()

    def build(self, node: yaml.Node, path: Path) -> JSON:
        if len(path) > MAX_DEPTH:
            raise InputError(f"nested deeper than {MAX_DEPTH} levels", self._place(node))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if node.tag not in _COLLECTION_TAGS:
            raise InputError(f"the tag {node.tag} is not supported; write plain values", self._place(node))
        if isinstance(node, yaml.SequenceNode):
            items: list[JSON] = []
            for index, item in enumerate(node.value):
                items.append(self._child(item, (*path, index), item))
            return items
        return self._mapping(node, path)

    def _mapping(self, node: yaml.Node, path: Path) -> JSON:
        mapping: dict[str, JSON] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError("a key must be a plain scalar", self._place(key_node))
            key = key_node.value
            if key in mapping:
                raise InputError(f"the key {key!r} stands here a second time", self._place(key_node))
            mapping[key] = self._child(value_node, (*path, key), key_node)
        return mapping

    def _child(self, node: yaml.Node, path: Path, written_at: yaml.Node) -> JSON:
        # A node that was composed before is an alias: the composer hands out the same object again,
        # and its place in the file lies before the place of whoever refers to it.
        if id(node) in self._seen:
            raise InputError("aliases (*name) are not supported; write the value out", self._place(written_at))
        self._seen.add(id(node))
        self.places[path] = self._place(written_at)
        return self.build(node, path)

    def _scalar(self, node: yaml.ScalarNode) -> JSON:
        if node.tag != _STRING_TAG:
            raise InputError(f"the tag {node.tag} is not supported; quote strings instead", self._place(node))
        text: str = node.value
        if node.style:  # quoted or block: always a string
            return text
        try:
            return _core_scalar(text)
        except ValueError as error:
            raise InputError(str(error), self._place(node)) from None

    def _place(self, node: yaml.Node) -> Place:
        return Place(self.source, node.start_mark.line + 1, node.start_mark.column + 1)


def _core_scalar(text: str) -> JSON:
    """A plain scalar by the core schema; ValueError for what JSON cannot hold."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _INTEGER.fullmatch(text):
        if len(text) > 1000:
            raise ValueError("this number is too long; quote it if it is text")
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if abs(number) == float("inf"):
            raise ValueError("this number is out of range; quote it if it is text")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is no number that JSON can hold; quote it if it is text")
    return text
