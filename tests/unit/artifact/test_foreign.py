import json
from pathlib import Path

import pytest
from tests.unit.artifact.samples import ROW, artifact, document

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.foreign import foreign_from_json, is_foreign
from llm_testbench.artifact.read import read
from llm_testbench.json_value import JSON

FIXTURES = Path(__file__).parents[2] / "fixtures" / "artifacts"
SHAPES = ("go_meta_results_stats.json", "go_results.json", "go_array.json")


@pytest.mark.parametrize("name", SHAPES)
def test_all_three_shapes_say_the_same_of_the_scores(name: str) -> None:
    found = read(FIXTURES / name)

    assert found.foreign
    assert [(row.model, row.test_id, row.attempt, row.score, row.passed, row.error) for row in found.results] == [
        ("llama-8b", "cosine", 0, 1.0, True, None),
        ("llama-8b", "sql-inner-join", 0, 0.0, False, "status 503: upstream connect error"),
        ("llama-8b", "sql-inner-join", 1, 1.0, True, None),
        ("qwen-7b", "cosine", 0, 0.0, False, None),
        ("qwen-7b", "sql-inner-join", 0, 1.0, True, None),
        ("qwen-7b", "sql-inner-join", 1, 0.5, False, None),
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_statistics_are_computed_from_the_rows(name: str) -> None:
    found = {stat.test_id: (stat.mean, stat.spread, stat.unstable) for stat in read(FIXTURES / name).stats}

    assert found == {"cosine": (0.5, 1.0, False), "sql-inner-join": (0.875, 0.25, True)}


@pytest.mark.parametrize("name", SHAPES)
def test_tests_and_models_come_from_the_rows(name: str) -> None:
    found = read(FIXTURES / name)

    assert [(test.test_id, test.category, test.check_hash, test.check) for test in found.tests] == [
        ("cosine", "math", "", None),
        ("sql-inner-join", "programming", "", None),
    ]
    assert set(found.meta.models) == {"qwen-7b", "llama-8b"}
    assert (found.meta.repeat, found.meta.test_count) == (2, 2)


def test_what_meta_says_is_kept() -> None:
    meta = read(FIXTURES / "go_meta_results_stats.json").meta

    assert meta.models["qwen-7b"] == "Qwen/Qwen2.5-7B-Instruct"
    assert (meta.version, meta.started_at, meta.finished_at) == (
        "0.4.2",
        "2025-11-03T08:15:00Z",
        "2025-11-03T08:21:44Z",
    )


def test_texts_tokens_and_latencies_are_kept() -> None:
    first, second, cut = (
        row for row in reversed(read(FIXTURES / "go_meta_results_stats.json").results) if row.model == "qwen-7b"
    )

    assert (second.response_text, second.latency_ms, second.tokens) == (
        "SELECT a.id FROM a JOIN b ON a.id = b.id;",
        812.0,
        79,
    )
    assert (first.prompt_tokens, first.completion_tokens, first.finish_reason) == (61, 7, "stop")
    assert (cut.truncated, cut.outcome) == (True, Outcome.TRUNCATED)


def test_a_missing_total_of_tokens_is_taken_as_it_is() -> None:
    assert foreign_from_json([{"model": "m", "test_id": "t", "score": 1, "tokens": 96}]).results[0].tokens == 96


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        pytest.param({"score": 1}, Outcome.ANSWERED, id="scored"),
        pytest.param({"score": 1, "error": ""}, Outcome.ANSWERED, id="an empty error is none"),
        pytest.param({"passed": False}, Outcome.ANSWERED, id="Go leaves a score of zero out"),
        pytest.param({"reason": "no number"}, Outcome.ANSWERED, id="Go leaves false out too"),
        pytest.param({"error": "boom"}, Outcome.SERVER, id="failed call"),
        pytest.param({"skipped": True}, Outcome.TOOLCHAIN_MISSING, id="skipped"),
        pytest.param({"score": 0.5, "truncated": True}, Outcome.TRUNCATED, id="truncated"),
    ],
)
def test_the_outcome_is_what_the_row_tells(row: dict[str, JSON], outcome: Outcome) -> None:
    found = foreign_from_json([{"model": "m", "test_id": "t", **row}]).results[0]

    assert found.outcome is outcome
    assert found.scored == (outcome in {Outcome.ANSWERED, Outcome.TRUNCATED})


def test_attempts_are_numbered_from_zero_by_their_numbers_else_by_their_order() -> None:
    rows: list[JSON] = [
        {"model": "m", "test_id": "t", "score": 0.3, "attempt": 3},
        {"model": "m", "test_id": "t", "score": 0.1, "attempt": 1},
        {"model": "m", "test_id": "u", "score": 0.6},
        {"model": "m", "test_id": "u", "score": 0.7},
    ]

    found = [(row.test_id, row.attempt, row.score) for row in foreign_from_json(rows).results]

    assert found == [("t", 0, 0.1), ("t", 1, 0.3), ("u", 0, 0.6), ("u", 1, 0.7)]


@pytest.mark.parametrize(
    ("value", "line"),
    [
        pytest.param([{"test_id": "t", "score": 1}], "[0].model: is missing", id="no model"),
        pytest.param(
            {"results": [{"model": "m", "test_id": "t"}]}, "results[0].score: is missing", id="nothing says a score"
        ),
        pytest.param(
            [{"model": "m", "test_id": "t", "passed": True}], "[0].score: is missing", id="passed, but no score"
        ),
        pytest.param(
            [{"model": "m", "test_id": "t", "score": 7}],
            "[0].score: expected a number from 0 to 1, found another number",
            id="another scale",
        ),
        pytest.param({"results": {}}, "results: expected an array, found an object", id="no array"),
        pytest.param([1], "[0]: expected an object, found another number", id="no object"),
    ],
)
def test_what_cannot_be_a_baseline_is_named(value: JSON, line: str) -> None:
    with pytest.raises(ArtifactError) as caught:
        foreign_from_json(value)

    assert str(caught.value) == line


def test_odd_values_of_optional_members_are_passed_over() -> None:
    odd: JSON = {
        "meta": "none",
        "results": [
            {"model": "m", "test_id": "t", "score": 1, "latency_ms": "fast", "tokens": {"total": 5}, "attempt": -1}
        ],
    }

    found = foreign_from_json(odd).results[0]

    assert (found.latency_ms, found.tokens, found.attempt) == (0.0, None, 0)


@pytest.mark.parametrize(
    ("value", "foreign"),
    [
        pytest.param([], True, id="array"),
        pytest.param({"results": []}, True, id="results"),
        pytest.param(document(artifact(ROW)), False, id="this tool's"),
        pytest.param({"schema_version": 2, "results": []}, False, id="a newer one"),
        pytest.param({"tests": []}, False, id="something else"),
        pytest.param("text", False, id="no object"),
    ],
)
def test_a_foreign_artifact_names_no_schema_version(value: JSON, *, foreign: bool) -> None:
    assert is_foreign(value) == foreign


def test_the_fixtures_are_json_without_our_version() -> None:
    for name in SHAPES:
        assert is_foreign(json.loads((FIXTURES / name).read_text("utf-8")))
