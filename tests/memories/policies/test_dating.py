"""Days that are spoken of, counted from the day on which they were."""

from datetime import date

import pytest

from memories.policies.dating import absolute

MONDAY, WEDNESDAY = date(2026, 3, 2), date(2026, 3, 4)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("today", "on 2026-03-04"), ("tomorrow", "on 2026-03-05"), ("yesterday", "on 2026-03-03"),
        ("last night", "on the night of 2026-03-03"), ("tonight", "on the evening of 2026-03-04"),
        ("this morning", "on the morning of 2026-03-04"),
        ("the day after tomorrow", "on 2026-03-06"),
        ("the day before yesterday", "on 2026-03-02"),
        ("next friday", "on 2026-03-06"), ("last friday", "on 2026-02-27"),
        ("next wednesday", "on 2026-03-11"), ("last wednesday", "on 2026-02-25"),
        ("this wednesday", "on 2026-03-04"), ("next tuesday", "on 2026-03-10"),
        ("last tuesday", "on 2026-03-03"), ("last monday", "on 2026-03-02"),
        ("next week", "in the week of 2026-03-09"), ("last week", "in the week of 2026-02-23"),
        ("this week", "in the week of 2026-03-02"), ("next month", "in 2026-04"),
        ("last month", "in 2026-02"), ("this month", "in 2026-03"), ("next year", "in 2027"),
        ("last year", "in 2025"), ("three days ago", "on 2026-03-01"),
        ("2 weeks ago", "on 2026-02-18"), ("four months ago", "in 2025-11"),
        ("2 years ago", "in 2024"), ("in two weeks", "on 2026-03-18"),
        ("in 3 days", "on 2026-03-07"),
        ("in ten months", "in 2027-01"), ("in 2 years", "in 2028"),
    ],
)  # fmt: skip
def test_on_a_wednesday(said: str, told: str) -> None:
    assert absolute(f"We go {said}", WEDNESDAY) == f"We go {told}"


def test_what_is_ahead_of_the_past_is_left_alone() -> None:
    assert absolute("We went in two weeks", WEDNESDAY) == "We went in two weeks"
    assert absolute("We went. We go in two weeks", WEDNESDAY).endswith("go on 2026-03-18")


def test_january_comes_after_december() -> None:
    assert absolute("next month", date(2026, 12, 31)) == "in 2027-01"
    assert absolute("last month", date(2026, 1, 1)) == "in 2025-12"
    assert absolute("this week", MONDAY) == "in the week of 2026-03-02"
