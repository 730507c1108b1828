"""Several baselines as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.compare.joined import joined


def scores(of: Artifact) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in of.results:
        found.setdefault((row.model, row.test_id), []).append(row.score)
    return found


def test_one_candidate_is_the_baseline_as_it_is() -> None:
    only = artifact({"a": [1.0]})

    assert joined([only]).artifact is only


def test_each_cell_comes_from_the_first_that_has_it() -> None:
    found = joined([artifact({"a": [1.0]}), artifact({"a": [0.0], "b": [0.5]}), artifact({"b": [0.0], "c": [0.2]})])

    assert scores(found.artifact) == {("chat", "a"): [1.0], ("chat", "b"): [0.5], ("chat", "c"): [0.2]}
    assert found.source == {("chat", "a"): 0, ("chat", "b"): 1, ("chat", "c"): 2}
    assert [test.test_id for test in found.artifact.tests] == ["a", "b", "c"]
    assert [stat.test_id for stat in found.artifact.stats] == ["a", "b", "c"]


def test_a_cell_without_a_score_is_looked_up_further() -> None:
    found = joined([artifact({"a": [Outcome.SERVER]}), artifact({"a": [0.5]})])

    assert scores(found.artifact) == {("chat", "a"): [0.5]}


def test_a_model_that_only_a_later_candidate_knows_is_there_with_its_id_and_what_its_server_said() -> None:
    first = artifact({("chat", "a"): [1.0]}, served_models={"chat": ("first",)})
    second = artifact(
        {("chat", "b"): [1.0], ("new", "a"): [0.5]},
        models={"chat": "org/another", "new": "org/new"},
        served_models={"chat": ("second",), "new": ("n",)},
        fingerprints={"chat": ("fp",), "new": ("fp",)},
        adaptations={"new": ("no seed",)},
    )

    found = joined([first, second])

    assert scores(found.artifact) == {("chat", "a"): [1.0], ("chat", "b"): [1.0], ("new", "a"): [0.5]}
    meta = found.artifact.meta
    assert meta.models == {"chat": "org/chat", "new": "org/new"}
    # What the first run knows about a model stands, also where it knows nothing.
    assert meta.served_models == {"chat": ("first",), "new": ("n",)}
    assert (meta.fingerprints, meta.adaptations) == ({"new": ("fp",)}, {"new": ("no seed",)})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(entry("a", request_hash="another"), id="asked in another way"),
        pytest.param(entry("a", check_hash="another"), id="checked in another way"),
        pytest.param(entry("a", rev=2), id="another revision"),
    ],
)
def test_a_test_that_means_something_else_is_not_mixed_in(other: TestEntry) -> None:
    first = artifact({("chat", "a"): [1.0]}, entry("a"))

    assert joined([first, artifact({("new", "a"): [0.5]}, other)]).artifact is first


def test_an_unknown_hash_counts_as_equal() -> None:
    later = artifact({("new", "a"): [0.5]}, entry("a", request_hash="", check_hash=""))

    found = joined([artifact({("chat", "a"): [1.0]}, entry("a")), later])

    assert ("new", "a") in scores(found.artifact)


@pytest.mark.parametrize("change", [{"phase": "confirm"}, {"side": "baseline"}], ids=str)
def test_other_attempts_do_not_count_as_scored(change: dict[str, Any]) -> None:
    other = artifact({"a": [1.0]})
    other = replace(other, results=tuple(replace(row, **change) for row in other.results))

    assert joined([other, artifact({"a": [0.5]})]).source == {("chat", "a"): 1}
