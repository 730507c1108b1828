"""The same suite through two real gateways: the embedded llama.cpp server, and a LiteLLM proxy in front of it.

    python -m benchmarks.two_gateways [--litellm PATH]

Both are asked plainly and streamed, at temperature 0 with a seed and one request at a time; every score must be the
same. Without --litellm the proxy is installed into an environment of its own, which takes about a minute: it brings
a hundred packages that this project has no other use for.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.read import read
from llm_testbench.local.server import EmbeddedGateway

ROOT = Path(__file__).parents[1]
STARTING = 120.0  # seconds until the proxy must answer
KEY = "sk-two-gateways"
MODEL = "smollm2"


@dataclass(frozen=True)
class Measured:
    """One run: through which gateway, streamed or not, and what it cost."""

    gateway: str
    stream: bool
    artifact: Artifact
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--litellm", type=Path, help="the proxy's program, where it is installed already")
    parser.add_argument("--suites", default="builtin:smoke", help="what is asked")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, EmbeddedGateway.start(parallel=1) as embedded:
        folder = Path(name)
        litellm = given.litellm or installed(folder / "venv")
        with proxy(litellm, embedded, folder) as url:
            ways = [(gateway, stream) for stream in (False, True) for gateway in ("llama.cpp", "LiteLLM")]
            address = {"llama.cpp": embedded.endpoint, "LiteLLM": url}
            runs = [measure(folder, given.suites, gateway, address[gateway], stream=stream) for gateway, stream in ways]
    print(tabulate([figures(run) for run in runs], headers="keys", tablefmt="github"))
    different = list(differences(runs))
    words = sum(
        len({row.response_text for row in rows}) > 1 for rows in zip(*(r.artifact.results for r in runs), strict=True)
    )
    print(f"\n{len(runs[0].artifact.results)} answers a run; scores that differ: {len(different)}; texts: {words}")
    print("\n".join(different))
    return 1 if different else 0


def installed(folder: Path) -> Path:
    """A new environment with the proxy from the package index."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "litellm[proxy]"], check=True)
    return folder / "bin" / "litellm"


@contextmanager
def proxy(litellm: Path, behind: EmbeddedGateway, folder: Path) -> Iterator[str]:
    """The proxy on a free port; yields its base URL."""
    config = {
        "model_list": [
            {
                "model_name": MODEL,
                "litellm_params": {
                    "model": f"openai/{behind.model_id}",
                    "api_base": behind.endpoint,
                    "api_key": "none",
                },
            }
        ],
        "general_settings": {"master_key": KEY},
        "litellm_settings": {"telemetry": False},
    }
    file = folder / "litellm.yaml"
    file.write_text(json.dumps(config))  # JSON is YAML
    port = free_port()
    command = [str(litellm), "--config", str(file), "--host", "127.0.0.1", "--port", str(port)]
    environ = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1"}
    log = folder / "litellm.log"
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder, env=environ)
    try:
        await_answer(f"http://127.0.0.1:{port}/health/liveliness", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def await_answer(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Returns when the proxy answers; RuntimeError with its last words when it does not."""
    until = time.monotonic() + STARTING
    while server.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError(f"the proxy does not answer:\n{log.read_text(errors='replace')[-2000:]}")


def measure(folder: Path, suites: str, gateway: str, url: str, *, stream: bool) -> Measured:
    """`llmtest run` as a process of its own, as a user has it."""
    out = folder / f"{gateway}-{stream}.json"
    command = [sys.executable, "-m", "llm_testbench", "run", "--quiet"]
    command += ["--endpoint", url, "--models", MODEL, "--suites", suites, "--out", str(out)]
    command += ["--temperature", "0", "--seed", "7", "--concurrency", "1", "--max-tokens-default", "128"]
    command += ["--stream" if stream else "--no-stream"]
    environ: Mapping[str, str] = os.environ | {"LLMTB_API_KEY": KEY, "PYTHONPATH": str(ROOT / "src")}
    started = time.monotonic()
    subprocess.run(command, check=True, cwd=folder, env=environ, stdout=subprocess.DEVNULL)
    return Measured(gateway, stream, read(out), time.monotonic() - started)


def figures(run: Measured) -> dict[str, object]:
    rows = run.artifact.results
    answered = [row for row in rows if row.scored]
    return {
        "gateway": run.gateway,
        "streamed": "yes" if run.stream else "no",
        "answers": f"{len(answered)} of {len(rows)}",
        "mean": f"{sum(row.score for row in answered) / max(len(answered), 1):.4f}",
        "tokens": sum(row.completion_tokens or 0 for row in answered),
        "served model": ", ".join(sorted({row.served_model or "" for row in answered})),
        "seconds": f"{run.seconds:.1f}",
    }


def differences(runs: Sequence[Measured]) -> Iterator[str]:
    """One line for each test whose outcome or score is not the same in every run."""
    first, *others = ({row.test_id: row for row in run.artifact.results} for run in runs)
    for run, rows in zip(runs[1:], others, strict=True):
        for test_id, row in first.items():
            if said(rows[test_id]) != said(row):
                way = f"{run.gateway}, {'streamed' if run.stream else 'plain'}"
                yield f"{test_id}: {said(row)} through {runs[0].gateway}, plain; {said(rows[test_id])} through {way}"


def said(row: Row) -> tuple[str, float]:
    return row.outcome.value, row.score


if __name__ == "__main__":
    raise SystemExit(main())
