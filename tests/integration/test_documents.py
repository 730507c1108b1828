"""Every command that README and docs show runs, with the files that they show, and ends well."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.integration.commands.bench import bench

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "```console\n$ llmtest" in page.read_text("utf-8")
]
FILE = re.compile(r"`([\w./-]+\.(?:yaml|jsonl|md))`:\n\n```\w+\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ llmtest (.*)$", re.MULTILINE)
EXAMPLE_URL = "https://gateway.example.com/v1"


def test_the_main_pages_show_commands() -> None:
    assert {"README.md", "gate-a-change.md", "write-a-suite.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_in_order(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    with bench(tmp_path) as world:
        world.answers = {"jacket": "68"}
        world.environ = {"LLMTB_ENDPOINT": world.server.url, "LLMTB_MODELS": "my-model"}
        for name, content in FILE.findall(text):
            world.write(name, content.replace(EXAMPLE_URL, world.server.url))
        for words in COMMAND.findall(text):
            done = world.llmtest(*shlex.split(words.replace(EXAMPLE_URL, world.server.url)))
            assert done.code == 0, (words, done.out, done.err)


def test_the_report_in_the_readme_is_what_the_demo_prints(tmp_path: Path) -> None:
    shown = re.findall(r"```text\n(Fail: .*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    with bench(tmp_path) as world:
        world.write("examples/demo/spoiled.yaml", (ROOT / "examples/demo/spoiled.yaml").read_text("utf-8"))
        world.answers = {
            "capital of Japan": "The capital of Japan is Tokyo.",
            "capital of {country}": "The capital of {country} is {capital}.",
        }
        world.environ = {"LLMTB_ENDPOINT": world.server.url, "LLMTB_MODELS": "smollm2-135m"}
        asked = ["--tests", "smoke-capital", "--repeat", "3"]
        baseline = world.folder / "llm-testbench-results/baseline.json"
        baseline.parent.mkdir()
        world.llmtest("run", "--suites", "builtin:smoke", *asked, "--out", str(baseline))
        done = world.llmtest("gate", "--suites", "examples/demo/spoiled.yaml", *asked, "--baseline", str(baseline))

    assert done.code == 1
    assert [done.out[: len(shown[0])]] == shown


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")) + sorted(ROOT.glob("*.md")), ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
