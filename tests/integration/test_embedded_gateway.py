"""The embedded gateway for real: the engine, the weights, its process, and what becomes of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
import requests

from llm_testbench.answer.model import Answer
from llm_testbench.errors import InconclusiveError
from llm_testbench.evaluators.guard import Crash, evaluate
from llm_testbench.local.server import EmbeddedGateway
from llm_testbench.local.weights import WEIGHTS_FILE, available
from llm_testbench.suite.load import load

pytestmark = pytest.mark.skipif(not available(), reason="the embedded model is not installed")

PARENT = """
import os, signal, time
from llm_testbench.local.server import EmbeddedGateway
# Not print(): the signal may come while the line below is being printed, and a stream is not reentrant.
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))
gateway = EmbeddedGateway.start()
print(gateway.pid, gateway.endpoint, flush=True)
while True:
    time.sleep(1)
"""


@pytest.fixture(scope="module")
def gateway() -> Iterator[EmbeddedGateway]:
    with EmbeddedGateway.start() as started:
        yield started


def completion(gateway: EmbeddedGateway, prompt: str, **more: Any) -> requests.Response:
    body = {
        "model": gateway.model_id,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": 16,
        **more,
    }
    response = requests.post(f"{gateway.endpoint}/chat/completions", json=body, timeout=60)
    response.raise_for_status()
    return response


def text_of(response: requests.Response) -> str:
    text: str = response.json()["choices"][0]["message"]["content"]
    return text


def streamed_text(response: requests.Response) -> str:
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line]
    assert lines.pop() == "[DONE]"
    choices = [choice for line in lines for choice in json.loads(line)["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    """A zombie is dead: when its parent was killed, who reaps it and when is not ours to say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_answers_the_same_alone_side_by_side_and_streamed(gateway: EmbeddedGateway) -> None:
    prompts = ["Name a colour.", "Count from one to five."]
    alone = [text_of(completion(gateway, prompt)) for prompt in prompts]
    assert all(alone)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda prompt: text_of(completion(gateway, prompt)), prompts * 2))
    assert together == alone * 2
    assert [streamed_text(completion(gateway, prompt, stream=True)) for prompt in prompts] == alone


def test_it_calls_itself_by_its_id_and_shows_no_path(gateway: EmbeddedGateway) -> None:
    answer = completion(gateway, "Hi", max_tokens=1)
    models = requests.get(f"{gateway.endpoint}/models", timeout=10)
    assert answer.json()["model"] == gateway.model_id
    assert [model["id"] for model in models.json()["data"]] == [gateway.model_id]
    assert ".gguf" not in models.text + answer.text


def test_it_reuses_nothing_of_the_answer_before(gateway: EmbeddedGateway) -> None:
    usages = [completion(gateway, "Say hello.", max_tokens=1).json()["usage"] for _ in range(2)]
    assert [usage["prompt_tokens_details"]["cached_tokens"] for usage in usages] == [0, 0]


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        pytest.param("builtin:smoke", 1.0, id="smoke"),
        pytest.param("examples/demo/spoiled.yaml", 0.0, id="the spoiled demo"),
    ],
)
def test_it_answers_the_must_pass_test_of_each_suite_as_its_readers_are_told(
    gateway: EmbeddedGateway, suite: str, expected: float
) -> None:
    (test,) = (test for test in load([suite], Path(__file__).parents[2]) if test.must_pass)
    answer = text_of(completion(gateway, "", messages=list(test.messages)))
    score = evaluate(test.evaluator, Answer(text=answer))
    assert not isinstance(score, Crash)
    assert score.value == expected, answer


def test_broken_weights_are_one_line_in_the_engines_own_words(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS_FILE).write_bytes(b"nonsense" * 100)

    def find(name: str) -> ModuleSpec:
        spec = ModuleSpec(name, loader=None, is_package=True)
        spec.submodule_search_locations = [str(tmp_path)]
        return spec

    with pytest.raises(InconclusiveError, match=r"ended with code 1; its log ends with: .*Failed to init server"):
        EmbeddedGateway.start(find=find)


def test_the_server_survives_a_ctrl_c_and_dies_with_its_killed_parent() -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        try:
            assert parent.stdout is not None
            pid, endpoint = parent.stdout.readline().split()
            assert os.getpgid(int(pid)) != parent.pid
            os.killpg(parent.pid, signal.SIGINT)
            assert parent.stdout.readline() == "interrupted\n"
            assert requests.get(f"{endpoint}/models", timeout=10).ok
        finally:
            parent.kill()
    assert until(lambda: not alive(int(pid)))


def test_an_engine_that_cannot_be_loaded_is_one_line_that_names_the_library(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    with pytest.raises(InconclusiveError, match=r"cannot be loaded: libgomp\.so\.1: .*libgomp1") as caught:
        EmbeddedGateway.start(environ={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "Traceback" not in str(caught.value)
