from __future__ import annotations

import time

import pytest
from tests.unit.evaluators.judging import call, fault_of, judge

from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Use SHA-256.", id="no mention at all"),
        pytest.param("Never use MD5.", id="never"),
        pytest.param("Avoid MD5.", id="avoid"),
        pytest.param("MD5 should be avoided.", id="avoided, behind it"),
        pytest.param("Don't use MD5.", id="don't"),
        pytest.param("Don’t use MD5.", id="don't with a curly apostrophe"),
        pytest.param("Do not use MD5.", id="do not"),
        pytest.param("MD5 isn't safe.", id="isn't"),
        pytest.param("MD5 is not safe.", id="is not"),
        pytest.param("MD5 is unsafe.", id="unsafe"),
        pytest.param("md5 is deprecated", id="deprecated, another case"),
        pytest.param("MD5 is weak", id="weak"),
        pytest.param("MD5 is broken", id="broken"),
        pytest.param("You should no longer use MD5", id="no longer"),
        pytest.param("You cannot trust MD5", id="cannot"),
        pytest.param("We advise against MD5", id="advise against"),
        pytest.param("⚠️ Warning: MD5 has collisions", id="warning"),
        pytest.param("Use bcrypt instead of MD5.", id="instead of"),
        pytest.param("Use bcrypt rather than plain MD5.", id="rather than"),
        pytest.param("Prefer bcrypt over MD5.", id="prefer over"),
        pytest.param("bcrypt is preferred over MD5.", id="preferred over"),
        pytest.param("Choose bcrypt over MD5.", id="choose over"),
        pytest.param("bcrypt is far safer than MD5.", id="safer than"),
        pytest.param("bcrypt is much more secure than plain MD5.", id="more secure than"),
        pytest.param("bcrypt is preferable to MD5.", id="preferable to"),
        pytest.param("Avoid the following:\n\n- SHA-1\n- MD5", id="a list under a warning, behind a blank line"),
        pytest.param("**Never use:**\n\n* MD5", id="the same in bold"),
        pytest.param("It works without MD5.", id="without"),
        pytest.param("Instead of SHA-1, MD5 or DES take bcrypt.", id="a list behind instead of"),
        pytest.param("Weak hashes, e.g. MD5, are out.", id="an abbreviation ends no clause"),
        pytest.param("Never call hashlib.md5 (MD5).", id="a period inside a word ends no clause"),
        pytest.param("**Never** use `MD5`!", id="markdown"),
        pytest.param("Avoid:\n- MD5\n- SHA-1", id="a list under a warning"),
        pytest.param("Never use MD5. MD5 is broken.", id="every mention is negated"),
    ],
)
def test_a_warning_against_the_pattern_passes(text: str) -> None:
    assert judge({"no_unnegated_mention": "MD5"}, text).value == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Use MD5.", id="recommended"),
        pytest.param("md5 is fine", id="another case"),
        pytest.param("Never mind. Use MD5.", id="a negation of another sentence"),
        pytest.param("Use MD5. Never use SHA-1.", id="a negation of the next sentence"),
        pytest.param("Use MD5; never SHA-1", id="a semicolon ends the clause"),
        pytest.param("Never do this\n\nUse MD5", id="a blank line ends the clause"),
        pytest.param("Never do this\n  \t\nUse MD5", id="a line of blanks ends the clause"),
        pytest.param("Never use MD5. On second thought, use MD5.", id="one of two mentions"),
        pytest.param("never " + "x" * 70 + " MD5", id="a negation too far before"),
        pytest.param("MD5 " + "x" * 70 + " is unsafe", id="a warning too far behind"),
        pytest.param("Use MD5 instead of SHA-1", id="instead of, behind it"),
        pytest.param("Use MD5 rather than SHA-1", id="rather than, behind it"),
        pytest.param("Instead of bcrypt, use MD5", id="the turn of instead of"),
        pytest.param("Rather than bcrypt, you can use MD5", id="the turn of rather than"),
        pytest.param("Use MD5 without a salt", id="without, behind it"),
        pytest.param("Nothing is better than MD5", id="nothing is better than"),
        pytest.param("No hash is safer than MD5", id="no other is safer than"),
        pytest.param("When you can't wait:\n\nMD5", id="a blank line before what is no list"),
        pytest.param("Don't forget to use MD5", id="don't forget"),
        pytest.param("Do not hesitate to use MD5", id="do not hesitate"),
        pytest.param("Not only SHA-256 but MD5 works", id="not only"),
        pytest.param("MD5 is no problem", id="no problem"),
        pytest.param("MD5 is not unsafe", id="a negated warning"),
        pytest.param("MD5 isn't really broken", id="a negated warning with an adverb"),
        pytest.param("Nothing beats MD5", id="a word that begins like a negation"),
        pytest.param("Knot it with MD5", id="a word that ends like a negation"),
        pytest.param("", id="an empty answer proves nothing"),
    ],
)
def test_a_recommendation_of_the_pattern_fails(text: str) -> None:
    assert judge({"no_unnegated_mention": "MD5"}, text).value == 0


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param({"pattern": "--force", "exempt": "-with-lease"}, "git push --force-with-lease", 1, id="exempt"),
        pytest.param({"pattern": "--force", "exempt": "-with-lease"}, "git push --force", 0, id="not exempt"),
        pytest.param(
            {"pattern": "--force", "exempt": "-with-lease"},
            "git push --force-with-lease or --force",
            0,
            id="one exempt, one not",
        ),
        pytest.param({"pattern": "--force", "exempt": "lease"}, "--force-with-lease", 0, id="exempt follows at once"),
        pytest.param({"pattern": "MD5", "window": 3}, "never use MD5", 0, id="a smaller window"),
        pytest.param({"pattern": "MD5", "window": 9}, "never use MD5", 0, id="a window that cuts the word"),
        pytest.param({"pattern": "MD5", "window": 10}, "never use MD5", 1, id="a window that just holds the word"),
        pytest.param({"pattern": r"\bMD[45]\b"}, "use MD4", 0, id="a pattern"),
        pytest.param({"pattern": r"\bMD[45]\b"}, "use MD45", 1, id="a pattern that does not match"),
        pytest.param({"pattern": r"x*(?=MD5)|MD5"}, "never MD5", 1, id="matches of nothing do not count"),
        pytest.param("not", "do not", 0, id="a match is no negation of itself"),
        pytest.param("SHA-1", "Use SHA\u20111.", 0, id="another form of the hyphen"),
        pytest.param("SHA-1", "Never use SHA\u20111.", 1, id="another form of the hyphen, negated"),
        pytest.param("SHA\u20111", "Use SHA\u20111.", 0, id="a pattern of the form that is found"),
    ],
)
def test_parameters(parameters: JSON, text: str, value: float) -> None:
    assert judge({"no_unnegated_mention": parameters}, text).value == value


