"""The judge itself: what it takes for a success, and what attack files may say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest
from tests.sandbox import corpus, each_rule, table
from tests.sandbox.attack import HeaderError, read
from tests.sandbox.judge import live
from tests.sandbox.marked import Marked
from tests.sandbox.outcome import Outcome, Verdict, read_lines, to_line
from tests.sandbox.stage import Stage, difference, fingerprint

from llm_testbench.sandbox.model import MIB, Layer, State
from llm_testbench.sandbox.processes import uids_in_use
from llm_testbench.sandbox.uids import leased

Answer = TypeVar("Answer")
_HEADER = "# goal: x\n# success: says\n# held_by: seccomp\n"


def _file(folder: Path, text: str, name: str = "attack.py") -> Path:
    (folder / "files").mkdir(exist_ok=True)
    path = folder / "files" / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_header_says_what_an_attack_needs(tmp_path: Path) -> None:
    attack = read(
        _file(
            tmp_path,
            "# goal: read: a file\n# success: changes canary\n"
            "# held_by: calls:times by path, the newer call + own_uid; landlock_files\n"
            "# needs: root, gcc\n# limits: wall=1.5 memory=64M\n# polled: yes\n\nprint()\n",
        )
    )

    assert attack.name == "files/attack"
    assert (attack.goal, attack.success, attack.object) == ("read: a file", "changes", "canary")
    assert attack.held_by == (
        frozenset({"calls:times by path, the newer call", "own_uid"}),
        frozenset({"landlock_files"}),
    )
    assert attack.needs == {"root", "gcc"}
    assert (attack.limits.wall, attack.limits.memory) == (1.5, 64 * MIB)
    assert (attack.polled, attack.alone, attack.runs) == (True, False, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print()\n", "lack `goal:`"),
        ("# goal: x\n# success: says\n", "lack `held_by:`"),
        (_HEADER + "# goal: y\n", "`goal` stands there twice"),
        (_HEADER.replace("says", "wins"), "`success: wins` is not one of"),
        (_HEADER.replace("says", "prints secret"), "takes TOKEN, not `secret`"),
        (_HEADER.replace("seccomp", "calls:nothing"), "names `calls:nothing`, which is no layer and no rule"),
        (_HEADER + "# needs: luck\n", "`needs` has `luck`"),
        (_HEADER + "# limits: speed=1\n", "`limits` has `speed`"),
        (_HEADER + "# alone: maybe\n", "`alone` is yes or no"),
    ],
)
def test_a_header_that_says_too_little_or_nonsense_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(HeaderError, match=re.escape(told)) as caught:
        read(_file(tmp_path, text))

    assert str(caught.value).startswith("files/attack.py: ")


@pytest.mark.parametrize(
    "text",
    [
        "::error::x",
        "fine\n \u2028\t::set-env name=A::b",
        "fine\r::warning::x",
        "a line ##[group]x",
        "##vso[task.complete]",
        "\x1b[2J",
        "\x9b31m",
        "a\x00b",
        "a\u202eb",
    ],
)
def test_what_a_log_or_a_terminal_would_obey_is_live(text: str) -> None:
    assert live(text) is not None


@pytest.mark.parametrize("text", ["", "plain\ttext\n", "std::vector<int> x", "a ::error:: b", "\\x1b[2J", "## [x]"])
def test_what_they_would_not_is_not(text: str) -> None:
    assert live(text) is None


def _touched(folder: Path) -> None:
    os.utime(folder / "file", (1, 1))


def _opened(folder: Path) -> None:
    (folder / "file").chmod(0o777)


def _linked(folder: Path) -> None:
    os.link(folder / "file", folder.parent / "second")


def _written(folder: Path) -> None:
    (folder / "file").write_text("other", encoding="ascii")


def _added(folder: Path) -> None:
    (folder / "inner" / "new").symlink_to("file")


def _removed(folder: Path) -> None:
    (folder / "file").unlink()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_touched, "file: time changed"),
        (_opened, "file: mode changed"),
        (_linked, "file: links changed"),
        (_written, "file: size, time, content changed"),
        (_added, "inner/new is new"),
        (_removed, "file is gone"),
    ],
)
def test_every_change_of_a_folder_is_seen(tmp_path: Path, change: Callable[[Path], None], told: str) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "file").write_text("x", encoding="ascii")
    before = fingerprint(folder)
    assert difference(before, fingerprint(folder)) is None

    change(folder)

    changed = {path: old for path, old in before.items() if path not in (".", "inner")}
    after = {path: new for path, new in fingerprint(folder).items() if path not in (".", "inner")}
    assert difference(changed, after) == told


def test_a_stage_holds_secrets_and_notices_what_is_done_to_it() -> None:
    with Stage() as stage:
        assert len(stage.secrets) >= 14
        assert not any(secret.encode() in stage.target_json() for secret in stage.secrets)
        assert (stage.tool.harm(), stage.other.harm()) == (None, None)
        listeners = ("tcp", "udp", "unix", "unix_datagram", "abstract")
        assert [stage.reached(name) for name in listeners] == [None] * len(listeners)

        with socket.create_connection(("127.0.0.1", stage.target["tcp"])):
            assert stage.reached("tcp") is not None
        os.kill(stage.tool.pid, signal.SIGUSR1)
        os.setpriority(os.PRIO_PROCESS, stage.other.pid, 10)

        assert _soon(stage.tool.harm) == f"signal {signal.SIGUSR1}"
        assert _soon(stage.other.harm) == "its nice value changed"
        folder = stage.folder
    assert not folder.exists()


def test_processes_are_found_by_the_mark_and_ended_and_those_without_are_not() -> None:
    marked = Marked("mine")
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(subprocess.Popen(["sleep", "60"], env={"ATTACK_MARK": mark}))
            for mark in ("mine", "other")
        )
        stack.callback(theirs.kill)
        assert _soon(lambda: marked.pids() or None) == [ours.pid]

        marked.end()

        assert (ours.wait(), theirs.poll()) == (-signal.SIGKILL, None)
        assert marked.pids() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends user ids")
def test_a_process_of_a_lent_user_is_told_unless_that_is_lent_to_another_run_by_now() -> None:
    marked = Marked("mine")
    lent = ExitStack()
    uid = lent.enter_context(leased(uids_in_use()))
    marked.uids.add(uid)
    with lent, subprocess.Popen(["sleep", "60"], user=uid, group=uid, extra_groups=()) as left:
        while_lent = marked.strangers()
        lent.close()
        afterwards = marked.strangers()
        left.kill()

    assert (while_lent, afterwards, marked.strangers()) == (False, True, False)


def _outcome(
    attack: str, verdict: Verdict, without: tuple[str, ...] = (), mode: str = "sandbox", no_control: str | None = None
) -> Outcome:
    return Outcome(attack, "host root", mode, without, verdict, "why", no_control=no_control)


_WON, _HELD = Verdict.SUCCEEDED, Verdict.HELD


@pytest.mark.parametrize(
    ("outcomes", "shown"),
    [
        ([_outcome("a/x", _HELD, ("seccomp",))], {}),
        ([_outcome("a/x", _WON, ("seccomp",))], {"seccomp": "a/x (host root)"}),
        # Without both it succeeds; that both are needed is not known before each was left in place.
        ([_outcome("a/x", _WON, ("own_uid", "seccomp"))], {}),
        (
            [
                _outcome("a/x", _WON, ("own_uid", "seccomp")),
                _outcome("a/x", _HELD, ("own_uid",)),
                _outcome("a/x", _WON, ("seccomp",)),
            ],
            {"seccomp": "a/x (host root)"},
        ),
        (
            [_outcome("a/x", _WON, ("own_uid", "seccomp")), _outcome("a/x", _HELD, ("own_uid",))],
            {"seccomp": "a/x (host root, own_uid taken away too)"},
        ),
    ],
)
def test_a_rule_is_shown_by_an_attack_that_succeeds_without_it_alone_or_that_needs_it_gone(
    outcomes: list[Outcome], shown: dict[str, str]
) -> None:
    assert each_rule.proofs(outcomes) == shown


def test_each_sum_is_taken_away_and_less_of_it_but_for_what_is_not_there(tmp_path: Path) -> None:
    text = _HEADER.replace("seccomp", "own_uid + seccomp + landlock_files; always:kill")
    layers = {layer: State(layer is not Layer.OWN_UID) for layer in Layer}

    found = each_rule.trials([read(_file(tmp_path, text))], layers)

    assert {trial.without for trial in found} == {
        frozenset({"seccomp", "landlock_files"}),
        frozenset({"seccomp"}),
        frozenset({"landlock_files"}),
    }


def test_a_header_that_the_outcomes_do_not_bear_out_is_told(tmp_path: Path) -> None:
    attack = read(_file(tmp_path, _HEADER.replace("seccomp", "seccomp + landlock_files")))
    both, less = ("landlock_files", "seccomp"), ("seccomp",)

    assert each_rule.untrue([attack], []) == []
    assert each_rule.untrue([attack], [_outcome(attack.name, _WON, both), _outcome(attack.name, _HELD, less)]) == []
    assert each_rule.untrue([attack], [_outcome(attack.name, _HELD, both)]) == [
        "files/attack: does not succeed without landlock_files + seccomp"
    ]
    assert each_rule.untrue([attack], [_outcome(attack.name, _WON, less)]) == [
        "files/attack: of landlock_files + seccomp, seccomp is enough"
    ]


def test_tables_count_attacks_once_and_leave_out_what_says_nothing() -> None:
    outcomes = [
        _outcome("a/x", _HELD),
        _outcome("a/x", _WON),
        _outcome("a/y", _HELD),
        _outcome("b/z", _HELD, no_control="because"),
        _outcome("b/w", Verdict.NOT_APPLICABLE),
        _outcome("a/x", _WON, mode="naive"),
        _outcome("a/y", _HELD, ("seccomp",)),
    ]

    assert table.by_category(outcomes[:6]) == [
        ["category", "sandbox, host root", "naive, host root"],
        ["a", "1 / 2", "1 / 1"],
        ["b", "", ""],
        ["total", "1 / 2", "1 / 1"],
    ]
    document = table.document(outcomes)
    assert "sandbox, host root: `a/x` (why)." in document
    assert "| switched off | host root |\n| --- | --- |\n| seccomp | 0 / 1 |" in document
    assert "counted out: `b/z` (because)." in document


def test_what_is_no_layer_and_no_rule_cannot_be_taken_away(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        corpus.main(["--only", "network/*", "--without", "calls:socket"])

    assert ended.value.code == 2
    assert "`calls:socket` is no layer and no rule" in capsys.readouterr().err


def test_outcomes_are_kept_as_lines(tmp_path: Path) -> None:
    outcome = _outcome("a/x", _WON, ("seccomp",))
    path = tmp_path / "results"
    path.write_text(to_line(outcome) + "\n", encoding="ascii")

    assert read_lines([path, path]) == [outcome, outcome]


def _soon(ask: Callable[[], Answer | None]) -> Answer | None:
    """What it answers once it answers at all, within a few seconds."""
    until = time.monotonic() + 5
    while (found := ask()) is None and time.monotonic() < until:
        time.sleep(0.01)
    return found
