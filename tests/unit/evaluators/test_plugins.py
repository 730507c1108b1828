"""Evaluators that installed packages add: found by name, imported when named, and blamed by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.unit.evaluators.judging import answer, fault_of
from tests.unit.evaluators.packages import SOURCE, Shelf, shelf_in
from tests.unit.evaluators.workshops import printing

from llm_testbench.answer.outcome import Outcome
from llm_testbench.evaluators import plugins
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.evaluators.registry import (
    GROUPS,
    MAX_NESTING,
    build,
    check_hash,
    definitions,
    described,
    described_all,
    known_names,
    names,
)
from llm_testbench.evaluators.running import runs_code
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSON, JSONObject

MUTE = "class Mute(Exception): __str__ = None"
"""An error that cannot even be told."""
HOLDS = (
    SOURCE
    + """
@dataclass(frozen=True)
class Not:
    name = "is_not"
    revision = 1
    summary = "The check does not pass."
    schema = {"$ref": "#/$defs/check"}

    check: object

    @classmethod
    def from_parameters(cls, parameters):
        return cls(build(parameters))

    def evaluate(self, answer):
        return self.evaluate_in(answer, None)

    def evaluate_in(self, answer, workshop):
        score = evaluate_in(self.check, answer, workshop)
        return score if score.skipped else Score(1 - score.value, score.reason)

    def runs_code(self):
        return runs_code(self.check)
