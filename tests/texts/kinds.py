"""Texts made to keep a rule busy: ten kinds and more, of any length, always the same ones."""

import random
from collections.abc import Callable
from itertools import cycle, islice

Kind = Callable[[int], str]


def repeated(*pieces: str) -> Kind:
    """The pieces in turn, cut at the length."""
    once = "".join(pieces)
    return lambda length: (once * (length // len(once) + 1))[:length]


def begun(begin: str, part: str) -> Kind:
    """A begin, then one part again and again, and at the end what fits nothing."""
    return lambda length: (begin + part * (length // len(part) + 1))[: length - 1] + "\x01"


def _each(make: Callable[[int], str]) -> Kind:
    """Pieces that differ, by their number, until the length is reached."""

    def text(length: int) -> str:
        found, size, number = [], 0, 0
        while size < length:
            found.append(make(number))
            size += len(found[-1])
            number += 1
        return "".join(found)[:length]

    return text


_SYLLABLES = "ka lo mi ren tor ves bal dun fer gis hal jon".split()  # noqa: SIM905
_MONTHS = ("Jan", "February", "March", "Apr", "May", "June", "July", "Aug", "Sept", "Oct")


def _word(number: int) -> str:
    parts = []
    while True:
        parts.append(_SYLLABLES[number % 12])
        number //= 12
        if not number:
            return "".join(parts)


def _prose(length: int) -> str:
    dice = random.Random(20)  # noqa: S311
    words = [_word(dice.randrange(2_000)) for _ in range(length // 4)]
    marks = cycle(["", "", ",", "", "", ".", "", "?", "", "\n"])
    return " ".join(f"{word}{mark}" for word, mark in zip(words, marks, strict=False))[:length]


def _shuffled(length: int) -> str:
    """Every character that means something to a rule, in no order."""
    dice = random.Random(3)  # noqa: S311
    marks = "aA0 .,:;!?'\"`@#/\\-_()[]{}<>\n\r\t’“”«»éß中ア가ก\u0301%€$+*=|~^&"
    return "".join(dice.choices(marks, k=length))


KINDS: dict[str, tuple[Kind, ...]] = {
    "quotes": (
        repeated('"'), repeated("“"), repeated("«", " "), repeated("`"), repeated("```"),
        repeated('"a" '), repeated("“a «b ", '"c '), repeated("'(["), repeated("> "),
        repeated('"They" they '), repeated("```\n"),
    ),
    "promises": (
        repeated("I will "), repeated("We need to "), repeated("I'll "), repeated("Bob must "),
        repeated("Bob-Bob'll-"), repeated("I will do it by Friday "), repeated("todo: "),
        repeated("they will "), repeated("he said she "),
    ),
    "dates": (
        _each(lambda n: f"{n % 28 + 1} {_MONTHS[n % 10]} {1900 + n % 200}, "),
        _each(lambda n: f"{1900 + n % 199}-{n % 12 + 1:02}-{n % 28 + 1:02} "),
        repeated("in two days "), repeated("next Friday ", "tomorrow "), repeated("1/1/"),
        repeated("on the 1st of "), repeated("last last "), repeated("Q1 "), repeated("12 "),
        _each(lambda n: f"{n}.{n}:"),
    ),
    "names": (
        _each(lambda n: f"{_word(n).capitalize()} {_word(n + 7).capitalize()}, "),
        repeated("Bob "), repeated("Bob he "), repeated("Anna Berlin GmbH "), repeated("A. "),
        repeated("Bob and Ann "), repeated("the Bob "), repeated("works at Bob "),
        _each(lambda n: f"{_word(n).capitalize()} said "), repeated("B-B.B&"),
        _each(lambda n: f"in {_word(n).capitalize()} "),
    ),
    "letters": (repeated("a"), repeated("A"), repeated("Aa"), repeated("1"), repeated("ß"),
                repeated("中"), repeated("ア"), repeated("ก"), repeated("가"), repeated("ab")),
    "spaces": (repeated(" "), repeated("\t"), repeated("\u00a0"), repeated("a", " " * 50),
               repeated(". "), repeated(" ; "), lambda n: "a" + " " * (n - 2) + "b",
               lambda n: "```" + " " * (n - 4) + "x", lambda n: "x." + " " * (n - 3) + "y"),
    "marks": (
        repeated("."), repeated("-"), repeated("'"), repeated(":"), repeated("a."),
        repeated("a-"), repeated("A'"), repeated("_"), repeated("?!"), repeated(".)"),
        repeated("a/"), repeated("\\"), repeated("{}"), repeated("$ "), repeated("…\"'”"),
    ),
    "combining": (
        repeated("\u0301"), repeated("\u0301\u0323"), repeated("a\u0301"),
        repeated("\u0344\u0316"), repeated("e\u0323\u0302"), repeated("\u05b0\u05b7\u0591"),
        lambda n: "a" + "\u0301" * (n // 2) + "\u0323" * (n // 2), repeated("\ufdfa"),
    ),
    "lines": (
        repeated("\n"), repeated("\r\n"), repeated("\r"), repeated("\n\r\v\f\x1c\u2028"),
        repeated("a\n"), repeated("> a\n"), repeated("- a\n"), repeated("a;\n"),
        repeated("1. \n"), repeated(".\n"), repeated("\n "),
    ),
    "mentions": (
        repeated("@"), repeated("@a"), repeated("@a "), repeated("@a.b-"), repeated("#"),
        repeated("#a"), repeated("a@a"), repeated("a@a."), repeated("ann: "), repeated("ok, so, "),
        _each(lambda n: f"@{_word(n)} "), _each(lambda n: f"#{_word(n)} "),
    ),
    "links": (
        repeated("http://"), repeated("x://"), repeated("www."), repeated("a/b/c."),
        repeated("https://a.b/"), repeated("a" * 41 + "://"),
    ),
    "prose": (_prose, _shuffled, _each(lambda n: _word(n) + " "),
              _each(lambda n: f"{_word(n)}s {_word(n)} not ")),
}  # fmt: skip


def texts(length: int) -> list[tuple[str, str]]:
    """(kind, text) of every text of every kind."""
    return [(name, make(length)) for name, made in KINDS.items() for make in made]


def pieces(text: str, most: int = 1_000, longest: int = 300) -> list[str]:
    """What a list of names holds that somebody wrote with such a text."""
    words = [word[:longest] for word in text.split()] or [text[:longest]]
    return list(islice(dict.fromkeys(words), most))
