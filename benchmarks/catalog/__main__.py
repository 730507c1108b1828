"""Checks of the built-in catalog that take minutes, or strangers.

python -m benchmarks.catalog mutants              change every expected value: does validate notice?
python -m benchmarks.catalog cheats               what answers earn that know nothing
python -m benchmarks.catalog sheets FOLDER        prompts alone, a file a category, for blind solvers
python -m benchmarks.catalog marks ANSWERS...     what their answers earn (lines of {id, response, tool_calls})
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from tabulate import tabulate
from tests.sandbox.toolchains import go_seed, toolchain_path

from benchmarks.catalog.cheaters import earned
from benchmarks.catalog.mutants import caught, mutants
from benchmarks.catalog.sheets import marks, sheet
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test

ROOT = Path(__file__).parents[2]
ENOUGH = 0.99


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="python -m benchmarks.catalog"
    )
    parser.add_argument("act", choices=("mutants", "cheats", "sheets", "marks"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--suites", default="builtin")
    given = parser.parse_args(arguments)
    tests = load([given.suites], ROOT)
    if given.act == "sheets":
        return write_sheets(tests, given.paths[0])
    with opened(Mode.REQUIRE, toolchain_path(), go_seed()) as found:
        if found.refusal:
            raise SystemExit(found.refusal)
        if given.act == "marks":
            return print_marks(tests, given.paths, found.workshop)
        if given.act == "cheats":
            return print_cheats(tests, found.workshop)
        return print_mutants(tests, found.workshop)


def write_sheets(tests: Sequence[Test], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for (category, subcategory), group in groupby(tests, key=lambda test: (test.category, test.subcategory)):
        (folder / f"{category}-{subcategory}.md").write_text(sheet(group), encoding="utf-8")
    return 0


def print_marks(tests: Sequence[Test], answers: Sequence[Path], workshop: Workshop) -> int:
    """A table by subcategory, then every answer that disagrees with what is expected, then the tests all passed."""
    by_solver = {path.stem: marks(tests, path, workshop) for path in answers}
    rows = []
    for (category, subcategory), group in groupby(tests, key=lambda test: (test.category, test.subcategory)):
        ids = {test.id for test in group}
        passed = [sum(mark.passed for mark in found if mark.test.id in ids) for found in by_solver.values()]
        rows.append((f"{category}/{subcategory}", len(ids), *passed))
    totals = [sum(mark.passed for mark in found) for found in by_solver.values()]
    rows.append(("all", len(tests), *totals))
    print(tabulate(rows, headers=("subcategory", "tests", *by_solver), tablefmt="github"))
    everyone = list(zip(*by_solver.values(), strict=True))
    print("\n## Disagreements\n")
    for one in everyone:
        for mark in one:
            if not mark.passed:
                print(f"- {mark.test.id} ({mark.solver}): {mark.reason}\n    {mark.answer[:400]!r}")
    by_all = [one[0].test.id for one in everyone if all(mark.passed for mark in one)]
    by_none = [one[0].test.id for one in everyone if not any(mark.passed for mark in one)]
    print(f"\n{len(by_all)} of {len(tests)} passed by all: {', '.join(by_all)}")
    print(f"\n{len(by_none)} passed by none: {', '.join(by_none)}")
    return 0


def print_cheats(tests: Sequence[Test], workshop: Workshop) -> int:
    """1 when one of them earns a tenth of the points."""
    found = earned(tests, workshop)
    rows = [(one.cheat, f"{one.mean:.1%}", len(one.passed), ", ".join(one.passed)) for one in found]
    print(tabulate(rows, headers=("answer", "mean score", "passed", "which"), tablefmt="github"))
    return 0 if all(one.mean < 0.1 for one in found) else 1


def print_mutants(tests: Sequence[Test], workshop: Workshop) -> int:
    """1 when the examples notice less than 99 % of the wrong values, or none of a test's.

    Not each of them: where several spellings are accepted, few examples are written for each.
    """
    found = [mutant for test in tests for mutant in mutants(test)]
    by_examples = caught(found, workshop, examples=True, ground_truth=False)
    by_truth = caught(found, workshop, examples=False, ground_truth=True)
    mutated = {mutant.test.id for mutant in found}
    rows = []
    for what, hits in (("examples alone", by_examples), ("ground truths alone", by_truth)):
        missed = {mutant.test.id for mutant, hit in zip(found, hits, strict=True) if not hit}
        rows.append((what, f"{sum(hits)} of {len(found)}", f"{len(mutated - missed)} of {len(mutated)}"))
    print(tabulate(rows, headers=("noticed by", "wrong values", "tests, each of their values"), tablefmt="github"))
    for what, hits in (("examples", by_examples), ("ground truth", by_truth)):
        print(f"\nNot noticed by the {what}:")
        for mutant, hit in zip(found, hits, strict=True):
            if not hit and (what == "examples" or mutant.test.ground_truth is not None):
                print(f"- {mutant.test.id} {'.'.join(map(str, mutant.path))}: {mutant.was!r} → {mutant.now!r}")
    computed = sum(test.ground_truth is not None for test in tests)
    print(f"\n{len(tests) - len(mutated)} tests expect no value; {computed} of {len(tests)} have a ground truth.")
    noticed = {mutant.test.id for mutant, hit in zip(found, by_examples, strict=True) if hit}
    return 0 if noticed == mutated and sum(by_examples) >= ENOUGH * len(found) else 1


raise SystemExit(main())
