"""Times in words of other languages than English, as ranges. Pure.

The words are read in `language.vocabularies`; here they meet the calendar of whoever asks. Weeks,
weekdays and months without a year mean what they mean in `parse_timeframe`.
"""

from datetime import datetime

from memories.language.relative_dates import WEEKDAYS
from memories.language.spoken_times.time_phrases import (
    BETWEEN,
    DATE,
    LASTING,
    MONTH,
    WEEKDAY,
    SpokenTime,
    TimePhrase,
)
from memories.retrieval.timeframes.spans import (
    NO_STEP,
    LocalCalendar,
    Span,
    day_span,
    month_span,
    year_span,
)

# Both in local time; the end is not included. None is open.
LocalRange = tuple[datetime | None, datetime | None]


def spoken_range(phrase: TimePhrase, clock: LocalCalendar) -> LocalRange:
    """The range of a time with its bound. Raises ValueError and OverflowError for a time outside
    the calendar, and for a range that ends before it begins."""
    span = _spoken_span(phrase.first, clock)
    if phrase.last is not None and phrase.bound == BETWEEN:
        return _between(span, _spoken_span(phrase.last, clock))
    match phrase.bound:
        case "since":
            return span.start, None
        case "after":
            return span.end, None
        case "before":
            return None, span.start
        case "until":
            return None, span.end
    return span.start, span.end


def _between(first: Span, last: Span) -> LocalRange:
    start = first.start if first.start <= last.start else first.earlier()
    if start > last.start:
        raise ValueError("it ends before it begins")
    return start, last.end


def _spoken_span(time: SpokenTime, clock: LocalCalendar) -> Span:
    if time.kind == WEEKDAY:
        day = clock.weekday(WEEKDAYS[time.weekday], -1 if time.step is None else time.step)
        found = clock.part(day, time.part, 0)
        again = (0, 7) if time.step is None else (0, 0)
        return Span(found.start, found.end, 0, again=again)
    if time.kind == LASTING:
        return clock.lasting(time.count, time.unit, 0)
    if time.kind in (DATE, MONTH):
        return _date_span(time, clock)
    if time.unit == "day":
        return clock.part(clock.unit("day", time.step or 0, 0).start, time.part, 0)
    return clock.unit(time.unit, time.step or 0, 0)


def _date_span(time: SpokenTime, clock: LocalCalendar) -> Span:
    """A written date, a month or a year; without a year the last past one."""
    if not time.month:
        return year_span(time.year, 0)
    step = NO_STEP if time.step is None else time.step
    year = time.year or clock.year_for(time.month, time.day, step)
    again = (0, 0) if time.year or time.step == 0 else (12, 0)
    if time.day:
        return day_span(year, time.month, time.day, 0, again=again)
    return month_span(year, time.month, 0, again=again)
