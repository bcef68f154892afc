"""Days, weeks, months and years around a moment, in the local time of whoever asks. Pure."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from memories.language.relative_dates import WEEKDAYS
from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY

# Tokens for reading times: words, numbers, units and names. Pure, English.

FEW_COUNT = 3
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
_SMALL_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
""".split()  # noqa: SIM905
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_NUMBERS = {word: number for number, word in enumerate(_SMALL_NUMBERS, 1)} | _TENS
_NUMBERS |= {"a": 1, "an": 1, "few": FEW_COUNT, "several": FEW_COUNT, "couple": 2, "dozen": 12}
# Counted from now, also where the clocks change.
CLOCK_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
UNITS = (*CLOCK_UNITS, "day", "week", "weekend", "fortnight", "month", "quarter", "year")
# After a number.
_SHORT_UNITS = {"m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "wk": "week"}
LAST_WORDS = ("last", "past", "previous")

_TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d{4}-\d\d(?!\d)|\d{1,4}(?:st|nd|rd|th)?\b|\d+|[^\W\d_]+|\S",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """word: in lower case. start, end: its place in the text. capital: whether it began with a
    capital."""

    word: str
    start: int
    end: int
    capital: bool


def tokenise(text: str) -> list[Token]:
    """The tokens of the first A_GLANCE characters of a text."""
    return [
        Token(found[0].lower(), found.start(), found.end(), found[0][0].isupper())
        for found in _TOKEN.finditer(text[:MAX_CHARACTERS_TO_CLASSIFY])
    ]


class TokenSequence:
    """Tokens by their place; after the end there are empty words."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenise(text)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, at: int) -> str:
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def unit(self, at: int, *, counted: bool = False) -> str:
        """The unit of time at this place, in the singular; else empty. counted: after a number it
        may be short, such as "min"."""
        single = self[at].removesuffix("s")
        if counted and single in _SHORT_UNITS:
            return _SHORT_UNITS[single]
        return single if single in UNITS else ""

    def count(self, at: int) -> tuple[int, int] | None:
        """(a number above 0 in digits or words, the place after it)."""
        if self[at] in ("a", "the") and self[at + 1] in ("few", "couple", "dozen"):
            at += 1
        word = self[at]
        number = int(word) if word.isdecimal() else _NUMBERS.get(word)
        if not number:
            return None
        if word in _TENS:
            ones = at + (2 if self[at + 1] == "-" else 1)
            if self[ones] in _SMALL_NUMBERS[:9]:
                return number + _NUMBERS[self[ones]], ones + 1
        return number, at + (2 if word == "couple" and self[at + 1] == "of" else 1)


def parse_day_number(word: str) -> int:
    """The number of a day, 1 to 31, with or without its ending; 0 for any other word."""
    digits = word.rstrip("stndrh")
    number = int(digits) if digits.isdecimal() and len(digits) < 3 else 0
    return number if 1 <= number <= 31 else 0


def is_year(word: str) -> bool:
    """Whether a word is a number from 1900 to 2200."""
    return len(word) == 4 and word.isdecimal() and 1900 <= int(word) <= 2200


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

    Where the clocks go back, `fold` of the times says which of two equal ones is meant.

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
        self.moment = now.astimezone(UTC)
        self.now = self.local(self.moment)
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
            case "minute" | "hour":
                return self._clock_unit(unit, step, at)
            case "day":
                return Span(self.today + step * DAY, self.today + (step + 1) * DAY, at)
            case "week":
                return Span(monday, monday + WEEK, at)
            case "weekend":
                return Span(monday + 5 * DAY, monday + WEEK, at)
            case "fortnight":
                return self.unit("week", 2 * step, at)
        return self._calendar_unit(unit, step, at)

    def _calendar_unit(self, unit: str, step: int, at: int) -> Span:
        """The month, quarter or year `step` units from the present one."""
        if unit == "year":
            return year_span(self.today.year + step, at)
        first = add_months(self.today.replace(day=1), step * (3 if unit == "quarter" else 1))
        if unit == "quarter":
            return quarter_span(first.year, (first.month + 2) // 3, at)
        return month_span(first.year, first.month, at)

    def _clock_unit(self, unit: str, step: int, at: int) -> Span:
        cut = {"minute": 0} if unit == "hour" else {}
        began = self.now.replace(second=0, microsecond=0, tzinfo=self.zone, **cut)
        start = began.astimezone(UTC) + step * CLOCK_UNITS[unit]
        return Span(self.local(start), self.local(start + CLOCK_UNITS[unit]), at)

    def lasting(self, number: int, unit: str, at: int) -> Span:
        """The last `number` units up to now: whole days and today; of weekends those that are
        over."""
        end = self.today + DAY
        if length := CLOCK_UNITS.get(unit):
            start = self.local(self.moment - number * length)
            return Span(start, self.local(self.moment + MICROSECOND), at)
        match unit:
            case "weekend":
                first, last = self.unit(unit, -number, at), self.unit(unit, -1, at)
                return Span(first.start, last.end, at)
            case "month" | "quarter" | "year":
                count = number * {"month": 1, "quarter": 3, "year": 12}[unit]
                return Span(add_months(self.today, -count), end, at)
        days = {"week": WEEK, "fortnight": 2 * WEEK}.get(unit, DAY)
        return Span(self.today - number * days, end, at)

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


def quarter_span(year: int, quarter: int, at: int) -> Span:
    """A quarter, 1 to 4, as a span. Raises ValueError for a quarter that does not exist."""
    first = month_span(year, 3 * quarter - 2, at).start
    return Span(first, add_months(first, 3), at)


def year_span(year: int, at: int) -> Span:
    """A year as a span."""
    return Span(day_span(year, 1, 1, at).start, day_span(year + 1, 1, 1, at).start, at)


def month_number(name: str) -> int:
    """The number of a month, 1 to 12, also of a short name such as "mar"; 0 for any other word."""
    return MONTHS.index(name) + 1 if name in MONTHS else _SHORT_MONTHS.get(name, 0)


def add_months(moment: datetime, count: int) -> datetime:
    """The time `count` months later; a missing day becomes the last day of the month."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


# Read one time in words: a day, a week, "3 days ago", "March 3rd". Pure, English.

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
    if words[at] not in LAST_WORDS or (counted := _read_count(words, at + 1)) is None:
        return None
    number, unit, place = counted
    return clock.lasting(number, unit, place)


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
    if (unit in CLOCK_UNITS or unit == "fortnight") and words[at] in ("last", "past"):
        return clock.lasting(1, unit, at + 2)
    return clock.unit(unit, step, at + 2) if unit else None


def _read_ago(words: TokenSequence, clock: LocalCalendar, at: int) -> Span | None:
    """ "3 days ago": the whole day, week, month or year."""
    if (counted := _read_count(words, at)) is None:
        return None
    number, unit, place = counted
    return clock.unit(unit, -number, place + 1) if words[place] == "ago" else None


def _read_count(words: TokenSequence, at: int) -> tuple[int, str, int] | None:
    """(number, unit, the place after it) of "3 days", "24h" or "half an hour"."""
    if words[at] == "half":
        hour = at + 1 + (words[at + 1] == "an")
        return (30, "minute", hour + 1) if words[hour] == "hour" else None
    if (counted := words.count(at)) is None:
        return None
    number, place = counted
    unit = words.unit(place, counted=True)
    return (number, unit, place + 1) if unit else None


def _read_month_first(
    words: TokenSequence, clock: LocalCalendar, at: int, step: int = NO_STEP
) -> Span | None:
    """March, March 3, March 3rd, 2026, March 2025."""
    if not (month := month_number(words[at])):
        return None
    place = _after_month(words, at)
    day = parse_day_number(words[place])
    if day:
        place += 1
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
            return _month_or_day(words, clock, month, day, _after_month(words, place), NO_STEP)
    if word == "q" and words[at + 1] in ("1", "2", "3", "4") and is_year(words[at + 2]):
        return quarter_span(int(words[at + 2]), int(words[at + 1]), at + 3)
    return year_span(int(word), at + 1) if is_year(word) else None


def _after_month(words: TokenSequence, at: int) -> int:
    """The place after the name of a month, which may be short and have a full stop."""
    stop = words[at] not in MONTHS and words[at + 1] == "."
    return at + (2 if stop else 1)


def _month_or_day(
    words: TokenSequence, clock: LocalCalendar, month: int, day: int, at: int, step: int
) -> Span:
    """A month, or that day of it if `day` is above 0; without a year in the text, the last past
    one."""
    comma = words[at] == "," and is_year(words[at + 1])
    named = is_year(words[at + comma])
    year = int(words[at + comma]) if named else clock.year_for(month, day, step)
    place, again = at + comma + named, (0, 0) if named or step == THIS_STEP else (12, 0)
    if day:
        return day_span(year, month, day, place, again=again)
    return month_span(year, month, place, again=again)
