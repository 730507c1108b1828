"""The check that something is not recommended, though it may be warned of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from llm_testbench.answer.model import Answer
from llm_testbench.evaluators.bounded_regex import Pattern, compile_bounded, in_time, refuse_empty_match, time_limit
from llm_testbench.evaluators.parameters import Fields, kind
from llm_testbench.evaluators.pattern import PATTERN
from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Score, SpecError
from llm_testbench.evaluators.text import SILENT, fields_schema, is_silent
from llm_testbench.evaluators.typography import forms
from llm_testbench.json_value import JSON, JSONObject

MAX_WORK = 100_000
"""Characters around its matches that are read, overlaps counted: some 300 matches with the usual window."""
_PASSED_OVER = 10  # what a match costs that is not looked at

# How much further than the window the text is read, so that no word or phrase is cut at its edge.
_MARGIN = 100

# A period inside a word (os.system, 1.2) or after e.g. and i.e. ends no clause, nor does a blank line between "Avoid:"
# and its list.
_CLAUSE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)\.(?![^\s\"'”’)\]*_`])|[;；。]"
    r"|(?:(?<![:：])(?<![:：]\*\*)|(?!\n[ \t]*+\n[ \t]*+[-*+•][ \t]))\n[ \t]*+\n",
    re.IGNORECASE,
)
_WARNING = (
    r"(?:avoid(?:s|ed|ing|able)?|unsafe|insecure|dangerous|deprecated|deprecation|discouraged?|vulnerable|broken"
    r"|obsolete|outdated|harmful|risky|risks?|unsuitable|inappropriate|inadvisable|unreliable|unacceptable"
    r"|insufficient|forbidden|prohibited|disallowed|compromised|weak(?:er|ness|nesses)?|bad|wrong|worst|beware"
    r"|caution|warn(?:s|ed|ing|ings)?|refrain|anti-?pattern|stop using|steer clear|stay away|never)"
)
_NEGATION = (
    r"(?:not|never|no|nor|none|neither|cannot|no longer"
    r"|(?:is|are|was|were|do|does|did|ca|wo|should|would|could|must|need)n['’]?t)"
)
_BETTER = r"(?:better|safer|stronger|more secure)\sthan"
# What looks like a negation and recommends: "don't forget to …", "not only", "is not unsafe", "nothing wrong with".
_RECOMMENDING = (
    rf"\b(?:{_NEGATION}|nothing)\s{{1,3}}(?:(?:be|a|an|at all|really|considered|that|so)\s{{1,3}}){{0,2}}"
    rf"(?:hesitate|forget|fails?|failed|only|just|problem|issue|doubt|disappoints?|go(?:es)? wrong|{_WARNING})\b"
    r"|\bwhy not\b"
    rf"|\b(?:no|nothing|none)\b[^.,;\n]{{0,40}}?\s{_BETTER}\b"
)
_NEGATED = re.compile(
    rf"(?P<recommending>{_RECOMMENDING})|\b(?:{_NEGATION}|{_WARNING}|(?:advise[sd]?|recommend(?:s|ed)?) against"
    r"|a mistake|(?:be|been|being) replaced|ditch(?:ed|ing)?|get rid of|phased? out)\b",
    re.IGNORECASE,
)
_REPLACED = re.compile(
    r"\b(?:instead of|rather than|in place of|without|unlike|away from"
    r"|(?P<exchanged>(?:migrat|switch|mov|upgrad)\w{0,4}\sfrom|replac(?:e|es|ing))"
    rf"|(?:prefer\w{{0,6}}|choose)\s(?:[^.;\n]{{1,40}}?\s)?over|preferable\sto|{_BETTER})\b",
    re.IGNORECASE,
)
# "Instead of bcrypt, use MD5": what follows such a comma is the recommendation, and in "replace bcrypt with MD5" too.
_TURN = re.compile(
    r",\s{0,3}(?:\w{1,12}\s){0,2}(?:use|prefer|choose|pick|try|run|call|go|do|consider)\b", re.IGNORECASE
)
_EXCHANGE = re.compile(r"\s(?:with|by|to|for|in favou?r of)\s", re.IGNORECASE)
# "Never, under any circumstances, use it" still says never; "no, use it" and "that is weak, use it" do not.
_ASIDE = re.compile(r"(?:(?<=\bnever)|(?<=\bnot)|(?<=n['’]t))(?=,)", re.IGNORECASE)
_MARK = re.compile("([❌✗✘🚫⛔👎❎])|[✅✓✔👍]")
_STRUCK = "~~"


@dataclass(frozen=True, slots=True)
class NoUnnegatedMention:
    """Every mention of the pattern is negated or warned of."""

    name: ClassVar[str] = "no_unnegated_mention"
    revision: ClassVar[int] = 2
    summary: ClassVar[str] = "The pattern is not recommended: each match stands near a negation or warning."
    schema: ClassVar[JSONObject] = fields_schema(
        PATTERN,
        {
            "pattern": {**PATTERN, "description": "What must not be recommended; case does not count."},
            "window": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "default": 60,
                "description": "Characters on either side in which a negation is looked for.",
            },
            "exempt": {**PATTERN, "description": "Matches what follows a harmless form, like -with-lease."},
        },
        ["pattern"],
    )

    pattern: str
    window: int = 60
    exempt: str | None = None
    compiled: Pattern = field(kw_only=True, compare=False, repr=False)
    compiled_exempt: Pattern | None = field(kw_only=True, compare=False, repr=False)

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        """`"pattern"` or `{pattern, window, exempt}`."""
        fields = Fields(parameters, ("pattern", "window", "exempt"))
        pattern, compiled = _read_pattern(fields, "pattern")
        exempt, compiled_exempt = _read_pattern(fields, "exempt") if fields.has("exempt") else (None, None)
        window = fields.number("window", 60, least=1)
        if not isinstance(window, int) or window > 1000:
            raise SpecError(f"expected a whole number from 1 to 1000, found {window}", fields.path("window"))
        return cls(pattern, window, exempt, compiled=compiled, compiled_exempt=compiled_exempt)

    def evaluate(self, answer: Answer) -> Score:
        """0 at the first match that is neither exempt nor negated, else 1."""
        if is_silent(answer):
            return SILENT
        limit = time_limit(answer.text)
        try:
            return in_time(lambda timeout: self._judge_forms(answer.text, timeout), limit)
        except TimeoutError:
            return Score(0.0, f"the pattern {quote(self.pattern)} took longer than {limit:g} s on this answer")

    def _judge_forms(self, text: str, timeout: float) -> Score:
        """The lowest: SHA-1 is recommended whichever hyphen it is written with."""
        return min((self._judge(form, timeout) for form in forms(text)), key=lambda score: score.value)

    def _judge(self, text: str, timeout: float) -> Score:
        mentions = work = 0
        for match in self.compiled.finditer(text, timeout=timeout):
            if work > MAX_WORK:
                return Score(0.0, f"the answer mentions {quote(self.pattern)} too often to look at each")
            start, end = match.span()
            if start == end or self._is_exempt(text, end, timeout):
                work += _PASSED_OVER
                continue
            work += 2 * (self.window + _MARGIN)
            if not _is_negated(text, start, end, self.window):
                context = text[max(0, start - 30) : end + 30]
                return Score(0.0, f"{quote(text[start:end])} is not negated in {quote(context)}")
            mentions += 1
        if mentions:
            return Score(1.0, f"every mention of {quote(self.pattern)} is negated ({mentions})")
        return Score(1.0, f"no mention of {quote(self.pattern)}")

    def _is_exempt(self, text: str, end: int, timeout: float) -> bool:
        return self.compiled_exempt is not None and (self.compiled_exempt.match(text, end, timeout=timeout) is not None)


def _is_negated(text: str, start: int, end: int, window: int) -> bool:
    """Whether the match from `start` to `end` stands near a negation of its own clause."""
    first, last = max(0, start - window), min(len(text), end + window)
    for clause_end in _CLAUSE_END.finditer(text, max(0, first - _MARGIN), start + 1):
        if first < clause_end.start() < start:
            first = clause_end.start()
    behind = _CLAUSE_END.search(text, end, last + _MARGIN)
    if behind is not None:
        last = min(last, behind.start())
    praised: set[int] = set()
    for negation in _within(_NEGATED, text, first, last):
        if negation["recommending"] is not None:
            praised.add(negation.end())
            continue
        if negation.start() >= end or (negation.end() <= start and _reaches(text, negation.end(), start)):
            return True
    for one in _within(_REPLACED, text, first, start):
        if one.end() in praised:  # nothing is better than …
            continue
        turn = _EXCHANGE if one["exchanged"] is not None else _TURN
        if turn.search(text, one.end(), start) is None:
            return True
    return _is_marked(text, start, end, window)


def _reaches(text: str, begin: int, start: int) -> bool:
    """Whether a negation that ends at `begin` goes on to the mention: in "never SHA-1, use MD5" it does not."""
    return _ASIDE.match(text, begin) is not None or _TURN.search(text, begin, start) is None


def _is_marked(text: str, start: int, end: int, window: int) -> bool:
    """Whether it is struck out or has a cross on its line; of several marks the last before it counts."""
    left = max(text.rfind("\n", 0, start) + 1, start - window)
    right = text.find("\n", end, end + window)
    right = min(len(text), end + window) if right < 0 else right
    if text.count(_STRUCK, left, start) % 2 and _STRUCK in text[end:right]:
        return True
    before = list(_MARK.finditer(text, left, start))
    mark = before[-1] if before else _MARK.search(text, end, right)
    return mark is not None and mark[1] is not None


def _within(pattern: re.Pattern[str], text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """The matches that lie between both places as a whole."""
    for match in pattern.finditer(text, max(0, first - _MARGIN), last + _MARGIN):
        if match.start() >= last:
            return
        if match.start() >= first and match.end() <= last:
            yield match


def _read_pattern(fields: Fields, key: str) -> tuple[str, Pattern]:
    value, path = fields.value(key), fields.path(key)
    if not isinstance(value, str):
        raise SpecError(f"expected a pattern, found {kind(value)}", path)
    compiled = compile_bounded(value, "i", path)
    refuse_empty_match(compiled, value, path)
    return value, compiled
