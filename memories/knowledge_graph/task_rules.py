"""The due date and the assignee of a task, if its text states them plainly. Pure.

English stands here; other languages are read with their vocabularies.

Uncertain cases stay open: several dates, a name that two people have, "we".
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from memories.language.entities import MAX_NAME_CHARACTERS
from memories.language.relative_dates import resolve_relative_dates
from memories.language.spoken_times.duties import OWN, SHARED, find_deadlines, find_duties

# The answer of `assigned` that means the speaker.
ASSIGNED_TO_SPEAKER = "I"

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_ISO = r"(?P<iso>\d{4}-\d\d-\d\d)"
_DATE = (
    rf"(?:{_ISO}|(?P<day>{'|'.join(_DAYS)})"
    rf"|(?P<before>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})"
    rf"(?:,? (?P<year>(?:19|20)\d\d))?"
    rf"|(?P<month_first>{_MONTH}) (?P<after>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:,? (?P<year_last>(?:19|20)\d\d))?)"
)
_DEADLINE = re.compile(
    r"\b(?P<word>by|until|till|before|no later than|due(?: on| by)?)"
    r" (?:the )?(?:(?:end|morning|afternoon|evening|night) of )?"
    rf"{_DATE}(?![\w-])",
    re.IGNORECASE,
)
# "tomorrow" has become "on" and a date before these rules read it.
_FINAL_DATE = re.compile(
    r" on (?:the (?:morning|afternoon|evening|night) of )?(\d{4}-\d\d-\d\d)[ .!]*$"
)
_NAME = r"[^\W\d_][\w’'.-]{0,58}"
_ASSIGNEE = re.compile(
    rf"^(?P<who>{_NAME}(?: {_NAME}){{0,2}}?)(?:['’]ll| will| needs? to| ha(?:s|ve) to| must| to) "
    r"(?!not\b|never\b)"
)
_DAYS_PER_WEEK = 7
# In days. A date in the past, or more than this ahead, is no due date.
_MAX_DAYS_AHEAD = 3660


def find_due_date(text: str, said_on: date) -> date | None:
    """The last day on which it is in time; None if the text names no day or several.

    said_on: the day on which it was said; no due day is before it. A weekday, or a day without a
    year, means the next one; "before Friday" ends on Thursday.
    """
    found = find_deadlines(text[:MAX_NAME_CHARACTERS], said_on)
    plain = text if found else resolve_relative_dates(text[:MAX_NAME_CHARACTERS], said_on)
    for match in () if found else _DEADLINE.finditer(plain):
        day = _parse_day(match, said_on)
        if day and match["word"].casefold() == "before":
            day = _add_days(day, -1)
        found |= {day} if day else set()
    if not found and (last := _FINAL_DATE.search(plain)):
        day = _date_or_none(*map(int, last[1].split("-")))
        found |= {day} if day else set()
    day = found.pop() if len(found) == 1 else None
    return (
        day if day and said_on <= day <= (_add_days(said_on, _MAX_DAYS_AHEAD) or date.max) else None
    )


def find_assignee(text: str, names: Sequence[str]) -> str | None:
    """The assignee: one of the names, SPEAKER for the speaker, None if it is not plain.

    names: of those who may be meant. The whole name counts, and its first word if only one of them
    has it.
    """
    text = text[:MAX_NAME_CHARACTERS]
    match = _ASSIGNEE.match(text)
    named = match["who"] if match else _find_spoken_assignee(text)
    if named is None or named == ASSIGNED_TO_SPEAKER:
        return named
    who = named.casefold()
    whole = [name for name in names if name.casefold() == who]
    called = whole or [name for name in names if name.casefold().split()[:1] == [who]]
    return called[0] if len(called) == 1 else None


def _find_spoken_assignee(text: str) -> str | None:
    """The assignee by a duty in another language: a name, or the speaker."""
    duty = next(find_duties(text), None)
    if duty is None or duty.whose == SHARED:
        return None
    return ASSIGNED_TO_SPEAKER if duty.whose == OWN else duty.who


def _parse_day(match: re.Match[str], said_on: date) -> date | None:
    if match["iso"]:
        return _date_or_none(*map(int, match["iso"].split("-")))
    if match["day"]:
        ahead = (_DAYS.index(match["day"].casefold()) - said_on.weekday()) % _DAYS_PER_WEEK
        return _add_days(said_on, ahead or _DAYS_PER_WEEK)
    month = _MONTHS.index((match["month"] or match["month_first"])[:3].casefold()) + 1
    day, year = int(match["before"] or match["after"]), match["year"] or match["year_last"]
    if year:
        return _date_or_none(int(year), month, day)
    this = _date_or_none(said_on.year, month, day)
    return this if this and this >= said_on else _date_or_none(said_on.year + 1, month, day)


def _date_or_none(year: int, month: int, day: int) -> date | None:
    """The date, or None if it does not exist."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _add_days(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days)
    except OverflowError:
        return None
