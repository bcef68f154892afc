"""Texts made to keep a rule busy: ten kinds and more, of any length, always the same ones."""

import random
from collections.abc import Callable
from itertools import cycle, islice

TextGenerator = Callable[[int], str]


def repeat(*pieces: str) -> TextGenerator:
    """The pieces in turn, cut at the length."""
    once = "".join(pieces)
    return lambda length: (once * (length // len(once) + 1))[:length]


def begin_then_repeat(begin: str, part: str) -> TextGenerator:
    """A begin, then one part again and again, and at the end what fits nothing."""
    return lambda length: (begin + part * (length // len(part) + 1))[: length - 1] + "\x01"


def _numbered(make: Callable[[int], str]) -> TextGenerator:
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


TEXT_GENERATORS: dict[str, tuple[TextGenerator, ...]] = {
    "quotes": (
        repeat('"'), repeat("“"), repeat("«", " "), repeat("`"), repeat("```"),
        repeat('"a" '), repeat("“a «b ", '"c '), repeat("'(["), repeat("> "),
        repeat('"They" they '), repeat("```\n"),
    ),
    "promises": (
        repeat("I will "), repeat("We need to "), repeat("I'll "), repeat("Bob must "),
        repeat("Bob-Bob'll-"), repeat("I will do it by Friday "), repeat("todo: "),
        repeat("they will "), repeat("he said she "),
    ),
    "dates": (
        _numbered(lambda n: f"{n % 28 + 1} {_MONTHS[n % 10]} {1900 + n % 200}, "),
        _numbered(lambda n: f"{1900 + n % 199}-{n % 12 + 1:02}-{n % 28 + 1:02} "),
        repeat("in two days "), repeat("next Friday ", "tomorrow "), repeat("1/1/"),
        repeat("on the 1st of "), repeat("last last "), repeat("Q1 "), repeat("12 "),
        _numbered(lambda n: f"{n}.{n}:"),
    ),
    "names": (
        _numbered(lambda n: f"{_word(n).capitalize()} {_word(n + 7).capitalize()}, "),
        repeat("Bob "), repeat("Bob he "), repeat("Anna Berlin GmbH "), repeat("A. "),
        repeat("Bob and Ann "), repeat("the Bob "), repeat("works at Bob "),
        _numbered(lambda n: f"{_word(n).capitalize()} said "), repeat("B-B.B&"),
        _numbered(lambda n: f"in {_word(n).capitalize()} "),
    ),
    "letters": (repeat("a"), repeat("A"), repeat("Aa"), repeat("1"), repeat("ß"),
                repeat("中"), repeat("ア"), repeat("ก"), repeat("가"), repeat("ab")),
    "spaces": (repeat(" "), repeat("\t"), repeat("\u00a0"), repeat("a", " " * 50),
               repeat(". "), repeat(" ; "), lambda n: "a" + " " * (n - 2) + "b",
               lambda n: "```" + " " * (n - 4) + "x", lambda n: "x." + " " * (n - 3) + "y"),
    "marks": (
        repeat("."), repeat("-"), repeat("'"), repeat(":"), repeat("a."),
        repeat("a-"), repeat("A'"), repeat("_"), repeat("?!"), repeat(".)"),
        repeat("a/"), repeat("\\"), repeat("{}"), repeat("$ "), repeat("…\"'”"),
    ),
    "combining": (
        repeat("\u0301"), repeat("\u0301\u0323"), repeat("a\u0301"),
        repeat("\u0344\u0316"), repeat("e\u0323\u0302"), repeat("\u05b0\u05b7\u0591"),
        lambda n: "a" + "\u0301" * (n // 2) + "\u0323" * (n // 2), repeat("\ufdfa"),
    ),
    "lines": (
        repeat("\n"), repeat("\r\n"), repeat("\r"), repeat("\n\r\v\f\x1c\u2028"),
        repeat("a\n"), repeat("> a\n"), repeat("- a\n"), repeat("a;\n"),
        repeat("1. \n"), repeat(".\n"), repeat("\n "),
    ),
    "mentions": (
        repeat("@"), repeat("@a"), repeat("@a "), repeat("@a.b-"), repeat("#"),
        repeat("#a"), repeat("a@a"), repeat("a@a."), repeat("ann: "), repeat("ok, so, "),
        _numbered(lambda n: f"@{_word(n)} "), _numbered(lambda n: f"#{_word(n)} "),
    ),
    "links": (
        repeat("http://"), repeat("x://"), repeat("www."), repeat("a/b/c."),
        repeat("https://a.b/"), repeat("a" * 41 + "://"),
    ),
    "prose": (_prose, _shuffled, _numbered(lambda n: _word(n) + " "),
              _numbered(lambda n: f"{_word(n)}s {_word(n)} not ")),
}  # fmt: skip


def generate_texts(length: int) -> list[tuple[str, str]]:
    """(kind, text) of every text of every kind."""
    return [(name, make(length)) for name, made in TEXT_GENERATORS.items() for make in made]


def split_names(text: str, most: int = 1_000, longest: int = 300) -> list[str]:
    """What a list of names holds that somebody wrote with such a text."""
    words = [word[:longest] for word in text.split()] or [text[:longest]]
    return list(islice(dict.fromkeys(words), most))
