"""Times in the words of a vocabulary: "letzte Woche", "hace dos días", "od poniedziałku". Pure.

It says which time is meant, not which date: `relative_dates` writes dates into texts, and
`retrieval.timeframes` makes ranges for questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from memories.language.text_limits import MAX_CHARACTERS_PER_TURN
from memories.language.vocabularies.languages import (
    VOCABULARIES,
    select_vocabularies,
    vocabulary_words,
)
from memories.language.vocabularies.phrases import Lexicon, PhraseMatch, PhraseTable
from memories.language.vocabularies.vocabulary import Phrases, TimeWords, Vocabulary
from memories.language.vocabularies.words import WordToken, read_words, split_words

SINCE, BEFORE, AFTER, UNTIL, DUE = BOUNDS = ("since", "before", "after", "until", "due")
BETWEEN = "between"
# Kinds of times.
UNIT, WEEKDAY, MONTH, DATE, LASTING, DISTANCE = (
    "unit", "weekday", "month", "date", "lasting", "distance",
)  # fmt: skip
# A time that is given by itself.
MAX_WHOLE_CHARACTERS = 200
_CALENDAR_UNITS = frozenset({"week", "weekend", "month", "quarter", "year"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTime:
    """One time.

    kind: a UNIT `step` units from now; a WEEKDAY or a MONTH, the last (-1), this (0), the next one
    (1) or untold (None); a DATE, whose day and year may be 0; the LASTING last `count` units; a
    DISTANCE of `step` units from now. weekday: from Monday, 0. part: of the day, or empty.
    uncertain: beside a past verb it may be a duration. ended: it has an ending that belongs to a
    bound. start, core, end: where its words begin, where its part of the day begins, and its end.
    """

    kind: str
    unit: str = ""
    step: int | None = None
    count: int = 0
    weekday: int = 0
    day: int = 0
    month: int = 0
    year: int = 0
    part: str = ""
    uncertain: bool = False
    ended: bool = False
    start: int = 0
    core: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePhrase:
    """A time with its bound, or with a second time BETWEEN which and the first it lies.

    start, end: its place in the text; core_start, core_end: without its bound and its part of day.
    past: whether its sentence is about the past, as far as the language shows.
    """

    vocabulary: Vocabulary
    first: SpokenTime
    last: SpokenTime | None = None
    bound: str = ""
    start: int
    end: int
    core_start: int
    core_end: int
    past: bool = False


def find_time_phrases(text: str, language: str | None = None) -> list[TimePhrase]:
    """The times of a text that is not English, in their order.

    language: its ISO code where it is known. Only the first MAX_CHARACTERS_PER_TURN are read. Where
    several languages may be meant, what they read differently is left out.
    """
    text = text[:MAX_CHARACTERS_PER_TURN]
    if not (vocabularies := select_vocabularies(text, language)):
        return []
    tokens = read_words(text)
    found = [(one, _read_all(tokens, one)) for one in vocabularies]
    if len(found) < 2:
        return found[0][1]
    kept: dict[int, TimePhrase] = {}
    for _, phrases in found:
        for phrase in phrases:
            if all(_admits(one, read, phrase, tokens) for one, read in found):
                kept.setdefault(phrase.start, phrase)
    return [kept[start] for start in sorted(kept)]


def read_whole_phrases(text: str) -> list[TimePhrase]:
    """The time that is all the text, in each language in which it is one."""
    tokens = read_words(text) if len(text) <= MAX_WHOLE_CHARACTERS else []
    read = [_read_phrase(tokens, 0, one, alone=True) for one in VOCABULARIES] if tokens else []
    return [found[0] for found in read if found and found[1] == len(tokens)]


def _admits(
    vocabulary: Vocabulary,
    read: Sequence[TimePhrase],
    phrase: TimePhrase,
    tokens: Sequence[WordToken],
) -> bool:
    """Whether a language reads the same time there, or reads none and does not know its words."""
    beside = [one for one in read if one.start < phrase.end and phrase.start < one.end]
    if beside:
        return any(_is_same(one, phrase) for one in beside)
    words = {one.word for one in tokens if phrase.start <= one.start and one.end <= phrase.end}
    return any(word[0].isalpha() for word in words - vocabulary_words(vocabulary))


def _is_same(one: TimePhrase, other: TimePhrase) -> bool:
    here, there = ((p.start, p.end, p.bound, p.first, p.last) for p in (one, other))
    return here == there


def _read_all(tokens: Sequence[WordToken], vocabulary: Vocabulary) -> list[TimePhrase]:
    found: list[TimePhrase] = []
    at = 0
    past = _PastSentences(tokens, vocabulary)
    while at < len(tokens):
        if read := _read_phrase(tokens, at, vocabulary):
            found.append(replace(read[0], past=past.before_end(at)))
            at = read[1]
        else:
            at += 1
    return found


class _PastSentences:
    """Whether the sentence around a place has a word of the past; call with ascending places."""

    def __init__(self, tokens: Sequence[WordToken], vocabulary: Vocabulary) -> None:
        self._tokens, self._words = tokens, _tables(vocabulary).past
        self._end, self._found = 0, False

    def before_end(self, at: int) -> bool:
        while self._end <= at:
            start = self._end
            self._end = next(
                (n for n in range(start, len(self._tokens)) if self._closes(n)), len(self._tokens)
            )
            self._end = max(self._end, start) + 1
            self._found = any(t.word in self._words for t in self._tokens[start : self._end])
        return self._found

    def _closes(self, at: int) -> bool:
        # The point of "3. Mai" closes nothing.
        before = self._tokens[at - 1].word if at else ""
        return self._tokens[at].word in "!?;" or (
            self._tokens[at].word == "." and not before.isdecimal()
        )


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of one vocabulary, ready for searching."""

    times: PhraseTable
    bare: PhraseTable
    bounds: PhraseTable
    bounds_after: PhraseTable
    ranges: tuple[tuple[PhraseTable | None, PhraseTable, PhraseTable | None], ...]
    parts: Lexicon
    endings: frozenset[str]
    not_after: dict[str, frozenset[str]]
    not_before: dict[str, frozenset[str]]
    past: frozenset[str]


