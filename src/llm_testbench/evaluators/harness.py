"""The program that an answer's code becomes in the harness of its test."""

from __future__ import annotations

import re

from llm_testbench.evaluators import go_source

PLACE = "{{code}}"
"""Stands in a harness once, where the code goes."""

_FUTURE = re.compile(r"^from __future__ import (?:\([^)]{0,500}\)|[^\n(])[^\n]*$\n?", re.MULTILINE)


def filled(harness: str, code: str, language: str) -> str:
    """The harness with the code in it, and first what the language wants to be first."""
    if language == "go":
        return go_source.joined(harness, PLACE, code)
    if language == "python":
        # docs.python.org/3/reference/simple_stmts.html#future-statements
        future = "".join(dict.fromkeys(line.strip() + "\n" for line in _FUTURE.findall(code)))
        return future + harness.replace(PLACE, _FUTURE.sub("", code))
    return harness.replace(PLACE, code)
