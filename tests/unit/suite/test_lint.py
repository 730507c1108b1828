"""Checks that pass on answers which cost no thought, and parts of a check that decide nothing."""

from __future__ import annotations

import dataclasses
import re
import time
from pathlib import Path
from typing import ClassVar

import pytest
from tests.unit.evaluators.workshops import Staged, printing
from tests.unit.suite.suites import HEAD, faults_of, load_text

from llm_testbench.answer.model import Answer
from llm_testbench.errors import Place
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSON, JSONObject, canonical
from llm_testbench.sandbox.programs import CLOSED, Workshop
from llm_testbench.suite.cheats import cheats
from llm_testbench.suite.problem import Problem
from llm_testbench.suite.prove import prove
from llm_testbench.suite.rules import RULES

ELSEWHERE = {"example-score", "no-examples", "no-right-example", "no-wrong-example"}
"""Rules on examples: these tests say nothing of them where they show none."""


def found(folder: Path, entry: dict[str, JSON], workshop: Workshop = CLOSED) -> list[Problem]:
    """What is told of one test."""
    tests = load_text(folder, f"{HEAD}tests:\n  - {canonical({'id': 'a', 'prompt': 'x', **entry})}\n")
    proof = prove(tests, workshop)
    return [one for one in (*proof.problems, *proof.notes) if one.rule not in ELSEWHERE]


def rules(folder: Path, entry: dict[str, JSON], workshop: Workshop = CLOSED) -> list[str]:
    return [one.rule for one in found(folder, entry, workshop)]


@dataclasses.dataclass(frozen=True)
class ForNothing:
    """Gives a score to empty answers."""

    value: float
    name: ClassVar[str] = "fixed"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = ""
    schema: ClassVar[JSONObject] = {}

    @classmethod
    def from_parameters(cls, parameters: JSON) -> ForNothing:
        return cls(0)

    def evaluate(self, answer: Answer) -> Score:
        return Score(0.0 if answer.text else self.value, "fixed")


MAIL = 'Your order 4711 ("lamp") of 3 May is late. It has 2 items.'


