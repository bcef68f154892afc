"""Names that could be taken for one another, and names that nobody can read as they are.

Whether two characters look alike says Unicode's table of confusables (UTS #39), as `disarm` keeps
it; nothing is stored of it, so that a newer table needs no migration. Every rule is linear in the
name, and a name is at most LONGEST characters.
"""

import unicodedata
from collections.abc import Iterable

import disarm

LONGEST = 300
UNSEEN = "It holds a character that nobody sees or that turns the direction of writing."
MIXED = "One word of it mixes letters of several alphabets."
EMPTY = "Nothing of it can be seen."

# Categories of what is not seen: control, format, private use, line and paragraph separators.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# Blank, though they count as letters or marks.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Joiners are orthography in these scripts (Persian, Hindi ...) and glue between emoji.
_JOINERS = "\u200c\u200d"
_JOINED = (
    "ARABIC", "SYRIAC", "THAANA", "NKO", "MANDAIC", "MONGOLIAN", "DEVANAGARI", "BENGALI",
    "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA",
    "KHMER", "MYANMAR",
)  # fmt: skip
# What one word may mix: Japanese, Korean and Chinese are written so, with Latin letters among them.
_TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
_SHAPES = str.maketrans({"I": "l", "1": "l", "|": "l", "0": "o", "O": "o"})
# Of no alphabet of their own: found in every one.
_ANYWHERE = frozenset({"COMMON", "INHERITED", "UNKNOWN"})


def fault_of(name: str) -> str:
    """Why nobody can read the name as it is, as a sentence; empty for an honest one."""
    if is_unseen(name):
        return UNSEEN
    if any(not _goes_together(word) for word in _words(name)):
        return MIXED
    return "" if looks_of(name) else EMPTY


def is_unseen(name: str) -> bool:
    """Whether the name holds what is not seen: controls, blanks, joiners where none belongs."""
    return any(_is_unseen(name, at) for at in range(len(name)))


def looks_of(name: str) -> frozenset[str]:
    """Names with one of these in common look alike: two keys, none for what is unseen.

    The one reads capitals and small letters alike, the other the shapes as they are written, where
    a capital I is an l and a nought an o.
    """
    shapes = disarm.normalize_confusables(unicodedata.normalize("NFKC", name[:LONGEST]))
    said = _plain(disarm.skeleton_key(shapes.casefold()))
    written = _plain(shapes)
    return frozenset({f"said {said}", f"written {written.translate(_SHAPES)}"} if said else ())


def alike(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that could be taken for the name."""
    looks = looks_of(name)
    return next((other for other in others if looks & looks_of(other)), None)


def _plain(text: str) -> str:
    return "".join(text.split()).replace("rn", "m").replace("vv", "w")


def _is_unseen(name: str, at: int) -> bool:
    char = name[at]
    if char.isascii():
        return not char.isprintable()
    if char in _JOINERS:
        return not (0 < at < len(name) - 1 and _joins(name[at - 1]))
    return char in _BLANK or unicodedata.category(char) in _UNSEEN


def _joins(before: str) -> bool:
    if unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f":
        return True
    return unicodedata.name(before, "").startswith(_JOINED)


def _words(name: str) -> list[str]:
    """Runs of letters, marks and joiners; digits count to the word, everything else parts words."""
    if name.isascii():
        return []
    parted = (c if unicodedata.category(c)[0] in "LMN" or c in _JOINERS else " " for c in name)
    return "".join(parted).split()


def _goes_together(word: str) -> bool:
    if word.isascii():
        return True
    found = {str(script.value).upper() for script in disarm.detect_scripts(word)} - _ANYWHERE
    return len(found) < 2 or any(found <= together for together in _TOGETHER)
