from pathlib import Path

import pytest
from tests.integration.github.baselines import measured
from tests.unit.github.wanting import wanted

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact
from llm_testbench.github.sources import Candidate, Located, PassedOver, locate

ONE = measured({"a": ["x"]}, interrupted=True)
TWO = measured({"a": ["x", "y"], "b": ["x"]})
FILES = {"/one.json": ONE, "/two.json": TWO}
NO_TOKEN = "no token of GitHub is given"


def read(path: Path) -> Artifact:
    if str(path) == "/broken.json":
        raise ArtifactError("is not JSON", source="broken.json")
    if str(path) not in FILES:
        raise ArtifactError("there is no such file", kind="missing", source=path.name)
    return FILES[str(path)]


def found(*sources: str, cells: tuple[tuple[str, str], ...] = ()) -> Located:
    return locate(wanted(*sources), cells, None, read, without_github=NO_TOKEN)


def paths(located: Located) -> list[str]:
    return [candidate.source for candidate in located.candidates]


def test_a_file_that_is_named_is_taken_as_it_is() -> None:
    assert found("/one.json") == Located((Candidate(ONE, "/one.json", "path"),), ())


def test_a_file_that_is_missing_is_no_candidate() -> None:
    located = found("/nothing.json")

    assert (located.finds, located.failed) == ((), ())
    assert [absent.source for absent in located.absent] == ["/nothing.json"]


def test_a_file_that_is_broken_is_passed_over() -> None:
    located = found("/broken.json", "/one.json")

    assert paths(located) == ["/one.json"]
    assert located.passed_over == (PassedOver("/broken.json", "", "", "is not JSON", broken=True),)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param((), ["/one.json"], id="unknown cells: one is enough"),
        pytest.param((("a", "x"),), ["/one.json"], id="the first has them all"),
        pytest.param((("a", "x"), ("a", "y")), ["/one.json", "/two.json"], id="one is in the next"),
        pytest.param((("c", "z"),), ["/one.json", "/two.json"], id="one is nowhere"),
    ],
)
def test_the_next_source_is_looked_at_only_for_what_is_missing(
    cells: tuple[tuple[str, str], ...], expected: list[str]
) -> None:
    assert paths(found("/one.json", "/nothing.json", "/two.json", cells=cells)) == expected


def test_without_sources_there_is_nothing() -> None:
    assert found() == Located((), ())


def test_without_github_its_sources_fail_with_what_is_missing() -> None:
    located = found("release", "base", "ref:b", "/one.json")

    assert paths(located) == ["/one.json"]
    assert located.failed == (f"release: {NO_TOKEN}", f"base: {NO_TOKEN}", f"ref:b: {NO_TOKEN}")
