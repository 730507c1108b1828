"""Answers to one question in SQL as models write them, right and wrong, run in the real SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.unit.evaluators.judging import answer

from llm_testbench.evaluators.guard import evaluate
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSONObject
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened

SETUP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total NUMERIC, paid INTEGER);
INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', NULL), (3, 'Cy', 'Rome'), (4, 'Ann', 'Rome');
INSERT INTO orders VALUES (1, 1, 10, 1), (2, 1, 2.5, 1), (3, 2, 5, 0), (4, 4, 7, 1), (5, 4, 7, 1), (6, 9, 99, 1);
"""
CHECK: JSONObject = {
    "sql": {"setup": SETUP, "expected": [["Ann", 14], ["Ann", 12.5], ["Bo", 0], ["Cy", 0]], "ordered": True}
}
"""Name and paid total of every customer, the largest total first, then by name. Two customers have one name."""
GOOD = """\
SELECT c.name, COALESCE(SUM(o.total), 0) AS paid_total
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.id AND o.paid = 1
GROUP BY c.id, c.name
ORDER BY paid_total DESC, c.name;"""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert found.refusal == ""
        yield found.workshop


def scored(workshop: Workshop, text: str) -> Score:
    score = evaluate(build(CHECK), answer(text), workshop)
    assert isinstance(score, Score), score
    assert score.skipped is None, score.reason
    return score


def told(code: str, tag: str = "sql") -> str:
    return f"```{tag}\n{code}\n```"


