"""Pictures of reports as GitHub shows them: `python -m tests.pictures FOLDER`. Needs chromium; no network.

Each is made of a real run: the command line asks a scripted gateway, and the report is built of the artifacts on disk.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from tests.integration.commands.bench import Bench, bench
from tests.servers.gateway import Reply

from llm_testbench.artifact.model import Artifact, Git
from llm_testbench.artifact.read import read
from llm_testbench.compare.compare import compare
from llm_testbench.compare.model import BaselineRun, GateOptions
from llm_testbench.report import markdown
from llm_testbench.report.surroundings import Surroundings
from llm_testbench.report.views.gate import gate_report

WIDTH = 900  # pixels
CHROMIUM = (
    "/usr/bin/chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--disable-lcd-text",  # grey edges: a smaller file
)
# After the looks of a comment on github.com: font, sizes and colours.
STYLE = """
* { box-sizing: border-box }
body { margin: 0; padding: 12px; background: #fff; color: #1f2328;
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
.comment { border: 1px solid #d1d9e0; border-radius: 6px }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; padding: 8px 16px;
  color: #59636e }
.head b { color: #1f2328 } .head i { font-style: normal; font-size: 12px; border: 1px solid #d1d9e0;
  border-radius: 2em; padding: 0 6px }
.body { padding: 16px } .body > :first-child { margin-top: 0 } .body > :last-child { margin-bottom: 0 }
h1, h2 { border-bottom: 1px solid #d1d9e0b3; padding-bottom: .3em }
h1, h2, h3, h4 { margin: 24px 0 16px; font-weight: 600; line-height: 1.25 }
h1 { font-size: 2em } h2 { font-size: 1.5em } h3 { font-size: 1.25em } h4 { font-size: 1em }
p, ul, pre, table, details { margin: 0 0 16px } ul { padding-left: 2em } li + li { margin-top: .25em }
code, pre { font-family: ui-monospace, "Liberation Mono", Menlo, monospace; font-size: 12px }
code { background: #818b981f; border-radius: 6px; padding: .2em .4em }
pre { background: #f6f8fa; border-radius: 6px; padding: 16px; overflow: auto; line-height: 1.45 }
pre code { background: none; padding: 0 }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px } th { font-weight: 600 }
tr:nth-child(2n) td { background: #f6f8fa } summary { cursor: pointer }
.add { color: #116329; background: #dafbe1 } .del { color: #82071e; background: #ffebe9 }
"""
SUITE = """\
category: orders
subcategory: lookup
defaults:
  system: You answer questions about orders for the shop's staff.
tests:
  - id: total-of-order
    prompt: |-
      Order 1042 holds two lamps at 40 euros each and one cable at 5 euros.
      What is its total? Answer with the number alone.
    must_pass: true
    evaluate: {numeric: 85}
    examples: [{response: "85", score: 1}, {response: "80", score: 0}]
  - id: carrier
    prompt: The parcel went out with Nordpost. Who is the carrier? One word.
    evaluate: {equals: Nordpost}
    examples: [{response: Nordpost, score: 1}, {response: Post, score: 0}]
  - id: items
    prompt: List the items of order 1042.
    evaluate: {contains_all: [lamp, cable]}
    examples: [{response: "a lamp, a cable", score: 1}, {response: "a lamp", score: 0.5}]
  - id: late
    prompt: It was due on Monday and came on Wednesday. Was it late? Yes or no.
    evaluate: {equals: "yes"}
    examples: [{response: "yes", score: 1}, {response: "no", score: 0}]
"""
ANSWERS = {"total": "85", "carrier": "Nordpost", "List the items": "Two lamps and one cable.", "late": "Yes"}
EDITED = SUITE.replace("What is its total? Answer with the number alone.", "What is its total? Explain briefly.")
SPOILED = {**ANSWERS, "total": "The lamps come to 80 euros, and that is the total.", "List the items": "Two lamps."}
IMAGE = "ghcr.io/org/llm-testbench@sha256:" + "5e884898da28047151d0e56f8dc6292773603d0d6aabbd62a11ef721d1542d8"[:64]
AROUND = Surroundings(
    on_github=True,
    image=IMAGE,
    suites=("evals/*.yaml",),
    models=("shop-chat",),
    baseline=("release", "base"),
    options=(("--max-drop", "0.05"),),
    environment=("LLMTB_API_KEY",),
)
DAY = 24 * 3600.0
RELEASE = BaselineRun("release v1.2.0", "v1.2.0", "a1b2c3d4e5f60718", age=3 * DAY, cells=4, used=True)
UNFINISHED = BaselineRun("release v1.3.0", "v1.3.0", "77aa88bb99cc0011", why="its run was interrupted")


@dataclass(frozen=True)
class Scene:
    """A run, and what it is compared with."""

    name: str
    suite: str
    answers: dict[str, str]
    options: GateOptions
    baselines: tuple[BaselineRun, ...] = ()
    broken: bool = False


SCENES = (
    Scene("failing", EDITED, SPOILED, GateOptions(max_drop=0.05), (UNFINISHED, RELEASE)),
    Scene("passing", SUITE, {**ANSWERS, "late": "It was."}, GateOptions(min_score=0.7), (RELEASE,)),
    Scene("first-run", SUITE, {**ANSWERS, "late": "It was."}, GateOptions()),
    Scene("recording", SUITE, ANSWERS, GateOptions(role="record"), (RELEASE,)),
    Scene("inconclusive", SUITE, ANSWERS, GateOptions(), (RELEASE,), broken=True),
    Scene("in-common", SUITE, dict.fromkeys(ANSWERS, "The service is overloaded."), GateOptions(), (RELEASE,)),
)


def reports() -> Iterator[tuple[str, str]]:
    """Name and markdown of each scene."""
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as folder, bench(Path(folder)) as world:
            before = _run(world, SUITE, ANSWERS)
            if scene.broken:
                world.server.answer = lambda _body: Reply({"error": {"message": "this key has expired"}}, 401)
            now = _run(world, scene.suite, scene.answers)
        baseline = before if scene.baselines else None
        comparison = compare(baseline, now, scene.options, baselines=scene.baselines)
        yield scene.name, markdown.render(gate_report(comparison, now, baseline, around=AROUND))


def _run(world: Bench, suite: str, answers: dict[str, str]) -> Artifact:
    world.write("evals/orders.yaml", suite)
    world.answers = answers
    asked = ["--endpoint", world.server.url, "--models", "shop-chat", "--suites", "evals/orders.yaml"]
    done = world.llmtest("run", *asked, "--repeat", "3", "--quiet", "--out", "run.json")
    if "error" in done.err:
        sys.stderr.write(done.err)
    artifact = read(world.folder / "run.json")
    meta = replace(artifact.meta, endpoint="https://gateway.example.com/v1", git=Git("octo/shop", "9f8e7d6c5b4a"))
    return replace(artifact, meta=meta)


def page(report: str) -> str:
    """HTML around the report, as the parser of GitHub reads it."""
    body = cmarkgfm.github_flavored_markdown_to_html(report, Options.CMARK_OPT_UNSAFE)
    body = re.sub(r'(?s)<pre lang="diff"><code>(.*?)</code></pre>', _coloured, body)
    head = "<b>github-actions</b> <i>bot</i> commented now"
    return (
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>"
        f"<div class=comment><div class=head>{head}</div><div class=body>{body}</div></div>"
    )


def _coloured(block: re.Match[str]) -> str:
    kinds = {"+": "add", "-": "del"}
    lines = [
        f'<span class="{kinds[line[0]]}">{line}</span>' if line[:1] in kinds else line
        for line in block.group(1).split("\n")
    ]
    return "<pre><code>" + "\n".join(lines) + "</code></pre>"


def photograph(html: str, picture: Path) -> None:
    """A picture of the page, as high as it is."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        source.write_text(html + "<script>document.title = document.body.scrollHeight</script>", "utf-8")
        shown = _chromium(folder, "--dump-dom", f"--window-size={WIDTH},100", source.as_uri())
        height = re.search(r"<title>(\d+)</title>", shown)
        size = f"--window-size={WIDTH},{height.group(1) if height else 2000}"
        _chromium(folder, size, f"--screenshot={picture.resolve()}", source.as_uri())


def _chromium(folder: str, *arguments: str) -> str:
    command = [*CHROMIUM, f"--user-data-dir={folder}/profile", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def main(folder: Path) -> None:
    """Writes NAME.md and NAME.png of each scene."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, report in reports():
        (folder / f"{name}.md").write_text(report, "utf-8")
        photograph(page(report), folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