@cache
def _tables(vocabulary: Vocabulary) -> _Tables:
    words = vocabulary.times
    lexicons = _lexicons(words)
    return _Tables(
        times=PhraseTable(words.times, lexicons),
        bare=PhraseTable((*words.times, *words.bare_times), lexicons),
        bounds=_bound_table(words.bounds),
        bounds_after=_bound_table(words.bounds_after),
        ranges=tuple(
            (_table_of(lead), PhraseTable([(middle, "")]), _table_of(tail))
            for lead, middle, tail in words.ranges
        ),
        parts=lexicons["PART"],
        endings=_word_set(words.endings),
        not_after={_fold(word): _word_set(beside) for word, beside in words.not_after.items()},
        not_before={_fold(word): _word_set(beside) for word, beside in words.not_before.items()},
        past=_word_set(words.past),
    )


def _table_of(phrase: str) -> PhraseTable | None:
    return PhraseTable([(phrase, "")]) if phrase else None


def _bound_table(bounds: Mapping[str, Phrases]) -> PhraseTable:
    return PhraseTable((phrase, bound) for bound, phrases in bounds.items() for phrase in phrases)


def _fold(word: str) -> str:
    return split_words(word)[0]


def _word_set(words: str) -> frozenset[str]:
    return frozenset(_fold(word) for word in words.split())


def _lexicons(words: TimeWords) -> dict[str, Lexicon]:
    found = {
        name: Lexicon()
        for name in ("UNIT", "UNITS", "COUNT", "WEEKDAY", "MONTH", "MON", "PART")
    }  # fmt: skip
    attached = words.attached.split()
    for unit, forms in words.units.items():
        singular = forms.partition("|")[0]
        found["UNIT"].add(singular, unit, attached=attached)
        found["UNITS"].add(forms.replace("|", " "), unit)
    for number, forms in words.numbers.items():
        found["COUNT"].add(forms, number)
    for number, forms in enumerate(words.weekdays):
        found["WEEKDAY"].add(forms, number, attached=attached)
    for number, forms in enumerate(words.months, 1):
        found["MONTH"].add(forms, number, attached=attached)
        found["MON"].add(forms, number, attached=attached)
    for number, form in enumerate(words.short_months.split(), 1):
        found["MON"].add(form, number)
    for part, forms in words.day_parts.items():
        found["PART"].add(forms, part)
    return found


