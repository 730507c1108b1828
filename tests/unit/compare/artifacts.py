"""Small artifacts for tests: a table of scores per (model, test), the rest by default or by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Meta, Row, TestEntry

META = Meta(
    version="1.0.0",
    started_at="2026-01-01T00:00:00Z",
    finished_at="2026-01-01T00:01:00Z",
    endpoint="http://gateway.example/v1",
    models={"chat": "org/chat"},
    repeat=1,
    test_count=0,
    catalog_hash="0" * 16,
    temperature=0.0,
    max_tokens_default=4096,
)
Attempt = float | Outcome
"""A score, or the outcome of an attempt without one."""


def entry(test_id: str, **changes: Any) -> TestEntry:
    """As the suite stands; `changes` are fields."""
    plain = TestEntry(
        test_id=test_id,
        category=test_id.split("-", maxsplit=1)[0],
        subcategory="sub",
        request={"messages": [{"role": "user", "content": f"question {test_id}"}]},
        check={"contains": "yes"},
        request_hash=f"request {test_id}",
        check_hash=f"check {test_id}",
        suite_file="evals/all.yaml",
        line=7,
    )
    return replace(plain, **changes)


def row(test: TestEntry, model: str, attempt: int, result: Attempt, **changes: Any) -> Row:
    """One attempt; an outcome that is an error carries words of the server."""
    plain = Row(model, test.test_id, test.category, test.subcategory, attempt, Outcome.ANSWERED)
    if isinstance(result, Outcome):
        skipped = result is Outcome.TOOLCHAIN_MISSING
        return replace(plain, outcome=result, skipped=skipped, error=None if skipped else f"words: {result}", **changes)
    return replace(
        plain, score=result, passed=result >= 0.99, reason=f"scored {result}", response_text="an answer", **changes
    )


def artifact(
    cells: Mapping[tuple[str, str] | str, Sequence[Attempt]],
    *entries: TestEntry,
    foreign: bool = False,
    rows: Sequence[Row] = (),
    **meta: Any,
) -> Artifact:
    """`cells`: (model, test id), or a test id of the model `chat`, to its attempts."""
    keyed = {(("chat", key) if isinstance(key, str) else key): attempts for key, attempts in cells.items()}
    tests = {test.test_id: test for test in entries}
    for _, test_id in keyed:
        tests.setdefault(test_id, entry(test_id))
    made = [
        row(tests[test_id], model, number, result)
        for (model, test_id), attempts in sorted(keyed.items())
        for number, result in enumerate(attempts)
    ]
    models = {model: f"org/{model}" for model, _ in keyed} or {"chat": "org/chat"}
    asked = dict.fromkeys(models, "asked in this way")
    fields: dict[str, Any] = {"models": models, "asked": asked, "test_count": len(tests)} | meta
    described = replace(META, **fields)
    listed = () if foreign else tuple(sorted(tests.values(), key=lambda test: test.test_id))
    return Artifact(described, listed, (*made, *rows), (), foreign)


_MODELS = ("chat", "code")
_IDS = ("a-one", "a-two", "b-one", "b-two")
_attempts = st.lists(
    st.one_of(
        st.sampled_from([0.0, 0.5, 0.985, 0.99, 1.0]),
        st.sampled_from([Outcome.REJECTED, Outcome.CONTEXT_LENGTH, Outcome.TIMEOUT, Outcome.TOOLCHAIN_MISSING]),
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def artifacts(draw: st.DrawFn) -> Artifact:
    """Any small run: errors, changed prompts and checks, quarantine, must_pass, missing models and tests."""
    entries = [
        entry(
            test_id,
            request_hash=draw(st.sampled_from(["", "1", "2"])),
            check_hash=draw(st.sampled_from(["", "1", "1", "2"])),
            rev=draw(st.sampled_from([1, 1, 1, 2])),
            must_pass=draw(st.booleans()),
            quarantine=draw(st.sampled_from([False, False, True])),
        )
        for test_id in _IDS
    ]
    keys = draw(st.lists(st.tuples(st.sampled_from(_MODELS), st.sampled_from(_IDS)), unique=True))
    cells: dict[tuple[str, str] | str, Sequence[Attempt]] = {key: draw(_attempts) for key in keys}
    return artifact(
        cells,
        *entries,
        foreign=draw(st.booleans()),
        interrupted=draw(st.sampled_from([False, False, True])),
        repeat=draw(st.sampled_from([1, 3])),
        catalog_hash=draw(st.sampled_from(["", "1", "2"])),
    )
