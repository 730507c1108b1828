"""A suite becomes tests with everything rendered; a bad one is told in one line a fault, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.suite.structures import SUITES, read_value
from tests.unit.suite.suites import HEAD, faults_of, load_one, load_text, write

from llm_testbench.errors import InputError, Place
from llm_testbench.evaluators import registry
from llm_testbench.json_value import JSON
from llm_testbench.suite import load as room
from llm_testbench.suite.load import load, read_suite
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.model import GroundTruth
from llm_testbench.suite.sources import SuiteFile
from llm_testbench.yaml12 import Path as YamlPath
from llm_testbench.yaml12 import YamlDocument

ONE = "id: a\n    prompt: Hi\n    evaluate: {equals: x}\n"


def test_a_whole_test_is_read(tmp_path: Path) -> None:
    test = load_one(
        tmp_path,
        """id: py-cosine
    description: Cosine similarity
    tags: [math]
    models: [chat]
    system: Be brief.
    prompt: |
      What is 1 + 1?
    tools: [{type: function, function: {name: f, parameters: {type: object}}}]
    request: {tool_choice: auto, stop: ["\\n"]}
    max_tokens: 8000
    rev: 3
    must_pass: true
    quarantine: true
    evaluate: {contains_all: [two]}
    ground_truth: print("two")
    examples: [{response: "two", score: 1}, {response: "three", score: 0}]
""",
    )
    assert test.id == "py-cosine"
    assert (test.category, test.subcategory) == ("programming", "python")
    assert test.description == "Cosine similarity"
    assert test.tags == ("math",)
    assert test.models == ("chat",)
    assert test.messages == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is 1 + 1?\n"},
    )
    assert test.tools == ({"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},)
    assert test.parameters == {"tool_choice": "auto", "stop": ["\n"]}
    assert (test.max_tokens, test.rev, test.must_pass, test.quarantine) == (8000, 3, True, True)
    assert test.check == {"contains_all": ["two"]}
    assert test.evaluator.evaluate(test.examples[0].answer).passed
    assert test.check_hash == registry.check_hash(test.check)
    assert test.ground_truth == GroundTruth('print("two")', "python", Place("s.yaml", 18, 5))
    assert [example.score for example in test.examples] == [1.0, 0.0]
    assert test.suite_file == "s.yaml"
    assert test.place == Place("s.yaml", 4, 5)


def test_a_ground_truth_may_be_in_another_language(tmp_path: Path) -> None:
    test = load_one(tmp_path, f"{ONE}    ground_truth: {{language: bash, program: echo x}}\n")
    assert test.ground_truth == GroundTruth("echo x", "bash", Place("s.yaml", 7, 5))
    alone = load_one(tmp_path, f"{ONE}    ground_truth: {{program: print(1)}}\n")
    assert alone.ground_truth == GroundTruth("print(1)", "python", Place("s.yaml", 7, 5))


def test_what_is_not_written_has_its_default(tmp_path: Path) -> None:
    test = load_one(tmp_path, ONE)
    assert (test.tags, test.models, test.tools, test.parameters, test.examples) == ((), None, (), {}, ())
    assert (test.max_tokens, test.rev, test.must_pass, test.quarantine, test.ground_truth) == (
        None,
        1,
        False,
        False,
        None,
    )


def test_tags_of_the_defaults_add_and_the_rest_is_replaced(tmp_path: Path) -> None:
    head = f"""{HEAD}models: [chat]
defaults:
  system: Answer briefly.
  tags: [smoke, fast]
  request: {{temperature: 0, stop: x}}
  max_tokens: 10
  must_pass: true
  evaluate: {{equals: default}}
"""
    first, second = load_text(
        tmp_path,
        f"""{head}tests:
  - {{id: a, prompt: Hi}}
  - {{id: b, prompt: Hi, system: null, tags: [fast, own], request: {{top_p: 1}}, max_tokens: 20, must_pass: false,
     evaluate: {{equals: own}}, models: [other]}}
