"""The other side of a run that asked both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.artifact.samples import ENTRY, META, artifact, document, row

from llm_testbench.artifact.build import catalog_hash
from llm_testbench.artifact.cells import cells
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.sides import baseline_side
from llm_testbench.artifact.validate import validate_document
from llm_testbench.gateway.model import ModelOptions

CHAT = ModelOptions("chat", "org/chat", META.endpoint, temperature=META.temperature)
CODE = replace(CHAT, name="code", id="org/code")
OTHER = replace(CHAT, id="org/chat-b")
MORE = replace(ENTRY, test_id="more")

RUN = artifact(
    row(served_model="served-a", fingerprint="fp-a"),
    row("more"),
    row(side="baseline", score=0.5, served_model="served-b", fingerprint="fp-b"),
    row(side="baseline", attempt=1, score=0.0, phase="confirm", served_model="served-c"),
    tests=(ENTRY, MORE),
    meta=replace(META, models={"chat": "org/chat", "code": "org/code"}, test_count=2),
)


def other(
    run: Artifact = RUN,
    models: tuple[ModelOptions, ...] = (CHAT, CODE),
    against: Mapping[str, ModelOptions] | None = None,
) -> Artifact:
    return baseline_side(run, models, {"chat": OTHER} if against is None else against)


def test_its_rows_of_both_phases_are_those_of_a_run_of_its_own() -> None:
    found = other()

    assert [(one.side, one.phase, one.attempt, one.score) for one in found.results] == [
        ("current", "main", 0, 0.5),
        ("current", "confirm", 1, 0.0),
    ]
    cell = cells(found.results)["chat", "greeting"]
    assert (cell.mean, cell.n) == (0.5, 1)
    assert [stat.mean for stat in found.stats] == [0.5]


def test_it_tells_of_its_own_model_server_and_tests() -> None:
    found = other()

    assert found.meta.models == {"chat": "org/chat-b"}
    assert found.meta.served_models == {"chat": ("served-b", "served-c")}
    assert found.meta.fingerprints == {"chat": ("fp-b",)}
    assert found.tests == (ENTRY,)
    assert (found.meta.test_count, found.meta.catalog_hash) == (1, catalog_hash([ENTRY]))
    assert (found.meta.started_at, found.meta.git) == (META.started_at, META.git)


def test_it_is_valid() -> None:
    assert validate_document(document(other())) == ()


def test_without_such_rows_it_is_empty() -> None:
    found = other(artifact(row()))

    assert (found.tests, found.results, found.meta.models) == ((), (), {})


def test_a_model_whose_other_side_is_not_known_is_known_to_be_another() -> None:
    assert other(against={}).meta.models == {"chat": "unknown"}
    assert other(against={}).meta.asked == {}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({}, {}, id="nothing"),
        pytest.param(
            {"endpoint": "https://user:secret@b.example/v1?key=1"}, {"endpoint": "https://b.example/v1"}, id="endpoint"
        ),
        pytest.param({"temperature": None}, {"temperature": None}, id="temperature"),
        pytest.param({"max_tokens": 7}, {"max_tokens_default": 7}, id="tokens"),
    ],
)
def test_how_it_was_asked_is_told_where_it_differs(change: dict[str, Any], told: dict[str, object]) -> None:
    meta = other(against={"chat": replace(OTHER, **change)}).meta

    as_before = {
        "endpoint": META.endpoint,
        "temperature": META.temperature,
        "max_tokens_default": META.max_tokens_default,
    }
    assert {name: getattr(meta, name) for name in as_before} == as_before | told


def test_an_endpoint_of_a_models_own_is_no_difference_of_the_sides() -> None:
    own = replace(CHAT, endpoint="https://own.example/v1")

    assert other(models=(own,), against={"chat": replace(own, id="b")}).meta.endpoint == META.endpoint


def test_the_first_model_whose_sides_differ_decides() -> None:
    against = {"chat": OTHER, "code": replace(CODE, endpoint="https://b.example/v1")}

    assert other(against=against).meta.endpoint == "https://b.example/v1"