@pytest.mark.parametrize(
    ("prompt", "check", "expected"),
    [
        # The prompt, sent back.
        ("Say lamp.", {"contains_all": ["lamp"]}, ["passes-on-echo"]),
        ("Say lamp.", {"equals": "lamp"}, []),
        ("Repeat: lamp", {"equals": "Repeat: lamp"}, ["passes-on-echo"]),
        ("What is 40 + 2? Not 42.", {"numeric": 42}, ["passes-on-echo"]),
        ('Which of {"a": 1} and {"a": 2} is larger?', {"json_field": {"path": "a", "expected": 2}}, ["passes-on-echo"]),
        ('Which of {"a": 2} and {"a": 1} is larger?', {"json_field": {"path": "a", "expected": 2}}, []),
        ("Is Bonn a city?", {"regex": r"\bcity\b"}, ["passes-on-echo"]),
        ("Write MD5 in full.", {"all": [{"contains_any": ["MD5"]}, {"not_contains": ["SHA"]}]}, ["passes-on-echo"]),
        # The first or last number. That the prompt passes tells as much.
        (MAIL, {"numeric": 4711}, ["passes-on-copied-number"]),
        (MAIL, {"numeric": 2}, ["passes-on-echo"]),
        (MAIL, {"numeric": 3}, []),
        ("A bill of 1,250.50 euros, 2 items: what is the sum?", {"numeric": 1250.5}, ["passes-on-copied-number"]),
        ("It was \u22125 degrees at 6 o'clock. How cold?", {"numeric": -5}, ["passes-on-copied-number"]),
        ("Does IPv4 have 4 or 6 bytes?", {"exact_token": "6"}, ["passes-on-copied-number"]),
        ("Is LP64 meant by 8 bytes, or x86-64?", {"exact_token": "64"}, []),
        # The first or last quoted text.
        (MAIL, {"exact_token": "lamp"}, ["passes-on-copied-word"]),
        ("Fix `rm a` so that it says `rm -r a`, in bash.", {"equals": "rm -r a"}, ["passes-on-copied-word"]),
        ("Which is \u201cold\u201d, which \u00abnew\u00bb, of the two?", {"equals": "new"}, ["passes-on-copied-word"]),
        ("'one', two, 'three': which is in no quotes?", {"equals": "two"}, []),
        ('The \'lamp is "out".\nThe `bulb` too.', {"exact_token": "out"}, []),
        ('The \'lamp is "out".\nThe `bulb` too.', {"exact_token": "bulb"}, ["passes-on-copied-word"]),
        ("The dogs' bowl, the cats' bed: which?", {"equals": "bowl, the cats"}, []),
        ("Mind the 'gap, please", {"equals": "gap, please"}, []),
        ("Of 3, 5, 8, which is in the middle?", {"numeric": 8}, ["passes-on-echo"]),
        ("Of 3, 5, and 8 items, which?", {"exact_token": "3"}, ["passes-on-copied-number"]),
        ("It's Tom's book, isn't it? Whose?", {"contains_all": ["s book, isn"]}, ["passes-on-echo"]),
        ("It's Tom's book, isn't it? Whose?", {"equals": "s Tom"}, []),
        # Answers to choose from are none to copy: half of the guesses are right where there are two.
        ('Is it "spam" or "ham"? One word.', {"exact_token": "ham"}, ["guessable"]),
        ('Is it "spam" or "ham"? One word.', {"exact_token": "spam"}, ["guessable"]),
        ("Answer `up`/`down`.", {"exact_token": "up"}, ["guessable"]),
        ('"low", "medium" or "high"?', {"exact_token": "high"}, []),
        ('"low", "medium" or "high"? End with "stop".', {"exact_token": "low"}, []),
        ('The list is "a", "b", "c". Which is last?', {"exact_token": "c"}, ["passes-on-copied-word"]),
        ("Is water wet?", {"equals": "yes"}, ["guessable"]),
        ("Is fire wet?", {"equals": "no"}, ["guessable"]),
        ("Is fire wet? Say why.", {"all": [{"regex": "^no"}, {"contains_any": ["burn", "heat"]}]}, []),
        # Who only forbids: any text passes, which is meant where it is the test of a canary.
        ("Say hello.", {"not_contains": ["secret"]}, ["passes-on-anything"]),
        ("Hello, how are you?", {"no_tool_called": True}, ["passes-on-anything"]),
        ("How are passwords kept?", {"no_unnegated_mention": {"pattern": "MD5"}}, ["passes-on-anything"]),
        ("Say anything.", {"regex": r"\w"}, ["passes-on-anything"]),
        ("Is it dry?", {"all": [{"no_tool_called": True}, {"contains_any": ["rain"]}]}, []),
        ("Is it dry?", {"all": [{"no_tool_called": True}, {"contains_any": ["dry"]}]}, ["passes-on-echo"]),
        # What a right answer is made of is no cheat.
        ("What is 2 + 2?", {"numeric": 4}, []),
        ("Call f with 3.", {"tool_call_args": {"name": "f", "args": {"n": 3}}}, ["tool-not-offered"]),
        ('Answer with {"city": …} for "Ulm".', {"json_field": {"path": "city", "expected": "Ulm"}}, []),
    ],
)
def test_cheap_answers(tmp_path: Path, prompt: str, check: JSON, expected: list[str]) -> None:
    assert rules(tmp_path, {"prompt": prompt, "evaluate": check}) == expected


def test_it_is_told_where_the_check_stands_with_the_answer_and_what_to_do(tmp_path: Path) -> None:
    tests = load_text(
        tmp_path,
        f"{HEAD}tests:\n  - id: a\n    prompt: {MAIL!r}\n    evaluate: {{numeric: 4711}}\n"
        '    examples: [{response: "4711", score: 1}, {response: "3", score: 0}]\n',
    )
    (problem,) = prove(tests).problems
    assert problem.place == Place("s.yaml", 6, 5)
    assert problem.message == (
        "the check passes on the first number of the prompt, '4711': found '4711', expected 4711;"
        " let the expected value stand elsewhere in the prompt, or not at all"
    )


