"""Relative times in the languages of the vocabularies, as dates of the calendar. Pure.

What is uncertain stays as it was said: a weekday alone may be past or future, and a distance beside
a past verb may be a duration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from memories.language.spoken_times.time_phrases import (
    BETWEEN,
    DISTANCE,
    UNIT,
    WEEKDAY,
    SpokenTime,
    TimePhrase,
    find_time_phrases,
)

_DAYS_PER_WEEK = 7


@dataclass(frozen=True, slots=True)
class DatedTime:
    """A time of a text as a date.

    words: as they were said. precision: day, week, weekend, month or year. written: an ISO date, a
    year and month, or a year. phrase: where it stands.
    """

    words: str
    precision: str
    written: str
    phrase: TimePhrase


def date_spoken_times(text: str, said_on: date, language: str | None = None) -> Iterator[DatedTime]:
    """The relative times of a text that is not English, in their order."""
    for phrase in find_time_phrases(text, language):
        if phrase.bound == BETWEEN or phrase.first.ended:
            continue
        if phrase.first.uncertain and (phrase.past or not phrase.vocabulary.times.past):
            continue
        if dated := date_time(phrase.first, said_on):
            words = text[phrase.core_start : phrase.core_end]
            yield DatedTime(words, *dated, phrase)


def replace_spoken_times(text: str, said_on: date, language: str | None = None) -> str:
    """The text with its relative times as dates; an English text as it is."""
    parts: list[str] = []
    at = 0
    for dated in date_spoken_times(text, said_on, language):
        parts += [text[at : dated.phrase.core_start], _write(dated)]
        at = dated.phrase.core_end
    return "".join((*parts, text[at:])) if parts else text


def _write(dated: DatedTime) -> str:
    words, phrase = _phrase_words(dated), dated.phrase
    if phrase.first.part and not _is_said(phrase):
        # "stasera" is one word for a day and its part.
        part = phrase.vocabulary.times.day_parts[phrase.first.part].split()[0]
        words += f" {part.replace('_', ' ')}"
    return words[0].upper() + words[1:] if dated.words[0].isupper() else words


def _is_said(phrase: TimePhrase) -> bool:
    """Whether words of their own name the part of the day."""
    return phrase.core_end < phrase.end


def _phrase_words(dated: DatedTime) -> str:
    """The date as it is written into its text; beside a bound without a preposition of its own."""
    if dated.phrase.bound:
        return dated.written
    return dated.phrase.vocabulary.times.written[dated.precision].format(dated.written)


def date_time(time: SpokenTime, today: date) -> tuple[str, str] | None:
    """(precision, date) of a relative time; None for one that is uncertain, written out, or outside
    the calendar."""
    try:
        return _date_time(time, today)
    except (OverflowError, ValueError):
        return None


def _date_time(time: SpokenTime, today: date) -> tuple[str, str] | None:
    if time.step is None:
        return None
    if time.kind == WEEKDAY:
        return "day", date_weekday(time.weekday, time.step, today).isoformat()
    if time.kind not in (UNIT, DISTANCE):
        return None
    day = None
    if time.unit == "day":
        day = today + timedelta(days=time.step)
    elif time.unit in ("week", "weekend"):
        day = today + timedelta(weeks=time.step)
        if time.kind == UNIT:
            saturday = 5 if time.unit == "weekend" else 0
            monday = day - timedelta(days=day.weekday())
            return time.unit, (monday + timedelta(days=saturday)).isoformat()
    if day:
        return "day", day.isoformat()
    return _date_month_or_year(time.unit, time.step, today)


def _date_month_or_year(unit: str, step: int, today: date) -> tuple[str, str] | None:
    if unit == "month":
        months = today.year * 12 + today.month - 1 + step
        return unit, f"{date(months // 12, months % 12 + 1, 1):%Y-%m}"
    return (unit, f"{date(today.year + step, 1, 1).year:04}") if unit == "year" else None


def date_weekday(weekday: int, step: int, today: date) -> date:
    """The weekday before today (-1), the first from today on (0), or the first after today (1)."""
    ahead = (weekday - today.weekday()) % _DAYS_PER_WEEK
    if step < 0:
        return today - timedelta(days=_DAYS_PER_WEEK - ahead)
    if not step and not ahead:
        return today
    return today + timedelta(days=ahead or _DAYS_PER_WEEK)
