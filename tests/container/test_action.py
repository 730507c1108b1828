"""The image as a step of a workflow, with a gateway and without GitHub."""

from __future__ import annotations

import signal

from tests.container.runner import KEY, RESULTS, RUNTIME_TOKEN, Runner
from tests.servers.gateway import HANG, Gateway


def test_a_step_measures_and_leaves_its_results_in_the_workspace(runner: Runner) -> None:
    done = runner.step(baseline="none")
    assert done.code == 0, done.err
    assert {path.name for path in (runner.folder / "workspace" / RESULTS).iterdir()} >= {
        "artifact.json",
        "comparison.json",
        "report.md",
    }
    assert len(runner.result("artifact.json")["results"]) == 4
    assert "No baseline to compare with: mean 1.00" in done.out
    assert "No baseline to compare with: mean 1.00" in runner.summary
    assert (runner.outputs["verdict"], runner.outputs["mean"]) == ("no_baseline", "1")


def test_what_root_wrote_belongs_to_the_runner(runner: Runner) -> None:
    assert runner.step(baseline="none").code == 0
    assert runner.not_the_owners() == []


def test_nothing_is_written_but_the_results_and_the_runners_files(runner: Runner) -> None:
    before = set(runner.files)
    assert runner.step(baseline="none").code == 0
    made = {path for path in set(runner.files) - before if path.parent.name not in ("file_commands", "workflow")}
    assert {path.parent for path in made} == {runner.folder / "workspace" / RESULTS}


def test_the_key_reaches_the_gateway_and_nothing_else(runner: Runner, gateway: Gateway) -> None:
    done = runner.step(baseline="none")
    assert {seen.headers["authorization"] for seen in gateway.requests} == {f"Bearer {KEY}"}
    assert KEY not in done.out + done.err
    assert [path for path in runner.files if KEY.encode() in path.read_bytes()] == []


def test_a_secret_stands_in_no_process_that_others_could_look_into(runner: Runner, gateway: Gateway) -> None:
    gateway.answer = lambda body: HANG
    with runner.start(baseline="none") as container:
        gateway.wait_for(1, 30)
        arguments = container.shell("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
        assert "llmtest gate" in arguments
        environments = container.shell("for one in /proc/1 /proc/1/task/*; do cat $one/environ; done")
        for secret in (KEY, RUNTIME_TOKEN):
            assert secret not in arguments
            assert secret not in environments


def test_a_cancelled_job_ends_soon_and_keeps_what_was_measured(runner: Runner, gateway: Gateway) -> None:
    gateway.answer = lambda body: "4" if "2 + 2" in str(body) else HANG
    with runner.start(baseline="none") as container:
        gateway.wait_for(4, 30)
        container.signal(signal.SIGINT)
        container.signal(signal.SIGTERM)
        done = container.end()
    assert done.code == 130, done.err
    kept = runner.result("artifact.json")
    assert kept["meta"]["interrupted"] is True
    assert {row["test_id"] for row in kept["results"]} == {"two-and-two"}
    assert runner.not_the_owners() == []


def test_a_mistake_is_one_line_and_exit_code_2(runner: Runner) -> None:
    runner.write("llm-testbench.yaml", "modells: [m]\n")
    done = runner.step(baseline="none")
    assert done.code == 2
    assert "modells" in done.err
    assert "Traceback" not in done.out + done.err


def test_a_dead_gateway_is_no_verdict_on_quality(runner: Runner) -> None:
    done = runner.step(baseline="none", endpoint="http://127.0.0.1:9/v1")
    assert done.code == 3, done.err
    assert runner.outputs["verdict"] == "inconclusive"


def test_a_link_planted_among_the_results_leads_nowhere(runner: Runner) -> None:
    target = runner.folder / "runner_temp/precious"
    target.write_text("precious")
    results = runner.folder / "workspace" / RESULTS
    results.mkdir()
    for name in ("comparison.json", "report.md"):
        (results / name).symlink_to("/github/runner_temp/precious")
    assert runner.step(baseline="none").code == 0
    assert not [path for path in results.iterdir() if path.is_symlink()]
    assert target.read_text() == "precious"
    assert runner.not_the_owners() == []
