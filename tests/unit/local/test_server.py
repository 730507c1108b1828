"""Starting and stopping a child: every way in which it can misbehave is one line and leaves no process."""

from __future__ import annotations

import os
import time
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from llm_testbench.errors import InconclusiveError, InputError
from llm_testbench.local.server import EmbeddedGateway
from llm_testbench.local.weights import WEIGHTS_FILE, FindSpec

# A child that behaves: a real HTTP server that is healthy at the third question.
HEALTHY = """
import http.server, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    asked = 0
    def do_GET(self):
        Handler.asked += 1
        self.send_response(200 if Handler.asked >= 3 else 503)
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
"""
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{HEALTHY}\nimport time; time.sleep(600)"


@pytest.fixture
def find(tmp_path: Path) -> FindSpec:
    (tmp_path / WEIGHTS_FILE).write_bytes(b"nonsense")

    def find_in_folder(name: str) -> ModuleSpec:
        spec = ModuleSpec(name, loader=None, is_package=True)
        spec.submodule_search_locations = [str(tmp_path)]
        return spec

    return find_in_folder


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_started_server_tells_its_endpoint_and_is_gone_afterwards(find: FindSpec) -> None:
    with EmbeddedGateway.start(find=find, program=("-c", HEALTHY)) as gateway:
        assert gateway.endpoint.startswith("http://127.0.0.1:")
        assert gateway.endpoint.endswith("/v1")
        assert gateway.model_id == "smollm2-135m-instruct"
        assert exists(gateway.pid)
    assert not exists(gateway.pid)


def test_stopping_twice_is_harmless(find: FindSpec) -> None:
    gateway = EmbeddedGateway.start(find=find, program=("-c", HEALTHY))
    gateway.stop()
    gateway.stop()
    assert not exists(gateway.pid)


def test_a_server_that_ignores_everything_is_killed(find: FindSpec) -> None:
    with EmbeddedGateway.start(find=find, program=("-c", STUBBORN), grace=0.2) as gateway:
        pass
    assert not exists(gateway.pid)


def test_a_server_that_ends_when_told_to_terminate_is_not_killed(find: FindSpec) -> None:
    deaf = HEALTHY.replace("sys.stdin.read()", "import time; time.sleep(600)")
    with EmbeddedGateway.start(find=find, program=("-c", deaf), grace=0.2) as gateway:
        pass
    assert not exists(gateway.pid)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        pytest.param(
            "import sys; sys.exit('no\\nmemory')", "ended with code 1; its log ends with: no memory", id="dies"
        ),
        pytest.param("import os; os.abort()", "was ended by signal 6; its log ends with: (nothing)", id="crashes"),
        pytest.param("print('http://203.0.113.9:80')", "ended with code 0", id="names an address that is not loopback"),
        pytest.param(
            "print('http://127.0.0.1:1'); print(end='', flush=True)", "ended with code 0", id="dies when asked"
        ),
        pytest.param(
            "import sys; sys.stderr.write('\\x1b[31m' + 'x' * 20000 + ' the end\\x07'); sys.exit(3)",
            "xxx the end\\x07",
            id="floods its log with control characters",
        ),
    ],
)
def test_a_child_that_does_not_come_up_is_one_line_with_the_end_of_its_log(
    find: FindSpec, program: str, expected: str
) -> None:
    began = time.monotonic()
    with pytest.raises(InconclusiveError) as caught:
        EmbeddedGateway.start(find=find, program=("-c", program), deadline=60)
    line = str(caught.value)
    assert time.monotonic() - began < 30, "a dead child needs no waiting for the deadline"
    assert expected in line
    assert "\n" not in line
    assert "\x1b" not in line
    assert len(line) < 500


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("import sys; sys.stdin.read()", id="says nothing"),
        pytest.param(HEALTHY.replace(">= 3", ">= 10**9"), id="is never healthy"),
        pytest.param(
            "import sys; sys.stdout.close(); import os; os.close(1); sys.stdin.read()", id="closes its output"
        ),
    ],
)
def test_a_child_that_is_never_ready_is_given_up_at_the_deadline(find: FindSpec, program: str) -> None:
    with pytest.raises(InconclusiveError, match="did not answer in time"):
        EmbeddedGateway.start(find=find, program=("-c", program), deadline=0.4, grace=0.1)


def test_the_deadline_holds_against_a_health_check_that_never_answers(find: FindSpec) -> None:
    silent = HEALTHY.replace("def do_GET(self):", "def do_GET(self):\n        import time; time.sleep(600)")
    with pytest.raises(InconclusiveError, match="did not answer in time"):
        EmbeddedGateway.start(find=find, program=("-c", silent), deadline=0.4, grace=0.1)


def test_the_child_sees_no_key_and_nothing_that_changes_answers(find: FindSpec) -> None:
    program = "import os, sys; sys.exit(' '.join(sorted(os.environ)))"
    given = {"PATH": os.environ["PATH"], "LLMTB_API_KEY": "k" * 20, "GITHUB_TOKEN": "t" * 20, "GGML_X": "1"}
    given |= {"PYTHON_KEY": "k" * 20, "LC_KEY_2": "k" * 20, "COVERAGE_TOKEN": "k" * 20, "DYLD_TOKEN": "k" * 20}
    with pytest.raises(InconclusiveError) as caught:
        EmbeddedGateway.start(find=find, program=("-c", program), environ=given)
    seen = str(caught.value).rsplit(": ", 1)[1].split()
    assert "PATH" in seen
    assert set(seen) <= {"PATH", "LC_CTYPE"}


def test_a_file_in_the_folder_under_test_is_not_imported(
    find: FindSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("import sys; sys.exit('hijacked')")
    monkeypatch.chdir(tmp_path)
    with EmbeddedGateway.start(find=find, program=("-c", f"import json\n{HEALTHY}")) as gateway:
        assert exists(gateway.pid)


def test_a_proxy_in_the_environment_does_not_stand_between(find: FindSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with EmbeddedGateway.start(find=find, program=("-c", HEALTHY)) as gateway:
        assert exists(gateway.pid)


def test_a_missing_package_starts_no_process() -> None:
    with pytest.raises(InputError, match="pip install"):
        EmbeddedGateway.start(find=lambda _: None, program=("-c", "raise SystemExit"))
