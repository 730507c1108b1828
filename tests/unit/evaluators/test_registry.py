from __future__ import annotations

import dataclasses
import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from tests.unit.evaluators.judging import fault_of

from llm_testbench.evaluators.registry import build, check_hash, definitions, names, summaries
from llm_testbench.evaluators.score import SpecError
from llm_testbench.json_value import JSON, JSONObject

ONE_OF_EACH: dict[str, JSON] = {
    "equals": "a",
    "one_of": ["a", "b"],
    "exact_token": "a",
    "contains_all": ["a", "b"],
    "contains_any": ["a", "b"],
    "not_contains": ["a", "b"],
    "no_unnegated_mention": {"pattern": "a", "window": 40, "exempt": "b"},
    "regex": {"pattern": "(a)", "flags": "im", "group": 1, "expected": "a"},
    "numeric": {"expected": 1, "abs_tol": 0.1, "rel_tol": 0.1, "pick": "only", "unit": "percent"},
    "json_field": {"path": "a.b[0]", "expected": 1, "abs_tol": 0.1},
    "json_fields": {"a.b": "x", "c": 3},
    "json_array": {"path": "a", "expected": [1], "ordered": False},
    "json_schema": {"type": "object"},
    "code": {
        "language": "c",
        "stdout": "3",
        "harness": "{{code}}",
        "stdin": "1 2",
        "files": {"data/a.txt": "x", "b": 5},
        "timeout": "1m",
    },
    "sql": {"setup": "CREATE TABLE t (a)", "expected": [[1, "a", None]], "ordered": True},
    "tool_called": "a",
    "tool_not_called": "a",
    "first_tool": "a",
    "no_tool_called": True,
    "tool_call_args": {"name": "a", "args": {"k": {"any_of": [1, 2]}}, "exact": True},
    "tool_sequence": ["a", "b"],
    "tool_arg_values_cover": {"name": "a", "arg": "k", "values": [1, "b"]},
    "all": [{"equals": "a"}, {"any": [{"equals": "b"}]}],
    "mean": [{"equals": "a", "weight": 2}, {"numeric": 5}],
    "any": [{"equals": "a"}, {"json_schema": {}}],
}


