"""Invisible characters that no orthography needs, and markup that hides a text. Pure.

Harmless are: a byte order mark at the beginning of a line, joiners between emoji and in scripts
that use them (Persian, Hindi ...), the tags of a flag, direction marks in a text with letters
written from right to left, a soft hyphen, a single blank between two words.
"""

import re
import unicodedata
from collections.abc import Iterator

from memories.safety.plain_text import PlainText
from memories.safety.prefilter import PrefilteredPattern
from orgs.names.lookalikes import has_invisible_character

_JOINERS = "\u200c\u200d"
_BOM, _SOFT_HYPHEN, _FLAG, _END_OF_TAGS = "\ufeff", "\u00ad", "\U0001f3f4", "\U000e007f"
_TAGS = range(0xE0000, 0xE0080)
_MORE_SELECTORS = range(0xE0100, 0xE01F0)
_DIRECTION_OVERRIDES = "\u202d\u202e"
_DIRECTION_MARKS = "\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
# Never useful in a plain text: deprecated direction marks, interlinear annotations.
_DEPRECATED_CHARACTERS = frozenset("\u206a\u206b\u206c\u206d\u206e\u206f\ufff9\ufffa\ufffb")
# This many in a row may encode a message in bits.
_MIN_RUN = 4
# Flags with tags name a region with at most this many characters.
_MAX_FLAG_CHARACTERS = 8

INVISIBLE_MARKUP = PrefilteredPattern(
    re.compile(
        r"<(?:span|div|p|font|td|li|section|b|i)\b[^>\n]{0,200}?(?:display\s{0,3}:\s{0,3}none"
        r"|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em)?\b|visibility\s{0,3}:\s{0,3}hidden"
        r"|opacity\s{0,3}:\s{0,3}0(?![.\d]))[^>\n]{0,200}>"
    ),
    ("<",),
)
_CONCEAL_ESCAPE = re.compile(r"\x1b\[(?:\d{1,3};){0,4}8m")


def find_hidden_characters(text: PlainText) -> Iterator[tuple[int, int]]:
    """(start, end) in the original of each run of suspicious invisible characters."""
    if not text.hidden:
        return
    original = text.original
    from_right = any(
        char.isalpha() and unicodedata.bidirectional(char) in ("R", "AL") for char in original
    )
    for concealed in _CONCEAL_ESCAPE.finditer(original):
        yield concealed.span()
    for start, end in _group_adjacent(text.hidden):
        if _is_suspicious(original, start, end, from_right=from_right):
            yield start, end


def _group_adjacent(places: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Adjacent places as (start, end)."""
    start = before = places[0]
    for place in places[1:]:
        if place != before + 1:
            yield start, before + 1
            start = place
        before = place
    yield start, before + 1


def _is_suspicious(original: str, start: int, end: int, *, from_right: bool) -> bool:
    run = original[start:end]
    inside = _is_inside_word(original, start, end)
    if any(char in _DEPRECATED_CHARACTERS or char in _DIRECTION_OVERRIDES for char in run):
        return True
    if any(ord(char) in _TAGS for char in run):
        return not _is_flag(original, start, run)
    if any(char in _DIRECTION_MARKS for char in run):
        return not from_right and (len(run) >= _MIN_RUN or inside)
    if run in _JOINERS:
        return inside and has_invisible_character(original[start - 1 : end + 1])
    formats = sum(unicodedata.category(char) == "Cf" for char in run)
    if (formats >= _MIN_RUN and len(set(run)) > 1) or (
        len(run) > 1 and all(map(_is_selector, run))
    ):
        return True
    line_begins = start == 0 or original[start - 1] == "\n"
    honest = run == _SOFT_HYPHEN or (run == _BOM and line_begins) or all(map(_is_control, run))
    return inside and not honest


def _is_flag(original: str, start: int, run: str) -> bool:
    return (
        start > 0
        and original[start - 1] == _FLAG
        and run[-1] == _END_OF_TAGS
        and len(run) <= _MAX_FLAG_CHARACTERS
        and run.count(_END_OF_TAGS) == 1
    )


def _is_selector(char: str) -> bool:
    return 0xFE00 <= ord(char) < 0xFE10 or ord(char) in _MORE_SELECTORS


def _is_control(char: str) -> bool:
    """Terminal controls, private-use characters and variation selectors, which hide no letters."""
    return unicodedata.category(char) in ("Cc", "Co", "Cs") or _is_selector(char)


def _is_inside_word(original: str, start: int, end: int) -> bool:
    """Whether letters of a script that needs no such character are on both sides."""
    if start == 0 or end >= len(original):
        return False
    return all(
        char.isalnum()
        and unicodedata.name(char, "").startswith(("LATIN", "CYRILLIC", "GREEK", "DIGIT"))
        for char in (original[start - 1], original[end])
    )
