"""HTTP errors that gateways answer instead of asking a model."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import format_datetime, parsedate_to_datetime

from llm_testbench.local.serving.effect import Occasion
from llm_testbench.local.serving.response import Response, as_error, as_json

ENOUGH_TOKENS = 16_384
"""A limit from here on leaves room for an answer behind the reasoning: four times the usual 4096."""

_HTML = ("Content-Type", "text/html; charset=UTF-8")
_MIDNIGHT = "Thu, 01 Jan 2026 00:00:00 GMT"
_SOON = format_datetime(parsedate_to_datetime("Thu, 01 Jan 2026 00:00:01 GMT"), usegmt=True)
_WAITS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("Retry-After-Ms", "500"),),
    (("Retry-After", "1"),),
    (("Retry-After", "0.5"),),
    (("X-RateLimit-Reset-Requests", "1s"),),
    (("Date", _MIDNIGHT), ("Retry-After", _SOON)),
)


def proxy_cut(_: Occasion) -> Response:
    """The page of a proxy whose patience is at an end."""
    page = b"<!DOCTYPE html><html><head><title>524: A timeout occurred</title></head><body></body></html>"
    return Response(524, (_HTML,), (page,))


def error_as_string(occasion: Occasion) -> Response:
    """An error in a shape of its own, which is another one each time."""
    words = "the engine is not available"
    shapes: tuple[object, ...] = ({"error": words}, {"detail": words}, {"message": words})
    return as_json(shapes[occasion.turn % len(shapes)], 500)


def overloaded(_: Occasion) -> Response:
    """As Anthropic says it."""
    return as_json({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529)


def retry_after(occasion: Occasion) -> Response:
    """A rate limit that is open again soon."""
    wait = _WAITS[occasion.turn % len(_WAITS)]
    return as_error(429, "rate limit reached", "rate_limit_error", *wait, code="rate_limit_exceeded")


def daily_quota(_: Occasion) -> Response:
    """A rate limit that stays closed for today."""
    wait = ("Retry-After", "36000")
    return as_error(429, "the daily limit of requests is reached", "rate_limit_error", wait, code="rate_limit_exceeded")


def permanent_4xx(_: Occasion) -> Response:
    """What stays as it is, however often it is asked for."""
    return as_error(404, "the model does not exist", "invalid_request_error", code="model_not_found")


def context_overflow(_: Occasion) -> Response:
    """A prompt that does not fit."""
    message = "the prompt is longer than the context of this model"
    return as_error(400, message, "invalid_request_error", code="context_length_exceeded", parameter="messages")


def content_filter(_: Occasion) -> Response:
    """As Azure says it."""
    message = "the response was filtered: the prompt triggered the content management policy"
    return as_error(400, message, "invalid_request_error", code="content_filter", parameter="prompt")


def max_tokens_rejected(occasion: Occasion) -> Response | None:
    """The newer name is wanted."""
    if "max_tokens" not in occasion.question.body:
        return None
    return _unsupported("max_tokens", "is not supported with this model; use 'max_completion_tokens' instead")


def temperature_rejected(occasion: Occasion) -> Response | None:
    """Only the default is taken."""
    if occasion.question.body.get("temperature", 1) == 1:
        return None
    message = "does not support this value with this model; only the default (1) is supported"
    return _unsupported("temperature", message, code="unsupported_value")


def seed_rejected(occasion: Occasion) -> Response | None:
    """As servers with a strict schema say it."""
    return _unknown("seed", occasion)


def stream_options_rejected(occasion: Occasion) -> Response | None:
    """As servers from before stream_options say it."""
    return _unknown("stream_options", occasion)


def parallel_tool_calls_rejected(occasion: Occasion) -> Response | None:
    """A parameter that only some models have."""
    return _unknown("parallel_tool_calls", occasion)


def tool_choice_rejected(occasion: Occasion) -> Response | None:
    """Words are taken, a certain function is not."""
    if not isinstance(occasion.question.body.get("tool_choice"), Mapping):
        return None
    return _unsupported("tool_choice", "has an invalid type: 'object'; supported values: none, auto, required")


def response_format_rejected(occasion: Occasion) -> Response | None:
    """A schema is taken, the older forms are not."""
    form = occasion.question.body.get("response_format")
    if not isinstance(form, Mapping) or form.get("type") not in ("text", "json_object"):
        return None
    return _unsupported("response_format", "must be of type 'json_schema'")


def _unknown(parameter: str, occasion: Occasion) -> Response | None:
    if parameter not in occasion.question.body:
        return None
    return _unsupported(parameter, "is not a parameter of this model", code="unknown_parameter")


def _unsupported(parameter: str, what: str, code: str = "unsupported_parameter") -> Response:
    message = f"Unsupported parameter: '{parameter}' {what}."
    return as_error(400, message, "invalid_request_error", code=code, parameter=parameter)
