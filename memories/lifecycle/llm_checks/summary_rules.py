"""Checks of a language model's summary against its sources. Pure.

A model may be wrong, and may follow instructions in a text. So a summary is refused if it has a
number, a name, a link or too many words that no source has, if it covers too few of the sources, or
if it affirms what its source denies.

Not detected: a wrong sentence from the sources' own words, if most sources share words with it.
"""

import re
from collections.abc import Sequence

from memories.language.coreference import Turn
from memories.language.propositions import sentences
from memories.language.terms import Term, is_quantity, terms
from memories.restatement.llm_answers import DENIES, invention

SHORTEST, LONGEST = 10, 2_000
# The greatest share of a summary's words that may be in no source.
NEW_WORDS = 0.34
# The least share of the sources that must have a word in the summary.
COVERED = 0.5
_LINKS = ("://", "www.", "@")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def fault(text: str, sources: Sequence[str], *, covered: float = COVERED) -> str:
    """Why a summary, or a proposition from the sources, is refused; empty if it is not.

    covered: the least share of the sources that it must cover, 0-1. The answer is one of too-short,
    too-long, invented-number, invented-name, invented-link, invented-words, negation or coverage.
    """
    if len(text) < SHORTEST:
        return "too-short"
    if len(text) > min(LONGEST, sum(map(len, sources))):
        return "too-long"
    if _CONTROL.search(text):
        return "invented-words"
    told = "\n".join(sources)
    if found := invention(Turn(text=told), text, (), ()):
        return found
    links = [word for word in text.split() if any(sign in word for sign in _LINKS)]
    if any(link not in told for link in links):
        return "invented-link"
    said = [_words(source) for source in sources]
    found = _strange(text, said) or _denial(text, sources, said)
    return found or _uncovered(text, said, covered)


def _words(text: str) -> frozenset[str]:
    return frozenset(term.key for term in _told(text))


def _told(text: str) -> list[Term]:
    return [term for term in terms(text) if not is_quantity(term.name)]


def _strange(text: str, said: Sequence[frozenset[str]]) -> str:
    """The reason for names or words that no source has; empty if there are none. The first word of
    a sentence is no name."""
    known = frozenset[str]().union(*said)
    found = _told(text)
    new = [term for term in found if term.key not in known]
    first = {sentence.split()[0].casefold() for sentence in sentences(text) if sentence.split()}
    if any(term.proper and term.name.casefold() not in first for term in new):
        return "invented-name"
    return "invented-words" if len(new) > NEW_WORDS * max(len(found), 1) else ""


def _denial(text: str, sources: Sequence[str], said: Sequence[frozenset[str]]) -> str:
    """The reason for a sentence that does not agree in negation with its most similar source; empty
    if all agree."""
    for sentence in sentences(text):
        words = _words(sentence)
        shared = [len(words & one) for one in said]
        most = max(shared)
        nearest = [source for source, n in zip(sources, shared, strict=True) if n == most]
        denies = bool(DENIES.search(sentence))
        if not any(bool(DENIES.search(source)) == denies for source in nearest):
            return "negation"
    return ""


def _uncovered(text: str, said: Sequence[frozenset[str]], least: float) -> str:
    words = _words(text)
    covered = sum(not words.isdisjoint(one) for one in said)
    return "coverage" if covered < least * len(said) else ""