def conversation(*messages: tuple[str, JSON]) -> dict[str, JSON]:
    return {"messages": [{"role": role, "content": content} for role, content in messages]}


LAMPS: list[tuple[str, JSON]] = [("user", "I like lamps."), ("assistant", "Do you?"), ("user", "What do I like?")]


@pytest.mark.parametrize(
    ("messages", "passes"),
    [
        pytest.param([("user", "Say lamps.")], True, id="the only one"),
        pytest.param(LAMPS, True, id="an earlier one"),
        pytest.param([("user", "Hello"), ("assistant", "lamps")], False, id="what the model said"),
        pytest.param([("system", "lamps"), ("user", "Hello")], False, id="the system's"),
        pytest.param([("user", [{"type": "text", "text": "Say lamps."}])], True, id="in parts"),
        pytest.param([("user", [{"type": "image_url", "image_url": {"url": "lamps"}}])], False, id="no text"),
    ],
)
def test_what_the_user_says_is_sent_back(tmp_path: Path, messages: list[tuple[str, JSON]], *, passes: bool) -> None:
    entry = {**conversation(*messages), "evaluate": {"contains_all": ["lamps"]}}
    tests = load_text(tmp_path, f"{HEAD}tests:\n  - {canonical({'id': 'a', **entry})}\n")
    assert ("passes-on-echo" in [one.rule for one in prove(tests).problems]) == passes


def test_a_cheap_answer_stands_once(tmp_path: Path) -> None:
    (test,) = load_text(tmp_path, f"{HEAD}tests: [{{id: a, prompt: 'The 5 is \"5\".', evaluate: {{equals: x}}}}]")
    assert [(cheat.kind, cheat.text) for cheat in cheats(test)] == [
        ("echo", 'The 5 is "5".'),
        ("number", "5"),
        ("guess", "yes"),
        ("guess", "no"),
    ]


def test_guesses_even_out_over_cases(tmp_path: Path) -> None:
    entry: dict[str, JSON] = {
        "prompt": "Is ${thing} wet?",
        "evaluate": {"equals": "${answer}"},
        "cases": {"water": {"thing": "water", "answer": "yes"}, "fire": {"thing": "fire", "answer": "no"}},
    }
    assert rules(tmp_path, entry) == []
    entry["cases"] = {"water": {"thing": "water", "answer": "yes"}, "rain": {"thing": "rain", "answer": "yes"}}
    assert rules(tmp_path, entry) == ["guessable", "guessable"]
    entry["cases"] = {"water": {"thing": "water", "answer": "yes"}, "sand": {"thing": "sand", "answer": "in rain"}}
    assert rules(tmp_path, entry) == []


@pytest.mark.parametrize(
    ("value", "rule"),
    [(0.0, None), (0.1, None), (0.11, "scores-on-empty"), (0.5, "scores-on-empty"), (0.99, "passes-on-empty")],
)
def test_what_an_empty_answer_scores(tmp_path: Path, value: float, rule: str | None) -> None:
    (test,) = load_text(tmp_path, f"{HEAD}tests: [{{id: a, prompt: x, evaluate: {{equals: y}}}}]")
    proof = prove([dataclasses.replace(test, evaluator=ForNothing(value))])
    told = [one.rule for one in (*proof.problems, *proof.notes) if one.rule not in ELSEWHERE]
    assert told == ([rule] if rule is not None else [])


PROGRAM: JSON = {"code": {"language": "bash", "stdout": "lamp"}}


def test_of_programs_the_prompt_alone_is_run(tmp_path: Path) -> None:
    workshop = Staged(printing("lamp").end)
    entry: dict[str, JSON] = {
        "prompt": "Mend this, 5 times:\n```bash\necho lamp\n```\nIt says 'lmap'.",
        "evaluate": PROGRAM,
    }

    assert rules(tmp_path, entry, workshop) == ["passes-on-echo"]
    assert [program.source for program in workshop.programs] == ["echo lamp"]


