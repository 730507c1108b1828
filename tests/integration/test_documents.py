"""Every command that README and docs show runs, with the files that they show, and ends well."""

from __future__ import annotations

import re
import shlex
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.integration.commands.bench import bench
from tests.integration.serving.process import served
from tests.pictures.drawings import DRAWINGS, IMAGES

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "```console\n$ llmtest" in page.read_text("utf-8")
]
STEP = re.compile(
    r"`(?P<file>[\w./-]+\.(?:yaml|jsonl|md))`:\n\n```\w+\n(?P<content>.*?)```|^\$ llmtest (?P<command>.*?)$",
    re.DOTALL | re.MULTILINE,
)
"""A file that the page shows, or a command; a file holds for what follows it, until it is shown anew."""
EXAMPLE_URL = "https://gateway.example.com/v1"
SERVED_URL = "http://127.0.0.1:8000/v1"


def test_the_main_pages_show_commands() -> None:
    shown = {"README.md", "gate-a-change.md", "write-a-suite.md", "choosing-repeat-window-and-confirm.md"}
    shown.add("try-your-ci-offline.md")
    assert shown <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_in_order(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    endpoint = SERVED_URL
    with bench(tmp_path) as world, ExitStack() as serving:
        world.answers = {"jacket": "68"}
        world.environ = {"LLMTB_ENDPOINT": world.server.url, "LLMTB_MODELS": "my-model"}
        for step in STEP.finditer(text):
            said = {
                name: (value or "").replace(EXAMPLE_URL, world.server.url) for name, value in step.groupdict().items()
            }
            if said["command"].endswith(" &"):
                serving.close()  # the page has ended it with `kill`
                endpoint = serving.enter_context(served(tmp_path, *shlex.split(said["command"])[1:-1]))[1]
            elif said["file"]:
                world.write(said["file"], said["content"])
            else:
                command, fails = re.subn(r" \|\| echo .*", "", said["command"])
                done = world.llmtest(*shlex.split(command.replace(SERVED_URL, endpoint)))
                assert done.code == fails, (said["command"], done.out, done.err)


def test_the_report_in_the_readme_is_what_the_demo_prints(tmp_path: Path) -> None:
    shown = re.findall(r"```text\n(Worse: .*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
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


def test_the_drawings_are_what_their_script_draws() -> None:
    stored = {path.name: path.read_text("utf-8") for path in IMAGES.glob("*.svg")}
    assert stored == {name: draw() for name, draw in DRAWINGS.items()}


@pytest.mark.parametrize("image", sorted(IMAGES.iterdir()), ids=lambda path: path.name)
def test_an_image_is_small_and_stands_on_a_page(image: Path) -> None:
    pages = [page.read_text("utf-8") for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    assert image.stat().st_size < 150_000
    assert any(f"images/{image.name})" in page for page in pages)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")) + sorted(ROOT.glob("*.md")), ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]*))?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", (page.parent / target).read_text("utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}, anchor
