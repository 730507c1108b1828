"""Versions, and which tags follow them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.release.commits import Level
from scripts.release.images import FLAVOURS, digest_of, image_name, labels, later_tags, own_tag, reference
from scripts.release.version import Version, is_latest, moving_tags, of_tag, parsed

DIGEST = f"sha256:{'0a' * 32}"
numbers = st.integers(0, 999)
versions = st.builds(Version, numbers, numbers, numbers)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("v1.2.3", Version(1, 2, 3)),
        ("v0.0.0", Version(0, 0, 0)),
        ("v1.10.0", Version(1, 10, 0)),
        ("v1", None),
        ("v1.2", None),
        ("1.2.3", None),
        ("v01.2.3", None),
        ("v1.2.3-rc.1", None),
        ("v1.2.3\n", None),
        ("v1.2.\u0663", None),
        ("v9999999999.0.0", None),
        ("", None),
    ],
)
def test_a_tag_names_a_version_or_none(tag: str, expected: Version | None) -> None:
    assert of_tag(tag) == expected


def test_no_version_is_an_error_that_says_what_was_expected() -> None:
    with pytest.raises(ValueError, match=r"'1\.2' is no version: expected three numbers"):
        parsed("1.2")


@given(versions)
def test_a_version_is_read_as_it_is_written(version: Version) -> None:
    assert parsed(str(version)) == version == of_tag(version.tag)


@pytest.mark.parametrize(
    ("level", "expected"), [(Level.MAJOR, "2.0.0"), (Level.MINOR, "1.3.0"), (Level.PATCH, "1.2.4")]
)
def test_a_level_raises_it(level: Level, expected: str) -> None:
    assert str(Version(1, 2, 3).raised(level)) == expected


def test_without_a_level_nothing_is_raised() -> None:
    with pytest.raises(ValueError, match="nothing asks"):
        Version(1, 2, 3).raised(Level.NONE)


@given(versions, st.sampled_from([Level.PATCH, Level.MINOR, Level.MAJOR]))
def test_the_next_version_is_higher(version: Version, level: Level) -> None:
    assert version.raised(level) > version


@pytest.mark.parametrize(
    ("version", "published", "git", "image", "latest"),
    [
        ("1.0.0", [], ["v1", "v1.0"], ["1", "1.0"], True),
        ("1.3.0", ["1.2.9", "1.3.0"], ["v1", "v1.3"], ["1", "1.3"], True),
        ("1.2.9", ["1.2.8", "1.10.0"], ["v1.2"], ["1.2"], False),
        ("1.2.8", ["1.2.9", "1.10.0"], [], [], False),
        ("1.9.0", ["2.0.0"], ["v1", "v1.9"], ["1", "1.9"], False),
        ("2.0.0", ["1.9.0"], ["v2", "v2.0"], ["2", "2.0"], True),
    ],
    ids=["the first", "the newest", "a patch of an old minor", "an old one again", "of an old major", "a new major"],
)
def test_tags_never_move_back(
    version: str, published: list[str], git: list[str], image: list[str], latest: bool
) -> None:
    others = [parsed(one) for one in published]
    assert list(moving_tags(parsed(version), others)) == git
    assert is_latest(parsed(version), others) is latest
    found = {flavour.target: list(later_tags(parsed(version), flavour, others)) for flavour in FLAVOURS}
    assert found == {
        "default": [*image, *(["latest"] if latest else [])],
        "code": [*(f"{one}-code" for one in image), *(["code"] if latest else [])],
        "local": [*(f"{one}-local" for one in image), *(["local"] if latest else [])],
    }


@given(versions, st.lists(versions))
def test_a_tag_points_to_the_highest_of_its_kind(version: Version, others: list[Version]) -> None:
    for tag in moving_tags(version, others):
        same = [one for one in others if one.tag.startswith(f"{tag}.")]
        assert all(one <= version for one in same)


def test_an_image_is_named_by_tag_and_digest() -> None:
    code = FLAVOURS[1]
    assert own_tag(Version(1, 2, 3), code) == "1.2.3-code"
    named = reference("Octo/LLM-Testbench", Version(1, 2, 3), code, DIGEST)
    assert named == f"docker://ghcr.io/octo/llm-testbench:1.2.3-code@{DIGEST}"
    assert digest_of(named) == DIGEST
    assert image_name("Octo/X") == "ghcr.io/octo/x"


@pytest.mark.parametrize("digest", ["", "sha256:", f"{DIGEST}0", DIGEST.upper(), f"{DIGEST}\n", "latest"])
def test_no_digest_is_refused(digest: str) -> None:
    with pytest.raises(ValueError, match="no digest"):
        reference("o/x", Version(1, 2, 3), FLAVOURS[0], digest)
    assert digest_of(f"name@{digest}") == ""


def config(version: object) -> dict[str, object]:
    return {"config": {"Labels": {"org.opencontainers.image.version": version}}}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ({"linux/amd64": config("1.2.3"), "linux/arm64": config("1.2.3")}, ["1.2.3", "1.2.3"]),
        ({"linux/amd64": config("1.2.3")}, ["1.2.3", ""]),
        ({"linux/amd64": {"config": {}}, "linux/arm64": config(3)}, ["", ""]),
        (config("1.2.3"), ["", ""]),
        (None, ["", ""]),
    ],
    ids=["both", "one is missing", "no labels", "of one platform alone", "nothing"],
)
def test_each_platform_has_a_label(image: object, expected: list[str]) -> None:
    assert list(labels(image).values()) == expected
