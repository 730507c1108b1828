"""The program that asks SQLite, inside the sandbox: standard library only, and never imported by the tool.

stdin: {"setup": SQL, "sql": SQL, "rows": most, "cells": most, "bytes": most, "steps": most, "memory": most}.
stdout, one JSON object: {"columns": n, "rows": [[cell, …], …]} of the last statement that returns rows, or
{"fault": word, "message": text}.
A cell is null, a number or a text; a blob is {"blob": hex digits}, an infinite number {"number": "inf"}.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

try:
    import sqlite3
except ImportError:
    sys.stdout.write('{"fault": "absent", "message": "this Python has no module sqlite3"}')
    sys.exit()

_LOOK_EACH = 10_000  # steps of SQLite's machine between two looks at the limit
_MOST_LENGTH = 1_000_000  # bytes of a text, a blob, a row
_MOST_SQL = 100_000  # bytes of a statement
_MOST_PATTERN = 1000  # bytes of a pattern of LIKE or GLOB: long ones take for ever

# https://www.sqlite.org/c3ref/c_alter_table.html
_PRAGMA, _UPDATE, _FUNCTION = 19, 23, 31
_READING = frozenset({20, 21, 22, _FUNCTION, 32, 33})  # READ, SELECT, TRANSACTION, SAVEPOINT, RECURSIVE
_LOOKS = frozenset({"data_version", "foreign_key_list", "index_info", "index_list", "table_info", "table_xinfo"})

# A semicolon in a string, a quoted name or a comment ends nothing.
_PIECE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|\Z)|;|.""", re.S)


class FaultError(Exception):
    """Why there are no rows: a word for the tool, and what there is to say."""

    def __init__(self, word: str, message: str = "") -> None:
        super().__init__(message)
        self.word = word
        self.message = message


class Watch:
    """Counts the steps of SQLite's machine, and refuses what does not read."""

    def __init__(self, most_steps: int) -> None:
        self._left = most_steps
        self.refused = False
        self.out_of_steps = False

    def look(self) -> bool:
        """Called each _LOOK_EACH steps; true ends the statement."""
        self._left -= _LOOK_EACH
        self.out_of_steps = self._left <= 0
        return self.out_of_steps

    def allow(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """SQLite's authorizer (https://www.sqlite.org/c3ref/set_authorizer.html)."""
        if action == _FUNCTION:
            allowed = (second or "").lower() != "load_extension"
        elif action == _PRAGMA:
            allowed = (first or "").lower() in _LOOKS
        elif action == _UPDATE:
            # Asked for when json_each is first used; query_only and the schema's own guard still hold.
            allowed = first == "sqlite_master"
        else:
            allowed = action in _READING
        self.refused = self.refused or not allowed
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def statements(sql: str) -> Iterator[str]:
    """The statements, one by one, without their semicolons."""
    start = 0
    for piece in _PIECE.finditer(sql):
        if piece.group() == ";":
            yield sql[start : piece.start()]
            start = piece.end()
    yield sql[start:]


def database(setup: str, watch: Watch, most_memory: int) -> sqlite3.Connection:
    """An in-memory database as `setup` made it, read-only from here on."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    connection.execute(f"PRAGMA hard_heap_limit={most_memory:d}")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.set_progress_handler(watch.look, _LOOK_EACH)
    try:
        connection.executescript(setup)
    except (sqlite3.Error, ValueError, MemoryError) as error:
        raise FaultError("setup", "too many steps" if watch.out_of_steps else str(error) or "out of memory") from None
    connection.execute("PRAGMA query_only=ON")
    if hasattr(connection, "setlimit"):  # since Python 3.11
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_LENGTH)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_SQL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _MOST_PATTERN)
    connection.set_authorizer(watch.allow)
    return connection


def last_rows(connection: sqlite3.Connection, sql: str, watch: Watch, most: Mapping[str, int]) -> Mapping[str, Any]:
    """Columns and rows of the last statement that returns any."""
    found: Mapping[str, Any] | None = None
    for statement in statements(sql):
        try:
            cursor = connection.execute(statement)
            rows = _fetched(cursor, most)
        # ValueError: characters that no SQL can hold.
        except (sqlite3.Error, ValueError) as error:
            if watch.refused:
                raise FaultError("refused", " ".join(statement.split())) from None
            raise FaultError("steps" if watch.out_of_steps else "sql", str(error)) from None
        except MemoryError:
            raise FaultError("memory") from None
        if cursor.description is not None:
            found = {"columns": len(cursor.description), "rows": rows}
    if found is None:
        raise FaultError("nothing")
    return found


def _fetched(cursor: sqlite3.Cursor, most: Mapping[str, int]) -> Sequence[Sequence[Any]]:
    rows: list[list[Any]] = []
    size = 0
    for row in cursor:
        if len(rows) == most["rows"]:
            raise FaultError("rows")
        if (len(rows) + 1) * len(row) > most["cells"]:
            raise FaultError("cells")
        rows.append(list(map(_cell, row)))
        size += len(json.dumps(rows[-1])) + 2
        if size > most["bytes"]:
            raise FaultError("bytes")
    return rows


def _cell(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"number": str(value)}
    return value


def answer(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """What goes to stdout."""
    watch = Watch(request["steps"])
    try:
        connection = database(request["setup"], watch, request["memory"])
        return last_rows(connection, request["sql"], watch, request)
    except FaultError as fault:
        return {"fault": fault.word, "message": fault.message[:500]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(json.load(sys.stdin))))
