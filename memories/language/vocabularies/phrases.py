"""Phrases of the vocabularies and how they are found in the words of a text. Pure.

Matching takes a bounded number of steps at each place, so its time grows with the text alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memories.language.vocabularies.words import WordToken, split_words

_DIGITS = "0"
MAX_DIGITS = 4


@dataclass(frozen=True, slots=True)
class SlotValue:
    """What words in a slot mean. length: how many words. ended: with an ending that only a bound
    explains."""

    value: int | str
    length: int
    ended: bool = False


class Lexicon:
    """Forms of one or more words and what they mean."""

    def __init__(self) -> None:
        self.entries: dict[str, list[tuple[tuple[str, ...], SlotValue]]] = defaultdict(list)

    def add(self, forms: str, value: int | str, *, attached: Sequence[str] = ()) -> None:
        """Add the forms between the blanks; with each ending too."""
        for form in forms.split():
            self._add(split_words(form), value, ended=False)
            for ending in attached:
                self._add(split_words(form + ending), value, ended=True)

    def _add(self, words: tuple[str, ...], value: int | str, *, ended: bool) -> None:
        entries = self.entries[words[0]]
        if all(known != words for known, _ in entries):
            entries.append((words, SlotValue(value, len(words), ended)))
            entries.sort(key=lambda entry: -len(entry[0]))

    def read(self, tokens: Sequence[WordToken], at: int) -> Iterator[SlotValue]:
        """What stands at this place, the longest first."""
        for words, value in self.entries.get(tokens[at].word, ()):
            if matches_words(tokens, at, words):
                yield value


def matches_words(tokens: Sequence[WordToken], at: int, words: Sequence[str]) -> bool:
    """Whether these words stand at this place."""
    return len(tokens) >= at + len(words) and all(
        tokens[at + number].word == word for number, word in enumerate(words)
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One word of a phrase: alternatives, or a slot."""

    words: frozenset[str]
    slot: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a table and what it means."""

    steps: tuple[Step, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """meaning: of the phrase. values: what its slots hold. end: the place after it."""

    meaning: str
    values: Mapping[str, int | str]
    end: int
    ended: bool


def compile_phrase(written: str, meaning: str = "") -> Phrase:
    """A phrase as it is written in a table (see `vocabulary`)."""
    steps: list[Step] = []
    for part in written.split():
        optional = len(part) > 1 and part.endswith("?")
        bare = part.removesuffix("?") if optional else part
        if bare.isupper() and len(bare) > 1 and bare.isascii():
            steps.append(Step(frozenset(), bare, optional))
            continue
        options = [split_words(one) for one in bare.split("/")] if bare != "/" else [("/",)]
        if len(options) == 1:
            steps += [Step(frozenset({word}), "", optional) for word in options[0]]
        else:
            steps.append(Step(frozenset(one[0] for one in options), "", optional))
    return Phrase(tuple(steps), meaning)


class PhraseTable:
    """Phrases by the words with which they begin."""

    def __init__(
        self, phrases: Iterable[tuple[str, str]], lexicons: Mapping[str, Lexicon] | None = None
    ) -> None:
        self.lexicons = lexicons or {}
        self.by_first: dict[str, list[Phrase]] = defaultdict(list)
        for written, meaning in phrases:
            phrase = compile_phrase(written, meaning)
            for first in sorted(self._first_words(phrase)):
                self.by_first[first].append(phrase)

    def _first_words(self, phrase: Phrase) -> set[str]:
        found: set[str] = set()
        for step in phrase.steps:
            found |= step.words
            if step.slot in _NUMBERS:
                found.add(_DIGITS)
            if step.slot in self.lexicons:
                found |= set(self.lexicons[step.slot].entries)
            if not step.optional:
                break
        return found

    def find(self, tokens: Sequence[WordToken], at: int) -> PhraseMatch | None:
        """The longest phrase at this place; the first of equal ones."""
        if at >= len(tokens):
            return None
        word = tokens[at].word
        best: PhraseMatch | None = None
        for phrase in self.by_first.get(_DIGITS if word.isdecimal() else word, ()):
            found = self._match(phrase, tokens, at)
            if found and (best is None or found.end > best.end):
                best = found
        return best

    def _match(self, phrase: Phrase, tokens: Sequence[WordToken], at: int) -> PhraseMatch | None:
        values: dict[str, int | str] = {}

        def walk(number: int, place: int, ended: bool) -> tuple[int, bool] | None:
            if number == len(phrase.steps):
                return place, ended
            step = phrase.steps[number]
            if place < len(tokens):
                if not step.slot:
                    if tokens[place].word in step.words and (
                        found := walk(number + 1, place + 1, ended)
                    ):
                        return found
                else:
                    for read in self._read_slot(step.slot, tokens, place):
                        values[step.slot] = read.value
                        found = walk(number + 1, place + read.length, ended or read.ended)
                        if found:
                            return found
                        del values[step.slot]
            return walk(number + 1, place, ended) if step.optional else None

        found = walk(0, at, False)
        return PhraseMatch(phrase.meaning, values, *found) if found else None

    def _read_slot(self, slot: str, tokens: Sequence[WordToken], at: int) -> Iterator[SlotValue]:
        if slot in _NUMBERS:
            word = tokens[at].word
            least, most = _NUMBERS[slot]
            if word.isdecimal() and word.isascii() and len(word) <= MAX_DIGITS:
                if least <= int(word) <= most:
                    yield SlotValue(int(word), 1)
                return
        if slot in self.lexicons:
            yield from self.lexicons[slot].read(tokens, at)


_NUMBERS = {"COUNT": (1, 999), "DAY": (1, 31), "MM": (1, 12), "YEAR": (1900, 2200)}
