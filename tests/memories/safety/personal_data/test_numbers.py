"""Checksums by worked examples, and what is refused."""

import random
from uuid import UUID

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


@pytest.mark.parametrize(
    "ordinary",
    [
        "The hinge has part number 318-22-4410 and is made in Linz.",
        "Ticket 221-45-9087 waits for the supplier.",
        "Order no. 318-22-4410 and invoice no. 318-22-4411 belong together.",
        "Parts 318-22-4410, 318-22-4411 and 318-22-4412 fit one frame.",
        "The serial number of the pump is 512-44-7781.",
        "S/N 512-44-7781",
        "Case number 318-22-4410 was reopened.",
        "Die Artikelnummer 318-22-4410 ist vergriffen.",
        "Numéro de série 318-22-4410",
        "El número de pedido es 318-22-4410.",
        "Order 4539578763621486 left the warehouse on Friday.",
        "Serial number 4539 5787 6362 1486 is on the back of the scanner.",
        "Tracking number: 4539578763621486",
        "The api orders-eu-central-1-stage3 answers within 80 ms.",
        "API: billing-gateway-us-east-2-canary1",
        "The token broker-auth-west-2-node14 was restarted.",
    ],
)
def test_numbers_and_names_of_things_pass(ordinary: str) -> None:
    assert kinds(ordinary) == []


@pytest.mark.parametrize(
    ("personal", "told"),
    [
        ("Her number is 318-22-4410.", "ssn"),
        ("318-22-4410", "ssn"),
        ("The customer number is 318-22-4410.", "ssn"),
        ("For the order she gave 318-22-4410 by phone.", "ssn"),
        ("Part no. 318-22-4410 is what he calls his social security number.", "ssn"),
        ("Tax file, item 318-22-4410", "ssn"),
        ("In his case 318-22-4410", "ssn"),
        ("Order 4539 5787 6362 1486", "card"),
        ("Order 4539578763621486 was paid by card.", "card"),
        ("Order no. 4539578763621486, exp 12/27", "card"),
        ("Visa, serial number 4539578763621486", "card"),
        ("api_key=gateway-eu-west-1-prod2-canary", "api_key"),
        ("The key is gateway-eu-west-1-prod2-canary", "api_key"),
        ("Our api gateway-a8Zk2-Qx91fT-77bQz", "api_key"),
        ("api qh7f-9dk2-x81m-zz40-p3k9", "api_key"),
        ("token xkqzvbn-rtplkjh-mnbvcx-77", "api_key"),
        ("token qh7-fd9-xk2-mz4-pr3-wt5", "api_key"),
    ],
)
def test_those_of_people_and_secrets_beside_such_words_are_found(personal: str, told: str) -> None:
    assert [kind for kind, _ in kinds(personal)] == [told]


@pytest.mark.parametrize(
    ("id_", "number"),
    [
        ("b18c8632-2266-4668-8665-0967dbc38a39", "2266-4668-8665-0967"),
        ("61773097-1066-43d1-bbe5-bb98f3938c34", "61773097-1066-43"),
        ("9a613169-3054-4859-ba10-3e1fd980d5fe", "613169-3054-4859"),
        ("C8701950-7330-4360-9B60-A519F320692B", "8701950-7330-4360-9"),
    ],
)
def test_the_digits_of_an_id_are_no_card(id_: str, number: str) -> None:
    assert kinds(f"See {id_}, then go on.") == []
    assert kinds(f"See {number}, then go on.") == [("card", True)]
    assert kinds(f"The card is {id_}.") == [("card", True)], "that is said of it"
    for no_id in (id_[:-1], f"{id_}9", f"{id_[:14]}0{id_[15:]}"):
        assert is_judged_like(no_id, number)


def is_judged_like(text: str, number: str) -> bool:
    """Whether a text that is no id has a card where the number stands, if it still stands there."""
    return number not in text or kinds(text) == [("card", True)]


def test_no_id_is_taken_for_a_number_of_somebody() -> None:
    """About twenty of 20,000 have the digits of a card or an IBAN."""
    draw = random.Random(4711)  # noqa: S311 - the same ids each time
    for _ in range(20_000):
        id_ = str(UUID(int=draw.getrandbits(128), version=4))
        assert kinds(id_) == [], id_
