"""`endpoint: local`: the model that it implies, and how the started server gets into the settings."""

from __future__ import annotations

from dataclasses import replace

from llm_testbench.gateway.model import ModelOptions
from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.model_entry import ModelEntry

EMBEDDED = ModelEntry(name="smollm2-135m", id="smollm2-135m-instruct")
"""What is asked when nobody names a model."""


def embedded(model: ModelOptions, endpoint: str, model_id: str, parallel: int) -> ModelOptions:
    """How the model is asked once the embedded gateway runs: one of `local` asks it, under its own name.

    No more than `parallel` at a time, unless the user says otherwise: what waits in the server's queue
    would count as the model's latency.
    """
    if model.endpoint != LOCAL:
        return model
    return replace(model, endpoint=endpoint, id=model_id, concurrency=model.concurrency or parallel)
