"""What one answer of 1 MiB costs each evaluator, whatever the answer is made of: `python -m benchmarks.evaluators`.

CPU seconds, since a busy machine adds little to them, and beside them a yardstick of the same process: one pass of
`str.split` over 1 MiB of words.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tests.unit.evaluators.checks import COMPOSED, OF_CALLS

from llm_testbench.answer.model import Answer, Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.running import evaluate_in
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.model import Job, Ran
from llm_testbench.sandbox.programs import Finished, Program, Workshop

SIZE = 1024 * 1024
TRIES = 3
ENOUGH = 0.02  # seconds: what costs less is not measured anew

CHECKS: Sequence[JSONObject] = (
    {"equals": {"expected": "42", "collapse_space": True}},
    {"one_of": {"expected": ["42", "yes"], "collapse_space": True}},
    {"exact_token": "42"},
    {"contains_all": ["42", "yes", "no", "maybe"]},
    {"contains_any": ["maybe", "perhaps"]},
    {"not_contains": ["maybe", "perhaps"]},
    {"no_unnegated_mention": {"pattern": "use", "exempt": "ful"}},
    {"no_unnegated_mention": "e"},
    {"regex": r"(\w|\w\w)+$"},
    {"regex": {"pattern": r"port\s+(\d+)", "flags": "i", "group": 1, "expected": "5432"}},
    {"regex": {"pattern": r"(?im)^\s*(?:\*\*)?answer:?(?:\*\*)?\s*(\d+)\s*$", "group": 1, "expected": "42"}},
    {"numeric": {"expected": 42, "rel_tol": 0.1}},
    {"numeric": {"expected": 0.42, "unit": "percent", "pick": "first"}},
    {"numeric": {"expected": 42, "pick": "only"}},
    {"numeric": "3/4"},
    {"numeric": "12:30"},
    {"numeric": "2024-05-01"},
    {"json_field": {"path": "a[0]", "expected": 42, "abs_tol": 1}},
    {"json_fields": {"a": 42, "b.c": "x"}},
    {"json_array": {"expected": [42, "x", None]}},
    {"json_array": {"expected": [42, "x", None], "ordered": False}},
    {"json_array": {"path": "a", "expected": [{"a": 1}], "ordered": False}},
    {"json_schema": {"type": "object", "additionalProperties": {"type": "integer"}}},
    {"json_schema": {"items": {"type": "string", "pattern": "^a"}, "uniqueItems": True}},
    {"json_schema": {"patternProperties": {"^a": {"uniqueItems": True}, "[0-9]$": {"type": "integer"}}}},
    {"code": {"language": "python", "stdout": "42"}},
    {"code": {"language": "python", "stdout": "42", "harness": "{{code}}\nprint(f())"}},
    {"code": {"language": "go", "stdout": "42", "harness": 'import "fmt"\n{{code}}\nfunc main() { fmt.Println(f()) }'}},
    {"sql": {"setup": "CREATE TABLE t (a)", "expected": [[42]]}},
    *OF_CALLS,
    *COMPOSED,
)
EVALUATORS = tuple(map(build, CHECKS))
RUNNING: Sequence[JSONObject] = (
    {"code": {"language": "python", "stdout": "42\n43"}},
    {"sql": {"setup": "CREATE TABLE t (a)", "expected": [[42]]}},
)

# Each is repeated up to 1 MiB: what makes a search start anew at every place, or never end.
UNITS = (
    *(" ", "\n", " \n", "\t\n\n", '"', '\\"', "'", "`", "*", "**", "_", "$", "-", "- ", "#", "> ", "|", "| 1 "),
    *(",", ".", "\\", "\\boxed{", "\\frac{1", "\\text{", "$$\n", "{", "}", "[", "]", "(", "[1,", '["a",'),
    *('{"a":', '{"', '["', "[{", '{"a":1}', "[[1],", '{"a":1},', "{}", "{ ", "{}[", '"a":', "1", "1 ", "1,"),
    *("1.", "1.1.", "1,111", "1_", "1-", "1-a ", "1e", "1:", "12:30 ", "1/", "1/2 ", "1%", "$1 ", "1\n"),
    *("1. a\n", "2024-05-01 ", "9" * 300 + " ", "a", "a ", "a-", "a.", "a_", "a1", "https://a.b/", "never use "),
    *("use. ", "use; ", "instead of use ", "prefer a ", "never ", "e.g. ", "```", "```\n", "```json\n"),
    *("```python\n", "```\n```\n", "~~~\n", '```json\n{"a":1}\n```\n', "<", "<think>", "</think>"),
    *("<think></think>", "<think>\n<thinking></think>", "<tool_call>", "<function=f>", "[TOOL_CALLS]"),
    *('<tool_call>{"name":"f"', "Action: f\n", "f(", "f(x=1)\n", '{"name":"f","arguments":{}}', "port "),
    *("answer: ", "\ud800", "\u200b", "\ufeff", "答", "é", "İ", "１", "١", "«", "「", "\r", "\r\n", "\x00"),
    *("import ", "/*", "//\n", "func main() {", "from __future__ import ", "-- ", "'; ", "SELECT 1; "),
    *("port  \t", "1 234 ", "= - ", "10^", "²"),
)


def _shapes() -> Iterator[tuple[str, str]]:
    for unit in UNITS:
        yield ascii(unit)[:40], unit * (SIZE // len(unit))
    yield "digits and a point", "1" * (SIZE // 2) + "." + "1" * (SIZE // 2)
    yield "deep valid JSON", "[" * (SIZE // 2) + "]" * (SIZE // 2)
    yield "JSON of 100,000 keys", json.dumps({f"a{number}": number for number in range(100_000)})
    yield (
        "the same in a fence",
        "Here:\n```json\n" + json.dumps({f"k{number}": number for number in range(70_000)}) + "\n```",
    )
    yield "JSON of 150,000 numbers", json.dumps(list(range(150_000)))
    yield "JSON of 300,000 ones", "[" + "1," * (SIZE // 2 - 2) + "1]"
    yield "JSON of texts", json.dumps(["a b-c"] * (SIZE // 10))
    yield "JSON of texts like numbers", json.dumps(["1.5"] * (SIZE // 8))
    yield "JSON of one text", json.dumps("a " * (SIZE // 2))
    yield "JSON of one escaped text", '{"a": "' + "\\n" * (SIZE // 2) + '"}'
    yield "JSON of long numbers", "[" + ",".join(["9" * 4000] * (SIZE // 4001)) + "]"
    yield "JSON of exponents", "[" + ",".join(["1e300"] * (SIZE // 6)) + "]"
    yield "JSON of empty arrays", "[" + ",".join(["[]"] * (SIZE // 3)) + "]"
    yield "JSON of objects", json.dumps({"a": [{"a": 1, "b": [number]} for number in range(40_000)]})
    yield "JSON that lacks its end", json.dumps(list(range(150_000)))[:-1]
    yield "JSON behind prose", "So: " + json.dumps({f"k{number}": [number] for number in range(50_000)}) + "."
    yield "many values in prose", 'it is [1, 2] or {"a": 3}. ' * (SIZE // 26)
    yield "a table", "| a | 1 | 2.5 % |\n" * (SIZE // 18)
    yield "words, and a mention at the end", "word " * (SIZE // 5) + "use it"


def _calls() -> Iterator[tuple[str, tuple[ToolCall, ...]]]:
    yield "20,000 calls", tuple(ToolCall("f", {"x": number}, "{}") for number in range(20_000))
    yield "a call with 150,000 numbers", (ToolCall("f", {"x": list(range(150_000))}, "{}"),)
    yield "a call with 70,000 arguments", (ToolCall("f", {f"k{number}": number for number in range(70_000)}, "{}"),)
    yield "a call with a text of 1 MiB", (ToolCall("f", {"x": "a" * SIZE}, "{}"),)
    yield "1,000 calls of 9 texts", tuple(ToolCall("f", {f"k{n}": "1.00" for n in range(9)}, "{}") for _ in range(1000))
    yield "a call with 5,000 texts like numbers", (ToolCall("f", {"x": ["1.5"] * 4999}, "{}"),)
    yield "a call with a list for arguments", (ToolCall("f", None, "[" + "[]," * (SIZE // 3 - 1) + "[]]"),)
    yield "a call of malformed arguments", (ToolCall("f", None, "{" * SIZE),)
    yield "a call of a long name", (ToolCall("f" * SIZE, {"x": 1}, "{}"),)


def _tables() -> Iterator[tuple[str, Sequence[Sequence[JSON]]]]:
    """Rows as SQLite in the sandbox hands them over, as many as may be."""
    yield "10,000 rows of 10 whole numbers", [[row * 10 + column for column in range(10)] for row in range(10_000)]
    yield "10,000 rows of 10 fractions", [[row / 7, *[column / 8 for column in range(9)]] for row in range(10_000)]
    yield "10,000 rows of all kinds", [[row, f"n{row}", None, row / 4, "a", 1, 2, "b", 0.5, 0] for row in range(10_000)]
    yield "1,100 rows of 90 cells", [[1] * 90 for _ in range(1_100)]
    yield "3,000 rows of 90 cells", [[1] * 90 for _ in range(3_000)]


@dataclass(frozen=True)
class Cost:
    """CPU seconds of one evaluator on one shape."""

    seconds: float
    check: str
    shape: str


class _Printing:
    """A workshop in which every program prints the same: the work before and after it is measured."""

    def __init__(self, printed: bytes) -> None:
        self._ran = Ran(exit=0, stdout=printed)

    def run(self, program: Program) -> Finished:
        return Finished(None, self._ran)

    def run_steps(self, job: Job) -> Sequence[Ran]:
        return [self._ran] * len(job.steps)


def yardstick() -> float:
    """CPU seconds of one `str.split` over 1 MiB of words of five letters."""
    words = "lorem " * (SIZE // 6)
    return _least(words.split)


def texts() -> list[Cost]:
    """What 1 MiB of text costs, the dearest first; putting it into its normal form is a check of its own here."""
    workshop = _Printing(b"41")
    costs = []
    for shape, text in _shapes():
        costs.append(Cost(_least(partial(normalise, Completion(text=text))), "normalise", shape))
        costs += _of_all(normalise(Completion(text=text)), shape, workshop)
    return _sorted(costs)


def calls() -> list[Cost]:
    """The same of tool calls."""
    return _sorted(
        cost for shape, made in _calls() for cost in _of_all(Answer("", tool_calls=made), shape, _Printing(b"41"))
    )


def outputs() -> list[Cost]:
    """The same of what a program prints, which the sandbox cuts at 1 MiB."""
    costs: list[Cost] = []
    for shape, text in _shapes():
        workshop = _Printing(text.encode("utf-8", "replace")[:SIZE])
        costs += [
            Cost(_least(partial(evaluate_in, build(check), Answer("x"), workshop)), _name(check), shape)
            for check in RUNNING
        ]
    return _sorted(costs)


def rows() -> list[Cost]:
    """The same of rows that SQL returns, where the expected ones are as many and others, or the same."""
    costs: list[Cost] = []
    for shape, table in _tables():
        workshop = _Printing(json.dumps({"columns": len(table[0]), "rows": table}).encode())
        for kind, wanted in (
            ("the same", table),
            ("turned round", table[::-1]),
            ("others", [[*row[:-1], "z"] for row in table]),
        ):
            sql = build({"sql": {"setup": "CREATE TABLE t (a)", "expected": wanted}})
            costs.append(Cost(_least(partial(evaluate_in, sql, Answer("x"), workshop)), "sql", f"{shape}, {kind}"))
    return _sorted(costs)


def _of_all(answer: Answer, shape: str, workshop: Workshop) -> Iterator[Cost]:
    for check, evaluator in zip(CHECKS, EVALUATORS, strict=True):
        yield Cost(_least(partial(evaluate_in, evaluator, answer, workshop)), _name(check), shape)


def _name(check: JSONObject) -> str:
    return next(iter(check))


def _sorted(costs: Iterable[Cost]) -> list[Cost]:
    return sorted(costs, key=lambda cost: -cost.seconds)


def _least(act: Callable[[], object]) -> float:
    """The least of a few tries, as what else the machine does only adds; one is enough where it is little."""
    least = float("inf")
    for _ in range(TRIES):
        begun = time.thread_time()
        act()
        least = min(least, time.thread_time() - begun)
        if least < ENOUGH:
            break
    return least


def _told(name: str, costs: Sequence[Cost], unit: float) -> str:
    rows = [
        f"{cost.seconds * 1000:6.0f} ms {cost.seconds / unit:6.1f} ×  {cost.check}: {cost.shape}" for cost in costs[:25]
    ]
    return "\n".join((f"{name} ({len(costs)} measured)", *rows))


if __name__ == "__main__":
    UNIT = yardstick()
    print(f"yardstick: {UNIT * 1000:.1f} ms")
    for title, measured in (
        ("text", texts()),
        ("tool calls", calls()),
        ("output of programs", outputs()),
        ("rows", rows()),
    ):
        print(_told(title, measured, UNIT))
