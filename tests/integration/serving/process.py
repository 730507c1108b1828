"""`llmtest serve` as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(folder: Path, *arguments: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the endpoint that its first line names."""
    command = [sys.executable, "-m", "llm_testbench", "serve", "--port", str(port), *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", "LLMTB_API_KEY": "sk-canary-of-the-environment"},
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        if not line.startswith("endpoint: "):
            raise AssertionError(process.stderr.read())
        yield process, line.removeprefix("endpoint: ").strip()
    finally:
        process.kill()
        process.communicate()
