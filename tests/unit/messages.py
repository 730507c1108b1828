"""What the product says, read out of its source: its texts, `…` for what differs, and the codes of findings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/llm_testbench"
GAP = "…"
_CUT = "\0"
FEWEST_LETTERS = 6
"""A text with fewer of its own, or with one word alone, says too little to recognise a message by."""


@cache
def texts() -> tuple[str, ...]:
    """All texts of the product, the longest first, and of the example that refuses what a fork's commit holds."""
    found = {text for path in sorted(SOURCE.rglob("*.py")) for text in _texts(ast.parse(path.read_text("utf-8")))}
    approved = (ROOT / "examples/workflows/fork-approved.yml").read_text("utf-8")
    found |= {re.sub(r"\$\w+", GAP, said) for said in re.findall(r'refuse "(.*?)"', approved)}
    return tuple(sorted({_plain(text) for text in found}, key=lambda text: (-len(text), text)))


@cache
def quoted() -> Mapping[str, re.Pattern[str]]:
    """Each message that docs/troubleshooting.md quotes, with a pattern of what it stands for."""
    page = (ROOT / "docs/troubleshooting.md").read_text("utf-8").partition("\n## The first line\n")[2]
    cells = (cell for cell in re.findall(r"^\| (.*?) \|", page, re.MULTILINE) if cell != "it says")
    messages = [message for cell in cells for message in re.findall(r"`([^`]+)`", cell) if not message.isidentifier()]
    assert len(messages) == len(set(messages)), "a message is quoted twice"
    return {
        message: re.compile(".*".join(re.escape(part) for part in message.strip(GAP).split(GAP)))
        for message in messages
    }


def unsaid(message: str) -> list[str]:
    """What of a quoted message the product does not say; empty where it says all of it."""
    plain = _plain(message)
    known = [part for part in plain.split(GAP) if _said(part)]
    rest = plain
    for text in _recognised():
        rest = _without(text, rest)
    parts = re.split(f"([{GAP}{_CUT}])", rest)
    around = zip(["", *parts], parts, [*parts[1:], ""], strict=False)
    return [
        part for before, part, after in around if not (_said(part, before, after) or any(part in one for one in known))
    ]


def _said(part: str, before: str = "", after: str = "") -> bool:
    """Whether a text has this part. Beside a text that was cut out it is more than a word, and ends or begins there."""
    if not _letters(part):
        return True
    if _CUT in (before, after) and _letters(part) < FEWEST_LETTERS:
        return False
    start = r"^\W*" if before == _CUT else ""
    end = r"\W*$" if after == _CUT else ""
    words = _whole_words(re.escape(part.strip(" :;,()")))
    return re.search(f"{start}{words}{end}", _runs(), re.MULTILINE) is not None


@cache
def _runs() -> str:
    return "\n".join(run.replace("\n", " ") for text in texts() for run in text.split(GAP))


@cache
def _recognised() -> tuple[tuple[str, ...], ...]:
    """The texts that are long enough, as their parts between the gaps."""
    own = (text.strip(GAP) for text in texts())
    return tuple(tuple(text.split(GAP)) for text in own if " " in text.strip() and _letters(text) >= FEWEST_LETTERS)


def _letters(text: str) -> int:
    return sum(letter.isalpha() for letter in text)


def _without(parts: tuple[str, ...], message: str) -> str:
    """The message without a text that stands in it whole, with something in its gaps."""
    if not all(part in message for part in parts):
        return message
    return re.sub(_whole_words(".+?".join(map(re.escape, parts))), _CUT, message)


def _whole_words(pattern: str) -> str:
    return rf"(?<!\w)(?:{pattern})(?!\w)" if pattern[-1].isalpha() and pattern[0].isalpha() else pattern


def _plain(text: str) -> str:
    """Without marks, and with any status of HTTP."""
    return re.sub(f"{GAP}+", GAP, re.sub(r"HTTP \d+", f"HTTP {GAP}", text.replace("`", "")))


def _texts(tree: ast.AST) -> Iterator[str]:
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if id(node) not in docstrings:
            text = _text(node)
            if text is not None and any(letter.isalpha() for letter in text):
                yield text


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_text(value) or GAP for value in values)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first, second = _text(left), _text(right)
            return None if first is None and second is None else f"{first or GAP}{second or GAP}"
        case ast.Tuple(elts=parts) if any(_text(part) for part in parts):
            return "".join(_text(part) or GAP for part in parts)  # a sentence with foreign words in it
    return None


@cache
def codes() -> frozenset[str]:
    """The codes of all findings: the first argument of each, through names, parameters and tables of this source."""
    sources = [path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))]
    constants = {name: value for source in sources for name, value in _constants(ast.parse(source))}
    found: set[str] = set()
    for source in sources:
        if re.search(r"compare\.model import (\([^)]*|.*)\bFinding\b", source):
            tree = ast.parse(source)
            for call, function in _within(tree, "Finding"):
                found |= set(_codes(call.args[0], function, tree, constants))
    return frozenset(found)


def _codes(
    node: ast.expr, function: ast.FunctionDef | None, tree: ast.Module, constants: dict[str, str]
) -> Iterator[str]:
    """What an argument of a call in `function` may be."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
        return
    assert isinstance(node, ast.Name), f"line {node.lineno}: a code that is neither text nor name"
    if function is None:
        yield constants[node.id]
        return
    places = [at for at, argument in enumerate(function.args.args) if argument.arg == node.id]
    tables = [table for name, table in _loops(function) if name == node.id]
    for call, caller in _within(tree, function.name) if places else ():
        yield from _codes(call.args[places[0]], caller, tree, constants)
    for table in tables:
        yield from _firsts(table, tree)
    if not places and not tables:
        yield constants[node.id]


def _loops(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """`for first, … in TABLE`: the name of the first, and the table."""
    for loop in ast.walk(function):
        match loop:
            case ast.For(target=ast.Tuple(elts=[ast.Name(id=first), *_]), iter=ast.Name(id=table)):
                yield first, table


def _firsts(table: str, tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == table:
            assert isinstance(node.value, ast.Tuple)
            for row in node.value.elts:
                assert isinstance(row, ast.Tuple)
                assert isinstance(row.elts[0], ast.Constant)
                yield str(row.elts[0].value)


def _within(tree: ast.Module, name: str) -> Iterator[tuple[ast.Call, ast.FunctionDef | None]]:
    """The calls of it, each with the function in which it stands."""
    for part in tree.body:
        for node in ast.walk(part):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield node, part if isinstance(part, ast.FunctionDef) else None


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """`NAME = "text"`, and `A, B = TABLE = ("a", "b")`."""
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if (
                isinstance(target, ast.Name)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield target.id, node.value.value
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=True):
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield name.id, value.value
