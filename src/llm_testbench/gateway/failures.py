"""What went wrong, in the words of design 5.5: a status, an error body, a page that no LLM sends."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.redaction import Redactor
from llm_testbench.untrusted import ELLIPSIS, shortened

_QUOTED_BODY = 200  # characters
MAX_MESSAGE = 500  # characters of a Failure that leaves the room
_MAX_QUOTE = 64 * 1024  # characters kept before redaction: a cut must not hide half a secret from it

_CONTEXT_LENGTH = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:context|model) length|max_model_len|exceeds? (?:the )?n_ctx"
    r"|too many (?:input |prompt )?tokens|(?:prompt|input|request) (?:is )?too (?:long|large)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]+)", re.IGNORECASE)
_MAX_PAGE = 100_000  # characters of a page in which its title is looked for
_MAX_TITLE = 1000  # characters
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
# Where servers put their words: OpenAI, FastAPI's `detail`, a bare message, RFC 9457's `title`.
_TEXT_KEYS = ("error", "message", "detail", "msg", "error_description", "errors", "title", "reason")
_BY_STATUS = {
    401: Outcome.AUTH,
    402: Outcome.AUTH,  # the account cannot pay: nothing that the request could do better
    403: Outcome.AUTH,
    400: Outcome.REJECTED,
    413: Outcome.REJECTED,
    422: Outcome.REJECTED,
    408: Outcome.TIMEOUT,
    409: Outcome.SERVER,  # it was busy with the same, as 425 says that it is too early: it may be asked again
    425: Outcome.SERVER,
    429: Outcome.RATE_LIMITED,
}
_BY_CODE = {
    "invalid_request_error": Outcome.REJECTED,
    "authentication_error": Outcome.AUTH,
    "invalid_api_key": Outcome.AUTH,
    "permission_error": Outcome.AUTH,
    "rate_limit_exceeded": Outcome.RATE_LIMITED,
    "rate_limit_error": Outcome.RATE_LIMITED,
    "insufficient_quota": Outcome.RATE_LIMITED,
    "model_not_found": Outcome.PROTOCOL,
}


_CODE_KEYS = ("code", "status", "status_code", "statusCode", "type")
_FILTERED = frozenset(
    {"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "data_inspection_failed"}
)
_LASTING = frozenset({"insufficient_quota", "billing_hard_limit_reached", "model_not_found", "invalid_api_key"})
_LITELLM_FILTER = "ContentPolicyViolationError"


def one_line(text: str, limit: int = _MAX_QUOTE) -> str:
    """The text without control characters and line breaks, shortened to `limit` characters."""
    # The mark tells the redaction that half of a secret may stand before it, however short the rest has become.
    kept = text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}{ELLIPSIS}"
    return shortened(" ".join(_CONTROL.sub(" ", kept).split()), limit)


def redactor_of(model: ModelOptions) -> Redactor:
    """Replaces what is secret of the requests to this model."""
    return _redactor((model.api_key or "", *model.extra_headers.values()))


@lru_cache(maxsize=64)  # making one takes as long as a hundred of its texts
def _redactor(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(secrets)


def presentable(failure: Failure, redactor: Redactor) -> Failure:
    """The failure as it leaves the room: known secrets replaced, at most MAX_MESSAGE characters."""
    return replace(failure, message=one_line(redactor.text(failure.message), MAX_MESSAGE))


def error_text(said: object, depth: int = 4) -> str:
    """The words of an error body, whatever its shape; never raises, may be empty."""
    if isinstance(said, str):
        return said
    if isinstance(said, Mapping) and depth:
        for key in _TEXT_KEYS:
            text = error_text(said.get(key), depth - 1)
            if text:
                return text + _upstream(said.get("metadata"))
        return _quoted(said) if said else ""
    if isinstance(said, Sequence) and depth:
        return "; ".join(filter(None, (error_text(item, depth - 1) for item in said[:5])))
    return "" if said is None or isinstance(said, bool) else _quoted(said)


def _upstream(metadata: object) -> str:
    """What the server behind OpenRouter said, which itself says no more than "Provider returned error"."""
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    return f": {error_text(_parsed(raw)) or raw}" if isinstance(raw, str) and raw else ""


def parameter_of(said: object, depth: int = 6) -> str | None:
    """Which request key an error body says it rejects: OpenAI's `param`, or the first `loc` of FastAPI's `detail`."""
    if isinstance(said, str) and said.lstrip().startswith("{"):
        said = _parsed(said)  # Mistral and gateways hand on the error of another server as text
    if isinstance(said, Sequence) and not isinstance(said, str):
        said = said[0] if said else None
    if not isinstance(said, Mapping) or not depth:
        return None
    named, where = said.get("param"), said.get("loc")
    if isinstance(named, str) and named:
        return one_line(named, MAX_MESSAGE)
    if isinstance(where, Sequence) and not isinstance(where, str):
        return one_line(".".join(str(part) for part in where[:8] if part != "body"), MAX_MESSAGE) or None
    return next(filter(None, (parameter_of(said.get(key), depth - 1) for key in _INSIDE)), None)


_INSIDE = ("error", "detail", "message", "metadata", "raw")


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        return None


def _quoted(said: object) -> str:
    try:
        return json.dumps(said)[:_MAX_QUOTE]
    except (RecursionError, TypeError, ValueError):
        return "an answer that cannot be quoted"


def page_title(text: str) -> str | None:
    """The title of an HTML page, "" when it has none; None when the text is no HTML."""
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return None
    match = _TITLE.search(text[:_MAX_PAGE])
    if match is None:
        return ""
    title = html.unescape(match.group(1)).strip()
    # Marked where it was cut, as in one_line().
    return title if match.end() < _MAX_PAGE and len(title) <= _MAX_TITLE else f"{title[:_MAX_TITLE]}{ELLIPSIS}"


def page_words(text: str) -> str | None:
    """What a message calls an HTML page; None when the text is no HTML."""
    title = page_title(text)
    if title is None:
        return None
    return f"an HTML page titled {title!r}" if title else "an HTML page"


def failure_of_status(status: int, said: object) -> Failure:
    """What an answer with an error status means. `said`: its body, as JSON where it is some, else its text."""
    page = page_words(said) if isinstance(said, str) else None
    text = page or error_text(said) or "no message"
    outcome = _BY_STATUS.get(status, Outcome.SERVER if 500 <= status <= 599 else Outcome.PROTOCOL)
    if outcome in (Outcome.REJECTED, Outcome.SERVER) and _names_context_length(said, text, outcome):
        outcome = Outcome.CONTEXT_LENGTH
    return Failure(outcome, one_line(f"HTTP {status}: {text}"), status, parameter_of(said), _is_lasting(said))


def failure_of_error(said: object, status: int) -> Failure:
    """What an `error` inside an answer with a good status means. `said`: the object that holds it."""
    error = said.get("error", said) if isinstance(said, Mapping) else said
    if not isinstance(error, Mapping):
        error = said  # {"error": "too many requests", "code": 429}
    codes = [error.get(key) for key in _CODE_KEYS] if isinstance(error, Mapping) else []
    for code in codes:
        number = _as_status(code)
        if number is not None:
            return failure_of_status(number, said)
    text = error_text(said) or "no message"
    outcome = next((_BY_CODE[code] for code in codes if isinstance(code, str) and code in _BY_CODE), Outcome.SERVER)
    if _names_context_length(said, text, outcome):
        outcome = Outcome.CONTEXT_LENGTH
    message = one_line(f"HTTP {status} with an error: {text}")
    return Failure(outcome, message, status, parameter_of(said), _is_lasting(said))


def protocol_failure(text: str, status: int) -> Failure:
    """A body with a good status that no LLM sends."""
    what = page_words(text) or (repr(shortened(text, _QUOTED_BODY)) if text.strip() else "nothing")
    return Failure(
        Outcome.PROTOCOL, one_line(f"HTTP {status} with {what} where a chat completion was expected"), status
    )


def names_content_filter(said: object) -> bool:
    """Whether an error body says that a content filter refused, in the words of Azure, OpenAI, DashScope or LiteLLM."""
    error = said.get("error") if isinstance(said, Mapping) else None
    if isinstance(error, str):
        return _LITELLM_FILTER in error
    if not isinstance(error, Mapping):
        return False
    inner = error.get("innererror")
    codes = (error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, Mapping) else None)
    message = error.get("message")
    return not _FILTERED.isdisjoint(code for code in codes if isinstance(code, str)) or (
        isinstance(message, str) and _LITELLM_FILTER in message
    )


def _is_lasting(said: object) -> bool:
    """Whether the body says what is the same for every request to this model, whatever its status."""
    error = said.get("error", said) if isinstance(said, Mapping) else said
    codes = (error.get("code"), error.get("type")) if isinstance(error, Mapping) else ()
    return any(code in _LASTING for code in codes if isinstance(code, str))


def _names_context_length(said: object, text: str, outcome: Outcome) -> bool:
    error = said.get("error") if isinstance(said, Mapping) else None
    if isinstance(error, Mapping):
        codes = (error.get("code"), error.get("type"))
        if any(code in ("context_length_exceeded", "exceed_context_size_error") for code in codes):
            return True
    # A 5xx whose text only mentions the context may be any crash: there the code has to say it.
    return outcome is Outcome.REJECTED and _CONTEXT_LENGTH.search(text) is not None


def _as_status(code: object) -> int | None:
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    # Below 300 it is no error: a server that says {"error": …, "code": 200} means something else.
    return code if isinstance(code, int) and not isinstance(code, bool) and 300 <= code <= 599 else None
