"""On a GitHub Enterprise Server: one host of a company, behind its own authority, perhaps behind its proxy."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.commands.bench import Bench, Done
from tests.integration.commands.job import ASSET, BASE, PULL, TIP, Job, job
from tests.servers.certificate import authority_file
from tests.servers.github.enterprise import EnterpriseServer
from tests.servers.proxy import Proxy

CA = str(authority_file())
VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
NO_PROXY = ("NO_PROXY", "no_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *NO_PROXY):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def elsewhere(plain: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """Sees every request for a host that is not this machine."""
    with Proxy("http://127.0.0.1:9") as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        yield proxy


@pytest.fixture
def step(world: Bench, elsewhere: Proxy) -> Iterator[Job]:
    with job(world, EnterpriseServer()) as made:
        world.environ["INPUT_CA_BUNDLE"] = CA
        yield made
    assert elsewhere.asked == []


def comparison(step: Job) -> Any:
    return step.world.json("llm-testbench-results/comparison.json")


def test_the_server_is_where_a_job_says_and_tells_less_than_github(step: Job) -> None:
    server = step.github.environ["GITHUB_SERVER_URL"]
    assert server.startswith("https://localhost:")
    assert step.github.environ["GITHUB_API_URL"] == f"{server}/api/v3"
    assert step.github.environ["GITHUB_GRAPHQL_URL"] == f"{server}/api/graphql"
    assert step.gate().code == 0
    assert {seen.path.partition("/api/")[0] for seen in step.github.requests} == {""}


def test_a_gate_finds_the_release_and_keeps_one_comment(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    codes = []
    for answer in ("4", "5"):
        step.world.answers["2 + 2"] = answer
        codes.append(step.gate().code)
    assert codes == [0, 1]
    assert step.outputs["baseline_tag"] == "v1.2.0"
    (comment,) = step.comments
    assert "Worse" in comment
    paths = {(seen.method, seen.path.split("/repos/")[0]) for seen in step.github.requests}
    assert paths == {("GET", "/api/v3"), ("POST", "/api/v3"), ("PATCH", "/api/v3"), ("POST", "/api/graphql")}
    assert [seen.method for seen in step.github.storage_requests] == ["GET"] * 2


def test_a_gate_finds_the_recorded_run(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE)
    assert step.gate(INPUT_BASELINE="base").code == 0
    (run,) = comparison(step)["pooled"]
    assert (run["sha"], run["used"]) == (BASE, True)
    assert run["url"] == f"{step.github.environ['GITHUB_SERVER_URL']}/octo/shop/actions/runs/50"
    assert len(step.github.storage_requests) == 1


def test_a_release_event_attaches_its_recording(step: Job) -> None:
    made = step.add_release_of_the_event()
    done = step.gate("release")
    assert done.code == 0
    assert [asset.name for asset in made.assets] == [ASSET]
    assert any(seen.path.startswith("/api/uploads/repos/octo/shop/releases/") for seen in step.github.requests)
    assert f"baseline: {step.github.environ['GITHUB_SERVER_URL']}/octo/shop/releases/download/" in done.err


def test_recordings_are_kept_on_a_branch_and_found_there(step: Job) -> None:
    step.world.environ["LLMTB_RECORD_TO"] = "ref:baselines"
    done = step.gate("push")
    assert (done.code, "::warning" in done.err) == (0, False)
    step.github.ancestry = [TIP, BASE]
    assert step.gate(INPUT_BASELINE="base").code == 0
    (run,) = comparison(step)["pooled"]
    assert (run["sha"], run["used"]) == (TIP, True)
    assert run["url"].startswith(f"{step.github.environ['GITHUB_SERVER_URL']}/octo/shop/blob/baselines/")


def test_a_check_run_is_left(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    done = step.gate(INPUT_CHECK_RUN="true")
    assert (done.code, "::warning" in done.err) == (0, False)
    assert any(seen.path == "/api/v3/repos/octo/shop/check-runs" for seen in step.github.requests)


def llmtest(step: Job, *arguments: str) -> Done:
    return step.world.llmtest(*arguments, environ=step.github.environ | {"GITHUB_TOKEN": step.github.token})


def test_a_baseline_is_pushed_twice_and_fetched(step: Job) -> None:
    data = step.recorded(role="run")
    (step.world.folder / "a.json.gz").write_bytes(data)
    release = step.github.releases[step.github.add_release("v1.2.0")]
    for _ in range(2):  # without a digest the second time looks at the file itself
        done = llmtest(step, "baseline", "push", "a.json.gz", "--release", "v1.2.0")
        assert (done.code, done.err) == (0, "")
    assert len(release.assets) == 1
    assert [seen.method for seen in step.github.requests].count("DELETE") == 0
    fetched = llmtest(step, "baseline", "fetch", "--baseline", "release", "--out", "b.json")
    assert (fetched.code, fetched.out) == (0, "release v1.2.0 → b.json\n")
    assert step.world.json("b.json")["results"] == json.loads(gzip.decompress(data))["results"]


def test_doctor_tries_the_token_there(step: Job) -> None:
    done = llmtest(step, "doctor", "--endpoint", step.world.server.url, "--models", "m", "--format", "json")
    assert done.code == 0
    token = {fact["what"]: fact["state"] for fact in json.loads(done.out)["token"]}
    assert (token["contents: read"], token["actions: read"]) == ("yes", "yes")


def test_nothing_that_is_written_names_another_server(step: Job) -> None:
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    step.world.answers["2 + 2"] = "5"
    done = step.gate(INPUT_HTML="true", INPUT_JUNIT="true")
    server = step.github.environ["GITHUB_SERVER_URL"]
    files = {path.name: path.read_text("utf-8") for path in (step.world.folder / "llm-testbench-results").iterdir()}
    assert {"artifact.json", "comparison.json", "report.md", "report.html", "junit.xml"} <= files.keys()
    for name, said in {**files, "summary": step.summary, "comment": step.comments[0], "log": done.err}.items():
        assert "github.com" not in said, name
    assert step.world.json("llm-testbench-results/artifact.json")["meta"]["git"]["run_url"] == (
        f"{server}/octo/shop/actions/runs/{step.run_id}"
    )
    assert comparison(step)["pooled"][0]["url"] == f"{server}/octo/shop/releases/tag/v1.2.0"
    assert step.outputs["comment_url"].startswith(f"{server}/octo/shop/pull/{PULL}#issuecomment-")


def test_the_command_in_the_comment_asks_that_server_and_no_other(step: Job) -> None:
    step.record_on_main(step.recorded(), sha=BASE)
    step.world.answers["2 + 2"] = "5"
    assert step.gate(INPUT_BASELINE="base").code == 1
    shown = str(re.findall(r"```sh\n(.*?)```", step.comments[0], re.DOTALL)[0]).replace("\\\n", " ")
    variables, _, gate = shown.partition(" llmtest ")
    environ = dict(re.findall(r"(\w+)=(\S+)", variables)) | {"GITHUB_TOKEN": step.github.token}
    done = step.world.llmtest(*shlex.split(gate), environ=environ)
    assert done.code == 1
    assert "asked again: 0 of" in done.out


def test_without_its_authority_one_line_names_the_input(step: Job) -> None:
    step.world.environ.clear()
    done = step.gate()
    assert done.code == 3
    (line,) = [line for line in done.err.splitlines() if line.startswith("::error")]
    assert "its certificate is not trusted (an authority of your own goes into the input ca_bundle)" in line
    assert step.github.requests == []


def by_input(step: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    step.world.write("company.pem", Path(CA).read_text())
    step.world.environ["INPUT_CA_BUNDLE"] = "company.pem"


def by_requests(step: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", CA)


def by_openssl(step: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", CA)


def over_another(step: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """The input is asked before the variable."""
    by_input(step, monkeypatch)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere.pem")


@pytest.mark.parametrize("trust", [by_input, by_requests, by_openssl, over_another])
def test_its_authority_is_named_in_any_of_these_ways(
    step: Job, trust: Callable[[Job, pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    step.world.environ.clear()
    step.github.add_release("v1.2.0", assets={ASSET: step.recorded()})
    trust(step, monkeypatch)
    assert step.gate().code == 0
    assert len(step.comments) == 1


@pytest.mark.parametrize("what", ["missing", "no PEM"])
@pytest.mark.parametrize("name", ["INPUT_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_a_bundle_that_is_none_is_a_mistake_before_the_first_call(
    step: Job, name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = step.world.folder / "company.pem"
    if what == "no PEM":
        path.write_text("-----BEGIN NOTHING-----\n", "utf-8")
    step.world.environ.clear()
    if name.startswith("INPUT_"):
        step.world.environ[name] = str(path)
    else:
        monkeypatch.setenv(name, str(path))
    done = step.gate()
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert str(path) in line
    assert (step.world.server.requests, step.github.requests) == ([], [])


FAR = "ghes.example"
"""The name of a server that only the proxy knows."""


@pytest.fixture
def server(world: Bench) -> EnterpriseServer:
    world.environ["INPUT_CA_BUNDLE"] = CA
    return EnterpriseServer(FAR)


@pytest.fixture
def far(world: Bench, server: EnterpriseServer) -> Iterator[Job]:
    with job(world, server) as made:
        made.github.add_release("v1.2.0", assets={ASSET: made.recorded()})
        yield made


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_a_proxy_leads_to_the_server_and_not_to_this_machine(
    far: Job, server: EnterpriseServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(server.listens_at) as proxy:
        monkeypatch.setenv(name, proxy.url)
        assert far.gate().code == 0
    assert {asked.rpartition(":")[0] for asked in proxy.asked} == {f"CONNECT {FAR}"}
    assert len(far.comments) == 1


def test_a_server_that_no_proxy_names_is_reached_without_one(
    far: Job, server: EnterpriseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo

    def known(host: str, *rest: Any, **more: Any) -> Any:
        return look_up("127.0.0.1" if host == FAR else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", known)
    with Proxy(server.listens_at) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", ".example")
        assert far.gate().code == 0
    assert proxy.asked == []
    assert len(far.comments) == 1
