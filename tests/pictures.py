"""Pictures of reports as GitHub shows them: `python -m tests.pictures FOLDER`. Needs chromium; no network.

Each is what the real command line left in a job: a scripted gateway answers, and a local GitHub has the baseline.
`docs/images/comment.png` is the one of the scene `failing`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from tests.integration.commands.bench import Bench, bench
from tests.integration.commands.job import ASSET, job
from tests.servers.gateway import Reply

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
SPOILED = {**ANSWERS, "total": "The lamps come to 80 euros, and that is the total."}
IMAGE = "ghcr.io/org/llm-testbench@sha256:" + hashlib.sha256(b"a release").hexdigest()
GATEWAY = "https://gateway.example.com/v1"


@dataclass(frozen=True)
class Scene:
    """A job: its event, what the suite and the answers have become, and whether a release holds a baseline."""

    name: str
    payload: str = "pull_request"
    suite: str = SUITE
    answers: Mapping[str, str] = field(default_factory=lambda: ANSWERS)
    inputs: Mapping[str, str] = field(default_factory=dict)
    released: bool = True
    broken: bool = False


SLACK = {**ANSWERS, "late": "It was."}
SCENES = (
    Scene("failing", suite=EDITED, answers=SPOILED, inputs={"INPUT_MAX_DROP": "0.05"}),
    Scene("passing", answers=SLACK, inputs={"INPUT_MIN_SCORE": "0.7"}),
    Scene("first-run", answers=SLACK, released=False),
    Scene("recording", payload="push"),
    Scene("inconclusive", broken=True),
    Scene("in-common", answers=dict.fromkeys(ANSWERS, "The service is overloaded.")),
)


def reports() -> Iterator[tuple[str, str]]:
    """Name of each scene, and what the job left in its summary; the comment says the same."""
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as folder, bench(Path(folder)) as world, job(world) as step:
            if scene.released:
                step.github.add_release("v1.2.0", assets={ASSET: _recorded(world)})
            if scene.broken:
                world.server.answer = lambda _body: Reply({"error": {"message": "this key has expired"}}, 401)
            world.write("evals/orders.yaml", scene.suite)
            world.answers = dict(scene.answers)
            world.write("summary.md", "")
            asked = {
                "INPUT_ENDPOINT": world.server.url,
                "INPUT_MODELS": "shop-chat",
                "INPUT_SUITES": "evals/*.yaml",
                "INPUT_API_KEY": "a key that nobody sees",
                "LLMTB_REPEAT": "3",
                "LLMTB_IMAGE": IMAGE,
            }
            world.llmtest("gate", environ=step.environ(scene.payload) | asked | dict(scene.inputs))
            yield scene.name, step.summary.replace(world.server.url, GATEWAY)


def _recorded(world: Bench) -> bytes:
    """A baseline that is three days old by now."""
    world.write("evals/orders.yaml", SUITE)
    world.answers = dict(ANSWERS)
    asked = ["--endpoint", world.server.url, "--models", "shop-chat", "--suites", "evals/*.yaml", "--repeat", "3"]
    world.llmtest("run", *asked, "--quiet", "--out", "made.json")
    made = world.json("made.json")
    then = datetime.now(UTC) - timedelta(days=3)
    made["meta"].update(role="record", finished_at=then.isoformat(timespec="seconds").replace("+00:00", "Z"))
    made["meta"]["git"] = {"repository": "octo/shop", "sha": hashlib.sha1(b"a commit").hexdigest()}
    return gzip.compress(json.dumps(made).encode(), mtime=0)


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
