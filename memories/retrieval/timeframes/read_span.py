"""Read one time in words: a day, a week, "3 days ago", "March 3rd". Pure, English."""

import re
from datetime import datetime

from memories.retrieval.timeframes.spans import (
    DAY,
    NO_STEP,
    PART_OF_DAY_HOURS,
    THIS_STEP,
    LocalCalendar,
    Span,
    day_span,
    month_number,
    month_span,
    year_span,
)
from memories.retrieval.timeframes.tokens import (
    LAST_WORDS,
    WEEKDAYS,
    TokenSequence,
    is_year,
    parse_day_number,
)

RECENT_DAYS = 3
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](.+))?", re.IGNORECASE)
_DAY_OFFSETS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_STEP_BY_WORD = {"this": 0, "next": 1, "coming": 1} | dict.fromkeys(LAST_WORDS, -1)


def read_span(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """The time that begins at this place, or None.

    Raises ValueError and OverflowError for a time outside the calendar.
    """
    if words[at] == "the":
        at += 1
    for read in (
        _read_iso_date,
        _read_near_day,
        _read_before_last,
        _read_last_units,
        _read_this_or_next,
        _read_ago,
        _read_month_first,
        _read_day_first,
    ):
        if found := read(words, clock, at):
            return found
    return None


def _read_iso_date(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    found = _ISO_DATE.fullmatch(words[at])
    if found is None:
        return None
    year, month, day, time = found.groups()
    if day is None:
        return month_span(int(year), int(month), at + 1)
    if time is None:
        return day_span(int(year), int(month), int(day), at + 1)
    written = f"{year}-{month}-{day}T{time.upper().replace('Z', '+00:00')}"
    moment = clock.local(datetime.fromisoformat(written))
    return Span(moment, moment, at + 1, sharp=True)


def _read_near_day(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    word, today = words[at], clock.today
    if word in _DAY_OFFSETS:
        return clock.part(today + _DAY_OFFSETS[word] * DAY, words[at + 1], at + 1)
    if (word, words[at + 1], words[at + 2]) == ("day", "before", "yesterday"):
        return clock.part(today - 2 * DAY, words[at + 3], at + 3)
    if (word, words[at + 1], words[at + 2]) == ("day", "after", "tomorrow"):
        return clock.part(today + 2 * DAY, words[at + 3], at + 3)
    if word in ("recent", "recently", "lately"):
        return Span(today - RECENT_DAYS * DAY, today + DAY, at + 1)
    if word == "tonight":
        return clock.part(today, "night", at)
    return Span(clock.now, clock.now, at + 1, sharp=True) if word == "now" else None


def _read_before_last(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """The weekend; "week before last"."""
    unit = words.unit(at)
    if unit and words[at + 1] == "before" and words[at + 2] in LAST_WORDS:
        return clock.unit(unit, -2, at + 3)
    return clock.unit("weekend", 0, at + 1) if words[at] == "weekend" else None


def _read_last_units(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """ "last 3 days", "past few weeks"."""
    if words[at] not in LAST_WORDS or (counted := words.count(at + 1)) is None:
        return None
    number, place = counted
    unit = words.unit(place)
    return clock.lasting(number, unit, place + 1) if unit else None


def _read_this_or_next(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """this, last and next, before a part of the day, a weekday, a month or a unit."""
    if words[at] not in _STEP_BY_WORD:
        return None
    step, what, unit = _STEP_BY_WORD[words[at]], words[at + 1], words.unit(at + 1)
    if what in PART_OF_DAY_HOURS and step <= 0:
        return clock.part(clock.today + step * DAY, what, at + 1)
    if what in WEEKDAYS:
        return clock.part(clock.weekday(what, step), words[at + 2], at + 2)
    if month_number(what):
        return _read_month_first(words, clock, at + 1, step)
    return clock.unit(unit, step, at + 2) if unit and unit != "hour" else None


def _read_ago(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """ "3 days ago": the whole day, week, month or year."""
    if (counted := words.count(at)) is None:
        return None
    number, place = counted
    unit = words.unit(place)
    return clock.unit(unit, -number, place + 2) if unit and words[place + 1] == "ago" else None


def _read_month_first(
    words: TokenSequence, clock: LocalCalendar, at: int, step: int = NO_STEP
) -> Span | None:
    """March, March 3, March 3rd, 2026, March 2025."""
    month, place = month_number(words[at]), at + 1
    if not month:
        return None
    day = parse_day_number(words[place])
    if day:
        place += 2 if words[place + 1] == "," and is_year(words[place + 2]) else 1
    return _month_or_day(words, clock, month, day, place, step)


def _read_day_first(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """A weekday, 3 March, the 3rd of March 2026, or a year."""
    word = words[at]
    if word in WEEKDAYS:
        found = clock.part(clock.weekday(word, -1), words[at + 1], at + 1)
        return Span(found.start, found.end, found.at, again=(0, 7))
    if day := parse_day_number(word):
        place = at + (2 if words[at + 1] == "of" else 1)
        if month := month_number(words[place]):
            return _month_or_day(words, clock, month, day, place + 1, NO_STEP)
    return year_span(int(word), at + 1) if is_year(word) else None


def _month_or_day(
    words: TokenSequence, clock: LocalCalendar, month: int, day: int, at: int, step: int
) -> Span:
    """A month, or that day of it if `day` is above 0; without a year in the text, the last past
    one."""
    named = is_year(words[at])
    year = int(words[at]) if named else clock.year_for(month, day, step)
    place, again = at + named, (0, 0) if named or step == THIS_STEP else (12, 0)
    if day:
        return day_span(year, month, day, place, again=again)
    return month_span(year, month, place, again=again)
