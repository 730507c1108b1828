"""`python -m llm_testbench.local.child`: the llama.cpp server, alone in its process.

Options come as JSON in the first argument. The only line on stdout is the server's address, printed
once it is ready; everything native code prints goes to stderr. The process leaves when its stdin
ends, which happens when the parent stops it and also when the parent is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

# Destroying the server waits for answers in flight, which nobody is left to read.
_LEAVE_WITHIN_SECONDS = 2


@dataclass(frozen=True)
class ServerOptions:
    """What the server is started with. `context`: tokens of prompt and answer of one request."""

    weights: str
    model_id: str
    parallel: int
    context: int
    threads: int

    def to_argument(self) -> str:
        """The form in which the child takes it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_argument(cls, argument: str) -> ServerOptions:
        """Reads what to_argument wrote."""
        return cls(**json.loads(argument))


def parameters(engine: ModuleType, options: ServerOptions) -> Any:  # xllamacpp carries no types
    """The engine's settings: deterministic at temperature 0, loopback only, nothing but the API served."""
    chosen = engine.CommonParams()
    chosen.model.path = options.weights
    chosen.model_alias = {options.model_id}
    chosen.offline = True
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = 0  # the kernel picks a free one; no race with another process
    chosen.n_parallel = options.parallel
    chosen.n_ctx = options.context * options.parallel
    chosen.cpuparams.n_threads = options.threads
    chosen.cpuparams_batch.n_threads = options.threads
    chosen.n_gpu_layers = 0
    chosen.fit_params = False
    # A prompt that is partly cached is computed in other batches, and so with other rounding.
    chosen.cache_prompt = False
    chosen.cache_ram_mib = 0
    chosen.cache_idle_slots = False
    chosen.slot_prompt_similarity = 0.0
    chosen.ui = False
    chosen.endpoint_slots = False
    chosen.cors_origins = ""  # no web page may read from it
    chosen.verbosity = 1  # errors only
    return chosen


def main(argument: str) -> None:
    """Serves until stdin ends."""
    with os.fdopen(os.dup(1), "w") as announcement:
        os.dup2(2, 1)
        # The engine's threads wait for one another hundreds of times a token. By default they spin, and
        # on a machine whose cores are busy that was measured to take up to 30 times as long.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        try:
            import xllamacpp  # noqa: PLC0415 -- here, so that whatever loading prints is not taken for the address
        except ImportError as error:
            sys.exit(f"xllamacpp cannot be loaded: {error} (Debian and Ubuntu have libgomp in the package libgomp1)")

        server = xllamacpp.Server(parameters(xllamacpp, ServerOptions.from_argument(argument)))
        announcement.write(f"{server.listening_address}\n")
    sys.stdin.buffer.read()
    signal.alarm(_LEAVE_WITHIN_SECONDS)
    del server


if __name__ == "__main__":
    main(sys.argv[1])
