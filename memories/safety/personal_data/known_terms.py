"""Names that the organisation knows (members, clients, brands, companies), found in a text. Pure.

Each word of the text is looked up among the names, so the time does not grow with the number of
members.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from memories.language.gazetteers.stopwords import STOPWORDS
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.word_classes import (
    NOT_ONLY_NAME,
    WordClass,
    strip_accents,
    word_class,
)
from memories.safety.plain_text import to_plain_text
from memories.safety.required_checks import Finding, PersonalDataType

_WORD = re.compile(r"[^\W_]+")
# The most words of a name or term that count, and the most characters between two of its words in a
# text.
_MAX_WORDS, _MAX_GAP, _MAX_CHARACTERS = 8, 3, 200
# Parts of names that identify nobody.
_PARTICLES = frozenset(
    """
de del la las los da do dos das di du van der den von vom zu zur ter ten bin ibn bint abu al el le
jr sr dr mr mrs ms prof the and und et of
""".split()  # noqa: SIM905
)
# Endings that languages give to names. A name in -a loses it before those of the second row.
_ENDINGS = ("s", "es", "n", "en", "ns", "ens")
_CASE_ENDINGS = (
    "a",
    "u",
    "owi",
    "em",
    "om",
    "ie",
    "ovi",
    "ów",
    "y",
    "i",
    "ą",
    "ę",
    "o",
    "e",
    "ě",
    "ou",
    "as",
)
_MIN_INFLECTED_CHARACTERS = 4
# Müller is also written Mueller, or Muller on keyboards without umlauts.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
WordTuple = tuple[str, ...]


@dataclass(slots=True)
class FoldedWord:
    """A word of a text in the form for comparing, and its place."""

    folded: str
    start: int
    end: int


def split_words(text: str) -> list[FoldedWord]:
    """All words of a text, in any alphabet, without marks on the letters."""
    return [FoldedWord(_fold(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def _fold(word: str) -> str:
    return strip_accents(word.casefold())


@dataclass(slots=True)
class TermIndex:
    """Terms by their words. lengths: how many words the terms have that begin with a word."""

    terms: set[WordTuple] = field(default_factory=set)
    lengths: dict[str, set[int]] = field(default_factory=dict)

    def add(self, term: str) -> None:
        """A term as it is written."""
        found = tuple(
            w.folded for w in split_words(to_plain_text(term[:_MAX_CHARACTERS]).text)[:_MAX_WORDS]
        )
        if found and sum(map(len, found)) > 1:
            self.terms.add(found)
            self.lengths.setdefault(found[0], set()).add(len(found))

    def within(self, text: list[FoldedWord]) -> Iterator[tuple[int, int]]:
        """The places of terms in a text: (start, end), in characters."""
        for place, word in enumerate(text):
            if length := _match_length(self, text, place):
                yield word.start, text[place + length - 1].end


def _match_length(terms: TermIndex, text: list[FoldedWord], place: int) -> int:
    """The number of words of the longest term that begins here; 0 if none does."""
    lengths = terms.lengths.get(text[place].folded)
    if not lengths:
        return 0
    for length in sorted(lengths, reverse=True):
        part = text[place : place + length]
        apart = any(two.start - one.end > _MAX_GAP for one, two in pairwise(part))
        if len(part) == length and not apart and tuple(word.folded for word in part) in terms.terms:
            return length
    return 0


@dataclass(slots=True)
class _NameIndex:
    people: TermIndex
    # {a part of a name, also inflected: whether it is also an ordinary word}.
    parts: dict[str, bool]
    # Names in scripts without spaces, by their first character.
    unspaced: dict[str, set[str]]
    organisations: TermIndex

    def may_be_in(self, text: str) -> bool:
        """Whether a text may have a name, by a quick look: most texts have none."""
        if not text.isascii():
            return True
        said = frozenset(_WORD.findall(text.lower()))
        starts = (self.parts, self.people.lengths, self.organisations.lengths)
        return any(not said.isdisjoint(words) for words in starts)


@lru_cache(maxsize=64)
def _build_name_index(known: KnownNames) -> _NameIndex:
    found = _NameIndex(TermIndex(), {}, {}, TermIndex())
    for person in known.people:
        found.people.add(person)
        parts = split_words(to_plain_text(person[:_MAX_CHARACTERS]).text)[:_MAX_WORDS]
        spelt = person[:_MAX_CHARACTERS].casefold().translate(_UMLAUTS)
        for part in (*parts, *split_words(to_plain_text(spelt).text)[:_MAX_WORDS]):
            for form in _inflected_forms(part.folded):
                found.parts[form] = bool(word_class(form) & (WordClass.ORDINARY | WordClass.SHARED))
            if part.folded and ord(part.folded[0]) >= 0x2E80 and len(part.folded) > 1:
                found.unspaced.setdefault(part.folded[0], set()).add(part.folded)
    for term in (*known.clients, *known.brands, *known.companies):
        found.organisations.add(term)
    return found


def _inflected_forms(part: str) -> Iterator[str]:
    """A part of a name and its inflected forms; none for parts that identify nobody."""
    if len(part) < 2 or part in _PARTICLES or part.isdecimal():
        return
    yield part
    if len(part) < _MIN_INFLECTED_CHARACTERS - 1:
        return
    yield from (part + ending for ending in _ENDINGS)
    if len(part) >= _MIN_INFLECTED_CHARACTERS:
        stem = part[:-1] if part[-1] in "aeoy" else part
        yield from (stem + ending for ending in _CASE_ENDINGS)


def find_known_names(text: str, known: KnownNames) -> Iterator[Finding]:
    """Members by their whole name, a part or an inflected part; terms of the organisation.

    A part that is also an ordinary word ("Will", "May", "Mark") counts only with a capital: surely
    within a sentence; at its beginning only if it owns or says something, and then not surely.
    """
    if not (known.people or known.clients or known.brands or known.companies):
        return
    index = _build_name_index(known)
    if not index.may_be_in(text):
        return
    found, place = split_words(text), 0
    while place < len(found):
        if length := _match_length(index.people, found, place):
            one, last = found[place], found[place + length - 1]
            if length > 1:
                yield Finding(one.start, last.end, PersonalDataType.PERSON)
                place += length
                continue
        sure = _is_name_part(text, index, found[place])
        if sure is not None:
            yield Finding(found[place].start, found[place].end, PersonalDataType.PERSON, sure)
        elif length := _match_length(index.organisations, found, place):
            sure = _is_term(text, found[place], length)
            if sure is not None:
                last = found[place + length - 1]
                yield Finding(found[place].start, last.end, PersonalDataType.ORGANISATION, sure)
                place += length
                continue
        if index.unspaced:
            yield from _find_in_unspaced(index.unspaced, found[place])
        place += 1


def _find_in_unspaced(names: dict[str, set[str]], word: FoldedWord) -> Iterator[Finding]:
    """Names within a run without spaces, as in Chinese and Japanese."""
    if word.end - word.start != len(word.folded):
        return
    for at, sign in enumerate(word.folded):
        for name in names.get(sign, ()):
            if word.folded.startswith(name, at):
                yield Finding(word.start + at, word.start + at + len(name), PersonalDataType.PERSON)


_OWNS_OR_SPEAKS = re.compile(
    r"'s\b|,? (?:said|says|told|asked|asks|wants|wanted|thinks|likes|prefers|wrote|writes|called"
    r"|lives|works|was|is|and (?:his|her))\b"
)


def _is_name_part(text: str, index: _NameIndex, word: FoldedWord) -> bool | None:
    """Whether a word is surely a member's name; None if it is none."""
    ordinary = index.parts.get(word.folded)
    if ordinary is None:
        return None
    if not ordinary and len(word.folded) > 2:
        return True
    if text[word.start].islower():
        owns = text.startswith("'s", word.end) and word.folded not in STOPWORDS
        return False if owns else None
    if not text[word.start].isupper() or text[word.start : word.end].isupper():
        return None
    if not _begins_sentence(text, word.start):
        return True
    return False if _OWNS_OR_SPEAKS.match(text, word.end) else None


def _is_term(text: str, word: FoldedWord, length: int) -> bool | None:
    """Whether a term of the organisation is surely meant; None if it is an ordinary word."""
    if length > 1 or not word_class(word.folded) & NOT_ONLY_NAME:
        return True
    if not text[word.start].isupper():
        return None
    return not _begins_sentence(text, word.start)


def _begins_sentence(text: str, start: int) -> bool:
    """Whether a sentence begins at this place."""
    at = start - 1
    while at >= 0 and text[at] in " \t\"'([*-":
        at -= 1
    return at < 0 or text[at] in ".!?:\n\r>"


def build_term_index(names: Iterable[str]) -> TermIndex:
    """The terms of these names, which are given as written."""
    found = TermIndex()
    for name in names:
        found.add(name)
    return found
