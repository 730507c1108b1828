"""Keeps known secrets out of everything that is written: files, reports, logs, messages.

Promised for secrets of at least 8 characters: as they are, all in small or in capital letters, as base64 (also inside
a longer text, over several lines and escaped like the following) or hexadecimal digits of their UTF-8, and as URLs,
HTML and JSON write them, whatever of it they escape, also where the like is written so once more.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, quote_plus, unquote, urlsplit

from llm_testbench.json_value import JSON
from llm_testbench.possessive import possessive

REPLACEMENT = "***"
_CUT = "…"  # what stands where a message was cut, before anybody looked for secrets in it
SHORTEST = 8  # characters; replacing shorter values would garble ordinary text

_PERCENT = re.compile("%[0-9A-F]{2}")
_AS_GO_DOES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}
_SCHEME = re.compile(r"(bearer|basic|token|key|api-?key)\s+(?=\S+$)", re.IGNORECASE)  # of an Authorization header
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def proxy_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The passwords in the addresses of proxies, alone and with their users, as `Basic` sends them."""
    addresses = (value for name, value in environ.items() if name.lower() in _PROXIES)
    return tuple(dict.fromkeys(part for address in addresses for part in _of_address(address)))


def _of_address(address: str) -> tuple[str, ...]:
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        user, password = parts.username or "", parts.password or ""
    except ValueError:
        return ()
    # Sent as they are decoded, and quoted as they stand.
    return (password, unquote(password), f"{unquote(user)}:{unquote(password)}") if password else ()


class Redactor:
    """Replaces each known secret by `***`. Of `Bearer X` and the like X itself is one, too."""

    __slots__ = ("_escapable", "_foldable", "_needles", "_wholes")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # Keys come with a line break at the end, and are sent without it.
        known = {part for secret in secrets for part in _parts(secret.strip()) if len(part) >= SHORTEST}
        spellings = {spelling for part in known for spelling in _spellings(part)}
        encoded = {one for part in known for one in _base64(part)}
        self._escapable = sorted(known | {one for one in encoded if "+" in one or "/" in one}, key=_longest_first)
        self._foldable = sorted(encoded, key=_longest_first)
        # Longest first: a secret that contains another one must not leave its tail behind.
        self._wholes = tuple(_Whole.of(spelling) for spelling in sorted(spellings, key=_longest_first))
        self._needles = tuple(sorted({quoted for one in spellings for quoted in _quoted(one)}, key=_longest_first))

    @property
    def idle(self) -> bool:
        """There is no secret to look for."""
        return not self._needles

    def text(self, text: str) -> str:
        """The text with every known secret replaced, also where a cut left only its beginning or its end."""
        for whole in self._wholes:
            if whole.certain in text:
                text = whole.out_of(text)
        for sign, spellings, between in ((_ESCAPE, self._escapable, ""), (_FOLD, self._foldable, _BREAK)):
            if sign.search(text):
                for spelling in spellings:
                    text = _escaped(spelling, between).sub(REPLACEMENT, text)
        if _CUT in text:
            text = _CUT.join(self._piece(piece) for piece in text.split(_CUT))
        return text

    def cut(self, text: str) -> str:
        """The same for a text that was cut at its end."""
        return self.text(text + _CUT)[: -len(_CUT)]

    def _piece(self, piece: str) -> str:
        """What stands between two cuts: at its end the beginning of a secret may be left, at its start the end."""
        if len(piece) < SHORTEST:
            return piece
        longest = len(self._needles[0]) if self._needles else 0
        start, end = piece[:longest], piece[-longest:]
        for needle in self._needles:
            if needle[:SHORTEST] in end:
                kept = next((n for n in range(len(needle) - 1, SHORTEST - 1, -1) if piece.endswith(needle[:n])), 0)
                piece = piece[: len(piece) - kept] + REPLACEMENT if kept else piece
            if needle[-SHORTEST:] in start:
                kept = next((n for n in range(len(needle) - 1, SHORTEST - 1, -1) if piece.startswith(needle[-n:])), 0)
                piece = REPLACEMENT + piece[kept:] if kept else piece
        return piece

    def json(self, value: JSON) -> JSON:
        """A copy with every string redacted, keys too."""
        if not self._needles:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.json(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.json(item) for item in value]
        return value


def _parts(secret: str) -> set[str]:
    """What is secret of a value: of a header with a scheme also what follows it, and what `Basic` encodes."""
    match = _SCHEME.match(secret)
    if match is None:
        return {secret}
    parts = {secret, secret[match.end() :]}
    if match.group(1).lower() == "basic":
        with suppress(binascii.Error, UnicodeDecodeError):
            both = base64.b64decode(secret[match.end() :], validate=True).decode()
            parts |= {both, both.partition(":")[2]}
    return parts


