"""Read one time in words: a day, a week, "3 days ago", "March 3rd". Pure, English."""

import re
from datetime import datetime

from memories.retrieval.timeframes.spans import (
    ALONE,
    DAY,
    PARTS,
    THIS,
    Clock,
    Span,
    day_of,
    month_number,
    month_of,
    year_of,
)
from memories.retrieval.timeframes.tokens import LAST, WEEKDAYS, Words, day_number, is_year

RECENT_DAYS = 3
_DATED = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](.+))?", re.IGNORECASE)
_NEAR = {"today": 0, "yesterday": -1, "tomorrow": 1}
_STEPS = {"this": 0, "next": 1, "coming": 1} | dict.fromkeys(LAST, -1)


def read_span(words: Words, clock: Clock, at: int) -> Span | None:
    """The time that begins at this place, or None.

    Raises ValueError and OverflowError for a time outside the calendar.
    """
    if words[at] == "the":
        at += 1
    for read in (_dated, _near, _before_last, _counted, _relative, _ago, _month_first, _day_first):
        if found := read(words, clock, at):
            return found
    return None


def _dated(words: Words, clock: Clock, at: int) -> Span | None:
    found = _DATED.fullmatch(words[at])
    if found is None:
        return None
    year, month, day, time = found.groups()
    if day is None:
        return month_of(int(year), int(month), at + 1)
    if time is None:
        return day_of(int(year), int(month), int(day), at + 1)
    written = f"{year}-{month}-{day}T{time.upper().replace('Z', '+00:00')}"
    moment = clock.local(datetime.fromisoformat(written))
    return Span(moment, moment, at + 1, sharp=True)


def _near(words: Words, clock: Clock, at: int) -> Span | None:
    word, today = words[at], clock.today
    if word in _NEAR:
        return clock.part(today + _NEAR[word] * DAY, words[at + 1], at + 1)
    if (word, words[at + 1], words[at + 2]) == ("day", "before", "yesterday"):
        return clock.part(today - 2 * DAY, words[at + 3], at + 3)
    if (word, words[at + 1], words[at + 2]) == ("day", "after", "tomorrow"):
        return clock.part(today + 2 * DAY, words[at + 3], at + 3)
    if word in ("recent", "recently", "lately"):
        return Span(today - RECENT_DAYS * DAY, today + DAY, at + 1)
    if word == "tonight":
        return clock.part(today, "night", at)
    return Span(clock.now, clock.now, at + 1, sharp=True) if word == "now" else None


def _before_last(words: Words, clock: Clock, at: int) -> Span | None:
    """The weekend; "week before last"."""
    unit = words.unit(at)
    if unit and words[at + 1] == "before" and words[at + 2] in LAST:
        return clock.unit(unit, -2, at + 3)
    return clock.unit("weekend", 0, at + 1) if words[at] == "weekend" else None


def _counted(words: Words, clock: Clock, at: int) -> Span | None:
    """ "last 3 days", "past few weeks"."""
    if words[at] not in LAST or (counted := words.count(at + 1)) is None:
        return None
    number, place = counted
    unit = words.unit(place)
    return clock.lasting(number, unit, place + 1) if unit else None


def _relative(words: Words, clock: Clock, at: int) -> Span | None:
    """this, last and next, before a part of the day, a weekday, a month or a unit."""
    if words[at] not in _STEPS:
        return None
    step, what, unit = _STEPS[words[at]], words[at + 1], words.unit(at + 1)
    if what in PARTS and step <= 0:
        return clock.part(clock.today + step * DAY, what, at + 1)
    if what in WEEKDAYS:
        return clock.part(clock.weekday(what, step), words[at + 2], at + 2)
    if month_number(what):
        return _month_first(words, clock, at + 1, step)
    return clock.unit(unit, step, at + 2) if unit and unit != "hour" else None


def _ago(words: Words, clock: Clock, at: int) -> Span | None:
    """ "3 days ago": the whole day, week, month or year."""
    if (counted := words.count(at)) is None:
        return None
    number, place = counted
    unit = words.unit(place)
    return clock.unit(unit, -number, place + 2) if unit and words[place + 1] == "ago" else None


def _month_first(words: Words, clock: Clock, at: int, step: int = ALONE) -> Span | None:
    """March, March 3, March 3rd, 2026, March 2025."""
    month, place = month_number(words[at]), at + 1
    if not month:
        return None
    day = day_number(words[place])
    if day:
        place += 2 if words[place + 1] == "," and is_year(words[place + 2]) else 1
    return _of_month(words, clock, month, day, place, step)


def _day_first(words: Words, clock: Clock, at: int) -> Span | None:
    """A weekday, 3 March, the 3rd of March 2026, or a year."""
    word = words[at]
    if word in WEEKDAYS:
        found = clock.part(clock.weekday(word, -1), words[at + 1], at + 1)
        return Span(found.start, found.end, found.at, again=(0, 7))
    if day := day_number(word):
        place = at + (2 if words[at + 1] == "of" else 1)
        if month := month_number(words[place]):
            return _of_month(words, clock, month, day, place + 1, ALONE)
    return year_of(int(word), at + 1) if is_year(word) else None


def _of_month(words: Words, clock: Clock, month: int, day: int, at: int, step: int) -> Span:
    """A month, or that day of it if `day` is above 0; without a year in the text, the last past
    one."""
    named = is_year(words[at])
    year = int(words[at]) if named else clock.year_for(month, day, step)
    place, again = at + named, (0, 0) if named or step == THIS else (12, 0)
    if day:
        return day_of(year, month, day, place, again=again)
    return month_of(year, month, place, again=again)
