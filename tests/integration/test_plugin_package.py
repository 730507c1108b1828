"""The package of tests/plugin_package, built and installed by pip, adds its evaluator to every command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.servers.gateway import Gateway

from llm_testbench import schemas, yaml12

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "plugin_package"
BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", (ROOT / "docs" / "add-an-evaluator.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
SUITE = next(block for language, block in BLOCKS if language == "yaml")


@dataclass(frozen=True)
class Shell:
    """A folder with a suite, and the command line as a shell has it, with a package installed or not."""

    folder: Path
    packages: Path

    def llmtest(self, *arguments: str, installed: bool = True) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}
        if installed:
            environ["PYTHONPATH"] = str(self.packages)
        command = [sys.executable, "-P", "-m", "llm_testbench", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    source = tmp_path_factory.mktemp("source")
    for file in ("pyproject.toml", "luhn_check.py"):
        (source / file).write_text((PACKAGE / file).read_text("utf-8"), "utf-8")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--no-compile"]
    subprocess.run([*pip, "install", *offline, "--target", str(folder), str(source)], check=True, capture_output=True)
    return folder


@pytest.fixture
def shell(packages: Path, tmp_path: Path) -> Shell:
    (tmp_path / "suite.yaml").write_text(SUITE, "utf-8")
    return Shell(tmp_path, packages)


def test_the_page_shows_the_package_as_it_is() -> None:
    files = {"python": "luhn_check.py", "toml": "pyproject.toml"}
    shown = [(language, block) for language, block in BLOCKS if language in files]
    assert shown == [(language, (PACKAGE / file).read_text("utf-8")) for language, file in files.items()]


def test_it_is_listed_with_its_package(shell: Shell) -> None:
    table = shell.llmtest("list", "--evaluators")
    data = json.loads(shell.llmtest("list", "--evaluators", "--format", "json").stdout)

    assert table.returncode == 0
    assert re.search(r"^has_luhn +whole number .* luhn-check 1\.0$", table.stdout, re.MULTILINE)
    assert "26 evaluators" in table.stdout
    assert data[-1]["name"] == "has_luhn"
    assert data[-1]["source"] == {"package": "luhn-check", "version": "1.0"}
    assert data[-1]["revision"] == 1
    assert data[-1]["parameters"] == {"type": "integer", "minimum": 2}
    assert {one["source"] for one in data[:-1]} == {None}


def test_a_suite_that_names_it_is_proven(shell: Shell) -> None:
    done = shell.llmtest("validate", "suite.yaml")
    (shell.folder / "suite.yaml").write_text(SUITE.replace('6468.", score: 0', '6468.", score: 1'), "utf-8")
    wrong = shell.llmtest("validate", "suite.yaml", "--format", "json")

    assert (done.returncode, done.stderr) == (0, "")
    assert "1 test with 4 examples" in done.stdout
    assert wrong.returncode == 2
    assert "has_luhn: found '4539148803436468', its check sum is 81" in wrong.stdout


def test_a_run_scores_by_it_and_keeps_what_was_checked(shell: Shell) -> None:
    answers = iter(("It is 4539-1488-0343-6467", "It is 4539-1488-0343-6466"))
    with Gateway(answer=lambda _: next(answers)) as server:
        asked = ("--endpoint", server.url, "--models", "m", "--suites", "suite.yaml", "--quiet", "--repeat", "2")
        done = shell.llmtest("run", *asked, "--concurrency", "1", "--out", "out.json")
    kept = json.loads((shell.folder / "out.json").read_text("utf-8"))

    assert done.returncode == 0
    assert [row["score"] for row in kept["results"]] == [1, 0]
    assert kept["results"][1]["reason"] == "has_luhn: found '4539148803436466', its check sum is 79"
    assert kept["tests"][0]["check"]["all"][0] == {"has_luhn": 16}

    again = shell.llmtest("rescore", "out.json", "--format", "json")
    assert (again.returncode, again.stderr) == (0, "")
    assert [row["score"] for row in json.loads(again.stdout)["results"]] == [1, 0]


def test_where_it_is_missing_one_line_says_so(shell: Shell) -> None:
    with Gateway(answer=lambda _: "4539148803436467") as server:
        asked = ("--endpoint", server.url, "--models", "m", "--suites", "suite.yaml", "--quiet")
        assert shell.llmtest("run", *asked, "--out", "out.json").returncode == 0
        gate = shell.llmtest("gate", *asked, "--baseline", "out.json", installed=False)
        assert len(server.requests) == 1
    again = shell.llmtest("rescore", "out.json", installed=False)

    missing = "there is no evaluator 'has_luhn' on this machine: `llmtest list --evaluators` shows those that are"
    assert gate.returncode == 2
    assert gate.stderr.startswith(f"error: suite.yaml:6:23: tests[0].evaluate.all[0].has_luhn: {missing} installed")
    assert len(gate.stderr.splitlines()) == 1
    assert f"warning: card-number on m keeps its old score: {missing} installed" in again.stderr


def test_the_schema_of_suites_takes_it_in(shell: Shell) -> None:
    with_it = json.loads(shell.llmtest("schema", "suite").stdout)
    without = json.loads(shell.llmtest("schema", "suite", installed=False).stdout)

    suite = yaml12.read(SUITE, "suite.yaml").value
    Draft202012Validator.check_schema(with_it)
    assert Draft202012Validator(with_it).is_valid(suite)
    assert not Draft202012Validator(without).is_valid(suite)
    assert without == schemas.load("suite")
    with_it["$defs"]["check"]["properties"]["has_luhn"] = {"type": "string"}
    assert not Draft202012Validator(with_it).is_valid(suite)


def test_a_package_that_is_broken_stops_only_what_names_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    for file in shell.packages.rglob("*"):
        if file.suffix in (".txt", "") and file.is_file():
            copy = tmp_path / "packages" / file.relative_to(shell.packages)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    (tmp_path / "packages" / "luhn_check.py").write_text("raise OSError('imported')", "utf-8")
    broken = Shell(shell.folder, tmp_path / "packages")
    (tmp_path / "plain.yaml").write_text(SUITE.replace("has_luhn: 16", "equals: x"), "utf-8")

    fault = "error: the evaluator 'has_luhn' of the package luhn-check 1.0 cannot be loaded: OSError: imported\n"
    assert broken.llmtest("--help").returncode == 0
    assert broken.llmtest("list", "--suites", "plain.yaml").returncode == 0
    listed = broken.llmtest("list", "--evaluators")
    assert (listed.returncode, listed.stderr) == (2, fault)
    assert "25 evaluators" in listed.stdout
    schema = broken.llmtest("schema", "suite")
    assert (schema.returncode, schema.stdout, schema.stderr) == (2, "", fault)
    used = broken.llmtest("list", "--suites", "suite.yaml")
    assert used.returncode == 2
    assert used.stderr == fault.replace("error: ", "error: suite.yaml:6:23: tests[0].evaluate.all[0].has_luhn: ")
