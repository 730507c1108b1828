"""A gateway that repeats all secrets in every place and every promised spelling, and the search for them."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from tests.servers.gateway import Raw, Reply, Scripted, Stream, chunk, completion, message, tool_message
from tests.servers.github.fake import TOKEN

from llm_testbench.artifact.model import TEXT_CAP

# With all that URLs, HTML, JSON and base64 write otherwise.
KEY = 'sk-proj/Ab+Cd"0<1&2345=6789_xYz'
OTHER_KEY = "sk-2nd-Kq7Lm2Vt9Wc4Xz"
HEADER = "org-Hj3Rn8Pd5Fs"
BASIC = "team:Bw6Ty1Gm4Cx9"
PROXY = "prx-Nv5Sk8Jd2Qf"
SECRETS = (KEY, OTHER_KEY, HEADER, BASIC, PROXY, TOKEN)
ENVIRON = {
    "GITHUB_TOKEN": TOKEN,
    "LLMTB_API_KEY": KEY,
    "B_KEY": OTHER_KEY,
    "HTTPS_PROXY": f"http://somebody:{PROXY}@127.0.0.1:9",
}
CONFIG = f"""\
endpoint: URL
models:
  - {{name: a, id: a, extra_headers: {{X-Org: {HEADER}}}}}
  - {{name: b, id: b, api_key_env: B_KEY}}
  - {{name: c, id: c, extra_headers: {{Authorization: Basic {base64.b64encode(BASIC.encode()).decode()}}}}}
