"""The HTML report: one file that loads nothing, runs nothing and lets no foreign markup live."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.unit.compare.artifacts import artifact, entry, row
from tests.unit.hostile_text import HOSTILE, texts
from tests.unit.report.comparisons import compared, comparison, comparisons
from tests.unit.report.parsed_html import Page, parsed

from llm_testbench.artifact.model import Artifact, Git
from llm_testbench.compare.model import BaselineRun, Comparison, Finding, Quoted, Status, Verdict
from llm_testbench.compare.options import GateOptions
from llm_testbench.report import html
from llm_testbench.report.document import (
    Block,
    Bullets,
    Code,
    Details,
    Document,
    Group,
    Heading,
    Importance,
    Mono,
    Paragraph,
    Strong,
    table,
    text,
)
from llm_testbench.report.views.gate import gate_report
from llm_testbench.untrusted import Untrusted

VERDICT = Group("the verdict", Importance.VERDICT, (Heading(2, text("Pass: all is well")),))


def shown(
    found: Comparison | None = None,
    *blocks: Block,
    current: Artifact | None = None,
    baseline: Artifact | None = None,
    options: GateOptions | None = None,
) -> str:
    document = Document((VERDICT, *blocks))
    return html.render(document, found or comparison(), current, baseline, options or GateOptions())


def in_order(page: str, parts: Sequence[str]) -> None:
    places = [page.index(part) for part in parts]
    assert places == sorted(places)


REGRESSED = comparison(
    Verdict.FAIL,
    [
        compared(Status.REGRESSION, 1.0, 0.0, category="orders", test_id="total"),
        compared(Status.SUSPECTED, 1.0, 0.5, category="orders", test_id="late"),
        compared(Status.STABLE, 1.0, 1.0, category="tools", test_id="call"),
    ],
    models=[compared(Status.SUSPECTED, 1.0, 0.5, 3, ci=(-0.9, -0.1), mde=0.25)],
    categories=[
        compared(Status.SUSPECTED, 1.0, 0.25, 2, category="orders"),
        compared(Status.STABLE, 1.0, 1.0, 1, category="tools"),
    ],
    overall=compared(Status.SUSPECTED, 1.0, 0.5, 3, model=None),
    headline="Worse: 1 test regressed",
)


def test_a_page_reads_from_the_verdict_to_the_runs() -> None:
    page = shown(
        REGRESSED,
        Group("why", Importance.CONTEXT, (Paragraph(text("it was edited")),)),
        Group("tests", Importance.EVIDENCE, (Heading(3, text("What got worse")),)),
        Group("late context", Importance.CONTEXT, (Paragraph(text("mind the gap")),)),
        current=artifact({}),
    )
    in_order(
        page,
        [
            "<title>Worse: 1 test regressed · llm-testbench</title>",
            '<header class="banner fail">',
            "<h1>Pass: all is well</h1>",
            "it was edited",
            "How sure is the change?",
            "Scores by category",
            "<h2>What got worse</h2>",
            "mind the gap",
            "<h2>The runs</h2>",
        ],
    )


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_has_its_sign(verdict: Verdict) -> None:
    page = parsed(shown(comparison(verdict)))
    assert f"banner {verdict.value}" in page.values("header", "class")
    assert "icon" in page.values("svg", "class")


def tiles(page: Page) -> list[tuple[str, str]]:
    return list(
        zip([t for tag, t in page.text if tag == "dt"], [t for tag, t in page.text if tag == "dd"], strict=True)
    )


def test_figures_at_a_glance() -> None:
    page = parsed(shown(REGRESSED))
    assert tiles(page) == [
        ("mean score", "1.00 → 0.50"),
        ("worse", "1"),
        ("perhaps worse", "1"),
        ("nothing proven", "1"),
    ]
    assert page.values("div", "class")[1:5] == ["unsure", "worse", "unsure", "plain"]


def test_our_words_read_to_the_letter() -> None:
    page = shown(comparison(headline="</title><b> 1 < 2"))
    assert "<title>&lt;/title&gt;&lt;b&gt; 1 &lt; 2 · llm-testbench</title>" in page


def test_a_long_name_is_cut_in_a_picture() -> None:
    long, cut = "x\n" * 1000, ("x " * 150)[:299] + "…"
    model = compared(Status.STABLE, 1.0, 1.0, 1, model=long)
    categories = [replace(model, category=long), compared(Status.STABLE, 1.0, 1.0, 1, category="other")]
    rows = parsed(shown(comparison(models=[model], categories=categories))).rows
    assert rows[1][0] == cut
    assert [cut, cut] in [cells[:2] for cells in rows]


def test_a_fact_that_is_known_of_no_run_is_left_out() -> None:
    assert "commit" not in [cells[0] for cells in parsed(shown(current=artifact({}), baseline=artifact({}))).rows]


def test_figures_of_a_run_without_baseline_and_of_none() -> None:
    new = comparison(
        Verdict.NO_BASELINE,
        [compared(Status.NEW, None, 0.5, test_id="a")],
        overall=compared(Status.NEW, None, 0.5, model=None),
    )
    assert tiles(parsed(shown(new))) == [("mean score", "0.50"), ("without a baseline", "1")]
    nothing = comparison(Verdict.INCONCLUSIVE, overall=compared(Status.NEW, None, None, model=None))
    assert tiles(parsed(shown(nothing))) == []


def test_the_pictures_are_tables_with_the_figures_beside_them() -> None:
    rows = parsed(shown(REGRESSED)).rows
    assert rows == [
        ["model", "−100−500+50+100", "change", "95 % interval", "would be seen"],
        ["chat", "", "−50.0", "−90.0 to −10.0", "25.0"],
        ["category", "0.200.601.00", "score", "change", "tests"],
        ["orders", "", "1.00 → 0.25", "−75.0", "2"],
        ["tools", "", "1.00 → 1.00", "0.0", "1"],
    ]


def test_every_picture_has_a_title_or_is_beside_its_words() -> None:
    page = parsed(shown(REGRESSED))
    drawn = page.values("svg", "role").count("img")
    titles = [words for tag, words in page.text if tag == "title"]
    assert titles[1:] == [
        "change −50.0 points, interval −90.0 to −10.0, a drop of 25.0 would have been seen",
        "1.00 before, 0.25 now",
        "1.00 before, 1.00 now",
    ]
    assert drawn == 3
    assert page.values("svg", "aria-hidden").count("true") + drawn + 2 == page.tags.count("svg")  # two signs inside


def test_the_marks_of_an_interval_stand_where_they_belong() -> None:
    page = parsed(shown(REGRESSED, options=GateOptions(min_effect_model=0.2, ci_level=0.9)))
    assert page.values("rect", "width")[0] == "40.0%"
    assert ("circle", "cx", "25.0%") in page.attributes
    assert ("svg", "x", "37.5%") in page.attributes
    lines = list(zip(page.values("line", "class"), page.values("line", "x1"), page.values("line", "x2"), strict=True))
    assert ("interval", "5.0%", "45.0%") in lines
    assert ("threshold", "40.0%", "40.0%") in lines
    assert ("zero", "50%", "50%") in lines
    assert "drops of 20.0 points and more can fail the gate" in page.said()
    assert "holds the true one in 90 % of runs" in page.said()


def test_a_model_column_only_where_there_are_several() -> None:
    several = [compared(Status.STABLE, 1.0, 1.0, 1, category="tools", model=name) for name in ("chat", "code")]
    rows = parsed(shown(comparison(categories=several))).rows
    assert [cells[:2] for cells in rows] == [["category", "model"], ["tools", "chat"], ["code", ""]]


def test_no_pictures_where_there_is_nothing_to_draw() -> None:
    assert "figure" not in parsed(shown(comparison(Verdict.INCONCLUSIVE))).tags


def test_what_is_not_drawn_is_counted() -> None:
    many = [compared(Status.STABLE, 1.0, 1.0, 1, category=f"c{index}") for index in range(70)]
    models = [compared(Status.STABLE, 1.0, 1.0, 1, model=f"m{index}") for index in range(80)]
    page = parsed(shown(comparison(categories=many, models=models)))
    assert "10 more are not drawn" in page.said()
    assert "21 more are not drawn" in page.said()


def test_the_runs_side_by_side() -> None:
    now = artifact({}, git=Git(sha="0123456789abcdef"), models={"chat": "chat"})
    before = artifact({}, version="0.9.0", models={"chat": "org/chat-7b"})
    rows = parsed(shown(current=now, baseline=before)).rows
    assert rows == [
        ["", "baseline", "this run"],
        ["models", "chat = org/chat-7b", "chat"],
        ["endpoint", "http://gateway.example/v1", "http://gateway.example/v1"],
        ["finished", "2026-01-01T00:01:00Z", "2026-01-01T00:01:00Z"],
        ["commit", "", "0123456"],
        ["attempts a test", "1", "1"],
        ["llm-testbench", "0.9.0", "1.0.0"],
    ]


def regressed_report(bad: str = "") -> tuple[Document, Comparison, Artifact, Artifact]:
    """A report of the product's own with everything of it."""
    test = entry(
        f"a-t{bad}",
        category=f"a{bad}",
        suite_file=f"evals/a.yaml{bad}",
        request={"messages": [{"role": "user", "content": f"old{bad}"}]},
        check={"contains": bad},
    )
    edited = replace(test, request_hash="edited", request={"messages": [{"role": "user", "content": f"new{bad}"}]})
    chat = f"chat{bad}"
    old = replace(row(test, chat, 0, 1.0), response_text=f"good{bad}", reason=bad)
    new = replace(row(edited, chat, 0, 0.0), response_text=f"spoiled{bad}", reason=f"words{bad}")
    before = artifact({}, test, rows=[old], endpoint=f"e{bad}", version=f"v{bad}", models={chat: f"id{bad}"})
    now = artifact({}, edited, rows=[new], endpoint=f"e2{bad}", version=f"v2{bad}", models={chat: f"id2{bad}"})
    found = replace(
        REGRESSED,
        tests=(
            compared(Status.REGRESSION, 1.0, 0.0, 1, model=chat, category=f"a{bad}", test_id=test.test_id),
            compared(Status.NEW, None, 0.0, 1, model=chat, category=f"a{bad}", test_id=f"b{bad}"),
        ),
        models=(
            compared(Status.STABLE, 1.0, 0.0, 1, model=chat, ci=(-1.0, 0.1), mde=0.5),
            compared(Status.STABLE, 1.0, 0.9, 1, model=f"code{bad}"),
        ),
        categories=(
            compared(Status.STABLE, 1.0, 0.0, 1, model=chat, category=f"a{bad}"),
            compared(Status.STABLE, None, 0.0, 1, model=f"code{bad}", category=f"a{bad}"),
        ),
        reasons=(Finding("regression", (Quoted(bad), " dropped"), chat, test.test_id),),
        warnings=(Finding("suite", ("the suite was edited ", Quoted(bad))),),
        baselines=(BaselineRun(f"s{bad}", f"t{bad}", bad, bad, bad, 60.0, 1, used=True), BaselineRun(bad, why=bad)),
    )
    return gate_report(found, now, before), found, now, before


