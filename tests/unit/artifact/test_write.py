import errno
import gzip
import json
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.artifact.samples import FULL_ROW, META, ROW, artifact, document, row

from llm_testbench import schemas
from llm_testbench.answer.model import ToolCall
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Row
from llm_testbench.artifact.read import read
from llm_testbench.artifact.rows import row_to_json
from llm_testbench.artifact.validate import RowChecks
from llm_testbench.artifact.write import check_writable, lines, write
from llm_testbench.redaction import NO_SECRETS, Redactor

VALID = Draft202012Validator(schemas.load("artifact")).is_valid
ONE = artifact(ROW, FULL_ROW)


@pytest.mark.parametrize("name", ["artifact.json", "artifact.json.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    write(ONE, path, NO_SECRETS)

    assert read(path) == ONE
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_the_name_decides_on_gzip(tmp_path: Path) -> None:
    write(ONE, tmp_path / "a.json.gz", NO_SECRETS)
    write(ONE, tmp_path / "a.json", NO_SECRETS)

    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()


@pytest.mark.parametrize("name", ["artifact.json", "artifact.json.gz"])
def test_the_same_artifact_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    written = []
    for folder in ("first", "second"):
        write(ONE, tmp_path / folder / name, NO_SECRETS)
        written.append((tmp_path / folder / name).read_bytes())

    assert written[0] == written[1]


def test_a_gzip_file_holds_no_time_and_no_name(tmp_path: Path) -> None:
    write(ONE, tmp_path / "a.json.gz", NO_SECRETS)

    # RFC 1952: flags in byte 3, the time in bytes 4 to 7.
    assert (tmp_path / "a.json.gz").read_bytes()[3:8] == bytes(5)


def test_every_row_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    write(artifact(row(attempt=0, response_text="two\nlines"), row(attempt=1)), tmp_path / "a.json", NO_SECRETS)

    lines = (tmp_path / "a.json").read_text("utf-8").splitlines()

    assert sum(line.startswith('{"model":') for line in lines) == 2


def test_an_artifact_without_anything_is_valid(tmp_path: Path) -> None:
    write(artifact(tests=()), tmp_path / "a.json", NO_SECRETS)

    assert VALID(json.loads((tmp_path / "a.json").read_text("utf-8")))


@pytest.mark.parametrize("text", ["\ud800", "é \u2028 😀", "\x00\x1b", "]}\n", "\\ud800"])
def test_any_text_a_model_sends_survives(tmp_path: Path, text: str) -> None:
    one = artifact(row(response_text=text, tool_calls=(ToolCall("f", {text: text}, text),)))

    write(one, tmp_path / "a.json", NO_SECRETS)

    assert read(tmp_path / "a.json") == one
    (tmp_path / "a.json").read_bytes().decode("utf-8", "strict")


class TestValidation:
    def test_what_is_written_is_valid(self, tmp_path: Path) -> None:
        write(ONE, tmp_path / "a.json", NO_SECRETS)

        assert VALID(json.loads((tmp_path / "a.json").read_text("utf-8")))

    @pytest.mark.parametrize(
        ("broken", "line"),
        [
            pytest.param(artifact(row(), row(attempt=1, latency_ms=-1.0)), "results[1].latency_ms", id="row"),
            pytest.param(artifact(meta=replace(META, seed=2**70)), "meta.seed", id="meta"),
            pytest.param(
                replace(artifact(row()), stats=(replace(ONE.stats[0], mean=-1.0),)), "stats[0].mean", id="stat"
            ),
            pytest.param(
                artifact(tests=(replace(ONE.tests[0], suite_file="/abs/x.yaml"),)), "tests[0].suite_file", id="test"
            ),
        ],
    )
    def test_an_invalid_artifact_is_not_written_and_named_with_its_path(
        self, tmp_path: Path, broken: Any, line: str
    ) -> None:
        path = tmp_path / "a.json"
        path.write_text("old")

        with pytest.raises(ArtifactError, match=f"^{line.replace('[', '.').replace(']', '.')}: expected"):
            write(broken, path, NO_SECRETS)

        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]

    @pytest.mark.parametrize("hole", [float("nan"), float("inf")])
    def test_nan_is_never_written(self, tmp_path: Path, hole: float) -> None:
        for broken in (artifact(row(latency_ms=hole)), artifact(meta=replace(META, temperature=hole))):
            with pytest.raises(ValueError, match=r"."):
                write(broken, tmp_path / "a.json", NO_SECRETS)
        assert list(tmp_path.iterdir()) == []

    def test_rows_that_were_checked_during_the_run_are_not_checked_again(self, tmp_path: Path) -> None:
        # A row that only an earlier check can have let pass shows that there is no second one.
        checks = RowChecks()
        good = row(attempt=1)
        checks.check(good)
        object.__setattr__(good, "latency_ms", -1.0)

        write(artifact(good), tmp_path / "a.json", NO_SECRETS, checks)
        with pytest.raises(ArtifactError):
            write(artifact(replace(good)), tmp_path / "b.json", NO_SECRETS, checks)


class TestRedaction:
    SECRET = "sk-12345678"

    def test_no_secret_reaches_the_file(self, tmp_path: Path) -> None:
        leaky = row(
            reason=f"found {self.SECRET}",
            error=f"401 for {self.SECRET}",
            response_text=self.SECRET,
            reasoning_text=self.SECRET,
            served_model=self.SECRET,
            response_id=self.SECRET,
            tool_calls=(ToolCall(self.SECRET, {self.SECRET: [self.SECRET]}, self.SECRET, self.SECRET),),
        )
        one = replace(
            artifact(
                leaky,
                meta=replace(META, endpoint=f"http://{self.SECRET}", served_models={"chat": (self.SECRET,)}),
                tests=(replace(ONE.tests[0], check={"equals": self.SECRET}, request={"x": self.SECRET}),),
            )
        )

        write(one, tmp_path / "a.json", Redactor([self.SECRET]))

        text = (tmp_path / "a.json").read_text("utf-8")
        assert self.SECRET not in text
        assert text.count("***") >= 12
        assert VALID(json.loads(text))

    @pytest.mark.parametrize("secret", ["answered", "baseline", "response_text", "20000000", "truncated", "category"])
    def test_a_secret_that_looks_like_the_format_does_not_break_the_file(self, tmp_path: Path, secret: str) -> None:
        one = artifact(row(latency_ms=20000000.0, reason=f"a {secret} b"), FULL_ROW)

        write(one, tmp_path / "a.json", Redactor([secret]))

        found = read(tmp_path / "a.json")
        assert [kept.latency_ms for kept in found.results] == [200.5, 20000000.0]
        assert found.results[1].reason == "a *** b"

    @pytest.mark.parametrize("secret", ['quo"te\\d-key', "tab\tinside", "schlüssel-ü"])
    def test_a_secret_that_json_escapes_is_found(self, tmp_path: Path, secret: str) -> None:
        nested = json.dumps({"key": secret})
        write(artifact(row(response_text=f"{secret} and {nested}")), tmp_path / "a.json", Redactor([secret]))

        assert read(tmp_path / "a.json").results[0].response_text == '*** and {"key": "***"}'

    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(secret=st.text(min_size=8).filter(lambda text: len(text.strip()) >= 8), around=st.text(max_size=3))
    @example(secret="argument", around="")
    def test_whatever_the_secret_the_file_stays_valid(self, tmp_path: Path, secret: str, around: str) -> None:
        one = artifact(row(response_text=around + secret + around), FULL_ROW)

        write(one, tmp_path / "a.json", Redactor([secret]))

        assert VALID(json.loads((tmp_path / "a.json").read_text("utf-8")))


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes: writing more fails, as on a full disk, with a real OSError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Stopped(tuple[Row, ...]):
    """Rows that end in Ctrl-C."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Row]:
        yield ROW
        raise KeyboardInterrupt


class TestAtomic:
    @pytest.mark.parametrize("size", [0, 3000, 150_000], ids=["at once", "early", "late"])
    @pytest.mark.parametrize("name", ["artifact.json", "artifact.json.gz"])
    def test_when_there_is_no_room_the_old_file_stays(self, tmp_path: Path, name: str, size: int) -> None:
        path = tmp_path / name
        path.write_text("old")
        noise = "".join(map(chr, Random(1).choices(range(33, 126), k=300_000)))

        with room_for(size), pytest.raises(OSError, match="File too large"):
            write(artifact(row(response_text=noise)), path, NO_SECRETS)

        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == [name]

    def test_when_the_run_is_killed_while_writing_the_old_file_stays(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text("old")

        with pytest.raises(KeyboardInterrupt):
            write(replace(ONE, results=Stopped()), path, NO_SECRETS)

        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_cannot_be_written_is_an_os_error(self, tmp_path: Path) -> None:
        folder = tmp_path / "closed"
        folder.mkdir(mode=0o500)

        with pytest.raises(PermissionError):
            write(ONE, folder / "a.json", NO_SECRETS)
        with pytest.raises(PermissionError):
            check_writable(folder / "a.json")

    def test_a_file_in_the_place_of_the_folder_is_an_os_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")

        with pytest.raises(OSError, match=r"ot a directory|File exists"):
            write(ONE, tmp_path / "file" / "a.json", NO_SECRETS)
        with pytest.raises(OSError, match=r"ot a directory|File exists"):
            check_writable(tmp_path / "file" / "a.json")

    def test_missing_folders_are_made(self, tmp_path: Path) -> None:
        write(ONE, tmp_path / "new" / "er" / "a.json", NO_SECRETS)

        assert read(tmp_path / "new" / "er" / "a.json") == ONE

    @pytest.mark.parametrize("target", ["/dev/null", "folder"])
    def test_a_device_or_folder_is_never_replaced(self, tmp_path: Path, target: str) -> None:
        (tmp_path / "folder").mkdir()

        with pytest.raises(OSError, match="not a regular file"):
            write(ONE, tmp_path / target, NO_SECRETS)

        assert (tmp_path / "folder").is_dir()
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)

    def test_a_link_to_itself_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "loop.json").symlink_to("loop.json")

        with pytest.raises(OSError, match="symbolic links"):
            check_writable(tmp_path / "loop.json")

    def test_a_link_stays_and_its_target_is_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "real.json").write_text("old")
        (tmp_path / "link.json").symlink_to("real.json")

        write(ONE, tmp_path / "link.json", NO_SECRETS)

        assert (tmp_path / "link.json").is_symlink()
        assert read(tmp_path / "real.json") == ONE

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o666])
    def test_a_file_keeps_its_permissions(self, tmp_path: Path, mode: int) -> None:
        path = tmp_path / "a.json"
        path.touch()
        path.chmod(mode)
        write(ONE, path, NO_SECRETS)

        assert read(path) == ONE
        assert stat.S_IMODE(path.stat().st_mode) == mode

    def test_the_file_gets_the_permissions_of_the_umask(self, tmp_path: Path) -> None:
        (tmp_path / "plain").write_text("")

        write(ONE, tmp_path / "a.json", NO_SECRETS)

        assert (tmp_path / "a.json").stat().st_mode == (tmp_path / "plain").stat().st_mode

    def test_the_file_is_on_disk_before_it_takes_the_place_of_the_old_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.json"
        path.write_text("old")
        sync = os.fsync
        order: list[tuple[str, bool]] = []

        def watched(descriptor: int) -> None:
            kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
            order.append((kind, path.read_text("utf-8") == "old"))
            sync(descriptor)

        monkeypatch.setattr(os, "fsync", watched)
        write(ONE, path, NO_SECRETS)

        assert order == [("file", True), ("folder", False)]

    def test_a_folder_that_cannot_be_synced_does_not_matter(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        synced = os.fsync

        def only_files(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not supported")
            synced(descriptor)

        monkeypatch.setattr(os, "fsync", only_files)
        write(ONE, tmp_path / "a.json", NO_SECRETS)

        assert read(tmp_path / "a.json") == ONE

    def test_checking_leaves_nothing_behind(self, tmp_path: Path) -> None:
        check_writable(tmp_path / "a.json")

        assert list(tmp_path.iterdir()) == []


def test_the_document_is_the_one_that_the_reader_knows(tmp_path: Path) -> None:
    write(ONE, tmp_path / "a.json", NO_SECRETS)

    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == document(ONE)
    assert b"".join(lines(ONE, NO_SECRETS)) == (tmp_path / "a.json").read_bytes()
    assert row_to_json(ONE.results[0]) == document(ONE)["results"][0]  # type: ignore[index]  # a list
