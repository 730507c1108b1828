"""The report of `llmtest run --plan`: what a run would ask."""

from __future__ import annotations

from llm_testbench.compare.numbers import count
from llm_testbench.durations import show
from llm_testbench.report import figures
from llm_testbench.report.document import Document, Heading, Paragraph, table, text
from llm_testbench.runner.plan import Estimate


def plan_report(needed: Estimate, *, tests: int, models: int, repeat: int) -> Document:
    """Requests, tokens and minutes, each with how it was guessed."""
    asked = f"{count(tests, 'test')}, {count(models, 'model')}, {count(repeat, 'attempt')} each"
    title = f"{count(needed.requests, 'request')}: {asked}"
    ceiling = "no limit" if needed.completion_tokens is None else figures.whole(needed.completion_tokens)
    guessed = needed.requests - needed.measured
    rows = [
        (text("prompt tokens"), text(figures.whole(needed.prompt_tokens)), text("a guess: characters ÷ 4")),
        (text("completion tokens"), text(ceiling), text("at most: the token limits added up")),
        (
            text("time"),
            text(f"~{show(needed.seconds)}"),
            text(f"{guessed} requests taken as {needed.assumed_seconds:g} s each, without retries"),
        ),
    ]
    columns = table([("what", "left"), ("how much", "right"), ("how it was reckoned", "left")], rows)
    return Document((Heading(1, text(title)), columns, Paragraph(text("Nothing was asked."))))
