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

OPTIONS: tuple[Option[object], ...] = (WRITE,)
