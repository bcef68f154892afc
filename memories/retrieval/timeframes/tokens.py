"""Tokens for reading times: words, numbers, units and names. Pure, English."""

import re
from dataclasses import dataclass

from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY

FEW_COUNT = 3
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
} | {"a": 1, "an": 1, "few": FEW_COUNT, "several": FEW_COUNT, "couple": 2}
UNITS = ("hour", "day", "week", "weekend", "month", "year")
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

    def unit(self, at: int) -> str:
        """The unit of time at this place, in the singular; else empty."""
        single = self[at].removesuffix("s")
        return single if single in UNITS else ""

    def count(self, at: int) -> tuple[int, int] | None:
        """(a number above 0 in digits or words, the place after it)."""
        if self[at] in ("a", "the") and self[at + 1] in ("few", "couple"):
            at += 1
        word = self[at]
        number = int(word) if word.isdecimal() else _NUMBERS.get(word)
        if not number:
            return None
        return number, at + (2 if word == "couple" and self[at + 1] == "of" else 1)


def parse_day_number(word: str) -> int:
    """The number of a day, 1 to 31, with or without its ending; 0 for any other word."""
    digits = word.rstrip("stndrh")
    number = int(digits) if digits.isdecimal() and len(digits) < 3 else 0
    return number if 1 <= number <= 31 else 0


def is_year(word: str) -> bool:
    """Whether a word is a number from 1900 to 2200."""
    return len(word) == 4 and word.isdecimal() and 1900 <= int(word) <= 2200
