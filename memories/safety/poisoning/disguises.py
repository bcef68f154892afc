"""The forms of a text in which rules search, so that disguised letters are found too. Pure.

Each form is made in one pass and knows the places of its characters. Only needed forms are made:
most texts have one.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence

from memories.safety.plain_text import PlainText

# Letters without accents, for letters that NFD splits; single replacements for the others.
_ACCENTS: dict[int, str] = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for code in range(0xC0, 0x250)
    if unicodedata.decomposition(chr(code)).partition(" ")[0] not in ("", "<compat>")
} | {ord(char): like for char, like in zip("ßøłđıæœ„`", "soldiaa\"'", strict=True)}
# Digits and marks that are used as letters; a 1 is an i or an l.
_LEET = str.maketrans("0345789@$!1|", "oeastbgasiil")
_LEET_L: dict[int, str | int] = {**_LEET, ord("1"): "l", ord("!"): "l"}
_LEET_SIGN = re.compile(r"[013457@$!]")
_LEET_WORD = re.compile(r"[a-z][013457@$!](?=[a-z0-9@$])|(?<![^\W_])[013457@$!](?=[a-z])")
# Combining strokes and rings over letters.
_OVERLAID = re.compile(r"[\u0300-\u036f\u20d0-\u20ff]+")
# Six or more single letters: "i g n o r e", "i.g.n.o.r.e".
_LEAST_SPACED = 6
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][\W_]{1,3}){5,}[^\W\d_](?![^\W_])")
# A word broken by marks or at the end of a line: "ig**no**re", "igno-\nre".
_BREAK = re.compile(r"[\n*_~`|\\^]")
_BROKEN = re.compile(r"(?<=[^\W\d_])(?:-\s{0,3}\n\s{0,3}|[*_~`|\\^]{1,4}|\n)(?=[^\W\d_])")


def small(text: str) -> str:
    """The text in lower case without accents, with the same number of characters."""
    found = text.lower()
    if len(found) != len(text):  # a capital that becomes two characters
        found = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return found if found.isascii() else found.translate(_ACCENTS)


def forms(text: str, plain: str, words: Sequence[str]) -> Iterator[PlainText]:
    """The text in lower case without accents: first as it is, then without its disguises.

    plain: small(text). words: the words of that.
    """
    yield PlainText(text, plain)
    if not plain.isascii() and _OVERLAID.search(plain):
        yield _without(plain, [found.span() for found in _OVERLAID.finditer(plain)])
    # A quick look for the signs comes first: most texts have none.
    if _LEET_SIGN.search(plain) and _LEET_WORD.search(plain):
        yield PlainText(text, plain.translate(_LEET))
        yield PlainText(text, plain.translate(_LEET_L))
    if list(map(len, words)).count(1) >= _LEAST_SPACED and _SPACED.search(plain):
        yield _without(plain, _gaps(plain))
    if _BREAK.search(plain) and _BROKEN.search(plain):
        yield _without(plain, [found.span() for found in _BROKEN.finditer(plain)])


def rot13(text: str) -> str:
    """The text with each Latin letter rotated by thirteen."""
    return codecs.encode(text, "rot13")


def _gaps(text: str) -> list[tuple[int, int]]:
    """The gaps between single letters; of a wider gap the last character stays, to separate
    words."""
    found: list[tuple[int, int]] = []
    for run in _SPACED.finditer(text):
        gaps = [(gap.start(), gap.end()) for gap in _GAP.finditer(text, run.start(), run.end())]
        least = min(end - start for start, end in gaps)
        found += [(start, end if end - start == least else end - 1) for start, end in gaps]
    return found


_GAP = re.compile(r"[\W_]{1,3}")


def _without(text: str, cuts: list[tuple[int, int]]) -> PlainText:
    kept: list[str] = []
    places: list[int] = []
    last = 0
    for start, end in [*cuts, (len(text), len(text))]:
        kept.append(text[last:start])
        places.extend(range(last, start))
        last = end
    ends = tuple(place + 1 for place in places)
    return PlainText(text, "".join(kept), tuple(places), ends)
