"""The answer's SQL is run in SQLite in the sandbox, and its rows are compared outside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

import pytest
from tests.unit.evaluators.judging import answer, fault_of

from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.evaluators.sql import Sql
from llm_testbench.json_value import JSON
from llm_testbench.sandbox.model import Job, Ran
from llm_testbench.sandbox.programs import CLOSED, Finished, Program, Unavailable, Workshop
from llm_testbench.sandbox.workshop import Mode, opened

SETUP = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
INSERT INTO people VALUES (1, 'Ann', 1990), (2, 'Bo', NULL), (3, 'Cy', 1970);
"""
NAMES: JSON = [["Ann"], ["Bo"], ["Cy"]]
COUNT_FOR_EVER = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c%s) "


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert found.refusal == ""
        yield found.workshop


def scored(workshop: Workshop, text: str, **parameters: JSON) -> Score:
    score = evaluate(build({"sql": {"setup": SETUP, **parameters}}), answer(text), workshop)
    assert isinstance(score, Score), score
    assert score.reason.splitlines() == [score.reason]
    assert len(score.reason) < 300
    return score


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT name FROM people", id="bare"),
        pytest.param("SELECT name FROM people;", id="a semicolon"),
        pytest.param("Here:\n```sql\nSELECT name FROM people;\n```\nIt works.", id="a block"),
        pytest.param("```\nfirst\n```\n```SQL\nSELECT name FROM people\n```", id="a block of SQL before others"),
        pytest.param("```\nSELECT name FROM people\n```", id="an untagged block"),
        pytest.param("-- who; all\nSELECT name /* ; */ FROM people -- ;", id="comments"),
        pytest.param("WITH p AS (SELECT name FROM people) SELECT * FROM p;", id="WITH"),
        pytest.param("SELECT 1; SELECT 'a;b'; SELECT name FROM people;;", id="the last of several"),
        pytest.param("BEGIN; SELECT name FROM people; COMMIT;", id="statements without rows behind it"),
        pytest.param("PRAGMA table_info(people); SELECT name FROM people", id="a pragma that looks"),
        pytest.param('SELECT value FROM json_each(\'["Ann", "Bo", "Cy"]\')', id="functions that return tables"),
        pytest.param("SELECT name FROM people ORDER BY born DESC", id="another order"),
    ],
)
def test_right_answers(workshop: Workshop, text: str) -> None:
    assert scored(workshop, text, expected=NAMES) == Score(1.0, "the rows are as expected (3 of them)")
    assert scored(workshop, text, query_check="SELECT name FROM people").passed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "the answer holds no SQL", id="nothing"),
        pytest.param("-- SELECT", "no statement returns rows", id="a comment"),
        pytest.param("Sorry, I cannot.", 'SQLite says: near "Sorry": syntax error', id="prose"),
        pytest.param("SELECT nme FROM people", "SQLite says: no such column: nme", id="a mistake"),
        pytest.param("SELECT 'a\x00b'", "SQLite says: the query contains a null character", id="a NUL"),
        pytest.param("SELECT '\ud800'", "SQLite says: 'utf-8' codec can't encode character", id="half a character"),
        pytest.param("SELECT 'open", """SQLite says: unrecognized token: "'open\"""", id="an open string"),
        pytest.param(
            "SELECT id, name FROM people",
            "wrong rows: 2 columns, expected 1: the first row is (1, 'Ann')",
            id="columns",
        ),
        pytest.param(
            "SELECT name FROM people WHERE born", "wrong rows: 2 rows, expected 3: row ('Bo') is missing", id="rows"
        ),
        pytest.param(
            "SELECT 1 FROM nope; SELECT name FROM people", "SQLite says: no such table: nope", id="a mistake before"
        ),
    ],
)
def test_wrong_answers_say_why(workshop: Workshop, text: str, reason: str) -> None:
    score = scored(workshop, text, expected=NAMES)
    assert score.value == 0
    assert score.reason.startswith(reason)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE people",
        "DELETE FROM people",
        "INSERT INTO people VALUES (4, 'Di', 1)",
        "UPDATE people SET name = 'x' RETURNING name",
        "WITH x AS (SELECT 1) INSERT INTO people SELECT 5, 'x', 1 FROM x",
        "CREATE TABLE other (x)",
        "CREATE TEMP TABLE other AS SELECT 1",
        "CREATE TEMP VIEW people AS SELECT 1",
        "CREATE VIRTUAL TABLE other USING fts5(x)",
        "CREATE TRIGGER t AFTER INSERT ON people BEGIN SELECT 1",
        "ALTER TABLE people ADD COLUMN x",
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "VACUUM INTO 'copy.db'",
        "ANALYZE",
        "SELECT load_extension('./evil.so')",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA hard_heap_limit = 0",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 7",
    ],
)
def test_what_does_more_than_read_is_refused(workshop: Workshop, sql: str) -> None:
    score = scored(workshop, f"{sql}; SELECT name FROM people", expected=NAMES)
    assert score == Score(0.0, f"the SQL does more than read: '{sql}'")


