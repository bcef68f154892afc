"""The plain form of a text, as a reader sees it, with the place of each character in the original.
Pure.

An attacker may hide words from a gate with invisible characters, letters of another alphabet, or
letters of double width. The rules read the plain form; their findings are mapped to the original.
A model also reads `&#73;gnore` and `\\u0049gnore` as "Ignore", so a further reading has the escapes
replaced by what they stand for. An escape of escapes is read as well, a third one is not. The time
is linear in the text.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
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

# The most readings of one text.
MOST_READINGS = 3
_ESCAPE = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});"
    r"|\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2}"
    r"|\bU\+[0-9a-fA-F]{4,6}\b\s?|=[2-7][0-9A-F](?=[^\s=]|=)|%[2-7][0-9a-fA-F]"
)
_SIGNS = ("&", "\\u", "\\U", "\\x", "U+", "=", "%")
_HEX = re.compile(r"[0-9a-fA-F]+")
_LAST = 0x10FFFF


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


def readings(text: PlainText) -> Iterator[PlainText]:
    """The text, and each further reading of it; places are those of the original."""
    yield text
    for _ in range(MOST_READINGS - 1):
        further = _unescaped(text)
        if further is None:
            return
        yield further
        text = further


def _unescaped(text: PlainText) -> PlainText | None:
    """The text with its escapes replaced; None if it has none."""
    seen = text.text
    if not any(sign in seen for sign in _SIGNS):
        return None
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    last = 0
    for escape in _ESCAPE.finditer(seen):
        meant = _meant(escape[0])
        if meant is None:
            continue
        start, end = escape.span()
        pieces += [seen[last:start], meant]
        places += [(at, at + 1) for at in range(last, start)]
        places += [(start, end)] * len(meant)
        last = end
    if not pieces:
        return None
    pieces.append(seen[last:])
    places += [(at, at + 1) for at in range(last, len(seen))]
    return _placed(text, plain("".join(pieces)), places)


def _placed(text: PlainText, found: PlainText, places: list[tuple[int, int]]) -> PlainText:
    """A reading with its places in the original of the text. places: in the text, for each sign of
    what the reading was made of."""
    starts, ends = [], []
    for at in range(len(found.text)):
        first, last = found.span(at, at + 1)
        start, end = text.span(places[first][0], places[last - 1][1])
        starts.append(start)
        ends.append(end)
    return PlainText(text.original, found.text, tuple(starts), tuple(ends), text.hidden)


def _meant(escape: str) -> str | None:
    """The characters that an escape stands for; None if it stands for none."""
    if escape[0] == "&":
        found = html.unescape(escape)
        return None if found == escape else found
    digits = _HEX.search(escape, 1)
    if digits is None or int(digits[0], 16) > _LAST:
        return None
    sign = chr(int(digits[0], 16))
    return sign if sign.isprintable() or sign in "\n\t" else None