def test_of_programs_no_number_or_word_is_run(tmp_path: Path) -> None:
    workshop = Staged(printing("no lamp").end)

    assert rules(tmp_path, {"prompt": "Run 'echo lamp' 5 times.", "evaluate": PROGRAM}, workshop) == []
    assert len(workshop.programs) == 1


def test_where_nothing_is_run_nothing_is_told_of_programs(tmp_path: Path) -> None:
    assert rules(tmp_path, {"prompt": "Say `echo lamp`.", "evaluate": PROGRAM}) == []
    assert rules(tmp_path, {"prompt": "Say `echo lamp`.", "evaluate": {"any": [PROGRAM, {"equals": "echo lamp"}]}}) == [
        "passes-on-copied-word"
    ]


def right_and_wrong(right: str, *wrong: tuple[str, float]) -> list[JSON]:
    scored: list[JSON] = [{"response": text, "score": score} for text, score in ((right, 1), *wrong)]
    return scored


def weighed(*weights: float) -> JSON:
    return {"mean": [{"contains_all": [f"w{index}"], "weight": weight} for index, weight in enumerate(weights)]}


@pytest.mark.parametrize(
    ("weights", "unreachable"),
    [
        ((1, 1), []),
        ((98, 1), []),
        ((99, 1), [1]),
        ((1, 1000, 2), [0, 2]),
        ((1,) * 120, []),
        ((0.5, 0.001), [1]),
    ],
)
def test_a_part_that_weighs_next_to_nothing_cannot_fail_a_test(
    tmp_path: Path, weights: tuple[float, ...], unreachable: list[int]
) -> None:
    told = [one for one in found(tmp_path, {"evaluate": weighed(*weights)}) if one.rule == "unreachable-weight"]
    assert [f"mean[{index}] (contains_all)" in one.message for index, one in zip(unreachable, told, strict=True)] == [
        True for _ in told
    ]


def test_a_weight_of_one_percent_is_where_the_rest_passes_alone(tmp_path: Path) -> None:
    def passed(weights: tuple[float, ...]) -> bool:
        (test,) = load_text(
            tmp_path, f"{HEAD}tests:\n  - {canonical({'id': 'a', 'prompt': 'x', 'evaluate': weighed(*weights)})}\n"
        )
        return test.evaluator.evaluate(Answer(text="w0")).passed

    assert (passed((98, 1)), passed((99, 1))) == (False, True)


def test_weights_inside_other_checks_are_looked_at(tmp_path: Path) -> None:
    (told,) = [
        one
        for one in found(tmp_path, {"evaluate": {"all": [{"equals": "x"}, {"any": [weighed(1000, 1)]}]}})
        if one.rule == "unreachable-weight"
    ]
    assert told.message.startswith("the weight of all[1].any[0].mean[1] (contains_all) is 0.1 % of all")


@pytest.mark.parametrize("composed", ["all", "any"])
def test_a_weight_where_none_counts_is_refused(tmp_path: Path, composed: str) -> None:
    entry = canonical({"id": "a", "prompt": "x", "evaluate": {composed: [{"equals": "x", "weight": 2}]}})
    (fault,) = faults_of(tmp_path, f"{HEAD}tests:\n  - {entry}\n")
    assert fault.endswith("a weight counts in a mean only: all and any have none")


A_AND_B: list[JSON] = [{"contains_all": ["aa"]}, {"contains_all": ["bb"]}]


