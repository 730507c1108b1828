"""What users see in the situations that are met most often stands in docs/troubleshooting.md."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping

import pytest
from tests.integration.commands.bench import SUITE, Bench, Done
from tests.integration.commands.job import ASSET, BASE, TIP, job
from tests.integration.commands.two_stages import two_stages
from tests.servers.gateway import Reply, completion
from tests.servers.github.state import Pull
from tests.unit.messages import quoted

Situation = Callable[[Bench], Done]

REFUSED = {"error": {"message": "no"}}


def given(*arguments: str, config: str = "", **environ: str) -> Situation:
    """A gate with these arguments, beside an endpoint, a model and a suite."""

    def done(world: Bench) -> Done:
        if config:
            world.write("llm-testbench.yaml", config)
        return world.asking("gate", *arguments, environ=environ)

    return done


def alone(*arguments: str) -> Situation:
    return lambda world: world.llmtest(*arguments)


def answered(status: int, *arguments: str, config: str = "") -> Situation:
    """A gate whose server answers so."""

    def done(world: Bench) -> Done:
        world.server.answer = lambda _: Reply(REFUSED, status)
        return given(*arguments, config=config, LLMTB_MAX_RETRIES="0")(world)

    return done


def in_a_job(
    payload: str = "pull_request",
    *,
    tag: str = "",
    draft: bool = False,
    prerelease: bool = False,
    asset: str = ASSET,
    recorded: str = "",
    expired: bool = False,
    fault: tuple[str, str, int] | None = None,
    headers: Mapping[str, str] | None = None,
    body: object = None,
    **inputs: str,
) -> Situation:
    """A step whose GitHub holds this, and refuses so."""

    def done(world: Bench) -> Done:
        with job(world) as step:
            data = step.recorded()
            if tag:
                step.github.add_release(tag, assets={asset: data}, draft=draft, prerelease=prerelease)
            if recorded:
                step.record_on_main(data, recorded, expired=expired)
            if payload == "release":
                step.add_release_of_the_event()
            if fault is not None:
                step.github.fail(*fault, times=9, headers=headers, body=body)
            return step.gate(payload, **inputs)

    return done


def by_recording(change: Callable[[dict[str, object]], object], **inputs: str) -> Situation:
    """A step that is compared with a release whose artifact was changed so."""

    def done(world: Bench) -> Done:
        with job(world) as step:
            artifact = json.loads(gzip.decompress(step.recorded()))
            change(artifact)
            step.github.add_release("v1.2.0", assets={ASSET: gzip.compress(json.dumps(artifact).encode())})
            return step.gate(**inputs)

    return done


def meta(**said: object) -> Callable[[dict[str, object]], object]:
    return lambda artifact: artifact["meta"].update(said)  # type: ignore[attr-defined]


def of_thoughts_alone(world: Bench) -> Done:
    thought = {"role": "assistant", "content": "", "reasoning_content": "Well"}
    world.server.answer = lambda _: completion(thought, finish="length")
    return given()(world)


def with_a_web_page(world: Bench) -> Done:
    world.server.answer = lambda _: Reply("<html><title>Welcome</title></html>")
    return given()(world)


def without_a_key(world: Bench) -> Done:
    with job(world) as step:
        world.server.answer = lambda _: Reply(REFUSED, 401)
        return step.gate("pull_request_fork")


def without_one_of_two_keys(world: Bench) -> Done:
    models = "[{name: m, id: m}, {name: keyed, id: k, api_key_env: NO_SUCH_KEY}]"
    world.write("llm-testbench.yaml", f"endpoint: {world.server.url}\nmodels: {models}\n")
    with job(world) as step:
        return world.llmtest("gate", "--suites", "suite.yaml", environ=step.environ("pull_request_fork"))


def moved_on(world: Bench) -> Done:
    with two_stages(world) as stages:
        stages.leave(stages.measured())
        (number,) = stages.github.pulls
        pull: Pull = stages.github.pulls[number]
        pull.head_sha = TIP
        return stages.publish()


def with_nothing_left_behind(world: Bench) -> Done:
    with two_stages(world) as stages:
        return stages.publish()


def with_junk_left_behind(world: Bench) -> Done:
    with two_stages(world) as stages:
        stages.leave({"results": []})
        return stages.publish()


def with_an_easier_suite(world: Bench) -> Done:
    with two_stages(world) as stages:
        stages.release()
        world.write("suite.yaml", SUITE.split("  - id: capital")[0])
        left = stages.measured()
        world.write("suite.yaml", SUITE)
        stages.leave(left)
        return stages.publish()


SITUATIONS: Mapping[str, Situation] = {
    # The first line
    "Skipped: no credentials": without_a_key,
    "Skipped in part: no credentials for … of … models": without_one_of_two_keys,
    "No baseline to compare with…": given(),
    "the baseline cannot be used": in_a_job(fault=("GET", "/releases$", 500)),
    "the baseline is missing, and baseline_missing is fail": given("--baseline-missing", "fail"),
    "too few tests were scored on …": answered(500),
    "without a score": answered(500),
    "too many errors on …": answered(500),
    # Why there is no baseline
    "there is no release…: publish one, and attach a baseline to it": in_a_job(),
    "the only release is a draft: publish one": in_a_job(tag="v1", draft=True),
    "of … none has a tag like …; there are …: choose with baseline_tag": in_a_job(tag="v1", INPUT_BASELINE_TAG="w*"),
    "of … none carries …; the newest, …, holds …: attach one when a release is published (llmtest baseline push)": (
        in_a_job(tag="v1", asset="notes.txt")
    ),
    "…: choose with baseline_asset, or attach one": in_a_job(tag="v1", asset="other.json"),
    "…: baseline_prereleases: true takes them, too": in_a_job(tag="v1", prerelease=True),
    "no run has left an artifact llm-testbench-baseline yet: let this workflow run on a push to …": in_a_job(),
    "of … none is of … or a commit before it: bring this branch up to date with …, or record there again": (
        in_a_job(recorded=TIP)
    ),
    "the only recording has expired (…)": in_a_job(recorded=BASE, expired=True),
    "there is no branch … yet: with record_to: …, a run on a push to … makes it, if its job may (contents: write)": (
        in_a_job(INPUT_BASELINE="ref:kept")
    ),
    "there is no baseline at …": given("--baseline", "none-here.json"),
    "the baseline … cannot be used: …": in_a_job(recorded=BASE, fault=("GET", "/zip$", 410)),
    "its file is gone: it has expired (after 90 days, unless the repository says otherwise), or was deleted": (
        in_a_job(recorded=BASE, fault=("GET", "/zip$", 404))
    ),
    # Warnings of the report
    "the baseline … is … days old: since then the gateway may have changed, too": by_recording(
        meta(started_at="2020-01-01T00:00:00Z", finished_at="2020-01-01T00:01:00Z")
    ),
    "the endpoint changed": by_recording(meta(endpoint="https://other.example/v1")),
    "measured with another version of llm-testbench": by_recording(meta(version="0.0.1")),
    "… changed: … → …": by_recording(meta(temperature=0.7)),
    "… stands for another model id": by_recording(meta(models={"m": "other"})),
    "every request to … was refused: …": answered(401),
    "judged for the commit … of the pull request, of which only what the workflow fetched is here;"
    " the rest is the base's": (in_a_job("pull_request_target", tag="v1", GITHUB_EVENT_NAME="pull_request_target")),
    "These numbers come from the pull request's own run: whoever wrote it could have made them up.": (
        with_an_easier_suite
    ),
    "… left out, and … as unscored: …": with_an_easier_suite,
    # GitHub refuses
    "the comment was not written (GitHub lets no run of a fork or of Dependabot write): …": in_a_job(
        "pull_request_fork", tag="v1", fault=("POST", "/comments$", 403)
    ),
    "…; the rate limit is used up, next try in …s: run the job again later": in_a_job(
        tag="v1", fault=("POST", "/comments$", 429), headers={"Retry-After": "600"}
    ),
    "…; it does not exist, or the token lacks …": in_a_job(tag="v1", fault=("GET", "/comments$", 404)),
    "…; the token is not valid: set the input token": in_a_job(tag="v1", INPUT_TOKEN="ghs_other"),
    "no token of GitHub is given: set the input token, or GITHUB_TOKEN": in_a_job(tag="v1", INPUT_TOKEN=""),
    "…: the answer is not JSON: …": in_a_job(tag="v1", fault=("GET", "/comments$", 200), body=b"<html>"),
    "HTTP 500: …": in_a_job(tag="v1", fault=("GET", "/comments$", 500)),
    "HTTP 422: …": in_a_job(tag="v1", fault=("POST", "/comments$", 422)),
    "redirects to another host, which is not followed": in_a_job(
        fault=("GET", "/releases$", 301), headers={"Location": "https://elsewhere.example/"}
    ),
    "the connection was lost": in_a_job(fault=("GET", "/releases$", 0)),
    "the comment was not written: …": in_a_job(
        tag="v1",
        fault=("POST", "/comments$", 403),
        body={"message": "Unable to create comment because issue is locked."},
    ),
    "this branch holds the code: name another one, which holds nothing else, in record_to": in_a_job(
        "push", LLMTB_RECORD_TO="ref:main"
    ),
    "what a pull request measured is nobody's baseline": in_a_job(INPUT_ROLE="record", LLMTB_RECORD_TO="ref:kept"),
    "no comment: there is no pull request in the event …": in_a_job("push"),
    # The models do not answer
    "… of … scored (…, at least … needed)": answered(500),
    "… of … ended in an error (…, at most … allowed)": answered(500),
    "must pass and has no score": answered(500),
    "… where a chat completion was expected": with_a_web_page,
    "no model answers: … failed; the first: …": answered(401),
    "…; no key is set: put it into LLMTB_API_KEY or OPENAI_API_KEY": answered(401),
    "…; is the endpoint complete? Most end in /v1": lambda world: world.llmtest(
        *("gate", "--endpoint", world.server.url.removesuffix("/v1"), "--models", "m", "--suites", "suite.yaml")
    ),
    "is not set, which is to hold its key; in a workflow, set it from a secret": answered(
        401, config="models: [{name: m, id: m, api_key_env: NO_SUCH_KEY}]\n"
    ),
    "the token limit is … times as high, at most …": of_thoughts_alone,
    # What was given is wrong
    "… is no key…": given(config="modles: [a]\n"),
    "… is taken only from the flag … and from the action's input …": given(config="sandbox: off\n"),
    "no endpoint is given…": alone("gate", "--suites", "suite.yaml"),
    "no model is named…": alone("gate", "--endpoint", "https://gateway.example.com/v1"),
    "suites: no file matches … (seen from …)": given("--suites", "evals/*.yaml"),
    "suites: … is no file (seen from …)": given("--suites", "evals/shop.yaml"),
    "no test selected: …": given("--tests", "nothing-like-it"),
    "there is no config file …": given("--config", "elsewhere.yaml"),
    "expected an http(s) URL like https://gateway.example.com/v1, or the word …": alone("gate", "--endpoint", "/v1"),
    "expected a duration like 250ms, 45s, 5m or 1h30m": given(config="max_duration: 5\n"),
    "the model … stands twice; give each a name of its own": given(config="models: [a, a]\n"),
    "… requests are planned, max_requests allows …: select fewer tests or models, lower repeat,"
    " or raise max_requests": given(LLMTB_MAX_REQUESTS="2"),
    "… tokens are planned (prompts about …, answers at most …), max_planned_tokens allows …": given(
        LLMTB_MAX_PLANNED_TOKENS="200"
    ),
    "max_planned_tokens is set, and a model is asked without a token limit: give it max_tokens": given(
        config="max_tokens_default: null\n", LLMTB_MAX_PLANNED_TOKENS="200000"
    ),
    "needs the other side of at least one model: write … in the config": given("--baseline", "live"),
    "holds no certificate that can be read: name a PEM file of authorities": given("--ca-bundle", "suite.yaml"),
}
PUBLISHED: Mapping[str, Situation] = {
    "pull request #… has moved on from …: the run of its new head publishes its own results": moved_on,
    "run … left none behind in its attempt …": with_nothing_left_behind,
    "is no artifact of llm-testbench: schema_version is missing": with_junk_left_behind,
    "Skipped: nothing to publish": moved_on,
}
ALL = {**SITUATIONS, **PUBLISHED}


@pytest.mark.parametrize("message", ALL)
def test_what_is_said_then_stands_on_the_page(world: Bench, message: str) -> None:
    done = ALL[message](world)
    said = [re.sub("[`*]", "", line) for line in (done.out + done.err).splitlines()]
    # A terminal breaks lines; the comparison does not.
    stored = world.folder / "llm-testbench-results/comparison.json"
    if stored.exists():
        comparison = json.loads(stored.read_text("utf-8"))
        said += [comparison["headline"], *(one["message"] for one in comparison["reasons"] + comparison["warnings"])]
    entries = quoted()
    assert message in entries
    assert any(entries[message].search(line) for line in said), "\n".join(said)

    trouble = [line for line in said if re.match("::(warning|error)|(warning|error):", line)]
    assert [line for line in trouble if not any(one.search(line) for one in entries.values())] == []
