"""One child process with its pipes: what it says first, what it logged last, and its certain end."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack

from llm_testbench.untrusted import Untrusted

_LOG_TAIL_BYTES = 8192

# What a Python process needs to find its packages. The rest stays away: the child has no use for a
# key, and GGML_* or LLAMA_* variables would change the answers.
_KEPT_VARIABLES = re.compile(
    r"PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR|VIRTUAL_ENV|LD_LIBRARY_PATH|DYLD_[A-Z_]+_PATH|PYTHON[A-Z]+"
    r"|COVERAGE_(FILE|RCFILE|CORE|PROCESS_START|PROCESS_CONFIG)"
)


class ChildProcess:
    """A Python process that should leave when its stdin ends, so that it also dies with its parent.

    `arguments` follow the interpreter; `grace`: seconds that `stop` waits after each of its steps.
    """

    def __init__(self, arguments: tuple[str, ...], environ: Mapping[str, str], grace: float) -> None:
        self._grace = grace
        with ExitStack() as opened:
            self._log = opened.enter_context(tempfile.TemporaryFile())
            child_stdin, own_stdin = os.pipe()
            self._stdin = opened.enter_context(os.fdopen(own_stdin, "wb", buffering=0))
            own_stdout, child_stdout = os.pipe()
            self._stdout = opened.enter_context(os.fdopen(own_stdout, "rb", buffering=0))
            try:
                # -P: a file named like a package in the current folder, a repository under test, is
                # not imported. A session of its own: SIGINT goes to the terminal's foreground group
                # and must not end the child.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", *arguments],
                    stdin=child_stdin,
                    stdout=child_stdout,
                    stderr=self._log,
                    env={name: value for name, value in environ.items() if _KEPT_VARIABLES.fullmatch(name)},
                    start_new_session=True,
                )
            finally:
                os.close(child_stdin)
                os.close(child_stdout)
            self._opened = opened.pop_all()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is gone (and reaped)."""
        return self._process.poll() is not None

    def first_line(self, until: float) -> str:
        """What it printed up to the first line end, its end of output, or `until` (monotonic clock)."""
        received = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            while not received.endswith(b"\n") and selector.select(max(until - time.monotonic(), 0.0)):
                chunk = self._stdout.read(4096)
                if not chunk:
                    break
                received += chunk
        return received.decode("utf-8", "replace")

    def last_words(self, limit: int) -> str:
        """What became of it, in one line, with at most `limit` characters of the end of its log."""
        try:
            # One that closed its stdout is on its way out.
            code = self._process.wait(timeout=self._grace)
            fate = f"ended with code {code}" if code >= 0 else f"was ended by signal {-code}"
        except subprocess.TimeoutExpired:
            fate = "did not answer in time"
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(size - _LOG_TAIL_BYTES, 0))
        tail = Untrusted(self._log.read().decode("utf-8", "replace")).terminal()[-limit:]
        return f"{fate}; its log ends with: {tail or '(nothing)'}"

    def stop(self) -> None:
        """End of input, then SIGTERM, then SIGKILL; returns when it is reaped. Idempotent."""
        for end in (self._stdin.close, self._process.terminate):
            end()
            try:
                self._process.wait(timeout=self._grace)
                break
            except subprocess.TimeoutExpired:
                continue
        else:
            self._process.kill()
            self._process.wait()  # nothing survives it, however busy the machine is
        self._opened.close()
