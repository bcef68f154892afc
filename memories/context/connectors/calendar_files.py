"""iCalendar files (RFC 5545): the events of the next year, recurring ones day by day.

A rule can recur each second for ever, so rules that recur within a day are left out, and reading
stops after a time limit; the problems say what was left out. A single rule can take long as well,
so files are read in a process of their own (`reader`).
"""

import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import recurring_ical_events
from icalendar import Calendar

from memories.context.connectors.calendar_parts import (
    CalendarParts,
    calendar_parts,
    is_calendar,
)
from memories.context.connectors.parse_result import (
    MAX_TITLE_CHARACTERS,
    ParsedEntry,
    ParseResult,
    UnreadableFileError,
    clean_line,
    format_count,
)

MAX_BYTES = 4_000_000
LOOK_AHEAD, LOOK_BACK = timedelta(days=366), timedelta(days=1)
MAX_EVENTS = 2_000
# Of the processor, for parsing and for expanding together.
MAX_SECONDS = 2.0
_FRAME = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n%s\r\nEND:VCALENDAR\r\n"
_SUBDAILY_FREQUENCIES = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
_SUBDAILY_PARTS = ("BYSECOND", "BYMINUTE", "BYHOUR")
_EARLIEST_YEAR = 1970


def parse_calendar(data: bytes, *, now: datetime, zone: tzinfo = UTC) -> ParseResult:
    """The events from yesterday until a year from now, the soonest MOST_EVENTS.

    zone: for times and days without one. Raises UnreadableImportError.
    """
    if not is_calendar(data):
        raise UnreadableFileError("This is no calendar file (iCalendar, .ics).")
    span = now - LOOK_BACK, now + LOOK_AHEAD
    parts = calendar_parts(data, *span)
    until = time.process_time() + MAX_SECONDS
    series, unread = _group_by_uid(parts, until)
    entries: list[ParsedEntry] = []
    often = 0
    for events in series:
        try:
            if any(_recurs_too_often(event) for event in events):
                often += 1
            elif time.process_time() > until:
                unread += 1
            else:
                entries += _expand_occurrences(events, span, zone)
        except Exception:  # a broken event is left out, the others are read
            unread += 1
    entries.sort(key=lambda entry: (entry.at, entry.title))
    return ParseResult(
        entries=entries[:MAX_EVENTS],
        problems=_problems(often, unread + parts.left_out, len(entries) - MAX_EVENTS),
    )


def _group_by_uid(parts: CalendarParts, until: float) -> tuple[list[list[Any]], int]:
    """(the events grouped by UID: a rule with the changes of single occurrences, how many could not
    be read). until: the processor time after which no further one is parsed."""
    # A zone that is parsed is known by its name to the events that are parsed after it.
    for part in parts.zones:
        with suppress(Exception):
            Calendar.from_ical(_FRAME % part)
    by_uid: dict[str, list[Any]] = defaultdict(list)
    unread = 0
    for number, part in enumerate(parts.events):
        if time.process_time() > until:
            unread += len(parts.events) - number
            break
        try:
            (event,) = Calendar.from_ical(_FRAME % part).walk("VEVENT")
        except Exception:  # the library raises many kinds of errors
            unread += 1
        else:
            by_uid[str(event.get("UID") or f"without {number}")].append(event)
    return list(by_uid.values()), unread


def _recurs_too_often(event: Any) -> bool:
    """Whether an event recurs within a day, has several rules or begins too early: expanding it
    could take too long."""
    if isinstance(event.get("RRULE"), list) or "EXRULE" in event:
        return True
    rules = [event["RRULE"]] if "RRULE" in event else []
    for rule in rules:
        frequency = {str(one).upper() for one in rule.get("FREQ", [])}
        if frequency & _SUBDAILY_FREQUENCIES or any(
            len(rule.get(name, [])) > 1 for name in _SUBDAILY_PARTS
        ):
            return True
    start = getattr(event.get("DTSTART"), "dt", None)
    return bool(rules) and start is not None and start.year < _EARLIEST_YEAR


def _expand_occurrences(
    events: list[Any], span: tuple[datetime, datetime], zone: tzinfo
) -> list[ParsedEntry]:
    alone = Calendar()
    for event in events:
        alone.add_component(event)
    found = recurring_ical_events.of(alone, skip_bad_series=True).between(*span)
    entries = [_to_entry(one, zone) for one in found if str(one.get("STATUS", "")) != "CANCELLED"]
    latest = span[1] + LOOK_AHEAD
    return [
        replace(one, until=None) if one.until and not one.at <= one.until <= latest else one
        for one in entries
    ]


def _to_entry(event: Any, zone: tzinfo) -> ParsedEntry:
    start, end = event["DTSTART"].dt, getattr(event.get("DTEND"), "dt", None)
    organizer = event.get("ORGANIZER")
    person = "" if organizer is None else str(organizer.params.get("CN", "") or organizer)
    return ParsedEntry(
        at=_to_datetime(start, zone),
        until=None if end is None else _to_datetime(end, zone),
        all_day=not isinstance(start, datetime),
        title=clean_line(str(event.get("SUMMARY", "")), MAX_TITLE_CHARACTERS) or "Without a title",
        person=clean_line(
            person.removeprefix("mailto:").removeprefix("MAILTO:"), MAX_TITLE_CHARACTERS
        ),
        place=clean_line(str(event.get("LOCATION", "")), MAX_TITLE_CHARACTERS),
    )


def _to_datetime(value: date, zone: tzinfo) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=zone)
    return value if value.tzinfo else value.replace(tzinfo=zone)


def _problems(often: int, unread: int, over: int) -> list[str]:
    problems = []
    if often:
        problems.append(
            f"{format_count(often, 'event', 'events')} left out: repeated more than once a day, or "
            f"since before {_EARLIEST_YEAR}."
        )
    if unread:
        problems.append(f"{format_count(unread, 'event', 'events')} could not be read.")
    if over > 0:
        problems.append(f"{format_count(over, 'later event', 'later events')} left out.")
    return problems
