"""Peeling the wrapping off a short answer: fences, quotes, emphasis, tags, a label, one final period."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Deeper wrapping does not occur; the limit keeps a hostile answer from costing quadratic time.
MAX_LAYERS = 24

_WORDS = r"(?:(?:the|my)\s{1,3})?(?:(?:final|correct)\s{1,3})?answer(?:\s{1,3}is(?=\s?[:：*_]))?"
_LABEL = re.compile(
    rf"(\*\*|__|\*|_){_WORDS}(?:\1\s?[:：]|\s?[:：]\1|\1[ \t]{{0,9}}\n)"
    rf"|{_WORDS}(?:\s?[:：]|[ \t]{{0,9}}\n)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}[ \t]{1,9}")
_FENCE = re.compile(r"(`{3,}+|~{3,}+)[^\n`]{0,80}\n")
_LATEX = re.compile(
    r"\\(?:f?boxed|fbox|mbox|emph|underline|operatorname|text(?:bf|tt|it|sf|rm|normal)?|math(?:rm|bf|tt|it|sf))\s?\{"
)
_TAG = re.compile(r"<([A-Za-z]\w{0,19})>")
_PERIODS = (".", "。", "．")
_PAIRS = (
    ('"', '"'),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("‘", "’"),
    ("„", "“"),
    ("„", "”"),
    ("”", "”"),
    ("‚", "‘"),
    ("‚", "’"),
    ("‹", "›"),
    ("»", "«"),
    ("›", "‹"),
    ("「", "」"),
    ("『", "』"),
    ("＂", "＂"),
    ("«", "»"),
    ("*", "*"),
    ("_", "_"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
)


def peeled(text: str) -> Iterator[str]:
    """The text, then the text with each further layer off, outermost first."""
    text = text.strip()
    period_off = False
    for _ in range(MAX_LAYERS):
        yield text
        inner = _one_layer_off(text)
        if inner is None and text.endswith(_PERIODS) and not period_off:
            period_off = True
            inner = text[:-1]
        if inner is None:
            return
        text = inner.strip()


def _one_layer_off(text: str) -> str | None:
    label = _LABEL.match(text)
    if label is not None:
        return text[label.end() :]
    heading = _HEADING.match(text)
    if heading is not None:
        return text[heading.end() :]
    fence = _FENCE.match(text)
    if fence is not None and text.endswith(fence[1]) and len(text) >= fence.end() + len(fence[1]):
        return text[fence.end() : -len(fence[1])]
    latex = _LATEX.match(text)
    if latex is not None and text.endswith("}"):
        return text[latex.end() : -1]
    tag = _TAG.match(text)
    if tag is not None and text.endswith(f"</{tag[1]}>"):
        return text[tag.end() : -len(tag[1]) - 3]
    for left, right in _PAIRS:
        if text.startswith(left) and text.endswith(right) and len(text) >= len(left) + len(right):
            return text[len(left) : -len(right)]
    return None