def test_the_answers_of_a_regression_stand_side_by_side() -> None:
    page = html.render(*regressed_report(), GateOptions())
    assert re.search(
        r'<div class="sides">\n<div><p><strong>Before:</strong>.*?<pre><code>good</code></pre></div>\n'
        r"<div><p><strong>Now:</strong>.*?<pre><code>spoiled</code></pre></div>\n</div>",
        page,
        re.DOTALL,
    )
    assert "<del>-old</del>\n<ins>+new</ins>" in page


# What a page is made of.
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "div", "dl", "dt", "dd",
    "figure", "figcaption", "h1", "h2", "h3", "p", "ul", "li", "span", "small", "strong", "code", "pre", "ins", "del",
    "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
    "svg", "g", "circle", "line", "path", "rect", "text",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "scope", "rowspan", "tabindex", "open",
    "role", "aria-hidden", "viewbox", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "width", "height",
}  # fmt: skip
OUR_WORDS = re.compile(r"[\w /.%:;='+,-]*")


def check_inert(text: str) -> Page:
    """Nothing that loads, runs, links or leaves the tree; and no foreign text in any attribute."""
    page = parsed(text)
    assert set(page.tags) <= TAGS
    assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
    for tag, name, value in page.attributes:
        assert OUR_WORDS.fullmatch(value), (tag, name, value)
        assert "FOREIGN" not in value
        assert "None" not in value, (tag, name, value)
    assert page.unbalanced == page.odd == []
    assert page.tags.count("style") == page.tags.count("title") - text.count('role="img"') == 1
    assert "url(" not in page.said("style")
    assert "@import" not in page.said("style")
    return page


