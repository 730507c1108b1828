"""doctor against a real llama.cpp server."""

from __future__ import annotations

import json

import pytest
from tests.integration.commands.bench import Bench

from llm_testbench.local.weights import available

pytestmark = pytest.mark.skipif(not available(), reason="the embedded model is not installed")


def test_the_embedded_model_takes_all_that_is_sent_and_needs_no_file(world: Bench) -> None:
    done = world.llmtest("doctor", "--endpoint", "local", "--write", "--format", "json")

    (model,) = json.loads(done.out)["models"]
    states = {fact["what"]: fact["state"] for fact in model["facts"]}
    assert done.code == 0
    assert (model["name"], model["endpoint"], model["keys"], model["calls"]) == ("smollm2-135m", "local", {}, 3)
    taken = ("listed", "answers", "token limit", "temperature", "seed", "stream", "stream_options")
    assert {states[what] for what in taken} == {"yes"}
    assert "llm-testbench.yaml: nothing to write" in done.err
    assert not (world.folder / "llm-testbench.yaml").exists()
