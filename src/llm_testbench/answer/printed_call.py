"""Finding a tool call that a model printed as text instead of making it (research: quirk 55).

The forms are those that chat templates teach: Hermes and Qwen `<tool_call>`, Llama `<function=…>` and
`<|python_tag|>`, Mistral `[TOOL_CALLS]`, DeepSeek, Kimi and Harmony markers, ReAct, bare JSON, and the
call as Python code.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from llm_testbench.json_value import JSON, parse
from llm_testbench.possessive import possessive

# A printed call is short; beyond this nothing is searched, so that hostile text costs little.
MAX_TEXT = 64 * 1024

_NAME = r"([A-Za-z_][\w.:-]{0,127})"
_MARKED = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"<function\s?=\s?[\"']?{_NAME}[\"']?\s?>",
        rf"<(?:antml:)?invoke\s+name\s?=\s?[\"']{_NAME}[\"']",
        rf"<function\s+name\s?=\s?[\"']{_NAME}[\"']",
        rf"\[TOOL_CALLS\]\s?{_NAME}\s?(?:\[CALL_ID\][^\[\n]{{0,64}})?(?:\[ARGS\]|\{{)",
        rf"<\|tool_call_begin\|>\s?(?:functions\.)?{_NAME}",
        rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{_NAME}",
        rf"<\|channel\|>(?:commentary|analysis)\s+to\s?=\s?(?:functions\.)?{_NAME}",
        rf"<tool_call>\s{{0,8}}{_NAME}\s{{0,8}}(?:<arg_key>|</tool_call>|\{{|\()",
        rf"^\s{{0,8}}Action:\s{{0,8}}{_NAME}\s{{0,8}}\n\s{{0,8}}Action Input:",
    )
)
_BEFORE_JSON = re.compile(
    r"<tool_?calls?>|<function_?calls?>|<\|python_tag\|>|<\|tool_calls?\|>|\[TOOL_?CALLS\]|\bfunctools(?=\[)"
    r"|<\|tool▁calls▁begin\|>|<start_function_call>",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r":[0-9]+$")
_PYTHON = re.compile(rf"\[?\s{{0,8}}(?:print\()?{_NAME}\(")
_INNER_CALL = re.compile(r"(?:^|(?<=[\[,;\n(]))[ \t]{0,8}(?:\w{1,40}\.)?([A-Za-z_][\w-]{0,127})\(")
_MOST_PLACES = 16
_FENCED = re.compile(r"(?:^|\n)[ \t]{0,8}(```|~~~)[\w-]{0,32}[ \t]{0,8}\n(.*?)\n[ \t]{0,8}\1", re.DOTALL)
_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "params", "tool_input")
_LIST_KEYS = ("tool_calls", "function_call", "tool_call", "calls")


def printed_call(text: str, tool_names: Collection[str] = ()) -> str | None:
    """The name of the first call that the text prints, else None.

    With `tool_names`, forms that might also be an ordinary answer (bare JSON, Python code) count only
    when they name one of these tools; without, JSON counts when it has a name and an object of arguments.
    """
    text = text[:MAX_TEXT].strip()
    if not text:
        return None
    known = {name.casefold() for name in tool_names}
    return _marked(text) or _bare_json(text, known) or _python(text, known)


def prints_call(text: str, name: str) -> bool:
    """Whether any call that the text prints is one of this tool: the first may be one of another."""
    text = text[:MAX_TEXT].strip()
    known = {name.casefold()}
    return any(found.casefold() in known for found in _each(text, known))


def _each(text: str, known: set[str]) -> Iterator[str]:
    for form in _MARKED:
        for match in form.finditer(text):
            yield _NUMBERED.sub("", match[1])
    for marker in islice(_BEFORE_JSON.finditer(text), _MOST_PLACES):
        yield from _names(_leading_json(text[marker.end() :]), set())
    for candidate in _places_of_json(text):
        yield from _names(_leading_json(candidate), known)
    code = _code(text)
    if _python_call(code) is not None:
        yield from (match[1] for match in _INNER_CALL.finditer(code))


def _names(value: JSON, known: set[str]) -> Iterator[str]:
    """The names of all calls in a JSON value."""
    if isinstance(value, Mapping):
        for key in _LIST_KEYS:
            if key in value:
                value = value[key]
                break
    for one in value if isinstance(value, Sequence) and not isinstance(value, str) else (value,):
        name = _named(one, known)
        if name is not None:
            yield name


def _marked(text: str) -> str | None:
    """A call in markup that means nothing but a call, whatever it names."""
    starts = [(match.start(), match[1]) for match in (form.search(text) for form in _MARKED) if match is not None]
    if starts:
        # Kimi numbers its calls behind the name.
        return _NUMBERED.sub("", min(starts)[1])
    marker = _BEFORE_JSON.search(text)
    if marker is None:
        return None
    return _named(_leading_json(text[marker.end() :]), set())


def _bare_json(text: str, known: set[str]) -> str | None:
    """A call as JSON: the whole text, a fenced block that is all there is but a sentence, or the text's end."""
    for candidate in _places_of_json(text):
        name = _named(_leading_json(candidate), known)
        if name is not None and (not known or name.casefold() in known):
            return name
    return None


