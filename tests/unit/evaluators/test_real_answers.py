"""Answers as models write them: right ones that must pass, and wrong ones that look right."""

from __future__ import annotations

import pytest
from tests.unit.evaluators.judging import judge

from llm_testbench.json_value import JSON, JSONObject

Table = tuple[JSONObject, tuple[str, ...], tuple[str, ...]]


def numeric(expected: JSON, **options: JSON) -> JSONObject:
    return {"numeric": {"expected": expected, **options}}


NUMBERS: tuple[Table, ...] = (
    (
        numeric(42),
        (
            "The answer is $\\boxed{42}$.",
            "$$\\boxed{42\\text{ ms}}$$",
            "\\[ x = \\boxed{42\\,\\text{m}^2} \\]",
            "\\(\\approx 42\\)",
            "\\textbf{42}",
            "$42~\\mathrm{ms}$",
            "**Answer: 42 ms**",
            "Answer: 42 requests/s",
            "| item | count |\n|---|---|\n| **total** | **42** |",
            "```\n42\n```",
            "```python\nprint(42)\n```",
            "It takes 42 seconds, assuming no retries.",
            "6 × 7 gives **42**.\n\nLet me know if you want more examples!",
            "The answer is forty-two (42).",
            "<answer>42</answer>",
            "Final answer: 42 ✅",
            "4 workers at 10 each, plus 2, so 42.",
            "42W",
            "42 m/s²",
            "42KiB/s",
            "US$42",
            "42 €",
            "«42»",
            "„42“",
            "「42」です",
            "４２",
            "答えは４２です。",
            "الإجابة هي ٤٢.",
            "۴۲",
            "उत्तर ४२ है",
        ),
        (
            "I'm sorry, but I can't help with that.",
            "The answer is 42 (see step 3).",
            "It is 42, i.e. 6 × 7.",
            "So 42.\n\nLet me know if you want 3 more examples!",
            "42,000",
            "4.2",
            "-42",
            "42%1",
            "42 ± 1",
            "v42",
            "42nd",
            "x86-42",
            "42e1",
            "42²",
            "x = 42, y = 7",
            "٤٢٠",
        ),
    ),
    (
        numeric(1234567),
        (
            "1,234,567",
            "1 234 567",
            "1\u202f234\u202f567",
            "1.234.567",
            "1'234'567",
            "1’234’567",
            "12,34,567",
            "1_234_567",
            "\\(1{,}234{,}567\\)",
            "$1\\,234\\,567$",
            "1\\ 234\\ 567",
            "１，２３４，５６７",
            "١٬٢٣٤٬٥٦٧",
            "Es sind 1.234.567 Zeilen.",
        ),
        (
            "1,234,56",
            "1.234.56",
            "1,234.567",
            "1.234,567",
            "1234.567",
            "12,345,67",
            "v1.234.567",
            "1, 234, 567",
            "1，234，567",
            "1,234,567 rows in 3 tables",
            "1.234.567.8",
        ),
    ),
    (
        numeric(1234.5),
        ("1,234.5", "1.234,5", "1.234,50 €", "１，２３４．５", "١٬٢٣٤٫٥", "$1{,}234.5$", "1'234.5"),
        ("1.2345", "12,34.5", "[1.234,5]", "1.234,5,6", "1,234,5", "1.234.5", "1,234"),
    ),
    (
        numeric("1/4"),
        (
            "$\\frac{1}{4}$",
            "$\\frac14$",
            "\\(\\boxed{\\dfrac{1}{4}}\\)",
            "¼",
            "So the chance is 2/8.",
            "0.25",
            "**1/4**",
            "4/16 = 1/4",
            "١/٤",
        ),
        ("4/1", "1 to 4", "1:4", "1 1/4", "1¼", "¾", "\\frac{4}{1}", "\\frac41", "1/4/2024", "1/40", "11/4"),
    ),
    (
        numeric(0.12, unit="percent"),
        (
            "12%",
            "12\\,\\%",
            "$12\\%$",
            "12 ％",
            "１２％",
            "١٢٪",
            "12 percent",
            "12 per cent",
            "0.12",
            "roughly **12 %**.",
        ),
        ("0.12%", "1.2%", "120%", "12.5%", "-12%", "88% (the rest)", "12% to 13%"),
    ),
    (
        numeric(42, pick="first"),
        ("42 items, of which 3 are new", "1. 42\n2. 7", "**42** — see RFC 2119 for more", "٤٢ من ١٠٠"),
        ("Step 1: 42", "Of 100, 42 remain", "6 × 7 = 42", "0. 6\n1. 42", "At 12.5 % it is 42", "4 2"),
    ),
    (
        numeric(42, pick="only"),
        ("There are exactly 42.", "**42** (by RFC2119)", "1. 42", "On 2024-05-01 at 12:30 it was 42.", "42\n\nDone!"),
        ("6 × 7 = 42", "42. Want 3 more?", "42 or 43", "42\n42", "- 41\n- 42", "٤١ أو ٤٢", "None."),
    ),
    (
        numeric("12:30"),
        (
            "The meeting starts at 12:30.",
            "12:30 PM",
            "**12:30:00** UTC",
            "from 10:00 to 12:30",
            "12：30",
            "2024-05-01T12:30:00Z",
        ),
        ("12:30 a.m.", "12:30–13:00", "1:230", "12.30", "12:3", "30:12", "00:30", "112:30"),
    ),
    (
        numeric("2024-05-01"),
        ("2024-05-01", "`2024/5/1`.", "From 2024-01-01 to 2024-05-01", "2024-05-01T12:30:00Z", "٢٠٢٤-٠٥-٠١"),
        ("2024-01-05", "01-05-2024", "05/01/2024", "2024-05-011", "2024-05-01 to 2024-05-31", "2024-05", "2024/05-01"),
    ),
)

