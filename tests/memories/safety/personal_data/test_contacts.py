"""Phone numbers, internet addresses and keys: the forms that count, and look-alikes that do not."""

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text


def told(text: str) -> list[tuple[str, str, bool]]:
    found = find_personal_data(to_plain_text(text), KnownNames())
    return [(one.kind.value, text[one.start : one.end], one.sure) for one in found]


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("+49 170 1234567", True), ("+1 (212) 555-0187", True), ("212.555.0187", True),
        ("020 7946 0958", True), ("06 12 34 56 78", True), ("0171/1234567", True),
        ("11 98765-4321", True), ("12 34 56 78", False), ("2125550187", False),
        ("9845012345", False),
    ],
)  # fmt: skip
def test_phones(text: str, sure: bool) -> None:
    assert told(f"at {text} today") == [("phone", text, sure)]
    assert text[0] == "+" or told(f"order {text} today") == []
    assert [one[:2] for one in told(f"Phone no. {text} today")] == [("phone", text)]


def test_an_extension_belongs_to_the_number() -> None:
    assert told("212-555-0187 ext. 12 is mine")[0][1] == "212-555-0187 ext. 12"


@pytest.mark.parametrize(
    "text",
    ["2026-03-14 10", "14.03.2026", "2019-2020", "1,000,000", "$1 000 000", "555-0187",
     "3.14159265", "1699999999", "577 034 236", "12 345 678 901 234 567", "a1234567890",
     "12345678901234567890"],
)  # fmt: skip
def test_other_numbers_are_no_phones(text: str) -> None:
    assert told(f"It says {text} there") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 8.8.4.4:443", [("ip", "8.8.4.4", True)]),
        ("from 10.1.2.3", [("ip", "10.1.2.3", False)]),
        ("from 256.1.2.3", []),
        ("from 1.2.3.4.5", []),
        ("version 8.8.4.4", []),
        ("at 127.0.0.1, ::1, 0.0.0.0, 255.255.255.0", []),
        ("from 2001:db8:85a3::8a2e:370:7334", [("ip", "2001:db8:85a3::8a2e:370:7334", True)]),
        ("dead::beef and a::b and 12:30:45", []),
    ],
)
def test_internet_addresses(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ann at example dot org", [("email", "ann at example dot org", True)]),
        ("look at example.org", []),
        ("meet at noon dot not later", []),
        ("git@github.com:a/b.git", []),
        ("root@host:~$", []),
        ("@ann and ann@", []),
        ("a" * 70 + "@example.org", [("email", "a" * 64 + "@example.org", True)]),
    ],
)
def test_emails(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("token = q7Zp2LmX9vRt4KsW8yBn", [("api_key", "q7Zp2LmX9vRt4KsW8yBn", True)]),
        ("token q7Zp2LmX9vRt4KsW8yBn", [("api_key", "q7Zp2LmX9vRt4KsW8yBn", False)]),
        ("token = aaaaaaaaaaaaaaa1", []),  # .3 bits a sign
        ("token = settings.API_TOKEN_NAME", []),
        ("password: hunter22", [("api_key", "hunter22", False)]),
        ("password: please ask", []),
        ("sk-short", []),
        ("commit da39a3ee5e6b4b0d3255bfef95601890afd80709", []),
    ],
)
def test_keys(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert told(text) == expected


def test_a_private_key_without_an_end_goes_to_the_end_of_the_text() -> None:
    text = "here: -----BEGIN OPENSSH PRIVATE KEY-----\nMIIabc\nmore"
    assert told(text) == [("api_key", text[6:], True)]
    both = f"{text}\n-----END OPENSSH PRIVATE KEY----- and more"
    assert told(both) == [("api_key", both[6:-9], True)]