""",
    )
    assert first.tags == ("smoke", "fast")
    assert first.messages[0] == {"role": "system", "content": "Answer briefly."}
    assert (first.parameters, first.max_tokens, first.must_pass) == ({"temperature": 0, "stop": "x"}, 10, True)
    assert (first.check, first.models) == ({"equals": "default"}, ("chat",))
    assert second.tags == ("smoke", "fast", "own")
    assert second.messages == ({"role": "user", "content": "Hi"},)
    assert (second.parameters, second.max_tokens, second.must_pass) == ({"top_p": 1}, 20, False)
    assert (second.check, second.models) == ({"equals": "own"}, ("other",))


FAULTS: dict[str, tuple[str, list[str]]] = {
    "not a mapping": (
        "- a",
        ["s.yaml:1:1: expected a mapping with the keys category | subcategory | defaults | models"],
    ),
    "empty": ("", ["s.yaml:1:1: expected a mapping with the keys"]),
    "missing keys": (
        "{}",
        [
            "s.yaml:1:1: the key 'category' is missing",
            "s.yaml:1:1: the key 'subcategory' is missing",
            "s.yaml:1:1: the key 'tests' is missing",
        ],
    ),
    "unknown key": (
        f"{HEAD}test: []\ntests:\n  - {ONE}",
        ["s.yaml:3:1: test: unknown key; did you mean 'tests'?"],
    ),
    "unknown key with nothing near": (
        f"{HEAD}zzz: []\ntests:\n  - {ONE}",
        ["s.yaml:3:1: zzz: unknown key; expected category | subcategory | defaults | models | tests"],
    ),
    "no test": (f"{HEAD}tests: []", ["s.yaml:3:1: tests: expected at least 1 item, got 0"]),
    "tests is a mapping": (f"{HEAD}tests: {{a: 1}}", ["s.yaml:3:1: tests: expected a list, got a mapping"]),
    "test is text": (f"{HEAD}tests: [x]", ["s.yaml:3:9: tests[0]: expected a mapping with the keys id | description"]),
    "category": (
        f"category: Big Data\nsubcategory: 1\ntests:\n  - {ONE}",
        [
            "s.yaml:1:1: category: expected a kebab-case name (a-z, 0-9, single hyphens) of at most 128 characters,"
            " got 'Big Data'",
            "s.yaml:2:1: subcategory: expected a kebab-case name (a-z, 0-9, single hyphens) of at most 128 characters,"
            " got 1; quote it",
        ],
    ),
    "empty test": (
        f"{HEAD}tests:\n  - id: a",
        [
            "s.yaml:4:5: tests[0]: expected prompt or messages",
            "s.yaml:4:5: tests[0]: the key 'evaluate' is missing",
        ],
    ),
    "id": (
        f"{HEAD}tests:\n"
        "  - {id: a_b, prompt: x, evaluate: {equals: x}}\n"
        "  - {prompt: x, evaluate: {equals: x}}",
        ["s.yaml:4:6: tests[0].id: expected a kebab-case name", "s.yaml:5:5: tests[1]: the key 'id' is missing"],
    ),
    "id twice": (
        f"{HEAD}tests:\n  - {ONE}  - {ONE}",
        ["s.yaml:7:5: tests[1].id: the id 'a' stands already at s.yaml:4:5"],
    ),
    "id twice, one with cases": (
        f"{HEAD}tests:\n  - {ONE}  - {ONE}    cases: {{x: {{}}}}",
        ["s.yaml:7:5: tests[1].id: the id 'a' stands already at s.yaml:4:5"],
    ),
    "numbers and flags": (
        f"{HEAD}tests:\n  - {ONE}    max_tokens: 0\n    rev: 1.5\n    must_pass: yes\n    quarantine: 1\n",
        [
            "s.yaml:7:5: tests[0].max_tokens: expected a whole number from 1 to 10000000, got 0",
            "s.yaml:8:5: tests[0].rev: expected a whole number from 1 to 1000000, got 1.5",
            "s.yaml:9:5: tests[0].must_pass: expected true or false, got 'yes'",
            "s.yaml:10:5: tests[0].quarantine: expected true or false, got 1",
        ],
    ),
    "true is no number": (
        f"{HEAD}tests:\n  - {ONE}    rev: true\n",
        ["s.yaml:7:5: tests[0].rev: expected a whole number from 1 to 1000000, got true"],
    ),
    "texts": (
        f"{HEAD}tests:\n  - {ONE}    description: 7\n    ground_truth: ' '\n"
        "    tags: [a, 'b c', 'd[1]', 3]\n    models: []\n",
        [
            "s.yaml:7:5: tests[0].description: expected text, got 7; quote it",
            "s.yaml:8:5: tests[0].ground_truth: expected text, got nothing but white space",
            "s.yaml:9:15: tests[0].tags[1]: expected a tag of letters, digits and single . _ - between them",
            "s.yaml:9:22: tests[0].tags[2]: expected a tag",
            "s.yaml:9:30: tests[0].tags[3]: expected a tag",
            "s.yaml:10:5: tests[0].models: expected at least 1 item, got 0",
        ],
    ),
    "ground truths": (
        f"{HEAD}tests:\n  - {ONE}    ground_truth: {{language: cobol}}\n"
        "  - {id: b, prompt: x, evaluate: {equals: x}, ground_truth: 5}\n"
        "  - {id: c, prompt: x, evaluate: {equals: x}, ground_truth: {program: '', lang: go}}\n",
        [
            "s.yaml:7:5: tests[0].ground_truth: the key 'program' is missing",
            "s.yaml:7:20: tests[0].ground_truth.language: expected one of python, go, c, typescript,",
            "s.yaml:8:47: tests[1].ground_truth: expected text, got 5; quote it",
            "s.yaml:9:62: tests[2].ground_truth.program: expected text, got nothing but white space",
            "s.yaml:9:75: tests[2].ground_truth.lang: unknown key; did you mean 'language'?",
        ],
    ),
    "lines": (
        f'{HEAD}tests:\n  - {ONE}    description: "a\\e[31m"\n    models: [a, a]\n',
        [
            "s.yaml:7:5: tests[0].description: expected one line without control characters",
            "s.yaml:8:5: tests[0].models: a model stands here twice",
        ],
    ),
    "a long line": (
        f"{HEAD}tests:\n  - {ONE}    description: {'x' * 1001}\n",
        ["s.yaml:7:5: tests[0].description: expected at most 1000 characters, got 1001"],
    ),
    "defaults": (
        f"{HEAD}defaults: {{tag: [x], prompt: y}}\ntests:\n  - {ONE}",
        [
            "s.yaml:3:12: defaults.tag: unknown key; did you mean 'tags'?",
            "s.yaml:3:22: defaults.prompt: unknown key; expected system | tools | request",
        ],
    ),
    "a wrong default is told once": (
        f"{HEAD}defaults: {{rev: x}}\ntests:\n  - {ONE}  - id: b\n    prompt: x\n    evaluate: {{equals: x}}",
        ["s.yaml:3:12: defaults.rev: expected a whole number from 1 to 1000000, got 'x'"],
    ),
    "check": (
        f"{HEAD}tests:\n  - id: a\n    prompt: x\n    evaluate:\n      equal: x\n",
        ["s.yaml:7:7: tests[0].evaluate.equal: there is no evaluator 'equal'; did you mean 'equals'?"],
    ),
    "check, deep": (
        f"{HEAD}tests:\n  - id: a\n    prompt: x\n"
        "    evaluate:\n      all:\n        - equals: x\n        - contains_all: {}\n",
        ["s.yaml:9:11: tests[0].evaluate.all[1].contains_all: "],
    ),
    "not yaml": ("a: [", ["s.yaml:2:1: not YAML: while parsing a flow node"]),
}


@pytest.mark.parametrize(("text", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_every_fault_is_one_line_with_its_place(tmp_path: Path, text: str, expected: list[str]) -> None:
    lines = faults_of(tmp_path, text)
    assert len(lines) == len(expected), lines
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(start)


def test_the_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "x: 1")
    write(tmp_path, "b.yaml", "[")
    with pytest.raises(InputError) as caught:
        load(["a.yaml", "b.yaml"], tmp_path)
    sources = {line.split(":")[0] for line in str(caught.value).split("\n")}
    assert sources == {"a.yaml", "b.yaml"}


def test_an_id_is_unique_over_all_files(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", f"{HEAD}tests:\n  - {ONE}")
    write(tmp_path, "sub/b.yaml", f"{HEAD}tests:\n  - {ONE}")
    with pytest.raises(
        InputError, match=r"^sub/b\.yaml:4:5: tests\[0\]\.id: the id 'a' stands already at a\.yaml:4:5$"
    ):
        load(["*.yaml", "sub/*.yaml"], tmp_path)


def test_faults_stop_at_200(tmp_path: Path) -> None:
    lines = faults_of(tmp_path, "".join(f"zz{i}: 1\n" for i in range(5000)))
    assert len(lines) == 201
    assert lines[-1] == "stopped after 200 faults"


def test_more_tests_than_allowed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_TESTS", 3)
    entry = "{{id: {}, prompt: x, evaluate: {{equals: x}}, cases: {{a: {{}}, b: {{}}}}}}"
    write(tmp_path, "a.yaml", f"{HEAD}tests: [{entry.format('a')}]")
    write(tmp_path, "b.yaml", f"{HEAD}tests: [{entry.format('b')}]")
    write(tmp_path, "c.yaml", f"{HEAD}tests: [{entry.format('c')}, {entry.format('d')}]")
    assert len(load(["a.yaml"], tmp_path)) == 2
    with pytest.raises(InputError, match=r"^b\.yaml: more than 3 tests; name fewer suites$"):
        load(["a.yaml", "b.yaml"], tmp_path)
    with pytest.raises(InputError, match=r"^c\.yaml:3:\d+: more than 3 tests$"):
        load(["c.yaml"], tmp_path)


def test_a_hostile_key_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    lines = faults_of(tmp_path, f'"\\e[2J::error::x": 1\n{HEAD}tests:\n  - {ONE}    "\\e]0;": 1\n')
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 2


def test_the_request_hash_follows_what_is_asked_and_nothing_else(tmp_path: Path) -> None:
    plain = load_one(tmp_path, ONE)
    other_check = load_one(tmp_path, ONE.replace("equals: x", "equals: y") + "    tags: [t]\n")
    other_prompt = load_one(tmp_path, ONE.replace("Hi", "Ho"))
    assert plain.request_hash == other_check.request_hash != other_prompt.request_hash
    assert plain.check_hash == other_prompt.check_hash != other_check.check_hash


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(SUITES)
def test_any_structure_is_read_or_refused_in_whole_lines(tmp_path: Path, value: JSON) -> None:
    try:
        tests = read_value(value, tmp_path)
    except InputError as error:
        assert all(line.startswith("s.yaml") for line in str(error).split("\n"))
        return
    assert len({test.id for test in tests}) == len(tests) > 0
    for test in tests:
        assert len(test.request_hash) == 64


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "a-b", "b", "ab"]),
            st.none() | st.dictionaries(st.sampled_from(["a", "b", "a.b", "B", "1"]), st.just({}), min_size=1),
        ),
        min_size=1,
    )
)
def test_expansion_keeps_ids_unique(tmp_path: Path, written: list[tuple[str, dict[str, JSON] | None]]) -> None:
    entries: list[JSON] = []
    for test_id, cases in written:
        entry: dict[str, JSON] = {"id": test_id, "prompt": "x", "evaluate": {"equals": "x"}}
        entries.append(entry if cases is None else {**entry, "cases": cases})
    try:
        # Without positions, two entries of one id could not be told apart: give each its own.
        places: dict[YamlPath, tuple[int, int]] = {
            ("tests", index, "id"): (index + 1, 1) for index in range(len(entries))
        }
        loading = Loading(SuiteFile("s.yaml", tmp_path, ("s.yaml",)))
        value: JSON = {"category": "c", "subcategory": "s", "tests": entries}
        tests = read_suite(YamlDocument(value, "s.yaml", places), loading, {})
        loading.faults.raise_if_any()
    except InputError as error:
        assert len({test_id for test_id, _ in written}) < len(written)
        assert "stands already at" in str(error)
    else:
        assert len({test.id for test in tests}) == len(tests)
        assert len(tests) == sum(1 if cases is None else len(cases) for _, cases in written)


UNUSED = """\
category: c
subcategory: s
defaults: {KEY: BAD}
tests:
  - {id: t, prompt: x, KEY: GOOD, evaluate: {equals: x}}