@pytest.mark.parametrize(
    ("check", "examples", "expected"),
    [
        pytest.param({"all": A_AND_B}, right_and_wrong("aa bb", ("aa", 0), ("bb", 0)), [], id="each fails once"),
        pytest.param({"all": A_AND_B}, right_and_wrong("aa bb", ("z", 0)), [], id="both fail at once"),
        pytest.param({"all": A_AND_B}, right_and_wrong("aa bb", ("aa", 0)), ["part-never-fails"], id="one never fails"),
        pytest.param({"mean": A_AND_B}, right_and_wrong("aa bb", ("aa", 0.5)), ["part-never-fails"], id="in a mean"),
        pytest.param({"all": A_AND_B}, right_and_wrong("aa bb"), [], id="no wrong answer"),
        pytest.param({"all": A_AND_B[:1]}, right_and_wrong("aa", ("z", 0)), [], id="alone"),
        pytest.param({"any": A_AND_B}, right_and_wrong("aa", ("z", 0)), ["part-never-scores"], id="one is never met"),
        pytest.param(
            {"any": A_AND_B}, [*right_and_wrong("aa", ("z", 0)), *right_and_wrong("bb")], [], id="each is met once"
        ),
        pytest.param(
            {"mean": A_AND_B},
            [{"response": "aa", "score": 0.5}],
            ["part-never-fails", "part-never-scores"],
            id="no right answer",
        ),
        pytest.param({"any": [PROGRAM, *A_AND_B[:1]]}, right_and_wrong("aa", ("z", 0)), [], id="a program"),
    ],
)
def test_parts_that_no_example_speaks_of(
    tmp_path: Path, check: JSON, examples: list[JSON], expected: list[str]
) -> None:
    assert rules(tmp_path, {"evaluate": check, "examples": examples}) == expected


def test_all_idle_parts_stand_in_one_note(tmp_path: Path) -> None:
    check: JSON = {"all": [{"contains_all": [word]} for word in ("aa", "bb", "cc")]}
    (note,) = found(tmp_path, {"evaluate": check, "examples": right_and_wrong("aa bb cc", ("aa cc", 0))})
    assert note.message == (
        "every example passes all[0] (contains_all), all[2] (contains_all): add a wrong answer that fails there"
    )
    assert note.severity == "note"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("tempreature", "; did you mean 'temperature'?"),
        ("reponse_format", "; did you mean 'response_format'?"),
        ("top_k", None),
        ("top_p", None),
        ("min_p", None),
        ("top_n", None),
        ("my_own_switch", None),
        ("temp", None),
    ],
)
def test_a_parameter_that_looks_like_a_known_one(tmp_path: Path, key: str, hint: str | None) -> None:
    told = [one.message for one in found(tmp_path, {"evaluate": {"equals": "y"}, "request": {key: 1}})]
    assert told == (
        [] if hint is None else [f"request.{key} is sent as it is written, and no gateway is known to read it{hint}"]
    )


@pytest.mark.parametrize(
    "prompt",
    ["\u201c", "'", '"', "`x", "1,", "1,1.", "-", "- 1", "\u00ab\u201c", "'a' or ", '"a", '],
)
def test_much_of_anything_is_read_in_one_go(tmp_path: Path, prompt: str) -> None:
    (test,) = load_text(tmp_path, f"{HEAD}tests: [{{id: a, prompt: x, evaluate: {{equals: x}}}}]")
    text = prompt * (100_000 // len(prompt)) + "a"
    began = time.process_time()
    cheats(dataclasses.replace(test, messages=({"role": "user", "content": text},)))
    assert time.process_time() - began < 2


def test_a_key_of_any_length_is_compared_with_nothing(tmp_path: Path) -> None:
    (test,) = load_text(tmp_path, f"{HEAD}tests: [{{id: a, prompt: x, evaluate: {{equals: y}}}}]")
    began = time.process_time()
    assert prove([dataclasses.replace(test, parameters={"temperatures" * 100_000: 1})]).notes == ()
    assert time.process_time() - began < 10


def test_of_many_pairs_to_choose_from_the_first_ten_are_tried(tmp_path: Path) -> None:
    pairs = "; ".join(f"'x{number}' or 'y{number}'?" for number in range(50))
    entry: dict[str, JSON] = {"prompt": pairs, "evaluate": {"exact_token": "y9"}}
    assert rules(tmp_path, entry) == ["guessable"]
    assert rules(tmp_path, {**entry, "evaluate": {"exact_token": "y10"}}) == []


def test_every_rule_has_a_name_that_stays_and_words() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in RULES)
    assert all(rule.summary and rule.severity in ("error", "note") for rule in RULES.values())
