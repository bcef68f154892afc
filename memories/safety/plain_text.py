"""The plain form of a text, as a reader sees it, with the place of each character in the original.
Pure.

An attacker may hide words from a gate with invisible characters, letters of another alphabet, or
letters of double width. The rules read the plain form; their findings are mapped to the original.
The time is linear in the text.

A short text is read whole. A long one is read in portions that overlap, while there is processor
time left. What is not read then is not known to be harmless, so the gate fails closed.
"""

import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import disarm

from memories.safety.findings import Finding

# Invisible categories: control (except line ends and tabs), format (joiners, direction marks,
# tags).
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})
_BREAKS = "\t\n\r\x0b\x0c\x85"
# Invisible characters of other categories: blank letters and marks, and variation selectors.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
# One character for each kind of space, line end, dash and quotation mark.
_MARKS = {"Zs": " ", "Zl": "\n", "Zp": "\n", "Pd": "-", "Pi": '"', "Pf": '"'}
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b"
# The most marks of one letter (UAX 15, stream-safe format).
_MOST_MARKS = 30
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
    if original.isascii() and original.isprintable():
        return PlainText(original, original)
    found: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    hidden: list[int] = []
    at, length = 0, len(original)
    while at < length:
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
        seen = plain(text[start:end])
        while len(seen.text) > _MOST_WIDENED * PORTION and end - start > _SMALLEST:
            fits = (end - start) * PORTION // len(seen.text)
            end = start + max(_SMALLEST, fits)
            seen = plain(text[start:end])
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
