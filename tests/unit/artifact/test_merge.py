"""Shards, and runs of different models, give what one run would have written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.artifact.samples import FACTS, document, error_row, row
from tests.unit.artifact.suites import suite_test

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import RunFacts, build, catalog_hash, entry_of
from llm_testbench.artifact.confined import Confined
from llm_testbench.artifact.merge import Given, merge
from llm_testbench.artifact.model import Artifact, Git, Meta, Row, Throttled
from llm_testbench.artifact.read import from_json
from llm_testbench.artifact.write import lines
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.json_value import parse
from llm_testbench.redaction import NO_SECRETS
from llm_testbench.suite.model import Test
from llm_testbench.suite.shard import Shard, part

A = ModelOptions(name="a", id="org/a", endpoint="http://127.0.0.1:8000/v1")
B = ModelOptions(name="b", id="org/b", endpoint="http://127.0.0.1:8000/v1")
TESTS = [suite_test(name) for name in ("one", "two", "three", "four", "five")]
SECCOMP = Confined("require", ("seccomp",), {}, ("network",), {}, 7)
GIT = Git("org/app", "abc", "refs/heads/main", "https://github.com/org/app/actions/runs/1")


def written(artifact: Artifact) -> bytes:
    return b"".join(lines(artifact, NO_SECRETS))


def stored(artifact: Artifact, name: str = "x.json") -> Given:
    """As another machine reads it."""
    return Given(name, from_json(parse(json.dumps(document(artifact))), name))


def shard_of(
    shard: Shard,
    rows: Sequence[Row],
    models: Sequence[ModelOptions] = (A,),
    facts: RunFacts = FACTS,
    tests: Sequence[Test] = TESTS,
) -> Artifact:
    """What the machine with this shard writes."""
    mine = part(tests, shard)
    names = {test.id for test in mine}
    told = replace(facts, shard=str(shard), catalog_hash=catalog_hash(map(entry_of, tests)))
    return build(told, mine, [one for one in rows if one.test_id in names], models)


def shards(of: int, rows: Sequence[Row] = (), **more: Any) -> list[Given]:
    return [stored(shard_of(Shard(number, of), rows, **more), f"{number}.json") for number in range(1, of + 1)]


def every(models: Sequence[ModelOptions] = (A,)) -> list[Row]:
    return [row(test.id, model.name) for test in TESTS for model in models]


@st.composite
def rows_of(draw: st.DrawFn, models: Sequence[ModelOptions]) -> list[Row]:
    """Attempts of all tests, among them failed ones, copies, and answers of other models."""
    found = []
    for test in TESTS:
        for model in models:
            for attempt in range(draw(st.integers(0, 3))):
                if draw(st.integers(0, 9)) == 0:
                    found.append(error_row(test.id, model.name, attempt))
                    continue
                found.append(
                    row(
                        test.id,
                        model.name,
                        attempt,
                        draw(st.sampled_from([0.0, 0.25, 1.0])),
                        outcome=draw(st.sampled_from([Outcome.ANSWERED, Outcome.REFUSED])),
                        served_model=draw(st.sampled_from(["x", "x", "y", None])),
                        fingerprint=draw(st.sampled_from(["fp_2", "fp_1", None])),
                        response_id=draw(st.sampled_from(["r1", "r2", "r3", "r4", None])),
                        copy=draw(st.sampled_from([None, None, "header"])),
                    )
                )
    return found


@given(st.data())
def test_whatever_was_measured_the_merged_shards_are_the_whole_run_to_the_byte(data: st.DataObject) -> None:
    together = data.draw(st.booleans())
    groups = [[B, A]] if together else [[B], [A]]
    rows = data.draw(rows_of([A, B]))
    parts: list[Given] = []
    begun, interrupted, adapted = [], False, dict[str, set[str]]()
    for models in groups:
        of = data.draw(st.integers(1, 7))
        mine = [one for one in rows if any(one.model == model.name for model in models)]
        for number in range(1, of + 1):
            begun.append(FACTS.started_at + timedelta(seconds=data.draw(st.integers(0, 99))))
            stopped = data.draw(st.integers(0, 9)) == 0
            learned = {model.name: data.draw(st.sets(st.sampled_from("pqr"), min_size=1)) for model in models}
            interrupted |= stopped
            for name, words in learned.items():
                adapted.setdefault(name, set()).update(words)
            facts = replace(
                FACTS,
                started_at=begun[-1],
                finished_at=begun[-1] + timedelta(seconds=60),
                interrupted=stopped,
                adaptations={name: tuple(sorted(words)) for name, words in learned.items()},
                git=GIT,
            )
            artifact = shard_of(Shard(number, of), mine, models, facts) if of > 1 else build(facts, TESTS, mine, models)
            parts.append(stored(artifact, f"{models[0].name}-{number}.json"))
    whole = build(
        replace(
            FACTS,
            started_at=min(begun),
            finished_at=max(begun) + timedelta(seconds=60),
            interrupted=interrupted,
            adaptations={name: tuple(sorted(words)) for name, words in adapted.items()},
            git=GIT,
        ),
        TESTS,
        rows,
        [B, A],
    )
    # The files of a model in any order; the models of one run stand in the order of its settings.
    names = data.draw(st.permutations(range(len(parts))))
    shuffled = sorted((parts[number] for number in names), key=lambda one: "b" not in one.meta.models)

    assert written(merge(shuffled)) == written(whole)


def test_a_shard_keeps_the_scores_that_only_the_whole_run_can_call_substituted() -> None:
    rows = [row(test.id, "a", served_model="y" if test.id == "one" else "x") for test in TESTS]
    given = shards(5, rows)
    (alone,) = [one for one in given if one.artifact.tests[0].test_id == "one"]

    merged = {one.test_id: one for one in merge(given).results}

    assert alone.artifact.results[0].score == 1
    assert alone.artifact.results[0].error is None
    assert merged["one"].outcome is Outcome.SUBSTITUTED
    assert [merged[name].error for name in ("two", "three")] == [None, None]


def test_an_id_that_answers_several_tests_is_no_copy_though_in_its_shard_it_looks_like_one() -> None:
    rows = [row(test.id, "a", attempt, response_id="constant") for test in TESTS for attempt in (0, 1)]

    assert [one.copy for one in merge(shards(5, rows)).results] == [None] * 10


def test_runs_of_different_models_keep_the_marks_that_they_have() -> None:
    rows = {
        model.name: [row("one", model.name, at, response_id="r", served_model="x") for at in (0, 1)] for model in (A, B)
    }
    runs = [stored(build(FACTS, TESTS, rows[model.name], [model])) for model in (A, B)]

    assert [one.copy for one in merge(runs).results] == [None, "id"] * 2


def test_an_empty_shard_joins_like_any_other() -> None:
    given = shards(7, every())

    assert [len(one.artifact.tests) for one in given] == [1] * 5 + [0] * 2
    assert len(merge(given).results) == 5


def test_a_whole_run_alone_is_itself() -> None:
    whole = stored(build(FACTS, TESTS, every(), [A]))

    assert merge([whole]) == whole.artifact


def changed(given: Sequence[Given], at: int, **more: object) -> list[Given]:
    """The artifacts, one of which has another meta."""
    found = list(given)
    artifact = found[at].artifact
    found[at] = Given(found[at].name, replace(artifact, meta=replace(artifact.meta, **more)))  # type: ignore[arg-type]
    return found


def of_models() -> list[Given]:
    """Two runs, each of one model."""
    return [stored(build(FACTS, TESTS, every([model]), [model]), f"{model.name}.json") for model in (A, B)]


def with_test(given: Sequence[Given], at: int, test_id: str, **more: object) -> list[Given]:
    found = list(given)
    artifact = found[at].artifact
    tests = tuple(replace(test, **more) if test.test_id == test_id else test for test in artifact.tests)  # type: ignore[arg-type]
    found[at] = Given(found[at].name, replace(artifact, tests=tests))
    return found


THREE = shards(3, every())
BOTH = of_models()

REFUSED: dict[str, tuple[list[Given], str]] = {
    "a shard is missing": (THREE[:2], "1.json: is shard 1/3 of a run of which shard 3/3 is not given"),
    "many are missing": (
        shards(9)[:1],
        "1.json: is shard 1/9 of a run of which shards 2/9, 3/9, 4/9, 5/9, 6/9 and 3 more are not given",
    ),
    "a shard is there twice": (
        [*THREE, replace(THREE[1], name="again.json")],
        "again.json: is shard 2/3, as 2.json is",
    ),
    "shards of other numbers": (
        [THREE[0], shards(2)[1]],
        "2.json: is shard 2/2, and 1.json is shard 1/3: not of one run",
    ),
    "a shard and a whole run": (
        [THREE[0], replace(BOTH[0], name="whole.json")],
        'whole.json: holds a whole run of the model "a", which 1.json holds, too: only shards of one run, or runs of'
        " different models, can be joined",
    ),
    "one model in two runs": (
        [BOTH[0], replace(BOTH[0], name="again.json")],
        'again.json: holds a whole run of the model "a", which a.json holds, too: only shards of one run, or runs of'
        " different models, can be joined",
    ),
    "models that overlap": (
        [BOTH[0], stored(build(FACTS, TESTS, [], [A, B]), "ab.json")],
        'ab.json: holds the model "a", as a.json does, and not the same models: shards of one run ask the same models',
    ),
    "no shard at all": (changed(THREE, 1, shard="second"), '2.json: its meta.shard is "second", expected one like 2/8'),
    "another seed": (changed(THREE, 1, seed=7), "2.json: meta.seed is 7, and null in 1.json: it has to be the same"),
    "another temperature": (
        changed(THREE, 2, temperature=0.5),
        "3.json: meta.temperature is 0.5, and null in 1.json: it has to be the same",
    ),
    "another token limit": (
        changed(THREE, 1, max_tokens_default=1),
        "2.json: meta.max_tokens_default is 1, and null in",
    ),
    "another number of attempts": (changed(THREE, 1, repeat=3), "2.json: meta.repeat is 3, and 2 in 1.json"),
    "another version": (changed(THREE, 1, version="2.0.0"), '2.json: meta.version is "2.0.0", and "1.2.3" in 1.json'),
    "another role": (changed(THREE, 1, role="record"), '2.json: meta.role is "record", and "run" in 1.json'),
    "another endpoint": (
        changed(THREE, 1, endpoint="http://b/v1"),
        '2.json: meta.endpoint is "http://b/v1", and "http://127.0.0.1:8000/v1" in 1.json',
    ),
    "another model id": (
        changed(THREE, 1, models={"a": "org/other"}),
        '2.json: meta.models.a is "org/other", and "org/a" in 1.json',
    ),
    "another way of asking": (changed(THREE, 1, asked={"a": "0"}), '2.json: meta.asked.a is "0", and "'),
    "an unknown way of asking": (changed(THREE, 1, asked={}), '2.json: meta.asked.a is null, and "'),
    "another commit": (changed(THREE, 1, git=GIT), '2.json: meta.git.repository is "org/app", and "" in 1.json'),
    "another commit of one repository": (
        changed(changed(changed(THREE, 0, git=GIT), 1, git=GIT), 2, git=replace(GIT, sha="def")),
        '3.json: meta.git.sha is "def", and "abc" in 1.json: it has to be the same',
    ),
    "another selection of tests": (
        [THREE[0], *shards(3, tests=TESTS[:4])[1:]],
        '2.json: meta.catalog_hash is "',
    ),
    "a test in two shards": (
        [*THREE[:2], Given("3.json", replace(THREE[2].artifact, tests=THREE[0].artifact.tests, results=()))],
        f'3.json: holds the test "{THREE[0].artifact.tests[0].test_id}", as 1.json does',
    ),
    "a test that is gone": (
        [*THREE[:2], Given("3.json", replace(THREE[2].artifact, tests=(), results=()))],
        "1.json: its catalog_hash, of all tests that were divided, is ",
    ),
    "a request that is another now": (
        with_test(THREE, 0, THREE[0].artifact.tests[0].test_id, request_hash="9"),
        "1.json: its catalog_hash, of all tests that were divided, is ",
    ),
    "results of an unknown model": (
        [Given("x.json", replace(BOTH[0].artifact, results=tuple(every([B]))))],
        'x.json: holds results of the model "b", which its meta.models lacks',
    ),
    "results of an unknown test": (
        [Given("x.json", replace(BOTH[0].artifact, results=(row("six", "a"),)))],
        'x.json: holds results of the test "six", which its tests lack',
    ),
    "another tool's": (
        [BOTH[0], Given("go.json", from_json([{"model": "g", "test_id": "one", "score": 1}], "go.json"))],
        "go.json: was written by another tool: what it asked, and how, is not known",
    ),
    "models: another seed": (changed(BOTH, 1, seed=7), "b.json: meta.seed is 7, and null in a.json"),
    "models: another version": (changed(BOTH, 1, version="2"), 'b.json: meta.version is "2", and "1.2.3" in a.json'),
    "models: a test less": (
        [BOTH[0], stored(build(FACTS, TESTS[:4], [], [B]), "b.json")],
        'a.json: holds the test "five", which b.json lacks',
    ),
    "models: a test more": (
        [BOTH[0], stored(build(FACTS, [*TESTS, suite_test("six")], [], [B]), "b.json")],
        'b.json: holds the test "six", which a.json lacks',
    ),
    "models: another request": (
        with_test(BOTH, 1, "one", request_hash="9"),
        'b.json: request_hash of the test "one" is "9", and "',
    ),
    "models: another check": (
        with_test(BOTH, 1, "one", check_hash="9"),
        'b.json: check_hash of the test "one" is "9", and "',
    ),
    "models: an unknown request": (
        with_test(with_test(BOTH, 0, "one", request_hash=""), 1, "one", request_hash=""),
        'b.json: does not tell the request_hash of the test "one": it may be another test',
    ),
    "models: an unknown check": (
        with_test(with_test(BOTH, 0, "one", check_hash=""), 1, "one", check_hash=""),
        'b.json: does not tell the check_hash of the test "one": it may be another test',
    ),
    "models: another rev": (with_test(BOTH, 1, "one", rev=2), 'b.json: rev of the test "one" is 2, and 1 in a.json'),
    "models: must_pass": (
        with_test(BOTH, 1, "one", must_pass=True),
        'b.json: must_pass of the test "one" is true, and',
    ),
    "models: quarantine": (with_test(BOTH, 1, "one", quarantine=True), "b.json: quarantine of the test"),
    "models: category": (with_test(BOTH, 1, "one", category="x"), 'b.json: category of the test "one" is "x", and'),
    "models: subcategory": (with_test(BOTH, 1, "one", subcategory="x"), "b.json: subcategory of the test"),
    "models: shards of one are missing": ([BOTH[1], *THREE[:2]], "1.json: is shard 1/3 of a run of which shard 3/3"),
}


@pytest.mark.parametrize(("parts", "said"), REFUSED.values(), ids=REFUSED)
def test_what_no_one_run_could_have_written_is_refused_with_file_key_and_values(parts: list[Given], said: str) -> None:
    with pytest.raises(InputError) as refused:
        merge(parts)

    assert str(refused.value).startswith(said)


def test_a_message_stays_one_short_line_whatever_the_file_holds() -> None:
    with pytest.raises(InputError) as refused:
        merge(changed(THREE, 1, endpoint="http://b/\n\x1b" + "x" * 10_000))

    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


def test_what_machines_may_tell_in_different_ways_is_kept_where_they_agree() -> None:
    given = [
        *changed(BOTH, 1, git=GIT, host={"python": "3.12.1", "platform": "linux"}, sandbox=SECCOMP)[1:],
        *changed(
            BOTH,
            0,
            git=replace(GIT, ref="refs/tags/v1", run_url="https://elsewhere"),
            host={"python": "3.13.0", "platform": "linux"},
            sandbox=SECCOMP,
            endpoint="https://other/v1",
        )[:1],
    ]

    meta = merge(given).meta

    assert meta.git == Git("org/app", "abc", "", "")
    assert meta.host == {"platform": "linux"}
    assert meta.sandbox == SECCOMP
    assert meta.endpoint == "http://127.0.0.1:8000/v1"
    assert list(meta.models) == ["b", "a"]


@pytest.mark.parametrize("started", ["", "yesterday", "2026-05-01T10:00:00"])
def test_a_time_that_is_not_known_leaves_the_whole_without_one(started: str) -> None:
    meta = merge(changed(THREE, 1, started_at=started, finished_at="2026-05-02T12:00:00+02:00")).meta

    assert (meta.started_at, meta.finished_at) == ("", "2026-05-02T12:00:00+02:00")


def test_rejections_add_up_and_the_course_of_one_limit_is_told_from_the_start_of_the_whole() -> None:
    alone, twice = Throttled(3, 4, ((10.0, 4), (20.0, 5))), Throttled(1, 2, ((5.0, 2),))
    given = changed(
        changed(changed(THREE, 0, throttled={"a": alone}), 1, started_at="2026-05-01T09:59:00Z"),
        2,
        throttled={},
    )

    assert merge(given).meta.throttled == {"a": Throttled(3, 4, ((70.0, 4), (80.0, 5)))}
    assert merge(changed(given, 2, throttled={"a": twice})).meta.throttled == {"a": Throttled(4, 2, ())}
    assert merge(changed(given, 2, started_at="")).meta.throttled == {"a": Throttled(3, 4, ())}


def test_one_part_that_was_interrupted_makes_the_whole_interrupted() -> None:
    assert merge(changed(THREE, 2, interrupted=True)).meta.interrupted


def test_merging_knows_every_key_of_meta() -> None:
    """A key that is new has to be told apart here: one value of a run, or what its parts tell together."""
    assert {field.name for field in fields(Meta)} == {
        *("version", "role", "repeat", "seed", "temperature", "max_tokens_default", "endpoint", "models", "asked"),
        *("started_at", "finished_at", "test_count", "catalog_hash", "fingerprints", "served_models", "interrupted"),
        *("git", "shard", "adaptations", "throttled", "sandbox", "host"),
    }
