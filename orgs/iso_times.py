"""Times that callers write, strictly in ISO 8601, and times in a zone. Pure.

Python reads more than ISO 8601 has: of "1712100812345" it makes the year 1712.
"""

import re
from datetime import UTC, datetime, time, tzinfo

_TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?)?"
    r"|(?P<short_day>\d{8})T(?P<short_time>\d{4}(?:\d\d(?:[.,]\d{1,9})?)?)"
    r"(?P<short_zone>Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII | re.IGNORECASE,
)
_SINCE_1970 = re.compile(r"-?\d{9,19}(?:\.\d+)?", re.ASCII)
_LOST_PLUS = re.compile(r"\d \d\d:?\d\d\Z", re.ASCII)
_EXAMPLE = (
    "Write it in ISO 8601, such as 2026-03-31, 2026-03-31T16:30:00Z or 2026-03-31T16:30+02:00"
)
MAX_TIME_CHARACTERS = 60


class InvalidTimeError(ValueError):
    """A text is no time in ISO 8601, or none of the calendar; the message says what to write."""


def parse_time(text: str, *, upper: bool = False) -> datetime:
    """The time in UTC. Without a time zone it is one in UTC; a date alone is its first moment.

    upper: the time is an upper bound, so a date alone is its last microsecond. Raises
    InvalidTimeError.
    """
    text = text.strip()
    found = _TIME.fullmatch(text) if len(text) <= MAX_TIME_CHARACTERS else None
    if found is None:
        raise InvalidTimeError(f"{_explain(text)}{_EXAMPLE}.")
    day, clock = found["day"] or found["short_day"], found["time"] or found["short_time"]
    zone = (found["zone"] or found["short_zone"] or "Z").upper()
    try:
        if clock is None:
            whole = datetime.fromisoformat(day).date()
            return datetime.combine(whole, time.max if upper else time.min, UTC)
        return datetime.fromisoformat(f"{day}T{clock.replace(',', '.')}{zone}").astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidTimeError(f"No calendar has this time. {_EXAMPLE}.") from error


def to_zone(at: datetime, zone: tzinfo) -> datetime:
    """An aware time in a zone; in UTC where the zone has no such time.

    Callers may write the first and the last day of the calendar, as in "valid until 9999-12-31".
    East or west of UTC these lie outside of every calendar.
    """
    try:
        return at.astimezone(zone)
    except OverflowError:
        return at.astimezone(UTC)


def _explain(text: str) -> str:
    if _SINCE_1970.fullmatch(text):
        digits = text.lstrip("-").partition(".")[0]
        unit = "seconds" if len(digits) < 12 else "milliseconds"
        return f"These look like {unit} since 1970, which are not read. "
    if len(text) <= MAX_TIME_CHARACTERS and _LOST_PLUS.search(text):
        return "In an address a “+” is written %2B. "
    return ""
