"""The fake GitHub as a process of its own.

The first line of stdout is JSON: the environment of a job, the token included. It ends with SIGTERM or SIGINT, prints
the problems it found, one a line, and exits with 1 when there were any::

    python -m tests.servers.github --asset v1.0.0=baseline.json.gz --pull 7=HEAD_SHA --commit SHA …
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from tests.servers.github.fake import FakeGitHub


def main() -> int:
    """Serves until a signal; the exit code."""
    parser = argparse.ArgumentParser(description="GitHub on loopback, with one repository")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repository", default="octo/shop", help="owner/name")
    parser.add_argument("--commit", action="append", default=[], help="a sha of the default branch, oldest first")
    parser.add_argument("--asset", action="append", default=[], metavar="TAG=FILE", help="a release with this asset")
    parser.add_argument("--pull", action="append", default=[], metavar="NUMBER=SHA", help="a pull request and its head")
    options = parser.parse_args()
    signals = {signal.SIGTERM, signal.SIGINT}
    # Before any thread starts, so that all of them leave the signals to sigwait.
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    with FakeGitHub(options.repository, host=options.host, port=options.port) as github:
        github.ancestry += options.commit
        for tag, _, file in (one.partition("=") for one in options.asset):
            github.add_release(tag, assets={Path(file).name: Path(file).read_bytes()})
        for number, _, sha in (one.partition("=") for one in options.pull):
            github.add_pull(int(number), head_sha=sha)
        print(json.dumps({**github.environ, "GITHUB_TOKEN": github.token}), flush=True)  # noqa: T201 - its contract
        signal.sigwait(signals)
        problems = list(github.problems)
    print(*problems, sep="\n", end="\n" if problems else "")  # noqa: T201 - its contract
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
