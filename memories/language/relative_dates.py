"""Relative days, weeks, months and years in a text, as dates of the calendar. Pure.

The grammar here is that of English; other languages are read with their vocabularies.

Not the grammar of `retrieval.timeframes`, which understands more: there a question asks for
a range, here a text is changed, and what is uncertain stays as it is. And not dateparser, because
its search took 1.7 ms for a text, of 3 ms for a whole message, and read "we" and "may" as dates.
Uncertain times stay as they were said: a bare "on Friday" may be
past or future, and "in two weeks" beside a past verb means a duration. "next Friday" is the first
Friday after the day on which it was said, "last Friday" the last one before.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo

from memories.language.spoken_times.spoken_dates import date_spoken_times, replace_spoken_times
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN
from memories.language.verbs import is_past
from orgs.iso_times import to_zone

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NUMBER_WORD_LIST = """
one two three four five six seven eight nine ten eleven twelve
"""
_NUMBER_WORDS = _NUMBER_WORD_LIST.split()
NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS, 1)} | {"a": 1, "an": 1}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})"
_PART = r"(?: (?P<part>morning|afternoon|evening|night))?"
_PHRASES = (
    r"the day (?P<side>after tomorrow|before yesterday)",
    r"(?P<near>today|tomorrow|yesterday)(?: (?P<near_part>morning|afternoon|evening|night))?",
    r"(?P<tonight>tonight|this morning|this afternoon|this evening|last night)",
    rf"(?P<which>next|last|this|coming) (?P<what>{'|'.join(WEEKDAYS)}|week|month|year){_PART}",
    r"last (?P<short>(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b|weekend)",
    rf"in (?P<ahead>{_COUNT}) (?P<unit>day|week|month|year)s?(?:['’]? time)?",
    rf"(?P<count>{_COUNT}) (?P<past_unit>day|week|month|year)s? (?P<way>ago|from now|from today)",
)
_PHRASE = re.compile(
    r"(?<![\w'’/-])(?:(?P<before>on|by|until|till|since|for|from|before|after|of|during|is|was) )?"
    rf"(?:{'|'.join(_PHRASES)})(?![\w-]|[.@/]\w)(?P<own>['’]s\b)?",
    re.IGNORECASE,
)
_PREFILTER = re.compile(
    r"\b(?:to(?:day|morrow|night)|yesterday|(?:next|last|this|coming|in|ago|from) ?)", re.IGNORECASE
)
_VERB_AFTER = re.compile(r" (?:is|was|will|would)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;\n]")
_TOKEN = re.compile(r"[A-Za-z']+|[.!?;\n]")


def local_date(at: datetime, zone: tzinfo | None) -> date:
    """The day of a time in the speaker's zone; in UTC without a zone."""
    return (to_zone(at, zone) if zone else at).date()


def resolve_relative_dates(text: str, said_on: date, language: str | None = None) -> str:
    """The text with relative times replaced by an ISO date, a year and month, or a year.

    language: the ISO code of the text's language where it is known.
    """
    text = replace_spoken_times(text, said_on, language)
    if not _PREFILTER.search(text):
        return text
    past = _PastTenseScanner(text)
    return _PHRASE.sub(lambda found: _replace_phrase(found, said_on, past), text)