def test_a_page_is_inert() -> None:
    check_inert(html.render(*regressed_report(), GateOptions()))


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_trick_in_any_field_lives(bad: str) -> None:
    page = check_inert(html.render(*regressed_report(f"FOREIGN{bad}"), GateOptions()))
    assert sum("FOREIGN" in words for _, words in page.text) >= 30
    assert all(tag in ("code", "ins", "del") for tag, words in page.text if "FOREIGN" in words)


@given(texts)
@settings(max_examples=15)
def test_no_mix_of_tricks_lives(bad: str) -> None:
    check_inert(html.render(*regressed_report(f"FOREIGN{bad}"), GateOptions()))


@given(comparisons())
@settings(max_examples=30)
def test_any_comparison_can_be_shown(found: Comparison) -> None:
    check_inert(shown(found))


@given(texts)
@settings(max_examples=20)
def test_any_block_can_be_shown(bad: str) -> None:
    foreign = Untrusted(f"FOREIGN{bad}")
    line = text("ours ", foreign, Mono(foreign), Strong(foreign))
    check_inert(
        shown(
            None,
            Group("context", Importance.CONTEXT, (Bullets((line,)), Details(line, (Code(foreign, "diff"),)))),
            table([(foreign, "left")], [[line]]),
        )
    )


