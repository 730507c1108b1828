"""The rules that suites are held to: the stable name of each, how serious a breach is, and what it says.

Editors and scripts go by these names, so that none is ever renamed or used again for something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`severity`: an error makes `validate` end with 2, a note does not. `summary`: what a breach means."""

    severity: Severity
    summary: str


UNREADABLE = "unreadable-file"
NOT_YAML = "not-yaml"
UNKNOWN_KEY = "unknown-key"
UNKNOWN_EVALUATOR = "unknown-evaluator"
UNKNOWN_PLACEHOLDER = "unknown-placeholder"
MISSING_KEY = "missing-key"
BAD_VALUE = "bad-value"
DUPLICATE_ID = "duplicate-id"
TOO_MUCH = "too-much"
NO_TEST = "no-test-selected"
EXAMPLE_SCORE = "example-score"
CRASH = "check-crashes"
NO_EXAMPLES = "no-examples"
NO_RIGHT = "no-right-example"
NO_WRONG = "no-wrong-example"
DUPLICATE_CASE = "duplicate-case"
TRUTH_FAILS = "ground-truth-fails"
TRUTH_DIFFERS = "ground-truth-differs"
TRUTH_LITERAL = "ground-truth-literal"
PASSES_EMPTY = "passes-on-empty"
PASSES_ECHO = "passes-on-echo"
PASSES_NUMBER = "passes-on-copied-number"
PASSES_WORD = "passes-on-copied-word"
UNREACHABLE_WEIGHT = "unreachable-weight"
SCORES_EMPTY = "scores-on-empty"
PASSES_ANYTHING = "passes-on-anything"
GUESSABLE = "guessable"
MISTYPED_PARAMETER = "mistyped-parameter"
NOT_OFFERED = "tool-not-offered"
NEVER_FAILS = "part-never-fails"
NEVER_SCORES = "part-never-scores"
BAD_CONFIG = "bad-config"
BAD_ARTIFACT = "bad-artifact"


def _error(summary: str) -> Rule:
    return Rule("error", summary)


def _note(summary: str) -> Rule:
    return Rule("note", summary)


RULES: Mapping[str, Rule] = {
    UNREADABLE: _error("a file cannot be read, or may not be named"),
    NOT_YAML: _error("a file is not YAML or JSON as it is read here"),
    UNKNOWN_KEY: _error("a key that does not exist"),
    UNKNOWN_EVALUATOR: _error("an evaluator that does not exist"),
    UNKNOWN_PLACEHOLDER: _error("`${name}` that a case gives no value"),
    MISSING_KEY: _error("a key that must be there"),
    BAD_VALUE: _error("a value of another type, form or size"),
    DUPLICATE_ID: _error("an id or a name that stands already elsewhere"),
    TOO_MUCH: _error("more files, tests, text or faults than one load may have"),
    NO_TEST: _error("the filters leave no test"),
    EXAMPLE_SCORE: _error("an example scores otherwise than it says"),
    CRASH: _error("an answer crashes the check"),
    NO_EXAMPLES: _error("a test without examples"),
    NO_RIGHT: _error("no example with score 1"),
    NO_WRONG: _error("no example with a lower score"),
    DUPLICATE_CASE: _error("two cases ask and check the same"),
    TRUTH_FAILS: _error("a ground_truth does not run to its end, or prints nothing"),
    TRUTH_DIFFERS: _error("a ground_truth prints what the check does not expect"),
    TRUTH_LITERAL: _error("a ground_truth holds the expected value instead of computing it"),
    PASSES_EMPTY: _error("an empty answer passes"),
    PASSES_ECHO: _error("the prompt, sent back, passes"),
    PASSES_NUMBER: _error("the first or last number of the prompt passes"),
    PASSES_WORD: _error("the first or last quoted text of the prompt passes"),
    UNREACHABLE_WEIGHT: _error("a part of a mean weighs too little for a test to fail by it"),
    SCORES_EMPTY: _note("an empty answer scores more than 0.1"),
    PASSES_ANYTHING: _note("any text passes that does not hold what is forbidden"),
    GUESSABLE: _note("yes, no, or one of the two answers that the prompt offers passes: half of all guesses"),
    MISTYPED_PARAMETER: _note("a parameter in `request` that looks like a known one, and is none"),
    NOT_OFFERED: _note("a check waits for a tool or an argument that the test does not offer"),
    NEVER_FAILS: _note("a part of `all` or `mean` that every example passes"),
    NEVER_SCORES: _note("a part of `any` or `mean` that no example passes"),
    BAD_CONFIG: _error("a fault in a config file"),
    BAD_ARTIFACT: _error("a fault in an artifact"),
}


def severity_of(rule: str) -> Severity:
    """How serious it is."""
    return RULES[rule].severity


_BEGINNINGS = {
    "unknown key": UNKNOWN_KEY,
    "there is no evaluator": UNKNOWN_EVALUATOR,
    "the key '": MISSING_KEY,
}


def rule_of_check(message: str) -> str:
    """The rule that a check breaks which cannot be built: such errors carry words alone."""
    return next((rule for start, rule in _BEGINNINGS.items() if message.startswith(start)), BAD_VALUE)
