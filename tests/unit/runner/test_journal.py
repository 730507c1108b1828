from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.runner.samples import a_row, a_test

from llm_testbench.answer.model import ToolCall
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.rows import row_key
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import Try
from llm_testbench.json_value import JSON
from llm_testbench.redaction import NO_SECRETS, Redactor
from llm_testbench.runner.journal import Journal, journal_path, run_key
from llm_testbench.suite.model import Test

KEY = "k" * 64


def written(artifact: Path, *rows: Row, key: str = KEY) -> Path:
    journal = Journal.open(artifact, key, resume=False)
    for row in rows:
        journal.append(row)
    journal.close()
    return journal.path


def resumed(artifact: Path) -> tuple[Row, ...]:
    journal = Journal.open(artifact, KEY, resume=True)
    journal.close()
    return journal.reused


def test_it_stands_beside_the_artifact(tmp_path: Path) -> None:
    assert journal_path(tmp_path / "run.json.gz") == tmp_path / "run.json.gz.journal.jsonl"


def test_a_row_is_in_the_file_as_soon_as_it_was_appended(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "run.json", KEY, resume=False)
    journal.append(a_row(3))
    head, row = journal.path.read_text("ascii").splitlines()
    assert json.loads(head) == {"journal": 1, "run_key": KEY}
    assert json.loads(row)["attempt"] == 3
    journal.close()


def test_a_resumed_run_gets_the_rows_as_they_were(tmp_path: Path) -> None:
    row = a_row(
        response_text="ein „Zitat“\n\u2028 \ud83d",
        tool_calls=(ToolCall("f", {"x": 1}, '{"x": 1}', "call_1"),),
        tries=(Try(200, Outcome.ANSWERED, 0.0, 12.5),),
    )
    written(tmp_path / "run.json", row)
    assert resumed(tmp_path / "run.json") == (row,)


def test_what_a_row_answers_is_kept_beside_it_where_it_was_told(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "run.json", KEY, resume=False)
    journal.append(a_row(0))
    journal.append(a_row(1, phase="confirm", side="baseline"), "a" * 64)
    journal.close()

    resumed = Journal.open(tmp_path / "run.json", KEY, resume=True)
    resumed.close()

    assert [(row.attempt, resumed.requests[row_key(row)]) for row in resumed.reused] == [(0, ""), (1, "a" * 64)]


def test_a_line_that_does_not_say_what_it_answers_costs_only_its_own_attempt(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", a_row(0))
    with path.open("a") as file:
        file.write(json.dumps({**json.loads(path.read_text().splitlines()[1]), "attempt": 1, "request_hash": 7}) + "\n")

    assert resumed(tmp_path / "run.json") == (a_row(0),)


def test_errors_are_asked_again_and_a_later_row_of_the_same_attempt_counts(tmp_path: Path) -> None:
    failed = a_row(0, error="timeout", outcome=Outcome.TIMEOUT)
    written(tmp_path / "run.json", failed, a_row(1), replace(failed, attempt=2))
    journal = Journal.open(tmp_path / "run.json", KEY, resume=True)
    assert journal.reused == (a_row(1),)
    journal.append(a_row(0))
    journal.close()
    assert sorted(row.attempt for row in resumed(tmp_path / "run.json")) == [0, 1]


def test_the_same_attempt_in_another_phase_or_side_is_another_attempt(tmp_path: Path) -> None:
    rows = (a_row(0), a_row(0, phase="confirm"), a_row(0, side="baseline"), a_row(0, model="b"))
    written(tmp_path / "run.json", *rows)
    assert resumed(tmp_path / "run.json") == rows


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_wherever_the_last_line_is_torn_all_whole_lines_are_kept(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    artifact = tmp_path_factory.mktemp("torn") / "run.json"
    rows = [a_row(number, response_text=f"hello {number}") for number in range(3)]
    path = written(artifact, *rows)
    whole = path.read_bytes()
    size = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:size])
    lines = whole[:size].count(b"\n")
    kept = tuple(rows[: max(lines - 1, 0)])
    journal = Journal.open(artifact, KEY, resume=True)
    assert journal.reused == kept
    journal.append(a_row(9))
    journal.close()
    assert resumed(artifact) == (*kept, a_row(9))


