"""What names may look like and how much a suite may hold: suites are hostile data (design 5.3)."""

from __future__ import annotations

import re

KEBAB = r"[a-z0-9]+(?:-[a-z0-9]+)*"
"""Of ids, categories and subcategories."""
LABEL = r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*"
"""Of tags and of the names of cases: no comma, bracket or wildcard, which filters give a meaning."""
VARIABLE = r"[A-Za-z_][A-Za-z0-9_-]*"
"""Of the keys of a case: what may stand in `${…}`."""
TOOL_NAME = r"[a-zA-Z0-9_-]+"
"""OpenAI's rule for function names."""

IS_KEBAB = re.compile(KEBAB)
IS_LABEL = re.compile(LABEL)
IS_VARIABLE = re.compile(VARIABLE)
IS_TOOL_NAME = re.compile(TOOL_NAME)

MAX_NAME = 128  # characters of an id, tag, category, name of a case or tool
MAX_LINE = 1000  # characters of a description or a model's name
MAX_FILE = 1024 * 1024  # bytes of one file that a suite names
MAX_TEXT = 64 * 1024 * 1024  # characters of all files and all expanded cases of one load
MAX_FILES = 1000  # suite files of one load
MAX_TESTS = 10_000  # of one load, after the expansion of cases
MAX_MESSAGES = 200
MAX_TOOLS = 128
MAX_TOOL_CALLS = 128
MAX_EXAMPLES = 100
MAX_TAGS = 50
MAX_MODELS = 200
MAX_FAULTS = 200  # reported of one load
MAX_TOKENS = 10_000_000
MAX_REV = 1_000_000
