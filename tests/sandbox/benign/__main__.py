"""`python -m tests.sandbox.benign`: runs the ordinary programs in the sandbox, and prints how many came out right.

Standard library and the tool only: it runs in the image, too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.sandbox import as_user
from tests.sandbox.benign.corpus import fault, is_possible, programs
from tests.sandbox.table import text

from llm_testbench.sandbox.languages import LANGUAGES, NoToolchain, Toolchain
from llm_testbench.sandbox.launching import Launchers, most_at_once
from llm_testbench.sandbox.programs import toolchain


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all were right; 1: some were not, or could not be run for want of a toolchain."""
    parser = argparse.ArgumentParser(prog="python -m tests.sandbox.benign", description=__doc__)
    parser.add_argument("--as-user", action="store_true", help="from root: as an ordinary user")
    parser.add_argument("--path", metavar="PATH", help="where compilers are looked for")
    parser.add_argument("--go-seed", metavar="FOLDER", help="Go's standard library, built already")
    parser.add_argument("--json", metavar="FILE", help="adds to it a line for each program: its name, what went wrong")
    options = parser.parse_args(arguments)
    path, go_seed = (options.path, options.go_seed) if options.path else _toolchains()
    if not options.as_user:
        return _run(path, go_seed, options.json)
    if os.geteuid() != 0:
        parser.error("--as-user needs root: without it you are an ordinary user already")
    where = ["--path", path, *(["--go-seed", go_seed] if go_seed else [])]
    with tempfile.NamedTemporaryFile() as unwanted:
        return as_user.run(where, Path(options.json or unwanted.name), module="tests.sandbox.benign")


def _run(path: str, go_seed: str | None, results: str | None) -> int:
    rows = [["language", "count", "right", "wrong", "seconds", "toolchain"]]
    faults: dict[str, str | None] = {}
    with Launchers() as launchers:
        for language in LANGUAGES:
            began = time.monotonic()
            found = toolchain(launchers, language, path, go_seed)
            own = _faults(language, launchers, found)
            right = sum(why is None for why in own.values())
            said = found.reason if isinstance(found, NoToolchain) else found.version
            counts = map(str, (len(own), right, len(own) - right))
            rows.append([language, *counts, f"{time.monotonic() - began:.1f}", said])
            faults |= own
    rows.append(["total", *(str(sum(int(row[column]) for row in rows[1:])) for column in (1, 2, 3)), "", ""])
    print(text(rows))
    wrong = {name: why for name, why in faults.items() if why is not None}
    for name, why in wrong.items():
        print(f"  {name}: {why}")
    if results is not None:
        with Path(results).open("a", encoding="ascii") as file:
            file.writelines(json.dumps(pair) + "\n" for pair in faults.items())
    return 1 if wrong else 0


def _faults(language: str, launchers: Launchers, found: Toolchain | NoToolchain) -> dict[str, str | None]:
    """What went wrong with each of its programs, as many at once as the sandbox runs."""
    own = [program for program in programs() if program.language == language and is_possible(program, launchers)]
    if isinstance(found, NoToolchain):
        return dict.fromkeys((program.name for program in own), found.reason)
    with ThreadPoolExecutor(most_at_once()) as pool:
        faults = pool.map(lambda program: fault(program, launchers, found), own)
        return dict(zip((program.name for program in own), faults, strict=True))


def _toolchains() -> tuple[str, str | None]:
    """As the tests have them; in the image, as its environment says."""
    try:
        from tests.sandbox.toolchains import go_seed, toolchain_path  # noqa: PLC0415

        return toolchain_path(), go_seed()
    except RuntimeError:
        return os.environ.get("PATH", ""), os.environ.get("GOCACHE")


if __name__ == "__main__":
    sys.exit(main())
