from __future__ import annotations

import pytest

from llm_testbench.evaluators.harness import PLACE, filled


@pytest.mark.parametrize("language", ["python", "c", "typescript", "javascript", "bash"])
def test_the_code_goes_where_the_harness_says(language: str) -> None:
    assert filled(f"a\n{PLACE}\nb\n", "code {{code}}", language) == "a\ncode {{code}}\nb\n"


@pytest.mark.parametrize(
    ("code", "program"),
    [
        pytest.param("x = 1", "import os\nx = 1\n", id="none"),
        pytest.param(
            "from __future__ import annotations\n\nx = 1",
            "from __future__ import annotations\nimport os\n\nx = 1\n",
            id="first in the answer",
        ),
        pytest.param(
            '"""Doc."""\nfrom __future__ import annotations\nx = 1',
            'from __future__ import annotations\nimport os\n"""Doc."""\nx = 1\n',
            id="behind a docstring",
        ),
        pytest.param(
            "from __future__ import a\nfrom __future__ import a\nfrom __future__ import b",
            "from __future__ import a\nfrom __future__ import b\nimport os\n\n",
            id="twice",
        ),
        pytest.param(
            "from __future__ import (  # both\n    a,\n    b,\n)  # old\nx = 1",
            "from __future__ import (  # both\n    a,\n    b,\n)  # old\nimport os\nx = 1\n",
            id="in brackets",
        ),
        pytest.param(
            "from __future__ import a  # (old)\nx = 1",
            "from __future__ import a  # (old)\nimport os\nx = 1\n",
            id="with a comment",
        ),
        pytest.param("    from __future__ import a", "import os\n    from __future__ import a\n", id="not a statement"),
    ],
)
def test_future_imports_of_python_come_first(code: str, program: str) -> None:
    assert filled(f"import os\n{PLACE}\n", code, "python") == program