def _spellings(secret: str) -> set[str]:
    # An environment variable that is no UTF-8 comes as half surrogates.
    raw = secret.encode("utf-8", "surrogatepass")
    spellings = {secret, secret.lower(), secret.upper(), html.escape(secret), raw.hex(), raw.hex().upper()}
    spellings |= {
        json.dumps(spelling, ensure_ascii=escaped)[1:-1] for spelling in spellings for escaped in (True, False)
    }
    spellings |= {spelling.translate(_AS_GO_DOES) for spelling in spellings}
    for in_url in (quote(raw, safe=""), quote_plus(raw), quote(raw)):
        spellings |= {in_url, _PERCENT.sub(lambda match: match.group().lower(), in_url)}
    return spellings | _base64(secret)


def _base64(secret: str) -> set[str]:
    """What is the same of it in every longer text, wherever in it the secret starts: there are three bit offsets."""
    raw = secret.encode("utf-8", "surrogatepass")
    spellings: set[str] = set()
    for offset in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(b"\0" * offset + raw).decode().rstrip("=")
            start = (8 * offset + 5) // 6
            end = (8 * (offset + len(raw))) // 6
            if end - start >= SHORTEST:
                spellings.add(encoded[start:end])
    return spellings


def _quoted(spelling: str) -> set[str]:
    """As it is, and as JSON writes it once; PHP and some others escape the slash, which base64 keys hold."""
    quoted = {spelling, json.dumps(spelling, ensure_ascii=False)[1:-1]}
    return quoted | {one.replace("/", "\\/") for one in quoted}


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text


_RUN = r"(?<!\\)"  # a run of backslashes is looked at from its start alone, not from each of them
_ESCAPED = re.compile(r"""\\+["'/]?|["'/]""")  # by JSON, PHP and Python's repr()


@dataclass(frozen=True, slots=True)
class _Whole:
    """A spelling, however often JSON has quoted it. `certain`: what then stands in a text in any case."""

    certain: str
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, spelling: str) -> _Whole:
        parts = _ESCAPED.split(spelling)
        if len(parts) == 1:
            return cls(spelling, None)
        # Possessive: a hostile text of backslashes takes no longer than any other.
        between = [
            "\\\\++" if end == "\\" else "\\\\*+" + end for end in (found[-1] for found in _ESCAPED.findall(spelling))
        ]
        pattern = "".join(re.escape(part) + gap for part, gap in zip(parts, [*between, ""], strict=True))
        if not parts[0]:
            pattern = _RUN + pattern
        return cls(max(parts, key=len), re.compile(pattern))

    def out_of(self, text: str) -> str:
        """The text without it."""
        return text.replace(self.certain, REPLACEMENT) if self.pattern is None else self.pattern.sub(REPLACEMENT, text)


# An escape of URLs, JSON or HTML; the end of a line that may be base64 and go on in the next one. Every form begins
# with a character of its own, so that re skips all others.
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#?[0-9A-Za-z]{1,8};")
_LINE = r"[\w+/-]{60}"
_FOLD = re.compile(rf" (?<={_LINE} )|\n(?<={_LINE}\n)|\r(?<={_LINE}\r)|\\[rn](?<={_LINE}\\[rn])")
_BACKSLASHES = r"\\(?<!\\\\)\\*+"  # as _RUN says, but behind the first one, for the same reason
_BREAK = possessive(r"\\++[rn]|[ \r\n]")  # a space is what a line end becomes in a message
_PERCENT_SIGN = "%" + possessive("25")  # of an escape, itself escaped any number of times
_AMPERSAND = "&" + possessive("amp;")
_NAMED = {'"': "quot;", "&": "", "'": "apos;", "<": "lt;", ">": "gt;"}  # behind `&`, which may be `&amp;`


@cache
def _escaped(secret: str, between: str) -> re.Pattern[str]:
    """The secret with any of its characters escaped: no two libraries agree which ones that are, and in which case.

    `between`: the pattern of what may stand between two of them.
    """
    # How many backslashes stand in a row says nothing.
    first, *others = list(re.sub(r"\\+", r"\\", secret))
    # Atomic and possessive: no text makes it try twice. Not so the first: re skips to where one of its forms begins.
    rest = between.join(f"(?>{'|'.join(_written(character))})" for character in others)
    return re.compile(f"(?:{'|'.join(_written(first))}){between}{rest}")


def _written(character: str) -> Iterator[str]:
    """The patterns of one character in URLs, which are escaped again in others, in JSON and HTML, and as it is."""
    if character == "%":
        yield _PERCENT_SIGN
    else:
        yield "".join(f"{_PERCENT_SIGN}(?i:{octet:02x})" for octet in character.encode("utf-8", "surrogatepass"))
    units = character.encode("utf-16-be", "surrogatepass").hex(" ", 2).split()
    yield "".join(rf"{_BACKSLASHES}u(?i:{unit})" for unit in units)
    yield f"{_AMPERSAND}#(?:0*+{ord(character)}|[xX]0*+(?i:{ord(character):x}));"
    if character in _NAMED:
        yield f"{_AMPERSAND}{_NAMED[character]}"
    if character == " ":
        yield r"\+"
    if character == "\\":
        yield _BACKSLASHES
    else:
        if not character.isalnum():
            yield _BACKSLASHES + re.escape(character)
        yield from map(re.escape, sorted({character, character.lower(), character.upper()}))


NO_SECRETS = Redactor()