def test_nor_is_a_schema_rewritten_that_the_setup_left_open(workshop: Workshop) -> None:
    setup = f"{SETUP} PRAGMA writable_schema = ON"
    score = scored(
        workshop, "UPDATE sqlite_master SET name = 'x'; SELECT name FROM people", setup=setup, expected=NAMES
    )
    assert score == Score(0.0, "SQLite says: attempt to write a readonly database")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        pytest.param(
            COUNT_FOR_EVER % "" + "SELECT count(*) FROM c",
            "the SQL takes more than 50 million steps of SQLite",
            id="no end",
        ),
        pytest.param(
            COUNT_FOR_EVER % " LIMIT 1000000" + "SELECT x FROM c", "the SQL returns more than 10000 rows", id="rows"
        ),
        pytest.param(
            COUNT_FOR_EVER % " LIMIT 8334" + "SELECT 1,2,3,4,5,6,7,8,9,10,11,12 FROM c",
            "the SQL returns more than 100000 cells",
            id="cells",
        ),
        pytest.param("SELECT hex(zeroblob(490000))", "the SQL returns more than 900000 bytes", id="bytes"),
        pytest.param("SELECT zeroblob(2000000000)", "SQLite says: string or blob too big", id="a value of 2 GB"),
        pytest.param("SELECT length(zeroblob(1000001))", "SQLite says: string or blob too big", id="a value of 1 MB"),
        pytest.param(
            COUNT_FOR_EVER % " LIMIT 100000" + "SELECT hex(randomblob(10000)) y FROM c ORDER BY y",
            "the SQL takes more than 128 MiB of memory",
            id="memory",
        ),
        pytest.param(f"SELECT '{'a' * 200_000}'", "SQLite says: query string is too large", id="a long statement"),
        pytest.param(
            "SELECT 'a' LIKE '" + "%a" * 600 + "b'",
            "SQLite says: LIKE or GLOB pattern too complex",
            id="a long pattern",
        ),
    ],
)
def test_what_takes_too_much_is_ended(workshop: Workshop, sql: str, reason: str) -> None:
    assert scored(workshop, sql, expected=NAMES) == Score(0.0, reason)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_hundred_thousand_cells_are_compared(workshop: Workshop, ordered: bool) -> None:
    wanted = [[n, n / 7, f"n{n}", None, 0.1, *[n % 5] * 5] for n in range(1, 10_001)]
    asked = (
        COUNT_FOR_EVER % " LIMIT 10000"
        + "SELECT x, x / 7.0, 'n' || x, NULL, 0.3 / 3, x % 5, x % 5, x % 5, x % 5, x % 5 FROM c ORDER BY 1"
    )
    right = scored(workshop, asked, expected=wanted, ordered=ordered)
    assert right == Score(1.0, "the rows are as expected (10000 of them)")
    wanted[-1] = [*wanted[-1][:-1], 9]
    wrong = scored(workshop, asked, expected=wanted, ordered=ordered)
    assert (wrong.value, wrong.reason[:16]) == (0.0, "wrong rows: row ")


