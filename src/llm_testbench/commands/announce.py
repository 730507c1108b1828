"""Where a gate tells what it found: stdout, summary, comment, lines, outputs; and a recording to where it is kept.

Trouble here is a warning that says what to do; the verdict and the report are safe by now (design 5.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from llm_testbench.artifact.model import Artifact
from llm_testbench.commands.as_warning import as_warning
from llm_testbench.commands.baseline_runs import tag_of
from llm_testbench.commands.connection import Connection
from llm_testbench.commands.keep import keep
from llm_testbench.commands.lines import from_fork, mark_lines
from llm_testbench.commands.output import Output, pretty
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import Comparison, Verdict
from llm_testbench.compare.regressions import tally
from llm_testbench.github import comment
from llm_testbench.github.outputs import write_outputs
from llm_testbench.github.summary import append_summary, room
from llm_testbench.report import markdown
from llm_testbench.report.document import Document
from llm_testbench.report.fit import fit
from llm_testbench.settings.model import Settings


def announce(
    document: Document,
    comparison: Comparison,
    *,
    current: Artifact | None,
    settings: Settings,
    connection: Connection,
    output: Output,
) -> str:
    """Stdout, then GitHub, which is told even where stdout has gone away; OSError at the end for that.

    On GitHub in the order of design 5.8: summary, comment, check run and annotations, outputs; before them the
    recording, which is to be kept first. `current`: None where nothing was measured. Returns the address of the
    comment, or "".
    """
    gone: OSError | None = None
    try:
        output.print(document, lambda: pretty(comparison_to_json(comparison)))
    except OSError as error:
        gone = error
    if comparison.role == "record" and current is not None:
        keep(comparison, current, settings, connection, output)
    if settings.github.summary:
        summarise(document, output)
    url = comment_on(document, comparison, settings, connection, output)
    mark_lines(
        comparison,
        current,
        summary=lambda limit: _markdown(document, limit, output),
        settings=settings,
        connection=connection,
        output=output,
    )
    tell_outputs(outputs(comparison, current, output) | {"comment_url": url}, output)
    if gone is not None:
        raise gone
    return url


def summarise(document: Document, output: Output) -> None:
    """Appends the report to the summary of the job."""
    path = _file(output, "GITHUB_STEP_SUMMARY")
    if path is None:
        return
    with as_warning(output, "the job summary was not written"):
        append_summary(path, _markdown(document, room(path), output))


def comment_on(
    document: Document, comparison: Comparison, settings: Settings, connection: Connection, output: Output
) -> str:
    """The address of the comment on the pull request, or ""."""
    github = settings.github
    wanted = comment.should_comment(
        github.comment,
        failing=comparison.verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE),
        differs=_differs(comparison),
    )
    if wanted == "nothing" or not github.event.name:
        return ""
    if github.event.pull_request is None:
        queued = f": the queue's check on #{github.event.queued} tells" if github.event.queued else ""
        output.log(f"note: no comment: there is no pull request in the event {github.event.name}{queued}")
        return ""
    if connection.github is None:
        output.warn(f"no comment: {connection.missing}")
        return ""
    url = ""
    with as_warning(output, f"the comment was not written{from_fork(github.event)}"):
        body = _markdown(document, comment.room(github.comment_key, github.event), output)
        posted = comment.upsert(connection.github, github.comment_key, body, create=wanted == "create")
        url = posted.url
        if posted.action == "kept":
            output.log(f"note: a newer run has commented already: {url}")
    return url


def outputs(comparison: Comparison, current: Artifact | None, output: Output) -> dict[str, str]:
    """The outputs of the step but for `comment_url`; what is not known is empty."""
    overall, counted = comparison.overall, tally(comparison)
    return {
        "verdict": comparison.verdict.value,
        "regressions": str(counted.regressions),
        "suspected": str(counted.suspected),
        "improvements": str(counted.improvements),
        "errors": str(sum(row.error is not None for row in current.results)) if current is not None else "",
        "mean": _figure(overall.current.mean if overall.current is not None else None),
        "baseline_mean": _figure(overall.baseline.mean if overall.baseline is not None else None),
        "delta": _figure(overall.delta),
        "baseline_tag": tag_of(comparison.baselines) if comparison.verdict is not Verdict.NO_BASELINE else "",
        "artifact": _shown(output.artifact, output) if current is not None else "",
        "report": _shown(output.in_folder("report.md"), output),
        "comparison": _shown(output.in_folder("comparison.json"), output),
    }


def _shown(path: Path, output: Output) -> str:
    return output.shown(path) if path.is_file() else ""


def tell_outputs(values: Mapping[str, str], output: Output) -> None:
    """Hands the outputs to the runner."""
    path = _file(output, "GITHUB_OUTPUT")
    if path is None:
        return
    with as_warning(output, "the outputs of the step were not written"):
        write_outputs(path, {name: output.keys.text(value) for name, value in values.items()})


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _differs(comparison: Comparison) -> bool:
    counted = tally(comparison)
    stands_out = counted.regressions + counted.suspected + counted.improvements > 0
    return stands_out or any(warning.code in ("suite", "model_id") for warning in comparison.warnings)


def _markdown(document: Document, limit: int, output: Output) -> str:
    text = fit(document, limit, lambda whole: output.keys.text(markdown.render(whole)))
    if not text:
        raise ValueError(f"there is room for {limit} bytes, too few for the verdict")
    return text


def _file(output: Output, variable: str) -> Path | None:
    """The file of the runner; None where there is none, which on GitHub is worth a word."""
    name = output.edges.environ.get(variable, "")
    if name:
        return Path(name)
    if output.edges.on_github:
        output.log(f"note: {variable} is not set: nothing is written there")
    return None
