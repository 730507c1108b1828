"""What a finish_reason means, in the words of each vendor (research: quirks 32 and 37).

Compared without regard to case: gateways before Gemini pass `MAX_TOKENS` on.
"""

from __future__ import annotations

DOCUMENTED = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
"""The values of OpenAI's own API reference."""

_LENGTH = frozenset(
    {
        "length",
        "max_tokens",  # Anthropic, Bedrock, Gemini
        "max_output_tokens",  # OpenAI's Responses API behind a bridge
        "model_length",  # Mistral
        "model_context_window_exceeded",  # Anthropic, Bedrock, GLM
    }
)
_FILTERED = frozenset(
    {
        "content_filter",
        "refusal",  # Anthropic
        "guardrail_intervened",  # Bedrock
        "content_filtered",  # Bedrock
        "sensitive",  # GLM
        "safety",  # Gemini, as the next four
        "recitation",
        "prohibited_content",
        "blocklist",
        "spii",
    }
)
_FAILED = frozenset(
    {
        "error",  # OpenRouter
        "network_error",  # GLM
        "insufficient_system_resource",  # DeepSeek
        "abort",  # vLLM, SGLang
    }
)


def is_length(finish_reason: str | None) -> bool:
    """The answer was cut at the token limit, or at the end of the context."""
    return finish_reason is not None and finish_reason.lower() in _LENGTH


def is_filtered(finish_reason: str | None) -> bool:
    """A content filter or the model itself refused."""
    return finish_reason is not None and finish_reason.lower() in _FILTERED


def is_failure(finish_reason: str | None) -> bool:
    """The server broke off: what came before is no answer."""
    return finish_reason is not None and finish_reason.lower() in _FAILED
