"""A report as GitHub shows it, and a picture of it."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

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
.fade { position: fixed; bottom: 0; left: 0; right: 0; height: 120px; background: linear-gradient(#fff0, #fff) }
.add { color: #116329; background: #dafbe1 } .del { color: #82071e; background: #ffebe9 }
"""
FADE = "<style>html { overflow: hidden }</style><div class=fade></div>"


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


def photograph(html: str, picture: Path, most: int | None = None) -> None:
    """A picture of the page, as high as it is, or of its first `most` pixels, which fade out."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        source.write_text(html + "<script>document.title = document.body.scrollHeight</script>", "utf-8")
        shown = _chromium(folder, "--dump-dom", f"--window-size={WIDTH},100", source.as_uri())
        height = re.search(r"<title>(\d+)</title>", shown)
        whole = int(height.group(1)) if height else 2000
        if most is not None and most < whole:
            whole = most
            source.write_text(html + FADE, "utf-8")
        size = f"--window-size={WIDTH},{whole}"
        _chromium(folder, size, f"--screenshot={picture.resolve()}", source.as_uri())


def _chromium(folder: str, *arguments: str) -> str:
    command = [*CHROMIUM, f"--user-data-dir={folder}/profile", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
