"""Cases expand a test to id[case], with that case's values and no other filled in for `${name}`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, faults_of, load_one, load_text, write

from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON

TEST = "id: a\n    prompt: {prompt}\n    evaluate: {evaluate}\n    cases: {cases}\n"


def one_case(folder: Path, values: str, prompt: str = "x", more: str = "") -> JSON:
    """What the user's message becomes."""
    body = f"id: a\n    prompt: {prompt}\n    evaluate: {{equals: x}}\n    cases: {{c: {values}}}\n{more}"
    return load_one(folder, body).messages[0]["content"]


def test_each_case_is_a_test_of_its_own(tmp_path: Path) -> None:
    tests = load_text(
        tmp_path,
        f"""{HEAD}tests:
  - id: py-sum
    description: Sum of ${{a}}
    prompt: Add ${{a}} and ${{b}}.
    max_tokens: ${{budget}}
    evaluate: {{equals: "${{expected}}"}}
    examples:
      - {{response: "${{expected}}", score: 1}}
      - {{response: "none", score: "${{zero}}"}}
    cases:
      small: {{a: 1, b: 2, expected: "3", budget: 10, zero: 0}}
      large: {{a: 10, b: 20.5, expected: "30.5", budget: 20, zero: 0}}
""",
    )
    assert [test.id for test in tests] == ["py-sum[small]", "py-sum[large]"]
    assert [test.messages[0]["content"] for test in tests] == ["Add 1 and 2.", "Add 10 and 20.5."]
    assert [test.max_tokens for test in tests] == [10, 20]
    assert [test.check for test in tests] == [{"equals": "3"}, {"equals": "30.5"}]
    assert [test.description for test in tests] == ["Sum of 1", "Sum of 10"]
    assert [test.examples[1].score for test in tests] == [0.0, 0.0]
    assert [test.place for test in tests] == [Place("s.yaml", 13, 7), Place("s.yaml", 14, 7)]
    assert len({test.request_hash for test in tests}) == 2


@pytest.mark.parametrize(
    ("values", "prompt", "expected"),
    [
        ("{a: x}", "${a}${a}", "xx"),
        ("{a: 0.50}", "is ${a}", "is 0.5"),
        ("{a: true}", "is ${a}", "is true"),
        ("{a: null}", "is ${a}", "is null"),
        ("{a: [1, é]}", "is ${a}", 'is [1, "é"]'),
        ("{a: {b: 1}}", "is ${a}", 'is {"b": 1}'),
        ("{a: 1}", "$${a} ${a}", "${a} 1"),
        ("{a: 1}", "$$${a}", "$${a}"),
        ("{a: 1}", "$a $ {a} ${a", "$a $ {a} ${a"),
        ("{a: '${b}', b: 1}", "is ${a}", "is ${b}"),
        ("{a: '$${b}', b: 1}", "is ${a}", "is $${b}"),
        ("{a_b-1: x}", "${a_b-1}", "x"),
    ],
    ids=str,
)
def test_a_reference_inside_a_text_becomes_text(tmp_path: Path, values: str, prompt: str, expected: str) -> None:
    assert one_case(tmp_path, values, f"'{prompt}'") == expected


@pytest.mark.parametrize("value", ["1", "0.5", "true", "null", "[1, 2]", "{b: [c]}", "'text'"])
def test_a_scalar_that_is_a_reference_keeps_the_type(tmp_path: Path, value: str) -> None:
    test = load_one(
        tmp_path,
        "id: a\n    prompt: x\n    evaluate: {equals: x}\n"
        f"    request: {{k: '${{a}}'}}\n    cases: {{c: {{a: {value}}}}}",
    )
    plain = load_one(tmp_path, f"id: a\n    prompt: x\n    evaluate: {{equals: x}}\n    request: {{k: {value}}}\n")
    assert test.parameters == plain.parameters


def test_keys_are_filled_in_too(tmp_path: Path) -> None:
    test = load_one(
        tmp_path,
        """id: a
    prompt: x
    evaluate: {"${kind}": x}
    cases: {c: {kind: equals}}
""",
    )
    assert test.check == {"equals": "x"}


