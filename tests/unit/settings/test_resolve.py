"""Settings as a whole: from all sources to what a command is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.servers.certificate import authority_file

from llm_testbench.compare.options import GateOptions
from llm_testbench.errors import InputError
from llm_testbench.runner.job import RunOptions
from llm_testbench.settings import options
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.select import Filters

REMOTE: dict[str, str | None] = {"endpoint": "https://g.example/v1", "models": "a"}


def settings_of(
    tmp_path: Path,
    command: str = "gate",
    flags: dict[str, str | None] | None = None,
    environ: dict[str, str] | None = None,
    config: str | None = None,
) -> Settings:
    if config is not None:
        (tmp_path / "llm-testbench.yaml").write_text(config, "utf-8")
    return resolve(command, REMOTE | (flags or {}), environ or {}, tmp_path)


def test_without_a_config_file_the_defaults_stand(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    assert settings.config_file is None
    assert (settings.suites, settings.suites_base) == (("builtin:smoke",), tmp_path)
    assert settings.filters == Filters()
    assert settings.run == RunOptions()
    assert settings.gate == GateOptions()
    assert settings.repeat == 3
    assert settings.output_dir == tmp_path / "llm-testbench-results"
    assert (settings.current, settings.out, settings.ca_bundle) == (None, None, None)
    assert (settings.baseline.sources, settings.baseline.chosen) == (("release", "base"), False)
    assert (settings.plan, settings.resume, settings.quiet, settings.format) == (False, False, False, "terminal")
    assert settings.is_default(options.SUITES)
    assert settings.notes == ()


def test_run_makes_one_attempt_and_gate_three(tmp_path: Path) -> None:
    assert settings_of(tmp_path, "run").repeat == 1
    assert settings_of(tmp_path, "gate").repeat == 3


def test_every_option_reaches_its_place(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(authority_file().read_bytes())
    settings = settings_of(
        tmp_path,
        flags={
            "category": "x,y",
            "subcategory": "s",
            "tests": "t[1]",
            "tags": "fast\nslow",
            "quiet": "true",
            "current": None,
            "seed": "5",
        },
        environ={"INPUT_MIN_SCORE": "0.5", "LLMTB_MAX_DROP": "0.1", "INPUT_CA_BUNDLE": "ca.pem"},
        config="""\
concurrency: 3
max_requests: 10
max_duration: 1m
store_responses: none
temperature: null
max_tokens_default: 100
prices: {a: {input: 1, output: 2}}
gate:
  fail_on: never
  on_inconclusive: warn
  baseline_missing: fail
  advanced: {min_coverage: 0.5, max_error_rate: 0.2}
