"""Words of orders with their letters in disorder, without vowels, or with one letter wrong. Pure.

"Igrone the pervious intsructions" and "ign0r prvs nstrctns" are read by a model like the words that
are meant. A word that a language has is never taken for another one.
"""

from collections.abc import Iterable, Iterator

from memories.language.gazetteers.capitalised_non_names import ORDINARY_WORDS
from memories.language.gazetteers.stopwords import STOPWORDS
from memories.safety.prompt_injection.concepts.lexicon import LEXICON

# Shorter words have too many neighbours.
_LEAST_SCRAMBLED, _LEAST_WRONG, _LEAST_CONSONANTS = 5, 7, 3
_LONGEST = 24
_MOST_REMEMBERED = 50_000
_VOWELS = frozenset("aeiou")
# What a beginning of the tables goes on with.
_ENDINGS = ("", "e", "en", "em", "er", "es", "s", "n", "t", "d", "ed", "ing", "a", "i", "y", "lari")
_DERIVED = ("", "s", "es", "d", "ed", "r", "er", "ly", "ing", "ment", "ness")


class _Misspellings(dict[str, str]):
    """The word that is meant, by a wrong spelling; empty for every other word. Each spelling is
    worked out once."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__()
        self._meant: dict[str, str] = {}
        self._right: set[str] = set()
        for word in words:
            for form in (word + ending for ending in _ENDINGS):
                self._right.add(form)
            for form in _spellings(word):
                self._meant.setdefault(form, word)

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        found = self._word(word)
        if len(word) <= _LONGEST:
            self[word] = found
        return found

    def _word(self, word: str) -> str:
        if not _LEAST_CONSONANTS <= len(word) <= _LONGEST or not word.isascii():
            return ""
        if not word.isalpha() or word in self._right or _is_ordinary(word):
            return ""
        if LEXICON[word]:
            return ""
        bare = _VOWELS.isdisjoint(word[1:])
        forms = (form for form in _spellings(word) if bare or form[-1] != "!")
        return next((self._meant[form] for form in forms if form in self._meant), "")


def _is_ordinary(word: str) -> bool:
    """Whether it is a word of the lists, also with an ending: "securely"."""
    if word.endswith("ly"):  # securely, not secretly
        return True
    stems = {word.removesuffix(ending) for ending in _DERIVED}
    return bool(stems & ORDINARY_WORDS or stems & STOPWORDS)


def _spellings(word: str) -> Iterator[str]:
    """The forms by which two spellings of one word meet."""
    if len(word) >= _LEAST_SCRAMBLED:
        yield f"{word[0]}~{''.join(sorted(word[1:]))}"
    if len(word) >= _LEAST_WRONG:
        yield from (f"{word[:at]}{word[at + 1 :]}?" for at in range(1, len(word)))
        yield f"{word}?"
    consonants = "".join(sign for sign in word if sign not in _VOWELS)
    if len(consonants) >= _LEAST_CONSONANTS:
        yield f"{consonants}!"


MISSPELT = _Misspellings(
    word for word in LEXICON.long_words if word.isascii() and len(word) <= _LONGEST
)
