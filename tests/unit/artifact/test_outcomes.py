"""What became of the attempts, counted apart from what their answers were worth."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.artifact.samples import META, artifact, error_row, row, skipped_row

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.outcomes import Outcomes, model_outcomes, was_not_asked
from llm_testbench.gateway.model import Try

GOOD = Try(200, Outcome.ANSWERED, 0.0, 1.0)


def tried(*outcomes: Outcome) -> tuple[Try, ...]:
    return tuple(replace(GOOD, outcome=outcome) for outcome in outcomes)


def test_each_attempt_is_counted_once_and_a_wrong_answer_is_no_trouble() -> None:
    (found,) = model_outcomes(
        artifact(
            row(attempt=0),
            row(attempt=1, score=0.0),
            row(attempt=2, score=0.5),
            row(attempt=3, score=0.0, outcome=Outcome.TRUNCATED),
            error_row(attempt=4),
            skipped_row(attempt=5),
        )
    )

    assert found == Outcomes(
        "chat",
        {Outcome.ANSWERED: 3, Outcome.TRUNCATED: 1, Outcome.SERVER: 1, Outcome.TOOLCHAIN_MISSING: 1},
        wrong=2,
        attempts=6,
    )


def test_what_was_not_scored_is_not_wrong_whatever_a_file_calls_it() -> None:
    (found,) = model_outcomes(artifact(error_row(outcome=Outcome.ANSWERED)))

    assert (found.outcomes, found.wrong) == ({Outcome.ANSWERED: 1}, 0)


def test_models_stand_in_the_order_of_the_run_and_those_without_rows_not_at_all() -> None:
    meta = replace(META, models={"z": "z", "nobody": "n", "a": "a"})

    found = model_outcomes(artifact(row(model="a"), row(model="z"), row(model="later"), meta=meta))

    assert [one.model for one in found] == ["z", "a", "later"]


def test_what_is_asked_again_or_of_the_other_side_is_not_counted_but_for_how_asking_went() -> None:
    again = row(attempt=1, phase="confirm", tries=tried(Outcome.SERVER, Outcome.ANSWERED), quirks=("no-done",))
    other = row(side="baseline", score=0.0)

    (found,) = model_outcomes(artifact(row(), again, other))

    assert (found.outcomes, found.wrong) == ({Outcome.ANSWERED: 1}, 0)
    assert (found.attempts, found.retried, found.quirks) == (3, 1, {"no-done": 1})


def test_an_attempt_that_was_not_made_is_no_failed_one() -> None:
    given_up = error_row(outcome=Outcome.AUTH, error="not asked: the key is wrong: HTTP 401", attempt=1)
    failed = error_row(outcome=Outcome.AUTH, error="HTTP 401", tries=tried(Outcome.AUTH))
    quoting = replace(failed, error="not asked: says the server", attempt=2)

    (found,) = model_outcomes(artifact(failed, given_up, quoting))

    assert (found.outcomes, found.not_asked) == ({Outcome.AUTH: 2}, 1)
    assert [was_not_asked(one) for one in (failed, given_up, quoting, row())] == [False, True, False, False]


def test_a_retry_follows_trouble_and_not_the_form_of_the_request() -> None:
    (found,) = model_outcomes(
        artifact(
            row(attempt=0, tries=tried(Outcome.ANSWERED)),
            row(attempt=1, tries=tried(Outcome.REJECTED, Outcome.CONTEXT_LENGTH, Outcome.ANSWERED)),
            row(attempt=2, tries=tried(Outcome.BUDGET_EXHAUSTED, Outcome.ANSWERED)),
            row(attempt=3, tries=tried(Outcome.RATE_LIMITED, Outcome.RATE_LIMITED, Outcome.REJECTED, Outcome.ANSWERED)),
            error_row(attempt=4, tries=tried(Outcome.SERVER, Outcome.NETWORK)),
        )
    )

    assert (found.retried, found.retries) == (2, {Outcome.RATE_LIMITED: 2, Outcome.SERVER: 1})


def test_a_quirk_counts_once_an_attempt() -> None:
    rows = [row(attempt=0, quirks=("bom", "bom", "crlf")), row(attempt=1, quirks=("bom",)), row(attempt=2)]

    (found,) = model_outcomes(artifact(*rows))

    assert found.quirks == {"bom": 2, "crlf": 1}
