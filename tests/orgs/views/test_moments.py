"""One form for days and times, in the zone of who reads."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.utils import timezone as zones

from orgs.views import time_formats

SPRING = datetime(2024, 3, 31, 23, 30, 5, tzinfo=UTC)


@pytest.fixture
def noon() -> Iterator[datetime]:
    """Now, in a zone where it is about noon."""
    now = zones.now()
    with zones.override(timezone(timedelta(hours=12 - now.hour))):
        yield now


def test_near_times_are_told_from_now(noon: datetime) -> None:
    assert time_formats.shortly(noon - timedelta(minutes=3)).replace("\xa0", " ") == "3 minutes ago"
    assert time_formats.shortly(noon - timedelta(days=1)) == "yesterday"
    assert time_formats.shortly(noon + timedelta(days=1)) == "tomorrow"
    assert time_formats.shortly(None) == ""


def test_the_year_stands_where_it_is_another_one(noon: datetime) -> None:
    assert time_formats.shortly(SPRING).endswith(" 2024")
    assert time_formats.day(SPRING).endswith(" 2024")
    this_year = zones.localtime(noon).replace(month=6, day=15)
    assert time_formats.day(this_year) == "15 June"


def test_all_of_it_is_in_the_zone_of_who_reads() -> None:
    with zones.override(ZoneInfo("Europe/Berlin")):
        assert time_formats.day(SPRING) == "1 April 2024"
        assert time_formats.minute(SPRING) == "1 April 2024, 01:30 CEST"
        assert time_formats.exactly(SPRING) == "Monday 1 April 2024, 01:30:05 CEST"
        assert time_formats.machine(SPRING) == "2024-04-01T01:30:05+02:00"
        assert time_formats.short_day(SPRING) == "1 Apr"
    with zones.override(UTC):
        assert time_formats.minute(SPRING) == "31 March 2024, 23:30 UTC"


def test_a_day_has_no_hour() -> None:
    assert time_formats.exactly(date(2024, 2, 29)) == "Thursday 29 February 2024"
    assert time_formats.machine(date(2024, 2, 29)) == "2024-02-29"
    assert time_formats.shortly(zones.localdate()) != "", "a day of today is told as a day"


@pytest.mark.parametrize(
    ("precise", "words"),
    [
        ("", "31 Mar 2024"),
        ("day", "31 March 2024"),
        ("minute", "31 March 2024, 23:30 UTC"),
        ("second", "31 Mar 2024, 23:30:05"),
    ],
)
def test_every_form_has_the_exact_time_on_hover(precise: str, words: str) -> None:
    with zones.override(UTC):
        html = render_to_string("components/when.html", {"at": SPRING, "precise": precise})
    assert html == (
        '<time datetime="2024-03-31T23:30:05+00:00" title="Sunday 31 March 2024, 23:30:05 UTC">'
        f"{words}</time>"
    )
