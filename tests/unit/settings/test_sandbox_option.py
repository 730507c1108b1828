"""The option `sandbox`: a file that a pull request can change never weakens it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llm_testbench.errors import InputError
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve
from llm_testbench.settings.schema import config_schema

ASKED: dict[str, str | None] = {"endpoint": "https://g.example/v1", "models": "a"}
COMMANDS = ("run", "gate", "rescore", "validate")


def settings_of(
    tmp_path: Path,
    command: str = "gate",
    *,
    flag: str | None = None,
    environ: dict[str, str] | None = None,
    config: str | None = None,
) -> Settings:
    if config is not None:
        (tmp_path / "llm-testbench.yaml").write_text(config, "utf-8")
    return resolve(command, {**ASKED, "sandbox": flag}, environ or {}, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_promises_are_required_where_nobody_says_otherwise(tmp_path: Path, command: str) -> None:
    assert settings_of(tmp_path, command).sandbox == "require"


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_switched_off_by_flag_and_by_input(tmp_path: Path, command: str) -> None:
    assert settings_of(tmp_path, command, flag="off").sandbox == "off"
    assert settings_of(tmp_path, command, environ={"INPUT_SANDBOX": "off"}).sandbox == "off"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("config", "environ", "place"),
    [
        ("sandbox: off", {}, "llm-testbench.yaml:1:1"),
        ('sandbox: "off"', {}, "llm-testbench.yaml:1:1"),
        (None, {"LLMTB_SANDBOX": "off"}, "LLMTB_SANDBOX"),
    ],
)
def test_it_is_switched_off_by_nothing_else(
    tmp_path: Path, command: str, config: str | None, environ: dict[str, str], place: str
) -> None:
    with pytest.raises(InputError) as raised:
        settings_of(tmp_path, command, config=config, environ=environ)
    assert str(raised.value).startswith(place)
    assert str(raised.value).endswith("off is taken only from the flag --sandbox and from the action's input sandbox")
    assert "\n" not in str(raised.value)


def test_what_stands_in_the_file_is_a_fault_even_where_a_flag_wins(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="off is taken only from"):
        settings_of(tmp_path, flag="require", config="sandbox: off")


def test_the_config_file_may_prefer(tmp_path: Path) -> None:
    assert settings_of(tmp_path, config="sandbox: prefer").sandbox == "prefer"


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize("actor", ["stranger", "dependabot[bot]"])
def test_but_not_for_a_pull_request_from_outside(tmp_path: Path, name: str, actor: str) -> None:
    fork = actor == "stranger"
    event = event_of(tmp_path, name, head=2 if fork else 1, actor=actor)
    for command in COMMANDS:
        settings = settings_of(tmp_path, command, config="sandbox: prefer", environ=event)
        assert settings.sandbox == "require"
        assert settings.notes == (
            "llm-testbench.yaml:1:1: sandbox: prefer is not heard in a pull request from outside;"
            " the action's input is",
        )
        given = settings_of(tmp_path, command, environ={**event, "INPUT_SANDBOX": "prefer"})
        assert given.sandbox == "prefer"
        assert given.notes == ()


def test_a_pull_request_of_the_repository_itself_is_heard(tmp_path: Path) -> None:
    event = event_of(tmp_path, "pull_request", head=1, actor="colleague")
    assert settings_of(tmp_path, config="sandbox: prefer", environ=event).sandbox == "prefer"


def test_the_schema_of_the_config_file_knows_no_off() -> None:
    properties = config_schema()["properties"]
    assert isinstance(properties, dict)
    schema = properties["sandbox"]
    assert isinstance(schema, dict)
    assert schema["enum"] == ["require", "prefer"]


def event_of(tmp_path: Path, name: str, *, head: int, actor: str) -> dict[str, str]:
    payload = tmp_path / "event.json"
    heads = {"head": {"repo": {"id": head}, "sha": "a" * 40}, "base": {"repo": {"id": 1}, "sha": "b" * 40}}
    payload.write_text(json.dumps({"pull_request": {"number": 7, **heads}}), "utf-8")
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(payload), "GITHUB_ACTOR": actor}
