"""The report of doctor: facts first, then what to do; nothing that a server says gets out of its place."""

from __future__ import annotations

import json

import pytest
from tests.unit.hostile_text import HOSTILE
from tests.unit.report.views.shown import in_order, shown
from tests.unit.report.views.test_hostile import MARK, check_markdown, check_terminal

from llm_testbench.report.views.doctor import (
    MOST_NAMED,
    Advice,
    Diagnosis,
    Fact,
    ModelFacts,
    doctor_json,
    doctor_report,
)

PYTHON = Fact("Python", "yes", "3.12")


def model(name: str = "m", *, works: bool = True, facts: tuple[Fact, ...] = ()) -> ModelFacts:
    return ModelFacts(name, "https://gateway.example.com/v1", works, facts, 3, {"temperature": None})


@pytest.mark.parametrize(
    ("models", "headline"),
    [
        ((), "No model was asked"),
        ((model(),), "1 model can be asked"),
        ((model("a"), model("b")), "2 models can be asked"),
        ((model("a"), model("b", works=False)), "1 of 2 models can be asked"),
        ((model(works=False),), "The model cannot be asked"),
        ((model("a", works=False), model("b", works=False)), "No model can be asked"),
    ],
)
def test_the_headline_counts_who_can_be_asked(models: tuple[ModelFacts, ...], headline: str) -> None:
    assert shown(doctor_report(Diagnosis(models, (PYTHON,), (), ()))).startswith(headline)


def test_facts_come_before_what_to_do() -> None:
    found = Diagnosis(
        (model(facts=(Fact("seed", "no", "refused", "HTTP 400"), Fact("tools", "unknown", "cut"))),),
        (PYTHON,),
        (Fact("contents: write", "unknown", "only writing would show"),),
        (Advice("m", "correct its id"), Advice("", "add a permission", "HTTP 403")),
        "models:\n  - m\n",
        left_out=tuple(f"n{number}" for number in range(MOST_NAMED + 2)),
        promises=(Fact("files", "yes", said="landlock_files"),),
        layers=(Fact("seccomp", "no", said="this kernel takes no filter"),),
        toolchains=(Fact("go", "no", "go is not on PATH"),),
    )

    in_order(
        shown(doctor_report(found)),
        "m at https://gateway.example.com/v1",
        "seed  no  refused: HTTP 400",
        "tools  not known  cut",
        "Listed, and not asked: n0, n1",
        "n19 and 2 more; --models",
        "This machine",
        "Python  yes  3.12",
        "What the sandbox promises here",
        "files  yes  landlock_files",
        "Its layers",
        "seccomp  no  this kernel takes no filter",
        "Toolchains, as programs in the sandbox find them",
        "go  no  go is not on PATH",
        "GitHub, with this token",
        "contents: write  not known",
        "What to do",
        "m: correct its id",
        "add a permission (HTTP 403)",
        "--write puts them",
        "- m",
    )


def test_nothing_to_do_is_no_section() -> None:
    said = shown(doctor_report(Diagnosis((model(),), (PYTHON,), (), ())))
    assert "What to do" not in said
    assert "GitHub" not in said


def test_entries_that_stand_in_the_file_are_said_to_do_so() -> None:
    said = shown(doctor_report(Diagnosis((model(),), (PYTHON,), (), (), "models:\n  - m\n", written=True)))
    assert "The config file now says what these models need" in said
    assert "--write" not in said


def hostile(bad: str) -> Diagnosis:
    fact = Fact("seed", "no", "refused", bad)
    one = ModelFacts(bad, bad, works=True, facts=(fact, Fact("tools", "note", "", bad)), calls=1)
    return Diagnosis(
        (one,),
        (fact,),
        (fact,),
        (Advice(bad, "do", bad),),
        f"models:\n  - {bad}",
        left_out=(bad, bad),
        promises=(fact,),
        layers=(fact,),
        toolchains=(fact,),
    )


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
def test_every_trick_in_every_field(bad: str) -> None:
    report = doctor_report(hostile(MARK + bad))
    check_markdown(report)
    check_terminal(report)


def test_the_data_is_the_same() -> None:
    data = doctor_json(hostile("bad"))
    assert json.loads(json.dumps(data)) == data
    assert data["left_out"] == ["bad", "bad"]
    assert data["entries"] == "models:\n  - bad"
