"""Times that callers write: strictly in ISO 8601, and a date as an upper bound includes its day."""

from datetime import UTC, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from orgs.iso_times import InvalidTimeError, parse_time


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type]


@pytest.mark.conformance("X10")
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-31", at(2026, 3, 31)),
        (" 2026-03-31T16:30:00Z ", at(2026, 3, 31, 16, 30)),
        ("2026-03-31t16:30z", at(2026, 3, 31, 16, 30)),
        ("2026-03-31 16:30", at(2026, 3, 31, 16, 30)),
        ("2026-03-31T16:30:05.25+02:00", at(2026, 3, 31, 14, 30, 5, 250_000)),
        ("2026-03-31T16:30:05,250-0530", at(2026, 3, 31, 22, 0, 5, 250_000)),
        ("2026-03-31T16:30:00.123456789+02", at(2026, 3, 31, 14, 30, 0, 123_456)),
        ("20260331T163000Z", at(2026, 3, 31, 16, 30)),
    ],
)
def test_a_time_in_iso_8601_is_read_in_utc(text: str, moment: datetime) -> None:
    assert parse_time(text) == moment
    upper = moment if ":" in text or "T" in text else datetime.combine(moment, time.max, UTC)
    assert parse_time(text, upper=True) == upper


@pytest.mark.conformance("X10")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1712100812345", "milliseconds since 1970"), ("1712100812", "seconds since 1970"),
        ("1712100812.25", "seconds since 1970"), ("-1712100812", "seconds since 1970"),
        ("2026-03-31x16:30", "ISO 8601"), ("2026-W10-1", "ISO 8601"), ("2026-090", "ISO 8601"),
        ("20260331", "ISO 8601"), ("31.03.2026", "ISO 8601"), ("03/31/2026", "ISO 8601"),
        ("2026-03-31T16", "ISO 8601"), ("2026-3-31", "ISO 8601"), ("tomorrow", "ISO 8601"),
        ("", "ISO 8601"), ("9" * 5_000, "ISO 8601"), ("٢٠٢٦-03-31", "ISO 8601"),
        ("2026-02-30", "No calendar"), ("2026-03-31T25:00", "No calendar"),
        ("0001-01-01T00:00+14:00", "No calendar"), ("9999-12-31T23:59-14:00", "No calendar"),
        ("2026-03-31T10:00:00 01:00", "%2B"),
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidTimeError, match=reason) as found:
        parse_time(text)
    assert len(str(found.value)) < 200
    assert "2026-03-31T16:30:00Z" in str(found.value)


@tried(max_examples=300, deadline=None, database=None, derandomize=True)
@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_what_python_writes_is_read_again(moment: datetime, minutes: int) -> None:
    given_time = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        in_utc = given_time.astimezone(UTC)
    except OverflowError:
        return  # before or after the calendar
    assert parse_time(given_time.isoformat()) == in_utc


@tried(max_examples=500, deadline=None, database=None, derandomize=True)
@given(st.text("0123456789-:.,+ TZWxn", max_size=30))
def test_no_other_text_becomes_a_time(text: str) -> None:
    try:
        found = parse_time(text)
    except InvalidTimeError:
        return
    assert text.strip().replace("-", "").startswith(f"{found.year:04}"[:3]) or found.day in (1, 31)
