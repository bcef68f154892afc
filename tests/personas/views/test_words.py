"""How entries and findings are told: worked examples, without a database."""

from datetime import timedelta

import pytest

from personas.views.labels import confidence_label, fading_label, findings_phrase

FRESH = timedelta(days=90)


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (timedelta(days=0), ""),
        (timedelta(days=90), ""),
        (timedelta(days=90, seconds=1), "Not confirmed for 90 days: counts less"),
        (timedelta(days=120), "Not confirmed for 120 days: counts less"),
        (timedelta(days=270), "Not confirmed for 270 days: counts less"),
        (timedelta(days=270, seconds=1), "Not confirmed for 270 days: it will be archived"),
    ],
)
def test_fading_is_told_from_the_day_on_which_it_begins(age: timedelta, told: str) -> None:
    assert fading_label(age, fresh_for=FRESH) == told


def test_what_the_gate_found_is_a_list_in_a_sentence() -> None:
    assert findings_phrase({"email": 1, "person": 2}) == "an e-mail address and 2 names of people"
    assert findings_phrase({"order_to_model": 1}) == "something that would steer a robot"
    assert findings_phrase({}) == "something that it does not name"
    assert confidence_label(0.904) == "90 % sure"
