"""The sandbox in the images: as a step of a workflow, where the tool is root, and as an ordinary user."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.container.engine import Done, Image
from tests.container.runner import Runner
from tests.sandbox.attack import attacks as written
from tests.sandbox.corpus import unexpected
from tests.sandbox.outcome import read_lines

from llm_testbench.sandbox.model import Layer, Promise
from llm_testbench.sandbox.trial import attacks

SANDBOX = Path(__file__).parents[1] / "sandbox"
PYTHON = "/opt/llm-testbench/bin/python"
USER = ["--user", "1000:1000"]
TOOLCHAINS = ["--path", "/usr/local/bin:/usr/bin:/bin", "--go-seed", "/opt/go-cache"]
LONG = 900.0  # seconds, for all hostile programs on a busy machine
RESULTS = "ATTACK_RESULTS"
"""The variable with a folder in which the outcomes are kept, for a table of all places."""

HANDFUL = ("files/append_*", "files/read_workspace.py", "secrets/environ_*", "network/*unix*", "signals/*", "survive/*")
"""Goes for all of them where the image has no compilers."""

# Docker's own filter allows no new mounts to an ordinary user.
EVERYWHERE = {Layer.NO_NEW_PRIVILEGES, Layer.FILES, Layer.CALLS, Layer.RESOURCES, Layer.WATCH}

Ask = Callable[..., Done]


def as_a_step(image: Image, folder: Path, *arguments: str) -> Done:
    return Runner(image, folder).command(*arguments)


def as_a_user(image: Image, _folder: Path, *arguments: str) -> Done:
    return image.run(*arguments, options=USER)


def active(facts: list[dict[str, Any]]) -> set[str]:
    return {fact["what"] for fact in facts if fact["state"] == "yes"}


@pytest.mark.parametrize("ask", [as_a_step, as_a_user])
def test_every_promise_is_kept_and_every_attack_that_ships_is_held(every: Image, ask: Ask, tmp_path: Path) -> None:
    done = ask(every, tmp_path, "doctor", "--sandbox", "--format", "json")
    assert done.code == 0, done.out + done.err
    told = json.loads(done.out)
    assert len(told["trials"]) == len(attacks())
    assert [trial for trial in told["trials"] if not trial["held"]] == []


@pytest.mark.parametrize(
    ("ask", "layers"), [(as_a_step, EVERYWHERE | {Layer.OWN_UID}), (as_a_user, EVERYWHERE)], ids=["step", "user"]
)
def test_doctor_tells_promises_and_layers(every: Image, ask: Ask, layers: set[Layer], tmp_path: Path) -> None:
    done = ask(every, tmp_path, "doctor", "--format", "json")
    told = json.loads(done.out)["sandbox"]
    assert active(told["promises"]) == {promise.value for promise in Promise}
    assert active(told["layers"]) >= {layer.value for layer in layers}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The programs and their judge, as every user may read them, and a folder for what comes of them."""
    folder = tmp_path / "corpus"
    shutil.copytree(SANDBOX, folder / "tests/sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    results = tmp_path / "results"
    results.mkdir()
    results.chmod(0o777)
    return folder


def run(image: Image, corpus: Path, module: str, *arguments: str, options: list[str]) -> Done:
    """With the image's own interpreter and tool, by `tests.sandbox.MODULE`."""
    mounted = ["-v", f"{corpus}:/corpus:ro", "-v", f"{corpus.parent / 'results'}:/results", "-w", "/corpus"]
    mounted += ["-e", "PYTHONPATH=/corpus", "-e", "PYTHONDONTWRITEBYTECODE=1", "--entrypoint", PYTHON]
    command = ["-m", f"tests.sandbox.{module}", *arguments]
    with image.start(*command, options=[*mounted, *options]) as container:
        return container.end(LONG)


def attack(image: Image, corpus: Path, place: str, *arguments: str, options: list[str]) -> Done:
    done = run(image, corpus, "corpus", "--json", "/results/results", "--place", place, *arguments, options=options)
    if os.environ.get(RESULTS):
        name = place.replace(" ", "-").replace(",", "")
        shutil.copy(corpus.parent / "results/results", Path(os.environ[RESULTS], name))
    return done


PLACES: list[tuple[str, list[str], list[str]]] = [
    ("docker root", [], []),
    ("docker user", [], USER),
    ("docker root, Landlock 4", ["--landlock", "4"], []),
    ("docker user, Landlock 4", ["--landlock", "4"], USER),
]


@pytest.mark.parametrize(("place", "arguments", "options"), PLACES, ids=[place for place, *_ in PLACES])
def test_no_hostile_program_succeeds_where_compilers_are(
    code: Image, corpus: Path, place: str, arguments: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    done = attack(code, corpus, place, *TOOLCHAINS, *arguments, options=options)
    with capsys.disabled():
        sys.stdout.write("\n" + done.out.partition("\nno positive control")[0])
    outcomes = read_lines([corpus.parent / "results/results"])
    # What is watched overshoots on a machine that is too busy to watch: a hole is there every time.
    again = [word for one in outcomes if unexpected(one) and one.polled for word in ("--only", one.attack)]
    if again:
        again += ["--repeat", "2", "--json", "/results/again"]
        run(code, corpus, "corpus", *TOOLCHAINS, *arguments, *again, options=options)
        outcomes += read_lines([corpus.parent / "results/again"])
    held = {one.attack for one in outcomes if one.polled and not unexpected(one)}
    assert {one.attack: one.evidence for one in outcomes if unexpected(one) and one.attack not in held} == {}
    assert {one.attack for one in outcomes} == {one.name for one in written()}, done.err


@pytest.mark.parametrize("options", [[], USER], ids=["root", "user"])
def test_a_handful_does_not_succeed_in_the_default_image(image: Image, corpus: Path, options: list[str]) -> None:
    only = [word for name in HANDFUL for word in ("--only", name)]
    done = run(image, corpus, "corpus", "--path", "/usr/bin", *only, options=options)
    assert done.code == 0, done.out + done.err
    assert re.search(r"(?m)^total +0 / \d{2}$", done.out), done.out


@pytest.mark.parametrize("options", [[], USER], ids=["root", "user"])
def test_ordinary_programs_come_out_right(code: Image, corpus: Path, options: list[str]) -> None:
    done = run(code, corpus, "benign", *TOOLCHAINS, options=options)
    assert done.code == 0, done.out + done.err
