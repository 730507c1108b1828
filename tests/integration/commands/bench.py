"""Runs the command line in this process, with a world of its own, and keeps what it said."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.gateway import Gateway

from llm_testbench.cli import main
from llm_testbench.commands.edges import Edges

SUITE = """\
category: sums
subcategory: small
tests:
  - id: two-and-two
    prompt: What is 2 + 2? Answer with the number alone.
    must_pass: true
    evaluate: {numeric: 4}
    examples:
      - {response: "4", score: 1}
      - {response: "5", score: 0}
  - id: capital
    prompt: What is the capital of France? One word.
    evaluate: {equals: Paris}
    examples:
      - {response: "Paris", score: 1}
      - {response: "Lyon", score: 0}
"""


@dataclass(frozen=True)
class Done:
    """What one command line came to."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith(("error:", "internal error:"))]


@dataclass
class Bench:
    """A folder with a suite, and a gateway that answers it."""

    folder: Path
    server: Gateway
    answers: dict[str, str] = field(default_factory=lambda: {"2 + 2": "4", "capital": "Paris"})
    environ: dict[str, str] = field(default_factory=dict)
    slept: list[float] = field(default_factory=list)  # what the command would have waited for GitHub

    def llmtest(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Done:
        stdout, stderr = io.StringIO(), io.StringIO()
        edges = Edges(
            stdout=stdout,
            stderr=stderr,
            environ={**self.environ, **(environ or {})},
            cwd=self.folder,
            sleep=self.slept.append,
        )
        code = main(list(arguments), edges=edges)
        return Done(code, stdout.getvalue(), stderr.getvalue())

    def asking(self, command: str, *arguments: str, **options: Any) -> Done:
        """`run` or `gate` with the suite and the server of this bench."""
        named = ["--endpoint", self.server.url, "--models", "m", "--suites", "suite.yaml", "--quiet"]
        return self.llmtest(command, *named, *arguments, **options)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text("utf-8"))

    def answer(self, body: dict[str, Any]) -> str:
        asked = str(body["messages"][-1]["content"])
        return next((answer for words, answer in self.answers.items() if words in asked), "I do not know.")


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    server = Gateway()
    made = Bench(folder, server)
    server.answer = made.answer
    made.write("suite.yaml", SUITE)
    with server:
        yield made
