"""Where a command's results go: stdout, and the files of the output folder."""

from __future__ import annotations

import gzip
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import get_terminal_size
from typing import Literal, TypeAlias

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import ArtifactError, read
from llm_testbench.artifact.redact import redacted
from llm_testbench.artifact.write import check_writable, lines, replacing
from llm_testbench.commands.edges import Edges
from llm_testbench.errors import InputError, Place
from llm_testbench.github.workflow_commands import TITLE_LIMIT, command, cut, fenced, new_token
from llm_testbench.redaction import Redactor
from llm_testbench.report.document import Document
from llm_testbench.settings.model import Settings
from llm_testbench.untrusted import Untrusted

TITLE = "llm-testbench"
REPORTS = ("comparison.json", "report.md")
WIDTH_ELSEWHERE = 120  # columns of a report that no terminal shows
# What a string of JSON may hold, and a log or a terminal would not show but obey: `##[command]` anywhere in a line,
# control characters beyond those that JSON escapes, what turns the direction of text, line ends of Unicode.
_UNSEEN = re.compile(
    "#(?=#\\[)|[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


Level: TypeAlias = Literal["error", "warning"]


@dataclass
class Output:
    """A file that cannot be written is a trouble, and the rest goes on.

    `redactor` knows every secret, for artifacts and log lines. Reports are made of redacted artifacts and pass
    `keys` once more, which knows the keys and the token alone: a header's value may be part of a model's name.
    `shown_on_page`: how many annotations GitHub was given, by level; of each it shows ten a step.
    """

    edges: Edges
    redactor: Redactor
    keys: Redactor
    format: str = "terminal"
    folder: Path | None = None
    troubles: list[str] = field(default_factory=list)
    shown_on_page: Counter[str] = field(default_factory=Counter)

    @property
    def artifact(self) -> Path:
        """Where the artifact of a gate goes."""
        return self.in_folder("artifact.json")

    def save(self, name: str, text: str) -> None:
        """A file of the output folder; what goes wrong is noted in `troubles`."""
        path = self.in_folder(name)
        try:
            with replacing(path) as file:
                file.write(self.keys.text(text).encode("utf-8", "backslashreplace"))
        except OSError as error:
            self.troubles.append(f"{self.shown(path)}: could not be written: {error.strerror or error}")

    def print(self, document: Document, data: Callable[[], str]) -> None:
        """The report on stdout, in the form that was asked for; `data` gives its JSON."""
        from llm_testbench.report import markdown, terminal  # noqa: PLC0415 -- needed when all was asked, see run.py

        match self.format:
            case "json":
                text = _UNSEEN.sub(_escaped, data())
            case "markdown":
                text = markdown.render(document)
            case _:
                stdout = self.edges.stdout
                width = get_terminal_size().columns if stdout.isatty() else WIDTH_ELSEWHERE
                color = stdout.isatty() and "NO_COLOR" not in self.edges.environ
                text = terminal.render(document, width, color=color)
        shown = self.keys.text(text).rstrip("\n")
        self.edges.stdout.write((fenced(shown, new_token()) if self._read_by_runner() else shown) + "\n")
        self.edges.stdout.flush()

    def _read_by_runner(self) -> bool:
        """Whether stdout is the log of a GitHub job, where a line of foreign text could be taken for a command."""
        if not self.edges.on_github or self.format == "json":
            return False
        try:
            return not stat.S_ISREG(os.fstat(self.edges.stdout.fileno()).st_mode)  # `> report.md` is no log
        except (OSError, ValueError):
            return True

    def line(self, line: str) -> None:
        """One line on stdout that may quote foreign text: all that a command has to say."""
        self.edges.stdout.write(f"{Untrusted(self.redactor.text(line)).log_line()}\n")
        self.edges.stdout.flush()

    def log(self, line: str) -> None:
        """One line on stderr that may quote foreign text."""
        self.edges.say(Untrusted(self.redactor.text(line)).log_line())

    def warn(self, line: str) -> None:
        """A warning that may quote foreign text; in a job of GitHub it stands on the page of the run."""
        self._tell("warning", line)

    def error(self, line: str) -> None:
        """The same for what makes the command fail."""
        self._tell("error", line)

    def _tell(self, level: Level, line: str) -> None:
        if self.edges.on_github:
            self.annotate(level, line)
        else:
            self.edges.say(f"{level}: {Untrusted(self.redactor.text(line)).log_line()}")

    def annotate(
        self, level: Level, line: str, title: str = TITLE, *, file: str = "", at: int = 0, column: int = 0
    ) -> None:
        """Words that GitHub shows on the page of the run, and at a line of a file where one is named.

        Line and title may quote foreign text; `file` is as GitHub shall get it. `shown_on_page` counts, by level.
        """
        said, headed = (Untrusted(self.redactor.text(text)).log_line(None) for text in (line, title))
        self.shown_on_page[level] += 1
        self.edges.say(
            command(level, cut(said), file=file, line=at or "", col=column or "", title=cut(headed, TITLE_LIMIT))
        )

    def shown(self, path: Path) -> str:
        """The path as a person in the working directory would write it."""
        cwd = self.edges.cwd
        return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)

    def in_folder(self, name: str) -> Path:
        """A file of the output folder; ValueError for a command that has none."""
        if self.folder is None:
            raise ValueError("this command has no output folder")
        return self.folder / name


def _escaped(found: re.Match[str]) -> str:
    """The character as a string of JSON may write it."""
    return json.dumps(found.group())[1:-1] if found.group() != "#" else "\\u0023"


def plain_output(settings: Settings, edges: Edges) -> Output:
    """Stdout alone."""
    edges.secrets.update(settings.secrets)
    keys = Redactor(key for key in (*(model.api_key for model in settings.sides), settings.github.token) if key)
    return Output(edges, Redactor(settings.secrets), keys, settings.format)


def open_output(settings: Settings, edges: Edges) -> Output:
    """Stdout and the output folder; InputError when that cannot be written, known before the first call."""
    output = plain_output(settings, edges)
    output.folder = settings.output_dir
    try:
        if settings.output_dir.is_relative_to(edges.cwd) and not settings.output_dir.resolve().is_relative_to(
            edges.cwd.resolve()
        ):
            place = Place(output.shown(settings.output_dir))
            raise InputError("this output folder is a link that leads out of the working directory", place)
        if output.artifact.is_symlink():
            # A checkout may hold a link to anywhere: it is not written through, as `--out` of a user would be.
            output.artifact.unlink()
        check_writable(output.artifact)
        for name in REPORTS:
            # A run that ends before its report must not leave the report of another one beside its artifact.
            (settings.output_dir / name).unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        place = Place(str(settings.output_dir))
        raise InputError(f"this output folder cannot be written ({reason}): choose another output_dir", place) from None
    return output


def read_current(path: Path, output: Output) -> Artifact:
    """The artifact that a user names as the one to look at; InputError when it cannot be used."""
    try:
        return redacted(read(path), output.redactor)
    except ArtifactError as error:
        raise InputError(str(error.of("")), Place(output.shown(path))) from None


def artifact_text(artifact: Artifact, redactor: Redactor) -> str:
    """The artifact as its file has it."""
    return b"".join(lines(artifact, redactor)).decode()


def packed(artifact: Artifact, name: str, redactor: Redactor) -> bytes:
    """The artifact as a file of this name holds it; equal artifacts give equal bytes."""
    data = b"".join(lines(artifact, redactor))
    return gzip.compress(data, mtime=0) if name.endswith(".gz") else data


def pretty(value: object) -> str:
    """JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
