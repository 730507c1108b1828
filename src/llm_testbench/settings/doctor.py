"""The options of `doctor` alone."""

from __future__ import annotations

from llm_testbench.settings import kinds
from llm_testbench.settings.option import Option

COMMAND = "doctor"

WRITE = Option(
    "write",
    kinds.switch(),
    "Put what the models need into the config file; it is created where there is none",
    "Models",
    (COMMAND,),
    default="false",
    sources=frozenset({"flag"}),
)

TRY_SANDBOX = Option(
    "try_sandbox",
    kinds.switch(),
    "Ask nobody: try what the sandbox forbids, inside it, and tell what was done",
    "Tests",
    (COMMAND,),
    default="false",
    sources=frozenset({"flag"}),
    called="sandbox",
)

OPTIONS: tuple[Option[object], ...] = (WRITE, TRY_SANDBOX)
