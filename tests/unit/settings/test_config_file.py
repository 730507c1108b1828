"""The config file: where it is looked for, and what is said of each fault in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from llm_testbench import yaml12
from llm_testbench.errors import InputError, Place
from llm_testbench.settings import config_file
from llm_testbench.settings.config_file import ConfigFile
from llm_testbench.settings.model_entry import ModelEntry
from llm_testbench.settings.schema import config_schema

DESIGN_EXAMPLE = """\
endpoint: https://gateway.example.com/v1
models:
  - org/model-a
  - {name: chat, id: org/b-fp8, endpoint: "https://b.example", api_key_env: B_KEY, timeout: 45m, concurrency: 1,
     max_tokens: 8000, max_tokens_key: max_completion_tokens, temperature: null, extra_body: {}, extra_headers: {}}
suites: [evals/*.yaml, builtin:smoke]
concurrency: 8
connect_timeout: 10s
request_timeout: 300s
idle_timeout: 5m
stream: false
max_retries: 2
retry_timeouts: true
max_tokens_default: 4096
temperature: 0
seed: 1234
store_responses: all
max_requests: 20000
prices: {}
max_duration: 2h
model_timeouts: {}
model_concurrency: {}
gate:
  min_score: 0.8
  advanced: {min_coverage: 1}
"""


def parse(text: str) -> ConfigFile:
    return config_file.parse(text, Path("/p/c.yaml"), "c.yaml")


def test_the_example_of_the_design_is_read_whole() -> None:
    config = parse(DESIGN_EXAMPLE)
    assert config.faults == ()
    assert config.values["max_duration"] == 7200.0
    assert config.values["min_coverage"] == 1.0
    models = config.values["models"]
    assert isinstance(models, tuple)
    assert models[0] == ModelEntry("org/model-a", "org/model-a")
    assert (models[1].name, models[1].timeout, models[1].temperature) == ("chat", 2700.0, None)


def test_every_value_remembers_where_it_was_written() -> None:
    config = parse(DESIGN_EXAMPLE)
    assert config.places["endpoint"] == Place("c.yaml", 1, 1)
    assert config.places["min_score"] == Place("c.yaml", 24, 3)


@pytest.mark.parametrize("text", ["", "gate:\n", "gate: {advanced: }\n", "# nothing\n"])
def test_an_empty_file_or_mapping_says_nothing(text: str) -> None:
    config = parse(text)
    assert (config.values, config.faults) == ({}, ())


FAULTS = [
    ("- a\n", "c.yaml:1:1: expected a mapping of options, not a list"),
    ("gate: 5\n", "c.yaml:1:1: gate: expected a mapping of options, not 5"),
    ("gate:\n  advanced: []\n", "c.yaml:2:3: gate.advanced: expected a mapping of options, not a list"),
    ("endpiont: local\n", "c.yaml:1:1: 'endpiont' is no key; did you mean 'endpoint'?"),
    ("zzz: 1\n", "c.yaml:1:1: 'zzz' is no key"),
    ("gate:\n  min_scor: 1\n", "c.yaml:2:3: 'min_scor' is no key of gate; did you mean 'min_score'?"),
    ("min_score: 1\n", "c.yaml:1:1: 'min_score' is no key; it belongs under gate"),
    ("gate: {min_coverage: 1}\n", "c.yaml:1:8: 'min_coverage' is no key of gate; it belongs under gate.advanced"),
    ("gate: {models: [a]}\n", "c.yaml:1:8: 'models' is no key of gate; it belongs at the top of the file"),
    ("out: a.json\n", "c.yaml:1:1: 'out' cannot be set in a config file; use --out"),
    ("gate: {advanced: {advanced: {}}}\n", "c.yaml:1:19: 'advanced' is no key of gate.advanced"),
    ("gate:\n  min_score: 80\n", "c.yaml:2:3: gate.min_score: expected a number from 0 to 1, not 80"),
    ("models: [a, '']\n", 'c.yaml:1:13: models: expected a model\'s name: one line, no space around it, not ""'),
    ("models:\n  - id: a\n    timeout: 5\n", "c.yaml:3:5: models: timeout: expected a duration like"),
    ("models:\n  - a\n  - a\n", 'c.yaml:3:5: models: the model "a" stands twice'),
    ("prices:\n  a: {input: 1, output: x}\n", "c.yaml:2:17: prices: expected a number from 0 to"),
    ("concurrency: eight\n", 'c.yaml:1:1: concurrency: expected a whole number from 1 to 4096, not "eight"'),
    ("endpoint: gateway\n", "c.yaml:1:1: endpoint: expected an http(s) URL like"),
    ("request_timeout: 300\n", "c.yaml:1:1: request_timeout: expected a duration like"),
    ("stream: yes\n", 'c.yaml:1:1: stream: expected true or false, not "yes"'),
    ("5: a\n", "c.yaml:1:1: "),
]


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[text.strip()[:40] for text, _ in FAULTS])
def test_a_fault_is_one_line_with_place_key_value_and_expectation(text: str, message: str) -> None:
    try:
        said = [str(fault) for fault in parse(text).faults]
    except InputError as error:
        said = [str(error)]
    assert len(said) == 1
    assert said[0].startswith(message)
    assert "\n" not in said[0]


def test_all_faults_are_collected_in_the_order_of_the_file() -> None:
    config = parse("gate: {min_score: 9}\nconcurrency: 0\nbad: 1\n")
    assert [fault.place.line for fault in config.faults if fault.place] == [1, 2, 3]


def test_what_the_file_holds_never_shows_in_a_repr() -> None:
    assert "hunter2" not in repr(parse("api_key: hunter2-hunter2\n"))


def test_the_schema_refuses_what_the_reader_refuses_for_its_keys() -> None:
    validator = Draft202012Validator(config_schema())
    assert validator.is_valid(yaml12.read(DESIGN_EXAMPLE, "c.yaml").value)
    for text, message in FAULTS:
        if "stands twice" not in message and "5: a" not in text:
            assert not validator.is_valid(yaml12.read(text, "c.yaml").value), text


def test_the_file_beside_wins_over_the_one_in_the_github_folder(tmp_path: Path) -> None:
    assert config_file.find(tmp_path) is None
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/llm-testbench.yaml").touch()
    assert config_file.find(tmp_path) == tmp_path / ".github/llm-testbench.yaml"
    (tmp_path / "llm-testbench.yaml").touch()
    assert config_file.find(tmp_path) == tmp_path / "llm-testbench.yaml"


def test_messages_call_a_file_as_seen_from_the_working_directory(tmp_path: Path) -> None:
    inside, outside = tmp_path / "w/c.yaml", tmp_path / "c.yaml"
    inside.parent.mkdir()
    for path in (inside, outside):
        path.write_text("bad: 1\n")
    assert str(config_file.read(inside, tmp_path / "w").faults[0]).startswith("c.yaml:1:1:")
    assert str(config_file.read(outside, tmp_path / "w").faults[0]).startswith(f"{outside}:1:1:")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^d: the config file cannot be read: Is a directory$"):
        (tmp_path / "d").mkdir()
        config_file.read(tmp_path / "d", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: [", "not YAML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"a: &x 1\nb: *x\n", "aliases"),
        (b"seed: 1\nseed: 2\n", "second time"),
        (b"#" * (yaml12.MAX_BYTES + 1), "more than the 1048576 bytes"),
        ("é".encode() * (yaml12.MAX_BYTES // 2) + b"\xc3", "more than the 1048576 bytes"),
    ],
    ids=["broken", "no text", "alias", "duplicate key", "huge", "huge, a character cut in two"],
)
def test_hostile_yaml_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        config_file.read(path, tmp_path)
