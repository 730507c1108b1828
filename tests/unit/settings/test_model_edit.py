"""Keys put into the `models` of a config file: everything else keeps its bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench import yaml12
from llm_testbench.json_value import JSON
from llm_testbench.settings import config_file
from llm_testbench.settings.model_edit import NoEditError, Wanted, edited, entries_yaml, new_file

COLD = {"temperature": None}
ODD: dict[str, JSON] = {"temperature": None, "max_tokens_key": "max_completion_tokens", "stream_options": False}
ODD_TEXT = "temperature: null, max_tokens_key: max_completion_tokens, stream_options: false"

CASES: dict[str, tuple[str, list[Wanted], str]] = {
    "an item": (
        "models:\n  - a\n  - b # the old one\n  - c\n",
        [Wanted("b", ODD)],
        f"models:\n  - a\n  - {{name: b, {ODD_TEXT}}} # the old one\n  - c\n",
    ),
    "a mapping in brackets": (
        "models:\n- {name: b, id: org/b, timeout: 45m} # x\n- c\n",
        [Wanted("b", COLD)],
        "models:\n- {name: b, id: org/b, timeout: 45m, temperature: null} # x\n- c\n",
    ),
    "a mapping on lines": (
        "models:\n  - name: b   # b\n    id: org/b # id\n\n  # about c\n  - c\nseed: 1\n",
        [Wanted("b", ODD)],
        "models:\n  - name: b   # b\n    id: org/b # id\n    temperature: null\n"
        "    max_tokens_key: max_completion_tokens\n    stream_options: false\n\n  # about c\n  - c\nseed: 1\n",
    ),
    "a mapping whose last value is a block": (
        "models:\n  - name: b\n    extra_body:\n      top_k: 1\n      more:\n        - 1 # one\n# end\n",
        [Wanted("b", COLD)],
        "models:\n  - name: b\n    extra_body:\n      top_k: 1\n      more:\n        - 1 # one\n"
        "    temperature: null\n# end\n",
    ),
    "a value that is there": (
        "models:\n  - name: b\n    temperature: 0.7 # warm\n    max_tokens: 10\n",
        [Wanted("b", COLD)],
        "models:\n  - name: b\n    temperature: null # warm\n    max_tokens: 10\n",
    ),
    "a value of nothing": (
        "models:\n  - {name: b, stream: false}\n  - name: c\n    max_tokens:\n    id: d\n",
        [Wanted("b", {"stream": True}), Wanted("c", {"max_tokens": 5})],
        "models:\n  - {name: b, stream: true}\n  - name: c\n    max_tokens: 5\n    id: d\n",
    ),
    "named by its id": (
        "models: [{id: org/b}, c]\n",
        [Wanted("org/b", COLD)],
        "models: [{id: org/b, temperature: null}, c]\n",
    ),
    "a list in brackets": (
        "models: [a, 'b', \"c\"] # all\nseed: 1\n",
        [Wanted("b", COLD), Wanted("d", {})],
        'models: [a, {name: b, temperature: null}, "c", d] # all\nseed: 1\n',
    ),
    "a list over lines in brackets": (
        "models: [\n  a,\n  b,  # b\n]\n",
        [Wanted("b", COLD)],
        "models: [\n  a,\n  {name: b, temperature: null},  # b\n]\n",
    ),
    "tabs": (
        "models:\t# all\n  - a\t# one\n  - {name: b,\tid: c}\t\n",
        [Wanted("a", COLD), Wanted("b", COLD)],
        "models:\t# all\n  - {name: a, temperature: null}\t# one\n  - {name: b,\tid: c, temperature: null}\t\n",
    ),
    "names as text": (
        "models: a, b  # two\nseed: 1\n",
        [Wanted("b", COLD), Wanted("c", {})],
        "models: [a, {name: b, temperature: null}, c]  # two\nseed: 1\n",
    ),
    "a new model": (
        "models:\n    - a # a\n\n# the end\n",
        [Wanted("a", {}), Wanted("x: y", COLD)],
        'models:\n    - a # a\n    - {name: "x: y", temperature: null}\n\n# the end\n',
    ),
    "no models": (
        "endpoint: local # here",
        [Wanted("a", {}), Wanted("b", COLD)],
        "endpoint: local # here\nmodels:\n  - a\n  - {name: b, temperature: null}\n",
    ),
    "nothing but a comment": ("# later\n", [Wanted("a", {})], "# later\nmodels:\n  - a\n"),
    "an empty file": ("", [Wanted("a", {})], "models:\n  - a\n"),
    "models that are null": ("models: null\n", [Wanted("a", {})], "models: [a]\n"),
    "no end of the last line": (
        "models:\n  - name: b",
        [Wanted("b", COLD)],
        "models:\n  - name: b\n    temperature: null",
    ),
    "other line ends": (
        "models:\r\n  - name: b\r\n    id: c # c\r\n  - d\r\nseed: 1\r\n",
        [Wanted("b", COLD), Wanted("e", {})],
        "models:\r\n  - name: b\r\n    id: c # c\r\n    temperature: null\r\n  - d\r\n  - e\r\nseed: 1\r\n",
    ),
    "a byte order mark": ("\ufeffmodels: [b]\n", [Wanted("b", COLD)], "\ufeffmodels: [{name: b, temperature: null}]\n"),
    "nothing wanted": ("models: [a, b] # x\n", [Wanted("a", {}), Wanted("b", {})], "models: [a, b] # x\n"),
}


@pytest.mark.parametrize(("before", "wanted", "after"), CASES.values(), ids=CASES)
def test_what_a_file_becomes(before: str, wanted: list[Wanted], after: str) -> None:
    assert edited(before, wanted) == after
    assert config_file.parse(after.encode(), Path("c.yaml"), "c.yaml").faults == ()


@pytest.mark.parametrize(("before", "wanted", "after"), CASES.values(), ids=CASES)
def test_a_second_time_changes_nothing(before: str, wanted: list[Wanted], after: str) -> None:
    assert edited(after, wanted) == after


@pytest.mark.parametrize(
    "content",
    [
        "{endpoint: local}\n",
        "models: |\n  a\n  b\n",
        "models:\n  - name: b\n    temperature: |\n      0\n",
        "endpoint: local\n...\n",
        "- models\n",
        "models: []\n",
    ],
)
def test_a_form_that_cannot_be_changed_in_place_is_refused(content: str) -> None:
    with pytest.raises(NoEditError):
        edited(content, [Wanted("b", COLD)])


@pytest.mark.parametrize("name", ["a", "org/b:8b", "yes", "null", "1", "a: b", "a #b", "[x]", "é ü", 'q"\\', "😀", "-"])
def test_a_name_stays_what_it_is(name: str) -> None:
    wanted = [Wanted(name, {}), Wanted(f"{name}2", COLD)]
    text = new_file("https://gateway.example.com/v1", wanted)
    assert yaml12.read(text, "c").value == {
        "endpoint": "https://gateway.example.com/v1",
        "models": [name, {"name": f"{name}2", "temperature": None}],
    }
    assert entries_yaml(wanted) in text


names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=8).filter(
    lambda name: name == name.strip() and "," not in name
)
keys = st.dictionaries(
    st.sampled_from(["temperature", "seed", "stream_options", "max_tokens", "tool_choice", "max_tokens_key"]),
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["required", "max_completion_tokens", "a: b # c"]),
)
COMMENT = "# a comment"


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[JSON], list[Wanted]]:
    """A file in one of the usual forms, what its `models` are, and what is wanted of some of them."""
    known = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    lines: list[str] = ["endpoint: local", "models:"]
    items: list[JSON] = []
    for name in known:
        item: dict[str, JSON] = {"name": name, **draw(keys)}
        written = [f"{key}: {_json(value)}" for key, value in item.items()]
        match draw(st.sampled_from(["name", "flow", "block"])):
            case "name":
                item = {"name": name}
                lines.append(f"  - {_json(name)}  {COMMENT}")
            case "flow":
                lines.append(f"  - {{{', '.join(written)}}}  {COMMENT}")
            case _:
                lines += [f"  {'-' if not number else ' '} {pair}  {COMMENT}" for number, pair in enumerate(written)]
        items.append(item)
        lines += draw(st.lists(st.sampled_from(["", f"  {COMMENT}", COMMENT]), max_size=2))
    lines += draw(st.sampled_from([[], ["seed: 1", COMMENT]]))
    wanted = [Wanted(name, draw(keys)) for name in draw(st.lists(st.sampled_from(known), unique=True))]
    new = draw(st.lists(names.filter(lambda name: name not in known), max_size=2, unique=True))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join([*lines, ""]), items, [*wanted, *(Wanted(name, draw(keys)) for name in new)]


def _json(value: JSON) -> str:
    return (
        entries_yaml([Wanted(value, {})])[4:-1]
        if isinstance(value, str)
        else str(value).lower().replace("none", "null")
    )


@given(files())
def test_the_usual_forms_take_every_key_and_keep_every_comment(made: tuple[str, list[JSON], list[Wanted]]) -> None:
    before, items, wanted = made
    after = edited(before, wanted)

    value = yaml12.read(after, "c").value
    assert isinstance(value, dict)
    found = [item if isinstance(item, dict) else {"name": item} for item in value["models"]]
    by_name = {one.name: one.keys for one in wanted}
    expected = [{**item, **by_name.pop(str(item["name"]), {})} for item in items if isinstance(item, dict)]
    assert found == [*expected, *({"name": name, **more} for name, more in by_name.items())]
    old = yaml12.read(before, "c").value
    assert isinstance(old, dict)
    assert {**value, "models": None} == {**old, "models": None}
    assert after.count(COMMENT) == before.count(COMMENT)
    assert ("\r\n" in before) == ("\r\n" in after)