"""


@pytest.mark.parametrize(
    ("key", "bad", "good"),
    [
        ("system", "[]", "hello"),
        ("tools", "3", "[]"),
        ("request", "[]", "{top_p: 1}"),
        ("max_tokens", "many", "5"),
        ("rev", "0", "2"),
        ("must_pass", "maybe", "true"),
        ("quarantine", "maybe", "true"),
    ],
)
def test_a_default_that_every_test_replaces_is_read_all_the_same(tmp_path: Path, key: str, bad: str, good: str) -> None:
    suite = UNUSED.replace("KEY", key).replace("GOOD", good)
    assert any(":3:" in fault for fault in faults_of(tmp_path, suite.replace("BAD", bad)))
    assert len(load_text(tmp_path, suite.replace("BAD", good))) == 1


def test_an_unused_default_check_must_be_one(tmp_path: Path) -> None:
    suite = UNUSED.replace("KEY: BAD", "evaluate: {equal: x}").replace(" KEY: GOOD,", "")
    assert any("did you mean 'equals'" in fault for fault in faults_of(tmp_path, suite))


def test_an_unused_default_may_hold_a_placeholder(tmp_path: Path) -> None:
    suite = UNUSED.replace("KEY", "max_tokens").replace("GOOD", "5").replace("BAD", "${n}")
    assert len(load_text(tmp_path, suite.replace("{max_tokens: ${n}}", '{max_tokens: "${n}"}'))) == 1


def test_a_system_text_that_gives_way_is_read_all_the_same(tmp_path: Path) -> None:
    suite = """\
category: c
subcategory: s
defaults: {system: []}
tests:
  - id: t
    messages: [{role: system, content: be brief}, {role: user, content: x}]
    evaluate: {equals: x}
"""
    assert any(":3:" in fault for fault in faults_of(tmp_path, suite))
