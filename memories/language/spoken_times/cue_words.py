"""Signals in the wording of questions and memories in the languages of the vocabularies. Pure."""

from collections.abc import Iterator
from functools import cache

from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_TO_CLASSIFY
from memories.language.vocabularies.languages import select_vocabularies
from memories.language.vocabularies.phrases import PhraseTable
from memories.language.vocabularies.vocabulary import Vocabulary
from memories.language.vocabularies.words import read_words, split_words


def names_time(text: str, language: str | None = None) -> bool:
    """Whether the text has a word of time: a day, a month, a unit, "gestern", "pronto"..."""
    if not (found := select_vocabularies(text, language)):
        return False
    words = {token.word for token in read_words(text[:MAX_CHARACTERS_PER_TEXT])}
    return all(not words.isdisjoint(_time_words(one)) for one in found)


def asks_for_time(question: str, language: str | None = None) -> bool:
    """Whether the question asks for a time."""
    if not (found := select_vocabularies(question, language)):
        return False
    words = read_words(question[:MAX_CHARACTERS_TO_CLASSIFY])
    first = next((at for at, token in enumerate(words) if token.word[0].isalpha()), 0)
    for one in found:
        places = range(len(words)) if one.questions.anywhere else (first,)
        if any(_when(one).find(words, at) for at in places):
            return True
    return False


def speaks_of_self(question: str, language: str | None = None) -> bool:
    """Whether the asker speaks of themselves."""
    if not (found := select_vocabularies(question, language)):
        return False
    said = {token.word for token in read_words(question[:MAX_CHARACTERS_TO_CLASSIFY])}
    return all(not said.isdisjoint(_first_person(one)) for one in found)


@cache
def _when(vocabulary: Vocabulary) -> PhraseTable:
    return PhraseTable((phrase, "") for phrase in vocabulary.questions.when)


@cache
def _first_person(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(split_words(one)[0] for one in vocabulary.questions.first_person.split())


@cache
def _time_words(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(_iter_time_words(vocabulary))


def _iter_time_words(vocabulary: Vocabulary) -> Iterator[str]:
    times = vocabulary.times
    texts = (*times.months, *times.weekdays, *times.units.values(), times.more_words)
    for text in texts:
        for form in text.replace("|", " ").split():
            # Of "segunda-feira" the last word is of time; the first is a number.
            yield split_words(form)[-1]
    for written, meaning in times.times:
        if meaning.startswith("day") and " " not in written:
            for form in written.split("/"):
                yield from split_words(form)[:1]
