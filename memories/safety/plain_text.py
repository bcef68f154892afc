"""The plain form of a text, as a reader sees it, with the place of each character in the original.
Pure.

An attacker may hide words from a gate with invisible characters, letters of another alphabet, or
letters of double width. The rules read the plain form; their findings are mapped to the original.
A model also reads `&#73;gnore` and `\\u0049gnore` as "Ignore", so a further reading has the escapes
replaced by what they stand for. An escape of escapes is read as well, a third one is not. The time
is linear in the text.

A short text is read whole. A long one is read in portions that overlap, while there is processor
time left. What is not read then is not known to be harmless, so the gate fails closed.
"""

import html
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import disarm

from memories.safety.required_checks import Finding

# Invisible categories: control (except line ends and tabs), format (joiners, direction marks,
# tags).
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs"})
_LINE_BREAKS = "\t\n\r\x0b\x0c\x85"
# Invisible characters of other categories: blank letters and marks, and variation selectors.
_BLANK_CHARACTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
# One character for each kind of space, line end, dash and quotation mark.
_REPLACEMENT_BY_CATEGORY = {"Zs": " ", "Zl": "\n", "Zp": "\n", "Pd": "-", "Pi": '"', "Pf": '"'}
# Signs of ASCII that a reader does not see, and a run of those that stay as they are; the last one
# may have marks behind it.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_ORDINARY = re.compile(r"[\t-\r -~]+(?=[\t-\r -~]|$)")
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
# The most marks of one letter (UAX 15, stream-safe format).
_MAX_COMBINING_MARKS = 30
# Characters that are read at once, and how many of them the next portion reads again, so that what
# lies across a seam is read whole.
PORTION, OVERLAP = 32_000, 4_000
# Characters of a text that a caller asks about without writing it.
LONGEST_ASKED = 5_000
# Seconds of the processor after which no further portion of one text and its fields is begun.
SECONDS = 3.0
# A portion whose plain form is longer than so many times itself is made smaller: one character may
# stand for eighteen.
_MOST_WIDENED, _SMALLEST = 2, 1_000

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
# Characters that one character may become.
_MAX_EXPANSION = 8


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


def to_plain_text(original: str) -> PlainText:
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
        if is_invisible(original[at]):
            hidden.append(at)
            at += 1
            continue
        end = at + 1
        while (
            end < length
            and end - at <= _MAX_COMBINING_MARKS
            and unicodedata.combining(original[end])
        ):
            end += 1
        seen = _fold_letter(original[at:end])
        found.append(seen)
        starts += [at] * len(seen)
        ends += [end] * len(seen)
        at = end
    return PlainText(original, "".join(found), tuple(starts), tuple(ends), tuple(hidden))


@lru_cache(maxsize=20_000)
def is_invisible(char: str) -> bool:
    """Whether a character is invisible: controls, joiners, direction marks, tags, blanks."""
    if char.isprintable() and char.isascii():
        return False
    if char in _LINE_BREAKS:
        return False
    if unicodedata.category(char) in _INVISIBLE_CATEGORIES or char in _BLANK_CHARACTERS:
        return True
    return any(ord(char) in among for among in _VARIATION_SELECTORS)


@lru_cache(maxsize=20_000)
def _fold_letter(letter: str) -> str:
    """The plain form of a letter with its marks: compatible forms, look-alikes and digits
    folded."""
    if letter.isascii():
        return letter
    compatible = unicodedata.normalize("NFKC", letter)
    # One Arabic sign stands for four words: a text of it would be 18 times as long to read.
    if len(compatible) > _MAX_EXPANSION * len(letter):
        return letter
    folded = "".join(map(_fold_char, compatible))
    return unicodedata.normalize("NFC", folded)


def _fold_char(char: str) -> str:
    if char.isascii() or unicodedata.combining(char):
        return char
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    if char in _SINGLE_QUOTES:
        return "'"
    plain_mark = _REPLACEMENT_BY_CATEGORY.get(unicodedata.category(char))
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
    return _placed(text, to_plain_text("".join(pieces)), places)


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


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a text in its plain form.

    start: its place in the text, in characters. until: the findings that begin before this place
    of the text are this portion's; those behind it are the next one's.
    """

    start: int
    until: int
    text: PlainText

    def own(self, findings: Iterable[Finding], begin: int) -> Iterator[Finding]:
        """The findings that begin from `begin` and before `until`, at their places in the text."""
        for one in findings:
            moved = replace(one, start=one.start + self.start, end=one.end + self.start)
            if begin <= moved.start < self.until:
                yield moved


def portions_of(text: str) -> Iterator[Portion]:
    """The portions of a text, in order; of a short one the whole. Linear in the text."""
    start, length, size = 0, len(text), PORTION
    while True:
        end = min(start + size, length)
        seen = to_plain_text(text[start:end])
        while len(seen.text) > _MOST_WIDENED * PORTION and end - start > _SMALLEST:
            fits = (end - start) * PORTION // len(seen.text)
            end = start + max(_SMALLEST, fits)
            seen = to_plain_text(text[start:end])
        again = min(OVERLAP, (end - start) // 4)
        yield Portion(start, length if end == length else end - again // 2, seen)
        if end == length:
            return
        # A text that widens does so mostly to its end: each character is widened a few times only.
        size = min(PORTION, 2 * (end - start))
        start = end - again


def joined(findings: Iterable[Finding]) -> Sequence[Finding]:
    """The findings of all portions, in order; those of one kind that overlap at a seam are one."""
    found: list[Finding] = []
    for one in sorted(findings):
        last = found[-1] if found else None
        if last and one.kind == last.kind and one.start < last.end:
            found[-1] = replace(last, end=max(last.end, one.end), sure=last.sure or one.sure)
        else:
            found.append(one)
    return found


@dataclass(slots=True)
class ReadingTime:
    """The processor time of one text with its fields. The first portion is always read, so that
    what a process does once at its start holds no short text back."""

    most: float = SECONDS
    _began: float = field(init=False)
    _read: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._began = time.thread_time()

    def begin(self) -> bool:
        """Whether one more portion may be begun."""
        self._read += 1
        return self._read == 1 or time.thread_time() - self._began < self.most
