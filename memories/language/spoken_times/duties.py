"""Duties in the languages of the vocabularies: who is to do what, and until when. Pure.

A duty is one sentence: it begins with "ich muss", "hay que" or a name and "doit", or its last word
ends like "göndermeliyim".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from memories.language.spoken_times.spoken_dates import date_time
from memories.language.spoken_times.time_phrases import (
    BEFORE,
    DATE,
    DUE,
    UNTIL,
    WEEKDAY,
    SpokenTime,
    TimePhrase,
    find_time_phrases,
)
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT
from memories.language.vocabularies.languages import select_vocabularies
from memories.language.vocabularies.phrases import PhraseTable
from memories.language.vocabularies.vocabulary import Vocabulary
from memories.language.vocabularies.words import WordToken, read_words, split_words

OWN, NAMED, SHARED = "own", "named", "shared"
MAX_DUTY_CHARACTERS = 160
# The most words of a name, and of what is searched for an ending.
_MAX_NAME_WORDS, _DAYS_PER_WEEK = 3, 7
# The point of "am 3. Mai" ends nothing.
_SENTENCE = re.compile(r"(?:[^.!?;\n]|(?<=\d)\.(?=\s?\S)){3,300}")


@dataclass(frozen=True, slots=True)
class SpokenDuty:
    """A sentence that says that somebody is to do something.

    whose: OWN of who speaks, NAMED of who is named, or SHARED. who: the name as it is written.
    dated: whether it says until when.
    """

    sentence: str
    whose: str
    who: str
    dated: bool


def find_duties(text: str, language: str | None = None) -> Iterator[SpokenDuty]:
    """The duties of a text that is not English. language: its ISO code where it is known."""
    text = text[:MAX_CHARACTERS_PER_TEXT]
    vocabularies = select_vocabularies(text, language)
    if not vocabularies:
        return
    for found in _SENTENCE.finditer(text):
        sentence = found[0].strip()
        if len(sentence) > MAX_DUTY_CHARACTERS or text[found.end() : found.end() + 1] == "?":
            continue
        for vocabulary in vocabularies:
            if read := _read_duty(sentence, vocabulary):
                dated = any(_is_deadline(phrase) for phrase in _times(sentence, vocabulary))
                yield SpokenDuty(sentence, *read, dated)
                break


def find_deadlines(text: str, said_on: date, language: str | None = None) -> set[date]:
    """The last days that a text that is not English names: "bis Freitag", "antes del 3 de mayo".

    A weekday, or a day without a year, means the next one; "before Friday" ends on Thursday. A day
    at the end of a sentence counts too: "morgen".
    """
    found: set[date] = set()
    for vocabulary in select_vocabularies(text, language):
        for phrase in _times(text, vocabulary):
            ends = not text[phrase.end :].strip(" .!")
            near = not phrase.bound and ends and phrase.first.kind != WEEKDAY
            if not (_is_deadline(phrase) or (near and phrase.first.step is not None)):
                continue
            if day := _last_day(phrase.first, said_on):
                found.add(day - timedelta(days=1) if phrase.bound == BEFORE else day)
    return found


def _times(text: str, vocabulary: Vocabulary) -> list[TimePhrase]:
    return find_time_phrases(text, vocabulary.code)


def _is_deadline(phrase: TimePhrase) -> bool:
    return phrase.bound in (BEFORE, UNTIL, DUE)


def _last_day(time: SpokenTime, said_on: date) -> date | None:
    """A day that lies ahead; None for longer times and for days that do not exist."""
    if time.kind == WEEKDAY and time.step is None:
        ahead = (time.weekday - said_on.weekday()) % _DAYS_PER_WEEK
        return said_on + timedelta(days=ahead or _DAYS_PER_WEEK)
    if time.kind == DATE:
        return _next_date(time, said_on)
    dated = date_time(time, said_on)
    return date.fromisoformat(dated[1]) if dated and dated[0] == "day" else None


def _next_date(time: SpokenTime, said_on: date) -> date | None:
    years = (time.year,) if time.year else (said_on.year, said_on.year + 1)
    for year in years:
        try:
            day = date(year, time.month, time.day)
        except ValueError:
            continue
        if time.year or day >= said_on:
            return day
    return None


def _read_duty(sentence: str, vocabulary: Vocabulary) -> tuple[str, str] | None:
    """(whose, name as it is written) of a sentence; None if it says no duty."""
    tokens = read_words(sentence)
    tables = _tables(vocabulary)
    found = tables.find(tokens, 0)
    if found and found.meaning != NAMED:
        # The longer phrase may be of who speaks: "il faut que je".
        return None if _is_denied(tokens, found.end, vocabulary) else (found.meaning, "")
    if ending := _ending(tokens, vocabulary):
        name = _leading_name(sentence, tokens, 1) if ending == NAMED else ""
        return (ending, name) if name or ending != NAMED else None
    for words in range(1, _MAX_NAME_WORDS + 1):
        name = _leading_name(sentence, tokens, words)
        found = tables.find(tokens, words) if name else None
        if found and found.meaning == NAMED and not _is_denied(tokens, found.end, vocabulary):
            return NAMED, name
    return None


def _leading_name(sentence: str, tokens: Sequence[WordToken], words: int) -> str:
    """The first words, if each begins with a capital."""
    if len(tokens) <= words or not all(token.capital for token in tokens[:words]):
        return ""
    return sentence[: tokens[words - 1].end]


def _is_denied(tokens: Sequence[WordToken], at: int, vocabulary: Vocabulary) -> bool:
    """Whether a negation follows, or the words are only a part of a longer one: "Muss-Liste"."""
    if at >= len(tokens):
        return True
    glued = tokens[at].start == tokens[at - 1].end
    return glued or tokens[at].word in _not_after(vocabulary)


@cache
def _not_after(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(split_words(word)[0] for word in vocabulary.duties.not_after.split())


def _ending(tokens: Sequence[WordToken], vocabulary: Vocabulary) -> str:
    words = [token.word for token in tokens if token.word[0].isalpha()][-2:]
    for whose, endings in _endings(vocabulary):
        for ending in endings:
            last = words[-len(ending) :]
            if len(last) == len(ending) and last[0].endswith(ending[0]) and last[1:] == ending[1:]:
                return whose
    return ""


@cache
def _endings(vocabulary: Vocabulary) -> list[tuple[str, list[list[str]]]]:
    duties = vocabulary.duties
    return [
        (whose, [list(split_words(form)) for form in forms.split()])
        for whose, forms in (
            (OWN, duties.own_endings),
            (SHARED, duties.shared_endings),
            (NAMED, duties.named_endings),
        )
    ]


@cache
def _tables(vocabulary: Vocabulary) -> PhraseTable:
    duties = vocabulary.duties
    return PhraseTable(
        (phrase, whose)
        for whose, phrases in (
            (OWN, duties.own),
            (SHARED, duties.shared),
            (NAMED, duties.named),
        )
        for phrase in phrases
    )