def test_a_damaged_line_inside_costs_only_its_own_attempt(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", a_row(0), a_row(1), a_row(2))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"attempt": "one", "model": \xff\n'
    path.write_bytes(b"".join(lines))
    assert resumed(tmp_path / "run.json") == (a_row(0), a_row(2))


def test_nothing_to_resume_is_a_new_run(tmp_path: Path) -> None:
    assert resumed(tmp_path / "run.json") == ()


def test_the_journal_of_another_run_is_refused_with_a_way_out_and_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "run.json", a_row(), key="o" * 64)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"journal\.jsonl:1: .*other settings, tests or shard.*without --resume"):
        Journal.open(tmp_path / "run.json", KEY, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"notes of mine\n", id="text"),
        pytest.param(b"notes of mine, without an end", id="text without an end"),
        pytest.param(b'{"journal": 2, "run_key": "x"}\n', id="another version"),
        pytest.param(b"[1]\n", id="another shape"),
        pytest.param(b"[" * 100_000 + b"\n", id="nested without end"),
        pytest.param(b"\xff\xfe\n", id="no UTF-8"),
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = journal_path(tmp_path / "run.json")
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a journal of version 1"):
        Journal.open(tmp_path / "run.json", KEY, resume=True)
    assert path.read_bytes() == content


def test_a_leftover_is_moved_aside_when_it_is_not_resumed(tmp_path: Path) -> None:
    moved = []
    for number in range(3):
        journal = Journal.open(tmp_path / "run.json", KEY, resume=False)
        moved.append(journal.moved_aside and journal.moved_aside.name)
        journal.append(a_row(number))
        journal.close()
    assert moved == [None, "run.json.journal.jsonl.1", "run.json.journal.jsonl.2"]
    assert '"attempt":0' in (tmp_path / "run.json.journal.jsonl.1").read_text()


def test_a_secret_never_reaches_the_file(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "run.json", KEY, resume=False, redactor=Redactor(["sk-very-secret"]))
    journal.append(a_row(error="401: bad key sk-very-secret", response_text="sk-very-secret"))
    journal.close()
    text = journal.path.read_text()
    assert "sk-very-secret" not in text
    assert "401: bad key ***" in text


def test_it_is_removed_once_the_artifact_is_written(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "run.json", KEY, resume=False)
    journal.remove()
    journal.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("resume", [True, False])
def test_a_journal_that_another_run_is_writing_is_left_alone(tmp_path: Path, resume: bool) -> None:
    journal = Journal.open(tmp_path / "run.json", KEY, resume=False)
    with pytest.raises(InputError, match="another process is writing this journal"):
        Journal.open(tmp_path / "run.json", KEY, resume=resume)
    journal.append(a_row())
    journal.close()
    assert resumed(tmp_path / "run.json") == (a_row(),)


def test_a_file_system_without_locks_does_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: object, _operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    written(tmp_path / "run.json", a_row())
    assert resumed(tmp_path / "run.json") == (a_row(),)


def test_a_folder_that_does_not_exist_is_an_input_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written .No such file or directory.: choose an output") as found:
        Journal.open(tmp_path / "absent" / "run.json", KEY, resume=False)
    assert "\n" not in str(found.value)


class Disk(io.BytesIO):
    """Has room for some bytes, then is full until somebody tidies up."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, data: object) -> int:
        taken = memoryview(data).tobytes()[: min(self.room, 50)]  # type: ignore[arg-type] # whatever bytes are like
        if not taken:
            raise OSError(28, "No space left on device")
        self.room -= len(taken)
        return super().write(taken)


def test_a_full_disk_does_not_end_the_run_and_is_told_once(tmp_path: Path) -> None:
    disk = Disk(room=700)
    journal = Journal(journal_path(tmp_path / "run.json"), disk, NO_SECRETS)
    for number in range(3):
        journal.append(a_row(number))
    trouble = journal.trouble
    assert trouble is not None
    assert "No space left on device" in trouble
    disk.room = 10_000
    journal.append(a_row(3))
    lines = disk.getvalue().splitlines()
    assert json.loads(lines[0])["attempt"] == 0
    assert json.loads(lines[-1])["attempt"] == 3, "room came back, and the row stands on a line of its own"
    assert journal.trouble == trouble


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda: ({"seed": 2}, [a_test()], None), id="settings"),
        pytest.param(lambda: ({"seed": 1}, [a_test(), a_test("more")], None), id="a test more"),
        pytest.param(lambda: ({"seed": 1}, [a_test(check_hash="d" * 64)], None), id="check"),
        pytest.param(lambda: ({"seed": 1}, [a_test(messages=({"role": "user", "content": "Hi"},))], None), id="prompt"),
        pytest.param(lambda: ({"seed": 1}, [a_test(rev=2)], None), id="revision"),
        pytest.param(lambda: ({"seed": 1}, [a_test(models=("chat",))], None), id="models of a test"),
        pytest.param(lambda: ({"seed": 1}, [a_test()], "1/2"), id="shard"),
    ],
)
def test_the_run_key_changes_with_all_that_rows_depend_on(
    change: Callable[[], tuple[JSON, list[Test], str | None]],
) -> None:
    key = run_key({"seed": 1}, [a_test()])
    assert key == run_key({"seed": 1}, [a_test(description="said differently", tags=("new",))])
    assert key != run_key(*change())
