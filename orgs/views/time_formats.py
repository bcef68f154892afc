"""Days and times in one form, on every page and in every sentence; in the zone of who reads.

`components/when.html` shows one on a page, and is the only template that does. What stands in a
sentence that Python makes comes from `day`, the scale of a chart from `short_day`.
"""

from datetime import UTC, date, datetime, timedelta

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timesince import timesince
from django.utils.translation import pgettext, pgettext_lazy

from orgs.iso_times import to_zone
from orgs.languages.page_text import lazy_text
from orgs.models.base import day_of

register = template.Library()
NEAR_DAYS = {-1: lazy_text("yesterday"), 0: lazy_text("today"), 1: lazy_text("tomorrow")}
# As Django names them. A language orders and marks a day in its own way: "3 May", "3. Mai".
DAY_FORMATS = (
    pgettext_lazy("format of a day", "j M"),
    pgettext_lazy("format of a day", "j M Y"),
    pgettext_lazy("format of a day", "j F"),
    pgettext_lazy("format of a day", "j F Y"),
    pgettext_lazy("format of a day", "l j F Y"),
)


def local_time(at: datetime) -> datetime:
    """An aware time in the zone of who reads."""
    return to_zone(at, timezone.get_current_timezone())


def _localise(at: date | datetime) -> date | datetime:
    """The time in the zone of the reader; a date unchanged.

    The very beginning of a day is a day: of a lesson no finer time is kept (`day_of`).
    """
    if isinstance(at, datetime) and timezone.is_aware(at) and at == day_of(at):
        return at.astimezone(UTC).date()
    return local_time(at) if isinstance(at, datetime) and timezone.is_aware(at) else at


def _year_format(at: date | datetime) -> str:
    """The format of the year; empty for the present year."""
    return "" if _localise(at).year == timezone.localtime().year else " Y"


def _formed(at: date | datetime, of_day: str, of_time: str) -> str:
    """A day and its time; a day alone where that is all there is."""
    here = _localise(at)
    of_day = _day_format(of_day)
    return date_format(here, f"{of_day}, {of_time}" if isinstance(here, datetime) else of_day)


def _day_format(english: str) -> str:
    """One of DAY_FORMATS in the language of the page."""
    return pgettext("format of a day", english)


@register.filter
def shortly(at: datetime | None) -> str:
    """For lists: "3 minutes ago" on the same day, "yesterday", "3 May", "3 May 2025"."""
    if not at:
        return ""
    here, today = _localise(at), timezone.localtime().date()
    days = ((here.date() if isinstance(here, datetime) else here) - today) // timedelta(days=1)
    if not days and isinstance(here, datetime):
        return str(naturaltime(at))
    if days in NEAR_DAYS:
        return str(NEAR_DAYS[days])
    return date_format(here, _day_format(f"j M{_year_format(at)}"))


@register.filter
def day(at: date | datetime | None) -> str:
    """For sentences: "3 May", with the year where it is another one."""
    return date_format(_localise(at), _day_format(f"j F{_year_format(at)}")) if at else ""


@register.filter
def short_day(at: date | datetime, *, year: bool = False) -> str:
    """For the scale of a chart: "3 May", if wanted with the year."""
    return date_format(_localise(at), _day_format("j M Y" if year else "j M"))


def weekday(at: datetime) -> str:
    """ "Tuesday"."""
    return date_format(_localise(at), "l")


def elapsed_time(since: datetime) -> str:
    """How long ago: "3 hours, 5 minutes"."""
    return str(timesince(since))


@register.filter
def minute(at: datetime | None) -> str:
    """For evidence: "3 May 2026, 14:05 CEST"."""
    return _formed(at, "j F Y", "H:i T") if at else ""


@register.filter
def second(at: datetime | None) -> str:
    """For logs: "3 May, 14:05:33"; the whole time is in the title."""
    return _formed(at, f"j M{_year_format(at)}", "H:i:s") if at else ""


@register.filter
def clock(at: datetime | None) -> str:
    """Under a heading that says the day: "14:05"; nothing where the day is all that is kept."""
    here = _localise(at) if at else None
    return date_format(here, "H:i") if isinstance(here, datetime) else ""


def local_day(at: datetime) -> date:
    """The day in the zone of who reads."""
    here = _localise(at)
    return here.date() if isinstance(here, datetime) else here


@register.filter
def exactly(at: date | datetime | None) -> str:
    """The title of every form: "Sunday 3 May 2026, 14:05:33 CEST"; a date without a time."""
    return _formed(at, "l j F Y", "H:i:s T") if at else ""


@register.filter
def machine(at: date | datetime | None) -> str:
    """For `<time datetime>`."""
    return _localise(at).isoformat() if at else ""
