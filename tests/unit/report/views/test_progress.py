from datetime import UTC, datetime

import pytest
from tests.unit.hostile_text import HOSTILE
from tests.unit.rendered_markdown import rendered

from llm_testbench.report import markdown
from llm_testbench.report.views.progress import STALE_MINUTES, no_verdict_report, progress_report
from llm_testbench.runner.progress import Count

NOW = datetime(2026, 11, 3, 12, 5, tzinfo=UTC)
RUN = "https://github.com/octo/my_shop/actions/runs/101"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (Count(450), "How long it takes is not known yet."),
        (Count(450, 120, elapsed=60.0), "About 2m45s left."),
        (Count(450, 120, reused=120), "How long it takes is not known yet."),
        (Count(450, 150, errors=4, elapsed=60.0), "About 2m00s left. 4 without an answer so far."),
        (Count(450, 450, elapsed=60.0), "All planned attempts are made."),
    ],
)
def test_progress_says_how_many_and_how_long(count: Count, said: str) -> None:
    heading, told, _ = markdown.render(progress_report(count, NOW, RUN)).strip().split("\n\n")
    assert heading == f"## In progress: {count.done} of {count.total} attempts"
    assert told == said


def test_progress_says_what_to_think_of_it_when_it_gets_old() -> None:
    last = markdown.render(progress_report(Count(2), NOW, RUN)).strip().split("\n\n")[-1]
    assert last == (
        f"As of 2026-11-03 12:05 UTC. If this is older than {STALE_MINUTES} minutes, the run was killed, or it cannot"
        f" reach GitHub: see {RUN}"
    )


def test_without_an_address_none_is_promised() -> None:
    texts = [markdown.render(progress_report(Count(2), NOW, "")), markdown.render(no_verdict_report("x", NOW, ""))]
    assert [text.strip().rpartition(" ")[2] for text in texts] == ["GitHub.", "UTC."]


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_foreign_words_are_shown_as_such(hostile: str) -> None:
    page = rendered(markdown.render(no_verdict_report(hostile, NOW, RUN)))
    assert [tag for tag in page.tags if tag != "code"][-1] == "a"
    assert set(page.tags) <= {"h2", "p", "code", "a"}
    assert page.tags.count("a") == 1
    assert page.unbalanced == []
    said = " ".join(page.prose.replace("|", "").split())
    assert said == f"No verdict: the run ended early As of 2026-11-03 12:05 UTC. The log: {RUN}"


def test_an_address_that_is_none_is_no_link() -> None:
    page = rendered(markdown.render(no_verdict_report("x", NOW, "https://example.com/<b>@mona")))
    assert set(page.tags) == {"h2", "p", "code"}
