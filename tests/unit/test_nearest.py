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


def test_the_hint_asks() -> None:
    assert hint("repaet", KNOWN) == "; did you mean 'repeat'?"


def test_without_a_near_word_there_is_no_hint() -> None:
    assert hint("zzz", KNOWN) == ""