def test_what_sql_prints_is_a_value_and_no_result(workshop: Workshop) -> None:
    forged = json.dumps({"columns": 1, "rows": NAMES})
    score = scored(workshop, f"SELECT '{forged}'", expected=NAMES)
    assert score.reason.startswith("wrong rows: 1 row, expected 3: row (")


def test_values_of_every_type_come_back_as_they_are(workshop: Workshop) -> None:
    every = "SELECT 1, 0.1, 'é\n''', NULL, 9223372036854775807, x'00ff', 9e999, -9e999, CAST(x'ff' AS TEXT), ''"
    assert scored(workshop, every, query_check=every).passed
    sql = build({"sql": {"setup": SETUP, "expected": [[1, 0.1, "é\n'", None, 2**63 - 1, True]]}})
    score = evaluate(sql, answer("SELECT 1, 0.1, 'é\n''', NULL, 9223372036854775807, 1"), workshop)
    assert isinstance(score, Score)
    assert score.passed


def test_the_order_counts_where_it_is_asked_for(workshop: Workshop) -> None:
    backwards = "SELECT name FROM people ORDER BY id DESC"
    score = scored(workshop, backwards, query_check="SELECT name FROM people ORDER BY id", ordered=True)
    wrong = "the rows are right, but not their order: row 1 is ('Cy'), expected ('Ann')"
    assert score == Score(0.0, f"wrong rows: {wrong}")
    assert scored(workshop, backwards, query_check=backwards, ordered=True).passed


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        pytest.param(
            {"setup": "CREAT TABLE x"}, 'the setup fails in SQLite: near "CREAT": syntax error', id="the setup"
        ),
        pytest.param({"query_check": "SELECT x"}, "query_check: SQLite says: no such column: x", id="the query"),
        pytest.param(
            {"setup": COUNT_FOR_EVER % "" + "SELECT count(*) FROM c"},
            "the setup fails in SQLite: too many steps",
            id="a setup without end",
        ),
        pytest.param(
            {"setup": f"CREATE TABLE t AS {COUNT_FOR_EVER % ' LIMIT 100000'} SELECT hex(randomblob(10000)) FROM c"},
            "the setup fails in SQLite: out of memory",
            id="a large setup",
        ),
    ],
)
def test_a_check_that_is_wrong_itself_is_no_score(
    workshop: Workshop, parameters: dict[str, JSON], message: str
) -> None:
    sql = build({"sql": {"setup": SETUP, "query_check": "SELECT 1", **parameters}})
    crash = evaluate(sql, answer("SELECT 1"), workshop)
    assert isinstance(crash, Crash)
    assert crash.message.endswith(message)


class Fixed:
    """A workshop in which every program comes to the same end; keeps the jobs."""

    def __init__(self, ran: Ran | Unavailable) -> None:
        self.ran = ran
        self.jobs: list[Job] = []

    def run(self, _program: Program) -> Finished | Unavailable:
        raise NotImplementedError

    def run_steps(self, job: Job) -> Sequence[Ran] | Unavailable:
        self.jobs.append(job)
        return self.ran if isinstance(self.ran, Unavailable) else [self.ran]


