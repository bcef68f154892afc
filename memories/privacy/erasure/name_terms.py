"""The words that name a person in others' texts, and how they are hidden.

Pure. One regular expression that works the same in Python and Postgres: an alternation of literals,
so a text is read once for all names.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memories.language.gazetteers.stopwords import STOPWORDS
from orgs.names.unicode_normalisation import normalise_unicode

# The replacement for a name.
REPLACEMENT = "[removed]"
# The form of an account: an address, or a name with a digit or a dot.
_ACCOUNT_FORM = re.compile(r"[@.\d]")
# Scripts without spaces, in which names have no word borders.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
# How letters are written as well. Two tables, and a pattern for each: with both in one, a text of
# many a's could be read in very many ways as a name of many å's.
_TWO_LETTERS: Mapping[str, str] = {
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "æ": "ae", "ø": "oe", "œ": "oe",
    "đ": "dj",
}  # fmt: skip
_PLAIN_LETTERS: Mapping[str, str] = {
    **{
        letter: plain
        for letter in map(chr, range(0xC0, 0x250))
        if letter.islower() and (plain := unicodedata.normalize("NFD", letter)[0]).isascii()
    },
    "ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "\u0131": "i", "i": "\u0131",
    "i\u0307": "i", "ё": "\u0435", "й": "\u0438",
}  # fmt: skip
# Shorter names would match too many words, and no person has more names than this.
MIN_CHARACTERS, MAX_CHARACTERS, MAX_TERMS = 3, 300, 200
# Words of a name that are also ordinary words or titles do not name anybody by themselves.
_COMMON_WORDS = """
will may mark rose grace hope joy sunny sky april june august art bill bob drew faith frank gene
grant jack joe miles nick pat ray rich rob rusty sandy sue van von der den del los las the dr mr
mrs ms prof king page price young long short white black brown green gray grey bot robot test user
admin member team group removed erased
"""
_COMMON_WORD_SET = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class NameTerms:
    """whole: names, addresses and identifiers, matched in any letter case. words: single words of
    the name, matched as written; only words that name nobody else in the organisation."""

    whole: tuple[str, ...]
    words: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.whole or self.words)

    @property
    def unmistakable(self) -> "NameTerms":
        """Only addresses and full names, for places that also hold texts of others."""
        return NameTerms(tuple(t for t in self.whole if "@" in t or " " in t), ())

    @property
    def beginnings(self) -> str:
        """A regular expression that matches wherever a term is, and also elsewhere: in JSON an
        escape may be before a name and between its words."""
        terms = _limit_terms((*self.whole, *self.words))
        longest = {max(_name_words(term) or [term], key=len) for term in terms}
        tables = (_TWO_LETTERS, _PLAIN_LETTERS)
        return "|".join(sorted({_literal(one, table) for one in longest for table in tables}))

    @property
    def folded(self) -> "NameTerms":
        """The same terms, all matched in any letter case."""
        return NameTerms(tuple(sorted({*self.whole, *self.words}, key=_longest_first)), ())

    @property
    def patterns(self) -> list[tuple[str, bool]]:
        """[(regular expression, whether letter case matters)]."""
        return [
            (_pattern(fit), exact)
            for terms, exact in ((self.whole, False), (self.words, True))
            if (fit := _limit_terms(terms))
        ]

    def hidden(self, text: str) -> str:
        """The text with every name replaced by HIDDEN."""
        for pattern, exact in self.patterns:
            text = re.sub(pattern, REPLACEMENT, text, flags=0 if exact else re.IGNORECASE)
        return text


def build_name_terms(
    names: Iterable[str],
    identifiers: Iterable[str],
    others: Iterable[str],
    nicknames: Iterable[str] = (),
) -> NameTerms:
    """The terms of a person. names: their names. identifiers: confirmed addresses and accounts.
    others: names of other people, whose words stay. nicknames: names that others used for them.

    Anybody may give a nickname or an account, so these count only if they are unambiguous: a
    nickname that shares a word with the name, an account that looks like one.
    """
    others = list(others)
    known = {" ".join(name.split()).casefold() for name in others}
    taken = {word.casefold() for name in others for word in _name_words(name)}
    called = [name for name in _normalise_names(names) if _is_usable_name(name, known)]
    own = {word.casefold() for name in called for word in _name_words(name)} - taken
    also = [
        name
        for name in _normalise_names(nicknames)
        if _is_usable_name(name, known) and own & {word.casefold() for word in _name_words(name)}
    ]
    accounts = [one for one in identifiers if _ACCOUNT_FORM.search(one)]
    whole = _normalise_names([*called, *also, *accounts])
    words = {
        word
        for name in called
        for word in _name_words(name)
        if word.casefold() in own
        and word.casefold() not in _COMMON_WORD_SET
        and word.casefold() not in STOPWORDS
        and word[0].isupper()
    }
    there = {term.casefold() for term in whole}
    single = sorted((w for w in words if w.casefold() not in there), key=_longest_first)
    return NameTerms(tuple(whole[:MAX_TERMS]), tuple(single[:MAX_TERMS]))


def _is_usable_name(name: str, known: set[str]) -> bool:
    folded = name.casefold()
    return folded not in _COMMON_WORD_SET and folded not in STOPWORDS and folded not in known


def _normalise_names(given: Iterable[str]) -> list[str]:
    """The texts, each once, the longest first, because a short name may be a part of a long one."""
    composed = (normalise_unicode(" ".join(one.split()), "NFC") for one in given)
    found = {one.casefold(): one for one in composed}
    fit = (one for one in found.values() if len(one) >= MIN_CHARACTERS)
    return sorted(fit, key=_longest_first)


def _longest_first(term: str) -> tuple[int, str]:
    return (-len(term), term)


def _name_words(name: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", name) if len(word) >= MIN_CHARACTERS]


def _limit_terms(terms: Iterable[str]) -> list[str]:
    """At most MOST terms, normalised: single blanks between words, and cut to the length of a
    name."""
    shortened = (" ".join(term[:MAX_CHARACTERS].split()) for term in terms)
    return list(dict.fromkeys(term for term in shortened if len(term) >= MIN_CHARACTERS))[
        :MAX_TERMS
    ]


def _pattern(terms: Sequence[str]) -> str:
    """An alternation of the terms as whole words, with an optional genitive s. A full name also
    matches without the signs on its letters; a single word might be another one without them."""
    spaced: list[str] = []
    found: list[str] = []
    for term in terms:
        forms = [_literal(term, _TWO_LETTERS)]
        if " " in term:
            forms.append(_literal(term, _PLAIN_LETTERS))
        (found if _UNSPACED.search(term) else spaced).extend(dict.fromkeys(forms))
    if spaced:
        found.append(rf"(?<!\w)(?:{'|'.join(spaced)})s?(?!\w)")
    return "|".join(found)


def _literal(term: str, spellings: Mapping[str, str]) -> str:
    """A term as a regular expression: a blank matches up to three blanks, a letter each of the ways
    in which it is written. spellings: how a letter is written as well, in lower case."""
    return "".join(_sign(sign, spellings) for sign in term)


def _sign(sign: str, spellings: Mapping[str, str]) -> str:
    if sign == " ":
        return r"\s{1,3}"
    small = spellings.get(sign.lower(), "")
    if sign.isascii() and not small:
        return sign if sign.isalnum() or sign == "_" else rf"\{sign}"
    forms = {sign, unicodedata.normalize("NFD", sign)}
    if small:
        forms |= {small.capitalize(), small.upper()} if sign.isupper() else {small}
    if len(forms) == 1:
        return sign if sign.isalnum() else rf"\{sign}"
    # The longest first: in Python the first one that fits counts.
    return f"(?:{'|'.join(sorted(forms, key=_longest_first))})"