def test_a_tool_call_without_text_mentions_nothing() -> None:
    assert judge({"no_unnegated_mention": "MD5"}, "", call("f")).value == 1


def test_the_reason_shows_the_mention_in_its_context() -> None:
    reason = judge({"no_unnegated_mention": "MD5"}, "For passwords\nuse MD5 with a salt.").reason
    assert reason == "'MD5' is not negated in 'For passwords use MD5 with a salt.'"


@pytest.mark.parametrize(
    ("parameters", "path", "message"),
    [
        pytest.param(5, (), "expected a pattern", id="no pattern"),
        pytest.param("(", (), "cannot be compiled", id="broken"),
        pytest.param("a*", (), "matches the empty string", id="matches the empty string"),
        pytest.param({"pattern": "a", "exempt": "b?"}, ("exempt",), "matches the empty string", id="empty exempt"),
        pytest.param({"pattern": "a", "exempt": "["}, ("exempt",), "cannot be compiled", id="broken exempt"),
        pytest.param({"pattern": "a", "window": 0}, ("window",), "at least 1", id="no window"),
        pytest.param({"pattern": "a", "window": 2.5}, ("window",), "whole number", id="half a window"),
        pytest.param({"pattern": "a", "window": 9999}, ("window",), "whole number", id="too large a window"),
        pytest.param({"pattern": "a", "exmpt": "b"}, ("exmpt",), "did you mean 'exempt'", id="mistyped"),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused(parameters: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of({"no_unnegated_mention": parameters})
    assert fault.path == ("no_unnegated_mention", *path)
    assert message in str(fault)


@pytest.mark.parametrize("piece", ["never MD5 ", "MD5. not MD5. ", "instead of a, MD5 not ", "prefer a ", "\n \t"])
def test_a_megabyte_is_judged_in_a_moment(piece: str) -> None:
    begun = time.process_time()
    judge({"no_unnegated_mention": "MD5"}, piece * (1024 * 1024 // len(piece)) + "!")
    assert time.process_time() - begun < 2


def test_more_mentions_than_anyone_reads_are_not_looked_at() -> None:
    score = judge({"no_unnegated_mention": "MD5"}, "Never use MD5. " * 1000)
    assert score.value == 0
    assert score.reason == "the answer mentions 'MD5' too often to look at each"
    assert judge({"no_unnegated_mention": "MD5"}, "Never use MD5. " * 200).value == 1


def test_a_pattern_without_end_fails_in_bounded_time() -> None:
    score = judge({"no_unnegated_mention": "(a|aa)+$"}, "a" * 100 + "b")
    assert score.value == 0
    assert "took longer than" in score.reason
