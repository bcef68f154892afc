"""iCalendar files (RFC 5545): the events of the next year, recurring ones day by day.

A rule can recur each second for ever, so rules that recur within a day are left out, and reading
stops after a time limit; the problems say what was left out. A single rule can take long as well,
so files are read in a process of their own (`reader`).
"""

import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import recurring_ical_events
from icalendar import Calendar

from memories.context.connectors.parsed import TITLE, Entry, Parsed, Unreadable, clean, count_of

MOST_BYTES = 4_000_000
AHEAD, BACK = timedelta(days=366), timedelta(days=1)
MOST_EVENTS = 2_000
SECONDS = 10.0
_TOO_OFTEN = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
_WITHIN_A_DAY = ("BYSECOND", "BYMINUTE", "BYHOUR")
_EARLIEST = 1970


def parse_calendar(data: bytes, *, now: datetime, zone: tzinfo = UTC) -> Parsed:
    """The events from yesterday until a year from now, the soonest MOST_EVENTS.

    zone: for times and days without one. Raises Unreadable.
    """
    try:
        calendars = Calendar.from_ical(data, multiple=True)
        series = _series(calendars)
    except Exception as error:  # the library raises many kinds of errors
        raise Unreadable("This is no calendar file (iCalendar, .ics).") from error
    if not calendars:
        raise Unreadable("This is no calendar file (iCalendar, .ics).")
    span = now - BACK, now + AHEAD
    entries: list[Entry] = []
    often = unread = 0
    until = time.monotonic() + SECONDS
    for events in series:
        try:
            if any(_recurs_too_often(event) for event in events):
                often += 1
            elif time.monotonic() > until:
                unread += 1
            else:
                entries += _occurrences(events, span, zone)
        except Exception:  # a broken event is left out, the others are read
            unread += 1
    entries.sort(key=lambda entry: (entry.at, entry.title))
    return Parsed(
        entries=entries[:MOST_EVENTS],
        problems=_problems(often, unread, len(entries) - MOST_EVENTS),
    )


def _series(calendars: list[Any]) -> list[list[Any]]:
    """The events grouped by UID: a rule with the changes of single occurrences."""
    by_uid: dict[str, list[Any]] = defaultdict(list)
    for calendar in calendars:
        for number, event in enumerate(calendar.walk("VEVENT")):
            by_uid[str(event.get("UID") or f"without {number}")].append(event)
    return list(by_uid.values())


def _recurs_too_often(event: Any) -> bool:
    """Whether an event recurs within a day, has several rules or begins too early: expanding it
    could take too long."""
    if isinstance(event.get("RRULE"), list) or "EXRULE" in event:
        return True
    rules = [event["RRULE"]] if "RRULE" in event else []
    for rule in rules:
        frequency = {str(one).upper() for one in rule.get("FREQ", [])}
        if frequency & _TOO_OFTEN or any(len(rule.get(name, [])) > 1 for name in _WITHIN_A_DAY):
            return True
    start = getattr(event.get("DTSTART"), "dt", None)
    return bool(rules) and start is not None and start.year < _EARLIEST


def _occurrences(events: list[Any], span: tuple[datetime, datetime], zone: tzinfo) -> list[Entry]:
    alone = Calendar()
    for event in events:
        alone.add_component(event)
    found = recurring_ical_events.of(alone, skip_bad_series=True).between(*span)
    entries = [_entry(one, zone) for one in found if str(one.get("STATUS", "")) != "CANCELLED"]
    latest = span[1] + AHEAD
    return [
        replace(one, until=None) if one.until and not one.at <= one.until <= latest else one
        for one in entries
    ]


def _entry(event: Any, zone: tzinfo) -> Entry:
    start, end = event["DTSTART"].dt, getattr(event.get("DTEND"), "dt", None)
    organizer = event.get("ORGANIZER")
    person = "" if organizer is None else str(organizer.params.get("CN", "") or organizer)
    return Entry(
        at=_moment(start, zone),
        until=None if end is None else _moment(end, zone),
        all_day=not isinstance(start, datetime),
        title=clean(str(event.get("SUMMARY", "")), TITLE) or "Without a title",
        person=clean(person.removeprefix("mailto:").removeprefix("MAILTO:"), TITLE),
        place=clean(str(event.get("LOCATION", "")), TITLE),
    )


def _moment(value: date, zone: tzinfo) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=zone)
    return value if value.tzinfo else value.replace(tzinfo=zone)


def _problems(often: int, unread: int, over: int) -> list[str]:
    problems = []
    if often:
        problems.append(
            f"{count_of(often, 'event', 'events')} left out: repeated more than once a day, or "
            f"since before {_EARLIEST}."
        )
    if unread:
        problems.append(f"{count_of(unread, 'event', 'events')} could not be read.")
    if over > 0:
        problems.append(f"{count_of(over, 'later event', 'later events')} left out.")
    return problems