_Read = tuple[TimePhrase, int]


def _read_phrase(
    tokens: Sequence[WordToken], at: int, vocabulary: Vocabulary, *, alone: bool = False
) -> _Read | None:
    """The time that begins at this place, and the place after it. alone: nothing stands beside."""
    tables = _tables(vocabulary)
    if found := _read_range(tokens, at, tables):
        first, last, end = found
        return _phrase(tokens, vocabulary, first, (at, end), bound=BETWEEN, last=last), end
    plain = _read_time(tokens, at, tables, bare=alone)
    bound = tables.bounds.find(tokens, at)
    led = _read_time(tokens, bound.end, tables, bare=True) if bound else None
    if bound and led and (plain is None or led.end > plain.end):
        return _phrase(tokens, vocabulary, led, (at, led.end), bound=bound.meaning), led.end
    after = plain or _read_time(tokens, at, tables, bare=True)
    if after and (follows := tables.bounds_after.find(tokens, after.end)):
        bounds = (at, follows.end)
        return _phrase(tokens, vocabulary, after, bounds, bound=follows.meaning), follows.end
    if plain is None or plain.ended:
        return None
    return _phrase(tokens, vocabulary, plain, (at, plain.end)), plain.end


def _phrase(
    tokens: Sequence[WordToken],
    vocabulary: Vocabulary,
    first: SpokenTime,
    bounds: tuple[int, int],
    *,
    bound: str = "",
    last: SpokenTime | None = None,
) -> TimePhrase:
    """With places in the text in place of places among the words."""
    start, end = tokens[bounds[0]].start, tokens[bounds[1] - 1].end
    return TimePhrase(
        vocabulary=vocabulary,
        first=replace(first, start=0, core=0, end=0),
        last=replace(last, start=0, core=0, end=0) if last else None,
        bound=bound,
        start=start,
        end=end,
        core_start=tokens[first.start].start,
        core_end=tokens[first.core - 1].end,
    )


def _read_range(
    tokens: Sequence[WordToken], at: int, tables: _Tables
) -> tuple[SpokenTime, SpokenTime, int] | None:
    for lead, middle, tail in tables.ranges:
        place = at
        if lead:
            if not (led := lead.find(tokens, at)):
                continue
            place = led.end
        first = _read_time(tokens, place, tables, bare=True) or _day_alone(tokens, place)
        if first is None or not (joined := middle.find(tokens, first.end)):
            continue
        last = _read_time(tokens, joined.end, tables, bare=True)
        if last is None:
            continue
        end = last.end
        if tail:
            if not (closed := tail.find(tokens, end)):
                continue
            end = closed.end
        if joined_first := _complete(first, last):
            return joined_first, last, end
    return None


def _day_alone(tokens: Sequence[WordToken], at: int) -> SpokenTime | None:
    """The first day of "3. bis 5. Mai"."""
    word = tokens[at].word if at < len(tokens) else ""
    if not (word.isdecimal() and len(word) < 3 and 1 <= int(word) <= 31):
        return None
    stop = at + 1 < len(tokens) and tokens[at + 1].word == "."
    end = at + 1 + stop
    return SpokenTime(kind=DATE, day=int(word), start=at, core=end, end=end)


def _complete(first: SpokenTime, last: SpokenTime) -> SpokenTime | None:
    """The first time with the month and year that only the second one names."""
    if first.kind != DATE or last.kind != DATE:
        return first if first.month or first.kind != DATE or first.year else None
    if not first.month and first.day:
        return replace(first, month=last.month, year=last.year) if last.day else None
    if first.month and not first.year and last.year:
        return replace(first, year=last.year - (first.month > last.month > 0))
    return first


