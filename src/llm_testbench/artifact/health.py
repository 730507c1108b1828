"""Which tests carry signal, from one or several artifacts together (design 5.5). Pure values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from llm_testbench.artifact.cells import EXACT, Cell, CellKey, cells
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.stats import discriminates, spread

SATURATED_SCORE = 0.999
SATURATED_SHARE = 0.9  # of a test's cells
WEAK_SCORE = 0.1


@dataclass(frozen=True, slots=True)
class WorstCell:
    """The artifact (index into those given) where this cell has its lowest mean, and its highest mean anywhere."""

    model: str
    test_id: str
    artifact: int
    mean: float
    best: float


@dataclass(frozen=True, slots=True)
class TestHealth:
    """One test over all models and artifacts; each cell counts with its worst artifact.

    `saturated`: at least 90 % of the cells are at 0.999 or above, so that no improvement can show.
    `weak`: no cell of any artifact is above 0.1; nobody can do it, or the test is broken.
    `unstable`: attempts of a cell differ within an artifact. `truncated`: attempts cut at the token limit,
    of `attempts` scored ones. `spread`: highest minus lowest model mean, None with fewer than two models.
    """

    __test__ = False

    test_id: str
    category: str
    subcategory: str
    cells: int
    mean: float
    spread: float | None
    discriminates: bool
    saturated: bool
    weak: bool
    unstable: bool
    truncated: int
    attempts: int


@dataclass(frozen=True, slots=True)
class SubcategoryHealth:
    """The tests of one subcategory pooled: how many are what. `mean`: of the tests' means."""

    category: str
    subcategory: str
    tests: int
    mean: float
    discriminating: int
    saturated: int
    weak: int
    unstable: int
    truncated: int


@dataclass(frozen=True, slots=True)
class Health:
    """Sorted by category, subcategory, test id, model. `unscored`: ids of tests that nobody was scored on."""

    tests: tuple[TestHealth, ...]
    subcategories: tuple[SubcategoryHealth, ...]
    cells: tuple[WorstCell, ...]
    unscored: tuple[str, ...]


def health(artifacts: Sequence[Artifact]) -> Health:
    """The health of every test that any artifact holds rows of; the last artifact says its category."""
    found: defaultdict[CellKey, list[tuple[int, Cell]]] = defaultdict(list)
    places: dict[str, tuple[str, str]] = {}
    for index, artifact in enumerate(artifacts):
        places |= {row.test_id: (row.category, row.subcategory) for row in artifact.results}
        for key, cell in cells(artifact.results).items():
            if cell.state == "scored":
                found[key].append((index, cell))
    by_test: defaultdict[str, list[CellKey]] = defaultdict(list)
    for model, test_id in sorted(found):
        by_test[test_id].append((model, test_id))
    order = sorted(by_test, key=lambda test_id: (*places[test_id], test_id))
    worst = {key: _worst(key, group) for key, group in found.items()}
    tests = tuple(_test(test_id, places[test_id], by_test[test_id], found, worst) for test_id in order)
    return Health(
        tests=tests,
        subcategories=_pooled(tests),
        cells=tuple(worst[key] for test_id in order for key in by_test[test_id]),
        unscored=tuple(sorted(places.keys() - by_test.keys())),
    )


def _worst(key: CellKey, group: list[tuple[int, Cell]]) -> WorstCell:
    means = [(cell.mean, index) for index, cell in group if cell.mean is not None]
    # The newest of equals: what is wrong there can still be looked at.
    mean, index = min(means, key=lambda pair: (pair[0], -pair[1]))
    return WorstCell(*key, artifact=index, mean=mean, best=max(means)[0])


def _test(
    test_id: str,
    place: tuple[str, str],
    keys: list[CellKey],
    found: Mapping[CellKey, list[tuple[int, Cell]]],
    worst: Mapping[CellKey, WorstCell],
) -> TestHealth:
    means = [worst[key].mean for key in keys]
    single = [cell for key in keys for _, cell in found[key]]
    full = sum(mean >= SATURATED_SCORE for mean in means)
    spread_of_test = spread(means)
    return TestHealth(
        test_id=test_id,
        category=place[0],
        subcategory=place[1],
        cells=len(means),
        mean=fsum(means) / len(means),
        spread=spread_of_test,
        discriminates=discriminates(spread_of_test),
        saturated=full >= SATURATED_SHARE * len(means) - EXACT,
        weak=all(worst[key].best <= WEAK_SCORE for key in keys),
        unstable=any(cell.unstable for cell in single),
        truncated=sum(cell.truncated for cell in single),
        attempts=sum(cell.n for cell in single),
    )


def _pooled(tests: Iterable[TestHealth]) -> tuple[SubcategoryHealth, ...]:
    groups: defaultdict[tuple[str, str], list[TestHealth]] = defaultdict(list)
    for test in tests:
        groups[test.category, test.subcategory].append(test)
    return tuple(
        SubcategoryHealth(
            category=category,
            subcategory=subcategory,
            tests=len(group),
            mean=fsum(test.mean for test in group) / len(group),
            discriminating=sum(test.discriminates for test in group),
            saturated=sum(test.saturated for test in group),
            weak=sum(test.weak for test in group),
            unstable=sum(test.unstable for test in group),
            truncated=sum(test.truncated > 0 for test in group),
        )
        for (category, subcategory), group in groups.items()
    )