TOKENS: tuple[Table, ...] = (
    (
        {"exact_token": "Burstable"},
        (
            "Burstable。",
            "「Burstable」",
            "『Burstable』",
            "„Burstable”",
            "‹Burstable›",
            "»Burstable«",
            "« Burstable »",
            "$$\\boxed{\\text{Burstable}}$$",
            "\\(\\boxed{\\textsf{Burstable}}\\)",
            "\\fbox{Burstable}",
            "### Burstable",
            "## Final Answer\n\n**Burstable**",
            "**Final Answer**\n\nBurstable",
            "**Final answer:** `Burstable`.",
            "The answer is: Burstable",
            "The correct answer is: **Burstable**",
            "Answer：Burstable",
            "My answer: Burstable",
            "<answer>Burstable</answer>",
            "<b>Burstable</b>",
            "Answer:\n```text\nBurstable\n```",
        ),
        (
            "burstable",
            "Burstable, assuming that limits are set",
            "Burstable (QoS)",
            "Burstable or Guaranteed",
            "not Burstable",
            "**Not** Burstable",
            "Burstables",
            "BestEffort",
            "Burstable\n\nLet me know if you want more!",
            "The answer is Burstable, not Guaranteed.",
            "The answer",
            "~~Burstable~~",
            "<answer>Burstable</b>",
            "<answer>Guaranteed</answer>",
            "「Burstable」「Guaranteed」",
            "# Burstable # Guaranteed",
            "I cannot answer that.",
        ),
    ),
    (
        {"exact_token": "read-only"},
        ("`read-only`", "read\u2011only", "**read\u2010only**", "“read-only”."),
        ("read only", "readonly", "read-write", "read–only", "Read-only", "-read-only", "read-only-"),
    ),
    (
        {"equals": {"expected": "don't know", "collapse_space": True}},
        ("Don't  know", "don’t know", "don't\u00a0know", "DON’T\nKNOW"),
        ("don't know.", "`don't know`", "I don't know", "dont know", "do not know", "don't knows"),
    ),
    (
        {"one_of": ["café", "coffee house"]},
        ("café", "cafe\u0301", "CAFÉ", "coffee\u202fhouse"),
        ("cafe", "café.", "a café", "coffee-house", "coffeehouse", "café or coffee house"),
    ),
)

