"""The command line: what a command is called with, and how each ending becomes a line and an exit code."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from llm_testbench import __version__, cli
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import FaultsError, InconclusiveError, InputError, Place

SECRET = "sk-very-secret-value"


@dataclass
class Session:
    """Runs command lines against fake commands and keeps what they said and were told."""

    stdout: io.StringIO = field(default_factory=io.StringIO)
    stderr: io.StringIO = field(default_factory=io.StringIO)
    called: list[tuple[str, dict[str, str], tuple[str, ...]]] = field(default_factory=list)

    def run(self, *arguments: str, does: Callable[[Edges], int] = lambda edges: 0) -> int:
        edges = Edges(self.stdout, self.stderr, {"LLMTB_API_KEY": SECRET}, Path("/"))

        def find(name: str) -> cli.Main:
            def command(flags: Mapping[str, str | None], given: Sequence[str], world: Edges) -> int:
                self.called.append((name, {k: v for k, v in flags.items() if v is not None}, tuple(given)))
                return does(world)

            return command

        return cli.main(arguments, edges=edges, find=find)

    @property
    def said(self) -> str:
        return self.stderr.getvalue()


@pytest.fixture
def session() -> Session:
    return Session()


def failing(error: BaseException) -> Callable[[Edges], int]:
    def does(edges: Edges) -> int:
        raise error

    return does


CALLS: list[tuple[list[str], tuple[str, dict[str, str], tuple[str, ...]]]] = [
    (["run"], ("run", {}, ())),
    (["run", "--min-score=1"], ("", {}, ())),
    (["run", "-q", "-o", "a.json", "--plan"], ("run", {"quiet": "true", "out": "a.json", "plan": "true"}, ())),
    (["run", "--models", "a,b", "--models", "c"], ("run", {"models": "a,b\nc"}, ())),
    (["run", "--stream", "--no-retry-timeouts"], ("run", {"stream": "true", "retry_timeouts": "false"}, ())),
    (["run", "--shard", "1/2"], ("run", {"shard": "1/2"}, ())),
    (["run", "--debug", "--seed", "x"], ("run", {"seed": "x"}, ())),
    (["gate", "--min-score", "0.5", "--current", "c.json"], ("gate", {"min_score": "0.5", "current": "c.json"}, ())),
    (["gate", "--models", ""], ("gate", {"models": ""}, ())),
    (["compare", "a.json", "b.json", "--fail-on", "never"], ("compare", {"fail_on": "never"}, ("a.json", "b.json"))),
    (["health", "a", "b", "c"], ("health", {}, ("a", "b", "c"))),
    (["list", "--tags", "smoke"], ("list", {"tags": "smoke"}, ())),
    (["validate"], ("validate", {}, ())),
    (["validate", "a.yaml", "b.json"], ("validate", {}, ("a.yaml", "b.json"))),
    (["rescore", "a.json", "--suites", "s.yaml"], ("rescore", {"suites": "s.yaml"}, ("a.json",))),
    (["schema", "suite"], ("schema", {}, ("suite",))),
    (["merge", "a", "b", "-o", "c"], ("merge", {"out": "c"}, ("a", "b"))),
    (["version"], ("version", {}, ())),
]


@pytest.mark.parametrize(
    ("words", "called"), [case for case in CALLS if case[1][0]], ids=[" ".join(w) for w, c in CALLS if c[0]]
)
def test_a_command_gets_its_flags_as_text_and_its_arguments(
    session: Session, words: list[str], called: tuple[str, dict[str, str], tuple[str, ...]]
) -> None:
    assert session.run(*words) == 0
    assert session.called == [called]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 130])
def test_the_exit_code_is_the_commands(session: Session, code: int) -> None:
    assert session.run("gate", does=lambda edges: code) == code
    assert session.said == ""


USAGE = [
    (["frobnicate"], "error: no command 'frobnicate'; see llmtest --help\n"),
    (["gaet"], "error: no command 'gaet'; did you mean 'gate'?; see llmtest --help\n"),
    (["--debgu", "run"], "error: No such option '--debgu'. Did you mean '--debug'?; see llmtest --help\n"),
    (["gate", "--min-scor", "1"], None),
    (["gate", "--min-score"], "error: Option '--min-score' requires an argument; see llmtest gate --help\n"),
    (
        ["gate", "extra"],
        "error: Got unexpected extra argument (extra); suites are named by --suites; see llmtest gate --help\n",
    ),
    (["compare", "a.json"], "error: missing argument: expected BASE... CURRENT; see llmtest compare --help\n"),
    (["health"], "error: missing argument: expected ARTIFACT...; see llmtest health --help\n"),
    (["rescore", "a", "b"], "error: unexpected argument 'b'; see llmtest rescore --help\n"),
    (["schema", "siute"], None),
    (["gate", "--shard", "1/2"], None),
    (["run", "--api-key", "x"], None),
]


@pytest.mark.parametrize(("words", "line"), USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_wrong_usage_is_one_line_with_a_hint_and_exit_code_2(
    session: Session, words: list[str], line: str | None
) -> None:
    assert session.run(*words) == 2
    assert session.called == []
    assert session.said.count("\n") == 1
    assert session.said.startswith("error: ")
    assert session.said.endswith(" --help\n")
    assert line is None or session.said.lower() == line.lower()


def test_a_mistyped_flag_or_word_gets_the_nearest_one(session: Session) -> None:
    session.run("gate", "--min-scor", "1")
    session.run("schema", "siute")
    assert "--min-score" in session.said
    assert "did you mean 'suite'?" in session.said


ENDINGS: list[tuple[BaseException, int, str]] = [
    (InputError("bad", Place("c.yaml", 7, 3)), 2, "error: c.yaml:7:3: bad\n"),
    (FaultsError(["a.yaml:1: bad", "a.yaml:2: worse"]), 2, "error: a.yaml:1: bad\nerror: a.yaml:2: worse\n"),
    (InconclusiveError("endpoint down"), 3, "error: endpoint down\n"),
    (KeyboardInterrupt(), 130, ""),
    (BrokenPipeError(), 141, ""),
    (
        OSError(errno.ENOSPC, "No space left on device", "out/a.json"),
        3,
        "error: out/a.json cannot be written: No space left on device\n",
    ),
    (
        OSError(errno.ENOSPC, "No space left on device"),
        3,
        "error: the report cannot be written: No space left on device\n",
    ),
    (ValueError("oops"), 3, "internal error: ValueError: oops; run again with --debug for the trace\n"),
    (RecursionError("deep"), 3, "internal error: RecursionError: deep; run again with --debug for the trace\n"),
]


@pytest.mark.parametrize(("error", "code", "line"), ENDINGS, ids=[repr(error)[:40] for error, _, _ in ENDINGS])
def test_every_error_becomes_one_line_and_an_exit_code(
    session: Session, error: BaseException, code: int, line: str
) -> None:
    assert session.run("run", does=failing(error)) == code
    assert session.said == line


def test_a_bug_never_looks_like_failing_quality(session: Session) -> None:
    assert session.run("gate", does=failing(AssertionError())) != 1


@pytest.mark.parametrize("words", [["--debug", "run"], ["run", "--debug"]], ids=" ".join)
def test_debug_shows_the_trace_of_a_bug(session: Session, words: list[str]) -> None:
    assert session.run(*words, does=failing(ValueError("oops"))) == 3
    assert "Traceback (most recent call last):" in session.said
    assert '  File "' in session.said
    assert session.said.endswith("internal error: ValueError: oops\n")


@pytest.mark.parametrize("words", [["run"], ["run", "--debug"]], ids=" ".join)
def test_secrets_and_control_characters_never_reach_the_terminal(session: Session, words: list[str]) -> None:
    def does(edges: Edges) -> int:
        edges.secrets.add("key-learnt-later")
        raise ValueError(f"bad {SECRET} and key-learnt-later \x1b[31m\n::error::owned")

    assert session.run(*words, does=does) == 3
    assert SECRET not in session.said
    assert "key-learnt-later" not in session.said
    assert "\x1b" not in session.said
    assert "::error" not in session.said


def test_an_error_line_stays_one_line_whatever_it_quotes(session: Session) -> None:
    session.run("run", does=failing(InputError("a\nb\x1b]0;title\x07\u202e")))
    assert session.said.count("\n") == 1
    assert session.said.isprintable() is False  # only for its line break
    assert session.said.rstrip("\n").isprintable()


class Broken(io.StringIO):
    """A stream that fails when it is flushed, as a full disk or a closed pipe does."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def flush(self) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code"),
    [(OSError(errno.ENOSPC, "No space left on device"), 3), (BrokenPipeError(), 141)],
    ids=["full", "pipe"],
)
def test_a_report_that_cannot_be_flushed_is_noticed(session: Session, error: OSError, code: int) -> None:
    session.stdout = Broken(error)
    assert session.run("run") == code


