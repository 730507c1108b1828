"""The option table, the flags, the config schema and docs/configuration.md say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from llm_testbench import cli, schemas
from llm_testbench.commands.edges import Edges
from llm_testbench.evaluators import registry
from llm_testbench.local.serving.fault_table import FAULTS
from llm_testbench.settings import config_file, documents, options
from llm_testbench.settings.commands import COMMANDS
from llm_testbench.settings.option import Option
from llm_testbench.settings.options import OPTIONS, config_options
from llm_testbench.settings.schema import config_schema

ROOT = Path(__file__).parents[3]
AGAIN = "run: python -m llm_testbench.settings.documents ."
NAMES = [option.name for option in OPTIONS]


def test_the_committed_schema_is_the_table() -> None:
    assert (ROOT / documents.SCHEMA_FILE).read_text("utf-8") == documents.schema_text(), AGAIN
    Draft202012Validator.check_schema(config_schema())


def test_the_committed_page_is_the_table() -> None:
    page = (ROOT / documents.PAGE_FILE).read_text("utf-8")
    assert page == documents.page_text(page), AGAIN
    for option in OPTIONS:
        assert page.count(f"| `{option.name}` |") >= 1


def test_the_committed_table_of_faults_is_the_table() -> None:
    page = (ROOT / documents.FAULTS_FILE).read_text("utf-8")
    assert page == documents.faults_page_text(page), AGAIN
    assert all(f"| {fault.number} | `{fault.name}` |" in page for fault in FAULTS)


def test_the_committed_tables_of_evaluators_are_the_registry() -> None:
    page = (ROOT / documents.EVALUATORS_FILE).read_text("utf-8")
    assert page == documents.evaluators_page_text(page), AGAIN
    for name in registry.names():
        assert page.count(f"\n| `{name}` | ") == 1


def test_a_table_of_evaluators_follows_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / documents.EVALUATORS_FILE).read_text("utf-8")
    kind = type(registry.build({"tool_called": "f"}))
    monkeypatch.setattr(kind, "summary", "Something else.")
    assert "| `tool_called` | text, or `{name}` | Something else. |" in documents.evaluators_page_text(page)


def test_the_examples_of_the_page_are_read_without_a_fault() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / documents.PAGE_FILE).read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        assert config_file.parse(block, Path("/c.yaml"), "c.yaml").faults == ()


def test_a_page_without_its_markers_is_noticed() -> None:
    with pytest.raises(ValueError, match="lacks"):
        documents.page_text("# nothing\n")


def test_schema_and_page_are_written_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "code").mkdir()
    page = (ROOT / documents.PAGE_FILE).read_text("utf-8")
    (tmp_path / documents.PAGE_FILE).write_text(page, "utf-8")
    others = {name: (ROOT / name).read_text("utf-8") for name in (documents.FAULTS_FILE, documents.EVALUATORS_FILE)}
    for name, text in others.items():
        (tmp_path / name).write_text(text, "utf-8")
    documents.write(tmp_path)
    assert json.loads((tmp_path / documents.SCHEMA_FILE).read_text("utf-8")) == config_schema()
    assert (tmp_path / documents.PAGE_FILE).read_text("utf-8") == page
    assert {name: (tmp_path / name).read_text("utf-8") for name in others} == others


def test_the_schema_has_exactly_the_keys_of_the_table() -> None:
    schema = json.loads(documents.schema_text())
    gate = schema["properties"]["gate"]
    assert set(schema["properties"]) == {o.name for o in config_options("")} | {"gate"}
    assert set(gate["properties"]) == {o.name for o in config_options("gate")} | {"advanced"}
    assert set(gate["properties"]["advanced"]["properties"]) == {o.name for o in config_options("gate.advanced")}


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_a_command_has_exactly_the_flags_of_the_table(name: str) -> None:
    group = cli.group(Edges(), cli.main_of)
    built = group.get_command(click.Context(group), name)
    assert built is not None
    flags = {
        flag
        for parameter in built.params
        if isinstance(parameter, click.Option)
        for flag in parameter.opts
        if flag.startswith("--")
    }
    wanted = {option.flag for option in OPTIONS if name in option.commands and "flag" in option.sources}
    assert flags == wanted | {"--debug"}


def test_option_names_are_unique() -> None:
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("option", OPTIONS, ids=NAMES)
def test_a_row_of_the_table_is_sound(option: Option[object]) -> None:
    commands = {command.name for command in COMMANDS}
    assert set(option.commands) <= commands
    assert set(option.defaults) <= {*option.commands, "record"}  # the role has a default of its own
    assert set(option.flag_alone) <= set(option.commands)
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", option.name)
    assert option.help[0].isupper() or option.help[0] in "`"
    assert not option.help.endswith(".")
    if "config" not in option.sources:
        assert option.section == ""
    for command in option.commands:
        option.default_value(command)  # its text is good


@pytest.mark.parametrize(("option", "accepted"), [(options.TAGS, "several by comma or line"), (options.PRICES, "")])
def test_a_list_is_told_how_it_is_written_unless_it_stands_in_yaml_alone(option: Option[object], accepted: str) -> None:
    assert option.accepted == accepted


def test_the_names_of_schemas_are_those_that_exist() -> None:
    files = (Path(__file__).parents[3] / "schemas").glob("*.schema.json")
    assert {file.name.removesuffix(".schema.json") for file in files} == set(schemas.NAMES)
