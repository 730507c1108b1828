"""A small picture of text and shapes, as light or dark as the page around it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

WIDTH = 720
EDGE = 24
# Colours of github.com. The card has its own background: where page and system disagree, it can still be read.
STYLE = """
text { font: 14px -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: var(--text) }
.card { fill: var(--card); stroke: var(--line) } .title { font-weight: 600; font-size: 16px }
.small { font-size: 12px } .soft { fill: var(--soft) } .strong { font-weight: 600 }
.end { text-anchor: end } .middle { text-anchor: middle }
.good { fill: var(--good) } .bad { fill: var(--bad) } .plain { fill: var(--plain) } .accent { fill: var(--accent) }
.box { fill: var(--box); stroke: var(--line) } .marked { fill: var(--box); stroke: var(--bad); stroke-width: 2 }
.line { stroke: var(--line); fill: none } .dashed { stroke: var(--soft); stroke-dasharray: 4 4; fill: none }
.curve { fill: none; stroke-width: 2.5 } .cross { stroke: var(--bad); stroke-width: 2.5; fill: none }
.first { stroke: var(--accent) } .second { stroke: var(--good) } .third { stroke: var(--plain) }
"""
LIGHT = (
    "--card:#fff;--box:#f6f8fa;--line:#d1d9e0;--text:#1f2328;--soft:#59636e;--good:#1a7f37;--bad:#cf222e;"
    "--plain:#8c959f;--accent:#0969da"
)
DARK = (
    "--card:#0d1117;--box:#151b23;--line:#3d444d;--text:#f0f6fc;--soft:#9198a1;--good:#3fb950;--bad:#f85149;"
    "--plain:#656c76;--accent:#4493f8"
)


def picture(height: int, title: str, told: str, parts: Iterable[str]) -> str:
    """An SVG document. `told`: what it shows, for those who cannot see it."""
    style = f":root {{ {LIGHT} }} @media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}{STYLE}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' role="img" aria-labelledby="title told">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="told">{escape(told)}</desc>',
            f"<style>{style}</style>",
            f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            words(EDGE, 36, title, "title"),
            *parts,
            "</svg>",
            "",
        ]
    )


def words(x: float, y: float, said: str, kind: str = "") -> str:
    """A line of text; `kind`: classes."""
    return f'<text x="{_n(x)}" y="{_n(y)}"{_kind(kind)}>{escape(said)}</text>'


def rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A box with round corners."""
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="4"/>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{_n(x)}" y1="{_n(y)}" x2="{_n(to_x)}" y2="{_n(to_y)}"/>'


def curve(points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through all points."""
    return f'<polyline class="curve {kind}" points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in points)}"/>'


def attempt(x: float, y: float, *, passed: bool) -> str:
    """A full circle for an answer that passed, a cross for one that did not: told apart without colours, too."""
    if passed:
        return f'<circle class="good" cx="{_n(x)}" cy="{_n(y)}" r="5.5"/>'
    low, high = -4.5, 4.5
    ends = f"M{_n(x + low)} {_n(y + low)}L{_n(x + high)} {_n(y + high)}M{_n(x + low)} {_n(y + high)}"
    return f'<path class="cross" d="{ends}L{_n(x + high)} {_n(y + low)}"/>'


def attempts(x: float, y: float, passed: Iterable[bool], step: float = 16) -> list[str]:
    """Several in a row."""
    return [attempt(x + number * step, y, passed=one) for number, one in enumerate(passed)]


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
