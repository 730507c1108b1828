"""Any run with any text in it, in every sink: within its budget, in balance, and of foreign text nothing lives.

The strongest line is `prose == our words`: outside of code elements a report says what the tree holds as our own words,
in their order, and nothing else. So no mention, link, image or tag can stem from anybody else.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.github.runner import obeyed, read_outputs
from tests.unit.rendered_markdown import rendered
from tests.unit.report.any_run import MARK, AnyRun, any_runs, pools
from tests.unit.report.test_html import check_inert

from llm_testbench.commands.annotations import Placed, annotate_tests, for_check_run
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output
from llm_testbench.compare.options import GateOptions
from llm_testbench.github import check_run, comment
from llm_testbench.github.action_outputs import OUTPUTS
from llm_testbench.github.event import Event, PullRequest
from llm_testbench.github.outputs import write_outputs
from llm_testbench.github.summary import SUMMARY_LIMIT
from llm_testbench.github.workflow_commands import MESSAGE_LIMIT, MOST_SHOWN, fenced, new_token
from llm_testbench.redaction import NO_SECRETS
from llm_testbench.report import html, markdown, terminal
from llm_testbench.report.document import (
    Block,
    Bullets,
    Details,
    Document,
    Group,
    Heading,
    Importance,
    Paragraph,
    Plain,
    Span,
    Strong,
    Table,
    ungrouped,
)
from llm_testbench.report.fit import fit
from llm_testbench.report.views.marks import marks

EXAMPLES = 1000  # of what GitHub is given as Markdown, all sinks together; the other sinks get a part
EVENT = Event(
    name="pull_request", run_id=77, run_attempt=2, pull_request=PullRequest(7, "a" * 40, "b" * 40, fork=False)
)
TAGS = {
    "p", "h2", "h3", "h4", "ul", "li", "code", "pre", "strong", "details", "summary",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
EVERY = {
    "comment": (comment.COMMENT_LIMIT, comment.marker("default", EVENT) + "\n\n", 0.5),
    "check run": (check_run.SUMMARY_LIMIT, "", 0.2),
    "summary": (SUMMARY_LIMIT, "", 0.05),
    "almost full summary": (9_000, "", 0.25),
}
"""By sink: bytes, what stands in front, and its share of the examples."""

_seen: Counter[str] = Counter()
slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.fixture(scope="module", autouse=True)
def _how_many(request: pytest.FixtureRequest) -> Iterator[None]:
    """Prints what was tried, also where nobody asked for output."""
    yield
    profile = settings.get_current_profile_name()
    tried = ", ".join(f"{number} {sink}" for sink, number in sorted(_seen.items()))
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        sys.stdout.write(f"\nany run in every sink, profile {profile}: {tried}\n")


@pytest.mark.parametrize("sink", EVERY)
def test_markdown_is_within_its_budget_whole_and_inert(sink: str) -> None:
    *_, share = EVERY[sink]

    @given(run=any_runs())
    @settings(max_examples=round(EXAMPLES * share), suppress_health_check=slow)
    def of_any(run: AnyRun) -> None:
        check_sink(sink, run)

    of_any()


def check_sink(sink: str, run: AnyRun) -> None:
    limit, front, _ = EVERY[sink]
    drawn: dict[str, Document] = {}

    def render(document: Document) -> str:
        shown = markdown.render(document)
        drawn[shown] = document
        return shown

    document = run.document
    shown = fit(document, limit - len(front), render)
    _seen[sink] += 1
    assert shown, "not even the verdict has room"
    body = front + shown
    assert len(body.encode()) <= limit
    assert body.startswith(f"{front}## ")
    check_markdown(body, drawn[shown], run, commented=bool(front))
    check_order(document, drawn[shown])


def check_markdown(body: str, document: Document, run: AnyRun, *, commented: bool) -> None:
    found = rendered(f"{body}\n\n## The end\n")
    assert set(found.tags) <= TAGS | ({"!--"} if commented else set())
    assert found.tags.count("!--") == commented
    assert set(found.attributes) <= {"align", "lang"}
    assert found.unbalanced == []
    assert found.tags.count("details") == found.tags.count("summary")
    for one in found.tables:
        assert len({len(cells) for cells in one}) == 1
    ours = [*own_words(document.blocks), "The end"]
    assert inked(found.prose) == inked("".join(ours))
    assert MARK not in found.prose
    assert inked(found.prose).startswith(inked(run.comparison.headline))
    # What is not closed would swallow what comes after it.
    assert found.tags[-1] == "h2"


def own_words(blocks: Iterable[Block]) -> Iterator[str]:
    """The product's own words, in the order in which they are read."""
    for block in ungrouped(blocks):
        match block:
            case Heading(_, line) | Paragraph(line):
                yield from own(line)
            case Bullets(items):
                for item in items:
                    yield from own(item)
            case Table(columns, rows):
                yield from own(columns)
                for row in rows:
                    for cell in row:
                        yield from own(cell)
            case Details(summary, inside):
                yield from own(summary)
                yield from own_words(inside)
            case _:
                pass


def own(line: Iterable[Span]) -> Iterator[str]:
    for span in line:
        text = span.text if isinstance(span, Strong) else span
        if isinstance(text, str):
            yield text


