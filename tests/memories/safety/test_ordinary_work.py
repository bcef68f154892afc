"""Sentences of work in nine languages that speak of rules, passwords, pay and health, and pass."""

from pathlib import Path

import pytest

from memories.safety.personal_data.detect import find_personal
from memories.safety.personal_data.known import KnownNames
from memories.safety.plain_text import plain
from memories.safety.poisoning.detect import find_poison

LINES = (Path(__file__).parent / "ordinary_work.txt").read_text(encoding="utf-8").split("\n")


@pytest.mark.conformance("T12")
def test_at_most_one_in_a_hundred_is_held() -> None:
    given = [line for line in LINES if line]
    assert len(set(given)) == len(given) >= 150
    orders = [line for line in given if find_poison(plain(line))]
    personal = [line for line in given if find_personal(plain(line), KnownNames())]
    assert len(orders) <= len(given) / 100, orders
    assert len(personal) <= len(given) / 100, personal
