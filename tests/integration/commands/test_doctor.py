"""doctor, on real servers: what it says, what it ends with, and what it writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, Done
from tests.integration.gateway.test_probe import Picky
from tests.servers.certificate import server_context
from tests.servers.gateway import Gateway, Reply, Scripted, tool_message
from tests.servers.github import FakeGitHub
from tests.unit.hostile_text import HOSTILE
from tests.unit.rendered_markdown import rendered

from llm_testbench.gateway.probe import MOST_CALLS
from llm_testbench.gateway.probe_model import TOOL

KEY = "sk-canary-0123456789"


@pytest.fixture(autouse=True)
def _answers(world: Bench) -> None:
    world.server.answer = Picky()
    world.environ = {"PATH": "/usr/bin:/bin"}


def doctor(world: Bench, *arguments: str, **environ: str) -> Done:
    return world.llmtest("doctor", "--endpoint", world.server.url, *arguments, environ=environ)


def data(world: Bench, *arguments: str, **environ: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(doctor(world, *arguments, "--format", "json", **environ).out)
    return found


def test_a_healthy_endpoint_is_said_to_be_so(world: Bench) -> None:
    done = doctor(world, "--models", "model-a")

    assert done.code == 0
    assert done.out.startswith("1 model can be asked\n")
    assert done.err == "asking model-a\n"
    assert "What to do" not in done.out
    facts = {fact["what"]: fact for fact in data(world, "--models", "model-a")["models"][0]["facts"]}
    assert facts["listed"]["state"] == facts["tools"]["state"] == "yes"


def test_a_model_costs_at_most_eight_requests_with_its_list(world: Bench) -> None:
    refused = ("max_tokens", "max_completion_tokens", "temperature", "seed", "stream_options", "tool_choice", "tools")
    world.server.answer = Picky(refused)

    found = data(world, "--models", "model-a")

    assert found["models"][0]["calls"] == len(world.server.requests) == MOST_CALLS + 1 == 8


def test_without_names_the_first_listed_models_that_may_chat_are_asked(world: Bench) -> None:
    world.server.models = ("text-embedding-3", "a", "b,c", "b", "c", "d", "e")

    found = data(world)

    assert [model["name"] for model in found["models"]] == ["a", "b", "c", "d"]
    assert found["left_out"] == ["text-embedding-3", "e"]


def test_where_nothing_is_known_the_machine_is_looked_at_all_the_same(world: Bench) -> None:
    done = world.llmtest("doctor")

    assert done.code == 2
    assert "No model was asked" in done.out
    assert "Python" in done.out
    assert "name an endpoint: --endpoint URL" in done.out


def test_an_endpoint_that_lists_nothing_needs_a_name(world: Bench) -> None:
    world.server.models = ()
    done = doctor(world)

    assert done.code == 3
    assert "lists no model: name one by --models" in done.out


def test_the_nearest_listed_name_is_shown(world: Bench) -> None:
    world.server.models = ("org/chat-large", "other")
    world.server.answer = lambda body: Reply({"error": {"message": "The model does not exist"}}, 404)

    done = doctor(world, "--models", "org/chat-larg")

    assert done.code == 3
    assert "among 2 models; much like it is: org/chat-large" in done.out
    assert "- org/chat-larg: the endpoint does not list this model: correct its id" in done.out


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (("zebra",), "among 1 model: zebra\n"),
        (("zebra", "yak", "xerus", "wombat"), "among 4 models: zebra, yak, xerus, wombat\n"),
        (("zebra", "yak", "xerus", "wombat", "vole"), "among 5 models; the first: zebra, yak, xerus, wombat\n"),
    ],
)
def test_where_no_listed_name_is_near_the_first_are_shown(world: Bench, models: tuple[str, ...], said: str) -> None:
    world.server.models = models
    world.server.answer = lambda body: Reply({"error": {"message": "The model does not exist"}}, 404)

    assert said in doctor(world, "--models", "org/chat").out


def test_one_model_of_two_that_cannot_be_asked_is_enough_for_code_3(world: Bench) -> None:
    working = Picky()
    world.server.answer = lambda body: Reply("", 500) if body["model"] == "b" else working(body)

    done = doctor(world, "--models", "a,b")

    assert done.code == 3
    assert done.out.startswith("1 of 2 models can be asked\n")


Trouble = Callable[[Bench], str]


def wrong_key(world: Bench) -> str:
    world.server.answer = lambda body: Reply({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)
    world.server.listing = Reply({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)
    return world.server.url


def dead(world: Bench) -> str:
    return "http://127.0.0.1:1/v1"


def without_v1(world: Bench) -> str:
    return world.server.url.removesuffix("/v1")


def page(world: Bench) -> str:
    world.server.answer = lambda body: Reply("<html><title>Sign in</title></html>")
    world.server.listing = Reply("<html><title>Sign in</title></html>")
    return world.server.url


TROUBLES: dict[Trouble, str] = {
    wrong_key: "the key is not accepted",
    dead: "nothing listens there",
    without_v1: "set endpoint to this address with /v1 at its end",
    page: "no API is at this address",
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("named", [["--models", "model-a"], []], ids=["named", "listed"])
def test_what_stands_in_the_way_is_one_line_that_says_what_to_do(
    world: Bench, trouble: Trouble, named: list[str]
) -> None:
    endpoint = trouble(world)
    done = world.llmtest("doctor", "--endpoint", endpoint, *named, environ={"LLMTB_API_KEY": KEY})

    assert done.code == 3
    assert done.errors == []
    (line,) = [line for line in done.out.splitlines() if line.startswith("- ")]
    assert TROUBLES[trouble] in done.out
    assert line.startswith("- model-a: " if named else f"- {endpoint}: ")
    assert KEY not in done.out + done.err


def test_an_unknown_authority_is_told_with_the_option_that_names_it(world: Bench) -> None:
    with Gateway(tls=server_context()) as server:
        done = world.llmtest("doctor", "--endpoint", server.url, "--models", "m")

    assert done.code == 3
    assert "ca_bundle" in done.out


@pytest.mark.parametrize("named", [["--models", "m"], []], ids=["named", "listed"])
def test_authorities_that_are_not_there_are_one_finding_among_others(
    world: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere.pem")
    github = {"GITHUB_API_URL": "http://127.0.0.1:1", "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": "ghs_0123456789"}
    done = doctor(world, *named, REQUESTS_CA_BUNDLE="/nowhere.pem", **github)

    assert done.code == 3
    assert done.errors == []
    assert " ".join(done.out.split()).count("REQUESTS_CA_BUNDLE: nothing is at '/nowhere.pem'") == 3


def test_no_call_is_made_to_a_dead_server_but_one(world: Bench) -> None:
    found = json.loads(
        world.llmtest("doctor", "--endpoint", "http://127.0.0.1:1/v1", "--models", "m", "--format", "json").out
    )

    assert found["models"][0]["calls"] == 1


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_what_a_server_says_stays_text(world: Bench, bad: str, form: str) -> None:
    told = f"evil {bad}"

    def answer(body: dict[str, Any]) -> Scripted:
        if "temperature" in body:
            return Reply({"error": {"message": f"temperature is not supported {told}", "param": "temperature"}}, 400)
        return tool_message(told, told) if "tools" in body else told

    world.server.answer = answer
    world.server.models = (told, "near")
    done = doctor(world, "--models", "nea", "--format", form)

    assert done.code == 0
    assert "\x1b" not in done.out
    assert not any(line.startswith(("::", "##[")) for line in (done.out + done.err).splitlines())
    if form == "markdown":
        assert "evil" not in rendered(done.out).prose


def test_proxies_are_named_and_not_shown(world: Bench) -> None:
    found = data(world, "--models", "m", HTTPS_PROXY="http://user:hunter2hunter2@proxy:1", NO_PROXY="127.0.0.1")

    (proxy,) = [fact for fact in found["machine"] if fact["what"] == "proxy"]
    assert proxy["seen"] == "HTTPS_PROXY, NO_PROXY"
    assert "hunter2" not in json.dumps(found)


def test_an_output_folder_that_cannot_be_made_is_seen(world: Bench) -> None:
    world.write("file", "")
    found = data(world, "--models", "m", "--output-dir", "file/results")

    (folder,) = [fact for fact in found["machine"] if fact["what"] == "output folder"]
    assert folder["state"] == "no"
    assert not (world.folder / "llm-testbench-results").exists()


def test_an_output_folder_that_is_yet_to_be_made_is_no_trouble(world: Bench) -> None:
    found = data(world, "--models", "m", "--output-dir", "a/b/c", https_proxy="http://proxy:1", NO_PROXY="127.0.0.1")

    facts = {fact["what"]: fact for fact in found["machine"]}
    assert facts["output folder"]["state"] == "yes"
    assert facts["proxy"]["seen"] == "https_proxy, NO_PROXY"
    assert not (world.folder / "a").exists()


def test_models_of_one_endpoint_share_its_list(world: Bench) -> None:
    doctor(world, "--models", "a,b")

    assert [received.path for received in world.server.requests].count("/v1/models") == 1


def test_the_list_that_the_models_were_taken_from_is_not_asked_for_again(world: Bench) -> None:
    done = doctor(world)

    assert done.code == 0
    assert [received.path for received in world.server.requests].count("/v1/models") == 1


def test_a_list_is_looked_for_elsewhere_only_where_the_model_does_not_answer(world: Bench) -> None:
    world.server.root = ""
    world.server.listing = Reply("", 404)
    done = world.llmtest("doctor", "--endpoint", world.server.url.removesuffix("/v1"), "--models", "m")

    assert done.code == 0
    assert [received.path for received in world.server.requests if received.method == "GET"] == ["/models"]


def test_where_no_listed_model_looks_like_chat_they_are_asked_all_the_same(world: Bench) -> None:
    world.server.models = ("text-embedding-3",)

    assert [model["name"] for model in data(world)["models"]] == ["text-embedding-3"]


def test_quiet_says_nothing_beside_the_report(world: Bench) -> None:
    assert doctor(world, "--models", "m", "--quiet").err == ""


def test_a_call_in_text_is_told_with_what_to_do(world: Bench) -> None:
    world.server.answer = lambda body: f'<tool_call>{{"name": "{TOOL}", "arguments": {{}}}}</tool_call>'
    done = doctor(world, "--models", "m")

    assert done.code == 0
    assert "- m: start its server with a parser for tool calls" in done.out


# What is written


NEEDS = "{name: m, temperature: null, stream_options: false}"


@pytest.fixture
def picky(world: Bench) -> Bench:
    world.server.answer = Picky(("temperature", "stream_options"))
    return world


def test_a_file_is_created_with_endpoint_and_models(picky: Bench) -> None:
    done = doctor(picky, "--models", "m,k", "--write", LLMTB_API_KEY=KEY)

    written = (picky.folder / "llm-testbench.yaml").read_text("utf-8")
    assert done.code == 0
    assert written == f"endpoint: {picky.server.url}\nmodels:\n  - {NEEDS}\n  - {NEEDS.replace('m,', 'k,')}\n"
    assert "llm-testbench.yaml: created" in done.err
    assert f"+ - {NEEDS}" in done.err


def test_a_model_that_needs_nothing_stands_there_by_its_name(world: Bench) -> None:
    doctor(world, "--models", "m", "--write")

    assert "models:\n  - m\n" in (world.folder / "llm-testbench.yaml").read_text("utf-8")


def test_only_the_entry_changes_and_validate_finds_no_fault(picky: Bench) -> None:
    before = (
        f"# ours\r\nendpoint: {picky.server.url}  # the gateway\r\nmodels:\r\n  - m  # small\r\n"
        "  - name: n\r\n    id: m\r\n    api_key_env: N_KEY  # theirs\r\n    extra_headers: {X-Team: secret-header}\r\n"
        "\r\n# the rest\r\nsuites: [suite.yaml]\r\n"
    )
    (picky.folder / "llm-testbench.yaml").write_bytes(before.encode())

    done = picky.llmtest("doctor", "--write", environ={"N_KEY": KEY})

    after = (picky.folder / "llm-testbench.yaml").read_bytes().decode()
    assert done.code == 0
    assert after == before.replace("- m  #", f"- {NEEDS}  #").replace(
        "secret-header}\r\n", "secret-header}\r\n    temperature: null\r\n    stream_options: false\r\n"
    )
    assert picky.llmtest("validate").code == 0
    assert "secret-header" not in done.out + done.err
    assert KEY not in done.out + done.err + after


def test_a_second_time_there_is_nothing_to_change(picky: Bench) -> None:
    doctor(picky, "--models", "m", "--write")
    before = (picky.folder / "llm-testbench.yaml").read_bytes()
    done = picky.llmtest("doctor", "--write")

    assert "holds all that the models need" in done.err
    assert (picky.folder / "llm-testbench.yaml").read_bytes() == before
    assert "models:" not in done.out


def test_after_it_nothing_refused_is_sent(picky: Bench) -> None:
    doctor(picky, "--models", "m", "--write")
    picky.server.requests.clear()
    done = picky.llmtest("run", "--suites", "suite.yaml", "--stream", "--quiet")

    assert done.code == 0
    bodies = [received.body for received in picky.server.requests]
    assert len(bodies) == 2
    assert not any({"temperature", "stream_options"} & set(body) for body in bodies)


def test_a_model_that_cannot_be_asked_is_not_written(world: Bench) -> None:
    world.server.answer = lambda body: Reply("", 500)
    done = doctor(world, "--models", "m", "--write")

    assert done.code == 3
    assert "llm-testbench.yaml: nothing to write" in done.err
    assert not (world.folder / "llm-testbench.yaml").exists()


def test_another_endpoint_than_the_files_is_refused_before_a_call(world: Bench) -> None:
    world.write("llm-testbench.yaml", "endpoint: https://gateway.example.com/v1\nmodels: [m]\n")
    done = doctor(world, "--models", "m", "--write")

    assert done.code == 2
    assert done.errors == [
        "error: flag --endpoint: another endpoint than in llm-testbench.yaml is asked, whose models its entries are:"
        " leave it out to use --write"
    ]
    assert world.server.requests == []


def test_a_form_that_cannot_be_edited_is_left_and_the_report_is_there(picky: Bench) -> None:
    text = f"{{endpoint: {picky.server.url}}}\n"
    picky.write("llm-testbench.yaml", text)
    done = picky.llmtest("doctor", "--models", "m", "--write")

    assert done.code == 2
    assert NEEDS in done.out
    assert done.errors == [
        "error: llm-testbench.yaml: its form cannot be changed in place: put the entries there by hand"
    ]
    assert (picky.folder / "llm-testbench.yaml").read_text("utf-8") == text


def test_a_folder_that_cannot_be_written_is_known_before_a_call(world: Bench) -> None:
    (world.folder / "llm-testbench.yaml").symlink_to("/dev/full")
    done = doctor(world, "--models", "m", "--write")

    assert done.code == 2
    assert "llm-testbench.yaml: cannot be written" in done.errors[0]
    assert world.server.requests == []


# The token


@contextmanager
def hub() -> Iterator[FakeGitHub]:
    with FakeGitHub() as github:
        yield github
        assert github.problems == []
        assert {seen.method for seen in github.requests} <= {"GET"}


def token(world: Bench, github: FakeGitHub, **environ: str) -> dict[str, tuple[str, str]]:
    found = data(world, "--models", "m", **{**github.environ, "GITHUB_TOKEN": github.token, **environ})
    return {fact["what"]: (fact["state"], fact["seen"]) for fact in found["token"]}


def test_what_the_job_token_may_read_is_tried_and_what_it_may_write_is_not_known(world: Bench) -> None:
    with hub() as github:
        found = token(world, github)

    assert {what: state for what, (state, _) in found.items()} == {
        "contents: read": "yes",
        "actions: read": "yes",
        "pull-requests: read": "yes",
        "contents: write": "unknown",
        "pull-requests: write": "unknown",
        "checks: write": "unknown",
    }
    assert "Set up job" in found["contents: write"][1]


@pytest.mark.parametrize(
    ("path", "permission"),
    [
        (r"/releases$", "contents: read"),
        (r"/actions/artifacts$", "actions: read"),
        (r"/pulls$", "pull-requests: read"),
    ],
)
def test_a_missing_permission_is_named_as_a_workflow_writes_it(world: Bench, path: str, permission: str) -> None:
    with hub() as github:
        github.fail("GET", path, 403, body={"message": "Resource not accessible by integration"})
        done = doctor(world, "--models", "m", **github.environ, GITHUB_TOKEN=github.token)

    assert done.code == 0
    assert f'- add "{permission}" to the permissions of the job, or give another token' in done.out
    assert github.token not in done.out


@pytest.mark.parametrize(("push", "state"), [(False, "no"), (True, "unknown")])
def test_an_account_that_may_not_push_has_no_token_that_may(world: Bench, push: bool, state: str) -> None:
    with hub() as github:
        github.token = "ghp_0123456789abcdef"
        github.fail("GET", r"/repos/octo/shop$", 200, body={"permissions": {"push": push}})
        found = token(world, github)

    assert found["contents: write"][0] == state
    assert found["pull-requests: write"][0] == "unknown"


@pytest.mark.parametrize(("given", "seen"), [("ghs_wrong0123456789", "the token is not valid")])
def test_a_wrong_token_is_told_once(world: Bench, given: str, seen: str) -> None:
    with hub() as github:
        found = token(world, github, GITHUB_TOKEN=given)

    assert found == {"metadata: read": ("no", f"anything; {seen}")}


def test_a_repository_that_is_not_there_is_told(world: Bench) -> None:
    with hub() as github:
        found = token(world, github, GITHUB_REPOSITORY="octo/other")

    assert found["metadata: read"][0] == "no"
    assert "does not exist" in found["metadata: read"][1]


def test_a_spent_rate_limit_says_nothing_about_permissions(world: Bench) -> None:
    with hub() as github:
        github.remaining = 1
        found = token(world, github)

    assert found["contents: read"][0] == found["actions: read"][0] == "unknown"


def test_without_a_repository_nothing_is_asked(world: Bench) -> None:
    assert data(world, "--models", "m")["token"] == []
    (fact,) = data(world, "--models", "m", GITHUB_TOKEN="ghs_0123456789")["token"]
    assert "GITHUB_REPOSITORY" in fact["said"]


def test_the_tool_is_the_one_that_was_offered(world: Bench) -> None:
    doctor(world, "--models", "m")

    (asked,) = [received.body for received in world.server.requests if "tools" in received.body]
    assert asked["tools"][0]["function"]["name"] == TOOL


def test_the_config_of_a_folder_is_found(world: Bench, tmp_path: Path) -> None:
    world.write("llm-testbench.yaml", f"endpoint: {world.server.url}\nmodels: [{{name: x, id: model-a}}]\n")
    done = world.llmtest("doctor")

    assert done.code == 0
    assert done.out.startswith("1 model can be asked\n")
    assert "listed          yes  among 1 model" in done.out


# The page about it


PAGE = (Path(__file__).parents[3] / "docs/check-your-gateway.md").read_text("utf-8")


def test_the_page_shows_what_is_printed_and_written(world: Bench) -> None:
    world.server.answer = Picky(("max_tokens", "temperature", "tool_choice named"))
    world.server.models = ("my-model", "other", "third")
    (config,) = re.findall(r"`llm-testbench.yaml`:\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    (report,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    (entry,) = re.findall(r"```yaml\n(  - .*?\n)```", PAGE, re.DOTALL)
    world.write("llm-testbench.yaml", config.replace("https://gateway.example.com/v1", world.server.url))

    done = world.llmtest("doctor", "--write")

    printed = re.sub(r"in \d+ ms", "in 240 ms", done.out.replace(world.server.url, "https://gateway.example.com/v1"))
    assert re.sub("─+", "─", report) in re.sub("─+", "─", printed)
    assert entry in (world.folder / "llm-testbench.yaml").read_text("utf-8")
