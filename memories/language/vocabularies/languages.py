"""Which vocabularies a text may be read with. Pure.

A wrong reading is worse than none. A text is read with the vocabulary of its language where that
is known. Else the language with most words in it counts, and none where it has as many English
words. Where several have as many, each is tried, and the reader must not rely on what they read
differently.
"""

import re
from collections.abc import Iterable, Iterator
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
# English words that are words of another language as well show neither.
_ENGLISH_TOO_WORDS = """
ai al alt april arrive august aux ben bent bin biz co com comment dat december dell die dir door dos
dove due ed elf em er era eu fin fins ha io ma met mis mit nic non november os pod quest sale sen
september sim six size son su superior tag ten todo ton um usa van var ve weekends winter
ya
inferior
"""
_ENGLISH = ENGLISH_WORDS | frozenset(_ENGLISH_TOO_WORDS.split())
_PLAIN_PARTS = [
    part
    for one in VOCABULARIES
    if one.plain_part
    for part in (one.plain_part, one.plain_part.upper())
]
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_BY_CODE = {one.code: one for one in VOCABULARIES}


def vocabulary_of(language: str) -> Vocabulary | None:
    """The vocabulary of a language by its ISO 639-1 code."""
    return _BY_CODE.get(language)


def select_vocabularies(
    text: str, language: str | None = None, *, least: int = 1
) -> tuple[Vocabulary, ...]:
    """The vocabularies to read a text with; none for an English text and for other languages.

    language: its ISO 639-1 code where it is known. least: how many words must show the language
    where it is not; one with letters that English has not counts twice. Only the first 2,000
    characters count.
    """
    if language is not None:
        given = vocabulary_of(language)
        return (given,) if given else ()
    text = text[:MAX_CHARACTERS_TO_CLASSIFY]
    words = set(_WORD.findall(fold_text(text)))
    foreign, english_only = _all_words()
    # Of a text in capitals the words count as well.
    spelt: set[str] = set()
    if not text.isascii() or any(part in text for part in _PLAIN_PARTS):
        spelt = set(_any_spelling().findall(text.lower() if text.isupper() else text))
    # Most texts are English, and are left here.
    if 2 * (len(words & foreign) + len(spelt)) <= len(words & english_only):
        return ()
    english = words & _ENGLISH
    counts: list[tuple[int, Vocabulary]] = []
    for one in VOCABULARIES:
        pattern = _spelling(one) if one.spelling else None
        own = {fold_text(word) for word in spelt if pattern and pattern.match(word)}
        known = (words & vocabulary_words(one)) | own
        telling = _telling(known - english)
        # English has few words with other letters than its own.
        marked = sum(1 for word in telling if word in own or not word.isascii())
        if telling and len(telling) + marked >= max(least, len(english - known) + 1):
            counts.append((len(known), one))
    most = max((count for count, _ in counts), default=0)
    return tuple(one for count, one in counts if count == most)


@cache
def _spelling(vocabulary: Vocabulary) -> re.Pattern[str]:
    return re.compile(vocabulary.spelling)


@cache
def _any_spelling() -> re.Pattern[str]:
    """A word in small letters that is spelt as in one language alone. A name is none."""
    spellings = "|".join(one.spelling for one in VOCABULARIES if one.spelling)
    return re.compile(rf"(?<!\w)(?:{spellings})(?!\w)")


@cache
def _all_words() -> tuple[frozenset[str], frozenset[str]]:
    """(words of any vocabulary that are not English, English words of no vocabulary)."""
    known = frozenset[str]().union(*(vocabulary_words(one) for one in VOCABULARIES))
    return frozenset(_telling(known - _ENGLISH)), _ENGLISH - known


@cache
def vocabulary_words(vocabulary: Vocabulary) -> frozenset[str]:
    """The words of this language that the vocabulary has."""
    return frozenset(_iter_known(vocabulary))


def _telling(words: Iterable[str]) -> list[str]:
    """The words that show a language; a plain letter alone does not."""
    return [word for word in words if len(word) > 1 or not word.isascii()]


def _iter_known(vocabulary: Vocabulary) -> Iterator[str]:
    times, compared = vocabulary.times, vocabulary.comparison
    texts = (
        compared.negation, compared.be, compared.have, compared.object_verbs, compared.verbs,
        compared.fillers, compared.possessives, compared.now,
        *(pair.replace(" / ", " ") for pair in compared.opposites),
        vocabulary.function_words, *times.months, *times.weekdays, *times.numbers.values(),
        *times.units.values(), *times.day_parts.values(), times.more_words, times.past,
        vocabulary.questions.first_person,
    )  # fmt: skip
    for text in texts:
        for form in text.replace("|", " ").split():
            yield from (word for word in split_words(form) if word[0].isalpha())
    duties = vocabulary.duties
    yield from _words_of_phrases(written for written, _ in (*times.times, *times.bare_times))
    yield from _words_of_phrases(phrase for some in times.bounds.values() for phrase in some)
    yield from _words_of_phrases((*duties.own, *duties.named, *duties.shared))


def _words_of_phrases(phrases: Iterable[str]) -> Iterator[str]:
    for written in phrases:
        for part in written.replace("/", " ").split():
            if not part.isupper() or not part.isascii():
                yield from (w for w in split_words(part.rstrip("?")) if w[0].isalpha())
