"""Names that the organisation knows (members, clients, brands, companies), found in a text. Pure.

Each word of the text is looked up among the names, so the time does not grow with the number of
members.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from memories.language.gazetteers.stopwords import STOP
from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.known import KnownNames
from memories.safety.personal_data.words import NOT_ONLY_NAME, Kind, kind_of, unmarked
from memories.safety.plain_text import plain

_WORD = re.compile(r"[^\W_]+")
# The most words of a name or term that count, and the most characters between two of its words in a
# text.
_MOST_WORDS, _MOST_GAP, _MOST_SIGNS = 8, 3, 200
# Parts of names that identify nobody.
_PARTICLES = frozenset(
    """
de del la las los da do dos das di du van der den von vom zu zur ter ten bin ibn bint abu al el le
jr sr dr mr mrs ms prof the and und et of
""".split()  # noqa: SIM905
)
# Endings that languages give to names. A name in -a loses it before those of the second row.
_ENDINGS = ("s", "es", "n", "en", "ns", "ens")
_CASES = (
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
_LEAST_INFLECTED = 4
# Müller is also written Mueller, or Muller on keyboards without umlauts.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
Words = tuple[str, ...]


@dataclass(slots=True)
class Word:
    """A word of a text in the form for comparing, and its place."""

    folded: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """All words of a text, in any alphabet, without marks on the letters."""
    return [Word(_folded(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def _folded(word: str) -> str:
    return unmarked(word.casefold())


@dataclass(slots=True)
class Terms:
    """Terms by their words. lengths: how many words the terms have that begin with a word."""

    terms: set[Words] = field(default_factory=set)
    lengths: dict[str, set[int]] = field(default_factory=dict)

    def add(self, term: str) -> None:
        """A term as it is written."""
        found = tuple(w.folded for w in words(plain(term[:_MOST_SIGNS]).text)[:_MOST_WORDS])
        if found and sum(map(len, found)) > 1:
            self.terms.add(found)
            self.lengths.setdefault(found[0], set()).add(len(found))

    def within(self, text: list[Word]) -> Iterator[tuple[int, int]]:
        """The places of terms in a text: (start, end), in characters."""
        for place, word in enumerate(text):
            if length := _length(self, text, place):
                yield word.start, text[place + length - 1].end


def _length(terms: Terms, text: list[Word], place: int) -> int:
    """The number of words of the longest term that begins here; 0 if none does."""
    lengths = terms.lengths.get(text[place].folded)
    if not lengths:
        return 0
    for length in sorted(lengths, reverse=True):
        part = text[place : place + length]
        apart = any(two.start - one.end > _MOST_GAP for one, two in pairwise(part))
        if len(part) == length and not apart and tuple(word.folded for word in part) in terms.terms:
            return length
    return 0


@dataclass(slots=True)
class _Index:
    people: Terms
    # {a part of a name, also inflected: whether it is also an ordinary word}.
    parts: dict[str, bool]
    # Names in scripts without spaces, by their first character.
    unspaced: dict[str, set[str]]
    organisations: Terms

    def may_be_in(self, text: str) -> bool:
        """Whether a text may have a name, by a quick look: most texts have none."""
        if not text.isascii():
            return True
        said = frozenset(_WORD.findall(text.lower()))
        starts = (self.parts, self.people.lengths, self.organisations.lengths)
        return any(not said.isdisjoint(words) for words in starts)


@lru_cache(maxsize=64)
def _index(known: KnownNames) -> _Index:
    found = _Index(Terms(), {}, {}, Terms())
    for person in known.people:
        found.people.add(person)
        parts = words(plain(person[:_MOST_SIGNS]).text)[:_MOST_WORDS]
        spelt = person[:_MOST_SIGNS].casefold().translate(_UMLAUTS)
        for part in (*parts, *words(plain(spelt).text)[:_MOST_WORDS]):
            for form in _forms(part.folded):
                found.parts[form] = bool(kind_of(form) & (Kind.ORDINARY | Kind.SHARED))
            if part.folded and ord(part.folded[0]) >= 0x2E80 and len(part.folded) > 1:
                found.unspaced.setdefault(part.folded[0], set()).add(part.folded)
    for term in (*known.clients, *known.brands, *known.companies):
        found.organisations.add(term)
    return found


def _forms(part: str) -> Iterator[str]:
    """A part of a name and its inflected forms; none for parts that identify nobody."""
    if len(part) < 2 or part in _PARTICLES or part.isdecimal():
        return
    yield part
    if len(part) < _LEAST_INFLECTED - 1:
        return
    yield from (part + ending for ending in _ENDINGS)
    if len(part) >= _LEAST_INFLECTED:
        stem = part[:-1] if part[-1] in "aeoy" else part
        yield from (stem + ending for ending in _CASES)


def known_names(text: str, known: KnownNames) -> Iterator[Finding]:
    """Members by their whole name, a part or an inflected part; terms of the organisation.

    A part that is also an ordinary word ("Will", "May", "Mark") counts only with a capital: surely
    within a sentence; at its beginning only if it owns or says something, and then not surely.
    """
    if not (known.people or known.clients or known.brands or known.companies):
        return
    index = _index(known)
    if not index.may_be_in(text):
        return
    found, place = words(text), 0
    while place < len(found):
        if length := _length(index.people, found, place):
            one, last = found[place], found[place + length - 1]
            if length > 1:
                yield Finding(one.start, last.end, Personal.PERSON)
                place += length
                continue
        sure = _part(text, index, found[place])
        if sure is not None:
            yield Finding(found[place].start, found[place].end, Personal.PERSON, sure)
        elif length := _length(index.organisations, found, place):
            sure = _term(text, found[place], length)
            if sure is not None:
                last = found[place + length - 1]
                yield Finding(found[place].start, last.end, Personal.ORGANISATION, sure)
                place += length
                continue
        if index.unspaced:
            yield from _unspaced(index.unspaced, found[place])
        place += 1


def _unspaced(names: dict[str, set[str]], word: Word) -> Iterator[Finding]:
    """Names within a run without spaces, as in Chinese and Japanese."""
    if word.end - word.start != len(word.folded):
        return
    for at, sign in enumerate(word.folded):
        for name in names.get(sign, ()):
            if word.folded.startswith(name, at):
                yield Finding(word.start + at, word.start + at + len(name), Personal.PERSON)


_SPEAKS = re.compile(
    r"'s\b|,? (?:said|says|told|asked|asks|wants|wanted|thinks|likes|prefers|wrote|writes|called"
    r"|lives|works|was|is|and (?:his|her))\b"
)


def _part(text: str, index: _Index, word: Word) -> bool | None:
    """Whether a word is surely a member's name; None if it is none."""
    ordinary = index.parts.get(word.folded)
    if ordinary is None:
        return None
    if not ordinary and len(word.folded) > 2:
        return True
    if text[word.start].islower():
        owns = text.startswith("'s", word.end) and word.folded not in STOP
        return False if owns else None
    if not text[word.start].isupper() or text[word.start : word.end].isupper():
        return None
    if not _opens(text, word.start):
        return True
    return False if _SPEAKS.match(text, word.end) else None


def _term(text: str, word: Word, length: int) -> bool | None:
    """Whether a term of the organisation is surely meant; None if it is an ordinary word."""
    if length > 1 or not kind_of(word.folded) & NOT_ONLY_NAME:
        return True
    if not text[word.start].isupper():
        return None
    return not _opens(text, word.start)


def _opens(text: str, start: int) -> bool:
    """Whether a sentence begins at this place."""
    at = start - 1
    while at >= 0 and text[at] in " \t\"'([*-":
        at -= 1
    return at < 0 or text[at] in ".!?:\n\r>"


def terms_of(names: Iterable[str]) -> Terms:
    """The terms of these names, which are given as written."""
    found = Terms()
    for name in names:
        found.add(name)
    return found
