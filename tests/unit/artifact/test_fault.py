import pytest

from llm_testbench.artifact.fault import ArtifactError, show_path


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), ""),
        (("results", 3, "tool_calls", 0, "name"), "results[3].tool_calls[0].name"),
        ((3, "score"), "[3].score"),
        (("models", "org/model"), 'models["org/model"]'),
        (("models", "a\n::error::\x1b[31m"), 'models["a\\n::error::\\u001b[31m"]'),
        (("models", "ö"), 'models["\\u00f6"]'),
        (("models", "x" * 500), 'models["' + "x" * 79 + '\\u2026"]'),
    ],
)
def test_a_path_is_one_short_line_of_ascii(path: tuple[str | int, ...], shown: str) -> None:
    assert show_path(path) == shown


def test_a_fault_gains_its_path_and_file_on_the_way_out() -> None:
    fault = ArtifactError("is missing", path=("score",), kind="too_new").below("results", 3).of("base.json")

    assert str(fault) == "base.json: results[3].score: is missing"
    assert (fault.kind, fault.path, fault.source, fault.message) == (
        "too_new",
        ("results", 3, "score"),
        "base.json",
        "is missing",
    )
