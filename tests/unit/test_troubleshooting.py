"""docs/troubleshooting.md quotes what the product says, word for word, and has all that a report may warn of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.unit.messages import codes, quoted, texts, unsaid

from llm_testbench.answer.outcome import SCORED, Outcome

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "troubleshooting.md").read_text("utf-8")
BY_GITHUB = ("Resource not accessible by integration",)
"""Words of others, in messages of ours."""

ELSEWHERE: Mapping[str, str] = {
    "outdated": "its sentence is the reason, and each of those has an entry",
    "no_baseline": "the line below it is an entry",
}
"""Codes without an entry of their own, and why."""


def rows(page: str, heading: str) -> Iterator[list[str]]:
    """The cells of each row of the tables below headings that begin so."""
    for part in re.split(r"^## ", page, flags=re.MULTILINE):
        if part.startswith(heading):
            for line in part.splitlines():
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if line.startswith("| ") and not cells[0].startswith(("-", "it says")):
                    yield cells


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_has_what_users_meet() -> None:
    assert len(quoted()) > 100


@pytest.mark.parametrize("message", quoted())
def test_a_quoted_message_is_what_the_product_says(message: str) -> None:
    for words in BY_GITHUB:
        message = message.replace(words, "…")
    assert unsaid(message) == []


@pytest.mark.parametrize(
    "message",
    [
        'the comment was not written: … the token lacks "pull-requests: write": add it to the job\'s permissions',
        "there is no release…: publish one and attach a baseline to it",
        "the commentary was not written…",
    ],
)
def test_another_message_is_not(message: str) -> None:
    assert unsaid(message) != []


def test_every_code_that_a_report_may_have_has_an_entry() -> None:
    here = {code for cells in rows(PAGE, "Warnings of the report") for code in spans(cells[1])}
    here |= set(re.findall(r"with the code `(\w+)`", PAGE))
    verdict = (DOCS / "read-the-report.md").read_text("utf-8")
    reasons = {code for cells in rows(verdict, "The verdict") for code in spans(cells[0]) if "`" in cells[0]}
    known = codes()
    assert here <= known, "codes that nothing has"
    assert known - here - reasons == set(ELSEWHERE)
    assert not here & set(ELSEWHERE)


def test_the_codes_are_found_behind_names_parameters_and_tables() -> None:
    behind = {"baseline_old", "regression", "drift", "served_model", "shard", "unsaved", "self_reported_missing"}
    assert behind <= codes()


def test_every_kind_of_error_has_an_entry() -> None:
    told = [kind for cells in rows(PAGE, "The models do not answer") for kind in spans(cells[0]) if kind.isidentifier()]
    assert sorted(told) == sorted(set(Outcome) - SCORED)


def test_pages_that_messages_name_are_there() -> None:
    named = {page for text in texts() for page in re.findall(r"\bdocs/[\w-]+\.md", text)}
    assert {"docs/forks.md", "docs/gateways.md"} <= named
    assert [page for page in named if not (DOCS.parent / page).is_file()] == []
