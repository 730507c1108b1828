"""`llmtest validate [FILES]`: suites prove themselves; config, accepted drops and artifacts keep to their rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from llm_testbench import yaml12
from llm_testbench.artifact.read import ArtifactError, read, read_json
from llm_testbench.artifact.validate import validate_document
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import plain_output, pretty
from llm_testbench.commands.selection import selected
from llm_testbench.compare.numbers import count
from llm_testbench.errors import FaultsError, InputError, Place
from llm_testbench.report.views.validate import Checked, Flaw, validate_json, validate_report
from llm_testbench.settings import accepted_file, config_file
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import ACCEPTED_NAME, resolve
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test
from llm_testbench.suite.prove import prove

FLAWED = 2
_YAML = (".yaml", ".yml")


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when nothing is wrong; else 2, with a table of what is."""
    settings = resolve("validate", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    checked = tuple(_file(name, edges.cwd) for name in arguments) or tuple(_what_would_run(settings, edges))
    output.print(validate_report(checked), lambda: pretty(validate_json(checked)))
    return FLAWED if any(one.flaws for one in checked) else 0


def _what_would_run(settings: Settings, edges: Edges) -> Iterator[Checked]:
    if settings.config_file is not None:
        # It was read to get here, and a fault in it would have ended the command.
        yield Checked(_name(settings.config_file, edges.cwd), "the config file")
    if settings.accepted_file.exists():
        yield _yaml_file(_name(settings.accepted_file, edges.cwd), settings.accepted_file, edges.cwd)
    name = ", ".join(settings.suites)
    try:
        tests = selected(settings, edges).tests
    except InputError as error:
        yield Checked(name, "suites", _flaws(error))
        return
    yield _proven(name, tests)


def _file(name: str, cwd: Path) -> Checked:
    path = cwd / name
    return _yaml_file(name, path, cwd) if path.suffix in _YAML else _artifact_file(name, path)


def _yaml_file(name: str, path: Path, cwd: Path) -> Checked:
    try:
        with path.open("rb") as file:
            content = file.read(yaml12.MAX_BYTES + 1)
        document = yaml12.read(content, name)
        if isinstance(document.value, Mapping) and "tests" in document.value and "suites" not in document.value:
            return _proven(name, load([str(path)], cwd))
        if isinstance(document.value, list) or path.name == ACCEPTED_NAME:
            return _accepted(name, content)
    except OSError as error:
        return Checked(name, "nothing", (Flaw(Place(name), f"cannot be read: {error.strerror or error}"),))
    except InputError as error:
        return Checked(name, "a suite", _flaws(error))
    faults = config_file.parse(content, path, name).faults
    return Checked(name, "a config file", tuple(flaw for fault in faults for flaw in _flaws(fault)))


def _accepted(name: str, content: bytes) -> Checked:
    try:
        entries = accepted_file.parse(content, name)
    except InputError as error:
        return Checked(name, "accepted drops", _flaws(error))
    return Checked(name, count(len(entries), "accepted drop"))


def _artifact_file(name: str, path: Path) -> Checked:
    try:
        value = read_json(path)
        # The Go tool's shapes have no schema of ours; reading them is the check.
        ours = isinstance(value, Mapping) and "schema_version" in value
        faults = validate_document(value) if ours else ()
        if faults:
            where = ((fault.path, fault.message) for fault in faults)
            flaws = tuple(Flaw(Place(name), ": ".join(part for part in pair if part)) for pair in where)
            return Checked(name, "an artifact", flaws)
        rows = len(read(path).results)
    except ArtifactError as error:
        return Checked(name, "an artifact", (Flaw(Place(name), error.of("").message),))
    return Checked(name, f"an artifact with {count(rows, 'attempt')}")


def _proven(name: str, tests: Sequence[Test]) -> Checked:
    problems = prove(tests)
    examples = sum(len(test.examples) for test in tests)
    return Checked(
        name,
        f"{count(len(tests), 'test')} with {count(examples, 'example')}",
        tuple(Flaw(problem.place, problem.message, problem.test_id) for problem in problems),
    )


def _flaws(error: InputError) -> tuple[Flaw, ...]:
    if isinstance(error, FaultsError):
        return tuple(Flaw(None, fault) for fault in error.faults)
    return (Flaw(error.place, error.message),)


def _name(path: Path, cwd: Path) -> str:
    return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
