"""Asking SQLite in the sandbox, and reading what it says: the program there is not believed to speak JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import TypeAlias

from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators.parameters import mapping_of
from llm_testbench.evaluators.program_failure import refuse_to_blame
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.sql_rows import Blob, Cell, Row
from llm_testbench.json_value import JSON, parse
from llm_testbench.sandbox.model import MIB, Job, Limits, Ran, Step
from llm_testbench.sandbox.programs import Unavailable, Workshop
from llm_testbench.sandbox.proof import python

MOST_ROWS = 10_000
MOST_CELLS = 100_000
_MOST_BYTES = 900_000  # of the rows as JSON: below what is kept of stdout
_MOST_BESIDE = 10_000  # bytes that are printed beside the rows, or instead of them
_MOST_STEPS = 50_000_000  # of SQLite's machine: about a second
_MOST_MEMORY = 128 * MIB
_LIMITS = Limits(wall=15.0, cpu=5.0, memory=256 * MIB, processes=8, open_files=32, file_size=MIB)
_PROGRAM = "ask.py"


@dataclass(frozen=True, slots=True)
class Rows:
    """What the last statement with rows returned."""

    columns: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class NoRows:
    """Why there are none, one line; `setup` is to blame when that failed, not the query."""

    reason: str
    setup: bool = False


Asked: TypeAlias = Rows | NoRows | Unavailable


def ask(setup: str, sql: str, workshop: Workshop) -> Asked:
    """The rows of the last statement of `sql` that returns any, in SQLite inside the sandbox. Raises SandboxError."""
    most = {"rows": MOST_ROWS, "cells": MOST_CELLS, "bytes": _MOST_BYTES, "steps": _MOST_STEPS, "memory": _MOST_MEMORY}
    request = json.dumps({"setup": setup, "sql": sql, **most}).encode()
    program = files("llm_testbench.evaluators").joinpath("sql_program.py").read_bytes()
    step = Step((python(), "-I", "-S", _PROGRAM), _LIMITS, request)
    ran = workshop.run_steps(Job((step,), {_PROGRAM: program}))
    return ran if isinstance(ran, Unavailable) else _read(ran[0])


def _read(ran: Ran) -> Asked:
    if ran.not_started is not None:
        return Unavailable(Outcome.TOOLCHAIN_MISSING, f"SQLite could not be asked: {ran.not_started}")
    refuse_to_blame(ran)
    if ran.limit_hit is not None:
        limit = "time limit" if ran.timed_out else f"limit of {ran.limit_hit.replace('_', ' ')}"
        return NoRows(f"the SQL breaks the {limit} of the sandbox")
    if len(ran.stdout) > _MOST_BYTES + _MOST_BESIDE:
        return NoRows("SQLite gave more than the rows that were asked for")
    try:
        found = mapping_of(parse(ran.stdout, max_depth=None), "an object")
        if "fault" in found:
            return _fault(str(found["fault"]), str(found["message"]))
        return _table(found["columns"], found["rows"])
    except (KeyError, TypeError, ValueError):
        # SQLite itself broke down, or was made to say something else.
        how = f"ended by signal {ran.signal}" if ran.signal is not None else "gave no rows that can be read"
        return NoRows(f"SQLite {how}")


def _fault(word: str, message: str) -> NoRows | Unavailable:
    told = quote(message, 200)[1:-1]
    match word:
        case "absent":
            return Unavailable(Outcome.TOOLCHAIN_MISSING, f"SQLite could not be asked: {told}")
        case "setup":
            return NoRows(f"the setup fails in SQLite: {told}", setup=True)
        case "sql":
            return NoRows(f"SQLite says: {told}")
        case "refused":
            return NoRows(f"the SQL does more than read: {quote(message)}")
        case "nothing":
            return NoRows("no statement returns rows")
    return NoRows(f"the SQL {_BROKEN.get(word, 'returns no rows')}")


_BROKEN: Mapping[str, str] = {
    "rows": f"returns more than {MOST_ROWS} rows",
    "cells": f"returns more than {MOST_CELLS} cells",
    "bytes": f"returns more than {_MOST_BYTES} bytes",
    "steps": f"takes more than {_MOST_STEPS // 1_000_000} million steps of SQLite",
    "memory": f"takes more than {_MOST_MEMORY // MIB} MiB of memory",
}


def _table(columns: JSON, listed: JSON) -> Rows:
    if not isinstance(listed, list) or len(listed) > MOST_ROWS or not set(map(type, listed)) <= {list}:
        raise TypeError("no list of rows")
    if not isinstance(columns, int) or columns < 1 or not set(map(len, listed)) <= {columns}:
        raise ValueError("rows of several lengths")
    if len(listed) * columns > MOST_CELLS:
        raise ValueError("more cells than the program there prints")
    # A look at each cell takes longer than all the rest, and few answers hold a blob.
    if set(map(type, chain.from_iterable(listed))) <= _PLAIN:
        return Rows(columns, tuple(map(tuple, listed)))
    return Rows(columns, tuple(tuple(map(_cell, row)) for row in listed))


_PLAIN = frozenset({int, float, str, type(None)})


def _cell(value: JSON) -> Cell:
    if isinstance(value, Mapping):
        return float(str(value["number"])) if "number" in value else Blob(str(value["blob"]))
    if isinstance(value, bool) or not isinstance(value, int | float | str | None):
        raise TypeError("no cell")
    return value