suites: [canary.yaml]
max_retries: 0
"""
CONFIG_NAME = "llm-testbench.yaml"
_PERCENT = re.compile("%[0-9A-F]{2}")
_WINDOW = 8  # characters; shorter secrets are not promised, and neither are shorter pieces


def spellings(secret: str) -> tuple[str, ...]:
    """All that redaction.py promises."""
    raw = secret.encode()
    quoted = json.dumps(secret)[1:-1]
    return (
        secret,
        f"Bearer {secret}",
        secret.lower(),
        secret.upper(),
        quote(secret, safe=""),
        _PERCENT.sub(lambda match: match.group().lower(), quote(secret, safe="")),
        quote(secret),
        quote_plus(secret),
        f"https://x:{quote(secret, safe='')}@host/",
        html.escape(secret),
        quoted,
        quoted.replace("/", "\\/"),
        json.dumps(json.dumps({"key": secret})),
        *(base64.b64encode(b"x" * n + raw + b"y" * n).decode() for n in range(3)),
        *(base64.urlsafe_b64encode(b"x" * n + raw + b"y" * n).decode() for n in range(3)),
        "data:text/plain;base64," + base64.b64encode(b'{"key": "' + raw + b'"}').decode() + ",and more",
        "Basic " + base64.b64encode(b"somebody:" + raw).decode(),
        raw.hex(),
        raw.hex().upper(),
    )


SAID = " | ".join(spelling for secret in SECRETS for spelling in spellings(secret))


def _call(name: str, arguments: str, call_id: str = "c") -> dict[str, Any]:
    return message(
        None, tool_calls=[{"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}]
    )


def _ends_in(text: str, at: int, secret: str) -> str:
    """`text` so often that the secret begins some characters before `at`."""
    return (text * at)[: at - _WINDOW - 2] + secret


_HEADERS = ("Retry-After", "Retry-After-Ms", "x-ratelimit-reset", "x-ratelimit-reset-requests", "x-should-retry")
PLACES: Mapping[str, Callable[[], Scripted]] = {
    "text": lambda: SAID,
    "text-alone": lambda: KEY,
    "reasoning": lambda: message("4", reasoning_content=SAID),
    "think-tags": lambda: f"<think>{SAID}</think>4",
    "arguments": lambda: tool_message("f", {SAID: SAID, "deep": [{KEY: [SAID]}]}),
    "broken-arguments": lambda: _call("f", '{"key": "' + SAID),
    "call-names": lambda: _call(SAID, "{}", SAID),
    "printed-call": lambda: json.dumps({"name": "f", "arguments": {"key": SAID}}),
    "labels": lambda: completion("4", finish=SAID, id=SAID, model=SAID, system_fingerprint=SAID),
    "served-model": lambda: completion("4", model=_ends_in("m", 120, KEY)),
    "refused": lambda: Reply({"error": {"message": SAID, "param": SAID, "code": SAID}}, 400),
    "refused-late": lambda: Reply({"error": {"message": _ends_in("x ", 500, KEY)}}, 400),
    "refused-short": lambda: Reply({"error": {"message": _ends_in("x ", 190, KEY)}}, 400),
    "wrong-key": lambda: Reply({"error": f"wrong key {KEY} in Authorization: Bearer {KEY}"}, 401),
    "no-json": lambda: Reply(SAID, 500),
    "html": lambda: Reply(f"<html><head><title>{html.escape(SAID)}</title></head></html>", 502),
    "html-in-200": lambda: Reply(f"<html><head><title>{html.escape(KEY)}</title></head></html>"),
    "nonsense": lambda: Reply(_ends_in("x", 200, KEY)),
    "nonsense-first": lambda: Reply(KEY),
    "error-in-200": lambda: Reply({"error": SAID}),
    "headers": lambda: Reply({"error": "slow down"}, 429, dict.fromkeys(_HEADERS, KEY)),
    "fallback": lambda: Reply(
        completion("4"), 200, {"x-litellm-attempted-fallbacks": "1", "x-litellm-model-group": f"m {KEY}"}
    ),
    "redirect": lambda: Reply(b"", 302, {"Location": f"https://{OTHER_KEY}.example.com/{quote(KEY)}"}),
    "status-line": lambda: Raw([f"{KEY} 200 OK\r\n\r\n".encode()]),
    "reason-phrase": lambda: Raw([f"HTTP/1.1 500 {KEY}\r\nContent-Length: 0\r\n\r\n".encode()]),
    "bad-length": lambda: Raw([f"HTTP/1.1 200 OK\r\nContent-Length: {KEY}\r\n\r\n{{}}".encode()]),
    "bad-chunk": lambda: Raw([f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n".encode()]),
    "error-mid-stream": lambda: Stream([chunk("4"), {"error": {"message": SAID, "code": 500}}]),
    "odd-events": lambda: Stream([f": {KEY}\n\nevent: {KEY}\ndata: {KEY}\n\n".encode(), chunk("4", "stop")]),
    "capped": lambda: _ends_in("4 ", TEXT_CAP, KEY),
    "capped-reasoning": lambda: message("4", reasoning_content=_ends_in("4 ", TEXT_CAP, KEY)),
}  # fmt: skip
_CHECKS = (
    "{equals: '4'}",
    "{contains_all: ['4', 'no such word']}",
    "{numeric: 4}",
    "{json_schema: {type: object, required: [x]}}",
    "{tool_call_args: {name: f, args: {x: 1}}}",
    "{tool_called: g}",
    "{not_contains: [sk-]}",
    "{any: [{equals: '4'}, {regex: '^4$'}]}",
)
_TOOL = "[{type: function, function: {name: f, parameters: {type: object}}}]"


def suite() -> str:
    """A test for each place, whose prompt names it; the checks quote what they saw in different ways."""
    tests = [
        f"  - id: {place}\n    prompt: 'place {place} of the key {KEY}'\n"
        f"    tools: {_TOOL}\n    evaluate: {_CHECKS[number % len(_CHECKS)]}\n"
        for number, place in enumerate(PLACES)
    ]
    return "category: canary\nsubcategory: echo\ntests:\n" + "".join(tests)


def echo(body: Mapping[str, Any]) -> Scripted:
    """What the place says that the prompt names."""
    return PLACES[str(body["messages"][-1]["content"]).split()[1]]()


def honest(body: Mapping[str, Any]) -> Scripted:
    """Answers that pass most checks."""
    return "4"


def _windows(text: str, length: int) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}


_PLAIN = [
    spelled
    for secret in SECRETS
    for spelled in (
        *(secret, secret.lower(), secret.upper()),
        *(quote(secret, safe=""), html.escape(secret), json.dumps(secret)[1:-1]),
    )
]
_DIGITS = [digits for secret in SECRETS for digits in (secret.encode().hex(), secret.encode().hex().upper())]
_PIECES = {piece for spelled in _PLAIN for piece in _windows(spelled, _WINDOW)}
_PIECES |= {piece for digits in _DIGITS for piece in _windows(digits, 2 * _WINDOW)}
_RAW_PIECE = re.compile(
    b"|".join(re.escape(piece.encode()) for secret in SECRETS for piece in _windows(secret, _WINDOW))
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_STANDARD = str.maketrans("-_", "+/")


def found(text: str) -> list[str]:
    """Pieces of secrets in it, as they are or as what base64 decodes to."""
    shown = [text[max(0, text.index(piece) - 40) :][:100] for piece in _PIECES if piece in text]
    for run in _BASE64.finditer(text):
        for offset in range(4):
            encoded = run.group().translate(_STANDARD)[offset:]
            whole = encoded[: len(encoded) // 4 * 4]
            if _RAW_PIECE.search(base64.b64decode(whole)):
                shown.append(run.group())
    return shown


def leaks(outputs: Mapping[str, str]) -> dict[str, list[str]]:
    """By the name of an output what of it must not be there."""
    return {name: shown[:3] for name, text in outputs.items() if (shown := found(text))}


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file but the inputs, unpacked."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in (CONFIG_NAME, "canary.yaml"):
            data = path.read_bytes()
            data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
            yield str(path.relative_to(folder)), data.decode("utf-8", "replace")
