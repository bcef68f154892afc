"""Days, weeks, months and years around a moment, in the local time of whoever asks. Pure."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from memories.retrieval.timeframes.tokens import MONTHS, WEEKDAYS

DAY, WEEK = timedelta(days=1), timedelta(days=7)
# The finest that a column of the database holds.
TICK = timedelta(microseconds=1)
PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of local time, its end not included, and the place after its words.

    sharp: it is a moment. again: how many months or days before it the same name was meant last, as
    (months, days); none for what has one date.
    """

    start: datetime
    end: datetime
    at: int
    sharp: bool = False
    again: tuple[int, int] = (0, 0)

    def whole(self) -> "Span":
        """Of a moment its day, of everything else itself."""
        if not self.sharp:
            return self
        start = midnight(self.start)
        return Span(start, start + DAY, self.at)

    def earlier(self) -> datetime:
        """The start of the one before it; the same where there is none."""
        months, days = self.again
        return months_later(self.start, -months) - days * DAY


class Clock:
    """Where a day, a week, a month and a year begin and end; now with a time zone."""

    def __init__(self, now: datetime, zone: tzinfo) -> None:
        self.zone = zone
        self.now = now.astimezone(zone).replace(tzinfo=None)
        self.today = midnight(self.now)
        self.monday = self.today - self.today.weekday() * DAY

    def aware(self, local: datetime) -> datetime:
        """A local moment in UTC."""
        return local.replace(tzinfo=self.zone).astimezone(UTC)

    def local(self, moment: datetime) -> datetime:
        """A moment as clocks there show it; without a zone it is local already."""
        return moment.astimezone(self.zone).replace(tzinfo=None) if moment.tzinfo else moment

    def part(self, day: datetime, word: str, at: int) -> Span:
        """A day, or the part of it that a word names at this place."""
        if hours := PARTS.get(word):
            begin, end = (day + timedelta(hours=hour) for hour in hours)
            return Span(begin, end, at + 1)
        return Span(day, day + DAY, at)

    def unit(self, unit: str, step: int, at: int) -> Span:
        """The whole day, week, weekend, month or year so many steps from this one."""
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
                first = months_later(self.today.replace(day=1), step)
                return month_of(first.year, first.month, at)
        return year_of(self.today.year + step, at)

    def lasting(self, number: int, unit: str, at: int) -> Span:
        """So many units up to now: whole days, and today; of weekends those that are over."""
        end = self.today + DAY
        match unit:
            case "hour":
                return Span(self.now - timedelta(hours=number), self.now + TICK, at)
            case "weekend":
                first, last = self.unit(unit, -number, at), self.unit(unit, -1, at)
                return Span(first.start, last.end, at)
            case "month" | "year":
                count = number * (12 if unit == "year" else 1)
                return Span(months_later(self.today, -count), end, at)
        return Span(self.today - number * (WEEK if unit == "week" else DAY), end, at)

    def weekday(self, name: str, step: int) -> datetime:
        """The last one before today (-1), the one of this week (0), the first after today (1)."""
        day = WEEKDAYS.index(name)
        if not step:
            return self.monday + day * DAY
        return self.today + step * ((day - self.today.weekday()) * step % 7 or 7) * DAY

    def year_for(self, month: int, day: int, step: int) -> int:
        """The year of a month or day that is named without one: the past one, as with a weekday.

        step: -1 for the last one that is not now, 1 for the next, 0 for this year's.
        """
        begun = (month, day or 1) <= (self.today.month, self.today.day)
        if step == 1:
            return self.today.year + begun
        now = month == self.today.month and step == -1
        return self.today.year - (not begun or now) * (step is not THIS)


# The steps of a name of a month that stands alone, and of "this March".
ALONE, THIS = -2, 0


def midnight(moment: datetime) -> datetime:
    """The beginning of its day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(year: int, month: int, day: int, at: int, *, again: tuple[int, int] = (0, 0)) -> Span:
    """A day of the calendar. Raises ValueError for one that there is not."""
    start = datetime(year, month, day)  # noqa: DTZ001 - local; Clock.aware adds the zone
    return Span(start, start + DAY, at, again=again)


def month_of(year: int, month: int, at: int, *, again: tuple[int, int] = (0, 0)) -> Span:
    """A month of the calendar. Raises ValueError for one that there is not."""
    first = day_of(year, month, 1, at)
    return Span(first.start, first.start + monthrange(year, month)[1] * DAY, at, again=again)


def year_of(year: int, at: int) -> Span:
    """A year of the calendar."""
    return Span(day_of(year, 1, 1, at).start, day_of(year + 1, 1, 1, at).start, at)


def month_number(name: str) -> int:
    """1 to 12; 0 for what is no month."""
    return MONTHS.index(name) + 1 if name in MONTHS else 0


def months_later(moment: datetime, count: int) -> datetime:
    """So many months later; the last day of a shorter month stands for one that is not there."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
