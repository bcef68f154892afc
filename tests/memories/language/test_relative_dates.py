"""Days that are spoken of, counted from the day on which they were."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from memories.language.relative_dates import (
    find_relative_dates,
    local_date,
    resolve_relative_dates,
)

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
        ("last Fri", "on 2026-02-27"), ("last Tues", "on 2026-03-03"),
        ("last sun", "last sun"), ("last weekend", "on the weekend of 2026-02-28"),
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
    assert resolve_relative_dates(f"We go {said}", WEDNESDAY) == f"We go {told}"


def test_what_is_ahead_of_the_past_is_left_alone() -> None:
    assert resolve_relative_dates("We went in two weeks", WEDNESDAY) == "We went in two weeks"
    assert resolve_relative_dates("We went. We go in two weeks", WEDNESDAY).endswith(
        "go on 2026-03-18"
    )


def test_january_comes_after_december() -> None:
    assert resolve_relative_dates("next month", date(2026, 12, 31)) == "in 2027-01"
    assert resolve_relative_dates("last month", date(2026, 1, 1)) == "in 2025-12"
    assert resolve_relative_dates("this week", MONDAY) == "in the week of 2026-03-02"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("3 days from now", "on 2026-03-07"), ("2 weeks from today", "on 2026-03-18"),
        ("a month from now", "in 2026-04"), ("an hour ago", "an hour ago"),
        ("coming friday", "on 2026-03-06"), ("coming wednesday", "on 2026-03-11"),
        ("coming week", "in the week of 2026-03-09"), ("coming month", "in 2026-04"),
        ("coming year", "in 2027"), ("this year", "in 2026"),
        ("by next week", "by the week of 2026-03-09"), ("by next month", "by 2026-04"),
        ("until tonight", "until the evening of 2026-03-04"),
        ("tomorrow night", "on the night of 2026-03-05"),
        ("next friday evening", "on the evening of 2026-03-06"),
        ("this wednesday morning", "on the morning of 2026-03-04"),
        ("last wednesday morning", "on the morning of 2026-02-25"),
        ("next week night", "next week night"), ("next year's", "next year's"),
        ("twelve days ago", "on 2026-02-20"), ("one day ago", "on 2026-03-03"),
        ("on tomorrow", "on 2026-03-05"), ("is today", "is on 2026-03-04"),
        ("Next Friday", "On 2026-03-06"), ("tomorrow's tea", "2026-03-05's tea"),
        ("by tomorrow's end", "by 2026-03-05's end"),
        ("999 years ago", "in 1027"), ("in 12 months", "in 2027-03"),
        ("in 10 months", "in 2027-01"),
        ("3 months ago", "in 2025-12"), ("2 months ago", "in 2026-01"),
    ],
)  # fmt: skip
def test_with_words_beside_it(said: str, told: str) -> None:
    assert resolve_relative_dates(f"Go {said}", WEDNESDAY) == f"Go {told}"


def test_a_date_that_is_a_subject_has_no_word_before_it() -> None:
    assert resolve_relative_dates("Tomorrow is fine", WEDNESDAY) == "2026-03-05 is fine"
    assert resolve_relative_dates("so tomorrow will do", WEDNESDAY) == "so 2026-03-05 will do"
    assert resolve_relative_dates("by tomorrow is fine", WEDNESDAY) == "by 2026-03-05 is fine"


def test_no_date_is_outside_the_calendar() -> None:
    assert resolve_relative_dates("in 999 years", date(9500, 1, 1)) == "in 999 years"
    assert resolve_relative_dates("999 years ago", date(900, 1, 1)) == "999 years ago"
    assert resolve_relative_dates("2 years ago", date(900, 1, 1)) == "in 0898"
    assert resolve_relative_dates("last year", date(900, 1, 1)) == "in 0899"
    assert resolve_relative_dates("tomorrow", date(9999, 12, 31)) == "tomorrow"


def test_the_day_of_a_moment() -> None:
    late = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
    assert local_date(late, None) == WEDNESDAY
    assert local_date(late, ZoneInfo("Asia/Tokyo")) == date(2026, 3, 5)
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert local_date(first, ZoneInfo("America/Lima")) == date(1, 1, 1)


def test_the_phrases_of_a_text_with_their_dates_in_words() -> None:
    text = "By tomorrow's noon, as last week. Last week again! Next month, last weekend, in 2 years"
    assert find_relative_dates(text, WEDNESDAY, most=9) == [
        ("tomorrow", "Thu 5 Mar 2026"),
        ("last week", "week of 23 Feb 2026"),
        ("Next month", "Apr 2026"),
        ("last weekend", "weekend of 28 Feb 2026"),
        ("in 2 years", "2028"),
    ]
    assert len(find_relative_dates(text, WEDNESDAY, most=2)) == 2
    # Uncertain ones stay as they are.
    assert find_relative_dates("We ran in two weeks, on Friday", WEDNESDAY, most=9) == []
    assert find_relative_dates("Nothing of the kind", WEDNESDAY, most=9) == []
