"""`llmtest accept COMPARISON`: write down that a drop is wanted, so that later gates fail only below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from llm_testbench.artifact.cells import mean
from llm_testbench.artifact.read import ArtifactError, read_json
from llm_testbench.artifact.write import replacing
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, plain_output
from llm_testbench.compare.json_form import SCHEMA_VERSION
from llm_testbench.compare.model import Acceptance, Verdict
from llm_testbench.compare.numbers import count, score
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.nearest import hint
from llm_testbench.settings import accepted_file, options
from llm_testbench.settings.accepted_edit import edited, merge
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite import globs


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when the drops are accepted, or there is none; 2 when one of the files cannot be used."""
    settings = resolve("accept", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    (name,) = arguments
    offered = _offered(edges.cwd / name, name)
    if not offered:
        output.line(f"nothing to accept: {name} holds no drop that failed the gate")
        return 0
    if settings.until is not None and settings.until < edges.now().date().isoformat():
        place = settings.sources[options.UNTIL.name].place
        raise InputError(f"{settings.until} is over: the drop would not be accepted on any day", place)
    new = tuple(
        replace(entry, reason=settings.reason or "", until=settings.until or "")
        for entry in _chosen(offered, settings.filters.tests, settings.sources[options.TESTS.name].place)
    )
    path = settings.out or settings.accepted_file
    _write(path, new, output)
    for line in _told(output.shown(path), new):
        output.line(line)
    return 0


def _offered(path: Path, name: str) -> tuple[Acceptance, ...]:
    """What the comparison would accept; a file that anybody may have made."""
    place = Place(name)
    try:
        value = read_json(path)
    except ArtifactError as error:
        raise InputError(str(error.of("")), place) from None
    if not isinstance(value, Mapping) or not isinstance(value.get("verdict"), str):
        raise InputError("is no comparison: expected the comparison.json that a gate writes", place)
    version = value.get("schema_version")
    if type(version) is not int or version < 1:
        raise InputError("is no comparison: expected a schema_version", place)
    if version > SCHEMA_VERSION:
        raise InputError(f"was written by a newer llmtest (schema_version {version}): update this one", place)
    if value["verdict"] not in list(Verdict):
        raise InputError(f"verdict: expected one of {', '.join(Verdict)}", place)
    # A version before this one wrote none.
    entries: JSON = value.get("accept", [])
    return accepted_file.from_json(entries, name)


def _chosen(offered: Sequence[Acceptance], patterns: Sequence[str], place: Place) -> tuple[Acceptance, ...]:
    """The entries with the tests that were named; all without a name."""
    if not patterns:
        return tuple(offered)
    matches = [globs.compiled(pattern).match for pattern in patterns]
    kept = []
    for entry in offered:
        tests = {test: scores for test, scores in entry.tests.items() if any(match(test) for match in matches)}
        if tests:
            kept.append(replace(entry, tests=tests))
    if not kept:
        known = sorted({test for entry in offered for test in entry.tests})
        near = hint(patterns[0], known) or f"; there are {', '.join(known[:8])}{', …' if len(known) > 8 else ''}"
        raise InputError(f"no drop of this comparison is of {', '.join(map(repr, patterns))}{near}", place)
    return tuple(kept)


def _write(path: Path, new: Sequence[Acceptance], output: Output) -> None:
    """Merged into what stands there, whole or not at all."""
    name = output.shown(path)
    content = accepted_file.content_of(path, name)
    old = accepted_file.parse(content, name)
    text = edited(content.decode("utf-8-sig"), old, merge(old, new))
    try:
        accepted_file.parse(text, name)
    except InputError as error:
        raise InputError(
            f"would not be readable with all that ({error.message}): choose some by --tests", Place(name)
        ) from None
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", Place(name)) from None


def _told(name: str, new: Sequence[Acceptance]) -> Iterator[str]:
    yield f"{name}: {count(len(new), 'drop')} accepted"
    for entry in new:
        means = [value for scores in entry.tests.values() if (value := mean(scores)) is not None]
        shown = score(mean(means) or 0.0)
        if entry.test is not None:
            yield f"- {entry.test} on {entry.model}: {shown} in {count(len(entry.tests[entry.test]), 'attempt')}"
        else:
            of = f"category {entry.category} on {entry.model}" if entry.category is not None else entry.model
            yield f"- {of}: {shown} over {count(len(entry.tests), 'test')}"
