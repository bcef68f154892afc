"""The plain form of a text, and the way back to the original."""
# ruff: noqa: RUF001

import pytest

from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import Finding, PersonalDataType, mask_findings


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
    assert to_plain_text(original).text == seen


def test_a_span_points_into_the_original() -> None:
    text = "\u200bwrite to ａnn@exam\u200bple.ﬁ\u0301 now"
    found = to_plain_text(text)
    start = found.text.index("ann@")
    assert text[slice(*found.span(start, found.text.index(" now")))] == "ａnn@exam\u200bple.ﬁ\u0301"
    assert [text[i] for i in found.hidden] == ["\u200b", "\u200b"]
    same = to_plain_text("plain")
    assert same.span(1, 3) == (1, 3)
    assert same.hidden == ()


def test_a_mask_names_the_kind_and_joins_what_overlaps() -> None:
    text = "Ann at ann@example.org, 123 Main St"
    found = [
        Finding(24, 35, PersonalDataType.ADDRESS),
        Finding(7, 22, PersonalDataType.EMAIL),
        Finding(0, 3, PersonalDataType.PERSON, sure=False),
        Finding(11, 22, PersonalDataType.ORGANISATION),
    ]
    assert mask_findings(text, found) == "[person] at [email], [address]"
    assert mask_findings(text, []) == text
    assert (
        mask_findings(
            "abcdef", [Finding(0, 3, PersonalDataType.IP), Finding(2, 5, PersonalDataType.SSN)]
        )
        == "[ip]f"
    )


@pytest.mark.conformance("T24")
def test_one_sign_becomes_at_most_eight_characters() -> None:
    """U+FDFA stands for four words, U+FDFB for two of eight characters; U+33AF is "rad/s2"."""
    assert to_plain_text("\ufdfa" * 3).text == "\ufdfa" * 3
    assert len(to_plain_text("\ufdfb").text) == 8
    assert to_plain_text("\u33af").text.startswith("rad")
