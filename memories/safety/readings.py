"""The readings of a text: as it is seen, and with its escapes read as what they stand for. Pure.

A model reads `&#73;gnore` and `\\u0049gnore` as "Ignore", so both gates look at this reading too.
An escape of escapes is read as well, a third one is not.
"""

import html
import re
from collections.abc import Iterator

from memories.safety.plain_text import PlainText, plain

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
