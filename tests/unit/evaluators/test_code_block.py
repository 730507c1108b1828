from __future__ import annotations

import time

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
        pytest.param(
            f"- First\n  {told('bash', 'pip install x')}\n- Then:\n\n      ```python\n      def add(a, b):\n"
            "          return a + b\n      ```",
            id="deeper in a list",
        ),
        pytest.param(told("{python}"), id="R Markdown"),
        pytest.param(told("{python echo=TRUE}"), id="R Markdown with options"),
        pytest.param(told("Python 3"), id="a version behind it"),
        pytest.param(told("python3.12"), id="a version in it"),
        pytest.param(f"{told('diff', '-a + b')}\n{told('python')}", id="behind a diff"),
        pytest.param(f"{told('', '3')}\n{told('python')}\n{told('', '3')}", id="between outputs"),
        pytest.param(f"{told('json', '{}')}\n{told('')}\n{told('text', '3')}", id="untagged between others"),
        pytest.param(f"{told('python')}\n{told('python', 'if x: add(1, 2)')}", id="before a usage example"),
        pytest.param(f"Here it is: {told('python')}", id="the fence behind words"),
        pytest.param(f"Here it is: {told('python')}\nIt adds.", id="the fence behind words, and words behind it"),
        pytest.param(f"Here it is: ```python\n{ADD}", id="the fence behind words, cut"),
        pytest.param(f"Here: {told('')}\n{told('bash', 'x')}", id="the fence behind words, before another"),
        pytest.param(f"<pre><code class='language-python'>{ADD}</code></pre>", id="HTML"),
        pytest.param(f"Here it is:\n\n<pre>\n{ADD}\n</pre>\n\nIt adds.", id="HTML, pre alone"),
        pytest.param(f"<code>{ADD}</code>", id="HTML, code alone"),
        pytest.param(f"<answer>\n{told('python')}\n</answer>", id="a tag around the block"),
        pytest.param(f"**Solution**\n***\n{told('python')}\n---", id="rules around it"),
        pytest.param(f"<thinking>\n{told('python', 'no')}\n</thinking>\n\n{told('')}", id="behind the thinking"),
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
        *[("sql", "sqlite"), ("sql", "SQL"), ("sql", "postgresql"), ("sql", "mysql"), ("sql", "tsql")],
        *[("python", "{python}"), ("bash", "{bash}"), ("python", "{.python}"), ("python", "language-python")],
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
        pytest.param("```SELECT 1;```", "SELECT 1;", id="one line in a fence"),
        pytest.param("```bash ls -l```", "ls -l", id="one line in a fence, with its tag"),
        pytest.param("```ls -l```", "ls -l", id="one line in a fence, without a tag"),
        pytest.param("`bash x.sh`", "bash x.sh", id="a command that is called like the language"),
        pytest.param("You can run `ls -l`.", "You can run `ls -l`.", id="a command between words"),
        pytest.param("Here: ```ls -l``` lists.", "Here: ```ls -l``` lists.", id="a fence between words"),
        pytest.param("<pre>a &lt;b &amp;&amp; c</pre>", "a <b && c", id="HTML is read as such"),
        pytest.param("```\na &lt; b\n```", "a &lt; b", id="a block is no HTML"),
        pytest.param("echo '<pre>' x '</pre>'", "echo '<pre>' x '</pre>'", id="code that prints HTML"),
        pytest.param("echo a <pre>b</pre>", "echo a <pre>b</pre>", id="HTML within a line"),
        pytest.param("<pre>\nls", "<pre>\nls", id="HTML that is not closed"),
        pytest.param("<code>ls</code> lists.", "<code>ls</code> lists.", id="HTML between words"),
        pytest.param("```diff\n-a\n+b\n```", "-a\n+b", id="a diff alone is run as it is"),
        pytest.param("```console\n$ ls\nx\n```", "$ ls\nx", id="a session is run as it is"),
        pytest.param("```\necho '\n ```'\n```", "echo '\n ```'", id="backticks in the code are no fence"),
        pytest.param("```\necho 'a: ```\n'\n```", "echo 'a: ```\n'", id="nor at the end of a line of it"),
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


@pytest.mark.parametrize(
    "piece",
    [
        "<pre>\n",
        "<pre>",
        "<pre ",
        "<code>",
        "</code>",
        "a: ```py\n",
        " ```",
        "a:```" + " " * 5000,
        "```\n",
        " " * 5000 + "\n",
    ],
)
def test_a_megabyte_of_hostile_text_takes_a_moment(piece: str) -> None:
    begun = time.process_time()
    code_in("x" + piece * (1024 * 1024 // len(piece)), "python")
    assert time.process_time() - begun < 5
