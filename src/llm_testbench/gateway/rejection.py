"""What a server's refusal says about a parameter, in the many wordings there are. Pure; the text is hostile.

The wordings and where they were seen stand in tests/unit/gateway/test_rejection.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from llm_testbench.gateway.model import Failure

LIMIT_NAMES = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "maxOutputTokens")
_MAX_TEXT = 2_000  # characters that are looked at: whoever names a parameter does so at once
_NESTED = frozenset({"stream_options", "tool_choice"})  # what is refused may be a part of them
_PARAMETER = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*")

# The refusal is about something else, and may quote a prompt or a schema that has a word like ours.
_POLICY = r"content[ _-]?(?:policy|filter|management)|moderation|safety|flagged|violat|harmful|jailbreak"
_ELSEWHERE = (
    r"messages?[\[.]\d|tools?[\[.]\d|function\.parameters|for function|json[_ ]?schema|in schema|schema for|"
    r"response_format|[.']properties\b|properties[.\[']"
)
_OTHER_THAN_TOOLS = re.compile(rf"{_POLICY}|messages?[\[.]\d|function\.parameters|[.']properties\b", re.IGNORECASE)
_OTHER = re.compile(rf"{_POLICY}|{_ELSEWHERE}", re.IGNORECASE)

_OPEN, _CLOSE = r"[\[({'\"`‘“]{0,3}", r"[\])}'\"`’”]{0,3}"
_NOUN = r"(?:param(?:eter)?|arg(?:ument)?|field|property|properties|key|option|value|setting)s?"
_NOT = r"(?:(?:does|do|did|is|are|was|were|can|could) ?(?:not|n['’]t)|cannot|can['’]t)"
_NO = (
    rf"(?:un(?:supported|recogni[sz]ed|known|expected)|invalid|illegal|extraneous|disallowed"
    rf"|not (?:supported|allowed|permitted|recogni[sz]ed|accepted)"
    rf"|{_NOT} (?:support|accept|allow|take|handle|specify|set|use|recogni[sz]e)|has no attribute|KeyError)"
)
_FILLER = (
    rf"(?:request|body|input|query|model|keyword|generation|sampling|per-request|custom|both|supplied|provided|found"
    rf"|received|specified|for|of|the|a|{_NOUN})"
)
_VERDICT = (
    r"(?:(?:is|was|are|were|has been)? ?(?:currently |also |only |strictly )?"
    r"(?:not (?:currently |yet )?(?:support|allow|accept|permit|recogni[sz]|valid|implement|available|compatible)"
    r"|unsupported|unrecogni[sz]ed|unknown|unexpected|invalid|deprecated|no longer|out of range|too (?:large|big|high))"
    r"|(?:must|may only|can only|should|cannot(?! find)|can['’]t|does not|doesn['’]t|do not)\b"
    r"|extra inputs are not permitted|input should)"
)


@dataclass(frozen=True)
class Overflow:
    """Prompt and answer do not fit. Tokens; `prompt`: how long it is, or `at_least` how long."""

    window: int
    prompt: int
    at_least: bool = False


def words(failure: Failure) -> str:
    """What the server said. Some put the sentence where the parameter's name belongs."""
    said = failure.message[:_MAX_TEXT]
    return said if _parameter(failure) == failure.parameter else f"{said} {failure.parameter or ''}"[:_MAX_TEXT]


def rejects(failure: Failure, key: str, asked: str = "") -> bool:
    """Whether the refusal names this request key as what is refused.

    `asked`: the text of the prompt, which an error may quote: what stands there proves nothing.
    """
    named = _parameter(failure)
    if named is not None:
        return named == key or (key in _NESTED and named.startswith(f"{key}."))
    said = words(failure)
    if key.lower() not in said.lower():
        return False
    if (_OTHER_THAN_TOOLS if key == "tool_choice" else _OTHER).search(said):
        return False
    return any(match.group() not in asked for match in _naming(key).finditer(said))


def is_unknown(failure: Failure, key: str, asked: str = "") -> bool:
    """Whether the key itself is refused, whatever its value."""
    return rejects(failure, key, asked) and not _VALUE.search(words(failure))


def _parameter(failure: Failure) -> str | None:
    """The name in `error.param`, None when there is none: "None", "500" and whole sentences are seen there too."""
    said = (failure.parameter or "").removeprefix("body.")
    return said if _PARAMETER.fullmatch(said) and said.lower() not in ("none", "null") else None


@cache
def _naming(key: str) -> re.Pattern[str]:
    inside = r"(?:\.[\w.]+)?" if key in _NESTED else ""
    name = rf"{_OPEN}(?:body\.)?{re.escape(key)}{inside}(?!\w|\.\w|-)"
    quoted = rf"['\"`‘“](?:body\.)?{re.escape(key)}{inside}['\"`’”]"
    listed = rf"(?:{_OPEN}\w+{_CLOSE}(?:: ?\w+)?, ?){{0,8}}"
    first = rf"{_NO}(?:[ :]{{1,3}}{_FILLER}){{0,6}}[ :=]{{0,3}}{listed}{name}"
    # Without quotes an English word counts only at the start of a sentence or behind a word for parameter.
    start = rf"(?:^|[.:;,(\[{{|>-] ?|\b{_NOUN} |\bper-request |\bthe (?={_OPEN}{re.escape(key)}{_CLOSE} {_NOUN}\b))"
    subject = rf"(?:{start}{name}|{quoted}){_CLOSE}"
    beside = rf"(?: and {_OPEN}\w+{_CLOSE})?"
    last = rf"{subject}:?{beside}(?: {_NOUN})?(?: specified in the request)? ?{_VERDICT}"
    where = (
        rf"['\"]loc['\"]: ?[\[(] ?['\"]body['\"], ?['\"]{re.escape(key)}['\"](?:[\])]|,[ )]{'' if inside else '?[)]'})"
    )
    offered = rf"no endpoints found that (?:can )?support the provided {quoted}"
    return re.compile("|".join((first, last, where, offered)), re.IGNORECASE)


