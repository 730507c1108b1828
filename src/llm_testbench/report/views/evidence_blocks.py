"""One cell that failed or dropped: where it stands, what was expected, the answers before and after."""

from __future__ import annotations

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.artifact.model import Row, TestEntry
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
from llm_testbench.report.views.evidence import Evidence
from llm_testbench.untrusted import Untrusted

ANSWER_LIMIT = 1200  # characters of an answer
DIFF_LIMIT = 2500
SHORT, SHORT_LINES = 600, 12  # characters and lines that are seen without a click
CHECK_LIMIT = 240


def evidence_blocks(item: Evidence, *, first: bool = False) -> list[Block]:
    """A heading, what is known in lines, and the answers, folded but for short ones of the first cell."""
    row = item.row
    before = row.baseline.mean if row.baseline else None
    now = row.current.mean if row.current else None
    scores = f": {figures.score(before)} → {figures.score(now)}" if row.baseline else f": {figures.score(now)}"
    title = text(Mono(Untrusted(row.test_id or "")), " on ", Mono(Untrusted(row.model or "")), scores)
    blocks: list[Block] = [Heading(4, title), Bullets(tuple(_facts(item)))]
    diff = _diff(item)
    if diff:
        blocks.append(Group("differences of prompts", Importance.ANSWER, _changed_prompt(diff)))
    answers = [*_answer("Before", item.before), *_answer("Now", item.now)]
    if answers:
        folded = Details(text("Answers before and after" if item.before else "The answer"), tuple(answers))
        shown = tuple(answers) if first and _short(item.before) and _short(item.now) else (folded,)
        blocks.append(Group("answers", Importance.ANSWER, shown))
    return blocks


def _short(row: Row | None) -> bool:
    """Where no answer came there is nothing to see."""
    return row is None or (row.error is None and _is_short(_shown(row)))


def _is_short(shown: str) -> bool:
    return len(shown) <= SHORT and shown.count("\n") < SHORT_LINES


def _changed_prompt(diff: str) -> tuple[Block, ...]:
    """What was edited is the first suspect."""
    code = Code(Untrusted(_cut(diff, DIFF_LIMIT)), "diff")
    title = "The prompt that changed"
    if _is_short(diff):
        return Paragraph(text(f"{title}:")), code
    return (Details(text(title), (code,)),)


def _facts(item: Evidence) -> list[Text]:
    facts: list[Text] = []
    if item.test is not None and item.test.suite_file:
        facts.append(text(place(item.test), f" ({', '.join(item.row.badges)})" if item.row.badges else ""))
    if item.test is not None and item.test.check is not None:
        facts.append(text("expected: ", Mono(Untrusted(_cut(canonical(item.test.check), CHECK_LIMIT)))))
    if item.now is not None:
        passed = f"{item.passed_now} of {item.attempts_now} passed"
        if item.before is not None:
            passed += f", before {item.passed_before} of {item.attempts_before}"
        facts.append(text(f"{passed}; ", *_result(item.now)))
    return facts


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
    score = "no score" if not row.scored else f"score {figures.score(row.score)}"
    blocks: list[Block] = [Paragraph(text(Strong(f"{when}:"), f" attempt {row.attempt + 1}, {score}"))]
    shown = _shown(row)
    return [*blocks, Code(Untrusted(_cut(shown, ANSWER_LIMIT)))] if shown else [*blocks, Paragraph(text(_absent(row)))]


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


def _cut(words: str, limit: int) -> str:
    return words if len(words) <= limit else words[: limit - 1] + "…"
