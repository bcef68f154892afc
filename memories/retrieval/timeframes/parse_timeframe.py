"""Times in words, as ranges: "last week", "since Monday", "from 3 to 5 March". Pure.

The grammar here is that of English; times in other languages are read in `spoken_ranges`.

Weeks begin on Monday. A day, week, month or year is always a whole one: "two weeks ago" is that
week from Monday to Sunday. "last 3 days" are the three days before today, and today. Weekdays and
months without a year are the past ones. Its own grammar, because dateparser finds single times
instead of ranges, and reads "may" and "we" as dates.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memories.language.spoken_times.time_phrases import (
    TimePhrase,
    find_time_phrases,
    read_whole_phrases,
)
from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY
from memories.retrieval.timeframes.spans import (
    LAST_WORDS,
    MICROSECOND,
    MONTHS,
    LocalCalendar,
    Span,
    TokenSequence,
    is_year,
    month_number,
    parse_day_number,
    read_span,
)
from memories.retrieval.timeframes.spoken_ranges import spoken_range

# (start, end), both included; None is open.
TimeRange = tuple[datetime | None, datetime | None]

_TO_WORDS = ("to", "until", "till", "through")
_JOINING_WORDS = {"between": ("and",), "from": _TO_WORDS}
# In a question these words are a time only next to another time word.
_AMBIGUOUS_WORDS = frozenset({"weekend", "now"})
# Months that are also names or other words; the short ones are words too.
_AMBIGUOUS_MONTHS = frozenset({"april", "may", "march", "june", "august"})
# Before a month these words speak of a time; "from", "of", "by" and "for" also stand before a name.
_BEFORE_MONTH = frozenset({"in", "during", "since", "until", "till", "before", "after", "between"})
# After a year that stands alone, as no noun does: "in 2024 vans" counts vans.
_AFTER_YEAR_WORDS = """
a about after again all already also although an and any are as at because been before being but by
can could did do does during each ever every everybody everyone for from had has have he her here
his how i if in into is it its just me my no nobody not of on or our over s she should since so some
somebody someone still than that the their them then there these they this those through to together
too under until was we were what when where which while who whom whose why will with without would
yet you your
"""
_AFTER_YEAR = frozenset(_AFTER_YEAR_WORDS.split())
_SENTENCE_SIGNS = frozenset("?.!,;:)]}\"'”’")
_LEADING_PREPOSITIONS = frozenset(
    {"in", "on", "during", "over", "within", "at", "for", "of", "from", "by"}
)
# What may stand before a time that is given by itself: "in March 2026", "on Tuesday".
_BEFORE_TIME = frozenset({"in", "on", "during", "within", "at"})

# How far before the end of a range its beginning may stand, in words.
_RANGE_WORDS = 8

_SPACES = re.compile(r"\s{2,}")
_BEFORE_SIGN = re.compile(r"\s([?.!,;:])")


class TimeframeError(ValueError):
    """The text is no known time; the message names it."""

    def __init__(self, text: str) -> None:
        super().__init__(f"“{text[:100]}” is no timeframe that is understood.")


def end_of_day(moment: date | None, zone: tzinfo) -> datetime | None:
    """The last moment of a day in the zone; a time as it is, and None for None."""
    if moment is None or isinstance(moment, datetime):
        return moment
    return datetime.combine(moment, time.max, zone)


def parse_timeframe(text: str, *, now: datetime, zone: tzinfo = UTC) -> TimeRange:
    """The range that a text names. now: with a time zone; zone: the asker's.

    Raises TimeframeError if the text is no time, is outside the calendar, or has further words.
    """
    words, clock = TokenSequence(text), LocalCalendar(now, zone)
    try:
        found = _read_range(words, clock, 0)
        if found is None and words[0] in _BEFORE_TIME and (span := read_span(words, clock, 1)):
            found = _to_utc_range(clock, span.whole().start, span.whole().end), span.at
    except (OverflowError, ValueError) as error:
        raise TimeframeError(text) from error
    if (found is None or found[1] != len(words)) and (spoken := _read_spoken(text, clock)):
        return spoken
    if found is None or found[1] != len(words) or len(text) > MAX_CHARACTERS_TO_CLASSIFY:
        raise TimeframeError(text)
    return found[0]


def _read_spoken(text: str, clock: LocalCalendar) -> TimeRange | None:
    """The range of a text that is a time in another language; None if languages differ in it."""
    found = {_phrase_range(phrase, clock) for phrase in read_whole_phrases(text)} - {None}
    return found.pop() if len(found) == 1 else None


def _phrase_range(phrase: TimePhrase, clock: LocalCalendar) -> TimeRange | None:
    try:
        return _to_utc_range(clock, *spoken_range(phrase, clock))
    except (OverflowError, ValueError):
        return None


def parse_timeframes(
    given: Sequence[str | TimeRange], *, now: datetime, zone: tzinfo = UTC
) -> tuple[TimeRange, ...]:
    """The ranges of a list, to be combined by OR. Raises TimeframeError."""
    return tuple(
        parse_timeframe(one, now=now, zone=zone) if isinstance(one, str) else one for one in given
    )


def extract_timeframe(
    text: str, *, now: datetime, zone: tzinfo = UTC, language: str | None = None
) -> tuple[str, TimeRange | None]:
    """(the question without the time that it names, that time); (text, None) if it names none.

    Of several times the one with most words counts, of equal ones the first. A question that is
    only a time keeps its words. language: the ISO code of its language where it is known.
    """
    words, clock = TokenSequence(text), LocalCalendar(now, zone)
    if spoken := _find_longest_spoken(text, clock, language):
        return _without(text, *spoken[0]), spoken[1]
    found = _find_longest(words, clock)
    if found is None:
        return text, None
    first, after, when = found
    if words[first - 1] in _LEADING_PREPOSITIONS:
        first -= 1
    return _without(text, words.tokens[first].start, words.tokens[after - 1].end), when


def _without(text: str, start: int, end: int) -> str:
    """The text without this part; the whole text if nothing else is in it."""
    joined = _SPACES.sub(" ", f"{text[:start]} {text[end:]}")
    left = _BEFORE_SIGN.sub(r"\1", joined).strip()
    return left if any(sign.isalnum() for sign in left) else text


def _find_longest_spoken(
    text: str, clock: LocalCalendar, language: str | None
) -> tuple[tuple[int, int], TimeRange] | None:
    """The longest time of a question that is not English: (its place in the text, the range)."""
    found = [
        ((phrase.start, phrase.end), when)
        for phrase in find_time_phrases(text[:MAX_CHARACTERS_TO_CLASSIFY], language)
        if (when := _phrase_range(phrase, clock))
    ]
    return max(found, key=lambda one: one[0][1] - one[0][0], default=None)


def _find_longest(words: TokenSequence, clock: LocalCalendar) -> tuple[int, int, TimeRange] | None:
    """The longest time in the words: (first place, the place after it, the range)."""
    best, place = None, 0
    while place < len(words):
        found = _read_in_query(words, clock, place)
        if found is None:
            place += 1
            continue
        when, after = found
        if not _is_whole(words, place, after):
            # Nor is a part of it a time.
            place = after
            continue
        if best is None or after - place > best[1] - best[0]:
            best = (place, after, when)
        place = after
    return best


def _read_in_query(
    words: TokenSequence, clock: LocalCalendar, at: int
) -> tuple[TimeRange, int] | None:
    """A range at this place, if the words can only be a time, and the place after it."""
    place = at + (words[at] == "the")
    if not _is_certain(words, place, words[at - 1]):
        return None
    try:
        found = _read_range(words, clock, at)
    except (OverflowError, ValueError):
        return None
    if found is None:
        return None
    when, after = found
    owns = words[after] in ("'", "’") and words[after + 1] == "s"  # last week's
    return when, after + (2 if owns else 0)


def _is_certain(words: TokenSequence, at: int, lead: str) -> bool:
    word = words[at]
    if word.isdecimal() and len(word) == 4:
        return lead in _LEADING_PREPOSITIONS
    if word in LAST_WORDS and words.unit(at + 1) == "minute":
        return False  # what is decided at the last minute
    if word in _AMBIGUOUS_WORDS:
        dated = any(one[:1].isdigit() for one in (words[at + 1], lead)) or lead in LAST_WORDS
        return lead in _LEADING_PREPOSITIONS or dated
    # A month may stand after "since" or "between", and before or after a day.
    place = at + 1 if word in ("since", "before", "after", "until", "till", *_JOINING_WORDS) else at
    return not month_number(words[place]) or _is_certain_month(words, place)


def _is_certain_month(words: TokenSequence, at: int) -> bool:
    """Whether a word is a month and no name: "in April", "April 3", but not "April likes tea"."""
    word, lead, after = words[at], words[at - 1], words[at + 1]
    if word in MONTHS and word not in _AMBIGUOUS_MONTHS:
        return True
    if after == "." and word not in MONTHS:
        after = words[at + 2]
    if after[:1].isdigit() or lead[:1].isdigit() or lead in LAST_WORDS:
        return True
    token = words.tokens[at]
    next_token = words.tokens[at + 1] if at + 1 < len(words) else None
    surname = next_token is not None and next_token.capital
    owned = after in ("'", "’") and word not in MONTHS
    return token.capital and lead in _BEFORE_MONTH and not surname and not owned


def _is_whole(words: TokenSequence, at: int, after: int) -> bool:
    """Whether the words around a time belong to it: no count, and both ends of a range."""
    last, follows = words[after - 1], words[after]
    alone = is_year(last) and (after - at == 1 or not _is_part_of_date(words, after - 2))
    if alone and follows and follows not in _SENTENCE_SIGNS and follows not in _AFTER_YEAR:
        token = words.tokens[after]
        # "In 2024 Mina moved": a name is not counted.
        if not token.capital:
            return False
    opened = any(words[before] == "from" for before in range(max(0, at - _RANGE_WORDS), at))
    if words[at - 1] in ("to", "through") and opened:
        return False
    between = any(words[before] == "between" for before in range(max(0, at - _RANGE_WORDS), at))
    if words[at - 1] == "and" and between:
        return False
    return not (words[at] == "from" and follows in _TO_WORDS and words[after + 1][:1].isdigit())


def _is_part_of_date(words: TokenSequence, at: int) -> bool:
    """Whether a word before a year belongs to its date: a month, a day, a comma or a quarter."""
    return bool(month_number(words[at]) or parse_day_number(words[at]) or words[at] in (",", "."))


def _read_range(
    words: TokenSequence, clock: LocalCalendar, at: int
) -> tuple[TimeRange, int] | None:
    """A time with words such as "since" or "before", and the place after it."""
    bound = words[at]
    if bound in _JOINING_WORDS:
        return _read_joined(words, clock, at)
    if bound not in ("since", "before", "after", "until", "till"):
        if (span := read_span(words, clock, at)) is None:
            return None
        return _to_utc_range(clock, span.whole().start, span.whole().end), span.at
    if (span := read_span(words, clock, at + 1)) is None:
        return None
    return _to_utc_range(clock, *_open_bounds(bound, span)), span.at


def _open_bounds(bound: str, span: Span) -> tuple[datetime | None, datetime | None]:
    if bound == "since":
        return span.start, None
    if bound == "after":
        return span.end + (MICROSECOND if span.sharp else timedelta()), None
    return None, span.start if bound == "before" else span.end


def _read_joined(
    words: TokenSequence, clock: LocalCalendar, at: int
) -> tuple[TimeRange, int] | None:
    """between A and B, from A to B; "from last week" is last week."""
    first = read_span(words, clock, at + 1)
    if first is None:
        return None
    last = (
        read_span(words, clock, first.at + 1)
        if words[first.at] in _JOINING_WORDS[words[at]]
        else None
    )
    if last is None:
        whole = first.whole()
        return (
            None
            if words[at] == "between"
            else (_to_utc_range(clock, whole.start, whole.end), first.at)
        )
    start = first.start if first.start <= last.start else first.earlier()
    if start > last.start:
        raise ValueError("it ends before it begins")
    return _to_utc_range(clock, start, last.end), last.at


def _to_utc_range(clock: LocalCalendar, start: datetime | None, end: datetime | None) -> TimeRange:
    since = None if start is None else clock.aware(start)
    until = None if end is None else clock.aware(end) - MICROSECOND
    return since, max(since, until) if since and until else until