def test_an_error_that_nobody_can_read_still_has_its_exit_code(session: Session) -> None:
    session.stderr = Broken(BrokenPipeError())
    assert session.run("run", does=failing(InputError("bad"))) == 2


def test_no_command_shows_the_help_but_is_no_success(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert session.run() == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Exit codes:" in shown.err


def test_the_help_names_every_command_and_exit_code(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert session.run("--help") == 0
    shown = capsys.readouterr().out
    for word in ("run", "gate", "compare", "health", "list", "validate", "rescore", "schema", "version"):
        assert f"\n  {word} " in shown
    for code in (0, 1, 2, 3, 130):
        assert f"\n    {code} " in shown
    assert max(len(line) for line in shown.splitlines()) <= 100


def test_a_commands_help_groups_its_flags(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert session.run("gate", "-h") == 0
    shown = capsys.readouterr().out
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Models:", "Tests:", "Requests:", "Gate:", "GitHub:", "Output:", "General:"]
    assert "[default: 3]" in shown
    assert "`" not in shown


def test_the_version_is_printed(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    assert session.run("--version") == 0
    assert capsys.readouterr().out == f"llmtest {__version__}\n"


def test_a_command_is_the_main_of_its_module() -> None:
    assert callable(cli.main_of("version"))


def llmtest(
    *arguments: str, stdout: int = subprocess.PIPE, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "llm_testbench", *arguments]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, cwd=cwd)


def test_the_package_runs_as_a_module() -> None:
    done = llmtest("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"llmtest {__version__}\n", "")


def test_a_full_disk_behind_stdout_is_one_line_and_inconclusive() -> None:
    with Path("/dev/full").open("w") as full:
        done = llmtest("schema", "config", stdout=full.fileno())
    assert done.returncode == 3
    assert done.stderr == "error: the report cannot be written: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_a_stream_that_is_closed_from_the_start_is_no_failure(closed: str) -> None:
    command = f'exec "{sys.executable}" -m llm_testbench schema config {closed}'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_went_away_is_met_with_silence() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = llmtest("schema", "config", stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_working_directory_that_is_gone_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert cli.main(["version"]) == 2
    assert capsys.readouterr().err == "error: the working directory cannot be read: No such file or directory\n"


def test_help_imports_nothing_heavy() -> None:
    heavy = {"requests", "yaml", "jsonschema", "jinja2", "tabulate", "regex", "hashlib", "llm_testbench.errors"}
    code = (
        "import sys; before = set(sys.modules); from llm_testbench import cli; cli.main(['--help']);"
        "print(*set(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "click" in done.stderr.split()
    assert heavy & set(done.stderr.split()) == set()