@pytest.mark.parametrize(
    ("ran", "reason"),
    [
        pytest.param(Ran(limit_hit="cpu"), "the SQL breaks the time limit of the sandbox", id="cpu"),
        pytest.param(Ran(limit_hit="wall"), "the SQL breaks the time limit of the sandbox", id="clock"),
        pytest.param(Ran(limit_hit="file_size"), "the SQL breaks the limit of file size of the sandbox", id="another"),
        pytest.param(Ran(signal=11), "SQLite ended by signal 11", id="a crash"),
        pytest.param(
            Ran(exit=0, stdout=b"[" + b"[]," * 349_000 + b"[]]"),
            "SQLite gave more than the rows that were asked for",
            id="a megabyte",
        ),
        pytest.param(
            Ran(exit=0, stdout=b'{"columns": 11, "rows": [' + b",".join([b"[0,0,0,0,0,0,0,0,0,0,0]"] * 9_091) + b"]}"),
            "SQLite gave no rows that can be read",
            id="more cells than are asked for",
        ),
        pytest.param(
            Ran(exit=0, stdout=b'{"columns": 1, "rows": [' + b",".join([b"[0]"] * 10_001) + b"]}"),
            "SQLite gave no rows that can be read",
            id="more rows than are asked for",
        ),
        *(
            pytest.param(Ran(exit=0, stdout=said), "SQLite gave no rows that can be read", id=repr(said))
            for said in (
                *(b"", b"{", b"[]", b"null", b"\xff", b"{}", b'{"fault": 1}', b'{"columns": 1}', b'{"rows": []}'),
                *(b'{"columns": 1, "rows": 7}', b'{"columns": 1, "rows": [7]}', b'{"columns": 1, "rows": "ab"}'),
                *(b'{"columns": 1, "rows": [[1, 2]]}', b'{"columns": "1", "rows": []}'),
                *(b'{"columns": 0, "rows": [[], []]}', b'{"columns": -1, "rows": []}'),
                *(b'{"columns": 1, "rows": [[[1]]]}', b'{"columns": 1, "rows": [[true]]}'),
                *(b'{"columns": 1, "rows": [[{"x": 1}]]}', b'{"columns": 1, "rows": [[{"number": "x"}]]}'),
                *(b'{"columns": 1, "rows": [[NaN]]}', b"[" * 100_000),
            )
        ),
    ],
)
def test_whatever_the_program_comes_to_is_a_score(ran: Ran, reason: str) -> None:
    assert scored(Fixed(ran), "SELECT 1", expected=NAMES) == Score(0.0, reason)


@pytest.mark.parametrize(
    ("ran", "outcome", "reason"),
    [
        pytest.param(
            Unavailable(Outcome.NO_SANDBOX, "no sandbox"), Outcome.NO_SANDBOX, "no sandbox", id="nothing is run"
        ),
        pytest.param(
            Ran(not_started="no such file"),
            Outcome.TOOLCHAIN_MISSING,
            "SQLite could not be asked: no such file",
            id="no Python",
        ),
        pytest.param(
            Ran(exit=0, stdout=b'{"fault": "absent", "message": "this Python has no module sqlite3"}'),
            Outcome.TOOLCHAIN_MISSING,
            "SQLite could not be asked: this Python has no module sqlite3",
            id="no SQLite",
        ),
    ],
)
def test_what_the_machine_lacks_skips(ran: Ran | Unavailable, outcome: Outcome, reason: str) -> None:
    assert scored(Fixed(ran), "SELECT 1", expected=NAMES) == Score(0.0, reason, outcome)


@pytest.mark.parametrize("limit", ["machine", "cancelled"])
def test_what_is_no_fault_of_the_sql_is_no_score(limit: str) -> None:
    sql = build({"sql": {"setup": SETUP, "expected": NAMES}})
    crash = evaluate(sql, answer("SELECT 1"), Fixed(Ran(signal=9, limit_hit=limit)))
    assert isinstance(crash, Crash)
    assert crash.message.startswith("sql could not be checked, the sandbox failed: ")


def test_without_a_workshop_it_is_skipped() -> None:
    sql = build({"sql": {"setup": SETUP, "expected": NAMES}})
    assert sql.evaluate(answer("SELECT 1")).skipped is Outcome.NO_SANDBOX
    assert sql.evaluate(answer("")) == Score(0.0, "the answer holds no SQL")


