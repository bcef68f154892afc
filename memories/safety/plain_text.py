"""The plain form of a text, as a reader sees it, with the place of each character in the original.
Pure.

An attacker may hide words from a gate with invisible characters, letters of another alphabet, or
letters of double width. The rules read the plain form; their findings are mapped to the original.
The time is linear in the text.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

import disarm

# Invisible categories: control (except line ends and tabs), format (joiners, direction marks,
# tags).
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})
_BREAKS = "\t\n\r\x0b\x0c\x85"
# Invisible characters of other categories: blank letters and marks, and variation selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
# One character for each kind of space, line end, dash and quotation mark.
_MARKS = {"Zs": " ", "Zl": "\n", "Zp": "\n", "Pd": "-", "Pi": '"', "Pf": '"'}
# Signs of ASCII that a reader does not see, and a run of those that stay as they are; the last one
# may have marks behind it.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_ORDINARY = re.compile(r"[\t-\r -~]+(?=[\t-\r -~]|$)")
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
# The most marks of one letter (UAX 15, stream-safe format).
_MOST_MARKS = 30


@dataclass(frozen=True, slots=True)
class PlainText:
    """original: as it was given. text: as it is seen, with look-alikes folded to Latin letters.

    starts, ends: for each character of `text` its start and end in `original`; empty if both texts
    are equal. hidden: the places of invisible characters in the original.
    """

    original: str
    text: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    hidden: tuple[int, ...] = field(default=(), repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of `text[start:end]`; start < end."""
        if not self.starts:
            return start, end
        return self.starts[start], self.ends[end - 1]


def plain(original: str) -> PlainText:
    """The plain form of a text of any length."""
    if original.isascii() and not _CONTROLS.search(original):
        return PlainText(original, original)
    found: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    hidden: list[int] = []
    at, length = 0, len(original)
    while at < length:
        if ordinary := _ORDINARY.match(original, at):
            found.append(ordinary[0])
            starts += range(at, ordinary.end())
            ends += range(at + 1, ordinary.end() + 1)
            at = ordinary.end()
            continue
        if is_unseen(original[at]):
            hidden.append(at)
            at += 1
            continue
        end = at + 1
        while end < length and end - at <= _MOST_MARKS and unicodedata.combining(original[end]):
            end += 1
        seen = _seen(original[at:end])
        found.append(seen)
        starts += [at] * len(seen)
        ends += [end] * len(seen)
        at = end
    return PlainText(original, "".join(found), tuple(starts), tuple(ends), tuple(hidden))


def is_unseen(char: str) -> bool:
    """Whether a character is invisible: controls, joiners, direction marks, tags, blanks."""
    if char.isprintable() and char.isascii():
        return False
    if char in _BREAKS:
        return False
    if unicodedata.category(char) in _UNSEEN or char in _BLANK:
        return True
    return any(ord(char) in among for among in _SELECTORS)


@lru_cache(maxsize=20_000)
def _seen(letter: str) -> str:
    """The plain form of a letter with its marks: compatible forms, look-alikes and digits
    folded."""
    if letter.isascii():
        return letter
    compatible = unicodedata.normalize("NFKC", letter)
    folded = "".join(map(_folded, compatible))
    return unicodedata.normalize("NFC", folded)


def _folded(char: str) -> str:
    if char.isascii() or unicodedata.combining(char):
        return char
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    if char in _SINGLE_QUOTES:
        return "'"
    plain_mark = _MARKS.get(unicodedata.category(char))
    return plain_mark or disarm.normalize_confusables(char)
