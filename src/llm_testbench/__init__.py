"""llm-testbench: a quality gate for language models behind an OpenAI-compatible gateway."""

from __future__ import annotations

__version__ = "0.1.0"
