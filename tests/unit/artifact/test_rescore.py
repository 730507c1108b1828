from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

import pytest
from tests.unit.artifact.samples import CHAT, ENTRY, FACTS, artifact, error_row, row, skipped_row
from tests.unit.artifact.suites import suite_test
from tests.unit.evaluators.workshops import printing

from llm_testbench.answer.model import Answer, ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import build, entry_of
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.read import read
from llm_testbench.artifact.rescore import rescore
from llm_testbench.artifact.scoring import MESSAGE_CAP
from llm_testbench.artifact.stats import stats
from llm_testbench.evaluators.score import Score
from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.suite.model import Test

FIXTURES = Path(__file__).parents[2] / "fixtures" / "artifacts"
HELLO: JSON = {"contains_all": ["hello"]}
BYE: JSON = {"contains_all": ["bye"]}


def stored(*rows: Row, tests: tuple[Test, ...] = (suite_test(check=HELLO),)) -> Artifact:
    return build(FACTS, tests, rows, [CHAT])


def test_stored_answers_are_scored_by_the_check_of_the_suite() -> None:
    old = stored(row(response_text="bye", score=0.0), row(attempt=1, response_text="hello", score=1.0))

    found = rescore(old, [suite_test(check=BYE)])

    assert [(kept.score, kept.passed) for kept in found.artifact.results] == [(1.0, True), (0.0, False)]
    assert found.unscored == ()


def test_the_reasons_are_the_new_ones() -> None:
    found = rescore(stored(row(response_text="hello", reason="old")), [suite_test(check=BYE)]).artifact.results[0]

    assert "bye" in found.reason


def test_without_a_suite_the_checks_of_the_artifact_are_used() -> None:
    old = stored(row(response_text="hello", score=0.0))

    found = rescore(old)

    assert found.artifact.results[0].score == 1.0
    assert found.artifact.tests == old.tests


def test_a_test_that_the_suite_lacks_is_scored_by_the_check_of_the_artifact() -> None:
    old = stored(row(response_text="hello", score=0.0))

    assert rescore(old, [suite_test("another")]).artifact.results[0].score == 1.0


def test_the_artifact_says_which_check_scored_it() -> None:
    test = suite_test(check=BYE)

    entry = rescore(stored(row()), [test]).artifact.tests[0]

    assert (entry.check, entry.check_hash) == (test.check, test.check_hash)
    assert entry.request_hash == test.request_hash


def test_statistics_follow_the_scores() -> None:
    found = rescore(stored(row(response_text="hello"), row(model="b", response_text="bye")), [suite_test(check=BYE)])

    assert found.artifact.stats == stats(found.artifact.results)
    assert found.artifact.stats[0].mean == 0.5


def test_what_is_neither_score_nor_outcome_stays() -> None:
    old = stored(row(response_text="hello", latency_ms=7.0, tokens=5, response_id="x"))

    found = rescore(old, [suite_test(check=BYE)]).artifact

    assert found.meta == old.meta
    assert replace(found.results[0], score=1.0, passed=True, reason=old.results[0].reason) == old.results[0]


def test_tool_calls_are_scored_too() -> None:
    check: JSON = {"tool_called": "lookup"}
    call = ToolCall("lookup", {"q": 1}, '{"q": 1}')
    old = stored(row(response_text="", tool_calls=(call,), score=0.0))

    assert rescore(old, [suite_test(check=check)]).artifact.results[0].score == 1.0


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        pytest.param({"response_text": "hello"}, Outcome.ANSWERED, id="answer"),
        pytest.param({"response_text": ""}, Outcome.EMPTY, id="nothing"),
        pytest.param({"response_text": "hell", "finish_reason": "length"}, Outcome.TRUNCATED, id="cut"),
        pytest.param({"response_text": "no", "outcome": Outcome.REFUSED}, Outcome.REFUSED, id="refused"),
    ],
)
def test_the_outcome_is_classified_again(change: dict[str, object], outcome: Outcome) -> None:
    found = rescore(stored(row(**change))).artifact.results[0]  # type: ignore[arg-type]  # any field of a row

    assert found.outcome is outcome


