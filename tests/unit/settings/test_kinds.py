"""Every kind of value: what it takes as text and as YAML, what it refuses, and with which words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from llm_testbench.artifact.price import Price
from llm_testbench.settings import kinds
from llm_testbench.settings.alpha_split import alpha_split
from llm_testbench.settings.baseline import baseline
from llm_testbench.settings.endpoint import endpoint, same_host
from llm_testbench.settings.kinds import BadValueError, Kind
from llm_testbench.settings.model_entry import ModelEntry, against, models
from llm_testbench.settings.prices import prices
from llm_testbench.settings.shard import shard
from llm_testbench.suite.shard import Shard

KINDS: dict[str, Kind[Any]] = {
    "text": kinds.text("a word", pattern="[a-z]+"),
    "path": kinds.path(),
    "variable": kinds.variable(),
    "choice": kinds.choice("warn", "fail"),
    "switch": kinds.switch(),
    "integer": kinds.integer(1, 100),
    "number": kinds.number(0, 1),
    "share": kinds.number(0, 1, above=True),
    "chance": kinds.number(0, 1, above=True, below=True),
    "day": kinds.day(),
    "several": kinds.several("model", "category", "test"),
    "alpha split": alpha_split(),
    "against": against(),
    "duration": kinds.duration(),
    "endpoint": endpoint(),
    "secret": kinds.secret("a key"),
    "words": kinds.words("words"),
    "some words": kinds.words("at least one word", at_least=1),
    "by name": kinds.by_name("NAME=TIME", kinds.duration(), "NAME=TIME"),
    "nullable": kinds.nullable(kinds.integer(1, 100)),
    "baseline": baseline(),
    "models": models(),
    "prices": prices(),
    "shard": shard(),
}

GOOD_TEXT: list[tuple[str, str, object]] = [
    ("shard", "2/8", Shard(2, 8)),
    ("text", "abc", "abc"),
    ("path", "a/b c.yaml", "a/b c.yaml"),
    ("variable", "B_KEY", "B_KEY"),
    ("choice", "warn", "warn"),
    ("switch", "true", True),
    ("switch", "FALSE", False),
    ("integer", "100", 100),
    ("integer", "+07", 7),
    ("number", "0.25", 0.25),
    ("number", ".5", 0.5),
    ("number", "1", 1.0),
    ("number", "5e-1", 0.5),
    ("share", "1", 1.0),
    ("share", "1e-9", 1e-9),
    ("chance", "0.999", 0.999),
    ("day", "2028-02-29", "2028-02-29"),
    ("several", "test", ("test",)),
    ("several", "model, test\ncategory", ("model", "test", "category")),
    ("alpha split", "model=0.5,test=0.5", {"model": 0.5, "test": 0.5}),
    ("against", "", {}),
    ("duration", "250ms", 0.25),
    ("duration", "1h30m", 5400.0),
    ("endpoint", "local", "local"),
    ("endpoint", "https://g.example/v1", "https://g.example/v1"),
    ("endpoint", "http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
    ("endpoint", "http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ("endpoint", "https://g.example/v1/chat/completions", "https://g.example/v1"),
    ("endpoint", "https://g.example/a@b", "https://g.example/a@b"),
    ("secret", " sk-123\n", "sk-123"),
    ("words", "", ()),
    ("words", "a", ("a",)),
    ("words", "a, b\n\n c ,\n", ("a", "b", "c")),
    ("some words", "evals/*.yaml,builtin:smoke", ("evals/*.yaml", "builtin:smoke")),
    ("by name", "", {}),
    ("by name", "a=45s\nb=c=1m", {"a": 45.0, "b=c": 60.0}),
    ("nullable", "5", 5),
    ("nullable", "null", None),
    ("nullable", "none", None),
    ("baseline", "none", ()),
    ("baseline", "live", ("live",)),
    ("baseline", "./live, base", ("./live", "base")),
    ("baseline", "old.json.gz", ("old.json.gz",)),
    ("baseline", "./release", ("./release",)),
    ("baseline", "release, base", ("release", "base")),
    ("baseline", "ref:baselines/llm\nrelease", ("ref:baselines/llm", "release")),
    ("models", "org/a, b", (ModelEntry("org/a", "org/a"), ModelEntry("b", "b"))),
]

BAD_TEXT: list[tuple[str, str, str]] = [
    ("shard", "0/8", 'expected a part like 2/8, the second of eight, not "0/8"'),
    ("shard", "9/8", 'expected a part like 2/8, the second of eight, not "9/8"'),
    ("text", "", 'expected a word, not ""'),
    ("text", "a b", 'expected a word, not "a b"'),
    ("path", "", 'expected a path, not ""'),
    ("path", "a\nb", "expected a path"),
    ("path", " a", "expected a path"),
    ("variable", "B-KEY", "expected the name of an environment variable"),
    ("choice", "warm", "expected warn or fail, not \"warm\"; did you mean 'warn'?"),
    ("switch", "yes", 'expected true or false, not "yes"'),
    ("integer", "0", 'expected a whole number from 1 to 100, not "0"'),
    ("integer", "101", "expected a whole number"),
    ("integer", "1.5", "expected a whole number"),
    ("integer", "1_0", "expected a whole number"),
    ("integer", "١", "expected a whole number"),
    ("integer", "9" * 5000, "expected a whole number"),
    ("number", "80", 'expected a number from 0 to 1, not "80"'),
    ("number", "nan", "expected a number"),
    ("number", "inf", "expected a number"),
    ("number", "1e9999", "expected a number"),
    ("number", "0,5", "expected a number"),
    ("share", "0", 'expected a number above 0 and up to 1, not "0"'),
    ("share", "1.1", "expected a number above 0 and up to 1"),
    ("chance", "0", 'expected a number above 0 and below 1, not "0"'),
    ("chance", "1", 'expected a number above 0 and below 1, not "1"'),
    ("chance", "-0.1", "expected a number above 0"),
    ("chance", "nan", "expected a number above 0"),
    ("day", "2026-02-30", 'expected a day as YYYY-MM-DD, not "2026-02-30"'),
    ("day", "20260228", "expected a day"),
    ("day", "2026-W01-1", "expected a day"),
    ("day", "2026-02-28T00:00:00", "expected a day"),
    ("day", "٢٠٢٦-02-28", "expected a day"),
    ("day", "0000-01-01", "expected a day"),
    ("several", "", 'expected at least one of model, category, test, not ""'),
    ("several", "model, tset", "expected model, category or test, not \"tset\"; did you mean 'test'?"),
    ("several", "model, test, model", '"model" stands twice'),
    ("alpha split", "", "expected a share for each level, like {model: 0.8, test: 0.2}"),
    ("alpha split", "test=0", "expected a number above 0 and up to 1"),
    ("alpha split", "model=0.8,test=0.3", "the shares are 1.1 together; expected at most 1"),
    ("against", "a=b", "expected a mapping"),
    ("duration", "5", 'expected a duration like 250ms, 45s, 5m or 1h30m, not "5"'),
    ("duration", "5x", "expected a duration like"),
    ("duration", "0s", "expected a duration above zero"),
    ("duration", "721h", "expected a duration above zero and up to 720h"),
    ("duration", "9" * 400 + "s", "expected a duration"),
    ("endpoint", "", "expected an http(s) URL"),
    ("endpoint", "gateway.example.com", "expected an http(s) URL"),
    ("endpoint", "ftp://g.example", "expected an http(s) URL"),
    ("endpoint", "https://", "expected an http(s) URL"),
    ("endpoint", "https://g.example:99999", "host or port that cannot be read"),
    ("endpoint", "https://g.example:0", "expected an http(s) URL"),
    ("endpoint", "https://[::1", "host or port that cannot be read"),
    ("endpoint", "https://g.example/v 1", "must not hold spaces"),
    ("endpoint", "https://g.example/\x1b[31m", "must not hold spaces"),
    ("endpoint", "https://g.example/v1#x", "must not hold a query or fragment"),
    ("endpoint", "https://g.example/v1?", "must not hold a query or fragment"),
    ("secret", "", "expected a key"),
    ("secret", "a\nb", "expected a key: visible ASCII"),
    ("secret", "schlüssel", "expected a key: visible ASCII"),
    ("words", "a,,b", 'an item is empty in "a,,b"'),
    ("words", ",a", "an item is empty"),
    ("some words", "\n", "expected at least one word"),
    ("by name", "a", 'expected NAME=TIME, not "a"'),
    ("by name", "=5s", "expected NAME=TIME"),
    ("by name", "a=5s,a=6s", 'the name "a" stands twice'),
    ("by name", "a=5", "expected a duration"),
    ("nullable", "0", "expected a whole number"),
    ("baseline", "", 'expected release, base, ref:BRANCH, the path of an artifact, live or none, not ""'),
    ("baseline", "live, base", "live stands alone: remove it, or the other sources"),
    ("baseline", "base, live", "live stands alone"),
    ("baseline", "release, none", "none stands alone"),
    ("baseline", "base, base", '"base" stands twice'),
    ("baseline", "ref:", 'expected ref:BRANCH, not "ref:"'),
    ("baseline", "ref:a/../b", 'expected ref:BRANCH, not "ref:a/../b"'),
    ("models", "", "expected at least one model"),
    ("models", "a,,b", "an item is empty"),
    ("models", "a,a", 'the model "a" stands twice'),
    ("models", "x" * 201, "expected a model's name"),
    ("prices", "a=1", "expected {input: X, output: X}"),
]

GOOD_JSON: list[tuple[str, Any, object]] = [
    ("text", "abc", "abc"),
    ("choice", "fail", "fail"),
    ("switch", True, True),
    ("integer", 7, 7),
    ("number", 1, 1.0),
    ("number", 0.5, 0.5),
    ("share", 1, 1.0),
    ("chance", 0.05, 0.05),
    ("day", "2026-01-31", "2026-01-31"),
    ("several", ["model", "test"], ("model", "test")),
    ("several", "model, test", ("model", "test")),
    ("alpha split", {"test": 1}, {"test": 1.0}),
    ("alpha split", {"model": 0.7, "category": 0.1, "test": 0.2}, {"model": 0.7, "category": 0.1, "test": 0.2}),
    ("against", {}, {}),
    (
        "against",
        {"a": {"id": "b"}, "c": {"endpoint": "local", "temperature": None}},
        {
            "a": ModelEntry("", "b", given=frozenset({"id"})),
            "c": ModelEntry("", "", endpoint="local", given=frozenset({"endpoint", "temperature"})),
        },
    ),
    ("duration", "5m", 300.0),
    ("endpoint", "HTTPS://g.example/v1/", "HTTPS://g.example/v1"),
    ("secret", "sk-123", "sk-123"),
    ("words", [], ()),
    ("words", [" a ", "b,c"], ("a", "b,c")),
    ("words", "a,b", ("a", "b")),
    ("by name", {"a": "5s"}, {"a": 5.0}),
    ("nullable", None, None),
    ("nullable", 3, 3),
    ("baseline", "none", ()),
    ("baseline", ["release", "old.json"], ("release", "old.json")),
    ("models", "a", (ModelEntry("a", "a"),)),
    ("models", ["a"], (ModelEntry("a", "a"),)),
    ("models", [{"id": "org/b"}], (ModelEntry("org/b", "org/b", given=frozenset({"id"})),)),
    (
        "models",
        [{"name": "b", "temperature": None, "extra_headers": {"X-A": "v"}, "extra_body": {"top_k": 1}}],
        (
            ModelEntry(
                "b",
                "b",
                extra_body={"top_k": 1},
                extra_headers={"X-A": "v"},
                given=frozenset({"name", "temperature", "extra_headers", "extra_body"}),
            ),
        ),
    ),
    ("prices", {"a": {"input": 0.5, "output": 2}}, {"a": Price(0.5, 2.0)}),
]

BAD_JSON: list[tuple[str, Any, tuple[str | int, ...], str]] = [
    ("text", 5, (), "expected a word, not 5"),
    ("choice", None, (), "expected warn or fail, not nothing"),
    ("switch", "true", (), 'expected true or false, not "true"'),
    ("integer", True, (), "expected a whole number from 1 to 100, not true"),
    ("integer", 2.0, (), "expected a whole number"),
    ("integer", "5", (), "expected a whole number"),
    ("integer", 10**900, (), "expected a whole number"),
    ("number", False, (), "expected a number from 0 to 1, not false"),
    ("number", 2, (), "expected a number from 0 to 1, not 2"),
    ("number", 10**900, (), "expected a number"),
    ("chance", 0, (), "expected a number above 0 and below 1, not 0"),
    ("chance", True, (), "expected a number above 0 and below 1, not true"),
    ("day", 20260228, (), "expected a day as YYYY-MM-DD, not 20260228"),
    ("several", [], (), "expected at least one of model, category, test, not a list"),
    ("several", None, (), "expected at least one of model, category, test, not nothing"),
    ("several", ["model", "tset"], (1,), "did you mean 'test'?"),
    ("several", ["model", " test"], (1,), 'expected model, category or test, not "test"'),
    ("several", ["test", "model", "test"], (2,), '"test" stands twice'),
    ("alpha split", 0.5, (), "expected a share for each level, like {model: 0.8, test: 0.2}, not 0.5"),
    ("alpha split", {"tests": 0.5}, ("tests",), '"tests" is no level, expected model, category or test; did you mean'),
    ("alpha split", {"test": 0}, ("test",), "expected a number above 0 and up to 1, not 0"),
    ("alpha split", {"model": 0.8, "test": 0.3}, (), "the shares are 1.1 together; expected at most 1"),
    ("against", "a", (), 'expected a mapping of model names to {endpoint, id, …}, not "a"'),
    ("against", {"a": "b"}, ("a",), 'expected a mapping like {endpoint: URL}, {id: TEXT} or both, not "b"'),
    ("against", {"a": {}}, ("a",), "needs an endpoint or an id, else both are the same"),
    ("against", {"a": {"temperature": 1}}, ("a",), "needs an endpoint or an id"),
    ("against", {"a": {"id": "b", "name": "c"}}, ("a", "name"), '"name" is no key of the other side of a model'),
    ("against", {"a": {"id": "b", "timeuot": "5s"}}, ("a", "timeuot"), "did you mean 'timeout'?"),
    ("against", {"a": {"endpoint": "g"}}, ("a", "endpoint"), "endpoint: expected an http(s) URL"),
    ("duration", 300, (), "expected a duration like 250ms, 45s, 5m or 1h30m, not 300"),
    ("endpoint", {}, (), "expected an http(s) URL or the word local, not a mapping"),
    ("secret", 12345678, (), "expected a key as text; quote it"),
    ("words", {}, (), "expected words, not a mapping"),
    ("words", ["a", 5], (1,), "expected text, not 5"),
    ("words", ["a", " "], (1,), "expected text"),
    ("some words", [], (), "expected at least one word, not a list"),
    ("by name", [], (), "expected NAME=TIME, not a list"),
    ("by name", {"a": "5s", "b": 5}, ("b",), "expected a duration"),
    ("models", [], (), "expected a list of at least one model"),
    ("models", {}, (), "expected a list of at least one model, not a mapping"),
    ("models", ["a", ""], (1,), 'expected a model\'s name: one line, no space around it, not ""'),
    ("models", [5], (0,), "expected a model's name or a mapping, not 5"),
    ("models", ["a", {"id": "x", "name": "a"}], (1,), 'the model "a" stands twice'),
    ("models", [{"timeout": "5s"}], (0,), "a model needs a name or an id"),
    ("models", [{"id": "a", "timeuot": "5s"}], (0, "timeuot"), "is no key of a model; did you mean 'timeout'?"),
    ("models", [{"id": "a", "timeout": 5}], (0, "timeout"), "timeout: expected a duration"),
    ("models", [{"id": "a", "concurrency": 0}], (0, "concurrency"), "concurrency: expected a whole number"),
    ("models", [{"id": "a", "endpoint": "https://u:p@h"}], (0, "endpoint"), "must not hold a user or password"),
    ("models", [{"id": "a", "extra_body": {"model": 1}}], (0, "extra_body", "model"), "is set by the client"),
    ("models", [{"id": "a", "extra_body": []}], (0, "extra_body"), "expected a mapping"),
    ("models", [{"id": "a", "extra_headers": []}], (0, "extra_headers"), "expected a mapping"),
    ("models", [{"id": "a", "extra_headers": {"X A": "v"}}], (0, "extra_headers", "X A"), "expected a header's name"),
    ("models", [{"id": "a", "extra_headers": {"X": "a\nb"}}], (0, "extra_headers", "X"), "expected a header's value"),
    ("prices", {"a": 5}, ("a",), "expected {input: X, output: X}, per million tokens, not 5"),
    ("prices", {"a": {"input": 1}}, ("a",), "output is missing"),
    ("prices", {"a": {"input": 1, "output": -1}}, ("a", "output"), "expected a number"),
    ("prices", {"a": {"inptu": 1}}, ("a", "inptu"), "did you mean 'input'?"),
]


def name_of(value: object) -> str:
    return repr(value)[:40]


@pytest.mark.parametrize(("kind", "text", "value"), GOOD_TEXT, ids=name_of)
def test_text_becomes_a_value(kind: str, text: str, value: object) -> None:
    assert KINDS[kind].from_text(text) == value


@pytest.mark.parametrize(("kind", "text", "message"), BAD_TEXT, ids=name_of)
def test_bad_text_is_refused_with_what_was_expected(kind: str, text: str, message: str) -> None:
    with pytest.raises(BadValueError, match=re.escape(message)) as caught:
        KINDS[kind].from_text(text)
    assert len(caught.value.message) < 250


@pytest.mark.parametrize(("kind", "value", "parsed"), GOOD_JSON, ids=name_of)
def test_yaml_becomes_a_value_that_the_schema_allows_too(kind: str, value: Any, parsed: object) -> None:
    assert KINDS[kind].from_json(value) == parsed
    assert Draft202012Validator(KINDS[kind].schema).is_valid(value)


@pytest.mark.parametrize(("kind", "value", "path", "message"), BAD_JSON, ids=name_of)
def test_bad_yaml_is_refused_with_the_path_to_the_bad_part(
    kind: str, value: Any, path: tuple[str | int, ...], message: str
) -> None:
    with pytest.raises(BadValueError, match=re.escape(message)) as caught:
        KINDS[kind].from_json(value)
    assert caught.value.path == path
    assert len(caught.value.message) < 250


@pytest.mark.parametrize(
    "url",
    [
        "https://user:hunter2@g.example/v1",
        "https://hunter2@g.example",
        "https://g.example/?key=hunter2",
        "https://g.example/v1#hunter2",
    ],
)
def test_a_url_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadValueError) as caught:
        endpoint().from_text(url)
    assert "hunter2" not in caught.value.message


@pytest.mark.parametrize("value", ["sk-\nsecret", 5, ["sk-secret"], "sécret"])
def test_a_bad_key_is_never_repeated(value: Any) -> None:
    with pytest.raises(BadValueError) as caught:
        kinds.secret("a key").from_json(value)
    assert "cret" not in caught.value.message


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://g.example/v1", "https://G.example:443/v2", True),
        ("http://g.example", "http://g.example:80", True),
        ("http://g.example", "https://g.example", False),
        ("https://g.example", "https://g.example:8443", False),
        ("https://g.example", "https://g.example.evil.example", False),
    ],
)
def test_a_host_is_scheme_name_and_port(one: str, other: str, same: bool) -> None:
    assert same_host(one, other) is same


@pytest.mark.parametrize("name", list(KINDS))
@settings(max_examples=40)
@given(text=st.text(max_size=30))
def test_any_text_is_parsed_or_refused_and_never_crashes(name: str, text: str) -> None:
    try:
        KINDS[name].from_text(text)
    except BadValueError as error:
        assert "\n" not in error.message


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["5s", "local", "a=1s"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "id", "timeout", "extra_body", "input", "output", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", list(KINDS))
@settings(max_examples=40)
@given(value=JSON_VALUES)
def test_what_the_parser_takes_the_schema_allows(name: str, value: Any) -> None:
    try:
        KINDS[name].from_json(value)
    except BadValueError:
        return
    assert Draft202012Validator(KINDS[name].schema).is_valid(value)
