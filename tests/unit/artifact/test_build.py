import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.unit.artifact.samples import CHAT, FACTS, error_row, row
from tests.unit.artifact.suites import suite_test

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.build import build, catalog_hash, entry_of, public_url, this_host
from llm_testbench.artifact.model import Artifact, Row, TestEntry
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


class TestCopies:
    def copies(self, *rows: Row) -> list[str | None]:
        return [found.copy for found in built(*rows).results]

    def test_a_later_attempt_with_the_same_response_id_is_a_copy(self) -> None:
        rows = [row(attempt=n, response_id=name) for n, name in enumerate(["x", "x", "y", "x"])]

        assert self.copies(*rows) == [None, "id", None, "id"]

    def test_another_phase_belongs_to_the_same_cell(self) -> None:
        rows = [row(response_id="x"), row(attempt=1, phase="confirm", response_id="x")]

        assert self.copies(*rows) == [None, "id"]

    def test_the_other_side_does_not(self) -> None:
        rows = [row(response_id="x"), row(attempt=1, side="baseline", response_id="x")]

        assert self.copies(*rows) == [None, None]

    def test_what_a_cache_said_stays(self) -> None:
        rows = [row(response_id="x", copy="header"), row(attempt=1, response_id="x", copy="header")]

        assert self.copies(*rows) == ["header", "header"]

    @pytest.mark.parametrize("nothing", [None, ""])
    def test_no_id_is_no_evidence(self, nothing: str | None) -> None:
        assert self.copies(row(response_id=nothing), row(attempt=1, response_id=nothing)) == [None, None]

    def test_an_id_that_answers_every_test_is_a_constant_of_the_server(self) -> None:
        rows = [row(test, attempt=n, response_id="chatcmpl-1") for test in ("a", "b") for n in range(2)]

        assert self.copies(*rows) == [None] * 4

    def test_another_model_may_use_the_same_ids(self) -> None:
        rows = [row(model=model, attempt=n, response_id=f"r{n}") for model in ("a", "b") for n in range(2)]

        assert self.copies(*rows) == [None] * 4


class TestSubstituted:
    def outcomes(self, *served: str | None) -> list[str]:
        rows = [row(attempt=n, served_model=name) for n, name in enumerate(served)]
        return [found.outcome.value for found in built(*rows).results]

    def test_an_attempt_by_another_model_than_most_is_an_error(self) -> None:
        found = built(*(row(attempt=n, served_model=name) for n, name in enumerate("aab"))).results[2]

        assert found.outcome is Outcome.SUBSTITUTED
        assert found.error == "answered by 'b'; most attempts were by 'a'"
        assert (found.scored, found.score, found.passed) == (False, 0.0, False)

    @pytest.mark.parametrize(
        ("served", "outcomes"),
        [
            pytest.param("aaa", "aaa", id="all the same"),
            pytest.param("ab", "ab", id="no majority of two"),
            pytest.param("aabc", "aabc", id="half is no majority"),
            pytest.param("aaabc", "aaa--", id="two others"),
        ],
    )
    def test_only_a_majority_tells_who_is_the_other(self, served: str, outcomes: str) -> None:
        found = self.outcomes(*served)

        assert found == ["substituted" if sign == "-" else "answered" for sign in outcomes]

    def test_attempts_that_do_not_say_who_answered_are_left_alone(self) -> None:
        assert self.outcomes("a", "a", "b", None, "") == ["answered"] * 2 + ["substituted"] + ["answered"] * 2

    def test_it_is_decided_over_all_tests_of_a_model(self) -> None:
        rows = [row("t1", served_model="a"), row("t2", served_model="a"), row("t3", served_model="b")]

        assert [found.outcome.value for found in built(*rows).results] == ["answered", "answered", "substituted"]

    def test_each_model_and_side_has_its_own_majority(self) -> None:
        rows = [
            *(row(attempt=n, served_model="a") for n in range(2)),
            *(row(attempt=n, side="baseline", served_model="b") for n in range(2)),
            *(row(model="other", attempt=n, served_model="c") for n in range(2)),
        ]

        assert {found.outcome.value for found in built(*rows).results} == {"answered"}

    def test_failed_calls_have_no_vote_and_stay_as_they_are(self) -> None:
        rows = [*(error_row(attempt=n, served_model="b") for n in range(3)), row(attempt=3, served_model="a")]

        assert [found.outcome.value for found in built(*rows).results] == ["server"] * 3 + ["answered"]

    def test_a_long_name_does_not_make_a_long_message(self) -> None:
        rows = [*(row(attempt=n, served_model="a") for n in range(2)), row(attempt=2, served_model="b" * 10_000)]

        error = built(*rows).results[2].error

        assert error is not None
        assert len(error) < 300

    def test_it_counts_in_statistics_no_more(self) -> None:
        rows = [*(row(attempt=n, served_model="a") for n in range(2)), row(attempt=2, served_model="b", score=0.0)]

        assert built(*rows).stats[0].mean == 1.0


def test_a_built_artifact_is_valid(tmp_path: Path) -> None:
    one = build(FACTS, [suite_test(), suite_test("a")], [row(), row(attempt=1, response_id="x")], [CHAT])

    write(one, tmp_path / "a.json", NO_SECRETS)

    assert [test["test_id"] for test in json.loads((tmp_path / "a.json").read_text())["tests"]] == ["a", "greeting"]
    assert canonical(one.tests[0].request)
