import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.unit.artifact.samples import CHAT, FACTS, row
from tests.unit.artifact.suites import suite_test

from llm_testbench.artifact.build import build, catalog_hash, entry_of, public_url, this_host
from llm_testbench.artifact.model import MOST_LIMITS, Artifact, Row, TestEntry, Throttled
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.stats import stats
from llm_testbench.artifact.write import write
from llm_testbench.json_value import canonical
from llm_testbench.redaction import NO_SECRETS


def built(*rows: Row) -> Artifact:
    return build(FACTS, [suite_test()], rows, [CHAT])


def test_rows_are_sorted_and_statistics_made_of_them() -> None:
    rows = [row("z"), row("a", attempt=1), row("a", model="b"), row("a")]

    found = built(*rows)

    assert list(found.results) == sorted(rows, key=row_key)
    assert found.stats == stats(rows)
    assert not found.foreign


def test_meta_tells_the_facts_of_the_run() -> None:
    facts = replace(FACTS, seed=7, temperature=0.5, max_tokens_default=100, interrupted=True, role="gate", shard="1/2")

    meta = build(facts, [suite_test()], [row()], [CHAT]).meta

    assert (meta.version, meta.started_at, meta.finished_at) == (
        "1.2.3",
        "2026-05-01T10:00:00Z",
        "2026-05-01T10:05:00Z",
    )
    assert (meta.models, meta.endpoint, meta.repeat, meta.test_count) == (
        {"chat": "org/chat"},
        "http://127.0.0.1:8000/v1",
        2,
        1,
    )
    assert (meta.seed, meta.temperature, meta.max_tokens_default, meta.interrupted, meta.role, meta.shard) == (
        7,
        0.5,
        100,
        True,
        "gate",
        "1/2",
    )


def test_how_the_run_went_is_told_by_model() -> None:
    many = tuple((float(n), 8) for n in range(MOST_LIMITS + 1))
    facts = replace(FACTS, adaptations={"chat": ("max_completion_tokens",)}, throttled={"chat": Throttled(37, 4, many)})

    meta = build(facts, [suite_test()], [row()], [CHAT]).meta

    assert meta.adaptations == {"chat": ("max_completion_tokens",)}
    assert meta.throttled == {"chat": Throttled(37, 4, many[:MOST_LIMITS])}


def test_times_are_told_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    facts = replace(FACTS, started_at=datetime(2026, 5, 1, 1, 30, 15, 999_999, tzinfo=east))

    assert build(facts, [], [], []).meta.started_at == "2026-04-30T23:30:15Z"
    assert datetime.fromisoformat(build(FACTS, [], [], []).meta.started_at) == FACTS.started_at.astimezone(UTC)


def test_fingerprints_and_served_models_are_listed_by_model() -> None:
    found = built(
        row(fingerprint="fp_2", served_model="b"),
        row(attempt=1, fingerprint="fp_1", served_model="b"),
        row(attempt=2, fingerprint="fp_2", served_model=""),
        row(model="other", fingerprint=None, served_model="c"),
    ).meta

    assert found.fingerprints == {"chat": ("fp_1", "fp_2")}
    assert found.served_models == {"chat": ("b",), "other": ("c",)}


def test_the_other_side_may_be_another_model_and_is_not_what_the_name_stands_for() -> None:
    found = built(
        row(fingerprint="fp_1", served_model="b"),
        row(attempt=1, phase="confirm", fingerprint="fp_2", served_model="b"),
        row(side="baseline", fingerprint="fp_old", served_model="a"),
        row(side="baseline", phase="confirm", fingerprint="fp_older", served_model="a"),
    )

    assert found.meta.fingerprints == {"chat": ("fp_1", "fp_2")}
    assert found.meta.served_models == {"chat": ("b",)}


def test_statistics_are_of_what_was_planned_for_this_side_alone() -> None:
    other = [row(side="baseline", score=0.0), row(attempt=1, phase="confirm", score=0.0)]

    assert built(row(), *other).stats == stats([row()])


def test_a_test_is_kept_as_it_was_asked() -> None:
    test = suite_test(tools=({"type": "function", "function": {"name": "f"}},))

    entry = entry_of(test)

    assert entry.request == {
        "messages": [{"role": "user", "content": "Say hello"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "parameters": {},
        "max_tokens": None,
    }
    assert (entry.check, entry.check_hash, entry.request_hash) == (test.check, test.check_hash, test.request_hash)
    assert (entry.suite_file, entry.line, entry.rev) == ("evals/language.yaml", 7, 1)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("evals/a.yaml", "evals/a.yaml"),
        ("builtin:smoke", "builtin:smoke"),
        ("/home/me/secret-project/a.yaml", "a.yaml"),
        ("C:\\Users\\me\\a.yaml", "a.yaml"),
    ],
)
def test_no_absolute_path_is_kept(written: str, kept: str) -> None:
    assert entry_of(replace(suite_test(), suite_file=written)).suite_file == kept


def test_the_catalog_hash_is_of_ids_and_requests_in_any_order() -> None:
    one = TestEntry("a", "", "", request_hash="1")
    two = TestEntry("b", "", "", request_hash="2")

    assert catalog_hash([one, two]) == catalog_hash([two, one])
    assert catalog_hash([one, two]) != catalog_hash([one, replace(two, request_hash="3")])
    assert catalog_hash([one, two]) == catalog_hash([one, replace(two, check_hash="9", category="x")])
    # printf '[["a","1"],["b","2"]]' | sha256sum
    assert catalog_hash([one, two]) == "5f13efef7cdd95e7"


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://gateway.example.com/v1", "https://gateway.example.com/v1"),
        (
            "https://user:pass@gateway.example.com:8443/v1?api-version=1&key=k#top",
            "https://gateway.example.com:8443/v1",
        ),
        ("https://token@gateway.example.com", "https://gateway.example.com"),
        ("http://user:p@[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://host:notaport/v1", ""),
        ("user:pass", ""),
        ("", ""),
    ],
)
def test_an_endpoint_loses_credentials_and_query(url: str, public: str) -> None:
    assert public_url(url) == public
    assert build(replace(FACTS, endpoint=url), [], [], []).meta.endpoint == public


def test_the_host_is_told_without_its_name() -> None:
    host = this_host()

    assert set(host) == {"python", "platform"}
    assert host["python"][0] == "3"


def test_a_built_artifact_is_valid(tmp_path: Path) -> None:
    one = build(FACTS, [suite_test(), suite_test("a")], [row(), row(attempt=1, response_id="x")], [CHAT])

    write(one, tmp_path / "a.json", NO_SECRETS)

    assert [test["test_id"] for test in json.loads((tmp_path / "a.json").read_text())["tests"]] == ["a", "greeting"]
    assert canonical(one.tests[0].request)
