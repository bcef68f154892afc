"""How much of a text the gates read in one request, and in which portions.

A short text is read whole. A long one is read in portions that overlap, while there is processor
time left. What is not read then is not known to be harmless, so the gate fails closed.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memories.safety.findings import Finding
from memories.safety.plain_text import PlainText, plain

# Characters that are read at once, and how many of them the next portion reads again, so that what
# lies across a seam is read whole.
PORTION, OVERLAP = 32_000, 4_000
# Characters of a text that a caller asks about without writing it.
LONGEST_ASKED = 10_000
# Seconds of the processor after which no further portion of one text and its fields is begun.
SECONDS = 3.0
# A portion whose plain form is longer than so many times itself is made smaller: one character may
# stand for eighteen.
_MOST_WIDENED, _SMALLEST = 2, 1_000


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
