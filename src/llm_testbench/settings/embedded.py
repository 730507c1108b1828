"""`endpoint: local`: the model that it implies, and how the started server gets into the settings."""

from __future__ import annotations

from dataclasses import replace

from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.model import Settings
from llm_testbench.settings.model_entry import ModelEntry

EMBEDDED = ModelEntry(name="smollm2-135m", id="smollm2-135m-instruct")
"""What is asked when nobody names a model."""


def with_embedded(settings: Settings, endpoint: str, model_id: str, parallel: int) -> Settings:
    """The settings once the embedded gateway runs: its models ask `endpoint` for `model_id`, under their own names.

    No more than `parallel` at a time, unless the user says otherwise: what waits in the server's queue
    would count as the model's latency.
    """
    models = tuple(
        replace(model, endpoint=endpoint, id=model_id, concurrency=model.concurrency or parallel)
        if model.endpoint == LOCAL
        else model
        for model in settings.models
    )
    return replace(settings, models=models)
