import base64
import html
import json
import re
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.json_value import JSON
from llm_testbench.redaction import NO_SECRETS, REPLACEMENT, SHORTEST, Redactor, proxy_secrets

SECRET = 'sk-Zürich/"42"+<&>\\x'
SECRETS = st.text(st.characters(codec="utf-8"), min_size=SHORTEST).filter(lambda text: len(text.strip()) >= SHORTEST)


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(SECRET, id="as it is"),
        pytest.param(quote(SECRET, safe=""), id="in a URL"),
        pytest.param(quote(SECRET), id="in a URL's path"),
        pytest.param(quote_plus(SECRET), id="in a form"),
        pytest.param(quote(SECRET, safe="").lower().replace("sk-z", "sk-Z"), id="in a URL with small hex digits"),
        pytest.param(json.dumps(SECRET)[1:-1], id="in ASCII JSON"),
        pytest.param(json.dumps(SECRET, ensure_ascii=False)[1:-1], id="in JSON"),
        pytest.param(SECRET.replace("/", "\\/"), id="with escaped slashes"),
        pytest.param(json.dumps(SECRET)[1:-1].replace("/", "\\/"), id="in JSON with escaped slashes"),
        pytest.param(html.escape(SECRET), id="in an HTML error page"),
        pytest.param(SECRET.lower(), id="in small letters"),
        pytest.param(SECRET.upper(), id="in capital letters"),
        pytest.param(json.dumps(json.dumps(SECRET))[3:-3], id="in JSON that a string of JSON holds"),
        pytest.param(
            json.dumps(json.dumps(SECRET)[1:-1].replace("/", "\\/"))[1:-1], id="in JSON with escaped slashes inside"
        ),
        pytest.param(json.dumps(json.dumps(json.dumps(json.dumps(SECRET))))[15:-15], id="in JSON four times"),
        pytest.param(
            json.dumps(SECRET)[1:-1].replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026"),
            id="in JSON as Go writes it",
        ),
        pytest.param("sk-Zürich%2F%2242%22%2b%3c&>%5Cx", id="in a URL with hex digits of both sizes"),
        pytest.param("".join(f"%{octet:02x}" for octet in SECRET.encode()), id="in a URL that escapes all"),
        pytest.param(quote(quote(SECRET, safe=""), safe=""), id="in a URL that a URL holds"),
        pytest.param(quote(quote(quote(SECRET))), id="in a URL three times"),
        pytest.param("".join(f"\\u{ord(one):04X}" for one in SECRET), id="in JSON that escapes all"),
        pytest.param(json.dumps(json.dumps(SECRET))[3:-3].replace("+", r"\\u002B"), id="in JSON of .NET in JSON"),
        pytest.param(
            "sk-Z&uuml;rich".replace("&uuml;", "&#252;") + "/&#34;42&#34;+&lt;&amp;&gt;\\x", id="in HTML of Go"
        ),
        pytest.param("".join(f"&#x{ord(one):X};" for one in SECRET), id="in HTML that escapes all"),
        pytest.param(html.escape(html.escape(SECRET)), id="in HTML that HTML holds"),
        pytest.param(repr("'" + SECRET)[3:-1], id="as Python shows it"),
    ],
)
def test_a_secret_goes_in_every_spelling(spelled: str) -> None:
    assert Redactor([SECRET]).text(f"before {spelled} after") == f"before {REPLACEMENT} after"


@given(secret=SECRETS, before=st.binary(max_size=7), after=st.binary(max_size=7))
def test_a_secret_inside_base64_cannot_be_decoded_any_more(secret: str, before: bytes, after: bytes) -> None:
    raw = secret.strip().encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        shown = Redactor([secret]).text(encode(before + raw + after).decode())
        assert REPLACEMENT in shown


_INSIDE = [b"x" * before + SECRET.encode() + b"y" * 99 for before in range(40, 43)]