def test_ids_tags_and_the_cases_themselves_are_not_filled_in(tmp_path: Path) -> None:
    lines = faults_of(
        tmp_path,
        f'{HEAD}tests:\n  - id: "${{a}}"\n    tags: ["${{a}}"]\n    prompt: x\n'
        "    evaluate: {equals: x}\n    cases: {c: {a: b}}\n",
    )
    assert [line.split(": ")[1] for line in lines] == ["tests[0].id", "tests[0].tags[0]"]


def test_without_cases_nothing_is_replaced(tmp_path: Path) -> None:
    test = load_one(tmp_path, "id: a\n    prompt: 'echo ${HOME} $${x}'\n    evaluate: {equals: '${x}'}\n")
    assert test.messages[0]["content"] == "echo ${HOME} $${x}"
    assert test.check == {"equals": "${x}"}


def test_the_text_of_named_files_is_filled_in_and_so_is_their_path(tmp_path: Path) -> None:
    write(tmp_path, "p/one.md", "Say ${word}, not $${word}.")
    write(tmp_path, "tools.json", '[{"type": "function", "function": {"name": "${word}"}}]')
    test = load_one(
        tmp_path,
        """id: a
    prompt: {file: "p/${name}.md"}
    system: {file: "p/${name}.md"}
    tools: {file: tools.json}
    evaluate: {equals: x}
    cases: {c: {name: one, word: hi}}
""",
    )
    assert [message["content"] for message in test.messages] == ["Say hi, not ${word}."] * 2
    assert test.tools[0]["function"] == {"name": "hi"}


def test_cases_come_from_a_jsonl_file(tmp_path: Path) -> None:
    write(tmp_path, "data/cases.jsonl", '{"case": "x", "a": 1}\n\n{"a": "two", "case": "y.2"}\r\n')
    tests = load_text(
        tmp_path,
        f"{HEAD}tests:\n  - {TEST.format(prompt='v ${a}', evaluate='{equals: x}', cases='{file: data/cases.jsonl}')}",
    )
    assert [(test.id, test.messages[0]["content"]) for test in tests] == [("a[x]", "v 1"), ("a[y.2]", "v two")]
    assert {test.place for test in tests} == {Place("s.yaml", 4, 5)}


FAULTS: dict[str, tuple[str, list[str]]] = {
    "unknown reference": (
        "{c: {first: 1, second: 2}}",
        [
            "s.yaml:5:5: tests[0].prompt: unknown ${x}; the keys of this case are first, second;"
            " write $${ for a literal ${ (in case 'c')"
        ],
    ),
    "near reference": (
        "{c: {xx: 1}}",
        [
            "s.yaml:5:5: tests[0].prompt: unknown ${x}; did you mean 'xx'?; the keys of this case are xx;"
            " write $${ for a literal ${ (in case 'c')"
        ],
    ),
    "a case without keys": ("{c: {}}", ["s.yaml:5:5: tests[0].prompt: unknown ${x}; the keys of this case are none;"]),
    "told once over the cases": ("{c: {y: 1}, d: {y: 2}}", ["s.yaml:5:5: tests[0].prompt: unknown ${x}"]),
    "no case": ("{}", ["s.yaml:7:5: tests[0].cases: expected at least one case: a name with a mapping of values"]),
    "a list": ("[a]", ["s.yaml:7:5: tests[0].cases: expected a mapping, got a list"]),
    "a case that is no mapping": ("{c: 1}", ["s.yaml:7:13: tests[0].cases.c: expected a mapping, got 1"]),
    "names": (
        "{'a]': {x: 1}, 'a,b': {x: 1}, 'a*': {x: 1}}",
        [
            "s.yaml:7:13: tests[0].cases.a]: expected letters, digits and single . _ - between them as a case's name",
            "s.yaml:7:27: tests[0].cases.a,b: expected",
            "s.yaml:7:42: tests[0].cases.a*: expected",
        ],
    ),
    "variables": (
        "{c: {'1a': 1, 'b c': 2}}",
        [
            "s.yaml:7:17: tests[0].cases.c.1a: expected a key that starts with a letter",
            "s.yaml:7:26: tests[0].cases.c.b c: expected",
        ],
    ),
    "a file that is missing": ("{file: no.jsonl}", ["s.yaml:7:13: tests[0].cases.file: 'no.jsonl': no such file"]),
}


