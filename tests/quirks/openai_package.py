"""What the `openai` package makes of the corpus, beside ours: `python -m tests.quirks.openai_package`.

For development only: the package is in no lock file. It is called as its documentation shows, with the same
number of retries as ours; its pauses take no time.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from unittest import mock

from tabulate import tabulate
from tests.quirks.__main__ import told
from tests.quirks.corpus import Case, cases
from tests.quirks.ours import observed, request
from tests.quirks.server import RawServer

from llm_testbench.json_value import parse

SECONDS = 3.0  # after which a call that hangs is given up
SAME, TOO, FAILS, OTHER, SILENT = "the same", "fails, too", "fails", "another answer", "no error"


def main() -> int:
    """2 when the package is missing."""
    try:
        openai = importlib.import_module("openai")
    except ImportError:
        print("install it first, outside the lock files: pip install openai", file=sys.stderr)  # noqa: T201
        return 2
    rows, counted = [], Counter[str]()
    for case in cases():
        ours, theirs = observed(case), _play(case, openai)
        verdict = judged(ours, theirs)
        counted[verdict] += 1
        rows.append([case.id, told(ours), verdict, _short(theirs)])
    print(tabulate(rows, ["case", "ours", f"openai {openai.__version__}", "what it gave"], "github"))  # noqa: T201
    print("\n" + "; ".join(f"{verdict}: {count}" for verdict, count in counted.most_common()))  # noqa: T201
    return 0


def judged(ours: Mapping[str, Any], theirs: list[dict[str, Any]]) -> str:
    """How what the package gave compares with ours."""
    mine = ours.get("attempts", [ours])
    if any("error" in one for one in theirs):
        return TOO if any(one.get("says") is not None for one in mine) else FAILS
    if any(one.get("says") is not None for one in mine):
        return SILENT
    keys = ("text", "tool_calls", "reasoning")
    return (
        SAME
        if [{key: one[key] for key in keys} for one in mine] == [{key: one[key] for key in keys} for one in theirs]
        else OTHER
    )


def _play(case: Case, openai: Any) -> list[dict[str, Any]]:
    asked, model = request(case), case.asks.get("model", {})
    body = {
        "model": "model-a",
        "messages": list(asked.messages),
        model.get("max_tokens_key", "max_tokens"): 4096,
        **({"temperature": 0} if model.get("temperature", 0) is not None else {}),
        **({"tools": list(asked.tools)} if asked.tools else {}),
        **({"stream": True, "stream_options": {"include_usage": True}} if case.streams else {}),
        **asked.parameters,
    }
    body |= {"seed": model["seed"]} if "seed" in model else {}
    with RawServer(case.responses) as server, mock.patch("time.sleep"):
        client = openai.OpenAI(base_url=server.url, api_key="sk-0123456789abcdef", max_retries=2, timeout=SECONDS)
        return [_ask(client, body) for _ in range(case.asks.get("attempts", 1))]


def _ask(client: Any, body: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = client.chat.completions.create(**body)
        return _streamed(answer) if body.get("stream") else _whole(answer)
    except Exception as error:  # whatever a caller of the package would have to catch
        return {"error": f"{type(error).__name__}: {error}"}


def _whole(answer: Any) -> dict[str, Any]:
    message = answer.choices[0].message
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or []]
    reasoning = getattr(message, "reasoning_content", None)
    return _result(message.content or "", reasoning or "", calls, answer.choices[0].finish_reason)


def _streamed(chunks: Iterable[Any]) -> dict[str, Any]:
    text, reasoning, finish = "", "", None
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        if not chunk.choices:
            continue
        delta = chunk.choices[0].delta
        text += delta.content or ""
        reasoning += getattr(delta, "reasoning_content", None) or ""
        finish = chunk.choices[0].finish_reason or finish
        for call in delta.tool_calls or []:
            slot = calls.setdefault(call.index, ["", ""])
            slot[0] += call.function.name or ""
            slot[1] += call.function.arguments or ""
    return _result(text, reasoning, [tuple(call) for call in calls.values()], finish)


def _result(text: str, reasoning: str, calls: list[Any], finish: str | None) -> dict[str, Any]:
    read = []
    for name, arguments in calls:
        try:
            value: Any = parse(arguments)
        except (ValueError, TypeError):
            value = arguments
        read.append({"name": name, "arguments": value})
    return {"text": text, "reasoning": reasoning, "tool_calls": read, "finish_reason": finish}


def _short(theirs: list[dict[str, Any]]) -> str:
    one = theirs[-1]
    if "error" in one:
        words = one["error"]
    else:
        calls = [f"{call['name']}({call['arguments']})" for call in one["tool_calls"]]
        reasoning = f", reasoning {one['reasoning']!r}" if one["reasoning"] else ""
        words = f"{one['text']!r}{reasoning}{', ' if calls else ''}{', '.join(calls)}, {one['finish_reason']}"
    flat = " ".join(words.replace("|", "/").split())
    return flat if len(flat) <= 90 else f"{flat[:89]}…"


if __name__ == "__main__":
    sys.exit(main())