def test_the_policy_allows_this_style_and_nothing_else() -> None:
    page = parsed(shown(REGRESSED))
    policy = page.values("meta", "content")[0]
    digest = base64.b64encode(hashlib.sha256(page.said("style").encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert page.values("meta", "http-equiv") == ["Content-Security-Policy"]


def test_the_policy_stands_before_everything_that_it_is_about() -> None:
    in_order(shown(), ["<meta charset", "Content-Security-Policy", "<style>", "<body>"])


def big(tests: int) -> tuple[Document, Comparison]:
    """A document far beyond what a page may hold, and a comparison with as much to draw."""
    words = Untrusted("<" * 4000)
    lists = [Group(f"list {index}", Importance.LIST, tuple(Code(words) for _ in range(50))) for index in range(tests)]
    rows = [[text(Mono(Untrusted('"' * 300)))] * 4 for _ in range(5000)]
    categories = Group("categories", Importance.TABLE, (table([("x", "left")] * 4, rows),))
    said = Group("reasons", Importance.VERDICT, (Paragraph(text("the reasons")),))
    found = comparison(
        categories=[
            compared(Status.STABLE, 1.0, 1.0, 1, category='"' * 300 + str(index), model='"' * 300)
            for index in range(1000)
        ],
        models=[compared(Status.STABLE, 1.0, 1.0, 1, model='"' * 300 + str(index)) for index in range(1000)],
    )
    return Document((VERDICT, said, *lists, categories)), found


def test_a_page_is_bounded_and_says_what_is_left_out() -> None:
    document, found = big(4)
    page = html.render(document, found, None, None, GateOptions())
    assert len(page.encode()) <= html.LIMIT
    check_inert(page)
    said = parsed(page).said("p")
    assert "the reasons" in said
    assert "Left out here" in said
    assert "categories" in said


def test_a_context_that_is_too_long_is_cut_by_itself() -> None:
    long = Group("long context", Importance.CONTEXT, tuple(Code(Untrusted("<" * 4000)) for _ in range(100)))
    page = shown(None, long, Group("short context", Importance.VERDICT, (Paragraph(text("the reasons")),)))
    assert len(page.encode()) < 500_000
    assert "the reasons" in page
    assert "Left out here, for there is no room: long context." in page


def colours(style: str, scheme: str) -> dict[str, str]:
    light, dark = re.findall(r":root \{([^}]*--page[^}]*)\}", style)
    return dict(re.findall(r"--([\w-]+): (#\w{6})", {"light": light, "dark": dark}[scheme]))


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG21/#dfn-relative-luminance"""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_marks_stand_out_from_what_is_behind_them(scheme: str) -> None:
    named = colours(parsed(shown()).said("style"), scheme)
    words = [(name, behind) for name in ("text", "quiet") for behind in ("page", "panel")]
    words += [("text", f"{tone}-tint") for tone in ("worse", "unsure", "better", "plain")]
    words += [(tone, "page") for tone in ("worse", "unsure", "better", "plain")]
    words += [("worse", "worse-tint"), ("better", "better-tint"), ("plain", "plain-tint")]
    for name, behind in words:
        assert contrast(named[name], named[behind]) >= 4.5, (name, behind)


def test_a_dark_page_and_paper_are_thought_of() -> None:
    style = parsed(shown()).said("style")
    assert "@media screen and (prefers-color-scheme: dark)" in style
    assert "@media print" in style


def test_templates_are_loaded_only_for_a_page() -> None:
    # The start of every other command would pay for it.
    code = "import sys, llm_testbench.report.html; sys.exit('jinja2' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_templates_lie_inside_the_package() -> None:
    # Where a wheel takes them along.
    folder = Path(html.__file__).parent / "page"
    assert {path.name for path in folder.iterdir()} == {"page.html", "charts.html", "style.css"}
