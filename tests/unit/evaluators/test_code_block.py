from __future__ import annotations

import pytest
from tests.unit.evaluators.judging import answer

from llm_testbench.evaluators.code_block import code_in
from llm_testbench.sandbox.languages import LANGUAGES

ADD = "def add(a, b):\n    return a + b"


def told(tag: str, code: str = ADD) -> str:
    return f"```{tag}\n{code}\n```"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ADD, id="no fence"),
        pytest.param(told("python"), id="a block alone"),
        pytest.param(told(""), id="untagged"),
        pytest.param(f"Sure! Here it is:\n\n{told('python')}\n\nIt adds `a` and `b`.", id="words before and after"),
        pytest.param(told("py"), id="py"),
        pytest.param(told("Python"), id="upper case"),
        pytest.param(told("python3"), id="python3"),
        pytest.param(told("{.python}"), id="pandoc"),
        pytest.param(told("{.python .numberLines}"), id="pandoc with more"),
        pytest.param(told("language-python"), id="language-"),
        pytest.param(told("python:add.py"), id="with a file name"),
        pytest.param(told("python,ignore"), id="with an attribute"),
        pytest.param(told('python title="add.py"'), id="with more words"),
        pytest.param(told(" python"), id="a space before the tag"),
        pytest.param(f"~~~python\n{ADD}\n~~~", id="tildes"),
        pytest.param(f"{told('bash', 'pip install x')}\n{told('python')}", id="behind a block of another language"),
        pytest.param(f"{told('', 'add(1, 2)')}\n{told('python')}", id="behind an untagged block"),
        pytest.param(f"{told('bash', 'pip install x')}\n{told('')}", id="untagged behind another language"),
        pytest.param(f"{told('python')}\nUse it:\n{told('python', 'add(1, 2)')}", id="the first of two"),
        pytest.param(f"{told('python', '')}\n{told('python')}", id="behind a blank block"),
        pytest.param(told("text"), id="the wrong tag"),
        pytest.param(f"{told('text')}\n{told('javascript', 'add(1, 2)')}", id="the first of two with wrong tags"),
        pytest.param(f"```python\n{ADD}", id="cut before the fence closed"),
        pytest.param(f"```python\n{ADD}```", id="closed behind the last line"),
        pytest.param("````markdown\n```python\nx\n```\n````\n" + told("python"), id="a block inside a block"),
        pytest.param(f"<think>\n{told('python', 'no')}\n</think>\n{told('python')}", id="behind the reasoning"),
        pytest.param(
            "1. Write it:\n\n   ```python\n   def add(a, b):\n       return a + b\n   ```", id="indented in a list"
        ),
        pytest.param("> ```python\n> def add(a, b):\n>     return a + b\n> ```", id="in a quotation"),
    ],
)
def test_the_code_of_an_answer_is_found(text: str) -> None:
    assert code_in(answer(text).text, "python").strip() == ADD


@pytest.mark.parametrize(
    ("language", "tag"),
    [
        *[(language, language) for language in LANGUAGES],
        *[("go", "golang"), ("c", "c11"), ("typescript", "ts"), ("typescript", "tsx"), ("javascript", "js")],
        *[("javascript", "mjs"), ("javascript", "node"), ("bash", "sh"), ("bash", "shell"), ("bash", "zsh")],
        *[("sql", "sqlite"), ("sql", "SQL"), ("python", "{.python}"), ("python", "language-python")],
        *[("python", "lang-python"), ("python", "python:add.py"), ("python", "python,ignore"), ("python", "py3 x")],
    ],
)
def test_each_language_goes_by_the_names_that_models_give_it(language: str, tag: str) -> None:
    assert code_in(f"```\nx\n```\n```{tag}\ncode\n```", language) == "code"


@pytest.mark.parametrize(
    ("language", "tag"), [("c", "c++"), ("c", "cpp"), ("c", "csharp"), ("c", "objective-c"), ("typescript", "js")]
)
def test_a_language_that_is_only_alike_is_another(language: str, tag: str) -> None:
    assert code_in(f"```{tag}\nx\n```\n```\ncode\n```", language) == "code"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("`SELECT 1;`", "SELECT 1;", id="one line in backticks"),
        pytest.param("SELECT `a` FROM `t`", "SELECT `a` FROM `t`", id="backticks of the code itself"),
        pytest.param("Use `a` or\n`b`", "Use `a` or\n`b`", id="several lines"),
        pytest.param("echo `date`", "echo `date`", id="backticks at the end"),
        pytest.param("", "", id="nothing"),
        pytest.param("```python\n```", "```python\n```", id="blank blocks alone"),
        pytest.param("```\na\n\n  b\n```", "a\n\n  b", id="inner blank lines and indents"),
        pytest.param("```\n    return 1\n```", "    return 1", id="an indent of the code itself"),
        pytest.param("  ```\n  a\n b\n```", "a\nb", id="a line that is indented less than its fence"),
        pytest.param("> ```\n> a\n>\n> b\n> ```", "a\n\nb", id="a blank line of a quotation"),
        pytest.param(">>> add(1, 2)\n3", ">>> add(1, 2)\n3", id="prompts stay"),
    ],
)
def test_what_is_no_plain_block(text: str, code: str) -> None:
    assert code_in(text, "bash") == code
