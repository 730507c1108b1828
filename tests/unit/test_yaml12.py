"""YAML is read as 1.2 core scalars, with places, and hostile files cost a line, not a machine."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench import yaml12
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON, canonical


def value_of(text: str | bytes) -> JSON:
    return yaml12.read(text, "s.yaml").value


def fault_of(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        yaml12.read(text, "s.yaml")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("s.yaml")
    return message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("=", "="),
        ("+", "+"),
        (".", "."),
        ("1.2.3", "1.2.3"),
        ("0b1", "0b1"),
        ("-0x1", "-0x1"),
        ("é", "é"),
        ("true", True),
        ("False", False),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("# only a comment", None),
        ("010", 10),
        ("+5", 5),
        ("-5", -5),
        ("0o17", 15),
        ("0xFF", 255),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        ("'1'", "1"),
        ('"true"', "true"),
        ("|\n  12", "12"),
        ("'null'", "null"),
    ],
    ids=repr,
)
def test_a_scalar_is_what_it_looks_like(text: str, expected: JSON) -> None:
    value = value_of(text)
    assert value == expected
    assert type(value) is type(expected)


def test_keys_are_text_whatever_they_look_like() -> None:
    assert value_of("{1: a, no: b, null: c, 1.5: d, '': e}") == {"1": "a", "no": "b", "null": "c", "1.5": "d", "": "e"}


def test_every_key_and_item_has_its_place() -> None:
    document = yaml12.read("a:\n  - x\n  - {b: 1,\n     c: 2}\nd: |\n  text\n", "s.yaml")
    assert document.place(()) == Place("s.yaml", 1, 1)
    assert document.place(("a",)) == Place("s.yaml", 1, 1)
    assert document.place(("a", 0)) == Place("s.yaml", 2, 5)
    assert document.place(("a", 1, "c")) == Place("s.yaml", 4, 6)
    assert document.place(("d",)) == Place("s.yaml", 5, 1)


def test_the_place_of_what_is_not_there_is_its_nearest_parent() -> None:
    document = yaml12.read("\na:\n  b: 1\n", "s.yaml")
    assert document.place(("a", "b", 3, "x")) == Place("s.yaml", 3, 3)
    assert yaml12.YamlDocument(None, "s.yaml", {}).place(("a",)) == Place("s.yaml")


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    assert value_of(b"\xef\xbb\xbfa: 1") == {"a": 1}
    assert value_of("\ufeffa: 1") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", "s.yaml:2:1: the key 'a' stands here a second time"),
        ("a: 1\n'a': 2", "s.yaml:2:1: the key 'a' stands here a second time"),
        ("a: &x 1\nb: *x", "s.yaml:2:4: aliases (*name) are not supported; write the value out"),
        ("- &x a\n- {*x : 1}", "s.yaml:2:4: aliases (*name) are not supported; write the value out"),
        ("&x [*x]", "s.yaml:1:5: aliases (*name) are not supported; write the value out"),
        ("a: !!str 12", "s.yaml:1:4: the tag 'tag:yaml.org,2002:str' is not supported; quote strings instead"),
        ("a: ! 12", "s.yaml:1:4: the tag '!' is not supported; quote strings instead"),
        ("!!int 1: x", "s.yaml:1:1: the tag 'tag:yaml.org,2002:int' is not supported; quote strings instead"),
        ("a: !!map {}", "s.yaml:1:4: the tag 'tag:yaml.org,2002:map' is not supported; write plain values instead"),
        (
            "- !!python/object/apply:os.system [x]",
            "s.yaml:1:3: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not supported;"
            " write plain values instead",
        ),
        ("? [a]\n: b", "s.yaml:1:3: a key must be a plain scalar"),
        ("a: .inf", "s.yaml:1:4: .inf is not a number that JSON can hold; quote it if it is text"),
        ("a: .nan", "s.yaml:1:4: .nan is not a number that JSON can hold; quote it if it is text"),
        ("a: 1e999", "s.yaml:1:4: this number is out of range; quote it if it is text"),
        ("a: " + "9" * 1001, "s.yaml:1:4: this number is too long; quote it if it is text"),
        ("a: 0x" + "f" * 5000, "s.yaml:1:4: this number is too long; quote it if it is text"),
        ("--- a\n--- b", "s.yaml:2:1: a second document begins here; a file holds one"),
        ("a: [1,\nb: 2", "s.yaml:3:1: not YAML: while parsing a flow sequence did not find expected ',' or ']'"),
        ("a:\n\tb: 2", "s.yaml:2:1: not YAML: while scanning for the next token found character that cannot"),
        ("a: é\nb: \x01", "s.yaml:2:4: not YAML: control characters are not allowed"),
        (b"a: \xff", "s.yaml: not UTF-8: invalid start byte at 3"),
        ("a: \ud800", "s.yaml: not UTF-8: surrogates not allowed at 3"),
        ('a: "\\ud800"', "s.yaml:1:7: not YAML: while parsing a quoted scalar found invalid Unicode"),
    ],
    ids=lambda case: repr(case)[:30],
)
def test_what_is_refused_says_where_and_why(text: str | bytes, message: str) -> None:
    assert fault_of(text).startswith(message)


@pytest.mark.parametrize(
    ("text", "place", "advice"),
    [
        pytest.param("tests:\n\t- id: x", "2:1", "indent by spaces, not by tabs", id="tab"),
        pytest.param("a: `x`", "1:4", "quote a text that begins with this character", id="backtick"),
        pytest.param("é: [@x]", "1:5", "quote a text that begins with this character", id="at"),
        pytest.param(
            "a: Answer: 3",
            "1:10",
            "quote a text that holds a colon and a space, or look how this line is indented",
            id="colon",
        ),
        pytest.param('a: "\\d"', "1:5", "write single quotes where a backslash is no escape", id="backslash"),
        pytest.param('a: "x\nb: 1', "2:5", "a quote is not closed", id="open quote"),
        pytest.param(
            "a:\n  b: 1\n   c: 2",
            "3:5",
            "quote a text that holds a colon and a space, or look how this line is indented",
            id="indented more",
        ),
        pytest.param(
            "a: 1\n- b", "2:1", "look how this line is indented, and for a quote that ends before it", id="item"
        ),
        pytest.param("- a: 1\n  b: 2\n c: 3", "3:2", "look how this line is indented", id="indented less"),
    ],
)
def test_the_usual_mistakes_are_told_with_what_to_do(text: str, place: str, advice: str) -> None:
    fault = fault_of(text)
    assert fault.startswith(f"s.yaml:{place}: not YAML: ")
    assert fault.endswith(f"; {advice}")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 400_000,
        "{" * 400_000,
        "? " * 400_000,
        "- " * 400_000,
        "[{a: " * 100_000,
        "[" * 202 + "]" * 202,
        "[" + "a," * 300_000 + "]",
        "a: " + "x" * yaml12.MAX_BYTES,
        "x: &a [1]\n" + "".join(f"x{i}: &a{i} [*a, *a]\n" for i in range(1000)),
    ],
    ids=["open lists", "open maps", "keys", "dashes", "mixed", "too deep", "too many values", "too long", "bomb"],
)
def test_a_hostile_file_is_refused_quickly(text: str) -> None:
    started = time.process_time()
    fault_of(text)
    assert time.process_time() - started < 20  # seconds; normally below one


def test_200_levels_are_read() -> None:
    assert value_of("[" * 200 + "]" * 200) is not None


# YAML 1.1, which libyaml speaks, takes NEL, LS and PS for line breaks and refuses control characters.
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufffe\uffff\ufeff"))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20
)


@given(st.text())
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        value = value_of(text)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        canonical(value)


@given(VALUES)
def test_json_is_read_as_itself(value: JSON) -> None:
    assert canonical(value_of(json.dumps(value, ensure_ascii=False))) == canonical(value)
