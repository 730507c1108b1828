"""accepted.yaml: read strictly, written so that it reads the same again, edited without losing what stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.unit.compare.acceptances import acceptances, cell, names, whole
from tests.unit.hostile_text import HOSTILE

from llm_testbench import schemas
from llm_testbench.compare.accepted import references
from llm_testbench.compare.accepted_form import acceptance_to_json, to_yaml
from llm_testbench.compare.model import Acceptance
from llm_testbench.errors import InputError
from llm_testbench.settings.accepted_edit import edited, merge
from llm_testbench.settings.accepted_file import from_json, parse, read_accepted

GOOD = """\
# what we live with
- model: chat
  test: refund[de]
  scores: [1, 0.5, 0]
  reason: the smaller model is worth it
  until: 2026-12-31
- model: chat
  tests: {a: [1], b: [0, 0]}
- {model: chat, category: tools, tests: {c: [0.25]}}
"""


def test_cells_models_and_categories_are_read() -> None:
    assert parse(GOOD, "accepted.yaml") == (
        Acceptance(
            "chat", {"refund[de]": (1, 0.5, 0)}, "refund[de]", None, "the smaller model is worth it", "2026-12-31"
        ),
        Acceptance("chat", {"a": (1,), "b": (0, 0)}),
        Acceptance("chat", {"c": (0.25,)}, None, "tools"),
    )


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "[]", "null", "---\n"])
def test_a_file_without_entries_accepts_nothing(content: str) -> None:
    assert parse(content, "accepted.yaml") == ()


CELL = "- {model: m, test: a, scores: [1]"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param("model: m", "f:1:1: expected a list, got a mapping", id="no list"),
        pytest.param("- 3", "f:1:3: [0]: expected a mapping with the keys model | test | scores", id="no entry"),
        pytest.param("- {test: a, scores: [1]}", "f:1:3: [0]: the key 'model' is missing", id="no model"),
        pytest.param("- {model: m, scores: [1]}", "f:1:3: [0]: the key 'test' is missing", id="no test"),
        pytest.param("- {model: m, test: a}", "f:1:3: [0]: the key 'scores' is missing", id="no scores"),
        pytest.param(
            "- {model: m, test: a, scores: [1], tests: {a: [1]}}",
            "f:1:3: [0]: expected either 'test' and 'scores', or 'tests', not both",
            id="a cell and a row",
        ),
        pytest.param(
            f"{CELL}, untill: x}}", "f:1:36: [0].untill: unknown key; did you mean 'until'?", id="unknown key"
        ),
        pytest.param(
            f"{CELL}, category: c}}",
            "f:1:36: [0].category: unknown key; expected model | test |",
            id="a cell's category",
        ),
        pytest.param("- {model: 4, test: a, scores: [1]}", "[0].model: expected text, got 4; quote it", id="a number"),
        pytest.param(
            "- {model: ' ', test: a, scores: [1]}", "[0].model: expected text, got nothing but", id="white space"
        ),
        pytest.param(
            "- {model: m, test: [a], scores: [1]}", "[0].test: expected text, got a list", id="a list of tests"
        ),
        pytest.param(
            f"- {{model: m, test: {'x' * 1001}, scores: [1]}}", "expected at most 1000 characters, got 1001", id="long"
        ),
        pytest.param("- {model: m, test: a, scores: 1}", "[0].scores: expected a list, got 1", id="one score"),
        pytest.param("- {model: m, test: a, scores: []}", "[0].scores: expected at least 1 item, got 0", id="none"),
        pytest.param(
            f"- {{model: m, test: a, scores: [{'1,' * 1001}]}}", "expected at most 1000 items, got 1001", id="too many"
        ),
        pytest.param(
            "- {model: m, test: a, scores: [1, 1.5]}",
            "f:1:35: [0].scores[1]: expected a number from 0 to 1",
            id="above 1",
        ),
        pytest.param("- {model: m, test: a, scores: [true]}", "expected a number from 0 to 1, got true", id="true"),
        pytest.param("- {model: m, tests: {}}", "f:1:14: [0].tests: expected 1 to 10000 tests, got 0", id="no tests"),
        pytest.param(
            f"- {{model: m, tests: {{{''.join(f'{n}: [1],' for n in range(10_001))}}}}}",
            "got 10001",
            id="too many tests",
        ),
        pytest.param("- 0\n" * 20_001, "f:1:1: expected at most 20000 items, got 20001", id="too many entries"),
        pytest.param("- {model: m, tests: [a]}", "[0].tests: expected a mapping, got a list", id="tests as a list"),
        pytest.param(
            "- {model: m, tests: {a: []}}", "f:1:22: [0].tests.a: expected at least 1 item", id="a test's none"
        ),
        pytest.param("- {model: m, tests: {a: [1]}, category: 1}", "[0].category: expected text", id="category"),
        pytest.param(f"{CELL}, reason: 3}}", "[0].reason: expected text, got 3; quote it", id="reason"),
        pytest.param(f"{CELL}, reason: {'x' * 4001}}}", "expected at most 4000 characters", id="a long reason"),
        pytest.param(f"{CELL}, until: 20261231}}", "expected a day as YYYY-MM-DD, not 20261231", id="another form"),
        pytest.param(f"{CELL}, until: 2026-02-30}}", "expected a day as YYYY-MM-DD", id="no day"),
        pytest.param(
            f"{CELL}}}\n{CELL}}}", "f:2:3: [1]: 'a' on 'm' stands here a second time, first in line 1", id="twice"
        ),
        pytest.param(
            "- {model: m, tests: {a: [1]}}\n- {model: m, category: c, tests: {a: [1]}}",
            "f:2:3: [1]: 'a' on 'm' stands here a second time, first in line 1; keep one entry",
            id="in two rows",
        ),
        pytest.param(
            "- {model: m, tests: {a: [1]}}\n- {model: m, tests: {a: [1], b: [1]}}",
            "f:2:3: [1]: 'm' stands here a second time, first in line 1; keep one entry",
            id="a row twice",
        ),
        pytest.param(
            "- {model: m, category: c, tests: {a: [1]}}\n- {model: m, category: c, tests: {b: [1]}}",
            "f:2:3: [1]: category 'c' on 'm' stands here a second time, first in line 1",
            id="a category twice",
        ),
        pytest.param("- {model: &x m, test: *x, scores: [1]}", "aliases", id="an alias"),
        pytest.param("[" * 300 + "]" * 300, "nested deeper", id="deep"),
        pytest.param("# " + "x" * 1024 * 1024, "1048576 bytes that a YAML file may have", id="large"),
    ],
)
def test_a_fault_is_a_line_with_its_place(content: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(content, "f")

    (line,) = str(caught.value).splitlines()
    assert line.startswith("f:")
    assert says in line


def test_a_test_may_stand_by_itself_and_in_its_model() -> None:
    assert len(parse(f"{CELL}}}\n- {{model: m, tests: {{a: [0]}}}}\n", "f")) == 2


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse("- {model: 1, test: a, scores: []}\n- {}\n", "f")

    assert [line.partition(" ")[0] for line in str(caught.value).splitlines()] == ["f:1:4:", "f:1:23:", *["f:2:3:"] * 3]


def test_the_file_need_not_be_there(tmp_path: Path) -> None:
    assert read_accepted(tmp_path / "accepted.yaml") == ()


def test_the_file_is_named_as_a_person_in_the_repository_would(tmp_path: Path) -> None:
    path = tmp_path / ".github/accepted.yaml"
    path.parent.mkdir()
    path.write_text("- 3\n")

    with pytest.raises(InputError, match=r"^.github/accepted.yaml:1:3: "):
        read_accepted(path, tmp_path)
    with pytest.raises(InputError, match=r"^accepted.yaml:1:3: "):
        read_accepted(path)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "accepted.yaml").mkdir()
    with pytest.raises(InputError, match=r"^accepted.yaml: the accepted drops cannot be read: "):
        read_accepted(tmp_path / "accepted.yaml")


def test_a_file_that_is_too_large_is_not_read_in_part(tmp_path: Path) -> None:
    (tmp_path / "accepted.yaml").write_text(GOOD + "#" * (1024 * 1024 - len(GOOD)) + "\n- 3\n")

    with pytest.raises(InputError, match="more than the 1048576 bytes that a YAML file may have"):
        read_accepted(tmp_path / "accepted.yaml")


def test_a_comparisons_entries_are_read_as_strictly() -> None:
    with pytest.raises(InputError, match=r"^c.json: accept\[0\].test: expected whole characters"):
        from_json([{"model": "m", "test": "\ud800", "scores": [1]}], "c.json")
    with pytest.raises(InputError, match=r"^c.json: accept: expected a list, got a mapping"):
        from_json({}, "c.json")
    with pytest.raises(InputError, match=r"'a' on 'm' stands here a second time; keep one entry"):
        from_json([{"model": "m", "test": "a", "scores": [1]}] * 2, "c.json")


@given(acceptances(names))
def test_what_is_written_reads_the_same_as_text_and_as_data(entries: tuple[Acceptance, ...]) -> None:
    assert parse(to_yaml(entries), "f") == entries
    assert from_json([acceptance_to_json(entry) for entry in entries], "f") == entries


@given(acceptances(names))
def test_other_readers_of_yaml_read_the_same(entries: tuple[Acceptance, ...]) -> None:
    read = yaml.safe_load(to_yaml(entries)) or []

    assert read == [acceptance_to_json(entry) for entry in entries]


@pytest.mark.parametrize(
    "text", [text for name, text in HOSTILE.items() if text.strip() and name not in ("surrogate", "long")]
)
def test_written_text_is_visible_and_breaks_out_of_nothing(text: str) -> None:
    written = to_yaml([cell(text, 1, model=text, reason=text)])

    assert parse(written, "f") == (cell(text, 1, model=text, reason=text),)
    assert len(written.splitlines()) == 4
    assert all(character.isprintable() for line in written.split("\n") for character in line)
    assert "`" not in written
    assert "##" not in written


VALIDATOR = Draft202012Validator(schemas.load("accepted"))
_loose = st.sampled_from(["m", "a", " ", "", 1, None, "x" * 1001])
_loose_scores = st.sampled_from([[1], [0, 0.5], [], [1.5], [True], [None], 1, [0.5] * 1001])
_loose_entry = st.fixed_dictionaries(
    {},
    optional={
        "model": _loose,
        "test": _loose,
        "category": _loose,
        "scores": _loose_scores,
        "tests": st.dictionaries(st.sampled_from(["a", "b", " ", "x" * 1001]), _loose_scores) | _loose,
        "reason": st.sampled_from(["", "why", 1, "x" * 4001]),
        "until": st.sampled_from(["2026-12-31", "2026-1-1", 2026, "", "2026-12-31\n"]),
        "other": st.just(1),
    },
)


@given(_loose_entry | st.sampled_from([None, [], "m"]))
def test_the_schema_takes_what_the_reader_takes(entry: Any) -> None:
    try:
        from_json([entry], "f")
        taken = True
    except InputError:
        taken = False

    assert VALIDATOR.is_valid([entry]) == taken


def test_the_page_shows_entries_as_the_command_writes_them() -> None:
    page = (Path(__file__).parents[3] / "docs/accept-a-drop.md").read_text("utf-8")
    shown = page.partition("`accepted.yaml`:\n\n```yaml\n")[2].partition("```")[0]

    assert shown
    assert to_yaml(parse(shown, "f")) == shown


def test_a_comparison_offers_entries_in_the_form_of_the_file() -> None:
    file, comparison = schemas.load("accepted"), schemas.load("comparison")

    assert comparison["properties"]["accept"]["items"] == file["items"]
    assert file["$defs"].items() <= comparison["$defs"].items()


OLD = """\
# Agreed on in June.