@pytest.mark.parametrize(("cases", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_cases_are_told(tmp_path: Path, cases: str, expected: list[str]) -> None:
    text = TEST.format(prompt="say ${x}", evaluate="{equals: x}", cases=cases)
    lines = faults_of(tmp_path, f"{HEAD}tests:\n  - {text}")
    assert len(lines) == len(expected), lines
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "s.yaml:7:13: tests[0].cases.file: 'c.jsonl' holds no case"),
        ("{", "c.jsonl:1:1: not JSON: "),
        ('{"case": "a"}\n[1]', 'c.jsonl:2:1: expected an object with its name as "case" and its values, got a list'),
        ('{"case": 1}', "c.jsonl:1:1: expected an object with its name"),
        ('{"case": "a b"}', "c.jsonl:1:1: expected letters, digits"),
        ('{"case": "a"}\n{"case": "a"}', "c.jsonl:2:1: the case 'a' stands already at c.jsonl:1:1"),
        ('{"case": "a", "x": "\\ud800"}', "c.jsonl:1:1: not JSON: a string holds half a surrogate pair"),
        ('{"case": "a", "x": NaN}', "c.jsonl:1:1: not JSON: NaN is not JSON"),
        ('{"case": "a", "x": ' + "[" * 5000 + "]" * 5000 + "}", "c.jsonl:1:1: not JSON: nested deeper than 200"),
    ],
    ids=["empty", "broken", "a list", "no name", "bad name", "twice", "surrogate", "NaN", "deep"],
)
def test_a_faulty_jsonl_file_is_told_by_line(tmp_path: Path, content: str, expected: str) -> None:
    write(tmp_path, "c.jsonl", content)
    text = TEST.format(prompt="say", evaluate="{equals: x}", cases="{file: c.jsonl}")
    (line,) = faults_of(tmp_path, f"{HEAD}tests:\n  - {text}")
    assert line.startswith(expected)


def test_a_jsonl_file_holds_at_most_10_000_cases(tmp_path: Path) -> None:
    write(tmp_path, "c.jsonl", "".join(f'{{"case": "c{i}"}}\n' for i in range(10_001)))
    text = TEST.format(prompt="'${x}'", evaluate="{equals: x}", cases="{file: c.jsonl}")
    lines = faults_of(tmp_path, f"{HEAD}tests:\n  - {text}")
    assert "s.yaml:7:13: tests[0].cases.file: 'c.jsonl' holds more than 10000 cases" in lines


def test_keys_that_become_the_same_are_a_fault(tmp_path: Path) -> None:
    text = "id: a\n    prompt: x\n    evaluate: {equals: x}\n    request: {'${a}': 1, b: 2}\n    cases: {c: {a: b}}"
    (line,) = faults_of(tmp_path, f"{HEAD}tests:\n  - {text}")
    assert line == "s.yaml:7:5: tests[0].request: two keys are the same once filled in (in case 'c')"


def test_cases_cannot_fill_the_memory(tmp_path: Path) -> None:
    references, value = "${a}" * 2000, "x" * 50_000  # 100 MB from a file of 58 KB
    text = f"id: a\n    prompt: '{references}'\n    evaluate: {{equals: x}}\n    cases: {{c: {{a: {value}}}}}"
    with pytest.raises(InputError, match=r"^s\.yaml:5:5: the suites hold more than 67108864 characters"):
        load_text(tmp_path, f"{HEAD}tests:\n  - {text}")


def test_neither_can_values_that_keep_their_type(tmp_path: Path) -> None:
    references, value = '"${a}",' * 2000, f"[{'x,' * 20_000}]"
    text = f"id: a\n    prompt: x\n    evaluate: {{equals: x}}\n    request: {{k: [{references}]}}"
    with pytest.raises(InputError, match="the suites hold more than 67108864 characters"):
        load_text(tmp_path, f"{HEAD}tests:\n  - {text}\n    cases: {{c: {{a: {value}}}}}")
