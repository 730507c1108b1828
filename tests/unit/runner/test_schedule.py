from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.runner.samples import a_job, model

from llm_testbench.runner.job import Job
from llm_testbench.runner.schedule import Schedule

LIMITS = st.dictionaries(st.sampled_from("abcd"), st.none() | st.integers(1, 4), min_size=1)


@st.composite
def plans(draw: st.DrawFn) -> list[Job]:
    limits = draw(LIMITS)
    models = {name: model(name, concurrency=limit) for name, limit in limits.items()}
    names = draw(st.lists(st.sampled_from(sorted(models)), max_size=30))
    return [a_job(number, model=models[name]) for number, name in enumerate(names)]


def admissible(waiting: list[Job], running: list[Job], concurrency: int) -> list[Job]:
    """The specification, written as plainly as possible."""
    busy = Counter(job.model.name for job in running)
    if len(running) >= concurrency:
        return []
    return [job for job in waiting if job.model.concurrency is None or busy[job.model.name] < job.model.concurrency]


@given(jobs=plans(), concurrency=st.integers(1, 6), data=st.data())
def test_starts_the_first_job_that_the_limits_admit_and_none_only_when_there_is_none(
    jobs: list[Job], concurrency: int, data: st.DataObject
) -> None:
    schedule = Schedule(jobs, concurrency)
    waiting, running = list(jobs), list[Job]()
    while waiting or running:
        assert (schedule.waiting, schedule.running) == (len(waiting), len(running))
        if running and (ending := data.draw(st.integers(-len(running), len(running) - 1))) >= 0:
            schedule.finish(running.pop(ending))
            continue
        expected = admissible(waiting, running, concurrency)
        job = schedule.start()
        assert job is (expected[0] if expected else None)
        if job is None:
            assert running, "no job may start though nothing runs"
            schedule.finish(running.pop(0))
        else:
            waiting.remove(job)
            running.append(job)
    assert schedule.start() is None


def test_a_capped_slow_model_leaves_the_other_slots_to_others() -> None:
    slow, fast = model("slow", concurrency=1), model("fast")
    schedule = Schedule([*(a_job(n, model=slow) for n in range(5)), *(a_job(n, model=fast) for n in range(5))], 4)
    started = [schedule.start() for _ in range(5)]
    assert [job and job.model.name for job in started] == ["slow", "fast", "fast", "fast", None]


def test_one_name_on_two_servers_has_a_limit_for_each() -> None:
    here, there = model(concurrency=1), model(concurrency=1, endpoint="http://127.0.0.1:2/v1")
    schedule = Schedule([a_job(0, model=here), a_job(1, model=there), a_job(2, model=here)], 8)
    assert [schedule.start() is not None for _ in range(3)] == [True, True, False]
