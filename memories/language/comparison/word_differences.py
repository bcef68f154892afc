"""What negates, opposes or dates two texts in the languages of the vocabularies. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from memories.language.comparison.statement_words import statement_words
from memories.language.vocabularies.languages import select_vocabularies
from memories.language.vocabularies.vocabulary import Vocabulary
from memories.language.vocabularies.words import read_words, split_words


@dataclass(frozen=True, slots=True)
class WordDifferences:
    """How the words of two texts differ.

    negated: in how often they negate. opposed: one has a word and only the other its opposite.
    dated: each has a day or month that the other lacks. words: the words that negate or oppose.
    spoken: whether they were read with a vocabulary.
    """

    spoken: bool = False
    negated: bool = False
    opposed: bool = False
    dated: bool = False
    words: frozenset[str] = frozenset()


_NONE = WordDifferences()


def find_word_differences(one: str, other: str, language: str | None = None) -> WordDifferences:
    """How two texts differ, read with the vocabulary of their language; nothing for English.

    language: its ISO code where it is known. Where several languages may be meant, what differs in
    one of them counts.
    """
    vocabularies = select_vocabularies(f"{one}\n{other}", language)
    if not vocabularies:
        return _NONE
    first, second = ([token.word for token in read_words(text)] for text in (one, other))
    found = [_differences(vocabulary, first, second) for vocabulary in vocabularies]
    return WordDifferences(
        True,
        any(each.negated for each in found),
        any(each.opposed for each in found),
        any(each.dated for each in found),
        frozenset[str]().union(*(each.words for each in found)),
    )


def _differences(
    vocabulary: Vocabulary, first: Sequence[str], second: Sequence[str]
) -> WordDifferences:
    here, there = frozenset(first), frozenset(second)
    negations = statement_words(vocabulary.code).negations_in(here | there)
    counts = [Counter(word for word in words if word in negations) for words in (first, second)]
    opposed = _opposed(vocabulary, here, there)
    days = _calendar(vocabulary)
    named, also = here & days.keys(), there & days.keys()
    before, after = ({days[word] for word in each} for each in (named, also))
    return WordDifferences(
        True,
        sum(counts[0].values()) != sum(counts[1].values()),
        bool(opposed),
        bool(before - after and after - before),
        negations | opposed,
    )


def _opposed(vocabulary: Vocabulary, here: frozenset[str], there: frozenset[str]) -> frozenset[str]:
    """The words of one text whose opposites stand in the other text alone."""
    found: set[str] = set()
    for pair in _opposites(vocabulary):
        for side, counterpart in (pair, pair[::-1]):
            said, opposite = side & here, counterpart & there
            if said and opposite and not side & there and not counterpart & here:
                found |= said | opposite
    return frozenset(found)


@cache
def _opposites(vocabulary: Vocabulary) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    pairs = (pair.split(" / ") for pair in vocabulary.comparison.opposites)
    return tuple((_words(side), _words(counterpart)) for side, counterpart in pairs)


def _words(text: str) -> frozenset[str]:
    return frozenset(split_words(form)[0] for form in text.split())


@cache
def _calendar(vocabulary: Vocabulary) -> dict[str, str]:
    """Each word of a weekday or month, and which one it is."""
    return dict(_iter_calendar(vocabulary))


def _iter_calendar(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    for forms in (*vocabulary.times.weekdays, *vocabulary.times.months):
        for form in forms.split():
            # Of "segunda-feira" the first word tells the day.
            yield split_words(form)[0], forms
