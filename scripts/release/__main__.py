"""`python -m scripts.release COMMAND`: the steps of .github/workflows/release.yml, and `dry-run` for everybody.

Exit codes: 0 done, or nothing to do; 1 refused; 2 what is needed is missing or GitHub, git or Docker fail.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.release import commands
from scripts.release.edges import Edges, of_machine
from scripts.release.history import GitError
from scripts.release.images import FLAVOURS
from scripts.release.publishing import ReleaseError
from scripts.release.tree import Digests

from llm_testbench.github.api import GitHubError

ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str], edges: Edges) -> int:
    """The exit code; every trouble is one line."""
    given = _parser().parse_args(arguments)
    try:
        return _done(given, edges)
    except (ReleaseError, GitError, GitHubError, ValueError) as error:
        edges.say(f"release: {error}")
        return 2


def _done(given: argparse.Namespace, edges: Edges) -> int:
    if given.command == "dry-run":
        return commands.dry_run(edges)
    if given.command == "plan":
        return commands.plan_release(edges)
    version = commands.read_version(given.version)
    match given.command:
        case "prepare":
            previous = commands.read_version(given.previous) if given.previous else None
            return commands.prepare(edges, version, previous, given.date, _digests(given))
        case "check":
            return commands.check(edges, version, given.tag or version.tag, _digests(given))
        case "check-images":
            return commands.check_images(edges, version, _of_flavours(given.images))
        case "publish":
            digests = _digests(given) or Digests()
            return commands.publish(edges, version, digests, given.dist, given.baseline)
        case _:
            return commands.tag_images(edges, version)


def _digests(given: argparse.Namespace) -> Digests | None:
    """None when none is given: no image was pushed yet."""
    return Digests(given.digest, given.code_digest) if given.digest or given.code_digest else None


def _of_flavours(pairs: Sequence[str]) -> dict[str, str]:
    """`TARGET=DIGEST` for each target of the Dockerfile; ValueError unless each is there."""
    digests = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    expected = [flavour.target for flavour in FLAVOURS]
    if sorted(digests) != sorted(expected):
        raise ValueError(f"expected TARGET=DIGEST for each of {', '.join(expected)}")
    return digests


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.release", allow_abbrev=False)
    steps = parser.add_subparsers(dest="command", required=True)
    steps.add_parser("dry-run", help="print what a release of this commit would be; ask nobody, change nothing")
    steps.add_parser("plan", help="what to release, as outputs of the step")
    prepare = _step(steps.add_parser("prepare", help="write the release's files into the checkout"))
    prepare.add_argument("--previous", default="", help="the release before")
    prepare.add_argument("--date", required=True, help="of the release, 2026-12-31")
    check = _step(steps.add_parser("check", help="refuse a checkout whose files name different versions"))
    check.add_argument("--tag", default="", help="the git tag; by default that of the version")
    publish = _step(steps.add_parser("publish", help="tag, draft, assets, publication, moving tags"))
    publish.add_argument("--dist", type=Path, required=True, help="the folder with wheel and sdist")
    publish.add_argument("--baseline", type=Path, required=True, help="the artifact of a recording")
    pushed = _step(steps.add_parser("check-images", help="refuse images that name another version"))
    pushed.add_argument("images", nargs="+", metavar="TARGET=DIGEST")
    _step(steps.add_parser("tag-images", help="move the images' tags that follow versions"))
    return parser


def _step(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--version", required=True)
    parser.add_argument("--digest", default="", help="of the image that action.yml names")
    parser.add_argument("--code-digest", default="", help="of the image that code/action.yml names")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], of_machine(ROOT, os.environ)))