def test_a_call_printed_as_text_is_known_by_the_tools_of_the_request() -> None:
    tool: JSONObject = {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
    printed = '{"name": "lookup", "arguments": {"q": "x"}}'
    old = stored(row(response_text=printed), tests=(suite_test(tools=(tool,)),))

    assert rescore(old).artifact.results[0].outcome is Outcome.TOOL_CALL_IN_TEXT


def test_an_attempt_that_was_truncated_stays_so() -> None:
    assert rescore(stored(row(truncated=True))).artifact.results[0].truncated


def test_only_the_tests_asked_for_are_looked_at() -> None:
    old = stored(
        row("a", score=0.0),
        row("b", score=0.0),
        row("c", response_text=None),
        tests=(suite_test("a"), suite_test("b"), suite_test("c")),
    )

    found = rescore(old, only={"a"})

    assert [kept.score for kept in found.artifact.results] == [1.0, 0.0, 1.0]
    assert found.unscored == ()


def test_a_failed_call_stays_as_it_is_and_hinders_nothing() -> None:
    failed = error_row(attempt=1)

    found = rescore(stored(row(), failed), [suite_test(check=BYE)])

    assert found.artifact.results[1] == failed
    assert found.artifact.results[0].score == 0.0
    assert found.unscored == ()


def test_a_substituted_answer_gets_no_score() -> None:
    old = stored(*(row(attempt=n, served_model=name) for n, name in enumerate("aab")))

    assert rescore(old).artifact.results[2] == old.results[2]


def test_a_crash_of_the_old_evaluator_is_mended() -> None:
    crashed = error_row(outcome=Outcome.EVALUATOR_CRASH, response_text="hello")

    found = rescore(stored(crashed)).artifact.results[0]

    assert (found.score, found.error, found.outcome) == (1.0, None, Outcome.ANSWERED)


def test_a_skipped_row_is_scored_where_it_can_be_now() -> None:
    found = rescore(stored(skipped_row(response_text="hello"))).artifact.results[0]

    assert (found.score, found.skipped, found.scored) == (1.0, False, True)


def test_an_attempt_without_credentials_was_never_asked() -> None:
    skipped = skipped_row(outcome=Outcome.NO_CREDENTIALS, response_text=None)

    found = rescore(stored(skipped, row(attempt=1)), [suite_test(check=BYE)])

    assert found.artifact.results[0] == skipped
    assert found.unscored == ()


class TestUnscored:
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param({"response_text": None}, id="not stored"),
            pytest.param({"response_capped": True}, id="cut when it was stored"),
        ],
    )
    def test_a_test_with_an_answer_that_is_not_there_whole_keeps_scores_and_hash(
        self, change: dict[str, object]
    ) -> None:
        old = stored(row(), row(attempt=1, **change), row(model="b"))  # type: ignore[arg-type]  # any field of a row

        found = rescore(old, [suite_test(check=BYE)])

        assert found.artifact == old
        assert found.unscored == (("b", "greeting"), ("chat", "greeting"))

    def test_other_tests_are_scored_all_the_same(self) -> None:
        old = stored(row(response_text=None), row("other", score=0.0), tests=(suite_test(), suite_test("other")))

        found = rescore(old)

        assert found.unscored == (("chat", "greeting"),)
        assert [kept.score for kept in found.artifact.results] == [1.0, 1.0]

    @pytest.mark.parametrize(
        "check",
        [
            pytest.param(None, id="unknown, as in a foreign artifact"),
            pytest.param({"from_the_future": 1}, id="an evaluator that is not there"),
            pytest.param({"contains_all": {"x": []}}, id="parameters that do not fit"),
            pytest.param("text", id="no check at all"),
        ],
    )
    def test_a_check_that_cannot_be_built_scores_nothing(self, check: JSON) -> None:
        old = artifact(row(), tests=(replace(ENTRY, check=check),))

        found = rescore(old)

        assert found.artifact == old
        assert found.unscored == (("chat", "greeting"),)

    def test_a_row_whose_test_is_not_listed_is_not_scored(self) -> None:
        assert rescore(artifact(row(), tests=())).unscored == (("chat", "greeting"),)


