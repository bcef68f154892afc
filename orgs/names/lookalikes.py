"""Names that look alike, and names that cannot be read as they are written.

Unicode's table of confusables (UTS #39), from the package `disarm`, says which characters look
alike. Nothing made from it is stored, so a newer table needs no migration. Every rule takes time
linear in the name, which has at most LONGEST characters.
"""

import unicodedata
from collections.abc import Iterable

import disarm

MAX_LENGTH = 300
INVISIBLE_FAULT = "It holds a character that nobody sees or that turns the direction of writing."
MIXED_SCRIPT_FAULT = "One word of it mixes letters of several alphabets."
BLANK_FAULT = "Nothing of it can be seen."

# Categories of invisible characters: control, format, private use, line and paragraph separators.
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# Characters that are blank, though Unicode counts them as letters or marks.
_BLANK_CHARACTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Joiners belong to the spelling in these scripts (Persian, Hindi ...) and connect emoji.
_JOINERS = "\u200c\u200d"
_JOINER_SCRIPTS = (
    "ARABIC", "SYRIAC", "THAANA", "NKO", "MANDAIC", "MONGOLIAN", "DEVANAGARI", "BENGALI",
    "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
    "KHMER", "MYANMAR",
)  # fmt: skip
# Scripts that one word may mix, as Japanese, Korean and Chinese do, also with Latin letters.
_MIXABLE_SCRIPTS = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
_SHAPE_EQUALS = str.maketrans({"I": "l", "1": "l", "|": "l", "0": "o", "O": "o"})
# At a glance: letters with a stroke, and one shape for i, l, capital I, 1 and |. A capital L is
# another. Digits that stand for letters inside a word.
_STROKES = str.maketrans("øØłŁđĐħĦı", "oOlLdDhHi")
_UPRIGHT = str.maketrans({"i": "1", "l": "1", "I": "1", "|": "1", "!": "1", "0": "o", "O": "o"})
_DIGITS = str.maketrans({"3": "e", "4": "a", "5": "s", "7": "t", "8": "b"})
# Of a shorter word at a glance each letter counts: AI and AL are two.
GLANCED = 3
_LATIN_MARKS = range(0x300, 0x370)
_EDGES = ".,;:!?'\"_-`\u00b4\u00b7\u2018\u2019\u201c\u201d\u2026\u2010\u2011\u2013\u2014"
# Characters of no script of their own, used in all.
_COMMON_SCRIPTS = frozenset({"COMMON", "INHERITED", "UNKNOWN"})


def name_fault(name: str) -> str:
    """Why the name cannot be read as it is written, as a sentence; empty if it can."""
    if has_invisible_character(name):
        return INVISIBLE_FAULT
    if any(not _has_compatible_scripts(word) for word in _script_words(name)):
        return MIXED_SCRIPT_FAULT
    return "" if lookalike_keys(name) else BLANK_FAULT


def strip_invisible_edges(name: str) -> str:
    """The name without blanks and marks of direction or format at its edges, as exports of chats
    put them there. What is inside a name stays."""
    first, last = 0, len(name)
    while first < last and _is_edge_mark(name[first]):
        first += 1
    while first < last and _is_edge_mark(name[last - 1]):
        last -= 1
    return name[first:last]


def _is_edge_mark(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "Cf"


def has_invisible_character(name: str) -> bool:
    """Whether the name has invisible characters: controls, blanks, joiners out of place."""
    return any(_is_invisible_at(name, at) for at in range(len(name)))


def lookalike_keys(name: str) -> frozenset[str]:
    """Three keys of a name, none for an invisible one. Names that share a key look alike.

    One key ignores case. One compares shapes as written, where a capital I equals an l, and a zero
    an o. One is what is seen at a glance: without accents, dots at the ends and the difference of i
    and l, and with letters for the digits inside a word.
    """
    shapes = disarm.normalize_confusables(unicodedata.normalize("NFKC", name[:MAX_LENGTH]))
    said = _said(shapes)
    written = _merge_letter_pairs(shapes).translate(_SHAPE_EQUALS)
    glanced = _merge_letter_pairs(" ".join(_glanced(word) for word in shapes.strip(_EDGES).split()))
    keys = {"said": said, "written": written, "glanced": glanced}
    return frozenset(f"{key} {text}" for key, text in keys.items() if said and text)


def is_same(one: str, other: str) -> bool:
    """Whether it is one name, whatever its case and its form in Unicode. Narrower than `alike`: two
    people may have names that look alike."""
    first = _said(disarm.normalize_confusables(unicodedata.normalize("NFKC", one[:MAX_LENGTH])))
    second = _said(disarm.normalize_confusables(unicodedata.normalize("NFKC", other[:MAX_LENGTH])))
    return bool(first) and first == second


def find_lookalike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that could be taken for the name, or None."""
    looks = lookalike_keys(name)
    return next((other for other in others if looks & lookalike_keys(other)), None)


def _said(shapes: str) -> str:
    return _merge_letter_pairs(disarm.skeleton_key(shapes.casefold()))


def _glanced(word: str) -> str:
    """What a word looks like at a glance."""
    marked = unicodedata.normalize("NFD", word)
    bare = "".join(c for c in marked if ord(c) not in _LATIN_MARKS).translate(_STROKES)
    if sum(c.isalpha() for c in bare) < GLANCED:
        return bare.casefold()
    last = max(at for at, c in enumerate(bare) if c.isalpha())
    return (bare[:last].translate(_DIGITS) + bare[last:]).translate(_UPRIGHT).casefold()


def _merge_letter_pairs(text: str) -> str:
    return "".join(text.split()).replace("rn", "m").replace("vv", "w")


def _is_invisible_at(name: str, at: int) -> bool:
    char = name[at]
    if char.isascii():
        return not char.isprintable()
    if char in _JOINERS:
        return not (0 < at < len(name) - 1 and _accepts_joiner(name[at - 1]))
    return char in _BLANK_CHARACTERS or unicodedata.category(char) in _INVISIBLE_CATEGORIES


def _accepts_joiner(before: str) -> bool:
    if unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f":
        return True
    return unicodedata.name(before, "").startswith(_JOINER_SCRIPTS)


def _script_words(name: str) -> list[str]:
    """Runs of letters, digits, marks and joiners; everything else separates words. Empty for
    ASCII."""
    if name.isascii():
        return []
    parted = (c if unicodedata.category(c)[0] in "LMN" or c in _JOINERS else " " for c in name)
    return "".join(parted).split()


def _has_compatible_scripts(word: str) -> bool:
    if word.isascii():
        return True
    found = {str(script.value).upper() for script in disarm.detect_scripts(word)} - _COMMON_SCRIPTS
    return len(found) < 2 or any(found <= together for together in _MIXABLE_SCRIPTS)
