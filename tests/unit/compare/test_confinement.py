"""What a report says of the sandbox."""

from __future__ import annotations

import pytest

from llm_testbench.artifact.confined import NOTHING_RAN, Confined
from llm_testbench.compare.confinement import LAYERS, OFF, PROMISES, confinement

LAYER_NAMES = (
    *("no_new_privileges", "landlock_files", "landlock_network", "landlock_scope", "seccomp"),
    *("resource_limits", "watch"),
)
ALL_PROMISES = ("files", "network", "signals", "secrets")
ROOT = Confined("require", (*LAYER_NAMES, "own_uid"), {"read_only_mounts": "not needed"}, ALL_PROMISES, {}, 7)
USER = Confined(
    "require", (*LAYER_NAMES, "read_only_mounts"), {"own_uid": "not root: it keeps this user's id"}, ALL_PROMISES, {}, 7
)
OLD = {"files": "no Landlock", "secrets": "no Landlock", "network": "old kernel"}


@pytest.mark.parametrize(
    ("confined", "found"),
    [
        (NOTHING_RAN, []),
        (ROOT, []),
        (
            USER,
            [
                (
                    LAYERS,
                    "the sandbox keeps its promises without all of its layers: own_uid: not root: it keeps this"
                    " user's id",
                )
            ],
        ),
        (
            Confined("require", ("watch",), {"seccomp": "x"}, ("signals",), OLD),
            [
                (
                    PROMISES,
                    "tests that run programs are skipped, since the sandbox cannot keep its promises: files, secrets:"
                    " no Landlock; network: old kernel; --sandbox prefer runs them in what there is of it",
                )
            ],
        ),
        (
            Confined("prefer", ("watch",), {"seccomp": "x"}, ("signals",), OLD),
            [
                (
                    PROMISES,
                    "programs that models wrote run though the sandbox cannot keep all its promises: files, secrets:"
                    " no Landlock; network: old kernel",
                )
            ],
        ),
        # Nothing at all could be started, and so nothing was run, whatever was preferred.
        (
            Confined("prefer", (), {}, (), dict.fromkeys(ALL_PROMISES, "needs Linux")),
            [
                (
                    PROMISES,
                    "tests that run programs are skipped, since the sandbox cannot keep its promises: files, network,"
                    " signals, secrets: needs Linux",
                )
            ],
        ),
        (
            Confined("off", ("watch",), {"seccomp": "switched off"}, (), dict.fromkeys(ALL_PROMISES, "switched off")),
            [(OFF, "the sandbox is off: programs that models wrote run with all rights of this user, but for limits")],
        ),
    ],
)
def test_it_says_what_is_missing_and_what_follows(confined: Confined, found: list[tuple[str, str]]) -> None:
    assert [(finding.code, finding.message) for finding in confinement(confined)] == found


def test_names_that_nobody_knows_are_left_out_and_reasons_stay_short() -> None:
    strange = Confined("prefer", ("x",), {}, (), {"files": "y" * 1000, "<b>gifts</b>": "evil", "::error::": "evil"})
    (finding,) = confinement(strange)
    assert "evil" not in finding.message
    assert "gifts" not in finding.message
    assert len(finding.message) < 400
