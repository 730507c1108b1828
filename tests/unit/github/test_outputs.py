import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.github.runner import read_outputs
from tests.unit.hostile_text import texts

from llm_testbench.github.outputs import OUTPUTS_LIMIT, write_outputs

TOKEN = "t" * 22


def fixed(*tokens: str) -> Callable[[], str]:
    return iter(tokens).__next__


def test_every_value_stands_between_delimiters_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "output"

    write_outputs(path, {"verdict": "fail", "regressions": "2"}, fixed("a" * 22, "b" * 22))

    assert path.read_text() == (
        f"verdict<<ghadelimiter_{'a' * 22}\nfail\nghadelimiter_{'a' * 22}\n"
        f"regressions<<ghadelimiter_{'b' * 22}\n2\nghadelimiter_{'b' * 22}\n"
    )


@pytest.mark.parametrize("before", ["", "a=1\n", "a=1", "a<<E\n1\nE", "\n\na=1\n\n"])
def test_what_other_processes_of_the_step_wrote_stays(tmp_path: Path, before: str) -> None:
    path = tmp_path / "output"
    path.write_text(before)

    write_outputs(path, {"verdict": "pass"})

    assert read_outputs(path.read_bytes()) == ({"a": "1"} if before else {}) | {"verdict": "pass"}


@given(
    st.dictionaries(
        st.sampled_from(["verdict", "mean", "_", "A-1", "comment_url"]),
        (texts | st.text()).filter(lambda text: "\0" not in text),
    )
)
def test_whatever_the_text_the_runner_reads_exactly_the_values(values: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        write_outputs(path, values)
        # Half of a surrogate pair cannot be written; its escape is what a reader gets.
        assert read_outputs(path.read_bytes()) == {
            name: value.encode("utf-8", "backslashreplace").decode() for name, value in values.items()
        }


def test_the_delimiter_is_drawn_at_random(tmp_path: Path) -> None:
    path = tmp_path / "output"
    for _ in range(50):
        write_outputs(path, {"x": ""})

    assert len({line for line in path.read_text().splitlines() if line.startswith("x<<")}) == 50


@pytest.mark.parametrize(
    ("values", "token", "line"),
    [
        pytest.param({"": "x"}, TOKEN, "no name of an output: ''", id="no name"),
        pytest.param({"a=b": "x"}, TOKEN, "no name of an output: 'a=b'", id="an equals sign in a name"),
        pytest.param({"a<<b": "x"}, TOKEN, "no name of an output: 'a<<b'", id="arrows in a name"),
        pytest.param({"a\nb": "x"}, TOKEN, r"no name of an output: 'a\nb'", id="a line break in a name"),
        pytest.param({"a\n": "x"}, TOKEN, r"no name of an output: 'a\n'", id="a line break after a name"),
        pytest.param({"a": "x\0y"}, TOKEN, "the output a holds a NUL character", id="NUL"),
        pytest.param(
            {"a": f"x\nghadelimiter_{TOKEN}\nb=1"}, TOKEN, "the output a holds its own delimiter", id="the delimiter"
        ),
        pytest.param({"a": "x"}, "short", "the delimiter of an output has 22 or more letters", id="a short token"),
        pytest.param({"a": "x"}, TOKEN + "\n", "the delimiter of an output has 22 or more", id="two lines of token"),
        pytest.param(
            {"short": "", "report": "x" * OUTPUTS_LIMIT},
            TOKEN,
            "the outputs have 2000032 bytes in UTF-16, of which GitHub takes 1000000; the longest is report",
            id="too long",
        ),
    ],
)
def test_what_the_runner_would_misread_is_refused_and_nothing_written(
    tmp_path: Path, values: dict[str, str], token: str, line: str
) -> None:
    path = tmp_path / "output"

    with pytest.raises(ValueError, match=re.escape(line)) as caught:
        write_outputs(path, {"good": "1", **values}, lambda: token)

    assert str(caught.value).startswith(line)
    assert not path.exists()


@pytest.mark.parametrize("text", ["x", "é", "漢"])
def test_values_count_as_utf_16_up_to_the_bound(tmp_path: Path, text: str) -> None:
    longest = text * (OUTPUTS_LIMIT // 2 - 1)

    write_outputs(tmp_path / "output", {"a": longest})

    with pytest.raises(ValueError, match="1000002 bytes"):
        write_outputs(tmp_path / "output", {"a": longest + text})


def test_a_file_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_outputs(tmp_path, {"a": "1"})
