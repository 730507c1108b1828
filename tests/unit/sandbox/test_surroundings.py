"""Which layers a machine has, and which promises follow from them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from llm_testbench.sandbox import surroundings
from llm_testbench.sandbox.launching import Launchers
from llm_testbench.sandbox.model import Layer, Promise, State
from llm_testbench.sandbox.surroundings import Surroundings, promises

SOURCE = str(Path(surroundings.__file__).resolve().parents[2])
ALL = frozenset(Layer)
F, N, S, X = Promise.FILES, Promise.NETWORK, Promise.SIGNALS, Promise.SECRETS
ROOT = ALL - {Layer.MOUNTS}
USER = ALL - {Layer.OWN_UID}
PROMISED: list[tuple[str, frozenset[Layer], set[Promise]]] = [
    ("root, new kernel", ROOT, {F, N, S, X}),
    ("root, Linux 6.8", ROOT - {Layer.SCOPE}, {F, N, S, X}),
    ("root, no Landlock", ROOT - {Layer.FILES, Layer.NETWORK, Layer.SCOPE}, {N, S, X}),
    ("root, no filter", ROOT - {Layer.CALLS}, {F, S, X}),
    ("root that cannot take another id, no scope", ROOT - {Layer.OWN_UID, Layer.SCOPE}, {F, N, S, X}),
    ("user", USER, {F, N, S, X}),
    ("user without namespaces", USER - {Layer.MOUNTS}, {F, N, S, X}),
    ("user, Linux 6.8", USER - {Layer.SCOPE}, {F, N, S, X}),
    ("user, no Landlock", USER - {Layer.FILES, Layer.NETWORK, Layer.SCOPE}, {N, S}),
    ("user, no filter", USER - {Layer.CALLS}, {F, S, X}),
    ("user, neither filter nor scope", USER - {Layer.CALLS, Layer.SCOPE}, {F, X}),
    ("no new privileges missing", frozenset({Layer.RESOURCES, Layer.WATCH, Layer.OWN_UID}), {S, X}),
    ("nothing", frozenset(), set()),
]


def states(active: frozenset[Layer]) -> dict[Layer, State]:
    return {layer: State(active=layer in active, detail=f"why {layer.value}") for layer in Layer}


class TestPromises:
    @pytest.mark.parametrize(("active", "promised"), [row[1:] for row in PROMISED], ids=[row[0] for row in PROMISED])
    def test_follow_from_the_layers(self, active: frozenset[Layer], promised: set[Promise]) -> None:
        found = promises(states(active))
        assert {promise for promise, state in found.items() if state.active} == promised

    def test_a_missing_one_names_a_layer_and_why(self) -> None:
        for promise, state in promises(states(frozenset())).items():
            layer = state.detail.partition(" is missing: why ")
            assert layer[0] == layer[2] in {one.value for one in Layer}, promise

    def test_a_kept_one_names_an_active_layer(self) -> None:
        for size in range(len(Layer) + 1):
            for some in itertools.combinations(Layer, size):
                for state in promises(states(frozenset(some))).values():
                    if state.active:
                        assert Layer(state.detail) in some

    def test_another_layer_never_takes_one_away(self) -> None:
        for size in range(len(Layer)):
            for some in map(frozenset, itertools.combinations(Layer, size)):
                before = promises(states(some))
                for more in ALL - some:
                    after = promises(states(some | {more}))
                    assert all(after[promise].active for promise in Promise if before[promise].active)


class TestWhatIsFound:
    def test_on_this_machine(self, launchers: Launchers) -> None:
        assert set(launchers.layers) == set(Layer)
        assert launchers.layers[Layer.OWN_UID].active == (os.geteuid() == 0)
        for layer in (Layer.NO_NEW_PRIVILEGES, Layer.RESOURCES, Layer.WATCH):
            assert launchers.layers[layer].active
        for state in launchers.layers.values():
            assert state.active or state.detail

    @pytest.mark.parametrize(
        ("version", "files", "network"),
        [(0, "has no Landlock", "has no Landlock"), (3, "version 3", "version 3 of Landlock, 4 is needed")],
    )
    def test_an_older_landlock(self, version: int, files: str, network: str) -> None:
        with Launchers(at_once=1, newest_landlock=version) as own:
            assert files in own.layers[Layer.FILES].detail or "has no Landlock" in own.layers[Layer.FILES].detail
            assert not own.layers[Layer.NETWORK].active
            assert network in own.layers[Layer.NETWORK].detail or "no Landlock" in own.layers[Layer.NETWORK].detail

    def test_one_that_lets_files_be_cut_says_so(self) -> None:
        with Launchers(at_once=1, newest_landlock=2) as own:
            state = own.layers[Layer.FILES]
            assert not state.active or state.detail == "version 2: truncate() is open"

    @pytest.mark.parametrize("without", [(), tuple(layer.value for layer in Layer)], ids=["all", "none"])
    def test_by_whoever_looks(self, launchers: Launchers, tmp_path: Path, without: tuple[str, ...]) -> None:
        code = (
            "import sys\n"
            "from llm_testbench.sandbox.surroundings import probe\n"
            "found = probe(frozenset(sys.argv[2:]), 99, sys.argv[1])\n"
            "print(*(layer.value for layer in found.layers if found.has(layer)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), *without],
            env={**os.environ, "PYTHONPATH": SOURCE},
            capture_output=True,
            text=True,
            check=True,
        )
        active = {layer.value for layer, state in launchers.layers.items() if state.active}
        assert set(done.stdout.split()) == (set() if without else active)
        assert list(tmp_path.iterdir()) == []

    def test_what_is_asked_of_it(self) -> None:
        found = Surroundings(states(frozenset({Layer.CALLS})), 7)
        assert (found.has(Layer.CALLS), found.has(Layer.FILES)) == (True, False)
