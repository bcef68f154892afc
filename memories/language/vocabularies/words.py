"""The words of a text as the vocabularies compare them. Pure."""

import re
from dataclasses import dataclass
from functools import lru_cache

from orgs.names.unicode_normalisation import normalise_unicode

# A word may carry combining marks, which are no letters to a pattern.
_TOKEN = re.compile(r"\d+|(?:[^\W\d_][\u0300-\u036f]*)+|[^\s]")
_APOSTROPHES = frozenset("'’‘")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class WordToken:
    """word: as compared. start, end: its place in the text. capital: whether it begins so."""

    word: str
    start: int
    end: int
    capital: bool


def fold_text(text: str) -> str:
    """The form in which words are compared: small letters in one spelling. "ß" is "ss", and the
    Turkish i without a dot is an i."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    # A capital I with a dot becomes an i and a combining dot.
    return normalise_unicode(folded).replace("i\u0307", "i").replace("\u0131", "i")


fold_word = lru_cache(maxsize=50_000)(fold_text)


def read_words(text: str) -> list[WordToken]:
    """The words, numbers and signs of a text."""
    return [
        WordToken(
            "'" if found[0] in _APOSTROPHES else fold_word(found[0]),
            found.start(),
            found.end(),
            found[0][0].isupper(),
        )
        for found in _TOKEN.finditer(text)
    ]


def split_words(form: str) -> tuple[str, ...]:
    """The words of one form in a table: "fin_de_semana"."""
    return tuple(token.word for token in read_words(form.replace("_", " ")))