def inked(prose: str) -> str:
    """Without white space, and without what keeps pieces of foreign text apart."""
    return re.sub(r"[\s|\u2060]", "", prose)


def check_order(whole: Document, shown: Document) -> None:
    """Where something that claims its room is not there whole, nothing less important is there at all."""
    there = {id(leaf) for leaf in leaves(shown.blocks)}
    groups = list(grouped(whole.blocks, Importance.VERDICT))
    lost = [most for claims, most, own in groups if claims and not all(id(leaf) in there for leaf in own)]
    kept = [most for _, most, own in groups if any(id(leaf) in there for leaf in own)]
    assert not lost or min(kept) >= max(lost)


def grouped(blocks: Iterable[Block], most: Importance) -> Iterator[tuple[bool, Importance, list[Plain]]]:
    """Every group: whether it claims its room, how important it is where it stands, and its own leaves."""
    for block in blocks:
        match block:
            case Group(_, importance, inside, claims):
                yield claims, min(importance, most), list(leaves(inside, groups=False))
                yield from grouped(inside, min(importance, most))
            case Details(_, inside):
                yield from grouped(inside, most)
            case _:
                pass


def leaves(blocks: Iterable[Block], *, groups: bool = True) -> Iterator[Plain]:
    for block in blocks:
        match block:
            case Group(_, _, inside):
                yield from leaves(inside) if groups else ()
            case Details(_, inside):
                yield from leaves(inside, groups=groups)
            case _:
                yield block


@given(run=any_runs(), color=st.booleans())
@settings(max_examples=EXAMPLES // 20, suppress_health_check=slow)
def test_the_report_in_a_log_commands_nothing_with_and_without_its_fence(run: AnyRun, color: bool) -> None:
    _seen["log"] += 1
    shown = terminal.render(run.document, 120, color=color)
    assert obeyed(shown) == []
    assert obeyed(fenced(shown, new_token())) == []
    escapes = re.findall(r"\x1b.{0,6}", shown)
    assert all(re.match(r"\x1b\[[\d;]*m", one) for one in escapes) if color else not escapes


@given(run=any_runs())
@settings(max_examples=EXAMPLES // 10, suppress_health_check=slow)
def test_the_page_is_inert(run: AnyRun) -> None:
    _seen["page"] += 1
    page = check_inert(html.render(run.document, run.comparison, run.current, run.baseline, GateOptions()))
    assert all(tag in ("code", "ins", "del") for tag, words in page.text if MARK in words)
    assert inked(run.comparison.headline) in inked(page.said())


@given(run=any_runs(), failing=st.booleans(), told=st.integers(0, 12), there=st.booleans())
@settings(max_examples=EXAMPLES // 5, suppress_health_check=slow)
def test_annotations_are_within_what_github_shows(run: AnyRun, failing: bool, told: int, there: bool) -> None:
    _seen["annotations"] += 1
    found = marks(run.comparison, run.current, failing=failing)
    stderr = io.StringIO()
    output = Output(Edges(stderr=stderr, environ={"GITHUB_ACTIONS": "true"}, cwd=Path("/work")), NO_SECRETS, NO_SECRETS)
    output.folder = Path("/work/results")
    output.shown_on_page.update(error=told, warning=told)
    placed = [Placed(mark, "evals/a.yaml" if there else "") for mark in found]
    annotate_tests(placed, output)
    commands = obeyed(stderr.getvalue())
    # Each is one line, and no line is anything else.
    assert len(commands) == len(stderr.getvalue().splitlines())
    for level in ("error", "warning"):
        some = [one for one in commands if one.name == level]
        assert len(some) <= max(MOST_SHOWN - told, 1)
    assert {one.name for one in commands} <= {"error", "warning"}
    for one in commands:
        assert len(one.data.encode()) <= MESSAGE_LIMIT
        assert len(one.properties["title"].encode()) <= check_run.TITLE_LIMIT
        assert one.properties.keys() <= {"title", "file", "line"}
        assert one.properties.get("file", "evals/a.yaml") == "evals/a.yaml"
    assert len({mark.title for mark in found}) == len(found)
    for annotation in for_check_run(placed, output):
        assert len(annotation.title.encode()) <= check_run.TITLE_LIMIT
        assert len(annotation.message.encode()) <= check_run.MESSAGE_LIMIT
        assert "\n" not in annotation.title + annotation.message
        assert (annotation.path, annotation.level) in (("evals/a.yaml", "failure"), ("evals/a.yaml", "warning"))


@given(pool=pools)
@settings(max_examples=EXAMPLES // 10, suppress_health_check=slow)
def test_outputs_arrive_as_they_were_sent(pool: list[str]) -> None:
    _seen["outputs"] += 1
    clean = [text.replace("\0", "") for text in pool]
    values = {name: clean[number % len(clean)][:30_000] for number, name in enumerate(OUTPUTS)}
    with TemporaryDirectory() as folder:
        path = Path(folder, "output")
        write_outputs(path, values)
        got = read_outputs(path.read_bytes())
    readable = {name: value.encode("utf-8", "backslashreplace").decode() for name, value in values.items()}
    assert got == readable
