"""The check of the rows that the answer's SQL returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.code_block import code_in
from llm_testbench.evaluators.parameters import Fields, kind, mapping_of
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.sql_asking import Asked, NoRows, Rows, ask
from llm_testbench.evaluators.sql_rows import Cell, Row, difference
from llm_testbench.json_value import JSON, JSONObject, parse
from llm_testbench.sandbox.programs import CLOSED, Unavailable, Workshop

_TEXT: JSONObject = {"type": ["string", "integer"], "pattern": r"\S"}
_ROW: JSONObject = {"type": "array", "items": {"type": ["number", "string", "boolean", "null"]}, "minItems": 1}


@dataclass(frozen=True, slots=True)
class Sql:
    """The answer's SQL, run on a database of the suite, returns the expected rows."""

    name: ClassVar[str] = "sql"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The answer's SQL returns these rows, or those of a reference query, in SQLite."
    schema: ClassVar[JSONObject] = {
        "type": "object",
        "properties": {
            "setup": {**_TEXT, "description": "SQL that makes and fills the tables."},
            "query_check": {
                **_TEXT,
                "description": "Instead of `expected`, a query that returns those rows. The answer never sees it.",
            },
            "expected": {"type": "array", "items": _ROW, "description": "The expected rows, as a list of lists."},
            "ordered": {"type": "boolean", "default": False, "description": "The order of the rows counts."},
        },
        "required": ["setup"],
        "oneOf": [{"required": ["query_check"]}, {"required": ["expected"]}],
        "additionalProperties": False,
    }

    setup: str
    query_check: str | None = None
    expected: tuple[Row, ...] | None = None
    ordered: bool = False

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`{setup, query_check}` or `{setup, expected: [[cell, …], …]}`, and `ordered`."""
        mapping_of(parameters, "a mapping with setup and expected or query_check")
        fields = Fields(parameters, ("setup", "query_check", "expected", "ordered"))
        setup, ordered = fields.text("setup"), fields.flag("ordered", default=False)
        if fields.has("query_check") == fields.has("expected"):
            raise SpecError("expected either query_check or expected")
        if fields.has("query_check"):
            return cls(setup, query_check=fields.text("query_check"), ordered=ordered)
        return cls(setup, expected=_expected(fields.value("expected")), ordered=ordered)

    def evaluate(self, answer: Answer) -> Score:
        """Skipped, unless there is no SQL: nothing is run without a workshop."""
        return self.evaluate_in(answer, CLOSED)

    def runs_code(self) -> bool:
        """Always."""
        return True

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        """1 or 0; skipped where nothing is run. Raises SandboxError, and SpecError when the check's own SQL fails."""
        sql = code_in(answer.text, "sql")
        if not sql.strip():
            return Score(0.0, "the answer holds no SQL")
        found = ask(self.setup, sql, workshop)
        if isinstance(found, NoRows) and not found.setup:
            return Score(0.0, found.reason)
        return self._compared(found, workshop)

    def score_of_result(self, printed: str, workshop: Workshop) -> Score:
        """The score of rows that a ground truth printed as a JSON array of arrays. Raises as evaluate_in does."""
        try:
            rows = _expected(parse(printed))
        except (ValueError, SpecError) as error:
            return Score(0.0, f"{quote(printed)} is no JSON array of rows: {error}")
        return self._compared(Rows(len(rows[0]) if rows else 0, rows), workshop)

    def _compared(self, found: Asked, workshop: Workshop) -> Score:
        # A job of its own: the answer's program never sees the reference query.
        wanted = self._wanted(workshop) if isinstance(found, Rows) else None
        for asked in (found, wanted):
            if isinstance(asked, Unavailable):
                return Score(0.0, asked.reason, asked.outcome)
            if isinstance(asked, NoRows):
                # The path of the error is lost on the way to a report, so the reason names the key.
                raise SpecError(asked.reason if asked.setup else f"query_check: {asked.reason}")
        assert isinstance(found, Rows)  # noqa: S101  # nothing else is left
        assert isinstance(wanted, Rows)  # noqa: S101
        differs = difference(found.rows, wanted.rows, found.columns, ordered=self.ordered)
        if differs is not None:
            return Score(0.0, f"wrong rows: {differs}")
        return Score(1.0, f"the rows are as expected ({len(found.rows)} of them)")

    def _wanted(self, workshop: Workshop) -> Asked:
        if self.expected is not None:
            return Rows(len(self.expected[0]) if self.expected else 0, self.expected)
        return ask(self.setup, self.query_check or "", workshop)


def _expected(value: JSON) -> tuple[Row, ...]:
    """Rows as a suite writes them; true and false are 1 and 0, as in SQLite. SpecError."""
    rows: list[Row] = []
    for number, row in enumerate(_listed(value, ("expected",))):
        path = ("expected", number)
        cells = _listed(row, path)
        if len(cells) != len(rows[0] if rows else cells) or not cells:
            raise SpecError(f"expected {len(rows[0]) if rows else 'some'} cells, found {len(cells)}", path)
        rows.append(tuple(_written(cell, (*path, index)) for index, cell in enumerate(cells)))
    return tuple(rows)


def _listed(value: JSON, path: tuple[str | int, ...]) -> Sequence[JSON]:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise SpecError(f"expected a list, found {kind(value)}", path)
    return value


def _written(cell: JSON, path: tuple[str | int, ...]) -> Cell:
    if isinstance(cell, bool):
        return int(cell)
    if cell is None or isinstance(cell, int | float | str):
        return cell
    raise SpecError(f"expected text, a number or null, found {kind(cell)}", path)
