"""How to run again: just what failed, or the whole."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.model import Comparison
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import BLOCK_LIMIT, Block, Code, Details, Mono, Paragraph, Span, Text, text
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.shell import Flag, gate_command, needed
from llm_testbench.untrusted import Untrusted

MOST_ASKED = 20  # tests of one command
LANGUAGE = "sh"


def ask_again(keys: Sequence[CellKey], comparison: Comparison, around: Rerun) -> list[Block]:
    """The command for these cells; nothing when there is none, or it would be too long to be shown whole."""
    tests = list(dict.fromkeys(test_id for _, test_id in keys))[:MOST_ASKED]
    models = list(dict.fromkeys(model for model, test_id in keys if test_id in tests))
    flags = [
        *_where(around),
        ("--tests", ",".join(tests)),
        ("--models", ",".join(models)),
        *around.options,
        *_baseline(comparison, around),
    ]
    command = gate_command(around, flags)
    if not tests or len(command) > BLOCK_LIMIT:
        return []
    asked = "just this test" if len(tests) == 1 else f"just these {count(len(tests), 'test')}"
    return [Paragraph(text(f"To ask {asked} again", *_needs(around), ":")), Code(Untrusted(command), LANGUAGE)]


def reproduce(comparison: Comparison, current: Artifact, around: Rerun) -> list[Block]:
    """The command of the whole run, with the release that it was compared with."""
    models = [("--models", ",".join(around.models))] if around.models else []
    flags = [*_where(around), *around.chosen, *models, *around.options, *_baseline(comparison, around)]
    command = gate_command(around, flags)
    if len(command) > BLOCK_LIMIT:
        return []
    summary = text("To run all of it again", *_with(current, around), *_needs(around))
    return [Details(summary, (Code(Untrusted(command), LANGUAGE),))]


def _where(around: Rerun) -> list[Flag]:
    config = [("--config", around.config)] if around.config else []
    return [*config, ("--suites", ",".join(around.suites))] if around.suites else config


def _baseline(comparison: Comparison, around: Rerun) -> list[Flag]:
    """The very release that was used, where there was one: the newest of tomorrow is another."""
    used = [run for run in comparison.baselines if run.used]
    if len(used) == 1 and used[0].tag:
        return [("--baseline", "release"), ("--baseline-tag", used[0].tag)]
    return [("--baseline", ",".join(around.baseline))] if around.baseline else []


def _with(current: Artifact, around: Rerun) -> Text:
    """Tool and commit; an image names its tool by itself."""
    tool: Text = () if around.image else (", with llm-testbench ", Mono(Untrusted(current.meta.version)))
    sha = figures.commit(current.meta.git.sha)
    return (*tool, " at commit ", Mono(Untrusted(sha))) if sha else tool


def _needs(around: Rerun) -> Text:
    names = needed(around)
    if not names:
        return ()
    spans: list[Span] = [span for name in names for span in (", ", Mono(Untrusted(name)))]
    return (" (set ", *spans[1:], " first)")
