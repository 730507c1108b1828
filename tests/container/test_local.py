"""The target `local`: the image that needs no gateway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.container.engine import Image


@pytest.mark.parametrize("user", ["0", "12345"])
def test_the_embedded_model_answers_without_a_gateway(local: Image, tmp_path: Path, user: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    options = ["-u", user, "-v", f"{folder}:/work", "-w", "/work"]
    asked = ["--endpoint", "local", "--tests", "smoke-capital", "--repeat", "1"]
    done = local.run("gate", *asked, options=options)
    assert done.code == 0, done.err
    made = json.loads((folder / "llm-testbench-results/artifact.json").read_text("utf-8"))
    assert ["Tokyo" in row["response_text"] for row in made["results"]] == [True]
