import json
from dataclasses import replace

from tests.unit.artifact.samples import ENTRY, FULL_ROW, META, ROW, artifact, row

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.redact import redacted, redacted_row
from llm_testbench.gateway.model import Try
from llm_testbench.json_value import JSONObject
from llm_testbench.redaction import NO_SECRETS, Redactor

SECRET = "sk-12345678"
REDACTOR = Redactor([SECRET])


def test_a_row_without_a_secret_is_the_same_row() -> None:
    assert redacted_row(FULL_ROW, REDACTOR) is FULL_ROW


def test_a_row_loses_the_secret_and_nothing_else() -> None:
    leaky = row(
        reason=f"found {SECRET}",
        tool_calls=(ToolCall("f", {"key": SECRET}, json.dumps({"key": SECRET})),),
        tries=(Try(401, Outcome.AUTH, 0.0, 1.0, f"wrong key {SECRET}"),),
        quirks=(SECRET,),
    )
    clean = row(
        reason="found ***",
        tool_calls=(ToolCall("f", {"key": "***"}, '{"key": "***"}'),),
        tries=(Try(401, Outcome.AUTH, 0.0, 1.0, "wrong key ***"),),
        quirks=("***",),
    )

    assert redacted_row(leaky, REDACTOR) == clean


def test_a_whole_artifact_can_be_cleaned_before_it_is_reported() -> None:
    leaky = artifact(
        row(error=SECRET),
        meta=replace(META, models={"chat": SECRET}),
        tests=(replace(ENTRY, check={"equals": SECRET}),),
    )

    found = redacted(leaky, REDACTOR)

    assert found.meta == replace(META, models={"chat": "***"})
    assert found.tests == (replace(ENTRY, check={"equals": "***"}),)
    assert found.results == (row(error="***"),)


def test_what_cells_are_aligned_by_stays_though_a_header_value_occurs_in_it() -> None:
    team = Redactor(["platform"])
    one = artifact(
        row(model="platform-model", test_id="platform-test", category="platform", reason="for platform"),
        meta=replace(META, models={"platform-model": "org/platform"}, served_models={"platform-model": ("x",)}),
        tests=(replace(ENTRY, test_id="platform-test"),),
    )

    found = redacted(one, team)

    (kept,) = found.results
    assert (kept.model, kept.test_id, kept.category, kept.reason) == (
        "platform-model",
        "platform-test",
        "platform",
        "for ***",
    )
    assert dict(found.meta.models) == {"platform-model": "org/***"}
    assert [test.test_id for test in found.tests] == ["platform-test"]


def test_of_an_answer_that_was_cut_no_half_of_a_secret_is_left() -> None:
    cut = row(response_text=f"... {SECRET[:9]}", reasoning_text=f"... {SECRET[:9]}", response_capped=True)
    clean = redacted_row(cut, REDACTOR)

    assert (clean.response_text, clean.reasoning_text) == ("... ***", "... ***")
    whole = replace(cut, response_capped=False)
    assert redacted_row(whole, REDACTOR) is whole
    assert redacted_row(row(response_capped=True, response_text=None), REDACTOR).response_text is None


def test_a_key_of_digits_is_no_number_of_an_argument() -> None:
    arguments: JSONObject = {"org": 12345678, "deep": [{"n": 1.5, "ok": True}, 123456780]}
    leaky = row(tool_calls=(ToolCall("f", arguments, json.dumps(arguments)),), tokens=12345678)

    clean = redacted_row(leaky, Redactor(["12345678"]))

    assert clean.tool_calls == (
        ToolCall(
            "f",
            {"org": "***", "deep": [{"n": 1.5, "ok": True}, "***"]},
            '{"org": ***, "deep": [{"n": 1.5, "ok": true}, ***0]}',
        ),
    )
    assert clean.tokens == 12345678


def test_a_text_that_quotes_json_shows_no_secret_either() -> None:
    secret = 'sk-"ab/cd'
    for said in (json.dumps({"key": secret}), json.dumps({"key": secret}).replace("/", "\\/")):
        clean = redacted_row(row(response_text=said), Redactor([secret]))

        assert clean.response_text == '{"key": "***"}'


def test_an_outcome_that_equals_a_header_value_stays_a_word_of_the_schema() -> None:
    one = row(tries=(Try(429, Outcome.RATE_LIMITED, 0.0, 1.0, "rate_limited"),), outcome=Outcome.RATE_LIMITED)

    clean = redacted_row(one, Redactor(["rate_limited"]))

    assert (clean.outcome, clean.tries) == (Outcome.RATE_LIMITED, (replace(one.tries[0], reason="***"),))


def test_without_secrets_nothing_changes() -> None:
    one = artifact(ROW, FULL_ROW)

    assert redacted(one, NO_SECRETS) is one
    assert redacted_row(ROW, NO_SECRETS) is ROW
    assert redacted(one, REDACTOR) == one


def test_a_key_that_markdown_would_escape_is_gone_before_that() -> None:
    # Markdown's escapes split both: the dash becomes an entity, and hex digits are no commit.
    for key in ("sk-12345678", "0123456789abcdef0123456789abcdef"):
        clean = redacted_row(row(error=f"401 for {key}"), Redactor([key]))

        assert clean.error == "401 for ***"
