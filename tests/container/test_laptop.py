"""`docker run` of the image without GitHub: as the user of the folder, or as one whom the image does not know."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.container.engine import Done, Image
from tests.servers.gateway import Gateway

STRANGER = 12345
RESULTS = "llm-testbench-results"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    os.chown(made, STRANGER, STRANGER)
    return made


def gate(image: Image, folder: Path, gateway: Gateway, *options: str) -> Done:
    gateway.answer = lambda body: "Tokyo"
    asked = ["--endpoint", gateway.url, "--models", "m", "--tests", "smoke-capital"]
    return image.run("gate", *asked, options=["-v", f"{folder}:/work", "-w", "/work", *options])


@pytest.mark.parametrize("more", [[], ["--read-only"]], ids=["as it is", "on a read-only file system"])
def test_it_runs_as_a_user_whom_nobody_knows_and_who_has_no_home(
    image: Image, folder: Path, gateway: Gateway, more: list[str]
) -> None:
    done = gate(image, folder, gateway, "-u", f"{STRANGER}:{STRANGER}", "-e", "HOME=/home/nobody", *more)
    assert done.code == 0, done.err
    results = folder / RESULTS
    assert {path.stat().st_uid for path in (results, *results.iterdir())} == {STRANGER}


def test_as_root_it_leaves_the_results_to_the_owner_of_the_folder(image: Image, folder: Path, gateway: Gateway) -> None:
    assert gate(image, folder, gateway).code == 0
    results = folder / RESULTS
    assert {path.stat().st_uid for path in (results, *results.iterdir())} == {STRANGER}


def test_a_folder_that_may_not_be_written_is_said_before_the_first_call(
    image: Image, folder: Path, gateway: Gateway
) -> None:
    done = gate(image, folder, gateway, "-u", "54321")
    assert done.code == 2
    assert RESULTS in done.err
    assert gateway.requests == []