@pytest.mark.parametrize("raw", _INSIDE, ids=["first", "second", "third"])
@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.decode(),
        lambda text: text.decode().replace("\n", "\r\n"),
        lambda text: text.decode().replace("\n", " "),
        lambda text: json.dumps(text.decode()),
        lambda text: quote(text.decode().replace("\n", ""), safe=""),
        lambda text: text.decode().replace("\n", "").replace("+", "\\u002B"),
    ],
    ids=["lines", "lines of a mail", "lines in a message", "lines in JSON", "in a URL", "in JSON of .NET"],
)
def test_a_secret_inside_base64_goes_whole_however_that_is_written(raw: bytes, written: Callable[[bytes], str]) -> None:
    shown = Redactor([SECRET]).text(written(base64.encodebytes(raw)))
    rest = re.sub(r"%2B|\\u002B", "+", shown).replace("%2F", "/").replace("%3D", "=").replace("\\n", "\n")
    head, _, tail = rest.strip('"').partition(REPLACEMENT)

    # What is left is of its neighbours, but for the bits that share a character with them.
    assert "".join(head.split()) in base64.b64encode(raw).decode()[:60]
    assert "".join(tail.split()) in base64.b64encode(raw).decode()[-140:]


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("Bearer sk-0123456789", ["sk-0123456789"]),
        ("bearer  sk-0123456789\n", ["sk-0123456789"]),
        ("Api-Key 0123456789", ["0123456789"]),
        ("Token token-in-header", ["token-in-header"]),
        ("Basic " + base64.b64encode(b"team:correct-horse").decode(), ["correct-horse", "team:correct-horse"]),
        ("Basic " + base64.b64encode(b"team:short").decode(), ["team:short"]),
        ("Basic not!base64", ["not!base64"]),
        ("Basic " + base64.b64encode(b"\xff\xfe\xfd\xfc\xfb\xfa").decode(), ["//79/Pv6"]),
    ],
)
def test_of_a_header_with_a_scheme_what_follows_it_is_secret_too(value: str, parts: list[str]) -> None:
    for part in parts:
        assert Redactor([value]).text(f"a {part} b") == "a *** b"


def test_a_value_of_several_words_is_no_header_with_a_scheme() -> None:
    assert Redactor(["token of-the-team today"]).text("of-the-team today") == "of-the-team today"


@pytest.mark.parametrize(
    ("environ", "secrets"),
    [
        ({"HTTPS_PROXY": "http://me:pass%40word@proxy:3128"}, ("pass%40word", "pass@word", "me:pass@word")),
        ({"http_proxy": "me:password@proxy:3128"}, ("password", "me:password")),
        ({"ALL_PROXY": "socks5://:password@proxy"}, ("password", ":password")),
        ({"HTTP_PROXY": "http://proxy:3128", "all_proxy": "http://me@proxy"}, ()),
        ({"HTTP_PROXY": "http://[", "NO_PROXY": "http://me:password@x", "PROXY": "http://me:password@x"}, ()),
    ],
)
def test_passwords_of_proxies_are_secret(environ: dict[str, str], secrets: tuple[str, ...]) -> None:
    assert proxy_secrets(environ) == secrets


def test_what_basic_sends_to_a_proxy_is_found_though_the_password_is_short() -> None:
    (*_, both) = proxy_secrets({"HTTPS_PROXY": "http://somebody:short@proxy"})
    sent = base64.b64encode(b"somebody:short").decode().rstrip("=")

    assert sent[:-2] not in Redactor([both]).text(f"Basic {sent}")


def test_basic_auth_is_covered() -> None:
    header = "Basic " + base64.b64encode(b"user:correct-horse-battery").decode()

    assert "Y29ycmVj" not in Redactor(["correct-horse-battery"]).text(header)


@given(secret=SECRETS, before=st.text(), after=st.text())
def test_no_text_shows_a_secret(secret: str, before: str, after: str) -> None:
    kept = Redactor([secret]).text(before + secret + after)

    assert secret.strip() not in kept or secret.strip() in REPLACEMENT * 99


