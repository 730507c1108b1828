"""What is in the image, and what is not."""

from __future__ import annotations

import json

import pytest
from tests.container.engine import Image

from llm_testbench import __version__
from llm_testbench.sandbox.uids import COUNT, FIRST

NO_USER_AND_NO_FOLDER = {
    "User": "",
    "WorkingDir": "",
    "Entrypoint": ["/opt/llm-testbench/bin/llmtest"],
    "Cmd": ["gate"],
}
LABELS = {
    "org.opencontainers.image.title": "llm-testbench",
    "org.opencontainers.image.description": "A CI quality gate for language models behind an OpenAI-compatible gateway",
    "org.opencontainers.image.source": "https://github.com/org/llm-testbench",
    "org.opencontainers.image.licenses": "MIT",
}

# Prints, as JSON, which modules have no compiled form that holds whatever the time of their file.
STALE = """
import importlib.util, json, pathlib
UNCHECKED_HASH = (1).to_bytes(4, "little")  # PEP 552
stale = []
for source in pathlib.Path("/opt/llm-testbench/lib").rglob("*.py"):
    compiled = pathlib.Path(importlib.util.cache_from_source(source))
    if not compiled.is_file() or compiled.read_bytes()[4:8] != UNCHECKED_HASH:
        stale.append(str(source))
print(json.dumps(stale))
"""
PYTHON = "/opt/llm-testbench/bin/python"


def test_it_is_run_as_whoever_runs_it_wherever_that_is(every: Image) -> None:
    config = every.config
    assert {name: config[name] for name in NO_USER_AND_NO_FOLDER} == NO_USER_AND_NO_FOLDER


def test_it_says_what_it_is(every: Image) -> None:
    assert every.config["Labels"] == LABELS


def test_no_program_has_the_rights_of_another_user(every: Image) -> None:
    assert every.shell("find / -xdev -type f -perm /6000") == ""


USERS = """
import grp, json, pwd
users = [user for user in pwd.getpwall() if user.pw_name.startswith("llm-testbench-")]
print(json.dumps([[user.pw_uid, user.pw_gid, user.pw_name, grp.getgrgid(user.pw_gid).gr_name] for user in users]))
print(json.dumps(sorted({(user.pw_passwd, user.pw_dir, user.pw_shell) for user in users})))
"""


def test_the_users_of_the_sandbox_have_names_and_nothing_else(every: Image) -> None:
    users, having = map(json.loads, every.run("-c", USERS, options=["--entrypoint", PYTHON]).out.splitlines())
    names = [(uid, f"llm-testbench-{uid}") for uid in range(FIRST, FIRST + COUNT)]
    assert users == [[uid, uid, name, name] for uid, name in names]
    assert having == [["*", "/nonexistent", "/usr/sbin/nologin"]]
    assert every.shell("ls -d /nonexistent 2>/dev/null || true") == ""


def test_no_temporary_file_is_left(every: Image) -> None:
    assert every.shell("find /tmp /var/tmp /root/.cache /root/.config -mindepth 1 2>/dev/null || true") == ""


def test_it_runs_the_tool_of_this_checkout(every: Image) -> None:
    assert every.run("version").out.splitlines()[0] == __version__
    assert every.shell("llmtest version").splitlines()[0] == __version__


def test_the_tool_stands_outside_of_what_the_sandbox_shows(every: Image) -> None:
    assert every.shell("find / -xdev -name '*llm_testbench*' -not -path '/opt/llm-testbench/*'") == ""
    assert every.shell("readlink /usr/local/bin/llmtest") == "/opt/llm-testbench/bin/llmtest\n"


BUILD_TOOLS = ["pip", "pip3", "hatchling", "make", "cc", "gcc", "g++", "go", "node", "git", "curl"]


def test_nothing_of_the_build_is_left(image: Image) -> None:
    found = f"for name in {' '.join(BUILD_TOOLS)}; do command -v $name || true; done"
    assert image.shell(found) == ""
    assert image.shell(f"{PYTHON} -c 'import importlib.util as u; print(u.find_spec(\"pip\"))'") == "None\n"
    assert image.shell("ls -A /source /requirements /wheels 2>/dev/null || true") == ""
    assert image.shell("ls -A /var/lib/apt/lists /var/cache/apt; find /root -type f -not -name '.*'").split() == [
        "/var/cache/apt:",
        "/var/lib/apt/lists:",
    ]


def test_every_module_is_compiled_already(every: Image) -> None:
    script = STALE.replace('"', '\\"')
    assert json.loads(every.shell(f'{PYTHON} -c "{script}"')) == []


def test_starting_the_gate_compiles_nothing(every: Image) -> None:
    loaded = every.shell(f"{PYTHON} -v -c 'import llm_testbench.cli, llm_testbench.commands.gate' 2>&1")
    modules = [line for line in loaded.splitlines() if line.startswith("# code object from")]
    assert len(modules) > 200
    assert [line for line in modules if not line.endswith(".pyc'")] == []


def test_help_is_there_at_once(image: Image) -> None:
    once = "start=$(date +%s%N); llmtest --help >/dev/null; echo $((($(date +%s%N) - start) / 1000000))"
    times = [int(line) for line in image.shell(f"for i in 1 2 3 4 5; do {once}; done").split()]
    assert min(times) <= 250, f"milliseconds: {times}"


@pytest.mark.parametrize("path", ["/opt/llm-testbench", "/usr/local/bin"])
def test_only_root_could_change_the_tool(every: Image, path: str) -> None:
    assert every.shell(f"find {path} -not -user root -o -not -type l -perm /022") == ""
