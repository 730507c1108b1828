import pytest

from llm_testbench.errors import CommandError, InconclusiveError, InputError, Place


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        pytest.param(Place("llm-testbench.yaml", 3, 7), "llm-testbench.yaml:3:7", id="file, line and column"),
        pytest.param(Place("suite.yaml", 3), "suite.yaml:3", id="file and line"),
        pytest.param(Place("--repeat"), "--repeat", id="a flag has no line"),
    ],
)
def test_a_place_reads_as_compilers_print_it(place: Place, shown: str) -> None:
    assert str(place) == shown


def test_the_line_begins_with_the_place() -> None:
    assert str(InputError("expected a number", Place("--repeat"))) == "--repeat: expected a number"


def test_without_a_place_the_line_is_the_message() -> None:
    assert str(InconclusiveError("the endpoint is down")) == "the endpoint is down"


@pytest.mark.parametrize(("error", "code"), [(InputError, 2), (InconclusiveError, 3)])
def test_each_error_stands_for_its_exit_code(error: type[CommandError], code: int) -> None:
    assert error("x").exit_code == code
