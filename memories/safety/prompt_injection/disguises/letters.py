"""The forms of a text in which rules search, so that disguised letters are found too. Pure.

Each form is made in one pass and knows the places of its characters. Only needed forms are made:
most texts have one.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from memories.safety.plain_text import PlainText
from memories.safety.prompt_injection.disguises.misspellings import MISSPELT

# Letters without accents, for letters that NFD splits; single replacements for the others.
_ACCENTS: dict[int, str] = {
    code: unicodedata.normalize("NFD", chr(code))[0].lower()
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
_TOKEN = re.compile(r"[^\W_]+")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][\W_]{1,5}){5,}[^\W\d_](?![^\W_])")
# A word broken by marks, at the end of a line, or written as a sum of strings: "ig**no**re",
# "igno-\nre", 'igno' + 're'.
_BREAK = re.compile(r"[\n*_~`|\\^+]|<!--")
_BROKEN = re.compile(
    r"(?<=[^\W\d_])(?:-\s{0,3}\n\s{0,3}|[*_~`|\\^]{1,4}|\n|<!--[^>\n]{0,60}-->)(?=[^\W\d_])"
    r"|(?<=\w)\s?[\"']\s{0,3}\+\s{0,3}[\"']\s?(?=\w)"
)


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
    if any(map(MISSPELT.__getitem__, words)):
        yield replaced(plain, {word: right for word in words if (right := MISSPELT[word])})


def replaced(text: str, others: Mapping[str, str]) -> PlainText:
    """The text with other words in the place of some; each character of such a word has the place
    of the whole."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for word in _TOKEN.finditer(text):
        other = others.get(word[0])
        if other is None:
            continue
        start, end = word.span()
        pieces += [text[last:start], other]
        starts += [*range(last, start), *([start] * len(other))]
        ends += [*range(last + 1, start + 1), *([end] * len(other))]
        last = end
    pieces.append(text[last:])
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    return PlainText(text, "".join(pieces), tuple(starts), tuple(ends))


def _gaps(text: str) -> list[tuple[int, int]]:
    """The gaps between single letters; of a wider gap the last character stays, to separate
    words."""
    found: list[tuple[int, int]] = []
    for run in _SPACED.finditer(text):
        gaps = [(gap.start(), gap.end()) for gap in _GAP.finditer(text, run.start(), run.end())]
        least = min(end - start for start, end in gaps)
        found += [(start, end if end - start == least else end - 1) for start, end in gaps]
    return found


_GAP = re.compile(r"[\W_]{1,5}")


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
