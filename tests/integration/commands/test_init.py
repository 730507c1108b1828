"""`llmtest init`: what it writes is valid, runs as it is, and replaces nothing."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.commands.bench import Bench, Done

from llm_testbench import schemas
from llm_testbench.local.weights import available

ROOT = Path(__file__).parents[3]
WRITTEN = ("evals/first.yaml", "evals/suite.schema.json", "llm-testbench.yaml")
WORKFLOW = ".github/workflows/llm-testbench.yml"
ANSWERS = {"lamp": "73", "Maria": '{"name": "Maria", "city": "Lima"}', "umbrella": "Yes.", "passwords": "With bcrypt."}


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "suite.yaml")
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace") for path in found}


def shown(done: Done) -> list[list[str]]:
    """The commands that it says to type next."""
    return [shlex.split(line)[1:] for line in done.out.splitlines() if line.startswith("  llmtest ")]


def test_it_writes_a_suite_its_schema_and_a_config(world: Bench) -> None:
    done = world.llmtest("init")

    assert (done.code, done.err) == (0, "")
    assert f"```text\n{done.out}```" in (ROOT / "docs/first-test.md").read_text("utf-8")
    assert set(files(world.folder)) == set(WRITTEN)
    assert [f"wrote  {name}" for name in WRITTEN] == done.out.split("\n")[:3]
    assert files(world.folder)["evals/suite.schema.json"] == schemas.text("suite")


def test_what_it_writes_is_valid_and_without_a_note(world: Bench) -> None:
    world.llmtest("init")

    done = world.llmtest("validate")

    assert (done.code, done.out.split("\n")[0], done.err) == (0, "All valid", "")
    assert "4 tests with" in done.out


def test_the_suite_shows_the_kinds_of_checks_and_a_ground_truth() -> None:
    text = (ROOT / "src/llm_testbench/commands/scaffold/first.yaml").read_text("utf-8")

    assert {"numeric", "json_fields", "tool_call_args", "no_unnegated_mention", "ground_truth"} <= set(
        re.findall(r"\w+", text)
    )
    assert text.count("examples:") == text.count("- id:")


def test_an_editor_finds_the_schema_that_the_first_line_names(world: Bench) -> None:
    world.llmtest("init")
    suite = world.folder / "evals/first.yaml"
    (named,) = re.findall(r"^# yaml-language-server: \$schema=(\S+)\n", suite.read_text("utf-8"))
    checking = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(suite.parent / named)]

    right = subprocess.run([*checking, str(suite)], capture_output=True, check=False)
    suite.write_text(suite.read_text("utf-8").replace("prompt:", "promt:", 1), "utf-8")
    wrong = subprocess.run([*checking, str(suite)], capture_output=True, check=False)

    assert (right.returncode, wrong.returncode) == (0, 1)


def test_the_commands_that_it_shows_end_well_in_their_order(world: Bench) -> None:
    world.answers = ANSWERS
    world.environ = {"LLMTB_ENDPOINT": world.server.url, "LLMTB_MODELS": "m"}

    commands = shown(world.llmtest("init"))
    ended = [world.llmtest(*command) for command in commands]

    assert [command[0] for command in commands] == ["validate", "run", "gate"]
    assert [done.code for done in ended] == [0, 0, 0], [done.err for done in ended]
    assert "No drop found" in ended[-1].out


@pytest.mark.skipif(not available(), reason="the embedded model is not installed")
def test_it_runs_on_the_embedded_model_as_it_is(tmp_path: Path) -> None:
    ended = [
        subprocess.run(
            [sys.executable, "-m", "llm_testbench", *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        for command in (["init"], ["run", "--quiet"])
    ]
    assert [done.returncode for done in ended] == [0, 0], ended[-1].stderr
    assert "4 tests, 1 model" in ended[-1].stdout


@pytest.mark.parametrize("name", [*WRITTEN, WORKFLOW])
def test_a_file_that_exists_stays_and_the_rest_is_written(world: Bench, name: str) -> None:
    world.write(name, "endpoint: local\n")

    done = world.llmtest("init", "--workflow")

    assert done.code == 0
    assert f"kept   {name}: it exists already\n" in done.out
    assert files(world.folder)[name] == "endpoint: local\n"
    assert set(files(world.folder)) == {*WRITTEN, WORKFLOW}


def test_a_second_time_it_changes_nothing(world: Bench) -> None:
    world.llmtest("init", "--workflow")
    before = files(world.folder)

    done = world.llmtest("init", "--workflow")

    assert done.code == 0
    assert files(world.folder) == before
    assert done.out.count("it exists already") == 4


def test_beside_a_config_file_it_names_the_suite_and_leaves_the_endpoint(world: Bench) -> None:
    world.answers = ANSWERS
    world.write(".github/llm-testbench.yaml", f"endpoint: {world.server.url}\nmodels: [m]\nsuites: [../suite.yaml]\n")

    done = world.llmtest("init")
    ended = [world.llmtest(*command) for command in shown(done)]

    assert "llm-testbench.yaml" not in files(world.folder)
    assert "kept   .github/llm-testbench.yaml" in done.out
    assert [one.code for one in ended] == [0, 0, 0], [one.err for one in ended]
    assert "4 tests" in ended[1].out


def test_no_link_is_written_through(world: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "target"
    (world.folder / "evals").mkdir()
    (world.folder / "evals/first.yaml").symlink_to(elsewhere)

    done = world.llmtest("init")

    assert "kept   evals/first.yaml" in done.out
    assert not elsewhere.exists()


def test_a_file_where_a_folder_is_needed_is_named(world: Bench) -> None:
    world.write("evals", "")

    done = world.llmtest("init")

    assert (done.code, done.errors) == (2, ["error: evals: a file stands where a folder is needed"])


def test_a_folder_that_cannot_be_written_is_named(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    done = world.llmtest("init")

    assert (done.code, done.errors) == (2, ["error: evals/first.yaml: cannot be written: Permission denied"])


def test_half_a_file_is_not_left(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: str) -> str:
        raise OSError(28, "No space left on device")

    opened = Path.open

    def opening(path: Path, *arguments: str, **named: str) -> object:
        file = opened(path, *arguments, **named)  # type: ignore[call-overload]  # as it was called
        file.write = full
        return file

    monkeypatch.setattr(Path, "open", opening)
    done = world.llmtest("init")

    said = "error: evals/first.yaml: cannot be written: No space left on device"
    assert (done.code, done.errors) == (3, [said])
    assert files(world.folder) == {}


def test_the_workflow_is_the_one_of_the_readme(world: Bench) -> None:
    world.llmtest("init", "--workflow")

    assert f"```yaml\n{files(world.folder)[WORKFLOW]}```" in (ROOT / "README.md").read_text("utf-8")
