"""`python -m llm_testbench` is `llmtest`."""

from __future__ import annotations

import sys

from llm_testbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