def test_a_secret_with_spaces_goes_from_escaped_text() -> None:
    assert Redactor(["correct horse+battery"]).text("%20 correct horse%2bbattery") == "%20 ***"


def test_of_two_secrets_the_longer_one_leaves_no_tail() -> None:
    assert Redactor(["longsecret", "longsecret-and-more"]).text("longsecret-and-more") == REPLACEMENT


def test_a_short_value_is_no_secret() -> None:
    assert Redactor(["ab", "1234567"]).text("ab 1234567") == "ab 1234567"


def test_a_key_with_a_line_break_at_its_end_is_found_without_it() -> None:
    assert Redactor(["sk-12345678\n"]).text("Bearer sk-12345678") == f"Bearer {REPLACEMENT}"


def test_spaces_alone_are_no_secret() -> None:
    assert Redactor([" " * 20]).text("a" + " " * 30) == "a" + " " * 30


def test_an_environment_variable_that_is_no_utf8_is_redacted() -> None:
    assert Redactor(["\udcff" * 9]).text("x" + "\udcff" * 9) == f"x{REPLACEMENT}"


def test_strings_and_keys_inside_json_are_redacted() -> None:
    value: JSON = {"sk-12345678": ["a sk-12345678 b", ("sk-12345678",), 5, None, True, {"deep": "sk-12345678"}]}

    assert Redactor(["sk-12345678"]).json(value) == {
        "***": ["a *** b", ["***"], 5, None, True, {"deep": "***"}],
    }


def test_without_secrets_everything_stays_as_it_is() -> None:
    value = {"a": ["b"]}

    assert NO_SECRETS.json(value) is value
    assert NO_SECRETS.text("a") == "a"
    assert NO_SECRETS.idle
    assert not Redactor(["sk-12345678"]).idle


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("found 'aaa sk-ABCDEFGH…'", "found 'aaa ***…'"),
        ("found 'aaa sk-ABCDEFGHijkl0123…', and 'sk-ABCDE…'", "found 'aaa ***…', and '***…'"),
        ("…hijkl0123456789 and more", "…*** and more"),
        ("…HijklmGH", "…HijklmGH"),
        ("sk-ABCD… is too short to tell", "sk-ABCD… is too short to tell"),
        ("sk-ABCDEFGH… and text", "***… and text"),
    ],
)
def test_what_a_cut_left_of_a_secret_is_replaced(text: str, expected: str) -> None:
    assert Redactor(["sk-ABCDEFGhijkl0123456789", "sk-ABCDEFGHijkl0123456789"]).text(text) == expected


def test_a_text_that_is_known_to_be_cut_shows_no_half_of_a_secret() -> None:
    redactor = Redactor(["sk-ABCDEFGhijkl"])
    assert redactor.cut("aaa sk-ABCDEF") == "aaa ***"
    assert redactor.cut("aaa sk-ABCD") == "aaa sk-ABCD"
    assert redactor.cut("sk-ABCDEFGhijkl and more") == "*** and more"


def test_a_secret_in_hexadecimal_digits_is_replaced() -> None:
    secret = "sk-a-secret-key"
    assert Redactor([secret]).text(f"x{secret.encode().hex()}y {secret.encode().hex().upper()}") == "x***y ***"


@pytest.mark.parametrize("piece", ["\\", "%25", "%", "&amp;", "&", "a", "sk-", "\\u005c", "&#", "\n", "A" * 61 + "\n"])
def test_no_text_takes_long(piece: str) -> None:
    redactor = Redactor([SECRET, "\\" * 20 + "%" * 20 + "&" * 20, "sk-" * 9, '"in-quotes"'])
    text = f"%41 in-quotes {piece * (256 * 1024 // len(piece))}"

    began = time.perf_counter()
    redactor.text(text)

    assert time.perf_counter() - began < 5
