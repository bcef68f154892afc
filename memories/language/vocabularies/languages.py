"""Which vocabularies a text may be read with. Pure.

A wrong reading is worse than none. A text is read with the vocabulary of its language where that
is known. Else the language with most words in it counts, and none where it has as many English
words. Where several have as many, each is tried, and the reader must not rely on what they read
differently.
"""

import re
from collections.abc import Iterator
from functools import cache

from memories.language.gazetteers.stopwords import ENGLISH_WORDS
from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY
from memories.language.vocabularies.dutch import DUTCH
from memories.language.vocabularies.french import FRENCH
from memories.language.vocabularies.german import GERMAN
from memories.language.vocabularies.italian import ITALIAN
from memories.language.vocabularies.polish import POLISH
from memories.language.vocabularies.portuguese import PORTUGUESE
from memories.language.vocabularies.spanish import SPANISH
from memories.language.vocabularies.turkish import TURKISH
from memories.language.vocabularies.vocabulary import Vocabulary
from memories.language.vocabularies.words import fold_text, split_words

VOCABULARIES = (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, POLISH, TURKISH)
_WORD = re.compile(r"[^\W\d_]+")
_BY_CODE = {one.code: one for one in VOCABULARIES}


def select_vocabularies(text: str, language: str | None = None) -> tuple[Vocabulary, ...]:
    """The vocabularies to read a text with; none for an English text and for other languages.

    language: its ISO 639-1 code where it is known. Only the first 2,000 characters count.
    """
    if language is not None:
        given = _BY_CODE.get(language)
        return (given,) if given else ()
    words = set(_WORD.findall(fold_text(text[:MAX_CHARACTERS_TO_CLASSIFY])))
    foreign, english_only = _all_words()
    # Most texts are English, and are left here.
    if len(words & foreign) <= len(words & english_only):
        return ()
    english = words & ENGLISH_WORDS
    counts: list[tuple[int, Vocabulary]] = []
    for one in VOCABULARIES:
        known = words & known_words(one)
        if len(known - english) > len(english - known):
            counts.append((len(known), one))
    most = max((count for count, _ in counts), default=0)
    return tuple(one for count, one in counts if count == most)


@cache
def _all_words() -> tuple[frozenset[str], frozenset[str]]:
    """(words of any vocabulary that are not English, English words of no vocabulary)."""
    known = frozenset[str]().union(*(known_words(one) for one in VOCABULARIES))
    return known - ENGLISH_WORDS, ENGLISH_WORDS - known


@cache
def known_words(vocabulary: Vocabulary) -> frozenset[str]:
    """The words by which a text shows that it is of this language. A plain letter alone shows
    nothing."""
    found = _iter_known(vocabulary)
    return frozenset(word for word in found if len(word) > 1 or not word.isascii())


def _iter_known(vocabulary: Vocabulary) -> Iterator[str]:
    times = vocabulary.times
    texts = (
        vocabulary.function_words, *times.months, *times.weekdays, *times.numbers.values(),
        *times.units.values(), *times.day_parts.values(), times.more_words, times.past,
        vocabulary.questions.first_person,
    )  # fmt: skip
    for text in texts:
        for form in text.replace("|", " ").split():
            yield from (word for word in split_words(form) if word[0].isalpha())
    for written, _ in (*times.times, *times.bare_times):
        for part in written.replace("/", " ").split():
            if not part.isupper() or not part.isascii():
                yield from (w for w in split_words(part.rstrip("?")) if w[0].isalpha())
