"""What may fail the gate, and how sure it has to be: where it is set, within which bounds, and what is said else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from llm_testbench import yaml12
from llm_testbench.compare.options import GateOptions
from llm_testbench.errors import InputError
from llm_testbench.settings import advanced, config_file
from llm_testbench.settings.action_file import action_inputs
from llm_testbench.settings.model import Settings
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import OPTIONS, config_options
from llm_testbench.settings.resolve import resolve
from llm_testbench.settings.schema import config_schema

ASKED: dict[str, str | None] = {"endpoint": "https://g.example/v1", "models": "a"}


def settings_of(folder: Path, config: str = "", command: str = "gate", **flags: str) -> Settings:
    (folder / "llm-testbench.yaml").write_text(config, "utf-8")
    return resolve(command, ASKED | flags, {}, folder)


def with_advanced(folder: Path, lines: str, command: str = "gate") -> GateOptions:
    return settings_of(folder, f"gate:\n  advanced:\n    {lines}\n", command).gate


def refused(folder: Path, config: str, **flags: str) -> str:
    with pytest.raises(InputError) as caught:
        settings_of(folder, config, **flags)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_the_defaults_of_the_table_are_those_of_the_comparison(tmp_path: Path, command: str) -> None:
    never_alone = {"fail_on": "never"} if command == "compare" else {}
    assert settings_of(tmp_path, command=command).gate == GateOptions(**never_alone)  # type: ignore[arg-type]


VALUES: dict[str, tuple[Any, Any]] = {
    "alpha": (0.01, 0.01),
    "gate_levels": ("[test, category]", ("test", "category")),
    "min_effect_model": (0.02, 0.02),
    "min_effect_category": (0.04, 0.04),
    "min_effect_test": (0.5, 0.5),
    "suspect_p": (0.3, 0.3),
    "suspect_p_aggregate": (0.05, 0.05),
    "exchange": ("run", "run"),
    "confirm": ("both", "both"),
    "confirm_budget": (1.5, 1.5),
    "ci_level": (0.9, 0.9),
    "min_coverage": (1, 1.0),
    "max_error_rate": (0, 0.0),
    "must_pass_rate": (0.6, 0.6),
    "fail_on_drift": ("false", False),
}


@pytest.mark.parametrize("command", ["gate", "compare"])
@pytest.mark.parametrize("name", VALUES)
def test_an_advanced_option_is_heard_from_the_config_file_by_both_commands(
    tmp_path: Path, name: str, command: str
) -> None:
    written, value = VALUES[name]
    options = with_advanced(tmp_path, f"{name}: {written}", command)
    assert getattr(options, name) == value
    assert getattr(GateOptions(), name) != value, "the test would not notice"


def test_every_advanced_option_is_tried_here() -> None:
    names = {option.name for option in config_options("gate.advanced")}
    assert names == {*VALUES, "alpha_split", "baseline_window"}
    assert names == {option.name for option in advanced.OPTIONS}


@pytest.mark.parametrize("option", advanced.OPTIONS, ids=lambda option: option.name)
def test_an_advanced_option_stands_in_the_config_file_alone(tmp_path: Path, option: Option[object]) -> None:
    assert option.sources == {"config"}
    assert option.section == "gate.advanced"
    environ = {option.input: "nonsense", option.env[0]: "nonsense"}
    assert resolve("gate", ASKED | {option.name: "nonsense"}, environ, tmp_path).gate == GateOptions()


BAD = [
    ("alpha: 0", "expected a number above 0 and below 1, not 0"),
    ("alpha: 1", "expected a number above 0 and below 1, not 1"),
    ("gate_levels: []", "expected at least one of model, category, test, not a list"),
    ("gate_levels: [model, model]", '"model" stands twice'),
    ("gate_levels: [tests]", "expected model, category or test, not \"tests\"; did you mean 'test'?"),
    ("alpha_split: {tset: 0.5}", "\"tset\" is no level, expected model, category or test; did you mean 'test'?"),
    ("alpha_split: {model: 0, test: 1}", "expected a number above 0 and up to 1, not 0"),
    ("alpha_split: {model: 0.8, test: 0.21}", "the shares are 1.01 together; expected at most 1"),
    ("alpha_split: {}", "expected a share for each level, like {model: 0.8, test: 0.2}"),
    ("baseline_window: 0", "expected a whole number from 1 to 100, not 0"),
    ("baseline_window: 1.5", "expected a whole number from 1 to 100, not 1.5"),
    ("min_effect_model: -0.01", "expected a number from 0 to 1, not -0.01"),
    ("min_effect_category: 1.01", "expected a number from 0 to 1, not 1.01"),
    ("min_effect_test: 10", "expected a number from 0 to 1, not 10"),
    ("suspect_p: 1.1", "expected a number from 0 to 1, not 1.1"),
    ("suspect_p_aggregate: -1", "expected a number from 0 to 1, not -1"),
    ("exchange: runs", "expected auto, attempt or run, not \"runs\"; did you mean 'run'?"),
    ("confirm: true", "expected auto, off, current or both, not true"),
    ("confirm: bot", "expected auto, off, current or both, not \"bot\"; did you mean 'both'?"),
    ("confirm_budget: -0.1", "expected a number from 0 to 100, not -0.1"),
    ("ci_level: 1", "expected a number above 0 and below 1, not 1"),
    ("must_pass_rate: 80", "expected a number from 0 to 1, not 80"),
    ("fail_on_drift: no", 'expected true or false, not "no"'),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line for line, _ in BAD])
def test_a_bad_value_is_one_line_with_its_place_and_key(tmp_path: Path, line: str, message: str) -> None:
    said = refused(tmp_path, f"gate:\n  advanced:\n    {line}\n")
    key = line.partition(":")[0]
    assert said.startswith("llm-testbench.yaml:3:")
    assert said.endswith(f": gate.advanced.{key}: {message}")


@pytest.mark.parametrize("line", [line for line, _ in BAD if "0.21" not in line])
def test_the_schema_refuses_it_too(line: str) -> None:
    document = yaml12.read(f"gate:\n  advanced:\n    {line}\n", "c.yaml")
    assert not Draft202012Validator(config_schema()).is_valid(document.value)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("gate: {advanced: {alhpa: 1}}", "'alhpa' is no key of gate.advanced; did you mean 'alpha'?"),
        ("gate: {alpha: 0.01}", "'alpha' is no key of gate; it belongs under gate.advanced"),
        ("confirm: off", "'confirm' is no key; it belongs under gate.advanced"),
        ("gate: {html: true}", "'html' is no key of gate; it belongs at the top of the file"),
        ("gate: {advanced: {against: {}}}", "'against' is no key of gate.advanced; it belongs under gate"),
        ("reason: wanted", "'reason' cannot be set in a config file; use --reason"),
    ],
)
def test_a_key_in_the_wrong_place_is_sent_to_its_own(tmp_path: Path, config: str, message: str) -> None:
    assert refused(tmp_path, f"{config}\n").endswith(f": {message}")


class TestTheSharesOfAlpha:
    def test_reach_the_gate(self, tmp_path: Path) -> None:
        options = with_advanced(tmp_path, "alpha_split: {model: 0.5, test: 0.25}")
        assert options.alpha_split == {"model": 0.5, "test": 0.25}
        assert options.level_alpha("test") == pytest.approx(0.0125)

    def test_may_be_one_together_however_decimals_add_up(self, tmp_path: Path) -> None:
        lines = "gate_levels: [model, category, test]\n    alpha_split: {model: 0.33, category: 0.56, test: 0.11}"
        assert 0.33 + 0.56 + 0.11 > 1
        assert with_advanced(tmp_path, lines).alpha_split is not None

    def test_may_be_unset_by_null(self, tmp_path: Path) -> None:
        assert with_advanced(tmp_path, "alpha_split: null").alpha_split is None

    def test_are_for_gated_levels_only(self, tmp_path: Path) -> None:
        said = refused(tmp_path, "gate:\n  advanced: {alpha_split: {model: 0.5, category: 0.3, test: 0.2}}\n")
        assert said == (
            "llm-testbench.yaml:2:14: gate.advanced.alpha_split: category has a share, but is not among gate_levels;"
            " add it there"
        )

    def test_leave_no_gated_level_without_one(self, tmp_path: Path) -> None:
        said = refused(tmp_path, "gate:\n  advanced: {alpha_split: {model: 1}}\n")
        assert said.endswith(": test has no share, but is among gate_levels, so it could never fail")


class TestTheRules:
    @pytest.mark.parametrize("command", ["gate", "compare"])
    def test_suspected_drops_can_fail(self, tmp_path: Path, command: str) -> None:
        assert settings_of(tmp_path, command=command, fail_on="suspected").gate.fail_on == "suspected"

    def test_a_misspelt_one_is_told_the_nearest(self, tmp_path: Path) -> None:
        assert refused(tmp_path, "", fail_on="suspect") == (
            "flag --fail-on: expected regression, suspected or never, not \"suspect\"; did you mean 'suspected'?"
        )

    @pytest.mark.parametrize("command", ["gate", "compare"])
    @pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.5", 0.5), ("2", 2.0), ("none", None)])
    def test_the_rise_of_the_latency_is_a_share(
        self, tmp_path: Path, command: str, text: str, value: float | None
    ) -> None:
        flagged = settings_of(tmp_path, command=command, max_latency_increase=text)
        assert flagged.gate.max_latency_increase == value

    def test_the_rise_of_the_latency_is_set_by_all_sources(self, tmp_path: Path) -> None:
        config = "gate: {max_latency_increase: 0.5}\n"
        assert settings_of(tmp_path, config).gate.max_latency_increase == 0.5
        for name in ("INPUT_MAX_LATENCY_INCREASE", "LLMTB_MAX_LATENCY_INCREASE"):
            assert resolve("gate", ASKED, {name: "0.7"}, tmp_path).gate.max_latency_increase == 0.7

    @pytest.mark.parametrize("text", ["-0.1", "50%", "inf"])
    def test_the_rise_of_the_latency_is_not_below_zero(self, tmp_path: Path, text: str) -> None:
        said = refused(tmp_path, "", max_latency_increase=text)
        assert said == f'flag --max-latency-increase: expected a number from 0 to 1000, not "{text}"'


class TestTheWindow:
    def test_is_one_run_unless_set(self, tmp_path: Path) -> None:
        assert settings_of(tmp_path).baseline.window == 1
        assert settings_of(tmp_path, "gate: {advanced: {baseline_window: 5}}\n").baseline.window == 5

    def test_is_nothing_to_compare_where_all_named_artifacts_are_candidates(self) -> None:
        assert advanced.BASELINE_WINDOW.commands == ("gate", "publish")


class TestTheReports:
    def test_html_and_junit_are_written_when_asked_for(self, tmp_path: Path) -> None:
        nothing = settings_of(tmp_path)
        assert (nothing.html, nothing.junit) == (False, False)
        assert settings_of(tmp_path, html="true").html
        assert settings_of(tmp_path, "junit: true\n").junit
        asked = resolve("gate", ASKED, {"INPUT_HTML": "true", "LLMTB_JUNIT": "true"}, tmp_path)
        assert (asked.html, asked.junit) == (True, True)

    def test_the_flags_overrule_the_file(self, tmp_path: Path) -> None:
        assert not settings_of(tmp_path, "html: true\n", html="false").html


class TestTheAcceptedDrops:
    def test_stand_beside_the_config_file(self, tmp_path: Path) -> None:
        assert settings_of(tmp_path).accepted_file == tmp_path / "accepted.yaml"
        (tmp_path / "conf").mkdir()
        (tmp_path / "conf/c.yaml").touch()
        named = resolve("accept", {"config": "conf/c.yaml"}, {}, tmp_path)
        assert named.accepted_file == tmp_path / "conf/accepted.yaml"

    def test_stand_in_the_working_directory_without_one(self, tmp_path: Path) -> None:
        assert resolve("gate", ASKED, {}, tmp_path).accepted_file == tmp_path / "accepted.yaml"

    def test_are_taken_with_a_reason_a_last_day_and_some_tests(self, tmp_path: Path) -> None:
        flags: dict[str, str | None] = {"reason": "the prompt is shorter", "until": "2026-12-31", "tests": "py-*"}
        settings = resolve("accept", flags, {}, tmp_path)
        assert (settings.reason, settings.until, settings.filters.tests) == (
            "the prompt is shorter",
            "2026-12-31",
            ("py-*",),
        )
        without = resolve("accept", {}, {"LLMTB_REASON": "x", "LLMTB_UNTIL": "2026-12-31"}, tmp_path)
        assert (without.reason, without.until) == (None, None)

    @pytest.mark.parametrize(
        ("flag", "text", "message"),
        [
            ("until", "31.12.2026", 'flag --until: expected a day as YYYY-MM-DD, not "31.12.2026"'),
            ("until", "2026-02-30", 'flag --until: expected a day as YYYY-MM-DD, not "2026-02-30"'),
            ("reason", "two\nlines", 'flag --reason: expected a reason on one line, not "two lines"'),
            ("reason", "", 'flag --reason: expected a reason on one line, not ""'),
        ],
    )
    def test_need_a_reason_and_a_day_that_can_be_kept(self, tmp_path: Path, flag: str, text: str, message: str) -> None:
        with pytest.raises(InputError) as caught:
            resolve("accept", {flag: text}, {}, tmp_path)
        assert str(caught.value) == message


def test_the_new_inputs_of_the_action_are_three() -> None:
    names = {option.name for option in action_inputs()}
    assert {"max_latency_increase", "html", "junit"} <= names
    assert not names & {option.name for option in advanced.OPTIONS}
    assert not names & {"against", "reason", "until"}
    assert len(names) <= 34


def test_a_text_of_an_advanced_option_needs_no_statistics() -> None:
    for option in OPTIONS:
        for word in ("p-value", "significan", "hypothes", "permutation", "variance", "quantile", "confidence"):
            assert word not in option.help, option.name


def test_an_example_with_all_of_them_is_read_without_a_fault() -> None:
    lines = "\n".join(f"    {name}: {written}" for name, (written, _) in VALUES.items())
    parsed = config_file.parse(f"gate:\n  advanced:\n{lines}\n", Path("/c.yaml"), "c.yaml")
    assert parsed.faults == ()


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("", ("release", "ref:kept")),
        ("base", ("ref:kept",)),
        ("ref:kept, base", ("ref:kept",)),
        ("ref:other, base", ("ref:other", "ref:kept")),
        ("release", ("release",)),
        ("none", ()),
    ],
)
def test_base_is_where_recordings_are_kept(tmp_path: Path, sources: str, expected: tuple[str, ...]) -> None:
    flags = {"record_to": "ref:kept", "models": "m", "endpoint": "https://a.example", "baseline": sources or None}
    settings = resolve("gate", flags, {}, tmp_path)
    assert settings.baseline.sources == expected
    assert settings.baseline.record_to == "kept"
    assert resolve("gate", {**flags, "record_to": None}, {}, tmp_path).baseline.record_to is None
