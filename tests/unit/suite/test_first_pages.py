"""docs/first-test.md and docs/migrate-from-promptfoo.md show what is so."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.unit.suite.suites import write

from llm_testbench.evaluators.registry import names
from llm_testbench.sandbox.workshop import Mode, opened
from llm_testbench.settings import config_file
from llm_testbench.suite.load import load
from llm_testbench.suite.prove import Proof, prove

DOCS = Path(__file__).parents[3] / "docs"
FIRST = (DOCS / "first-test.md").read_text("utf-8")
MIGRATE = (DOCS / "migrate-from-promptfoo.md").read_text("utf-8")
FILE = re.compile(r"`([\w./-]+)`:\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPTFOO = {
    *("equals", "contains", "icontains", "contains-all", "contains-any", "icontains-all", "icontains-any"),
    *("starts-with", "regex", "is-json", "contains-json", "is-html", "contains-html", "is-xml", "contains-xml"),
    *("is-sql", "contains-sql", "is-refusal", "finish-reason", "latency", "cost", "word-count", "levenshtein"),
    *("rouge-n", "bleu", "gleu", "meteor", "perplexity", "perplexity-score", "is-valid-function-call"),
    *("is-valid-openai-function-call", "is-valid-openai-tools-call", "tool-call-f1", "skill-used", "guardrails"),
    *("trajectory:tool-used", "trajectory:tool-args-match", "trajectory:tool-sequence", "trajectory:step-count"),
    *("javascript", "python", "ruby", "webhook", "assert-set", "llm-rubric", "similar", "factuality", "g-eval"),
    *("answer-relevance", "context-faithfulness", "moderation", "classifier", "select-best", "model-graded-closedqa"),
}


def shown(page: str) -> dict[str, str]:
    return dict(FILE.findall(page))


@pytest.mark.parametrize(
    ("page", "name"), [(FIRST, "evals/shop.yaml"), (MIGRATE, "evals/shop.yaml")], ids=["first", "after"]
)
def test_a_suite_of_the_page_proves_itself_without_a_note(tmp_path: Path, page: str, name: str) -> None:
    write(tmp_path, name, shown(page)[name])
    with opened(Mode.REQUIRE, os.defpath) as found:
        assert prove(load([name], tmp_path), found.workshop) == Proof()


def test_the_config_of_the_page_is_one() -> None:
    assert config_file.parse(shown(MIGRATE)["llm-testbench.yaml"], Path("/c.yaml"), "c.yaml").faults == ()


def test_the_draft_that_the_page_tells_of_lets_the_wrong_answer_through(tmp_path: Path) -> None:
    draft = shown(MIGRATE)["evals/shop.yaml"].replace(
        "regex: {pattern: '\\byes\\b|\\byou can\\b(?!.t)', flags: i}", "contains_any: [yes, you can]"
    )
    write(tmp_path, "s.yaml", draft)
    (problem,) = [one for one in prove(load(["s.yaml"], tmp_path)).problems if one.test_id == "shop-return"]
    assert problem.message.startswith("example 2 must score 0 but scores 1")


def test_the_refusal_that_the_page_shows_is_the_one_that_is_told(tmp_path: Path) -> None:
    write(tmp_path, "s.yaml", shown(FIRST)["evals/shop.yaml"].replace("expected: 68", "expected: 80"))
    told = [one.message for one in prove(load(["s.yaml"], tmp_path)).problems if one.rule == "passes-on-copied-number"]
    assert told
    assert f"```text\n{told[0]}\n```" in FIRST


def test_every_assertion_has_a_row() -> None:
    rows = re.findall(r"^\| (.*?) \| (.*?) \|", MIGRATE, re.MULTILINE)
    named = {name for row, _ in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named >= PROMPTFOO


def test_what_takes_the_place_of_an_assertion_exists() -> None:
    section = MIGRATE.split("## Assertions\n")[1].split("\n## ")[0]
    ours = re.findall(r"^\| .*? \| (.*?) \|", section, re.MULTILINE)
    words = {word.partition(":")[0] for cell in ours for word in re.findall(r"`([a-z_]+(?::[^`]*)?)`", cell)}
    assert words - {"prices"} <= set(names())
    assert len(words) >= 18
