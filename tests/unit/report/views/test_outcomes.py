"""How asking went, in a report."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.report.views.shown import in_order, shown

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row, Throttled
from llm_testbench.artifact.stats import stats
from llm_testbench.compare.compare import compare
from llm_testbench.compare.options import GateOptions
from llm_testbench.gateway.model import Try
from llm_testbench.report.document import Document
from llm_testbench.report.views.gate import gate_report
from llm_testbench.report.views.outcomes import MOST_LINES, asking_blocks, asking_lines, outcome_table
from llm_testbench.report.views.run import run_report

TEST = entry("a-t")
MIXED = artifact(
    {("chat", "a-t"): [1.0, 0.0, 0.5, Outcome.TIMEOUT, Outcome.RATE_LIMITED], ("code", "a-t"): [1.0]},
    rows=[
        row(TEST, "code", 1, 0.0, outcome=Outcome.BUDGET_EXHAUSTED),
        row(TEST, "code", 2, Outcome.TOOLCHAIN_MISSING),
    ],
)


def said(run: Artifact) -> str:
    return shown(Document(asking_blocks(run)))


def tried(number: int, *before: Outcome, quirks: tuple[str, ...] = ()) -> Row:
    tries = tuple(Try(503, outcome, 0.0, 1.0) for outcome in (*before, Outcome.ANSWERED))
    return replace(row(TEST, "chat", number, 1.0), tries=tries, quirks=quirks)


def test_where_every_attempt_was_answered_nothing_is_said() -> None:
    assert asking_blocks(artifact({"a-t": [1.0, 0.0, 0.5]})) == ()
    assert asking_blocks(artifact({})) == ()


def test_wrong_answers_stand_apart_from_other_ends_and_errors_by_kind() -> None:
    table = outcome_table(MIXED)

    assert table is not None
    assert table.columns == (
        "model", "answered", "of them wrong", "budget exhausted", "timeout", "rate limited", "toolchain missing",
    )  # fmt: skip
    in_order(said(MIXED), "chat  3  2  –  1  1  –", "code  1  –  1  –  –  1", "of them wrong: answered, and the check")
    assert "not asked" not in said(MIXED)


def test_attempts_that_were_given_up_on_have_a_column_of_their_own() -> None:
    failed = row(TEST, "chat", 0, Outcome.AUTH, tries=(Try(401, Outcome.AUTH, 0.0, 1.0),))
    given_up = [replace(row(TEST, "chat", n, Outcome.AUTH), error="not asked: the key is wrong") for n in (1, 2)]
    run = artifact({}, TEST, rows=[failed, *given_up])

    in_order(said(run), "auth error", "not asked", "chat  –  –  1  2", "not asked: given up on, since")
    in_order(
        shown(run_report(run)),
        "Errors",
        "chat  not asked  2  not asked: the key is wrong",
        "chat  auth  1  words: auth",
    )


def test_attempts_that_were_given_up_on_are_told_though_all_others_were_answered() -> None:
    given_up = replace(row(TEST, "chat", 1, Outcome.AUTH), error="not asked: the key is wrong")
    run = artifact({"a-t": [1.0]}, TEST, rows=[given_up])

    in_order(said(run), "answered", "not asked", "chat  1  –  1")


def test_rate_limits_changed_requests_retries_and_odd_answers_are_a_line_each() -> None:
    rows = [
        tried(0, quirks=("no-done", "bom")),
        tried(1, Outcome.SERVER, Outcome.SERVER, Outcome.NETWORK, quirks=("no-done",)),
        tried(2, Outcome.REJECTED),
    ]
    run = artifact(
        {},
        TEST,
        rows=rows,
        throttled={"chat": Throttled(37, 4)},
        adaptations={"chat": ("seed is not sent", "the token limit is sent as max_tokens"), "code": ()},
    )

    assert said(run).splitlines() == [
        "- chat was rate limited: 37 tries were answered 429 or 529, and its concurrency went down to 4",
        "- chat: requests were changed for its server: seed is not sent; the token limit is sent as max_tokens",
        "- chat: 1 of 3 attempts needed a retry (server error 2, network error 1)",
        "- chat: unusual answers: no-done in 2 of 3 attempts, bom in 1 of 3 attempts (docs/gateways.md)",
    ]


def test_one_try_is_one_try() -> None:
    run = artifact({"a-t": [1.0]}, throttled={"chat": Throttled(1, 4)})
    assert "chat was rate limited: 1 try was answered 429 or 529," in said(run)


def test_long_lists_are_cut() -> None:
    quirks = tuple(f"quirk-{number}" for number in range(7))
    many = artifact({}, TEST, rows=[tried(0, quirks=quirks)], adaptations={"chat": quirks})
    assert said(many).splitlines() == [
        "- chat: requests were changed for its server: quirk-0; quirk-1; quirk-2; quirk-3; quirk-4; and 2 more",
        "- chat: unusual answers: "
        + ", ".join(f"quirk-{number} in 1 of 1 attempt" for number in range(5))
        + " and 2 more kinds (docs/gateways.md)",
    ]
    lines = asking_lines(artifact({"a-t": [1.0]}, throttled={f"m{n:03}": Throttled(1, 1) for n in range(100)}))
    assert lines is not None
    assert len(lines.items) == MOST_LINES
    assert lines.items[-1] == ("and 81 more lines",)


def test_both_reports_tell_it_and_the_gate_folds_it() -> None:
    run = replace(MIXED, stats=stats(MIXED.results))
    in_order(shown(run_report(run)), "Models", "How asking went", "of them wrong", "Categories")

    gate = shown(gate_report(compare(run, run, GateOptions()), run, run))
    in_order(gate, "▾ How asking went", "of them wrong", "chat  3  2  –  1  1  –")
    assert "How asking went" not in shown(run_report(artifact({"a-t": [1.0]})))


def test_that_requests_were_adapted_otherwise_stands_in_the_first_lines() -> None:
    before = artifact({"a-t": [1.0]})
    now = artifact({"a-t": [1.0]}, adaptations={"chat": ("seed is not sent",)})

    in_order(
        shown(gate_report(compare(before, now, GateOptions()), now, before)),
        "- chat: requests were adapted to the server in another way: none → seed is not sent",
        "Models",
        "▾ How asking went",
        "- chat: requests were changed for its server: seed is not sent",
    )
