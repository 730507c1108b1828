"""How to run again what failed, or the whole."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.compare.artifacts import artifact
from tests.unit.report.views.shown import as_markdown, shown

from llm_testbench.artifact.model import Git
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import BaselineRun, Comparison
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.scope import Scope
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.commands import MOST_ASKED, ask_again, reproduce

NOW = artifact({"t": [1.0]})
AROUND = Rerun(
    config="ci/gate.yaml",
    suites=("a.yaml", "b/*.yaml"),
    models=("chat", "code"),
    baseline=("release", "base"),
    options=(("--max-drop", "0.05"),),
    chosen=(("--category", "tools"),),
)
USED = BaselineRun("release v1.2.0", "v1.2.0", used=True)


def comparison(*runs: BaselineRun) -> Comparison:
    return compare(NOW, NOW, GateOptions(), Scope(baselines=runs))


def again(*keys: tuple[str, str], around: Rerun = AROUND, runs: tuple[BaselineRun, ...] = ()) -> str:
    return shown(Document(tuple(ask_again(keys, comparison(*runs), around))))


def test_it_asks_the_failing_tests_of_the_failing_models() -> None:
    assert again(("chat", "a"), ("code", "a"), ("chat", "b")).split("\n") == [
        "To ask just these 2 tests again:",
        "",
        "│ llmtest gate --config ci/gate.yaml --suites 'a.yaml,b/*.yaml' --tests a,b --models chat,code \\",
        "│  --max-drop 0.05 --baseline release,base",
    ]
    assert again(("chat", "a"), around=Rerun()).split("\n") == [
        "To ask just this test again:",
        "",
        "│ llmtest gate --tests a --models chat",
    ]


def test_the_release_that_was_used_is_named() -> None:
    assert again(("chat", "a"), runs=(USED,)).endswith("--baseline release --baseline-tag v1.2.0")
    assert again(("chat", "a"), runs=(USED, replace(USED, tag="v1.1.0"))).endswith("--baseline release,base")


def test_what_has_to_be_set_first_is_said() -> None:
    around = replace(Rerun(), environment=("LLMTB_API_KEY", "GITHUB_TOKEN", "GITHUB_REPOSITORY=o/r"))
    assert "again (set LLMTB_API_KEY, GITHUB_TOKEN first):" in again(("chat", "a"), around=around)


def test_many_tests_are_cut_and_a_command_that_cannot_be_shown_whole_is_not_shown() -> None:
    text = again(*(("chat", f"t{number}") for number in range(50)))
    assert f"just these {MOST_ASKED} tests" in text
    assert f"t{MOST_ASKED}" not in text
    assert again(("chat", "x" * 5000)) == ""
    assert again() == ""


def test_the_whole_run_again_is_folded_and_names_tool_and_commit() -> None:
    current = replace(NOW, meta=replace(NOW.meta, version="1.2.3", git=Git(sha="0123456789abcdef")))
    document = Document(tuple(reproduce(comparison(USED), current, AROUND)))
    assert shown(document).split("\n") == [
        "▾ To run all of it again, with llm-testbench 1.2.3 at commit 0123456",
        "",
        "│ llmtest gate --config ci/gate.yaml --suites 'a.yaml,b/*.yaml' --category tools \\",
        "│  --models chat,code --max-drop 0.05 --baseline release --baseline-tag v1.2.0",
    ]
    assert as_markdown(document).startswith("<details>")


def test_an_image_names_the_tool_by_itself() -> None:
    text = shown(Document(tuple(reproduce(comparison(), NOW, replace(Rerun(), image="img@sha256:1")))))
    assert text.startswith("▾ To run all of it again\n")
    assert "│  img@sha256:1 \\" in text


def test_a_run_that_cannot_be_shown_whole_is_not_shown() -> None:
    assert reproduce(comparison(), NOW, replace(Rerun(), suites=("x" * 5000,))) == []
