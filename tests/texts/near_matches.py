"""Texts that almost match a pattern, again and again; made from the pattern itself."""

import re
from collections.abc import Iterator
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Pieces = list[tuple[str, bool]]  # a string that matches one element; whether it may be repeated
_CATEGORIES = {
    "CATEGORY_DIGIT": "1", "CATEGORY_NOT_DIGIT": "a", "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a", "CATEGORY_WORD": "a", "CATEGORY_NOT_WORD": "!",
}  # fmt: skip


def iter_near_matches(pattern: re.Pattern[str]) -> Iterator[str]:
    """Beginnings of matches, to be repeated, and matches with one part of them repeated.

    What is to be repeated is up to 200 characters long.
    """
    seen: set[str] = set()
    for choice in range(6):
        pieces = _pattern_pieces(parser.parse(pattern.pattern, pattern.flags), choice)
        whole = [text for text, _ in pieces]
        for end in range(1, len(pieces) + 1):
            begin = "".join(whole[:end])
            for text in (begin, f"{begin} ", f"{begin}!", f" {begin}", f"{begin[:-1]} "):
                if text.strip() and len(text) <= 200 and text not in seen:
                    seen.add(text)
                    yield text


def iter_pumps(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """(begin, part): matches up to one of their repeats, and what that repeats."""
    seen: set[tuple[str, str]] = set()
    for choice in range(6):
        pieces = _pattern_pieces(parser.parse(pattern.pattern, pattern.flags), choice)
        for place, (text, repeats) in enumerate(pieces):
            begin = "".join(piece for piece, _ in pieces[:place])
            if repeats and text and (begin[-40:], text) not in seen:
                seen.add((begin[-40:], text))
                yield begin, text


def _pattern_pieces(parsed: Any, choice: int) -> Pieces:
    found: Pieces = []
    for op, value in parsed:
        found += _piece(str(op), value, choice)
    return found


def _piece(op: str, value: Any, choice: int) -> Pieces:  # noqa: PLR0911
    match op:
        case "LITERAL":
            return [(chr(value), False)]
        case "NOT_LITERAL":
            return [("a" if value != ord("a") else "b", False)]
        case "ANY":
            return [("a", False)]
        case "IN":
            return [(_member(value, choice), False)]
        case "BRANCH":
            return _pattern_pieces(value[1][choice % len(value[1])], choice)
        case "SUBPATTERN":
            return _pattern_pieces(value[3], choice)
        case "ATOMIC_GROUP":
            return _pattern_pieces(value, choice)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = value
            count = min(most, max(least, choice % 3))
            once = "".join(text for text, _ in _pattern_pieces(inner, choice))
            return [(once, most > 1)] * count if count else []
    return []  # a place, a look ahead or behind


def _member(items: Any, choice: int) -> str:
    if str(items[0][0]) == "NEGATE":
        refused = {str(op) for op, _ in items} | {chr(v) for op, v in items if str(op) == "LITERAL"}
        plain = "CATEGORY" in refused and any(
            str(v) in ("CATEGORY_WORD", "CATEGORY_NOT_SPACE") for _, v in items
        )
        return "!" if plain else next(c for c in "a1 .é" if c not in refused)
    op, value = items[choice % len(items)]
    match str(op):
        case "LITERAL":
            return chr(value)
        case "RANGE":
            return chr(value[0])
    return _CATEGORIES[str(value)]