_NUMBER = r"[`'\"]?(\d{1,9}(?:,\d{3}){0,3})(?![\d.]\d)"
_NAME_OF_LIMIT = (
    r"(?:max(?:imum)?[ _]?(?:completion|output|new|generated)?[ _]?tokens|completion tokens|output tokens|new tokens)"
)
_SAME_SENTENCE = r"(?:[^.;]|\.(?=\S)){0,120}?"
_UP_TO = (
    r"(?:at most|up to|no more than|less than or equal to|<=|≤|limit (?:of|is)|limited to|between \d+ and|from \d+ to"
    r"|(?:not|cannot|can't) (?:exceed|be (?:greater|larger|more) than)"
    r"|maximum (?:allowed |supported )?(?:value|limit)? ?(?:is|of|:))"
)
_HIGHEST = tuple(
    (re.compile(pattern, re.IGNORECASE), beyond)
    for pattern, beyond in (
        (rf"{_UP_TO} {_NUMBER} (?:completion|output|new|generated) tokens", 0),
        (rf"{_NAME_OF_LIMIT}: \d+ > {_NUMBER}, which is the maximum", 0),
        (rf"{_NAME_OF_LIMIT}{_SAME_SENTENCE}\(inclusive\) to {_NUMBER} \(exclusive\)", 1),
        (rf"{_NAME_OF_LIMIT}{_SAME_SENTENCE}{_UP_TO} ?{_NUMBER}", 0),
        (rf"{_NAME_OF_LIMIT}{_SAME_SENTENCE}[\[(] ?\d+ ?, ?{_NUMBER} ?\]", 0),
        (rf"{_NAME_OF_LIMIT}{_SAME_SENTENCE}(?:less|lower|smaller) than {_NUMBER}", 1),
        (rf"\b{_NAME_OF_LIMIT} > {_NUMBER} must", 0),
    )
)
_VALUE = re.compile(
    r"too (?:large|big|high|small|low)|exceed|greater|larger|less than|at least|at most|maximum|range|between|integer"
    r"|[<>]=?|positive",
    re.IGNORECASE,
)


def highest_limit(failure: Failure, sent: int) -> int | None:
    """The most tokens that an answer may have, where the refusal says so, and it is less than was sent."""
    named = _parameter(failure)
    said = words(failure)
    if named in LIMIT_NAMES:
        # The name stands elsewhere; pydantic says no more than "Input should be less than or equal to 4096".
        said = f"{said} {named}: {failure.message[:_MAX_TEXT]}"
    if "token" not in said.lower() or re.search(_POLICY, said, re.IGNORECASE):
        return None
    for pattern, beyond in _HIGHEST:
        for match in pattern.finditer(said):
            highest = _int(match.group(1)) - beyond
            if 1 <= highest < sent:
                return highest
    return None


_OVERFLOWS = tuple(
    re.compile(pattern.replace("N", r"\d{1,9}"), re.IGNORECASE)
    for pattern in (
        # OpenAI, Azure, DeepSeek, vLLM, SGLang
        r"maximum context length (?:is|of) (?P<window>N) tokens.{0,60}?requested (?:a total of )?N tokens ?[:(] ?"
        r"(?P<prompt>N) (?:tokens )?(?:in|from) (?:the |your )?(?:input |prompt|messages)",
        # vLLM since 2025
        r"maximum context length is +(?P<window>N) tokens and your request has (?P<prompt>N) input tokens",
        r"maximum context length is (?P<window>N) tokens.{0,40}?requested N output tokens and your prompt contains"
        r" (?P<least>at least )?(?P<prompt>N) input tokens",
        # OpenRouter
        r"maximum context length is (?P<window>N) tokens.{0,40}?requested about N tokens"
        r" \((?P<prompt>N) of text input",
        # Anthropic
        r"input length and .?max_tokens.? exceed context limit: (?P<prompt>N) \+ N > (?P<window>N)",
        # text-generation-inference
        r"inputs.? tokens \+ .?max_new_tokens.? must be <= (?P<window>N)\. Given: (?P<prompt>N) .?inputs.? tokens",
    )
)


def overflow(failure: Failure) -> Overflow | None:
    """The lengths in a refusal that says that prompt and answer together do not fit."""
    said = words(failure)
    if "tokens" not in said:
        return None
    for pattern in _OVERFLOWS:
        match = pattern.search(said)
        if match is not None:
            found = match.groupdict()
            window, prompt = int(found["window"]), int(found["prompt"])
            return Overflow(window, prompt, bool(found.get("least")))
    return None


def _int(digits: str) -> int:
    return int(digits.replace(",", ""))
