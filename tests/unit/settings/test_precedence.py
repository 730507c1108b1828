"""flag > action input > environment > config file > default, for every option and any subset of sources."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_testbench.errors import InputError, Place
from llm_testbench.settings import config_file, options
from llm_testbench.settings.config_file import NO_CONFIG
from llm_testbench.settings.kinds import Kind
from llm_testbench.settings.option import Option, SourceKind
from llm_testbench.settings.options import OPTIONS
from llm_testbench.settings.values import Given, Values, unknown_variables

CWD = Path("/work-place")
FILE = Path("/elsewhere/c.yaml")
ORDER: tuple[SourceKind, ...] = ("flag", "input", "env", "config")


def samples(option: Option[object]) -> list[str]:
    """Four different good texts."""
    kind: Kind[object] = option.kind
    for texts in (
        ["true", "false", "true", "false"],
        ["1", "2", "3", "4"],
        ["1/1", "1/2", "2/2", "3/8"],
        ["crlf", "bom:0.5", "no-done", "html-page, crlf"],
        ["0.1", "0.2", "0.3", "0.4"],
        ["a=1s", "a=2s", "a=3s", "a=4s"],
        ["a=1", "a=2", "a=3", "a=4"],
        ["1s", "2s", "3s", "4s"],
        ["https://a.example", "https://b.example", "https://c.example", "local"],
        ["warn", "fail", "warn", "fail"],
        ["regression", "never", "regression", "never"],
        ["all", "failed", "none", "all"],
        ["auto", "gate", "record", "auto"],
        ["always", "changes", "failure", "never"],
        ["a.json", "b.json", "c.json", "d.json.gz"],
        ["terminal", "markdown", "json", "terminal"],
        ["2026-01-01", "2026-02-28", "2028-02-29", "2026-12-31"],
        ["ref:a", "ref:b", "ref:c/d", "ref:e"],
        ["off", "prefer", "require", "prefer"],
        ["alpha", "beta", "gamma", "delta"],
    ):
        try:
            for text in texts:
                kind.from_text(text)
        except ValueError:
            continue
        return texts
    raise AssertionError(f"no samples for {option.name}")


def in_yaml(option: Option[object], text: str) -> Any:
    """The text as the config file would write it."""
    candidates: list[Any] = [text]
    if "=" in text:
        name, _, value = text.partition("=")
        candidates += [{name: value}, {name: int(value)}] if value.isdigit() else [{name: value}]
    if text in ("true", "false"):
        candidates.append(text == "true")
    else:
        with contextlib.suppress(ValueError):
            candidates.append(json.loads(text))
    for candidate in candidates:
        try:
            option.kind.from_json(candidate)
        except ValueError:
            continue
        return candidate
    raise AssertionError(f"{option.name} takes no {text} in YAML")


def config_with(option: Option[object], value: Any) -> config_file.ConfigFile:
    tree: Any = {option.name: value}
    for key in reversed(option.section.split(".") if option.section else []):
        tree = {key: tree}
    config = config_file.parse(json.dumps(tree), FILE, "c.yaml")
    assert config.faults == ()
    return config


WITH_TEXT = [option for option in OPTIONS if option.sources != {"config"}]
CASES = [(option, command) for option in WITH_TEXT for command in option.commands]


@pytest.mark.parametrize(("option", "command"), CASES, ids=[f"{o.name} in {c}" for o, c in CASES])
@settings(max_examples=20)
@given(given_by=st.sets(st.sampled_from(ORDER)))
def test_the_strongest_source_that_counts_wins(option: Option[object], command: str, given_by: set[SourceKind]) -> None:
    texts = dict(zip(ORDER, samples(option), strict=True))
    config = NO_CONFIG
    if "config" in given_by and "config" in option.sources:
        config = config_with(option, in_yaml(option, texts["config"]))
    values = Values(
        command,
        Given(
            flags={option.name: texts["flag"] if "flag" in given_by else None},
            environ={
                option.input: texts["input"] if "input" in given_by else " ",
                option.env[0]: texts["env"] if "env" in given_by else "",
            },
            config=config,
            cwd=CWD,
        ),
    )
    winner: SourceKind = next((s for s in ORDER if s in given_by and option.counts(s, command)), "default")
    expected = option.default_value(command) if winner == "default" else option.kind.from_text(texts[winner])
    assert values.get(option) == expected
    source = values.sources[option.name]
    assert source.kind == winner
    assert source.base == (FILE.parent if winner == "config" else CWD)


def given_values(
    command: str = "gate", flags: dict[str, str | None] | None = None, environ: dict[str, str] | None = None
) -> Values:
    return Values(command, Given(flags or {}, environ or {}, NO_CONFIG, CWD))


@pytest.mark.parametrize(
    ("flags", "environ", "message"),
    [
        ({"min_score": "80"}, {}, 'flag --min-score: expected a number from 0 to 1, not "80"'),
        ({}, {"INPUT_MIN_SCORE": "80"}, "INPUT_MIN_SCORE: expected a number"),
        ({}, {"LLMTB_MIN_SCORE": "80"}, "LLMTB_MIN_SCORE: expected a number"),
    ],
    ids=["flag", "input", "variable"],
)
def test_a_bad_value_names_its_source(flags: dict[str, str | None], environ: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        given_values(flags=flags, environ=environ).get(options.MIN_SCORE)
    assert str(caught.value).startswith(message)


def test_an_empty_flag_is_not_unset() -> None:
    with pytest.raises(InputError, match=r"^flag --endpoint: expected"):
        given_values(flags={"endpoint": ""}).get(options.ENDPOINT)


def test_the_key_comes_from_input_then_own_variable_then_the_common_one() -> None:
    keys = {"INPUT_API_KEY": "key-input", "LLMTB_API_KEY": "key-own", "OPENAI_API_KEY": "key-common"}
    environ = dict(keys)
    for name, key in keys.items():
        values = given_values(flags={"api_key": "from-a-flag"}, environ=environ)
        assert values.get(options.API_KEY) == key
        assert values.sources["api_key"].place == Place(name)
        environ[name] = ""


def test_an_option_that_the_command_lacks_keeps_its_default_whatever_the_environment_says() -> None:
    assert given_values("health", environ={"LLMTB_REPEAT": "nonsense"}).get(options.REPEAT) == 1


def test_on_compare_only_the_flag_asks_for_a_verdict() -> None:
    environ = {"LLMTB_FAIL_ON": "regression"}
    assert given_values("compare", environ=environ).get(options.FAIL_ON) == "never"
    assert given_values("compare", {"fail_on": "regression"}).get(options.FAIL_ON) == "regression"


def test_accept_takes_the_tests_of_its_flag_and_not_those_that_a_run_is_limited_to() -> None:
    environ = {"INPUT_TESTS": "a", "LLMTB_TESTS": "b"}
    assert given_values("accept", environ=environ).get(options.TESTS) == ()
    assert given_values("accept", {"tests": "c"}, environ).get(options.TESTS) == ("c",)


def test_an_unknown_variable_of_ours_is_worth_a_note() -> None:
    notes = unknown_variables({"LLMTB_MIN_SCOR": "1", "LLMTB_SEED": "1", "OTHER": "1"})
    assert notes == ("LLMTB_MIN_SCOR is no option and is ignored; did you mean 'LLMTB_MIN_SCORE'?",)
