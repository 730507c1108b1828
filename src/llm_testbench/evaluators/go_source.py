"""A Go answer in a harness: one package clause, and every import once, in front of all else.

The order is the language's (go.dev/ref/spec#Source_file_organization), and so is it that an import which nothing uses
is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from llm_testbench.possessive import possessive

_QUOTED = r'"[^"\n]*"|`[^`\n]*`'
_BLANK = re.compile(possessive(r"\s+|;|//[^\n]*|/\*.*?(?:\*/|\Z)"), re.DOTALL)
_PACKAGE = re.compile(r"package[ \t]+\w+")
_LISTED = possessive(rf"{_QUOTED}|//[^\n]*|[^)]")
_IMPORT = re.compile(rf"import\s*(?:\(({_LISTED})\)|((?:[\w.]+[ \t]+)?(?:{_QUOTED})))")
_ONE = re.compile(rf"(?://[^\n]*|(?:([\w.]+)[ \t]+)?({_QUOTED}))")
_VERSION = re.compile(r"/v[0-9]+$")
_MAIN = re.compile(r"^func[ \t]+main[ \t]*\([ \t]*\)", re.MULTILINE)
_IN_TEXT = possessive(r'\\.|[^"\\\n]')
_IN_RUNE = possessive(r"\\.|[^'\\\n]")
_TEXT_OR_COMMENT = re.compile(rf"""//[^\n]*|/\*.*?(?:\*/|\Z)|"{_IN_TEXT}"?|`[^`]*(?:`|\Z)|'{_IN_RUNE}'?""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Import:
    """`name`: written before the path, or nothing. `path`: with its quotes."""

    name: str
    path: str

    def is_used_in(self, source: str) -> bool:
        """Whether `source`, without texts and comments, names it. What is imported for its effect always is."""
        name = self.name or _VERSION.sub("", self.path.strip('"`')).rpartition("/")[2]
        return name in ("_", ".") or re.search(rf"\b{re.escape(name)}\s*\.", source) is not None


def joined(harness: str, place: str, code: str) -> str:
    """The harness with the code at `place`.

    The code loses its package clause, and its own `main` is never called if the harness has one. The imports of both
    are put together; one of the harness alone that nothing uses is left out, so that a harness may offer packages.
    """
    offered, around = _taken_apart(harness)
    needed, inner = _taken_apart(code)
    if _MAIN.search(around):
        inner = _MAIN.sub("func _()", inner)
    body = around.replace(place, inner)
    bare = _TEXT_OR_COMMENT.sub(" ", body)
    imports = dict.fromkeys((*needed, *(one for one in offered if one.is_used_in(bare))))
    lines = "".join(f"\t{one.name} {one.path}\n" if one.name else f"\t{one.path}\n" for one in imports)
    return f"package main\n\nimport (\n{lines})\n\n{body}"


def _taken_apart(source: str) -> tuple[tuple[_Import, ...], str]:
    """The imports, and what follows them."""
    end = _past(_PACKAGE, source, 0)
    found: list[_Import] = []
    while (match := _IMPORT.match(source, _start(source, end))) is not None:
        found.extend(_Import(name, path) for name, path in _ONE.findall(match[1] or match[2] or "") if path)
        end = match.end()
    return tuple(found), source[end:]


def _past(pattern: re.Pattern[str], source: str, begin: int) -> int:
    match = pattern.match(source, _start(source, begin))
    return match.end() if match is not None else begin


def _start(source: str, begin: int) -> int:
    match = _BLANK.match(source, begin)
    return match.end() if match is not None else begin