CONTAINED: tuple[Table, ...] = (
    (
        {"contains_all": ["SYN-ACK", "max_age", "don't", "naïve"]},
        (
            "SYN-ACK, max_age, don't, naïve",
            "**syn\u2011ack**; `max_age`; DON’T; nai\u0308ve",
            "- SYN\u2010ACK\n- max\\_age\n- don't\n- Naïve",
            "| SYN-ACK | max_age |\n|---|---|\n| don’t | naïve |",
        ),
        (
            "SYN ACK, max_age, don't, naïve",
            "SYN-ACK, maxage, don't, naïve",
            "SYN-ACK, max-age, don't, naïve",
            "SYN-ACK, max_age, dont, naïve",
            "SYN-ACK, max_age, don't, naive",
            "SYN-, ACK, max_age, don't, naïve",
        ),
    ),
    (
        {"contains_any": ["no side effects", "idempotent"]},
        ("It is *idempotent*.", "There are no\u00a0side\u202feffects.", "IDEMPOTENT", "non-idempotent, strictly"),
        ("idem potent", "no side-effects", "no\nside\neffects", "side effects: none", "It is safe.", "I cannot say."),
    ),
    (
        {"not_contains": ["as an AI", "can't help"]},
        ("Tabs.", "As any AI would say: tabs.", "I can help.", "as a model"),
        (
            "As an AI, I prefer tabs.",
            "as an AI",
            "AS AN AI",
            "I can't help",
            "I can’t help with that.",
            "As\u00a0an\u00a0AI",
        ),
    ),
    (
        {"regex": {"pattern": r"^(?:\*\*)?Answer:?(?:\*\*)?:?\s*(\w+)", "flags": "im", "group": 1, "expected": "yes"}},
        ("Answer: yes", "Reasoning…\n\n**Answer:** Yes", "**Answer**: yes, assuming UTC", "answer: YES\n\nWant more?"),
        ("Answer: no", "The answer: yes", "yes", "Answer: **yes**", "Answer: yesterday", "Answers: yes"),
    ),
)

MENTIONS: tuple[Table, ...] = (
    (
        {"no_unnegated_mention": "MD5"},
        (
            "Use bcrypt.",
            "Use SHA-256 (not MD5).",
            "Do NOT use MD5",
            "Never, under any circumstances, use MD5.",
            "❌ MD5",
            "✅ bcrypt  ❌ MD5",
            "| MD5 | ❌ |\n| bcrypt | ✅ |",
            "~~MD5~~ bcrypt",
            "Replace MD5 with bcrypt.",
            "Switch from MD5 to SHA-256",
            "Migrate away from MD5.",
            "MD5 must be replaced.",
            "Unlike MD5, bcrypt is slow.",
            "It's a mistake to use MD5.",
            "Get rid of MD5.",
            "MD5 won’t do.",
            "Under no circumstances use MD5",
            "Rather than going with MD5, use bcrypt.",
        ),
        (
            "Use MD5.",
            "✅ MD5",
            "❌ bcrypt ✅ MD5",
            "✅ MD5\n❌ bcrypt",
            "~~bcrypt~~ MD5",
            "Replace bcrypt with MD5.",
            "Switch from bcrypt to MD5",
            "No, use MD5.",
            "Why not use MD5?",
            "MD5 never fails.",
            "You can't go wrong with MD5",
            "There's nothing wrong with MD5",
            "Never use plain text, use MD5",
            "If you can't use bcrypt, use MD5",
            "bcrypt is too weak, try MD5",
            "It is never wrong to use MD5",
            "Don't hesitate: MD5",
        ),
    ),
)

