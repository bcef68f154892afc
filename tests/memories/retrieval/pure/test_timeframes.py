"""Times in words as ranges, with an injected clock: Wednesday, 11 March 2026, 15:30."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from memories.retrieval.timeframes.parse_timeframe import (
    TimeframeError,
    extract_timeframe,
    parse_timeframe,
    parse_timeframes,
)

NOW = datetime(2026, 3, 11, 15, 30, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def at(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


# (text, first day or moment, the day or moment after the last); None is open.
CASES = [
    ("today", "2026-03-11", "2026-03-12"),
    ("yesterday", "2026-03-10", "2026-03-11"),
    ("tomorrow", "2026-03-12", "2026-03-13"),
    ("the day before yesterday", "2026-03-09", "2026-03-10"),
    ("day after tomorrow", "2026-03-13", "2026-03-14"),
    ("this morning", "2026-03-11T00:00", "2026-03-11T12:00"),
    ("this afternoon", "2026-03-11T12:00", "2026-03-11T18:00"),
    ("tonight", "2026-03-11T18:00", "2026-03-12T06:00"),
    ("last night", "2026-03-10T18:00", "2026-03-11T06:00"),
    ("yesterday morning", "2026-03-10T00:00", "2026-03-10T12:00"),
    ("this week", "2026-03-09", "2026-03-16"),
    ("last week", "2026-03-02", "2026-03-09"),
    ("next week", "2026-03-16", "2026-03-23"),
    ("week before last", "2026-02-23", "2026-03-02"),
    ("this month", "2026-03-01", "2026-04-01"),
    ("last month", "2026-02-01", "2026-03-01"),
    ("previous month", "2026-02-01", "2026-03-01"),
    ("the month before last", "2026-01-01", "2026-02-01"),
    ("this year", "2026-01-01", "2027-01-01"),
    ("last year", "2025-01-01", "2026-01-01"),
    ("in February 2026", "2026-02-01", "2026-03-01"),
    ("in 2025", "2025-01-01", "2026-01-01"),
    ("on 3 Mar 2026", "2026-03-03", "2026-03-04"),
    ("during last week", "2026-03-02", "2026-03-09"),
    ("one day ago", "2026-03-10", "2026-03-11"),
    ("3 days ago", "2026-03-08", "2026-03-09"),
    ("three days ago", "2026-03-08", "2026-03-09"),
    ("ten days ago", "2026-03-01", "2026-03-02"),
    ("twelve days ago", "2026-02-27", "2026-02-28"),
    ("a few days ago", "2026-03-08", "2026-03-09"),
    ("a couple of days ago", "2026-03-09", "2026-03-10"),
    ("a week ago", "2026-03-02", "2026-03-09"),
    ("2 weeks ago", "2026-02-23", "2026-03-02"),
    ("two months ago", "2026-01-01", "2026-02-01"),
    ("3 months ago", "2025-12-01", "2026-01-01"),
    ("a year ago", "2025-01-01", "2026-01-01"),
    ("2 hours ago", "2026-03-11T13:00", "2026-03-11T14:00"),
    ("last 3 days", "2026-03-08", "2026-03-12"),
    ("the last few days", "2026-03-08", "2026-03-12"),
    ("past seven days", "2026-03-04", "2026-03-12"),
    ("last 2 weeks", "2026-02-25", "2026-03-12"),
    ("last few weeks", "2026-02-18", "2026-03-12"),
    ("last 6 months", "2025-09-11", "2026-03-12"),
    ("last 2 years", "2024-03-11", "2026-03-12"),
    ("recent", "2026-03-08", "2026-03-12"),
    ("recently", "2026-03-08", "2026-03-12"),
    ("lately", "2026-03-08", "2026-03-12"),
    ("weekend", "2026-03-14", "2026-03-16"),
    ("this weekend", "2026-03-14", "2026-03-16"),
    ("last weekend", "2026-03-07", "2026-03-09"),
    ("the weekend before last", "2026-02-28", "2026-03-02"),
    ("one weekend ago", "2026-03-07", "2026-03-09"),
    ("2 weekends ago", "2026-02-28", "2026-03-02"),
    ("three weekends ago", "2026-02-21", "2026-02-23"),
    ("monday", "2026-03-09", "2026-03-10"),
    ("Friday", "2026-03-06", "2026-03-07"),
    ("wednesday", "2026-03-04", "2026-03-05"),  # today is one
    ("last friday", "2026-03-06", "2026-03-07"),
    ("this friday", "2026-03-13", "2026-03-14"),
    ("next friday", "2026-03-13", "2026-03-14"),
    ("february", "2026-02-01", "2026-03-01"),
    ("March", "2026-03-01", "2026-04-01"),
    ("last march", "2025-03-01", "2025-04-01"),
    ("november", "2025-11-01", "2025-12-01"),
    ("next june", "2026-06-01", "2026-07-01"),
    ("february 2024", "2024-02-01", "2024-03-01"),
    ("3 March", "2026-03-03", "2026-03-04"),
    ("March 3rd", "2026-03-03", "2026-03-04"),
    ("the 12th of March", "2025-03-12", "2025-03-13"),
    ("March 3, 2024", "2024-03-03", "2024-03-04"),
    ("29 February 2024", "2024-02-29", "2024-03-01"),
    ("2024", "2024-01-01", "2025-01-01"),
    ("2026-03-02", "2026-03-02", "2026-03-03"),
    ("2026-02", "2026-02-01", "2026-03-01"),
    ("2026-03-02T10:15:00Z", "2026-03-02", "2026-03-03"),
    ("since yesterday", "2026-03-10", None),
    ("since last week", "2026-03-02", None),
    ("since 2026-03-02T10:15", "2026-03-02T10:15", None),
    ("before yesterday", None, "2026-03-10"),
    ("before March", None, "2026-03-01"),
    ("after monday", "2026-03-10", None),
    ("after 2026-03-02", "2026-03-03", None),
    ("until friday", None, "2026-03-07"),
    ("between monday and tuesday", "2026-03-09", "2026-03-11"),
    ("between friday and monday", "2026-03-06", "2026-03-10"),
    ("between tuesday and monday", "2026-03-03", "2026-03-10"),
    ("from november to february", "2025-11-01", "2026-03-01"),
    ("from february to november", "2025-02-01", "2025-12-01"),
    ("from 2026-03-02 to 2026-03-04", "2026-03-02", "2026-03-05"),
    ("from last week until yesterday", "2026-03-02", "2026-03-11"),
    ("from last week", "2026-03-02", "2026-03-09"),
    ("last hour", "2026-03-11T14:30", "2026-03-11T15:30:00.000001"),
    ("this hour", "2026-03-11T15:00", "2026-03-11T16:00"),
    ("previous hour", "2026-03-11T14:00", "2026-03-11T15:00"),
    ("last 30 minutes", "2026-03-11T15:00", "2026-03-11T15:30:00.000001"),
    ("past 90 mins", "2026-03-11T14:00", "2026-03-11T15:30:00.000001"),
    ("half an hour ago", "2026-03-11T15:00", "2026-03-11T15:01"),
    ("last half hour", "2026-03-11T15:00", "2026-03-11T15:30:00.000001"),
    ("last 24h", "2026-03-10T15:30", "2026-03-11T15:30:00.000001"),
    ("eleven days ago", "2026-02-28", "2026-03-01"),
    ("last twelve months", "2025-03-11", "2026-03-12"),
    ("last forty-five days", "2026-01-25", "2026-03-12"),
    ("twenty days ago", "2026-02-19", "2026-02-20"),
    ("a dozen days ago", "2026-02-27", "2026-02-28"),
    ("last fortnight", "2026-02-25", "2026-03-12"),
    ("a fortnight ago", "2026-02-23", "2026-03-02"),
    ("last quarter", "2025-10-01", "2026-01-01"),
    ("Q2 2025", "2025-04-01", "2025-07-01"),
    ("3 Mar 2026", "2026-03-03", "2026-03-04"),
    ("3 March, 2026", "2026-03-03", "2026-03-04"),
    ("Mar. 3, 2026", "2026-03-03", "2026-03-04"),
    ("Sep 2025", "2025-09-01", "2025-10-01"),
    ("Sept. 2025", "2025-09-01", "2025-10-01"),
    ("Nov 25", "2025-11-25", "2025-11-26"),
    ("25 Nov.", "2025-11-25", "2025-11-26"),
    ("from 1 Sep 2025 to 3 March 2026", "2025-09-01", "2026-03-04"),
    ("between Jan and Mar", "2026-01-01", "2026-04-01"),
]


@pytest.mark.conformance("H23")
@pytest.mark.parametrize(("text", "first", "end"), CASES, ids=[text for text, _, _ in CASES])
def test_a_text_names_this_range(text: str, first: str | None, end: str | None) -> None:
    until = at(end)
    assert parse_timeframe(text, now=NOW) == (at(first), until and until - TICK)
    assert parse_timeframe(f" {text.upper()} ", now=NOW) == parse_timeframe(text, now=NOW)


@pytest.mark.conformance("H23")
def test_there_are_as_many_cases_as_promised() -> None:
    assert len({text for text, _, _ in CASES}) >= 64


@pytest.mark.parametrize(
    "text",
    [
        "", "soon", "last", "3 days", "days ago", "the launch", "last 3 messages", "zero days ago",
        "between monday", "since the launch", "between today and last week", "32 March", "2026-13",
        "2026-02-30", "30 February 2024", "5000 years ago", "yesterday about the launch", "9999",
        "2026-03-02T25:00", "Q5 2025", "31 Nov", "last half", "half a day ago", "last twenty",
        "999999999999999999999 days ago", "0001-01-01T00:00+14:00", "99 march", "in", "in in May",
        "in since monday", "on soon",
    ],
)  # fmt: skip
def test_what_is_no_time_is_named(text: str) -> None:
    with pytest.raises(TimeframeError, match="is no timeframe") as found:
        parse_timeframe(text, now=NOW)
    assert f"“{text}”" in str(found.value)


def test_days_begin_where_the_asker_is() -> None:
    """In Auckland it is Thursday already, and the clocks of Berlin go forward on 29 March."""
    auckland, berlin = ZoneInfo("Pacific/Auckland"), ZoneInfo("Europe/Berlin")
    assert parse_timeframe("today", now=NOW, zone=auckland) == (
        at("2026-03-11T11:00"),
        at("2026-03-12T10:59:59.999999"),
    )
    assert parse_timeframe("wednesday", now=NOW, zone=auckland)[0] == at("2026-03-10T11:00")
    assert parse_timeframe("2026-03-29", now=NOW, zone=berlin) == (
        at("2026-03-28T23:00"),
        at("2026-03-29T21:59:59.999999"),
    )
    assert parse_timeframe("since 2026-03-02T10:00+05:00", now=NOW, zone=berlin)[0] == at(
        "2026-03-02T05:00"
    )


def test_hours_are_counted_where_the_clocks_change() -> None:
    """In Berlin it is half past two for the second time on 25 October."""
    berlin, late = ZoneInfo("Europe/Berlin"), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    begin, end = parse_timeframe("last 2 hours", now=late, zone=berlin)
    assert (begin, end) == (at("2026-10-24T23:30"), late)
    assert parse_timeframe("this hour", now=late, zone=berlin)[0] == at("2026-10-25T01:00")
    assert parse_timeframe("2 hours ago", now=late, zone=berlin)[0] == at("2026-10-24T23:00")
    assert parse_timeframe("until now", now=late, zone=berlin)[1] == late - TICK
    spring = datetime(2026, 3, 29, 2, 30, tzinfo=UTC)
    begin, end = parse_timeframe("last 3 hours", now=spring, zone=berlin)
    assert (begin, end) == (at("2026-03-28T23:30"), spring)


@tried(max_examples=300, deadline=None, database=None, derandomize=True)
@given(
    st.integers(0, 10 * 366 * 24 * 60).map(lambda n: at("2020-01-01") + n * timedelta(minutes=1)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
    st.integers(1, 200),
    st.sampled_from(["hour", "minute"]),
)
def test_so_many_hours_are_so_long_in_each_zone(
    moment: datetime, zone: str, number: int, unit: str
) -> None:
    begin, end = parse_timeframe(f"last {number} {unit}s", now=moment, zone=ZoneInfo(zone))
    assert end == moment
    assert begin == moment - number * timedelta(**{f"{unit}s": 1})


def test_a_month_ends_where_it_does() -> None:
    late = datetime(2026, 3, 31, 8, tzinfo=UTC)
    assert parse_timeframe("last month", now=late) == (at("2026-02-01"), at("2026-03-01") - TICK)
    assert parse_timeframe("last 1 month", now=late)[0] == at("2026-02-28")
    january = datetime(2026, 1, 1, 8, tzinfo=UTC)
    assert parse_timeframe("last month", now=january)[0] == at("2025-12-01")
    assert parse_timeframe("last week", now=january)[0] == at("2025-12-22")
    monday = datetime(2026, 3, 9, tzinfo=UTC)
    assert parse_timeframe("last weekend", now=monday)[0] == at("2026-03-07")


@pytest.mark.conformance("H24")
@pytest.mark.parametrize(
    ("question", "left", "text"),
    [
        ("what did we discuss last week about X", "what did we discuss about X", "last week"),
        ("What did Mina say yesterday?", "What did Mina say?", "yesterday"),
        ("What happened in March?", "What happened?", "march"),
        ("what was decided on Friday, and why", "what was decided, and why", "friday"),
        ("notes from the last 3 days on pricing", "notes on pricing", "last 3 days"),
        ("who spoke from monday to tuesday of it", "who spoke of it", "from monday to tuesday"),
        ("last week's meeting", "meeting", "last week"),
        ("what did we do at the weekend", "what did we do", "weekend"),
        ("decisions since 2026-03-02", "decisions", "since 2026-03-02"),
        ("recent decisions of Bob", "decisions of Bob", "recent"),
        ("asked today, or in the week before last", "asked today, or", "week before last"),
        ("What did we plan in May 2025 for June?", "What did we plan for June?", "may 2025"),
        ("What happened in April?", "What happened?", "april"),
        ("what did Jan say in May?", "what did Jan say?", "may"),
        ("what did we ship in Dec?", "what did we ship?", "dec"),
        ("What did we decide from 1 Sep 2025 to 3 March 2026?", "What did we decide?",
         "from 1 sep 2025 to 3 march 2026"),
        ("what did we decide in 2024 about vans", "what did we decide about vans", "2024"),
        ("In 2024 Mina moved", "Mina moved", "2024"),
        ("who came in 2025?", "who came?", "2025"),
        ("what was said in the last hour", "what was said", "last hour"),
        ("what happened between 2019 and 2021?", "what happened?", "between 2019 and 2021"),
        ("messages from last week to Bob", "messages to Bob", "last week"),
    ],
)  # fmt: skip
def test_a_question_without_its_time(question: str, left: str, text: str) -> None:
    assert extract_timeframe(question, now=NOW) == (left, parse_timeframe(text, now=NOW))


@pytest.mark.conformance("H24")
@pytest.mark.parametrize(
    "question",
    [
        "", "?", "who knows about X", "may I ask about rent", "the march of progress",
        "the 2024 budget", "the weekend rota", "what comes now", "last 3 messages",
        "an august body", "What does April like for lunch?", "April likes tea",
        "What did June say about rent?", "a gift for May", "the mail from Jan about the van",
        "in April Smith's room", "Dec report", "How many seats are in 2024 vans?",
        "what costs between 1900 and 2000 euros", "we sold to 2023 customers",
        "any last minute changes?", "from Whitsun to 3 March 2026",
        "notes from 3 March to 99 Smarch",
 "the time between the launch and the press day", "room 2026",
    ],
)  # fmt: skip
def test_what_names_no_time_stays_as_it_is(question: str) -> None:
    assert extract_timeframe(question, now=NOW) == (question, None)


def test_a_question_that_is_but_a_time_keeps_its_words() -> None:
    assert extract_timeframe("yesterday?", now=NOW) == (
        "yesterday?",
        parse_timeframe("yesterday", now=NOW),
    )


def test_of_a_list_each_is_read_and_a_range_stays() -> None:
    given = (at("2026-01-01"), None)
    assert parse_timeframes(["yesterday", given], now=NOW) == (
        parse_timeframe("yesterday", now=NOW),
        given,
    )
    with pytest.raises(TimeframeError, match="“soon”"):
        parse_timeframes(["yesterday", "soon"], now=NOW)
