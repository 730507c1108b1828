"""What a package with an evaluator of its own imports: these names stay, wherever they are defined.

docs/add-an-evaluator.md shows how.
"""

from __future__ import annotations

from llm_testbench.answer.model import Answer, ToolCall
from llm_testbench.evaluators.parameters import Fields
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.registry import build
from llm_testbench.evaluators.running import evaluate_in, runs_code
from llm_testbench.evaluators.score import Evaluator, Score, SpecError
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.sandbox.programs import Workshop

__all__ = [
    "JSON",
    "Answer",
    "Evaluator",
    "Fields",
    "JSONObject",
    "Score",
    "SpecError",
    "ToolCall",
    "Workshop",
    "build",
    "evaluate_in",
    "quote",
    "runs_code",
]
