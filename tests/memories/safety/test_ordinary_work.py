"""Sentences of work in nine languages that speak of rules, passwords, pay and health, and pass."""

from pathlib import Path

import pytest

from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import to_plain_text
from memories.safety.prompt_injection.find_injections import find_injections

LINES = (Path(__file__).parent / "ordinary_work.txt").read_text(encoding="utf-8").split("\n")


@pytest.mark.conformance("T12")
def test_at_most_one_in_a_hundred_is_held() -> None:
    given = [line for line in LINES if line]
    assert len(set(given)) == len(given) >= 150
    orders = [line for line in given if find_injections(to_plain_text(line))]
    personal = [line for line in given if find_personal_data(to_plain_text(line), KnownNames())]
    assert len(orders) <= len(given) / 100, orders
    assert len(personal) <= len(given) / 100, personal
