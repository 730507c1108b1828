from __future__ import annotations

import re

from tests.integration.commands.bench import Bench

from llm_testbench.github.action_outputs import OUTPUTS


def test_a_gate_writes_exactly_the_outputs_that_the_action_declares(world: Bench) -> None:
    file = world.write("outputs", "")
    world.asking("gate", "--baseline", "none", environ={"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(file)})
    written = re.findall(r"(?m)^(\w+)<<ghadelimiter_", file.read_text("utf-8"))
    assert sorted(written) == sorted(OUTPUTS)
