import pytest

from llm_testbench.github import answers
from llm_testbench.json_value import JSON

SHA = "a" * 40


@pytest.mark.parametrize("value", [None, [], "x", {}, {"a": None}, {"a": []}, {"a": {"b": None}}, {"a": {"b": [1]}}])
def test_a_field_that_is_not_there_is_empty(value: JSON) -> None:
    assert (answers.text(value, "a", "b"), answers.number(value, "a", "b"), answers.sha(value, "a", "b")) == ("", 0, "")


def test_fields_are_read_at_their_path() -> None:
    value: JSON = {"a": {"text": "x", "number": 3, "sha": SHA}}

    assert (answers.text(value, "a", "text"), answers.number(value, "a", "number")) == ("x", 3)
    assert answers.sha(value, "a", "sha") == SHA


@pytest.mark.parametrize("wrong", [True, 1.5, "3"])
def test_a_number_is_a_whole_number(wrong: JSON) -> None:
    assert answers.number({"n": wrong}, "n") == 0


@pytest.mark.parametrize("wrong", ["", "a" * 39, "a" * 41, "A" * 40, "../" + "a" * 37, "a" * 40 + "\n", "main"])
def test_only_a_whole_hash_is_a_commit(wrong: str) -> None:
    assert not answers.is_sha(wrong)
    assert answers.sha({"sha": wrong}, "sha") == ""


def test_both_kinds_of_hashes_are_commits() -> None:
    assert answers.is_sha("0" * 40)
    assert answers.is_sha("f" * 64)
