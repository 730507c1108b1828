"""kill -9 at a random moment never loses a finished attempt (design 5.4)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.integration.runner.nursery import CALL_SECONDS, KEY, jobs, journalled_run

from llm_testbench.artifact.rows import row_key
from llm_testbench.runner.journal import Journal

ROOT = Path(__file__).parents[3]
ROUNDS = 30
WHOLE_RUN = len(jobs()) / 2 * CALL_SECONDS  # seconds: half of the jobs are of a model that is asked one by one


def finished(artifact: Path) -> list[tuple[str, str, int]]:
    journal = Journal.open(artifact, KEY, resume=True)
    journal.close()
    return [(row.model, row.test_id, row.attempt) for row in journal.reused]


def test_thirty_kills_lose_nothing_and_a_resumed_run_equals_one_that_was_never_killed(tmp_path: Path) -> None:
    chance = random.Random()
    cut_short = 0
    unharmed = sorted(journalled_run(tmp_path / "unharmed.json", os.open(os.devnull, os.O_WRONLY)), key=row_key)
    nursery = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.runner.nursery"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for number in range(ROUNDS):
            # Three kills for each journal: one that was resumed and killed again must hold as well.
            artifact, output = tmp_path / f"{number // 3}.json", tmp_path / f"{number // 3}.stdout"
            nursery.stdin.write(f"{artifact} {output}\n")
            nursery.stdin.flush()
            pid = int(nursery.stdout.readline())
            time.sleep(chance.uniform(0, WHOLE_RUN * 0.6))
            os.kill(pid, signal.SIGKILL)
            assert nursery.stdout.readline() == "gone\n"
            told = output.read_text().split("\n")[:-1] if output.exists() else []
            kept = Counter(" ".join(map(str, attempt)) for attempt in finished(artifact))
            assert set(told) <= set(kept)
            assert max(kept.values(), default=1) == 1
            cut_short += len(kept) < len(jobs())
        nursery.stdin.close()
    assert cut_short >= ROUNDS // 3, "most runs should have been under way when they were killed"
    for number in range(ROUNDS // 3):
        rows = journalled_run(tmp_path / f"{number}.json", os.open(os.devnull, os.O_WRONLY))
        assert sorted(rows, key=row_key) == unharmed
