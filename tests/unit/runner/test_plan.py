from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.runner.samples import a_job, a_row, a_test, model

from llm_testbench.errors import InputError
from llm_testbench.json_value import JSONObject
from llm_testbench.runner.job import Job
from llm_testbench.runner.plan import (
    ASSUMED_SECONDS,
    estimate,
    latencies,
    plan,
    remaining,
    require_at_most,
    require_tokens_at_most,
)


def test_all_tests_are_asked_once_before_any_is_asked_again_and_models_take_turns() -> None:
    jobs = plan((model("a"), model("b")), (a_test("t1"), a_test("t2")), repeat=2)
    assert [(job.attempt, job.test.id, job.model.name) for job in jobs] == [
        (0, "t1", "a"),
        (0, "t1", "b"),
        (0, "t2", "a"),
        (0, "t2", "b"),
        (1, "t1", "a"),
        (1, "t1", "b"),
        (1, "t2", "a"),
        (1, "t2", "b"),
    ]
    assert {(job.phase, job.side) for job in jobs} == {("main", "current")}


def test_a_test_that_names_models_is_asked_of_these_only() -> None:
    jobs = plan((model("a"), model("b")), (a_test("t1", models=("b", "absent")), a_test("t2")), repeat=1)
    assert [(job.test.id, job.model.name) for job in jobs] == [("t1", "b"), ("t2", "a"), ("t2", "b")]


class TestBothSides:
    def test_every_attempt_of_a_model_that_has_another_side_is_made_on_both_at_the_same_time(self) -> None:
        old = model("a", id="org/old", endpoint="http://127.0.0.1:2/v1")
        jobs = plan((model("a"), model("b")), (a_test("t1"), a_test("t2")), repeat=2, against={"a": old})
        assert [(job.attempt, job.test.id, job.model.name, job.side) for job in jobs] == [
            (0, "t1", "a", "current"),
            (0, "t1", "a", "baseline"),
            (0, "t1", "b", "current"),
            (0, "t2", "a", "baseline"),
            (0, "t2", "a", "current"),
            (0, "t2", "b", "current"),
            (1, "t1", "a", "baseline"),
            (1, "t1", "a", "current"),
            (1, "t1", "b", "current"),
            (1, "t2", "a", "current"),
            (1, "t2", "a", "baseline"),
            (1, "t2", "b", "current"),
        ]
        assert {job.model.id for job in jobs if job.side == "baseline"} == {"org/old"}
        assert {job.model.id for job in jobs if job.side == "current"} == {"org/a", "org/b"}

    def test_both_count_as_requests(self) -> None:
        jobs = plan((model(),), (a_test(),), repeat=3, against={"chat": model()})
        with pytest.raises(InputError, match="6 requests are planned"):
            require_at_most(jobs, 5)

    def test_a_row_of_one_side_leaves_the_other_to_be_asked(self) -> None:
        jobs = plan((model(),), (a_test(),), repeat=1, against={"chat": model()})
        assert [job.side for job in remaining(jobs, [a_row(0)])] == ["baseline"]

    def test_another_side_of_a_model_that_is_not_asked_is_not_asked_either(self) -> None:
        jobs = plan((model("a"),), (a_test("t1", models=("b",)), a_test("t2")), repeat=1, against={"b": model("b")})
        assert [(job.test.id, job.side) for job in jobs] == [("t2", "current")]


def test_more_jobs_than_max_requests_is_an_input_error_that_names_both_numbers() -> None:
    jobs = plan((model(),), (a_test(),), repeat=3)
    require_at_most(jobs, 3)
    with pytest.raises(InputError, match=r"3 requests are planned, max_requests allows 2: .*raise max_requests"):
        require_at_most(jobs, 2)


class TestPlannedTokens:
    @staticmethod
    def jobs(tokens: int | None = 100, **more: Any) -> tuple[Job, ...]:
        # 4 characters a token, so that each of the two attempts is 10 + 100.
        test = replace(a_test(), messages=({"role": "user", "content": "x" * 40},), **more)
        return plan((replace(model(), max_tokens=tokens),), (test,), repeat=2)

    def test_all_prompts_and_the_most_that_answers_may_have_count(self) -> None:
        require_tokens_at_most(self.jobs(), 220)
        with pytest.raises(InputError, match=r"220 tokens are planned .*about 20, answers at most 200.* allows 219"):
            require_tokens_at_most(self.jobs(), 219)

    def test_a_limit_that_a_test_raises_counts(self) -> None:
        with pytest.raises(InputError, match="answers at most 100000"):
            require_tokens_at_most(self.jobs(max_tokens=50_000), 220)

    def test_a_schema_for_the_answer_is_part_of_the_prompt(self) -> None:
        with pytest.raises(InputError, match="max_planned_tokens allows 220"):
            require_tokens_at_most(self.jobs(parameters={"response_format": {"x": "y" * 400}}), 220)

    def test_an_answer_without_any_limit_could_be_of_any_length(self) -> None:
        with pytest.raises(InputError, match="without a token limit"):
            require_tokens_at_most(self.jobs(None), 10**9)
        require_tokens_at_most(self.jobs(None), None)

    def test_where_nothing_is_planned_nothing_is_too_much(self) -> None:
        require_tokens_at_most((), 1)