FIELD: JSONObject = {"json_field": {"path": "a", "expected": 5}}
JSON_TABLES: tuple[Table, ...] = (
    (
        FIELD,
        (
            '{"a": 5}',
            'Sure! Here it is:\n\n```json\n{"a": 5}\n```\n\nLet me know if you want `[1, 2]` instead.',
            '```\n{"a": 5}\n```\nIf there is nothing, it would be `{}`.',
            '> ```json\n> {"a": 5}\n> ```',
            '- as asked:\n  ```json\n  {"a": 5}\n  ```',
            '```json\n{"a": 5}```',
            '```{.json}\n{"a": 5}\n```\nsee [2]',
            '```json:out.json\n{"a": 5}\n```\nsee [2]',
            '```jsonc\n{"a": 5}\n```',
            '~~~JSON\n{"a": 5}\n~~~',
            '`{"a": 5}`',
            '<json>{"a": 5}</json>',
            '{"a": "5.0"}, assuming UTC.',
            '{"a": 6}\nCorrection: {"a": 5}',
            '```python\nprint([1])\n```\n```json\n{"a": 5}\n```\n```bash\necho "[2]"\n```',
        ),
        (
            '{"a": 6}',
            "{'a': 5}",
            "{“a”: 5}",
            "{a: 5}",
            '{"a": 5,}',
            '{"a": 5 // five\n}',
            '{"A": 5}',
            '[{"a": 5}]',
            '{"b": {"a": 5}}',
            '{"a": [5]}',
            '{"a": "5%"}',
            '{"a": 5}\nCorrection: {"a": 6}',
            '{"b": {"a": 5}, "c": "cut o',
            "a: 5",
            "I cannot answer in JSON.",
        ),
    ),
    (
        {"json_fields": {"city": "New-York", "n": -5, "ok": True}},
        (
            '{"city": "new york", "n": -5, "ok": true}',
            '{"city": "New\u2011York", "n": "−5", "ok": "True"}',
            '{"city": "New–York", "n": -5.0, "ok": true, "note": "assuming 2024"}',
        ),
        (
            '{"city": "New_York", "n": -5, "ok": true}',
            '{"city": "New York City", "n": -5, "ok": true}',
            '{"city": "New York", "n": 5, "ok": true}',
            '{"city": "New York", "n": -5, "ok": 1}',
            '{"city": "New York", "n": -5, "ok": "yes"}',
            '{"city": "New York", "n": -5}',
            '{"result": {"city": "New York", "n": -5, "ok": true}}',
        ),
    ),
    (
        {"json_array": {"expected": ["café", 8, None], "ordered": False}},
        ('["cafe\u0301", 8, null]', 'Here:\n```json\n[null, "8", "Café"]\n```', '[8.0, null, "CAFÉ"] as asked.'),
        (
            '["cafe", 8, null]',
            '["café", 8]',
            '["café", 8, "null"]',
            '["café", 8, null, null]',
            '["café", 8.5, null]',
            "café, 8",
        ),
    ),
    (
        {"json_array": {"path": "x", "expected": [1, 2]}},
        ('{"x": [1, 2]}', '{"x": ["1", 2.0]}\n\nThese are 2 items.'),
        (
            '{"x": [2, 1]}',
            '{"x": [1, 2, 3]}',
            '{"x": [1]}',
            '{"x": "1, 2"}',
            "[1, 2]",
            '{"x": [[1, 2]]}',
            '{"y": [1, 2]}',
        ),
    ),
    (
        {
            "json_schema": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "tag": {"type": "string", "pattern": "^[a-z]+$"}},
                "required": ["id", "tag"],
                "additionalProperties": False,
            }
        },
        (
            '{"id": 1, "tag": "a"}',
            'Sure:\n```json\n{"id": 1.0, "tag": "a"}\n```\nAnything else?',
            '```\n{"id": 1, "tag": "a"}\n```',
        ),
        (
            '{"id": "1", "tag": "a"}',
            '{"id": 1, "tag": "A"}',
            '{"id": 1, "tag": "a1"}',
            '{"id": 1}',
            '{"id": 1, "tag": "a", "note": ""}',
            '[{"id": 1, "tag": "a"}]',
            '{"id": 1.5, "tag": "a"}',
        ),
    ),
)

COMPOSED: tuple[Table, ...] = (
    (
        {"all": [numeric(42), {"not_contains": ["approximately", "about"]}]},
        ("It is **42**.", "４２", "Not 41 but 42"),
        ("It is about 42.", "It is 43.", "", "approximately 42", "42 or 43", "I cannot say."),
    ),
    (
        {"any": [{"equals": "yes"}, {"json_field": {"path": "answer", "expected": True}}]},
        ("Yes", '{"answer": true}', '```json\n{"answer": "True"}\n```'),
        ("Yes.", "no", '{"answer": false}', '{"answer": 1}', '{"answer": "yes"}', "true", '{"Answer": true}'),
    ),
    (
        {"mean": [{"exact_token": "42"}, {"contains_any": ["42"]}]},
        ("**42**", "`42`.", "$\\boxed{42}$"),
        ("It is 42.", "42 42", "43", "", "142", "42 (forty-two)"),
    ),
)


TABLES = (*NUMBERS, *TOKENS, *CONTAINED, *MENTIONS, *JSON_TABLES, *COMPOSED)


def named(check: JSONObject, text: str) -> object:
    return pytest.param(check, text, id=f"{check!s:.40}: {text!a:.60}")


@pytest.mark.parametrize(("check", "text"), [named(check, text) for check, right, _ in TABLES for text in right])
def test_a_right_answer_passes_however_it_is_phrased(check: JSONObject, text: str) -> None:
    assert judge(check, text).value == 1


@pytest.mark.parametrize(("check", "text"), [named(check, text) for check, _, wrong in TABLES for text in wrong])
def test_a_wrong_answer_does_not_pass_however_right_it_looks(check: JSONObject, text: str) -> None:
    assert not judge(check, text).passed


def test_every_check_has_six_answers_that_only_look_right() -> None:
    assert [check for check, _, wrong in TABLES if len(wrong) < 6] == []
