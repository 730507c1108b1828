"""doctor about the sandbox of this machine: what it says, what it tries, and what it ends with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.integration.commands.bench import Bench

from llm_testbench.sandbox import workshop
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Layer, Promise, State


@pytest.fixture(autouse=True)
def _toolchains(world: Bench) -> None:
    world.environ = {"PATH": "/usr/bin:/bin"}


def without(monkeypatch: pytest.MonkeyPatch, *layers: Layer, claimed: bool = False) -> None:
    """A machine that lacks those layers, and where it is `claimed`, believes to have them."""

    def launchers(without: frozenset[str]) -> Launchers:
        made = Launchers(without=without | {layer.value for layer in layers})
        if claimed:
            made.layers = {**made.layers, **dict.fromkeys(layers, State(active=True))}
        return made

    monkeypatch.setattr(workshop, "Launchers", launchers)


def test_where_all_is_well_every_promise_is_tried_and_held(world: Bench) -> None:
    done = world.llmtest("doctor", "--sandbox")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("All ")
    assert "attacks were held back" in done.out.splitlines()[0]
    assert "  NO  " not in done.out
    assert world.server.requests == []


def test_the_same_as_data(world: Bench) -> None:
    found = json.loads(world.llmtest("doctor", "--sandbox", "--format", "json").out)
    assert {one["promise"] for one in found["trials"]} == {promise.value for promise in Promise}
    assert all(one["held"] for one in found["trials"])
    assert {fact["what"] for fact in found["sandbox"]["layers"]} == {layer.value for layer in Layer}


def test_a_promise_that_is_not_kept_here_is_no_broken_one(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, Layer.FILES)
    done = world.llmtest("doctor", "--sandbox")
    assert done.code == 3
    assert "succeeded" in done.out.splitlines()[0]
    assert "read a file of the workspace" in done.out


def test_a_promise_that_is_said_to_be_kept_and_is_broken_fails(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nor does the short proof notice.
    monkeypatch.setattr(workshop, "broken", lambda _: {})
    without(monkeypatch, Layer.FILES, claimed=True)
    done = world.llmtest("doctor", "--sandbox")
    assert done.code == 1
    assert "files  " in done.out


def test_where_no_program_can_run_nothing_is_proven(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> Launchers:
        raise OSError("out of processes")

    monkeypatch.setattr(workshop, "Launchers", fails)
    done = world.llmtest("doctor", "--sandbox")
    assert done.code == 3
    assert done.out.startswith("No program was run\n")
    assert "the sandbox could not be started: out of processes" in done.out


def test_where_there_can_be_no_stage_one_line_says_so(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> str:
        raise OSError("no space left")

    monkeypatch.setattr("llm_testbench.sandbox.trial.reachable", fails)
    done = world.llmtest("doctor", "--sandbox")
    assert (done.code, done.out) == (3, "")
    assert done.err == "error: the sandbox cannot be tried here: no space left\n"


class TestBesideTheModels:
    def data(self, world: Bench, **environ: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(world.llmtest("doctor", "--format", "json", environ=environ).out)
        return found

    def test_promises_layers_and_toolchains_are_there(self, world: Bench) -> None:
        found = self.data(world)
        assert {fact["what"]: fact["state"] for fact in found["sandbox"]["promises"]} == {
            promise.value: "yes" for promise in Promise
        }
        assert {fact["what"] for fact in found["sandbox"]["layers"]} == {layer.value for layer in Layer}
        toolchains = {fact["what"]: fact for fact in found["toolchains"]}
        assert list(toolchains) == ["python", "go", "c", "typescript", "javascript", "bash"]
        assert toolchains["bash"]["state"] == "yes"
        assert toolchains["bash"]["said"][0].isdigit()

    def test_a_compiler_that_the_checkout_brings_is_not_looked_at(self, world: Bench) -> None:
        folder = world.folder / "bin"
        folder.mkdir()
        (folder / "bash").write_text("#!/bin/sh\necho 99.9\n", "ascii")
        (folder / "bash").chmod(0o755)
        toolchains = {fact["what"]: fact for fact in self.data(world, PATH=f"{folder}:/usr/bin:/bin")["toolchains"]}
        assert toolchains["bash"]["said"] != "99.9"

    def test_what_follows_from_a_missing_promise_is_said(self, world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "are skipped" not in world.llmtest("doctor").out
        without(monkeypatch, Layer.CALLS)
        assert (
            "tests that run programs are skipped on this machine, but with --sandbox prefer"
            " (network: seccomp is missing: switched off" in " ".join(world.llmtest("doctor").out.split())
        )