def test_what_a_row_answers_is_not_asked_again() -> None:
    jobs = (a_job(0), a_job(1), a_job(2), a_job(1, phase="confirm"), a_job(1, side="baseline"))
    assert remaining(jobs, [a_row(1), a_row(2, model="other")]) == (jobs[0], *jobs[2:])


class TestEstimate:
    def test_counts_requests_and_a_quarter_of_the_characters_rounded_up(self) -> None:
        test = a_test(messages=({"role": "system", "content": "12345"}, {"role": "user", "content": "6789"}))
        found = estimate(plan((model("a"), model("b")), (test,), repeat=2), concurrency=1)
        assert (found.requests, found.prompt_tokens) == (4, 4 * 3)

    @pytest.mark.parametrize(
        ("message", "tools", "tokens"),
        [
            pytest.param({"role": "assistant", "content": None}, (), 0, id="no content"),
            pytest.param({"role": "user", "content": [{"type": "text", "text": "12345678"}]}, (), 2, id="parts"),
            pytest.param(
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:" + "A" * 4000}}]},
                (),
                0,
                id="an image is not counted by its URL",
            ),
            pytest.param({"role": "assistant", "tool_calls": [{"id": "1"}]}, (), 3, id="calls"),
            pytest.param({"role": "user", "content": "1234"}, ({"type": "f"},), 4, id="tools"),
        ],
    )
    def test_counts_what_is_sent(self, message: JSONObject, tools: tuple[JSONObject, ...], tokens: int) -> None:
        jobs = (a_job(test=a_test(messages=(message,), tools=tools)),)
        assert estimate(jobs, concurrency=1).prompt_tokens == tokens

    @pytest.mark.parametrize(
        ("floor", "own", "limit"),
        [
            pytest.param(4096, None, 4096, id="the floor"),
            pytest.param(4096, 8000, 8000, id="a test raises it"),
            pytest.param(4096, 10, 4096, id="a test cannot lower it"),
            pytest.param(None, 8000, None, id="no limit, whatever the test says"),
            pytest.param(None, None, None, id="no limit"),
        ],
    )
    def test_completion_tokens_are_the_limit_that_is_sent(
        self, floor: int | None, own: int | None, limit: int | None
    ) -> None:
        jobs = (a_job(model=model(max_tokens=floor), test=a_test(max_tokens=own)),)
        assert estimate(jobs, concurrency=1).completion_tokens == limit

    def test_one_request_without_a_limit_leaves_no_ceiling(self) -> None:
        jobs = (a_job(model=model("a", max_tokens=None)), a_job(model=model("b", max_tokens=7)))
        assert estimate(jobs, concurrency=1).completion_tokens is None

    @pytest.mark.parametrize(
        ("limit", "concurrency", "seconds"),
        [
            pytest.param(None, 4, 10 * ASSUMED_SECONDS / 4, id="all slots busy"),
            pytest.param(1, 4, 10 * ASSUMED_SECONDS, id="a capped model takes longest"),
            pytest.param(100, 4, 10 * ASSUMED_SECONDS / 4, id="a cap above the global limit is none"),
            pytest.param(None, 64, ASSUMED_SECONDS, id="never shorter than one request"),
        ],
    )
    def test_time_follows_the_tightest_limit(self, limit: int | None, concurrency: int, seconds: float) -> None:
        jobs = plan((model(concurrency=limit),), (a_test(),), repeat=10)
        assert estimate(jobs, concurrency).seconds == pytest.approx(seconds)

    def test_known_latencies_replace_the_assumption_and_are_counted(self) -> None:
        jobs = plan((model("a"), model("b")), (a_test(),), repeat=2)
        found = estimate(jobs, 1, known={("a", "greet"): 2.0}, assumed_seconds=7.0)
        assert (found.seconds, found.measured, found.assumed_seconds) == (18.0, 2, 7.0)

    def test_no_jobs_need_nothing(self) -> None:
        found = estimate((), 8)
        assert (found.requests, found.prompt_tokens, found.completion_tokens, found.seconds) == (0, 0, 0, 0)


def test_latencies_are_medians_of_calls_that_succeeded() -> None:
    rows = [a_row(0, latency_ms=1000.0), a_row(1, latency_ms=2000.0), a_row(2, latency_ms=9000.0)]
    rows += [a_row(3, latency_ms=300_000.0, error="timeout"), a_row(4, latency_ms=0.0), a_row(0, model="b")]
    rows += [a_row(5, latency_ms=90_000.0, side="baseline"), a_row(6, latency_ms=90_000.0, side="baseline")]
    assert latencies(rows) == {("chat", "greet"): 2.0, ("b", "greet"): 0.0125}
