"""A release is refused when two places name different versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from scripts.release.agreement import disagreements, label_disagreements
from scripts.release.tree import CHANGELOG, PACKAGE, Digests, action_files, action_image, package_version, with_version
from scripts.release.version import Version

VERSION, OTHER = Version(1, 2, 3), Version(1, 2, 2)
REPOSITORY = "Octo/llm-testbench"
DIGESTS = Digests(f"sha256:{'1' * 64}", f"sha256:{'2' * 64}")
NAME = "ghcr.io/octo/llm-testbench"
FILES: Mapping[str, str] = {
    PACKAGE: '"""A tool."""\n\n__version__ = "1.2.3"\n',
    CHANGELOG: "# Changelog\n\n## 1.2.3 (2026-12-03)\n\n- One.\n",
    **action_files(REPOSITORY, VERSION, DIGESTS),
}


def found(files: Mapping[str, str] = FILES, tag: str = "v1.2.3", digests: Digests | None = DIGESTS) -> tuple[str, ...]:
    return disagreements(VERSION, REPOSITORY, tag, files, digests)


def test_all_agree() -> None:
    assert found() == ()


def test_before_an_image_is_pushed_the_actions_build_their_dockerfiles() -> None:
    main = {**FILES, "action.yml": "runs:\n  image: Dockerfile\n"}
    assert found(main, digests=None) == ()
    assert found(main) == (f"action.yml: runs Dockerfile, expected docker://{NAME}:1.2.3",)


@pytest.mark.parametrize(
    ("path", "change", "expected"),
    [
        (PACKAGE, lambda text: text.replace("1.2.3", "1.2.2"), "__version__ is 1.2.2, expected 1.2.3"),
        (CHANGELOG, lambda text: text.replace("1.2.3", "1.2.2"), "the newest section is 1.2.2, expected 1.2.3"),
        (CHANGELOG, lambda _: "## Unreleased\n", "the newest section is no release's, expected 1.2.3"),
        (
            "action.yml",
            lambda text: text.replace(":1.2.3@", ":1.2.2@"),
            f"names the image {NAME}:1.2.2, expected {NAME}:1.2.3",
        ),
        (
            "action.yml",
            lambda text: text.replace("octo/", "mallory/"),
            f"names the image ghcr.io/mallory/llm-testbench:1.2.3, expected {NAME}:1.2.3",
        ),
        (
            "action.yml",
            lambda text: text.replace("1" * 64, "3" * 64),
            f"names the digest sha256:{'3' * 64}, pushed was sha256:{'1' * 64}",
        ),
        ("action.yml", lambda text: text.replace(f"@sha256:{'1' * 64}", ""), "names the digest of nothing, pushed was"),
        ("action.yml", lambda _: "name: x\n", f"runs no image, expected docker://{NAME}:1.2.3"),
        (
            "code/action.yml",
            lambda text: text.replace("1.2.3-code", "1.2.3"),
            f"names the image {NAME}:1.2.3, expected {NAME}:1.2.3-code",
        ),
        (
            "code/action.yml",
            lambda text: text.replace("2" * 64, "1" * 64),
            f"names the digest sha256:{'1' * 64}, pushed was sha256:{'2' * 64}",
        ),
    ],
)
def test_each_disagreement_is_one_line(path: str, change: Callable[[str], str], expected: str) -> None:
    changed = {**FILES, path: change(FILES[path])}
    assert changed != FILES
    (line,) = found(changed)
    assert line.startswith(f"{path}: {expected}")


def test_the_git_tag_is_compared_too() -> None:
    assert found(tag="v1.2.2") == ("git tag: v1.2.2, expected v1.2.3",)


def test_all_disagreements_are_told_at_once() -> None:
    others = {PACKAGE: FILES[PACKAGE].replace("1.2.3", "9.9.9"), **action_files(REPOSITORY, OTHER, DIGESTS)}
    assert len(found({**FILES, **others}, tag="v0.0.1")) == 4


def test_the_label_of_each_platform_is_compared() -> None:
    labels = {"linux/amd64": "1.2.3", "linux/arm64": "1.2.2", "linux/x": ""}
    assert label_disagreements(VERSION, "i@d", labels) == (
        "i@d (linux/arm64): its label says 1.2.2, expected 1.2.3",
        "i@d (linux/x): its label says no version, expected 1.2.3",
    )


@pytest.mark.parametrize("text", ["", '__version__ = "1"\n__version__ = "2"\n', "__version__ = '1.0.0'\n"])
def test_a_package_that_does_not_say_its_version_once_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="lines __version__"):
        package_version(text)


def test_the_version_alone_changes_in_the_package() -> None:
    assert with_version(FILES[PACKAGE], OTHER) == FILES[PACKAGE].replace("1.2.3", "1.2.2")


def test_an_image_is_read_from_an_actions_file_where_it_stands_once() -> None:
    assert action_image(FILES["action.yml"]).startswith(f"docker://{NAME}:1.2.3@sha256:")
    assert action_image(FILES["action.yml"] * 2) == ""
