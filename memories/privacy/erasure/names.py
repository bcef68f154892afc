"""By which words a person is named in the texts of others, and how these are hidden.

Pure. One regular expression that Python and Postgres read alike: an alternation of literals, so a
text is read once, however many names there are.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memories.language.gazetteers.stopwords import STOP

# What stands in the place of a name.
HIDDEN = "[removed]"
# Shorter names are found in too many words, and more of them in no person.
SHORTEST, MOST = 3, 200
# Words of a name that are words of the language, or titles, name nobody by themselves.
_COMMON_WORDS = """
will may mark rose grace hope joy sunny sky april june august art bill bob drew faith frank gene
grant jack joe miles nick pat ray rich rob rusty sandy sue van von der den del los las the dr mr
mrs ms prof king page price young long short white black brown green gray grey bot robot test user
admin member team group
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class NameTerms:
    """whole: names, addresses and identifiers, in any letter case. words: single words of the name,
    as they are written; only those that name nobody else here."""

    whole: tuple[str, ...]
    words: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.whole or self.words)

    @property
    def folded(self) -> "NameTerms":
        """The same, where letter case says nothing."""
        return NameTerms(tuple(sorted({*self.whole, *self.words}, key=_longest)), ())

    @property
    def patterns(self) -> list[tuple[str, bool]]:
        """Regular expressions with whether letter case counts."""
        return [
            (_pattern(terms), exact)
            for terms, exact in ((self.whole, False), (self.words, True))
            if terms
        ]

    def hidden(self, text: str) -> str:
        """The text with every name replaced by HIDDEN."""
        for pattern, exact in self.patterns:
            text = re.sub(pattern, HIDDEN, text, flags=0 if exact else re.IGNORECASE)
        return text


def terms_of(names: Iterable[str], identifiers: Iterable[str], others: Iterable[str]) -> NameTerms:
    """names: how the person is called. identifiers: addresses and accounts. others: names of
    other people, whose words stay."""
    others = list(others)
    known = {" ".join(name.split()).casefold() for name in others}
    called = [
        name
        for name in _clean(names)
        if name.casefold() not in _COMMON | STOP and name.casefold() not in known
    ]
    taken = {word.casefold() for name in others for word in _words(name)}
    whole = _clean([*called, *identifiers])
    words = {
        word
        for name in called
        for word in _words(name)
        if word.casefold() not in taken
        and word.casefold() not in _COMMON
        and word.casefold() not in STOP
        and word[0].isupper()
    }
    there = {term.casefold() for term in whole}
    single = sorted((w for w in words if w.casefold() not in there), key=_longest)
    return NameTerms(tuple(whole[:MOST]), tuple(single[:MOST]))


def _clean(given: Iterable[str]) -> list[str]:
    """Each once, the longest first: a short name may be a part of a long one."""
    found = {" ".join(one.split()).casefold(): " ".join(one.split()) for one in given}
    fit = (one for one in found.values() if len(one) >= SHORTEST)
    return sorted(fit, key=_longest)


def _longest(term: str) -> tuple[int, str]:
    return (-len(term), term)


def _words(name: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", name) if len(word) >= SHORTEST]


def _pattern(terms: Sequence[str]) -> str:
    """An alternation of literals between what is no letter, digit or underscore."""
    return rf"(?<!\w)(?:{'|'.join(map(_literal, terms))})(?!\w)"


def _literal(term: str) -> str:
    """Blanks of a name fit up to three blanks; a sign that is no letter or digit means itself."""
    return "".join(
        r"\s{1,3}" if sign == " " else sign if sign.isalnum() or sign == "_" else rf"\{sign}"
        for sign in term
    )