SUM = "COALESCE(SUM(o.total), 0)"
TABLE = "| name | paid_total |\n|---|---|\n| Ann | 14 |"
STEPS = """\
WITH paid AS (
    SELECT customer_id, SUM(total) AS total FROM orders WHERE paid GROUP BY customer_id
)
SELECT name, IFNULL(paid.total, 0) FROM customers LEFT JOIN paid ON customer_id = id ORDER BY 2 DESC, 1"""
SUBQUERY = """\
SELECT name, (SELECT TOTAL(total) FROM orders WHERE customer_id = customers.id AND paid = 1) AS t
FROM customers ORDER BY t DESC, name"""
FILTER = """\
select "name", coalesce(sum(total) filter (where paid), 0.0) `sum` from customers c
left join orders o on (c.id = o.customer_id) group by c.id order by sum desc, name asc"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(told(GOOD), id="a block"),
        pytest.param(GOOD, id="bare"),
        pytest.param(" ".join(GOOD.split()), id="bare, on one line"),
        pytest.param(f"`{' '.join(GOOD.split())}`", id="in backticks"),
        pytest.param(f"```sql {' '.join(GOOD.split())}```", id="in a fence on one line, with its tag"),
        pytest.param(f"Use a left join:\n\n{told(GOOD)}\n\nCustomers without orders get 0.", id="prose around"),
        pytest.param(f"Here: {told(GOOD)}\nDone.", id="the fence behind words"),
        pytest.param(f"{told(GOOD)}\n\nResult:\n\n{told(TABLE, '')}", id="a result behind"),
        pytest.param(f"{told(TABLE, '')}\n{told(GOOD)}", id="a result before"),
        pytest.param(f"{told(GOOD, 'postgresql')}\n{told('x', '')}", id="another dialect"),
        pytest.param(told(GOOD, ""), id="no tag"),
        pytest.param(told(GOOD, "python"), id="the wrong tag"),
        pytest.param(f"1. Run this:\n   ```sql\n   {GOOD.replace(chr(10), chr(10) + '   ')}\n   ```", id="in a list"),
        pytest.param(f"{told(GOOD)}\n\nOr:\n{told('SELECT broken')}", id="an alternative behind"),
        pytest.param(f"```sql\n{GOOD}", id="cut behind the query"),
        pytest.param(told(f"-- All; with totals\n/* two; tables */ {GOOD}"), id="comments"),
        pytest.param(told(f"SELECT count(*) FROM customers;\n{GOOD}"), id="a look before"),
        pytest.param(told(STEPS), id="WITH"),
        pytest.param(told(SUBQUERY), id="a subquery"),
        pytest.param(told(FILTER), id="lower case, other quotes, floats"),
        pytest.param(told(GOOD.replace("SUM(o.total)", "SUM(o.total) * 1.0")), id="floats for whole numbers"),
        pytest.param(f"<think>\n{told('SELECT 1')}\n</think>\n{told(GOOD)}", id="reasoning before"),
    ],
)
def test_a_right_query_passes_however_it_is_told(workshop: Workshop, text: str) -> None:
    score = scored(workshop, text)
    assert score.passed, score.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(told(GOOD.replace("LEFT JOIN", "JOIN")), "2 rows, expected 4", id="without those who never paid"),
        pytest.param(told(GOOD.replace(" AND o.paid = 1", "\nWHERE o.paid = 1")), "2 rows, expected 4", id="WHERE"),
        pytest.param(told(GOOD.replace(" AND o.paid = 1", "")), "row 3 is ('Bo', 5)", id="unpaid ones, too"),
        pytest.param(told(GOOD.replace("GROUP BY c.id, c.name", "GROUP BY c.name")), "3 rows", id="one name as one"),
        pytest.param(told(GOOD.replace("SUM(", "SUM(DISTINCT ")), "row 1 is ('Ann', 12.5)", id="DISTINCT"),
        pytest.param(told(GOOD.replace(SUM, "SUM(o.total)")), "('Bo', NULL)", id="NULL for 0"),
        pytest.param(told(GOOD.replace("SUM(o.total)", "COUNT(o.total)")), "wrong rows: row 1", id="COUNT"),
        pytest.param(told(GOOD.replace(" DESC", "")), "the rows are right, but not their order", id="the wrong way"),
        pytest.param(told(GOOD.partition("\nORDER")[0]), "not their order: row 1 is ('Ann', 12.5)", id="no order"),
        pytest.param(told(GOOD.replace("c.name, COALESCE", "c.id, c.name, COALESCE")), "3 columns", id="a column more"),
        pytest.param(
            told(f"SELECT paid_total, name FROM ({GOOD[:-1]})"), "row 1 is (14, 'Ann')", id="columns turned round"
        ),
        pytest.param(told(GOOD.replace(SUM, "CAST(SUM(o.total) AS TEXT)")), "'14'", id="texts"),
        pytest.param(told(GOOD.replace(SUM, "ROUND(TOTAL(o.total))")), "('Ann', 13.0)", id="rounded"),
        pytest.param(told(GOOD.replace(";", " LIMIT 3;")), "3 rows, expected 4", id="LIMIT"),
        pytest.param(told(f"{GOOD}\nSELECT 'done';"), "1 column, expected 2", id="another result last"),
        pytest.param(told(f"CREATE VIEW v AS {GOOD}\nSELECT * FROM v;"), "does more than read", id="a view"),
        pytest.param(told(f"EXPLAIN QUERY PLAN {GOOD}"), "4 columns, expected 2", id="a plan"),
        pytest.param(told(GOOD.replace("COALESCE", "NVL")), "no such function: NVL", id="a function of Oracle"),
        pytest.param(told(GOOD.replace("SELECT", "SELECT TOP 10")), "syntax error", id="TOP"),
        pytest.param(told(f"sqlite> {GOOD}"), "syntax error", id="a prompt before it"),
        pytest.param(told(GOOD.partition("GROUP")[0]), "1 row, expected 4", id="cut before GROUP BY"),
        pytest.param(told(GOOD[:60]), "SQLite says: ", id="cut inside"),
        pytest.param(f"Use this: {' '.join(GOOD.split())}", "syntax error", id="behind words, without a fence"),
        pytest.param(told(TABLE, ""), "SQLite says: ", id="the result"),
        pytest.param("I don't have access to your database.", "SQLite says: ", id="a refusal"),
        pytest.param(told("SELECT 'Ann', 14"), "1 row, expected 4", id="the first row as a constant"),
        pytest.param(told('{"columns": 2, "rows": [["Ann", 14]]}', "json"), "SQLite says: ", id="JSON"),
        pytest.param(told("import sqlite3\nprint([('Ann', 14)])", "python"), "syntax error", id="Python"),
    ],
)
def test_a_query_that_looks_right_says_what_is_wrong(workshop: Workshop, text: str, reason: str) -> None:
    score = scored(workshop, text)
    assert score.value == 0
    assert reason in score.reason