def _read_time(
    tokens: Sequence[WordToken], at: int, tables: _Tables, *, bare: bool
) -> SpokenTime | None:
    """One time without a bound. bare: what is a time only beside a bound counts too."""
    found = (tables.bare if bare else tables.times).find(tokens, at)
    if found is None or _is_blocked(tokens, at, found.end, tables):
        return None
    time = _to_time(found)
    if time is None:
        return None
    end, ended = found.end, time.ended
    marked = end + 1 < len(tokens) and tokens[end].word == "'"
    if marked and tokens[end + 1].word in tables.endings:
        end += 2
    if time.ended and not bare:
        return None
    time = replace(time, start=at, core=end, end=end, ended=ended)
    if (time.kind == UNIT and time.unit == "day") or time.kind == WEEKDAY:
        return _with_part(tokens, time, tables)
    return time


def _with_part(tokens: Sequence[WordToken], time: SpokenTime, tables: _Tables) -> SpokenTime:
    if time.part or time.end >= len(tokens):
        return time
    for part in tables.parts.read(tokens, time.end):
        return replace(time, part=str(part.value), end=time.end + part.length)
    return time


def _is_blocked(tokens: Sequence[WordToken], at: int, end: int, tables: _Tables) -> bool:
    before = tokens[at - 1].word if at else ""
    after = tokens[end].word if end < len(tokens) else ""
    word = tokens[at].word
    if before in tables.not_after.get(word, ()) or after in tables.not_before.get(word, ()):
        return True
    # A part of a name, of a number or of an address.
    glued_before = at > 0 and tokens[at - 1].end == tokens[at].start
    glued_after = end < len(tokens) and tokens[end].start == tokens[end - 1].end
    return (glued_before and before in _GLUE) or (
        glued_after and after in _GLUE_AFTER and _continues(tokens, end)
    )


_GLUE = frozenset("-/@#._:\\")
_GLUE_AFTER = frozenset("-/@_:\\")


def _continues(tokens: Sequence[WordToken], at: int) -> bool:
    """Whether a word follows the sign directly."""
    return at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end


def _to_time(found: PhraseMatch) -> SpokenTime | None:  # noqa: PLR0911
    """The time of a phrase, by what it means (see `TimeWords`)."""
    what, *rest = found.meaning.split()
    ended = found.ended or "!" in rest
    values = found.values

    def number(slot: str) -> int:
        return int(values.get(slot, 0))

    match what:
        case "DATE":
            month = number("MONTH") or number("MON") or number("MM")
            return SpokenTime(
                kind=DATE, day=number("DAY"), month=month, year=number("YEAR"), ended=ended
            )
        case "AGO" | "AHEAD" | "AHEAD?":
            unit = str(values.get("UNITS") or rest[0])
            step = (number("COUNT") or 1) * (-1 if what == "AGO" else 1)
            return SpokenTime(
                kind=DISTANCE, unit=unit, step=step, uncertain=what.endswith("?"), ended=ended
            )
        case "LASTING":
            return SpokenTime(
                kind=LASTING, unit=str(values["UNITS"]), count=number("COUNT"), ended=ended
            )
        case "WEEKDAY" | "MONTH":
            named = rest and rest[0].startswith("=")
            return SpokenTime(
                kind=WEEKDAY if what == "WEEKDAY" else MONTH,
                weekday=int(rest[0][1:]) if named else number("WEEKDAY"),
                month=number("MONTH"),
                step=int(rest[0]) if rest and not named else None,
                ended=ended,
            )
        case "UNIT":
            unit = str(values["UNIT"])
            if unit not in _CALENDAR_UNITS:
                return None
            return SpokenTime(kind=UNIT, unit=unit, step=int(rest[0]), ended=ended)
    part = rest[1] if len(rest) > 1 and rest[1] != "!" else ""
    return SpokenTime(kind=UNIT, unit=what, step=int(rest[0]), part=part, ended=ended)