# The smaller model cannot count.
- model: chat   # production
  test: 'a'
  scores:
    - 1
    - 0
  reason: |
    two lines
    # of text
  # below

# Tools are next.
- {model: chat, test: b, scores: [0.5]}
-   model: code
    tests: {a: [1], b: [1]}
# The end.
"""


def after(*new: Acceptance, content: str = OLD) -> str:
    old = parse(content, "f")
    return edited(content, old, merge(old, new))


def test_a_new_entry_comes_last_and_all_else_stays() -> None:
    assert after(cell("n", 0.5)) == OLD + '- model: "chat"\n  test: "n"\n  scores: [0.5]\n'


def test_an_entry_of_the_same_cell_is_replaced_in_its_place() -> None:
    assert after(cell("b", 0)) == OLD.replace(
        "- {model: chat, test: b, scores: [0.5]}\n", '- model: "chat"\n  test: "b"\n  scores: [0]\n'
    )


def test_comments_around_a_replaced_entry_stay() -> None:
    text = after(cell("a", 0))

    assert text.startswith('# Agreed on in June.\n\n# The smaller model cannot count.\n- model: "chat"\n  test: "a"\n')
    assert "\n# Tools are next.\n- {model" in text
    assert "two lines" not in text


def test_a_rows_new_entry_takes_its_tests_out_of_all_others() -> None:
    text = after(whole("chat", a=(0,), z=(0,)), whole("code", "tools", a=(0,)))

    assert parse(text, "f") == (
        cell("b", 0.5),
        whole("code", b=(1,)),
        whole("chat", a=(0,), z=(0,)),
        whole("code", "tools", a=(0,)),
    )


def test_a_tests_own_entry_leaves_that_of_its_model_as_it_is() -> None:
    assert after(cell("a", 0, model="code")) == OLD + '- model: "code"\n  test: "a"\n  scores: [0]\n'


def test_a_rows_entry_keeps_the_tests_that_the_new_one_lacks() -> None:
    assert parse(after(whole("code", b=(0,))), "f")[2] == whole("code", a=(1,), b=(0,))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('[{"model": "m", "test": "a", "scores": [1]}]', id="JSON"),
        pytest.param("-\n  model: m\n  test: a\n  scores: [1]\n", id="a dash alone"),
        pytest.param("- model: m\r\n  test: a\r\n  scores: [1]\r\n", id="line ends of Windows"),
        pytest.param("---\n- model: m\n  test: a\n  scores: [1]\n...\n", id="the end of the document"),
        pytest.param("- model: m\r  test: a\r  scores: [1]\r- {model: x, test: a, scores: [1]}\r", id="lone returns"),
        pytest.param('- {model: m, test: a, scores: [1],\n   reason: "\u2028\x85"}\n', id="breaks inside text"),
        pytest.param("- {model: m, test: a, scores: [1]}\n\u2028- {model: x, test: a, scores: [1]}\n", id="odd breaks"),
        pytest.param("  - model: m\n    test: a\n    scores: [1]", id="indented, no last line end"),
        pytest.param("- {model: m, test: a, scores: [1]}\n", id="one line"),
        pytest.param("\ufeff- {model: m, test: a, scores: [1]}\n", id="a byte order mark"),
    ],
)
def test_any_form_of_the_file_can_be_added_to(content: str) -> None:
    old = parse(content, "f")

    for new in (cell("n", 0.5), cell("a", 0, model="m"), whole("m", a=(0,))):
        merged = merge(old, [new])
        assert parse(edited(content, old, merged), "f") == merged.entries


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "[]", "null\n", "---\n", "\n\n"])
def test_an_empty_file_gets_the_entry(content: str) -> None:
    text = after(cell("n", 0.5), content=content)

    assert parse(text, "f") == (cell("n", 0.5),)
    assert ("# nothing yet" in text) == ("#" in content)


@given(acceptances(), acceptances(), st.booleans())
def test_after_a_merge_the_new_entries_decide_and_nothing_else_is_lost(
    old: tuple[Acceptance, ...], new: tuple[Acceptance, ...], indented: bool
) -> None:
    content = "".join(f"# about {number}\n{to_yaml([entry])}" for number, entry in enumerate(old))
    if indented:
        content = "".join(f"  {line}\n" for line in content.splitlines())
    merged = merge(old, new)

    text = edited(content, old, merged)

    assert parse(text, "f") == merged.entries
    assert [line.strip() for line in text.splitlines() if line.strip().startswith("# about")] == [
        f"# about {number}" for number in range(len(old))
    ]
    before, asked, now = (references(entries, "").scores for entries in (old, new, merged.entries))
    assert now == {**before, **asked}
