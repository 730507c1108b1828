"""Newer Actions: which are taken, and where they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.action_pins import LOCK, Pin, PinError, Update, newer, read, rewritten, told, update

ROOT = Path(__file__).parents[3]
A, B, C, D = ("a" * 40, "b" * 40, "c" * 40, "d" * 40)


@pytest.mark.parametrize(
    ("tag", "tags", "new", "major"),
    [
        ("v1.2.3", {"v1.2.3": A}, "v1.2.3", ""),
        ("v1.2.3", {"v1.2.3": A, "v1.2.4": B, "v1.10.0": C}, "v1.10.0", ""),
        ("v1.2.3", {"v1.2.3": A, "v2.0.0": B, "v3.1.0": C}, "v1.2.3", "v3.1.0"),
        ("v1.2.3", {"v1.2.4": B, "v2.0.0": C}, "v1.2.4", "v2.0.0"),
        ("v1.2.3", {"v1.2.2": B, "v0.9.0": C}, "v1.2.3", ""),
        ("v1.2.3", {"v1": B, "v1.3": C, "v1.3.0-rc.1": D, "nightly": B}, "v1.2.3", ""),
        ("v1.2.3", {}, "v1.2.3", ""),
        ("v4", {"v4": A, "v4.1.0": A, "v4.0.9": B}, "v4", ""),
        ("v4", {"v4": B, "v4.1.0": A, "v4.2.0": B, "v5.0.0": C}, "v4.2.0", "v5.0.0"),
        ("v4", {"v4.2.0": B}, "v4.2.0", ""),
    ],
)
def test_the_newest_of_the_same_major_is_taken(tag: str, tags: dict[str, str], new: str, major: str) -> None:
    pin = Pin("o/x", A, tag)
    found = newer(pin, tags)
    assert (found.old, found.new.tag, found.major) == (pin, new, major)
    assert found.new.commit == (A if new == tag else tags[new])


def test_each_place_is_written_anew_and_nothing_else() -> None:
    changed = Update(Pin("o/x", A, "v1.0.0"), Pin("o/x", B, "v1.1.0"))
    before = "\n".join(
        [
            f"uses: o/x@{A} # v1.0.0",
            f"uses: o/x/deep/er@{A} # v1.0.0",
            f"uses: o/x@{A} # v1.0.01",
            f"uses: o/xy@{A} # v1.0.0",
            f"uses: no/x@{A} # v1.0.0",
            f"uses: o/x@{C} # v1.0.0",
            "",
        ]
    )
    after = rewritten(before, [changed])
    lines = list(zip(before.splitlines(), after.splitlines(), strict=True))
    assert [new for old, new in lines if new != old] == [
        f"uses: o/x@{B} # v1.1.0",
        f"uses: o/x/deep/er@{B} # v1.1.0",
    ]


def test_what_was_done_and_what_was_not_is_told() -> None:
    updates = [
        Update(Pin("o/x", A, "v1.0.0"), Pin("o/x", B, "v1.1.0"), "v2.0.0"),
        Update(Pin("o/y", A, "v1.0.0"), Pin("o/y", A, "v1.0.0")),
    ]
    assert told(updates) == (
        "Actions:\n\n- `o/x`: v1.0.0 → v1.1.0\n\n"
        "New major versions, for a person to take:\n\n- `o/x`: v2.0.0 is there, v1.1.0 is used\n"
    )
    assert told(updates[1:]) == ""


@pytest.mark.parametrize("line", ["o/x@v1", f"o/x@{A}", f"o/x@{A[1:]} # v1", f" o/x@{A} # v1", f"o/x/y@{A} # v1", ""])
def test_a_lock_that_cannot_be_read_names_the_line(line: str) -> None:
    with pytest.raises(PinError, match=f"{LOCK}:2: expected"):
        read(f"o/x@{A} # v1\n{line}\n")


def test_lock_and_workflows_are_brought_up_to_date_together(tmp_path: Path) -> None:
    for name in (LOCK, ".github/workflows/a.yml", "examples/workflows/b.yml", "README.md", "src/other.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"o/x@{A} # v1.0.0\n", "utf-8")

    update(tmp_path, lambda action: {"v1.1.0": B} if action == "o/x" else {})

    found = {
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file() and B in path.read_text()
    }
    assert found == {LOCK, ".github/workflows/a.yml", "examples/workflows/b.yml", "README.md"}


def test_the_lock_is_sorted_and_names_each_action_once() -> None:
    names = [pin.action for pin in read((ROOT / LOCK).read_text("utf-8"))]
    assert names == sorted(set(names))