def test_a_foreign_artifact_is_scored_by_a_suite() -> None:
    old = read(FIXTURES / "go_meta_results_stats.json")

    found = rescore(old, [suite_test("cosine", {"contains_all": ["0.9746"]})])

    assert {key[1] for key in found.unscored} == {"sql-inner-join"}
    assert [kept.score for kept in found.artifact.results if kept.test_id == "cosine"] == [1.0, 0.0]


def test_scoring_twice_changes_nothing_more() -> None:
    once = rescore(stored(row(response_text=" hello\r\n", score=0.0), error_row(attempt=1)))

    assert rescore(once.artifact) == once


def test_the_entry_of_the_rescored_test_equals_that_of_a_fresh_run() -> None:
    test = suite_test(check=BYE)

    assert rescore(stored(row()), [test]).artifact.tests == (entry_of(test),)


def test_an_evaluator_that_crashes_makes_an_error_row() -> None:
    found = rescore(stored(row()), [replace(suite_test(), evaluator=Broken())]).artifact.results[0]

    assert (found.outcome, found.score, found.scored) == (Outcome.EVALUATOR_CRASH, 0.0, False)
    assert found.error == "the evaluator broken crashed: ZeroDivisionError: no"


def test_a_test_whose_check_lacks_something_keeps_its_scores_and_hash() -> None:
    answers = row(response_text="hello"), row(attempt=1), row(model="b"), row("other", response_text="bye", score=0.0)
    old = stored(*answers, tests=(suite_test(), suite_test("other")))

    found = rescore(old, [replace(suite_test(check=BYE), evaluator=Lacking()), suite_test("other", BYE)])

    of_greeting = [one for one in found.artifact.results if one.test_id == "greeting"]
    assert of_greeting == [one for one in old.results if one.test_id == "greeting"]
    assert [one.score for one in found.artifact.results if one.test_id == "other"] == [1.0]
    assert found.artifact.tests[0] == old.tests[0]
    assert (found.unscored, found.lacking) == ((("b", "greeting"), ("chat", "greeting")), {"greeting": "no compiler"})


def test_checks_that_run_programs_do_so_in_the_workshop() -> None:
    test = suite_test(check={"code": {"language": "python", "stdout": "4"}})
    old = stored(row(response_text="print(4)", score=0.0), tests=(test,))

    assert rescore(old, workshop=printing("4")).artifact.results[0].score == 1.0
    assert rescore(old).unscored == (("chat", "greeting"),)


class Broken:
    name: ClassVar[str] = "broken"
    revision: ClassVar[int] = 1
    summary: ClassVar[str] = ""
    schema: ClassVar[JSONObject] = {}

    @classmethod
    def from_parameters(cls, parameters: JSON) -> Self:
        raise NotImplementedError

    def evaluate(self, answer: Answer) -> Score:
        raise ZeroDivisionError("no")


class Lacking(Broken):
    def evaluate(self, answer: Answer) -> Score:
        return Score(0.0, "no compiler", Outcome.TOOLCHAIN_MISSING)


class Verbose(Broken):
    def evaluate(self, answer: Answer) -> Score:
        return Score(0.0, "x" * (2 * MESSAGE_CAP))


def test_a_reason_is_as_short_as_that_of_a_run() -> None:
    found = rescore(stored(row(response_text="hello")), [replace(suite_test(), evaluator=Verbose())])

    assert len(found.artifact.results[0].reason.encode()) <= MESSAGE_CAP
