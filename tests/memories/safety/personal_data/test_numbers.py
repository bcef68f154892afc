"""Checksums by worked examples, and what is refused."""

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.personal_data.payment_numbers import is_iban_valid, is_luhn_valid
from memories.safety.plain_text import to_plain_text


def kinds(text: str) -> list[tuple[str, bool]]:
    return [
        (one.kind.value, one.sure) for one in find_personal_data(to_plain_text(text), KnownNames())
    ]


def test_luhn_by_hand() -> None:
    # 7992739871 3: doubled from the right 1 -> 2, 8 -> 16 - 9 = 7, 3 -> 6, 2 -> 4, 9 -> 18 - 9 = 9;
    # 2 + 7 + 6 + 4 + 9 = 28; the others 3 + 7 + 9 + 7 + 9 + 7 = 42; 28 + 42 = 70.
    assert is_luhn_valid("79927398713")
    assert [last for last in range(10) if is_luhn_valid(f"7992739871{last}")] == [3]
    assert not is_luhn_valid("")
    # Two neighbours that changed places.
    assert not is_luhn_valid("79927389713")


def test_mod_97_by_hand() -> None:
    # GB82 WEST 1234 5698 7654 32: W 32, E 14, S 28, T 29, then G 16, B 11 and 82 at the end.
    assert int("3214282912345698765432161182") % 97 == 1
    assert is_iban_valid("GB82WEST12345698765432")
    assert [n for n in range(2, 99) if is_iban_valid(f"GB{n:02}WEST12345698765432")] == [82]


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("4222222222222", [("card", True)]),  # 13 digits
        ("4000000000000000006", [("card", True)]),  # 19
        ("5105105105105100", [("card", True)]),
        ("2223003122003222", [("card", True)]),
        ("5105 1051 0510 5101", []),  # the checksum is wrong
        ("41111111111111110000", []),  # 20 digits in one
        ("0000 0000 0000 0000", []),
        ("9999 9999 9999 9995", []),  # no issuer begins so
        ("card 9999 9999 9999 9979", [("card", False)]),
        ("12 4111 1111 1111 1111", [("card", True)]),  # the number before belongs to nothing
        ("0.4111111111111111", []),  # a share
        ("card 0.4111111111111111", [("card", True)]),
        ("10.4111111111111111", [("card", True)]),
        ("4111-1111-1111-1111, 4012-8888-8888-1881", [("card", True), ("card", True)]),
    ],
)
def test_cards(number: str, told: list[tuple[str, bool]]) -> None:
    assert [one for one in kinds(f"Paid: {number}.") if one[0] == "card"] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("GB82 WEST 1234 5698 7654 32", [("iban", True)]),
        ("GB82 WEST 1234 5698 7654 33", []),
        ("IBAN: GB82 WEST 1234 5698 7654 33", [("iban", False)]),
        ("GB82 WEST 1234 5698 7654 3", []),  # a sign too few for the country
        ("ZZ82 WEST 1234 5698 7654 32", []),
        ("xGB82WEST12345698765432", []),
        ("no9386011117947", [("iban", True)]),  # the shortest: 15 signs
    ],
)
def test_ibans(text: str, told: list[tuple[str, bool]]) -> None:
    assert [one for one in kinds(text) if one[0] == "iban"] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("001-01-0001", [("ssn", True)]),
        ("899-99-9999", [("ssn", True)]),
        ("000-01-0001", []),
        ("666-01-0001", []),
        ("900-01-0001", []),
        ("123-00-4567", []),
        ("123-45-0000", []),
        ("078-05-1120", []),
        ("219-09-9999", []),
        ("123 45 6789", [("ssn", False)]),
        ("SSN 123 45 6789", [("ssn", True)]),
        ("123456789", []),
        ("social security number: 123456789", [("ssn", True)]),
        ("social security number: 666456789", []),
        ("123-45-67890", []),
        ("0123-45-6789", []),
    ],
)
def test_social_security_numbers(text: str, told: list[tuple[str, bool]]) -> None:
    assert [one for one in kinds(text) if one[0] == "ssn"] == told
