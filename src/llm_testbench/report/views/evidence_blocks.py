"""One cell that failed or dropped: where it stands, what was expected, the answers before and after."""

from __future__ import annotations

from collections.abc import Collection

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Row, TestEntry
from llm_testbench.compare.model import ComparedRow
from llm_testbench.json_value import canonical
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Block,
    Bullets,
    Code,
    Details,
    Group,
    Heading,
    Importance,
    Mono,
    Paragraph,
    Span,
    Strong,
    Text,
    text,
)
from llm_testbench.report.prompt_diff import prompt_diff
from llm_testbench.report.views.certainty import before_and_now, counts, of_test, other_side, settle
from llm_testbench.report.views.evidence import Evidence
from llm_testbench.untrusted import Untrusted, shortened

ANSWER_LIMIT = 1200  # characters of an answer
DIFF_LIMIT = 2500
SHORT, SHORT_LINES = 600, 12  # characters and lines that are seen without a click
CHECK_LIMIT = 240


def evidence_blocks(item: Evidence, by_grade: Collection[CellKey], *, first: bool = False) -> list[Block]:
    """A heading, what is known in lines, and the answers, folded but for short ones of the first cell."""
    answers = _answers(item)
    blocks: list[Block] = [Heading(4, _title(item, by_grade)), *_known(item, by_grade)]
    if answers:
        folded = Details(text("Answers before and after" if item.before else "The answer"), tuple(answers))
        shown = (item.before, item.again, item.now)
        blocks.append(
            Group("answers", Importance.ANSWER, tuple(answers) if first and all(map(_short, shown)) else (folded,))
        )
    return blocks


def folded_evidence(item: Evidence, by_grade: Collection[CellKey]) -> Group:
    """The same under one fold, for a cell that nothing is proven about."""
    blocks = (*_known(item, by_grade), *_answers(item))
    return Group(
        "answers", Importance.ANSWER, (Details((*cell_name(item.row), ": what was asked and answered"), blocks),)
    )


def _title(item: Evidence, by_grade: Collection[CellKey]) -> Text:
    row = item.row
    return (*cell_name(row), f": {before_and_now(row, by_grade)}")


def cell_name(row: ComparedRow) -> Text:
    """`total` on `chat`."""
    return Mono(Untrusted(row.test_id or "")), " on ", Mono(Untrusted(row.model or ""))


def _known(item: Evidence, by_grade: Collection[CellKey]) -> list[Block]:
    blocks: list[Block] = [Bullets(tuple(_facts(item, by_grade)))]
    diff = _diff(item)
    if diff:
        blocks.append(Group("differences of prompts", Importance.ANSWER, _changed_prompt(diff)))
    return blocks


def _answers(item: Evidence) -> list[Block]:
    other = other_side(item.row)
    return [
        *_answer("Before", item.before),
        *_answer(f"{other[0].upper()}{other[1:]}, asked again today", item.again),
        *_answer("Now", item.now),
    ]


def _short(row: Row | None) -> bool:
    """Where no answer came there is nothing to see."""
    return row is None or (row.error is None and _is_short(_shown(row)))


def _is_short(shown: str) -> bool:
    return len(shown) <= SHORT and shown.count("\n") < SHORT_LINES


def _changed_prompt(diff: str) -> tuple[Block, ...]:
    """What was edited is the first suspect."""
    code = Code(Untrusted(shortened(diff, DIFF_LIMIT)), "diff")
    title = "The prompt that changed"
    if _is_short(diff):
        return Paragraph(text(f"{title}:")), code
    return (Details(text(title), (code,)),)


def _facts(item: Evidence, by_grade: Collection[CellKey]) -> list[Text]:
    facts: list[Text] = []
    if item.test is not None and item.test.suite_file:
        facts.append(text(place(item.test), f" ({', '.join(item.row.badges)})" if item.row.badges else ""))
    if item.test is not None and item.test.check is not None:
        facts.append(text("expected: ", Mono(Untrusted(shortened(canonical(item.test.check), CHECK_LIMIT)))))
    sure = of_test(item.row, by_grade)
    if sure:
        facts.append(text(sure))
    if settle(item.row):
        facts.append(text(settle(item.row)))
    if item.now is not None:
        facts.append(text(*_passed(item, by_grade), *_result(item.now)))
    return facts


def _passed(item: Evidence, by_grade: Collection[CellKey]) -> Text:
    """How many attempts passed, where the heading has not said it."""
    if counts(item.row, by_grade) and item.row.baseline is not None and not item.fresh_now:
        return ("now: ",)
    fresh = f" ({item.fresh_now} of them asked again)" if item.fresh_now else ""
    before = f", before {item.passed_before} of {item.attempts_before}" if item.before is not None else ""
    return (f"now: {item.passed_now} of {item.attempts_now} passed{fresh}{before}; ",)


def place(test: TestEntry) -> Mono:
    """`evals/tools.yaml:33`: where the test is written."""
    return Mono(Untrusted(f"{test.suite_file}:{test.line}" if test.line else test.suite_file))


def _result(row: Row) -> tuple[Span, ...]:
    """What the check, or the server, said of an attempt."""
    words = row.error if row.error is not None else row.reason
    named = "" if row.outcome.value == "answered" else f"{row.outcome.value}: "
    return (named, Untrusted(words)) if words else (named.removesuffix(": ") or "no reason given",)


def _answer(when: str, row: Row | None) -> list[Block]:
    if row is None:
        return []
    fresh = " (asked again)" if row.phase == "confirm" and row.side == "current" else ""
    score = "no score" if not row.scored else f"score {figures.score(row.score)}"
    blocks: list[Block] = [Paragraph(text(Strong(f"{when}:"), f" attempt {row.attempt + 1}{fresh}, {score}"))]
    shown = shortened(_shown(row), ANSWER_LIMIT)
    return [*blocks, Code(Untrusted(shown)) if shown else Paragraph(text(_absent(row)))]


def _shown(row: Row) -> str:
    """What was scored: without the reasoning that stands in the stored text."""
    answer = normalise(Completion(row.response_text or ""))
    calls = [f"→ {call.name}({call.arguments_text})" for call in row.tool_calls]
    return "\n".join(part for part in (answer.text, *calls) if part)


def _absent(row: Row) -> str:
    if row.error is not None:
        return "no answer came"
    return "the answer was not stored" if row.response_text is None else "the answer was empty"


def _diff(item: Evidence) -> str:
    if item.test is None or item.test_before is None or item.test.request_hash == item.test_before.request_hash:
        return ""
    return prompt_diff(item.test_before.request, item.test.request)