""",
    )
    assert settings.filters == Filters(("x", "y"), ("s",), ("t[1]",), ("fast", "slow"))
    assert settings.run == RunOptions(3, 10, 60.0, "none")
    assert settings.gate == GateOptions(
        min_score=0.5,
        max_drop=0.1,
        fail_on="never",
        on_inconclusive="warn",
        baseline_missing="fail",
        min_coverage=0.5,
        max_error_rate=0.2,
    )
    assert (settings.seed, settings.temperature, settings.max_tokens_default) == (5, None, 100)
    assert settings.prices["a"].output == 2.0
    assert settings.ca_bundle == tmp_path / "ca.pem"
    assert settings.quiet


def test_each_value_tells_where_it_came_from(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path, flags={"seed": "1"}, environ={"INPUT_MIN_SCORE": "1"}, config="gate:\n  max_drop: 0.1\n"
    )
    places = {name: str(settings.sources[name].place) for name in ("seed", "min_score", "max_drop", "repeat")}
    assert places == {
        "seed": "flag --seed",
        "min_score": "INPUT_MIN_SCORE",
        "max_drop": "llm-testbench.yaml:2:3",
        "repeat": "default",
    }


def test_paths_are_relative_to_who_names_them(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    text = "suites: [evals/*.yaml]\noutput_dir: results\ngate: {baseline: old.json}\n"
    (tmp_path / "conf/c.yaml").write_text(text, "utf-8")
    by_file = resolve("gate", REMOTE | {"config": "conf/c.yaml"}, {}, tmp_path)
    assert by_file.suites_base == tmp_path / "conf"
    assert by_file.output_dir == tmp_path / "conf/results"
    assert by_file.baseline.sources == (str(tmp_path / "conf/old.json"),)
    flags = {"config": "conf/c.yaml", "suites": "x.yaml", "output_dir": "/abs"}
    mixed = resolve("gate", REMOTE | flags, {"LLMTB_BASELINE": "b.json"}, tmp_path)
    assert mixed.suites_base == tmp_path
    assert mixed.output_dir == Path("/abs")
    assert mixed.baseline.sources == (str(tmp_path / "b.json"),)


@pytest.mark.parametrize(
    ("flags", "environ"),
    [({"config": "no.yaml"}, {}), ({}, {"INPUT_CONFIG": "no.yaml"}), ({}, {"LLMTB_CONFIG": "no.yaml"})],
    ids=["flag", "input", "variable"],
)
def test_a_named_config_file_must_exist(tmp_path: Path, flags: dict[str, str | None], environ: dict[str, str]) -> None:
    with pytest.raises(
        InputError, match=r"^(flag --config|INPUT_CONFIG|LLMTB_CONFIG): there is no config file '.*no.yaml'$"
    ):
        settings_of(tmp_path, flags=flags, environ=environ)


def test_a_flag_can_switch_the_config_file_off(tmp_path: Path) -> None:
    assert settings_of(tmp_path, flags={"config": "none"}, config="bad: 1\n").config_file is None


def test_the_first_fault_is_said_and_the_others_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        settings_of(tmp_path, config="bad: 1\n")
    assert str(caught.value) == "llm-testbench.yaml:1:1: 'bad' is no key"
    with pytest.raises(InputError, match=r"^llm-testbench.yaml:1:1: 'a' is no key \(2 more in this file: line 2, 3\)$"):
        settings_of(tmp_path, config="a: 1\nb: 1\nc: 1\n")
    with pytest.raises(InputError, match=r"\(4 more in this file: line 2, 3, 4, …\)$"):
        settings_of(tmp_path, config="a: 1\nb: 1\nc: 1\nd: 1\ne: 1\n")


def test_a_config_file_that_nobody_reads_is_worth_a_note(tmp_path: Path) -> None:
    (tmp_path / "llm-testbench.yml").touch()
    assert settings_of(tmp_path).notes == ("llm-testbench.yml is not read: the name is llm-testbench.yaml",)


def test_a_missing_ca_bundle_names_its_source(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^llm-testbench.yaml:1:1: there is no file '.*ca.pem'$"):
        settings_of(tmp_path, config="ca_bundle: ca.pem\n")


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 99, b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_so_does_one_without_a_certificate(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ca.pem").write_bytes(content)
    message = r"^llm-testbench.yaml:1:1: '.*ca.pem' holds no certificate that can be read: name a PEM file of authoriti"
    with pytest.raises(InputError, match=message):
        settings_of(tmp_path, config="ca_bundle: ca.pem\n")


@pytest.mark.parametrize("command", ["list", "validate", "rescore", "compare", "health"])
def test_commands_that_ask_nothing_need_no_endpoint(tmp_path: Path, command: str) -> None:
    settings = resolve(command, {}, {}, tmp_path)
    assert (settings.models, settings.endpoint, settings.local) == ((), "", False)


def test_a_gate_over_an_existing_artifact_asks_nothing(tmp_path: Path) -> None:
    settings = resolve("gate", {"current": "c.json"}, {"LLMTB_API_KEY": "key-12345678"}, tmp_path)
    assert settings.current == tmp_path / "c.json"
    assert settings.models == ()
    assert settings.secrets == ("key-12345678",)


def test_a_command_without_a_config_file_does_not_look_for_one(tmp_path: Path) -> None:
    (tmp_path / "llm-testbench.yaml").write_text("bad: 1\n", "utf-8")
    assert resolve("health", {"format": "json"}, {}, tmp_path).format == "json"


def test_compare_judges_by_the_rules_of_the_config_file_but_fails_only_when_asked(tmp_path: Path) -> None:
    config = "gate: {min_score: 0.9, fail_on: regression}\n"
    quiet = settings_of(tmp_path, "compare", config=config)
    assert (quiet.gate.min_score, quiet.gate.fail_on, quiet.is_default(options.FAIL_ON)) == (0.9, "never", True)
    strict = settings_of(tmp_path, "compare", flags={"fail_on": "regression"})
    assert (strict.gate.fail_on, strict.is_default(options.FAIL_ON)) == ("regression", False)


def test_no_secret_shows_in_a_repr(tmp_path: Path) -> None:
    settings = settings_of(
        tmp_path,
        flags={"models": None},
        environ={"LLMTB_API_KEY": "hunter2-main", "B_KEY": "hunter2-own"},
        config="models: [a, {id: b, api_key_env: B_KEY, extra_headers: {X-Team: hunter2-header}}]\n"
        "api_key: hunter2-config\n",
    )
    assert set(settings.secrets) == {"hunter2-main", "hunter2-own", "hunter2-header", "hunter2-config"}
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("models: [a, {name: chat, id: org/b, api_key_env: B_KEY}]\nendpoint: https://g.example/v1\n", ("a", "chat")),
        ("models: [a]\n", ("a",)),
        ("endpoint: local\n", ("smollm2-135m",)),
        ("suites: [a.yaml]\n", ()),
    ],
)
def test_whoever_publishes_expects_models_and_asks_none_of_them(
    tmp_path: Path, config: str, expected: tuple[str, ...]
) -> None:
    (tmp_path / "llm-testbench.yaml").write_text(config, "utf-8")
    settings = resolve("publish", {}, {}, tmp_path)
    assert (settings.expected, settings.models) == (expected, ())
    assert resolve("publish", {"models": "mine"}, {}, tmp_path).expected == ("mine",)


def test_whoever_asks_expects_nothing_of_others(tmp_path: Path) -> None:
    assert settings_of(tmp_path).expected == ()
