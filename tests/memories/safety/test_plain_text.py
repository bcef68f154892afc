"""The plain form of a text, and the way back to the original."""
# ruff: noqa: RUF001

import pytest

from memories.safety.findings import Finding, Personal, masked
from memories.safety.plain_text import plain


@pytest.mark.parametrize(
    ("original", "seen"),
    [
        ("ann@exam\u200bple.org", "ann@example.org"),
        ("\u202eann@example.org\u202c", "ann@example.org"),
        ("аnn@ехаmрlе.оrg", "ann@example.org"),
        ("ａｎｎ＠ｅｘａｍｐｌｅ．ｏｒｇ", "ann@example.org"),
        ("ann@example\u2024org", "ann@example.org"),
        ("a\ufe0fnn\U000e0061@example.org", "ann@example.org"),
        ("an\u00adn@example.org", "ann@example.org"),
        ("٤١١١ ④ ₁", "4111 4 1"),
        ("O’Neill “q” \u2014 x", 'O\'Neill "q" - x'),
        ("Jose\u0301", "José"),
        ("one\ttwo\r\nthree", "one\ttwo\r\nthree"),
        ("中文 テスト", "中文 テスト"),
    ],
)
def test_a_text_as_it_is_seen(original: str, seen: str) -> None:
    assert plain(original).text == seen


def test_a_span_points_into_the_original() -> None:
    text = "\u200bwrite to ａnn@exam\u200bple.ﬁ\u0301 now"
    found = plain(text)
    start = found.text.index("ann@")
    assert text[slice(*found.span(start, found.text.index(" now")))] == "ａnn@exam\u200bple.ﬁ\u0301"
    assert [text[i] for i in found.hidden] == ["\u200b", "\u200b"]
    same = plain("plain")
    assert same.span(1, 3) == (1, 3)
    assert same.hidden == ()


def test_a_mask_names_the_kind_and_joins_what_overlaps() -> None:
    text = "Ann at ann@example.org, 123 Main St"
    found = [
        Finding(24, 35, Personal.ADDRESS),
        Finding(7, 22, Personal.EMAIL),
        Finding(0, 3, Personal.PERSON, sure=False),
        Finding(11, 22, Personal.ORGANISATION),
    ]
    assert masked(text, found) == "[person] at [email], [address]"
    assert masked(text, []) == text
    assert masked("abcdef", [Finding(0, 3, Personal.IP), Finding(2, 5, Personal.SSN)]) == "[ip]f"
