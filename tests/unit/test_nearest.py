import pytest

from llm_testbench.nearest import hint, nearest

KNOWN = ("concurrency", "endpoint", "models", "repeat")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        pytest.param("endpiont", "endpoint", id="swapped letters"),
        pytest.param("model", "models", id="missing letter"),
        pytest.param("concurency", "concurrency", id="single for double"),
        pytest.param("zzz", None, id="nothing is near"),
        pytest.param("", None, id="nothing was written"),
        pytest.param("x" * 100_000, None, id="hostile length"),
    ],
)
def test_the_nearest_known_word_is_what_was_meant(word: str, meant: str | None) -> None:
    assert nearest(word, KNOWN) == meant


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        pytest.param("contains", ("not_contains", "contains_all", "contains_any"), "contains_all", id="contains"),
        pytest.param("icontains", ("not_contains", "contains_all", "contains_any"), "contains_any", id="icontains"),
        pytest.param("called", ("no_called",), None, id="only the opposite is near"),
        pytest.param("not_contain", ("not_contains", "contains_all"), "not_contains", id="a denial is meant"),
    ],
)
def test_the_opposite_of_a_word_is_never_what_was_meant(word: str, known: tuple[str, ...], meant: str | None) -> None:
    assert nearest(word, known) == meant


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        pytest.param("go", ("git", "golang", "gone-long-ago"), "golang", id="the shortest that begins so"),
        pytest.param("py", ("python", "go"), "python", id="short for a long word"),
        pytest.param("g", ("golang",), None, id="one letter is no beginning"),
    ],
)
def test_the_beginning_of_a_word_is_enough(word: str, known: tuple[str, ...], meant: str | None) -> None:
    assert nearest(word, known) == meant


def test_the_hint_asks() -> None:
    assert hint("repaet", KNOWN) == "; did you mean 'repeat'?"


def test_without_a_near_word_there_is_no_hint() -> None:
    assert hint("zzz", KNOWN) == ""
