"""While the real process runs, nothing that other processes can read of it holds a key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.commands.bench import Bench

PATIENCE = 20  # seconds
SECRETS = {
    "LLMTB_API_KEY": "sk-common-0123456789",
    "B_KEY": "sk-other-0123456789",
    "GITHUB_TOKEN": "ghs-token-0123456789",
    "INPUT_TOKEN": "ghs-input-0123456789",
    "ACTIONS_RUNTIME_TOKEN": "runtime-0123456789",
}
CONFIG = """\
endpoint: {url}
models: [a, {{name: b, id: b, api_key_env: B_KEY}}]
suites: [suite.yaml]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what /proc shows is Linux's")
@pytest.mark.skipif(os.geteuid() != 0, reason="nobody else can look into the process")
def test_a_running_process_shows_no_secret_and_sends_the_keys(world: Bench) -> None:
    world.write("llm-testbench.yaml", CONFIG.format(url=world.server.url))
    world.server.latency = 0.5
    with subprocess.Popen(
        [sys.executable, "-m", "llm_testbench", "run", "--quiet", "--out", "out.json"],
        cwd=world.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", "HOME": "/", **SECRETS},
    ) as child:
        world.server.wait_for(1)
        # A privileged reader: to anybody else these files are closed.
        shown = {name: Path(f"/proc/{child.pid}/{name}").read_text() for name in ("environ", "cmdline")}
        _, err = child.communicate(timeout=PATIENCE)

    assert child.returncode == 0, err
    assert "HOME=/\0" in shown["environ"]
    assert "B_KEY=\0" in shown["environ"]
    assert "--quiet" in shown["cmdline"]
    for secret in SECRETS.values():
        assert secret not in shown["environ"] + shown["cmdline"]
    keys = {(one.body["model"], one.headers["authorization"]) for one in world.server.requests}
    assert keys == {("a", f"Bearer {SECRETS['LLMTB_API_KEY']}"), ("b", f"Bearer {SECRETS['B_KEY']}")}
