import io
import stat
import struct
import tracemalloc
import warnings
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.github.one_file import ArchiveError, one_file

NAMES = ("baseline.json.gz", "artifact.json")


def zipped(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    data = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(data, "w", method) as archive:
        warnings.simplefilter("ignore", UserWarning)  # a name twice
        archive.comment = comment
        for name, content in files:
            archive.writestr(name, content)
    return data.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


GOOD = zipped(("artifact.json", b"{}"))


@pytest.mark.parametrize(
    ("data", "content"),
    [
        pytest.param(GOOD, b"{}", id="packed"),
        pytest.param(zipped(("artifact.json", b"{}"), method=zipfile.ZIP_STORED), b"{}", id="stored"),
        pytest.param(zipped(("artifact.json", b"{}"), comment=b"made by somebody"), b"{}", id="with a comment"),
        pytest.param(
            zipped(("report.md", b"#"), ("artifact.json", b"{}"), ("comparison.json", b"[]")), b"{}", id="among others"
        ),
        pytest.param(
            zipped(("artifact.json", b"second"), ("baseline.json.gz", b"first")),
            b"first",
            id="the first name goes first",
        ),
        pytest.param(
            zipped(("../artifact.json", b"evil"), ("artifact.json", b"{}")), b"{}", id="beside one that climbs"
        ),
    ],
)
def test_the_one_file_is_found(data: bytes, content: bytes) -> None:
    assert one_file(data, NAMES, 1 << 20) == content


def patched(data: bytes, signature: bytes, offset: int, value: bytes) -> bytes:
    at = data.index(signature) + offset
    return data[:at] + value + data[at + len(value) :]


CENTRAL = b"PK\x01\x02"
LOCAL = b"PK\x03\x04"
BOMB = zipped(("artifact.json", b"\0" * 5_000_000))
LYING = patched(patched(BOMB, CENTRAL, 24, struct.pack("<I", 10)), LOCAL, 22, struct.pack("<I", 10))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "is no zip archive", id="nothing"),
        pytest.param(b"{}" * 100, "is no zip archive", id="something else"),
        pytest.param(b"PK\x05\x06", "is no zip archive", id="only an end's beginning"),
        pytest.param(zipped(), "without baseline.json.gz or artifact.json in it", id="empty"),
        pytest.param(zipped(("x/artifact.json", b"{}")), "without", id="in a folder"),
        pytest.param(zipped(("../artifact.json", b"{}")), "without", id="climbs out"),
        pytest.param(zipped(("/artifact.json", b"{}")), "without", id="absolute"),
        pytest.param(zipped(("artifact.json/", b"")), "without", id="a folder of the name"),
        pytest.param(zipped((link("artifact.json"), b"/etc/passwd")), "is a link", id="symbolic link"),
        pytest.param(
            zipped(("artifact.json", b"1"), ("artifact.json", b"2")), "two files of one name", id="two of one name"
        ),
        pytest.param(
            patched(patched(GOOD, CENTRAL, 8, b"\x01\x00"), LOCAL, 6, b"\x01\x00"), "password", id="encrypted"
        ),
        pytest.param(zipped(("artifact.json", b"{}"), method=zipfile.ZIP_BZIP2), "unusual way", id="another method"),
        pytest.param(BOMB, "unpacks to more than 1 MiB", id="bomb"),
        pytest.param(LYING, "damaged", id="bomb that lies about its size"),
        pytest.param(GOOD[:40] + GOOD[50:], "damaged", id="cut in the middle"),
        pytest.param(patched(GOOD, CENTRAL, 16, b"\0\0\0\0"), "damaged", id="wrong checksum"),
        pytest.param(
            patched(zipped(("artifact.json", b"12345"), method=zipfile.ZIP_STORED), CENTRAL, 24, b"\x09\0\0\0"),
            "damaged",
            id="shorter than it says",
        ),
        pytest.param(
            zipped(*((f"{number:0200}", b"") for number in range(5_000))), "too many files", id="a million files"
        ),
        pytest.param(GOOD[:-22] + b"PK\x06\x07" + b"\0" * 16 + GOOD[-22:], "too many files", id="zip64"),
    ],
)
def test_any_other_archive_is_refused_in_a_few_words(data: bytes, words: str) -> None:
    with pytest.raises(ArchiveError, match=words) as caught:
        one_file(data, NAMES, 1 << 20)

    assert "\n" not in str(caught.value)


def test_a_bomb_is_not_unpacked_whatever_it_says_about_its_size() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError):
            one_file(LYING, NAMES, 100_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1_000_000


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=4))
def test_a_damaged_archive_is_an_archive_or_an_archive_error(at: int, damage: bytes) -> None:
    with suppress(ArchiveError):
        one_file(GOOD[:at] + damage + GOOD[at + len(damage) :], NAMES, 100)
