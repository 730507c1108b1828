"""The options of `serve` alone: what a gateway without a model answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_testbench.local.serving.fault_table import NAMES
from llm_testbench.local.serving.options import FaultRate
from llm_testbench.nearest import hint
from llm_testbench.settings import kinds
from llm_testbench.settings.kinds import BadValueError, Kind, nullable, split_list
from llm_testbench.settings.option import Option, SourceKind

if TYPE_CHECKING:
    from llm_testbench.json_value import JSON

COMMAND = "serve"
HELP = "help"
"""`--fault help` prints the table of faults."""

_FLAG = frozenset[SourceKind]({"flag"})
_RATE = kinds.number(0, 1)


def faults() -> Kind[tuple[FaultRate, ...]]:
    """Faults by name, each with the share of answers that it is in: `crlf, overloaded:0.1`."""

    def one(item: str) -> FaultRate:
        name, colon, rate = item.partition(":")
        name = name.strip()
        if name not in NAMES:
            see = hint(name, NAMES) or f"; --fault {HELP} lists them"
            raise BadValueError(f"there is no fault {kinds.shown(name)}{see}")
        return FaultRate(name, _RATE.from_text(rate.strip()) if colon else 1.0)

    def parse(value: str) -> tuple[FaultRate, ...]:
        found = tuple(one(item) for item in split_list(value))
        for at, fault in enumerate(found):
            if fault.name in (other.name for other in found[:at]):
                raise BadValueError(f"the fault {kinds.shown(fault.name)} stands twice")
        return found

    def from_json(value: JSON) -> tuple[FaultRate, ...]:
        return kinds.string("faults as text", parse, value)

    return Kind("NAME[:RATE]", parse, from_json, {"type": "string"}, is_list=True)


REPLAY = Option(
    "replay",
    nullable(kinds.path()),
    "Answer like the run in this artifact: the same request gets what it got then, errors too",
    "Answers",
    (COMMAND,),
    default="none",
    sources=_FLAG,
)
EXAMPLES = Option(
    "examples",
    kinds.switch(),
    "Answer the tests of the suites with their own examples",
    "Answers",
    (COMMAND,),
    default="false",
    sources=_FLAG,
)
RIGHT = Option(
    "right",
    kinds.number(0, 1),
    "With --examples: the share of right answers, from 0 to 1",
    "Answers",
    (COMMAND,),
    default="1",
    sources=_FLAG,
)
FAULT = Option(
    "fault",
    faults(),
    "An oddity of real gateways, by name, and in which share of the answers it is: `crlf`, `overloaded:0.1`."
    f" `{HELP}` lists all",
    "Answers",
    (COMMAND,),
    default="",
    sources=_FLAG,
)
LATENCY = Option(
    "latency",
    nullable(kinds.duration()),
    "How long an answer takes; a stream is spread over it",
    "Answers",
    (COMMAND,),
    default="none",
    sources=_FLAG,
)
MAX_IN_FLIGHT = Option(
    "max_in_flight",
    nullable(kinds.integer(1, 4096)),
    "More requests than this at a time are refused with status 429",
    "Answers",
    (COMMAND,),
    default="none",
    sources=_FLAG,
)
PORT = Option(
    "port",
    kinds.integer(0, 65535),
    "Port on this machine; 0 takes a free one",
    "Answers",
    (COMMAND,),
    default="8000",
    sources=_FLAG,
)

OPTIONS: tuple[Option[object], ...] = (REPLAY, EXAMPLES, RIGHT, FAULT, LATENCY, MAX_IN_FLIGHT, PORT)