def test_what_is_expected_never_meets_the_answer(workshop: Workshop) -> None:
    rows = Fixed(Ran(exit=0, stdout=b'{"columns": 1, "rows": [[1]]}'))
    scored(rows, "SELECT 'the answer'", query_check="SELECT 'the reference'")
    for job in rows.jobs:
        seen = str(job)
        assert ("the answer" in seen) != ("the reference" in seen)
    assert len(rows.jobs) == 2
    alone = Fixed(Ran(exit=0, stdout=b'{"columns": 1, "rows": [[1]]}'))
    scored(alone, "SELECT 'the answer'", expected=[["the reference"]])
    assert "the reference" not in str(alone.jobs)


class TestResult:
    """What a ground truth prints is compared with the expected rows."""

    @pytest.mark.parametrize(
        ("printed", "reason"),
        [
            pytest.param('[["Cy"], ["Bo"], ["Ann"]]\n', None, id="the rows"),
            pytest.param("[]", "wrong rows: 0 rows, expected 3: row ('Ann') is missing", id="no rows"),
            pytest.param('[["Cy"]]', "wrong rows: 1 row, expected 3: row ('Ann') is missing", id="other rows"),
            pytest.param("Ann, Bo, Cy", "'Ann, Bo, Cy' is no JSON array of rows: Expecting value", id="no JSON"),
            pytest.param("[1]", "'[1]' is no JSON array of rows: expected a list, found a number", id="no rows at all"),
        ],
    )
    def test_it_is_an_array_of_rows(self, workshop: Workshop, printed: str, reason: str | None) -> None:
        for wanted in ({"expected": NAMES}, {"query_check": "SELECT name FROM people"}):
            sql = Sql.from_parameters({"setup": SETUP, **wanted})
            score = sql.score_of_result(printed, workshop)
            assert score.passed if reason is None else score.reason.startswith(reason)

    def test_it_is_skipped_where_the_reference_query_cannot_be_run(self) -> None:
        sql = Sql.from_parameters({"setup": SETUP, "query_check": "SELECT 1"})
        assert sql.score_of_result("[[1]]", CLOSED).skipped is Outcome.NO_SANDBOX


@pytest.mark.parametrize(
    ("parameters", "path", "message"),
    [
        pytest.param("SELECT 1", ("sql",), "expected a mapping", id="text alone"),
        pytest.param({"expected": []}, ("sql",), "the key 'setup' is missing", id="no setup"),
        pytest.param({"setup": "x"}, ("sql",), "expected either query_check or expected", id="nothing expected"),
        pytest.param(
            {"setup": "x", "expected": [], "query_check": "x"},
            ("sql",),
            "expected either query_check or expected",
            id="two expectations",
        ),
        pytest.param({"setup": " ", "expected": []}, ("sql", "setup"), "found an empty one", id="a blank setup"),
        pytest.param({"setup": "x", "expected": 1}, ("sql", "expected"), "expected a list", id="no rows"),
        pytest.param({"setup": "x", "expected": [1]}, ("sql", "expected", 0), "expected a list", id="no row"),
        pytest.param(
            {"setup": "x", "expected": [[]]}, ("sql", "expected", 0), "some cells, found 0", id="an empty row"
        ),
        pytest.param(
            {"setup": "x", "expected": [[1], [1, 2]]}, ("sql", "expected", 1), "expected 1 cells, found 2", id="ragged"
        ),
        pytest.param(
            {"setup": "x", "expected": [[[1]]]},
            ("sql", "expected", 0, 0),
            "expected text, a number or null, found a list",
            id="a list in a cell",
        ),
        pytest.param(
            {"setup": "x", "expected": [], "ordered": "no"}, ("sql", "ordered"), "expected true or false", id="ordered"
        ),
        pytest.param({"setup": "x", "order": True}, ("sql", "order"), "did you mean 'ordered'?", id="unknown key"),
    ],
)
def test_parameters_that_are_wrong(parameters: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of({"sql": parameters})
    assert fault.path == path
    assert message in fault.message
