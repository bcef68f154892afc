"""The words of the concepts, compiled for looking up each word of a text. Pure.

A word's concepts are bits of a number, so that the concepts of a text are one `or` of its words.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from memories.safety.prompt_injection.concepts.consent_words import CONSENT_WORDS
from memories.safety.prompt_injection.concepts.function_words import FUNCTION_WORDS
from memories.safety.prompt_injection.concepts.nouns import NOUNS
from memories.safety.prompt_injection.concepts.reply_words import REPLY_WORDS
from memories.safety.prompt_injection.concepts.standing_words import STANDING_WORDS
from memories.safety.prompt_injection.concepts.verbs import VERBS

TABLES: dict[str, dict[str, str]] = (
    VERBS | NOUNS | FUNCTION_WORDS | STANDING_WORDS | CONSENT_WORDS | REPLY_WORDS
)
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr")
# Words of every language, such as the parts of an address.
ANY = "any"
# The bit of each concept. The lowest one marks a word with which a phrase begins.
PHRASE = 1
BITS: dict[str, int] = {name: 2 << place for place, name in enumerate(TABLES)}
# A word of one language is no word of another ("cache" hides in French alone), so each language has
# bits of its own. Below them all stand the bits of any language, for a quick look.
WIDTH = len(TABLES) + 1
_BLOCK = (1 << WIDTH) - 1
# A beginning of a word has at least so many letters: words are looked up by them.
HEAD = 4
# The most words that are remembered with their concepts; after that all are forgotten.
_MOST_REMEMBERED = 50_000
_LONGEST = 40
_SINGLE = {"ß": "s", "ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "a", "œ": "o"}


def _folded(word: str) -> str:
    """A word of a table in the form in which texts are read: lower case, no accents."""
    apart = unicodedata.normalize("NFD", word.lower())
    return "".join(_SINGLE.get(sign, sign) for sign in apart if not unicodedata.combining(sign))


def _entries(tables: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    """(concept, language, entry) of each word, beginning and phrase of the tables."""
    for concept, languages in tables.items():
        for language, words in languages.items():
            for entry in words.split():
                yield concept, language, _folded(entry)


def _bits(concept: str, language: str) -> int:
    """The bits of a concept in a language, and that of any language."""
    places = range(1, len(LANGUAGES) + 1) if language == ANY else (1 + LANGUAGES.index(language),)
    return BITS[concept] | reduce(or_, (BITS[concept] << WIDTH * place for place in places))


def by_language(bits: int) -> Iterator[int]:
    """The bits of the concepts in each language that has some."""
    bits >>= WIDTH
    while bits:
        if block := bits & _BLOCK:
            yield block
        bits >>= WIDTH


class _Lexicon(dict[str, int]):
    """The concepts of words, by the word in lower case without accents; each is looked up once.

    Of a word with which a phrase begins, the bits of any language have the phrase's concept as
    well, and the bits of the languages do not.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__()
        self._exact: dict[str, int] = {}
        self._begun: dict[str, list[tuple[str, int]]] = {}
        self._phrases: dict[str, dict[str, list[tuple[tuple[str, ...], int]]]] = {}
        # Phrases whose last word is a beginning: (the words between, that beginning, bits).
        self._begun_phrases: dict[str, list[tuple[tuple[str, ...], str, int]]] = {}
        # The concepts of words with which a phrase begins, without those of the phrase.
        self._alone: dict[str, int] = {}
        places = {language: place for place, language in enumerate((ANY, *LANGUAGES))}
        for concept, language, entry in sorted(_entries(tables), key=lambda e: places[e[1]]):
            self._add(entry, _bits(concept, language))

    def _add(self, entry: str, bit: int) -> None:
        first, *more = entry.split("_")
        if more:
            # The quick look takes the phrase for whole; the rules look at its other words.
            self._exact[first] = self._exact.get(first, 0) | PHRASE | (bit & _BLOCK)
            self._add_phrase(first, more, bit)
        elif first.endswith("*"):
            if len(first) <= HEAD:
                raise ValueError(f"The beginning {first} is shorter than {HEAD} letters.")
            self._begun.setdefault(first[:HEAD], []).append((first[:-1], bit))
        else:
            self._exact[first] = self._exact.get(first, 0) | bit

    def _add_phrase(self, first: str, more: list[str], bit: int) -> None:
        *between, last = more
        if any("*" in word for word in (first, *between)):
            raise ValueError(f"Only the last word of {first} {' '.join(more)} may be a beginning.")
        if last.endswith("*"):
            begun = self._begun_phrases.setdefault(first, [])
            begun.append((tuple(between), last[:-1], bit))
        else:
            then = self._phrases.setdefault(first, {})
            then.setdefault(more[0], []).append((tuple(more[1:]), bit))

    def __missing__(self, word: str) -> int:
        found = self._exact.get(word, 0)
        for begin, bit in self._begun.get(word[:HEAD], ()):
            if word.startswith(begin):
                found |= bit
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        if len(word) <= _LONGEST:
            self[word] = found
        return found

    def exactly_at(self, words: Sequence[str], at: int) -> int:
        """The concepts of the word at this place, and of the phrases that begin with it."""
        word = words[at]
        bits = self[word]
        if not bits & PHRASE:
            return bits
        found = self._alone.get(word)
        if found is None:
            languages = bits >> WIDTH << WIDTH
            found = self._alone[word] = reduce(or_, by_language(bits), languages)
        if at + 1 == len(words):
            return found
        for rest, bit in self._phrases.get(word, {}).get(words[at + 1], ()):
            if tuple(words[at + 2 : at + 2 + len(rest)]) == rest:
                found |= bit
        for between, begin, bit in self._begun_phrases.get(word, ()):
            last = at + 1 + len(between)
            if tuple(words[at + 1 : last]) == between and words[last : last + 1]:
                found |= bit * words[last].startswith(begin)
        return found

    @property
    def long_words(self) -> tuple[str, ...]:
        """The whole words of at least HEAD letters and the beginnings of others, in the order of
        LANGUAGES."""
        begun = (begin for some in self._begun.values() for begin, _ in some)
        words = dict.fromkeys((*self._exact, *begun))
        return tuple(word for word in words if len(word) >= HEAD)


LEXICON = _Lexicon(TABLES)
