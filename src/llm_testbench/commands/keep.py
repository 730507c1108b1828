"""Where a recording is kept, for others to be compared with: its release, and a branch."""

from __future__ import annotations

from llm_testbench.artifact.model import Artifact
from llm_testbench.commands.as_warning import as_warning
from llm_testbench.commands.connection import Connection
from llm_testbench.commands.output import Output, packed
from llm_testbench.compare.model import Comparison, Verdict
from llm_testbench.compare.rules import INCOMPLETE
from llm_testbench.github import kept, releases
from llm_testbench.github.api import GitHubError
from llm_testbench.github.event import Event
from llm_testbench.github.usable import partial
from llm_testbench.settings.model import Settings


def keep(comparison: Comparison, current: Artifact, settings: Settings, connection: Connection, output: Output) -> None:
    """Keeps a recording that is whole. Trouble is a warning, and the one place does not wait for the other."""
    unfit = _unfit(comparison, current)
    if unfit:
        output.warn(f"this recording is not fit as a baseline: {unfit}")
        return
    event, branch = settings.github.event, settings.baseline.record_to
    if event.name == "release":
        with as_warning(output, "the baseline was not attached to the release"):
            _attach(event, packed(current, settings.baseline.asset, output.redactor), settings, connection, output)
    if branch is not None:
        with as_warning(output, f"the recording was not kept on branch {branch}"):
            _keep_on(branch, packed(current, settings.baseline.asset, output.redactor), settings, connection, output)


def _unfit(comparison: Comparison, current: Artifact) -> str:
    """Why it is nobody's baseline, or "". One that broke a rule is: it says what the models did."""
    inconclusive = comparison.verdict is Verdict.INCONCLUSIVE
    doubts = [reason.message for reason in comparison.reasons if inconclusive or reason.code in INCOMPLETE]
    return "; ".join(doubts) or partial(current)


def _attach(event: Event, data: bytes, settings: Settings, connection: Connection, output: Output) -> None:
    if event.release is None:
        raise GitHubError("the event's payload names no release")
    release, asset = event.release, settings.baseline.asset
    output.log(f"baseline: {releases.push(connection.required, release.tag, release.id, asset, data)}")


def _keep_on(branch: str, data: bytes, settings: Settings, connection: Connection, output: Output) -> None:
    event = settings.github.event
    if not event.name:
        # A laptop repeats what a job measured, with its settings and a token.
        output.log(f"note: outside of a job nothing is kept on branch {branch}")
        return
    if event.pull_request is not None:
        raise GitHubError("what a pull request measured is nobody's baseline")
    output.log(f"baseline: {kept.keep(connection.required, branch, settings.baseline.asset, data)}")
