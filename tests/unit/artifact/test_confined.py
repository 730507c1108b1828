"""What an artifact says of the sandbox."""

from __future__ import annotations

import pytest

from llm_testbench.artifact.confined import (
    NOTHING_RAN,
    Confined,
    confined_from_json,
    confined_to_json,
    confined_together,
)
from llm_testbench.artifact.fault import ArtifactError

ALL = Confined("require", ("own_uid", "seccomp"), {"read_only_mounts": "not needed"}, ("files", "network"), {}, 7)
LESS = Confined("prefer", ("seccomp",), {"own_uid": "not root"}, ("network",), {"files": "no Landlock"}, 0)
OFF = Confined("off", (), {"seccomp": "switched off"}, (), {"network": "switched off"}, 7)


@pytest.mark.parametrize("confined", [NOTHING_RAN, ALL, LESS, OFF, Confined(layers=("landlock",))])
def test_it_is_read_as_it_was_written(confined: Confined) -> None:
    assert confined_from_json(confined_to_json(confined)) == confined


def test_a_run_without_programs_says_nothing() -> None:
    assert confined_to_json(NOTHING_RAN) == {}


def test_what_a_later_version_adds_is_ignored() -> None:
    assert confined_from_json({"mode": "off", "gvisor": {"x": 1}}) == Confined("off")


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"mode": "OFF"}, "mode: expected one of off, prefer, require, found a string"),
        ({"mode": None}, "mode: expected one of off, prefer, require, found null"),
        ({"layers": "seccomp"}, "layers: expected an array, found a string"),
        ({"layers": [1]}, "layers[0]: expected a string, found another number"),
        ({"layers": {"seccomp": True}}, "layers: expected an array, found an object"),
        ({"layers_missing": ["x"]}, "layers_missing: expected an object, found an array"),
        ({"promises_missing": {"files": {"a": 1}}}, "promises_missing.files: expected a string, found an object"),
        ({"landlock": "7"}, "landlock: expected an integer from 0 to 9007199254740991, found a string"),
        ({"landlock": -1}, "landlock: expected an integer from 0 to 9007199254740991, found another number"),
        ({"landlock": float("nan")}, "landlock: expected an integer from 0 to 9007199254740991, found another number"),
    ],
)
def test_anything_else_is_refused_with_its_place(odd: dict[str, object], message: str) -> None:
    with pytest.raises(ArtifactError) as raised:
        confined_from_json(odd)  # type: ignore[arg-type]
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([NOTHING_RAN, NOTHING_RAN], NOTHING_RAN),
        ([NOTHING_RAN, ALL], ALL),
        ([ALL, ALL], ALL),
        (
            [ALL, LESS],
            Confined(
                "prefer",
                ("seccomp",),
                {"own_uid": "not root", "read_only_mounts": "not needed"},
                ("network",),
                {"files": "no Landlock"},
                0,
            ),
        ),
        ([ALL, Confined("require", ALL.layers, {}, ALL.promises, {}, 7)], ALL),
    ],
)
def test_several_parts_are_confined_no_better_than_the_worst(parts: list[Confined], whole: Confined) -> None:
    assert confined_together(parts) == whole
    assert confined_together(parts[::-1]).mode == whole.mode
    assert confined_together([*parts, OFF]).mode == "off"
    assert confined_together([*parts, OFF]).promises == ()
