"""Days, weeks, months and years around a moment, in the local time of whoever asks. Pure."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from memories.retrieval.timeframes.tokens import MONTHS, WEEKDAYS

DAY, WEEK = timedelta(days=1), timedelta(days=7)
# The resolution of a database column.
MICROSECOND = timedelta(microseconds=1)
PART_OF_DAY_HOURS = {
    "morning": (0, 12),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
}


@dataclass(frozen=True, slots=True)
class Span:
    """A span of local time, its end not included, and the place after its words.

    sharp: it is a single moment. again: the distance to the previous time with the same name, as
    (months, days); (0, 0) if there is only one.
    """

    start: datetime
    end: datetime
    at: int
    sharp: bool = False
    again: tuple[int, int] = (0, 0)

    def whole(self) -> "Span":
        """The day of a moment; any other span unchanged."""
        if not self.sharp:
            return self
        start = midnight(self.start)
        return Span(start, start + DAY, self.at)

    def earlier(self) -> datetime:
        """The start of the previous span with the same name; its own start if there is none."""
        months, days = self.again
        return add_months(self.start, -months) - days * DAY


class LocalCalendar:
    """The boundaries of days, weeks, months and years around `now`, which has a time zone."""

    def __init__(self, now: datetime, zone: tzinfo) -> None:
        self.zone = zone
        self.now = now.astimezone(zone).replace(tzinfo=None)
        self.today = midnight(self.now)
        self.monday = self.today - self.today.weekday() * DAY

    def aware(self, local: datetime) -> datetime:
        """A local time in UTC."""
        return local.replace(tzinfo=self.zone).astimezone(UTC)

    def local(self, moment: datetime) -> datetime:
        """A time in local time; without a zone it is local already."""
        return moment.astimezone(self.zone).replace(tzinfo=None) if moment.tzinfo else moment

    def part(self, day: datetime, word: str, at: int) -> Span:
        """A day, or the part of it that a word names."""
        if hours := PART_OF_DAY_HOURS.get(word):
            begin, end = (day + timedelta(hours=hour) for hour in hours)
            return Span(begin, end, at + 1)
        return Span(day, day + DAY, at)

    def unit(self, unit: str, step: int, at: int) -> Span:
        """The whole day, week, weekend, month or year `step` units from the present one."""
        monday = self.monday + step * WEEK
        match unit:
            case "hour":
                hour = self.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=step)
                return Span(hour, hour + timedelta(hours=1), at)
            case "day":
                return Span(self.today + step * DAY, self.today + (step + 1) * DAY, at)
            case "week":
                return Span(monday, monday + WEEK, at)
            case "weekend":
                return Span(monday + 5 * DAY, monday + WEEK, at)
            case "month":
                first = add_months(self.today.replace(day=1), step)
                return month_span(first.year, first.month, at)
        return year_span(self.today.year + step, at)

    def lasting(self, number: int, unit: str, at: int) -> Span:
        """The last `number` units up to now: whole days and today; of weekends those that are
        over."""
        end = self.today + DAY
        match unit:
            case "hour":
                return Span(self.now - timedelta(hours=number), self.now + MICROSECOND, at)
            case "weekend":
                first, last = self.unit(unit, -number, at), self.unit(unit, -1, at)
                return Span(first.start, last.end, at)
            case "month" | "year":
                count = number * (12 if unit == "year" else 1)
                return Span(add_months(self.today, -count), end, at)
        return Span(self.today - number * (WEEK if unit == "week" else DAY), end, at)

    def weekday(self, name: str, step: int) -> datetime:
        """A weekday: the last one before today (-1), that of this week (0), the first after today
        (1)."""
        day = WEEKDAYS.index(name)
        if not step:
            return self.monday + day * DAY
        return self.today + step * ((day - self.today.weekday()) * step % 7 or 7) * DAY

    def year_for(self, month: int, day: int, step: int) -> int:
        """The year of a month or day without one: the last past one, as with weekdays.

        step: -1 for the last one that is not now, 1 for the next, 0 for this year's.
        """
        begun = (month, day or 1) <= (self.today.month, self.today.day)
        if step == 1:
            return self.today.year + begun
        now = month == self.today.month and step == -1
        return self.today.year - (not begun or now) * (step is not THIS_STEP)


# The steps of a month without "this", "last" or "next", and of "this March".
NO_STEP, THIS_STEP = -2, 0


def midnight(moment: datetime) -> datetime:
    """The beginning of a day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_span(year: int, month: int, day: int, at: int, *, again: tuple[int, int] = (0, 0)) -> Span:
    """A day as a span. Raises ValueError for a day that does not exist."""
    start = datetime(year, month, day)  # noqa: DTZ001 - local; Clock.aware adds the zone
    return Span(start, start + DAY, at, again=again)


def month_span(year: int, month: int, at: int, *, again: tuple[int, int] = (0, 0)) -> Span:
    """A month as a span. Raises ValueError for a month that does not exist."""
    first = day_span(year, month, 1, at)
    return Span(first.start, first.start + monthrange(year, month)[1] * DAY, at, again=again)


def year_span(year: int, at: int) -> Span:
    """A year as a span."""
    return Span(day_span(year, 1, 1, at).start, day_span(year + 1, 1, 1, at).start, at)


def month_number(name: str) -> int:
    """The number of a month, 1 to 12; 0 for any other word."""
    return MONTHS.index(name) + 1 if name in MONTHS else 0


def add_months(moment: datetime, count: int) -> datetime:
    """The time `count` months later; a missing day becomes the last day of the month."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
