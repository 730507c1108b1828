"""`llmtest doctor --sandbox`: the safe part of the attack corpus, run inside the sandbox of this machine."""

from __future__ import annotations

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, pretty
from llm_testbench.commands.programs import workshop
from llm_testbench.commands.sandbox_facts import layer_facts, promise_facts
from llm_testbench.errors import InconclusiveError
from llm_testbench.report.views.trial import Trial, trial_json, trial_report
from llm_testbench.sandbox.model import SandboxError
from llm_testbench.sandbox.trial import Tried, attacks, trial
from llm_testbench.sandbox.workshop import Mode, Opened

HELD, BROKEN, NOT_KEPT = 0, 1, 3


def try_sandbox(output: Output, edges: Edges) -> int:
    """0: all promises are kept. 1: one that is said to be kept is broken. 3: one is not kept, or cannot be tried."""
    with workshop(Mode.PREFER, edges) as found:
        tried = () if found.refusal else _tried(found)
    trials = tuple(Trial(one.attack.promise.value, one.attack.goal, one.done, one.trouble) for one in tried)
    about = (trials, promise_facts(found), layer_facts(found), found.refusal)
    output.print(trial_report(*about), lambda: pretty(trial_json(*about)))
    return judged(found, tried)


def judged(found: Opened, tried: tuple[Tried, ...]) -> int:
    """The exit code."""
    if any(one.done and one.attack.promise not in found.missing for one in tried):
        return BROKEN
    return HELD if tried and not found.missing and not any(one.trouble for one in tried) else NOT_KEPT


def _tried(found: Opened) -> tuple[Tried, ...]:
    try:
        return tuple(trial(found.workshop, attacks()))
    except (OSError, SandboxError) as error:
        raise InconclusiveError(f"the sandbox cannot be tried here: {error}") from None