class _PastTenseScanner:
    """Whether a sentence is about the past; call with ascending places."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.finditer(text)
        self._next = next(self._tokens, None)
        self._found = False

    def before(self, place: int) -> bool:
        """Whether a past verb is between the beginning of the sentence and this place."""
        while self._next and self._next.end() <= place:
            token = self._next[0]
            self._found = not _SENTENCE_END.match(token) and (self._found or is_past(token.lower()))
            self._next = next(self._tokens, None)
        return self._found


def find_relative_dates(text: str, said_on: date, *, most: int) -> list[tuple[str, str]]:
    """Up to `most` (phrase, date in words) of a text, each phrase once, in its order.

    A date is "Sun 15 Nov 2026", "week of 16 Nov 2026", "Nov 2026" or "2026". Only the first
    MAX_CHARACTERS_PER_TURN of a text are read.
    """
    found: dict[str, tuple[str, str]] = {}
    text = text[:MAX_CHARACTERS_PER_TURN]
    past = _PastTenseScanner(text)
    for phrase in _PHRASE.finditer(text) if _PREFILTER.search(text) else ():
        when = _read_phrase(phrase, said_on, past)
        if when is not None and len(found) < most:
            words = phrase[0].removeprefix(phrase["before"] or "").removesuffix(phrase["own"] or "")
            found.setdefault(words.strip().lower(), (words.strip(), _date_in_words(*when)))
    for spoken in date_spoken_times(text, said_on):
        if len(found) < most:
            told = _date_in_words(_LEADS.get(spoken.precision, ""), spoken.written)
            found.setdefault(spoken.words.lower(), (spoken.words, told))
    return list(found.values())


_LEADS = {"week": "in the week of", "weekend": "on the weekend of"}


def _date_in_words(lead: str, when: str) -> str:
    parts = [int(part) for part in when.split("-")]
    if len(parts) == 1:
        return when
    day = date(*parts, *[1] * (3 - len(parts)))
    month = f"{_MONTHS[day.month - 1]} {day.year:04}"
    if len(parts) == 2:
        return month
    if lead.startswith("in the week"):
        return f"week of {day.day} {month}"
    if lead.startswith("on the weekend"):
        return f"weekend of {day.day} {month}"
    return format_spoken_day(day)


def format_spoken_day(day: date) -> str:
    """Sun 15 Nov 2026."""
    return f"{weekday_name(day)} {day.day} {_MONTHS[day.month - 1]} {day.year:04}"


def weekday_name(day: date) -> str:
    """Mon to Sun."""
    return WEEKDAYS[day.weekday()][:3].capitalize()


def _read_phrase(found: "re.Match[str]", today: date, past: _PastTenseScanner) -> "DatePhrase":
    """The date of a phrase; None if it is uncertain, or before or after every calendar."""
    kind = next(name for name in _READERS if found[name])
    try:
        return _READERS[kind](found, today, past)
    except (OverflowError, ValueError):
        return None


def _replace_phrase(found: "re.Match[str]", today: date, past: _PastTenseScanner) -> str:
    read = _read_phrase(found, today, past)
    if read is None:
        return found[0]
    lead, when = read
    before = found["before"] or ""
    if found["own"] and lead != "on":
        return found[0]
    if found["own"]:
        words = f"{before} {when}{found['own']}".strip()
    elif not before and _VERB_AFTER.match(found.string, found.end()):
        words = when
    elif before.lower() in ("", "is", "was"):
        words = f"{before} {lead} {when}".strip()
    else:
        # "by tomorrow" keeps its preposition instead of "on" or "in".
        words = " ".join([before, *lead.split()[1:], when])
    return words[0].upper() + words[1:] if found[0][0].isupper() else words


DatePhrase = tuple[str, str] | None  # the preposition, and the date


def _day_phrase(day: date, part: str | None = None) -> DatePhrase:
    return (f"on the {part.lower()} of" if part else "on", day.isoformat())


def _read_day_after(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    return _day_phrase(
        today + timedelta(days=2 if found["side"].lower().startswith("after") else -2)
    )


def _read_today(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    days = {"today": 0, "tomorrow": 1, "yesterday": -1}[found["near"].lower()]
    return _day_phrase(today + timedelta(days=days), found["near_part"])


def _read_tonight(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    words = found["tonight"].lower()
    if words == "last night":
        return _day_phrase(today - timedelta(days=1), "night")
    return _day_phrase(today, "evening" if words == "tonight" else words.removeprefix("this "))


def _read_next_or_last(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    which, what = found["which"].lower(), found["what"].lower()
    if what in WEEKDAYS:
        ahead = (WEEKDAYS.index(what) - today.weekday()) % 7
        if which == "last":
            return _day_phrase(today - timedelta(days=7 - ahead if ahead else 7), found["part"])
        if which == "this" and not ahead:
            return _day_phrase(today, found["part"])
        return _day_phrase(today + timedelta(days=ahead or 7), found["part"])
    if found["part"]:
        return None
    step = {"next": 1, "coming": 1, "last": -1, "this": 0}[which]
    if what == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return "in the week of", monday.isoformat()
    return "in", _shift_months(today, step) if what == "month" else f"{today.year + step:04}"


def _read_short(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    name = found["short"].lower()
    if name == "weekend":
        return "on the weekend of", (today - timedelta(days=today.weekday() + 2)).isoformat()
    number = next(at for at, day in enumerate(WEEKDAYS) if day.startswith(name[:3]))
    return _day_phrase(today - timedelta(days=(today.weekday() - number) % 7 or 7))


def _read_in_count(found: "re.Match[str]", today: date, past: _PastTenseScanner) -> DatePhrase:
    if past.before(found.start()):
        return None
    return _shift_date(found["ahead"], found["unit"], 1, today)


def _read_count_ago(found: "re.Match[str]", today: date, _: _PastTenseScanner) -> DatePhrase:
    back = found["way"].lower() == "ago"
    return _shift_date(found["count"], found["past_unit"], -1 if back else 1, today)


def _shift_date(count: str, unit: str, way: int, today: date) -> DatePhrase:
    number = way * (NUMBERS.get(count.lower()) or int(count))
    match unit.lower():
        case "day":
            return _day_phrase(today + timedelta(days=number))
        case "week":
            return _day_phrase(today + timedelta(weeks=number))
        case "month":
            return "in", _shift_months(today, number)
    return "in", f"{date(today.year + number, 1, 1).year:04}"


def _shift_months(today: date, step: int) -> str:
    """Year and month, `step` months later."""
    months = today.year * 12 + today.month - 1 + step
    return f"{date(months // 12, months % 12 + 1, 1):%Y-%m}"


_READERS: dict[str, Callable[["re.Match[str]", date, _PastTenseScanner], DatePhrase]] = {
    "side": _read_day_after,
    "near": _read_today,
    "tonight": _read_tonight,
    "which": _read_next_or_last,
    "short": _read_short,
    "ahead": _read_in_count,
    "count": _read_count_ago,
}
