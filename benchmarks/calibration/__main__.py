"""Runs all settings, or some, prints the tables on stdout and progress on stderr; 1 where a promise is broken."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from multiprocessing import Pool

from benchmarks.calibration.replay import replay
from benchmarks.calibration.report import Counted, broken, table
from benchmarks.calibration.settings import Setting, settings
from llm_testbench.compare.model import WORSE, Verdict

CHUNK = 20  # runs that a process makes at a time


def count(work: tuple[Setting, range]) -> Counted:
    """The runs of these numbers."""
    setting, numbers = work
    found = Counted(setting)
    gc.disable()  # nearly all of what is there is shared and stays: looking through it takes a third of the time
    for number in numbers:
        found = found.plus(_one(setting, number))
    gc.collect()
    return found


def _one(setting: Setting, number: int) -> Counted:
    ended = replay(setting, number)
    comparison = ended.comparison
    if comparison.verdict not in (Verdict.PASS, Verdict.FAIL):
        raise RuntimeError(f"run {number} of {setting} ended {comparison.verdict}: {comparison.headline}")
    proven = {(row.model, row.test_id) for row in comparison.tests if row.status in WORSE}
    changed = {(f"m{model}", f"t{test:03}") for model, test in ended.world.changed}
    return Counted(
        setting,
        runs=1,
        failed=int(comparison.verdict is Verdict.FAIL),
        main=sum(row.phase == "main" for row in ended.run.results),
        further=comparison.confirmation.requests,
        changed=len(changed),
        named=len(proven & changed),
        innocent=len(proven - changed),
    )


def measured(chosen: Sequence[Setting], processes: int) -> Iterator[Counted]:
    """All runs of each setting, in order."""
    work = [
        (setting, range(first, min(first + CHUNK, setting.runs)))
        for setting in chosen
        for first in range(0, setting.runs, CHUNK)
    ]
    with Pool(processes) as pool:
        results = pool.imap(count, work)
        for setting in chosen:
            found = Counted(setting)
            while found.runs < setting.runs:
                found = found.plus(next(results))
            yield found


def main() -> int:
    """As the module says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--runs", type=int, help="runs of each setting")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--settings", default="*", help="a pattern for the titles of the tables, as `*Default*`")
    given = parser.parse_args()
    chosen = [one for one in settings() if fnmatchcase(one.table, given.settings)]
    if not chosen:
        titles = dict.fromkeys(one.table for one in settings())
        parser.error(f"no table is named {given.settings}; there are: {'; '.join(titles)}")
    if given.quick or given.runs:
        chosen = [replace(one, runs=given.runs or one.runs // 10) for one in chosen]
    started = time.monotonic()
    results = []
    for done, found in enumerate(measured(chosen, given.processes), start=1):
        results.append(found)
        passed = time.monotonic() - started
        print(f"{done} of {len(chosen)} settings, {passed:.0f} s: {found.failed} of {found.runs} fail", file=sys.stderr)
    print(table(results))
    troubles = broken(results)
    for trouble in troubles:
        print(f"BROKEN: {trouble}", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