"""
)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    with shelf_in(tmp_path, monkeypatch) as made:
        yield made


def scored(check: JSONObject, text: str) -> Score:
    found = evaluate(build(check), answer(text))
    assert isinstance(found, Score), found
    return found


def crash(check: JSONObject, text: str = "X") -> str:
    found = evaluate(build(check), answer(text))
    assert isinstance(found, Crash)
    assert found.message.splitlines() == [found.message]
    return found.message


class TestSound:
    def test_its_check_is_built_and_scores(self, shelf: Shelf) -> None:
        shelf.sound()
        assert scored({"shouts": 1}, "YES").passed
        assert scored({"all": [{"shouts": 1}, {"equals": "yes"}]}, "yes").reason == "shouts: found yes"
        assert scored({"mean": [{"shouts": 1, "weight": 3}, {"equals": "yes"}]}, "yes").value == 0.25

    def test_it_is_listed_behind_ours_with_its_package(self, shelf: Shelf) -> None:
        shelf.sound()
        found, faults = described_all()
        assert faults == ()
        assert tuple(one.name for one in found) == (*names(), "shouts") == known_names()
        assert {one.source for one in found[:-1]} == {None}
        assert str(found[-1].source) == "loud 1.2"

    def test_its_parameters_and_revision_are_in_its_hash(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        shelf.sound()
        first, other = check_hash({"shouts": 1}), check_hash({"shouts": 2})
        assert first != other
        assert first == check_hash({"shouts": 1})
        monkeypatch.setattr(plugins.loaded("shouts"), "revision", 2)
        assert check_hash({"shouts": 1}) != first

    def test_a_mistyped_name_is_led_to_it(self, shelf: Shelf) -> None:
        shelf.sound()
        assert "did you mean 'shouts'?" in str(fault_of({"shoutz": 1}))

    def test_a_fault_in_its_parameters_has_its_place(self, shelf: Shelf) -> None:
        shelf.sound()
        fault = fault_of({"any": [{"shouts": "loud"}]})
        assert (fault.path, fault.message) == (("any", 0, "shouts", "least"), "expected a number")

    def test_it_is_imported_when_it_is_named_and_not_before(self, shelf: Shelf) -> None:
        shelf.sound()
        build({"all": [{"equals": "a"}]})
        fault_of({"nothing_like_it": 1})
        assert "loud_module" not in sys.modules
        build({"shouts": 1})
        assert "loud_module" in sys.modules

    def test_what_is_installed_is_looked_up_once(self, shelf: Shelf) -> None:
        shelf.sound()
        build({"shouts": 1})
        before = plugins.declared.cache_info().misses
        for _ in range(3):
            build({"all": [{"shouts": 1}, {"equals": "a"}]})
        assert plugins.declared.cache_info().misses == before

    def test_a_reason_of_many_lines_becomes_one(self, shelf: Shelf) -> None:
        shelf.sound()
        reason = scored({"shouts": 1}, "A\nB" + "C" * 1000).reason
        assert reason.startswith("found A BC")
        assert len(reason) == 300

    def test_the_schema_of_suites_takes_it_in(self, shelf: Shelf) -> None:
        shelf.sound()
        assert "check_shouts" not in definitions()
        schema: JSONObject = {"$ref": "#/$defs/check", "$defs": definitions(described_all()[0])}
        validator = Draft202012Validator(dict(schema))
        assert validator.is_valid({"all": [{"shouts": 1}]})
        assert validator.is_valid({"mean": [{"shouts": 1, "weight": 2}]})
        assert not validator.is_valid({"shouts": "x"})


class TestHoldingChecks:
    """An evaluator may hold checks as our compositions do."""

    @pytest.fixture(autouse=True)
    def _installed(self, shelf: Shelf) -> None:
        shelf.add("holds", "1", "holds_module", HOLDS, {"is_not": "holds_module:Not"})

    def test_it_holds_any_check(self) -> None:
        check: JSONObject = {"is_not": {"any": [{"equals": "a"}, {"is_not": {"equals": "b"}}]}}
        assert [evaluate(build(check), answer(text)) for text in "ab"] == [
            Score(0.0, "equals: found 'a', expected 'a'"),
            Score(1.0, "equals: found 'b', expected 'a'"),
        ]

    def test_a_fault_inside_has_its_place(self) -> None:
        fault = fault_of({"is_not": {"equal": "a"}})
        assert (fault.path, "did you mean 'equals'" in fault.message) == (("is_not", "equal"), True)

    def test_its_schema_refers_to_all_checks(self) -> None:
        schema: JSONObject = {"$ref": "#/$defs/check", "$defs": definitions(described_all()[0])}
        validator = Draft202012Validator(dict(schema))
        assert validator.is_valid({"is_not": {"is_not": {"equals": "a"}}})
        assert not validator.is_valid({"is_not": {"is_not": {"equal": "a"}}})

    def test_it_runs_programs_if_what_it_holds_does(self) -> None:
        check: JSONObject = {"is_not": {"code": {"language": "python", "stdout": "4"}}}
        assert runs_code(build(check))
        assert not runs_code(build({"is_not": {"equals": "a"}}))
        score = evaluate(build(check), answer("print(5)"), printing("5"))
        assert isinstance(score, Score)
        assert (score.value, score.skipped) == (1, None)
        skipped = evaluate(build(check), answer("print(5)"))
        assert isinstance(skipped, Score)
        assert skipped.skipped is Outcome.NO_SANDBOX

    def test_it_is_not_nested_without_end(self) -> None:
        check: JSON = {"equals": "a"}
        for _ in range(MAX_NESTING - 1):
            check = {"is_not": check}
        assert build(check).name == "is_not"
        assert f"nested deeper than {MAX_NESTING} levels" in str(fault_of({"is_not": check}))
        assert build(check).name == "is_not"

    def test_its_hash_holds_that_of_what_it_holds(self) -> None:
        assert check_hash({"is_not": {"equals": "a"}}) != check_hash({"is_not": {"equals": "b"}})
        assert check_hash({"is_not": {"equals": "a"}}) == check_hash({"is_not": {"equals": {"expected": "a"}}})


class TestClashes:
    def test_two_packages_with_one_name_are_both_named(self, shelf: Shelf) -> None:
        shelf.sound()
        shelf.add("louder", "0.9", "louder_module", SOURCE, {"shouts": "louder_module:Shouts"})
        told = str(fault_of({"shouts": 1}))
        assert "louder 0.9" in told
        assert "loud 1.2" in told
        assert "both add the evaluator 'shouts': uninstall one of them" in told
        assert {"loud_module", "louder_module"}.isdisjoint(sys.modules)
        assert build({"equals": "a"}).name == "equals"

    @pytest.mark.parametrize("name", [next(iter(group)) for group in GROUPS.values()])
    def test_a_name_of_ours_is_ours_and_the_package_is_named(self, shelf: Shelf, name: str) -> None:
        shelf.add("loud", "1.2", "loud_module", SOURCE, {name: "loud_module:Shouts"})
        told = f"{name!r} is an evaluator of llm-testbench, and the package loud 1.2 adds another one"
        assert fault_of({name: "a"}).message == told
        assert described_all()[1] == (told,)
        assert "loud_module" not in sys.modules

    def test_a_package_that_is_there_twice_counts_once(self, shelf: Shelf, tmp_path: Path) -> None:
        shelf.sound()
        again = tmp_path / "Loud-1.0.dist-info"
        again.mkdir()
        (again / "METADATA").write_text("Metadata-Version: 2.1\nName: LOUD\nVersion: 1.0\n")
        (again / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nshouts = loud_module:Shouts\n")
        assert build({"shouts": 1}).name == "shouts"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("import no_such_thing", "cannot be loaded: ModuleNotFoundError: No module", id="import"),
        pytest.param("raise OSError('a\\nb')", "cannot be loaded: OSError: a b", id="raises"),
        pytest.param("import sys\nsys.exit(0)", "cannot be loaded: SystemExit: 0", id="ends the process"),
        pytest.param(
            "raise BaseException('a')", "cannot be loaded: BaseException: a", id="raises what is no Exception"
        ),
        pytest.param(f"{MUTE}\nraise Mute", "cannot be loaded: Mute", id="raises what says nothing"),
        pytest.param("def broken(:", "cannot be loaded: SyntaxError: ", id="syntax"),
        pytest.param("x = 1", "cannot be loaded: AttributeError: module 'loud_module' has no", id="no class"),
        pytest.param("Shouts = 5", "is wrong: expected a class, found 'int'", id="no class at all"),
        pytest.param("class Shouts: pass", "is wrong: expected a frozen dataclass", id="no dataclass"),
        pytest.param(SOURCE.replace("(frozen=True)", ""), "is wrong: expected a frozen dataclass", id="not frozen"),
        pytest.param(f"{SOURCE}\nclass Shouts(Shouts): pass", "expected a frozen dataclass", id="inherited"),
        pytest.param(SOURCE.replace('"shouts"', '"shout"'), "is wrong: its name is 'shout', and its entry", id="name"),
        pytest.param(SOURCE.replace("revision = 1", ""), "a revision of at least 1, found None", id="revision"),
        pytest.param(SOURCE.replace("revision = 1", "revision = '2'"), "at least 1, found '2'", id="revision as text"),
        pytest.param(SOURCE.replace('"The answer is in capitals."', "' '"), "expected a summary of one", id="summary"),
        pytest.param(SOURCE.replace("capitals.", "a\\nb"), "expected a summary of one line", id="two lines"),
        pytest.param(SOURCE.replace("schema = ", "scheme = "), "expected a JSON Schema of its parameters", id="schema"),
        pytest.param(SOURCE.replace("def evaluate(", "def score("), "it has no method evaluate", id="no evaluate"),
        pytest.param(SOURCE.replace("def from_parameters", "def new"), "no method from_parameters", id="no builder"),
    ],
)
def test_a_package_that_cannot_be_used_is_named_where_it_is_used_or_listed(
    shelf: Shelf, source: str, message: str
) -> None:
    shelf.sound(source)
    assert build({"equals": "a"}).name == "equals"
    for fault in (fault_of({"shouts": 1}), fault_of({"shouts": 1})):
        assert fault.path == ("shouts",)
        assert fault.message.startswith("the evaluator 'shouts' of the package loud 1.2 ")
        assert message in fault.message
        assert fault.message.splitlines() == [fault.message]
    found, faults = described_all()
    assert len(found) == len(names())
    assert faults == (fault_of({"shouts": 1}).message,)


@pytest.mark.parametrize("name", ["weight", "Shouts", "has-luhn", "a b", "_x", "x" * 65, "été"])
def test_a_name_that_no_check_can_have_is_refused(shelf: Shelf, name: str) -> None:
    shelf.add("loud", "1.2", "loud_module", SOURCE, {name: "loud_module:Shouts"})
    assert "has no name that a check can have" in str(fault_of({name: 1}))
    assert "loud_module" not in sys.modules


@pytest.mark.parametrize(
    ("builds", "message"),
    [
        pytest.param("return cls(parameters['x'])", "does not read its parameters: TypeError: ", id="raises"),
        pytest.param("raise SystemExit", "does not read its parameters: SystemExit:", id="ends the process"),
        pytest.param("raise GeneratorExit", "does not read its parameters: GeneratorExit:", id="no Exception"),
        pytest.param("return None", "is wrong: from_parameters gives 'NoneType'", id="nothing"),
        pytest.param("return cls({1, 2})", "be JSON, or be declared with field(compare=False)", id="set"),
        pytest.param("return cls(float('nan'))", "its fields must be JSON", id="no number"),
    ],
)
def test_what_it_does_wrong_with_parameters_is_a_fault_of_the_suite(shelf: Shelf, builds: str, message: str) -> None:
    shelf.sound(SOURCE.replace("return cls(parameters)", builds))
    fault = fault_of({"all": [{"shouts": 1}]})
    assert fault.path == ("all", 0, "shouts")
    assert fault.message.startswith("the evaluator 'shouts' of the package loud 1.2 ")
    assert message in fault.message


@pytest.mark.parametrize(
    ("gives", "fault"),
    [
        ("return 1.0", "it gave float instead of a Score"),
        ("return None", "it gave NoneType instead of a Score"),
        ("return Score(2, 'x')", "its value 2 is not between 0 and 1"),
        ("return Score(-0.5, 'x')", "its value -0.5 is not between 0 and 1"),
        ("return Score(float('nan'), 'x')", "its value nan is not between 0 and 1"),
        ("return Score(True, 'x')", "its value is of type bool, not a number"),
        ("return Score('1', 'x')", "its value is of type str, not a number"),
        ("return Score(1, None)", "its reason is of type NoneType, not a text"),
        ("return Score(0, 'x', 'later')", "it says 'later' where it says what is lacking"),
        ("raise KeyError('a')", "KeyError: 'a'"),
        ("raise SystemExit(1)", "SystemExit: 1"),
        ("raise BaseException('a')", "BaseException: a"),
        (f"exec({MUTE!r})\n        raise locals()['Mute']", "Mute"),
    ],
)
def test_a_score_that_is_none_is_an_error_that_names_the_package(shelf: Shelf, gives: str, fault: str) -> None:
    shelf.sound(SOURCE.replace("return Score(1.0 if", f"{gives}\n        return Score(1.0 if"))
    said = f"the evaluator shouts of the package loud 1.2 crashed: {fault}"
    assert crash({"shouts": 1}) == said
    # In a mean, a value of 2 would pass for 1.
    assert crash({"mean": [{"shouts": 1}, {"equals": "x"}]}) == said
    assert crash({"any": [{"shouts": 1}, {"equals": "x"}]}) == said


def test_a_whole_number_is_a_value(shelf: Shelf) -> None:
    shelf.sound(SOURCE.replace("1.0 if", "1 if"))
    assert isinstance(scored({"shouts": 1}, "A").value, float)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ('{"type": "intger"}', "its schema is none of draft 2020-12: 'intger' is not valid under any"),
        ('{"enum": {1, 2}}', "its schema is no JSON: "),
        ('{"$ref": "#/$defs/own", "$defs": {"own": {}}}', "its schema refers to '#/$defs/own'; it may refer to"),
        ('{"items": {"$ref": "https://example.com/x"}}', "its schema refers to 'https://example.com/x'"),
        ('{"$id": "https://example.com/x"}', "its schema has an $id"),
    ],
)
def test_a_schema_that_suites_cannot_take_in_is_told_where_it_is_shown(shelf: Shelf, schema: str, message: str) -> None:
    shelf.sound(SOURCE.replace('{"type": "integer"}', schema))
    assert build({"shouts": 1}).name == "shouts"  # which needs no schema
    (fault,) = described_all()[1]
    assert fault.startswith("the evaluator 'shouts' of the package loud 1.2 is wrong: ")
    assert message in fault


def test_another_package_with_broken_metadata_hides_nothing(shelf: Shelf, tmp_path: Path) -> None:
    shelf.sound()
    for name, points in {
        "broken-1.dist-info": b"[llm_testbench.evaluators]\nx\n",
        "worse-1.dist-info": b"\xff\xfe",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "entry_points.txt").write_bytes(points)
    assert described("shouts").summary == "The answer is in capitals."


def test_a_package_without_metadata_is_told_as_one(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "bare-1.dist-info").mkdir()
    (tmp_path / "bare-1.dist-info/entry_points.txt").write_text(f"[{plugins.GROUP}]\nshouts = nowhere:X\n")
    assert fault_of({"shouts": 1}).message.startswith("the evaluator 'shouts' of the package without a name cannot ")