def _places_of_json(text: str) -> Sequence[str]:
    """Where a call might begin: the text, its fenced blocks, the first bracket."""
    candidates = [text, *(match[2] for match in _FENCED.finditer(text))]
    opening = re.search(r"[\[{]", text)
    # JSON after a preamble, without a fence: "I will look it up. {"name": …}".
    if opening is not None and opening.start() > 0:
        candidates.append(text[opening.start() :])
    return candidates[:_MOST_PLACES]


def _leading_json(text: str) -> JSON:
    """The JSON value that the text starts with; None when there is none."""
    text = text.strip()
    if not text.startswith(("{", "[")):
        return None
    end = _balanced_end(text)
    if end is None:
        return None
    try:
        return parse(text[:end])
    except ValueError:
        return None


_STRUCTURE = re.compile('"' + possessive(r'[^"\\]++|\\.') + r'"|[\[\]{}]', re.DOTALL)


def _balanced_end(text: str) -> int | None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        token = match[0]
        if token[0] == '"':
            continue
        depth += 1 if token in "[{" else -1
        if depth == 0:
            return match.end()
    return None


def _named(value: JSON, known: set[str]) -> str | None:
    """The name of the first call in a JSON value, in any of the shapes that models print."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _named(value[0], known) if value and isinstance(value[0], Mapping) else None
    if not isinstance(value, Mapping):
        return None
    for key in _LIST_KEYS:
        if key in value:
            return _named(value[key], known)
    function = value.get("function")
    if isinstance(function, Mapping):
        return _named(function, known)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if not isinstance(name, str) or not _is_arguments(arguments):
        return None
    # An answer like {"name": "Ann Lee", "parameters": {}} names no function.
    return name if name.casefold() in known or re.fullmatch(_NAME, name) else None


def _is_arguments(value: JSON) -> bool:
    if isinstance(value, str):
        return value.strip().startswith("{")
    return isinstance(value, Mapping)


def _python(text: str, known: set[str]) -> str | None:
    """`name(key=value)` or `[name(…)]` as the whole text, its fence aside, for a known name."""
    if not known:
        return None
    name = _python_call(_code(text))
    return name if name is not None and name.casefold() in known else None


def _code(text: str) -> str:
    """The first fenced block, else all of it."""
    fenced = _FENCED.search(text)
    return (fenced[2] if fenced is not None else text).strip(" \t\n`")


def _python_call(code: str) -> str | None:
    """The name that code is a call of, or a list of calls beginning with it."""
    match = _PYTHON.match(code)
    if match is None or not code.endswith((")", "]", ");")):
        return None
    return match[1].rsplit(".", 1)[-1]
