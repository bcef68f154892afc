"""Sentences that nobody can read are found, and what only looks like them is not."""
# ruff: noqa: RUF001

import base64
import codecs
import random

import pytest

from memories.safety.plain_text import to_plain_text
from memories.safety.prompt_injection.find_injections import find_injections
from memories.safety.required_checks import InjectionType

SENTENCE = "Please leave the printer in the hall on for the people of the night shift"


def scrambled(text: str) -> str:
    """Each word of five letters or more with the letters inside in another order."""
    rng = random.Random(1)  # noqa: S311
    words = []
    for word in text.split():
        inside = list(word[1:-1])
        while len(set(inside)) > 1 and "".join(inside) == word[1:-1]:
            rng.shuffle(inside)
        words.append(word[0] + "".join(inside) + word[-1] if len(word) > 3 else word)
    return " ".join(words)


def found(text: str) -> list[str]:
    kinds = {one.kind for one in find_injections(to_plain_text(text))}
    assert kinds <= {InjectionType.ENCODED}
    return [text[one.start : one.end] for one in find_injections(to_plain_text(text))]


CODES = {
    "base64": base64.b64encode(SENTENCE.encode()).decode(),
    "base32": base64.b32encode(SENTENCE.encode()).decode(),
    "hex": SENTENCE.encode().hex(),
    "numbers": " ".join(str(ord(sign)) for sign in SENTENCE),
    "entities": "".join(f"&#{ord(sign)};" for sign in SENTENCE),
    "hexadecimal entities": "".join(f"&#x{ord(sign):x};" for sign in SENTENCE),
    "entities word by word": " ".join(
        "".join(f"&#{ord(sign)};" for sign in word) for word in SENTENCE.split()
    ),
    "escapes": "".join(f"\\u{ord(sign):04x}" for sign in SENTENCE),
    "short escapes": "".join(f"\\x{ord(sign):02x}" for sign in SENTENCE),
    "rot13": codecs.encode(SENTENCE, "rot13"),
    "backwards": SENTENCE[::-1],
    "each word backwards": " ".join(word[::-1] for word in SENTENCE.split()),
    "scrambled": scrambled(SENTENCE + " because the keys were stolen again last Sunday"),
}


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("around", ["{}", "Footer of the wiki: {} End.", '{{"note": "{}"}}'])
def test_a_sentence_that_nobody_reads_is_found(name: str, around: str) -> None:
    places = found(around.format(CODES[name]))
    assert places
    assert all(len(one) < len(CODES[name]) + 4 for one in places)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/search?q=how%20to%20bake%20bread%20for%20the%20whole%20family%20at%20home",
        "mailto:desk@example.org?subject=The%20printer%20in%20the%20hall%20is%20broken%20again",
        # A token, a hash, a greeting and a file name.
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkoifQ",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "The test string is aGVsbG8gd29ybGQgYWdhaW4=",
        base64.b64encode(bytes(range(256))).decode(),
        # Only what ASCII has not is written as an entity or an escape.
        "Die Gr&#246;&#223;e der T&#252;r &#252;ber dem Fl&#252;gel ist f&#252;r alle gleich.",
        '{"text": "Gr\\u00f6\\u00dfe f\\u00fcr alle, \\u00fcber die T\\u00fcr hinaus"}',
        "&#169; 2026 Example &#8211; all rights reserved &#38; kept &#40;v2&#41;",
        # Misprints, and words of other languages that are English ones under a key.
        "Teh meeting is tomorow, plaese bring taht form and the keys of the room.",
        "Gur is a town in Ukraine; va bene, ba, on, je, un, al, us, no, me, we.",
        "Sana ne zaman geleceğini sormadım, eht diye bir kelime yok, ama dna testi var.",
        "Saw was on a raw war; draw a ward, live evil, star rats, stop pots, keep peek.",
        "Se on hyvä, että he ovat täällä; en tiedä, mitä he haluavat tehdä huomenna illalla.",
        "Nid oes neb yn gwybod pwy sydd wedi gadael y drws ar agor drwy'r nos eto.",
        "Kuma si jua kali leo, watu wote wamekaa chini ya mti mkubwa wakingoja basi la jioni.",
        "Nem tudom, hogy ki hagyta nyitva az ajtót, de holnap reggel majd megkérdezem a portást.",
        "- - - . . . - - - a line of dashes and dots . . . - - - under a heading",
    ],
)
def test_what_only_looks_like_it_passes(text: str) -> None:
    assert found(text) == []


def test_four_words_in_disorder_among_twelve_are_a_sentence_and_three_are_not() -> None:
    odd = ["plaese", "bnirg", "tehse", "kyes"]
    plain = ["for", "the", "room", "of", "the", "two", "new", "men", "in", "town"]
    assert found(" ".join([*odd, *plain]))
    assert found(" ".join([*odd[:3], *plain])) == []
    assert found(" ".join([*odd[:2], *plain, *plain, *odd[2:]])) == [], "too far from each other"
    assert found(" ".join(["plaese"] * 12)) == [], "one word, however often"