def test_the_registry_offers_exactly_what_is_there() -> None:
    assert set(names()) == set(ONE_OF_EACH)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_every_name_leads_to_its_frozen_evaluator(name: str) -> None:
    evaluator = build({name: ONE_OF_EACH[name]})
    assert evaluator.name == name
    assert evaluator.revision >= 1
    assert summaries()[name] == evaluator.summary
    assert dataclasses.is_dataclass(evaluator)
    field = next(iter(dataclasses.fields(evaluator)), None)
    if field is not None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(evaluator, field.name, None)


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param(None, (), "expected a check, like {equals: text}, found nothing", id="nothing"),
        pytest.param("equals", (), "found text", id="a name alone"),
        pytest.param([], (), "found a list", id="a list"),
        pytest.param({}, (), "found none", id="no evaluator"),
        pytest.param({"equals": "a", "one_of": ["a"]}, (), "found equals, one_of", id="two evaluators"),
        pytest.param({"equal": "a"}, ("equal",), "did you mean 'equals'?", id="mistyped"),
        pytest.param({"zzz": "a"}, ("zzz",), "'zzz' on this machine: `llmtest list --evaluators` shows", id="unknown"),
    ],
)
def test_what_is_no_check_is_refused(check: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of(check)
    assert fault.path == path
    assert message in str(fault)


def test_a_fault_can_be_seen_from_further_out() -> None:
    fault = SpecError("wrong", ("a",)).below("tests", 3)
    assert (fault.path, str(fault)) == (("tests", 3, "a"), "wrong")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param({"equals": "a"}, {"equals": {"expected": "a"}}, id="equals"),
        pytest.param({"equals": "a"}, {"equals": {"expected": "a", "ignore_case": True}}, id="a default written out"),
        pytest.param({"equals": 5}, {"equals": "5"}, id="a whole number as text"),
        pytest.param({"equals": " a "}, {"equals": "a"}, id="white space that does not count"),
        pytest.param({"one_of": "a"}, {"one_of": ["a"]}, id="one for a list"),
        pytest.param({"numeric": 5}, {"numeric": {"expected": 5.0, "abs_tol": 0, "pick": "last"}}, id="numeric"),
        pytest.param({"regex": "a"}, {"regex": {"pattern": "a", "flags": "", "group": 0}}, id="regex"),
        pytest.param(
            {"regex": {"pattern": "a", "flags": "im"}}, {"regex": {"pattern": "a", "flags": "mi"}}, id="flags"
        ),
        pytest.param(
            {"no_unnegated_mention": "a"}, {"no_unnegated_mention": {"pattern": "a", "window": 60}}, id="mention"
        ),
        pytest.param(
            {"json_array": {"expected": [1]}}, {"json_array": {"path": "", "expected": [1.0]}}, id="json_array"
        ),
        pytest.param({"json_fields": {"a": 1, "b": 2}}, {"json_fields": {"b": 2, "a": 1}}, id="order of keys"),
        pytest.param({"tool_called": "f"}, {"tool_called": {"name": "f"}}, id="tool_called"),
        pytest.param({"tool_sequence": ["f"]}, {"tool_sequence": {"names": ["f"]}}, id="tool_sequence"),
        pytest.param({"all": [{"equals": "a"}]}, {"all": {"checks": [{"equals": {"expected": "a"}}]}}, id="all"),
        pytest.param({"mean": [{"equals": "a"}]}, {"mean": [{"equals": "a", "weight": 1.0}]}, id="a weight of one"),
    ],
)
def test_a_short_form_hashes_like_its_long_form(left: JSON, right: JSON) -> None:
    assert check_hash(left) == check_hash(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param({"equals": "a"}, {"equals": "b"}, id="another text"),
        pytest.param({"equals": "a"}, {"exact_token": "a"}, id="another evaluator"),
        pytest.param({"equals": "a"}, {"equals": {"expected": "a", "ignore_case": False}}, id="an option"),
        pytest.param({"numeric": 5}, {"numeric": {"expected": 5, "abs_tol": 0.1}}, id="a tolerance"),
        pytest.param(
            {"json_field": {"path": "a", "expected": 1}}, {"json_field": {"path": "a", "expected": True}}, id="true"
        ),
        pytest.param(
            {"json_field": {"path": "a", "expected": 1}}, {"json_field": {"path": "a", "expected": "1"}}, id="text"
        ),
        pytest.param({"json_schema": {"type": "object"}}, {"json_schema": {"type": "array"}}, id="another schema"),
        pytest.param({"one_of": ["a", "b"]}, {"one_of": ["b", "a"]}, id="another order"),
        pytest.param({"all": [{"equals": "a"}]}, {"any": [{"equals": "a"}]}, id="another composition"),
        pytest.param({"mean": [{"equals": "a"}]}, {"mean": [{"equals": "a", "weight": 2}]}, id="a weight"),
    ],
)
def test_another_check_has_another_hash(left: JSON, right: JSON) -> None:
    assert check_hash(left) != check_hash(right)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_hash_is_64_hexadecimal_digits(name: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", check_hash({name: ONE_OF_EACH[name]}))


def test_hashes_stay_as_they_were_released() -> None:
    # Baselines of users hold these: they change only with an evaluator's revision.
    assert check_hash({"equals": "a"}) == "626c4f47f2cbd7f13c4749432e29ac3bcddeb923a32562799cf64d558013c256"
    assert check_hash(
        {"mean": [{"numeric": {"expected": 5, "abs_tol": 0.5}, "weight": 2}, {"no_tool_called": True}]}
    ) == ("5a75aad01be3505835c1f7487f97ff2cd115b1eb189648a64cc9ef518c8e99cb")
    assert check_hash({"code": {"language": "bash", "stdout": "a"}}).startswith("5ad1acecab8a0948")
    assert check_hash({"sql": {"setup": "a", "expected": [[1]]}}).startswith("13be1028266c0d06")
    assert check_hash({"tool_not_called": "f"}).startswith("e402376cd0cad422")
    assert check_hash({"tool_call_args": {"name": "f", "args": {"a": 1}}}).startswith("a27fd36ff01888aa")
    assert check_hash({"tool_arg_values_cover": {"name": "f", "arg": "a", "values": [1]}}).startswith(
        "648a47aaa8f0b3c2"
    )


def test_a_raised_revision_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = check_hash({"all": [{"equals": "a"}]})
    monkeypatch.setattr(type(build({"equals": "a"})), "revision", 99)
    assert check_hash({"all": [{"equals": "a"}]}) != before


def _validator() -> Draft202012Validator:
    schema: JSONObject = {"$ref": "#/$defs/check", "$defs": definitions()}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(dict(schema))


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_schema_takes_what_the_registry_builds(name: str) -> None:
    assert _validator().is_valid({name: ONE_OF_EACH[name]})


@pytest.mark.parametrize(
    "check",
    [
        {},
        "equals",
        {"equal": "a"},
        {"equals": "a", "one_of": ["a"]},
        {"equals": 1.5},
        {"equals": {"expcted": "a"}},
        {"one_of": []},
        {"regex": {"pattern": "a", "flags": "g"}},
        {"numeric": {"expected": 5, "abs_tol": -1}},
        {"numeric": {"expected": 5, "pick": "lst"}},
        {"json_field": {"path": "a"}},
        {"json_fields": {}},
        {"json_schema": True},
        {"code": "python"},
        {"code": {"language": "python"}},
        {"code": {"language": "rust", "stdout": "4"}},
        {"code": {"language": "python", "stdout": 1.5}},
        {"code": {"language": "python", "stdout": "4", "files": ["a"]}},
        {"code": {"language": "python", "stdout": "4", "timeout": 30}},
        {"code": {"language": "python", "stdout": "4", "harness": "no place"}},
        {"sql": {"setup": "CREATE TABLE t (a)"}},
        {"no_tool_called": False},
        {"tool_call_args": {"name": "f"}},
        {"all": []},
        {"all": [{"equals": "a", "weight": 2}]},
        {"mean": [{"weight": 2}]},
        {"mean": [{"equals": "a", "weight": 0}]},
        {"mean": [{"equals": "a", "numeric": 5}]},
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_registry_refuses(check: JSON) -> None:
    assert not _validator().is_valid(check)
    fault_of(check)


def test_the_schema_describes_itself_to_an_editor() -> None:
    defs = definitions()
    check = defs["check"]
    assert isinstance(check, dict)
    assert check["additionalProperties"] is False
    assert (check["minProperties"], check["maxProperties"]) == (1, 1)
    assert list(check["properties"]) == list(names())
    for name, described in check["properties"].items():
        assert described["description"] == summaries()[name]
        assert described["$ref"].removeprefix("#/$defs/") in defs


def test_importing_the_registry_loads_no_heavy_library() -> None:
    program = (
        "import sys, llm_testbench.evaluators.registry as registry\n"
        "registry.build({'all': [{'equals': 'a'}, {'numeric': 5}]})\n"
        "print(sorted({'regex', 'jsonschema', 'referencing'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"
