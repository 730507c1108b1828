"""Workshops that run nothing: what becomes of a program is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from llm_testbench.sandbox.model import Job, Ran, SandboxError
from llm_testbench.sandbox.programs import Finished, Program, Unavailable


@dataclass
class Staged:
    """Every program ends like this; `programs` are those that came."""

    end: Finished | Unavailable | SandboxError
    programs: list[Program] = field(default_factory=list)

    def run(self, program: Program) -> Finished | Unavailable:
        self.programs.append(program)
        if isinstance(self.end, SandboxError):
            raise self.end
        return self.end

    def run_steps(self, job: Job) -> Sequence[Ran]:
        return [Ran(exit=1)] * len(job.steps)


def printing(text: str | bytes) -> Staged:
    """A workshop in which every program prints this and ends well."""
    return Staged(Finished(None, Ran(exit=0, stdout=text if isinstance(text, bytes) else text.encode())))
