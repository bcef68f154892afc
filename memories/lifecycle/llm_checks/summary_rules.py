"""Checks of a language model's summary against its sources. Pure.

A model may be wrong, and may follow instructions in a text. So a summary is refused if it has a
number, a name, a link or too many words that no source has, if it covers too few of the sources, or
if it affirms what its source denies.

Not detected: a wrong sentence from the sources' own words, if most sources share words with it.
"""

import re
from collections.abc import Sequence

from memories.language.coreference import Turn
from memories.language.propositions import iter_sentences
from memories.language.terms import Term, extract_terms, is_quantity
from memories.restatement.llm_answers import NEGATION, find_invention

MIN_CHARACTERS, MAX_CHARACTERS = 10, 2_000
# The greatest share of a summary's words that may be in no source.
MAX_NEW_WORD_SHARE = 0.34
# The least share of the sources that must have a word in the summary.
MIN_COVERAGE = 0.5
_LINKS = ("://", "www.", "@")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def rejection_reason(text: str, sources: Sequence[str], *, covered: float = MIN_COVERAGE) -> str:
    """Why a summary, or a proposition from the sources, is refused; empty if it is not.

    covered: the least share of the sources that it must cover, 0-1. The answer is one of too-short,
    too-long, invented-number, invented-name, invented-link, invented-words, negation or coverage.
    """
    if len(text) < MIN_CHARACTERS:
        return "too-short"
    if len(text) > min(MAX_CHARACTERS, sum(map(len, sources))):
        return "too-long"
    if _CONTROL.search(text):
        return "invented-words"
    told = "\n".join(sources)
    if found := find_invention(Turn(text=told), text, (), ()):
        return found
    links = [word for word in text.split() if any(sign in word for sign in _LINKS)]
    if any(link not in told for link in links):
        return "invented-link"
    said = [_term_keys(source) for source in sources]
    found = _find_invention(text, said) or _find_negation_mismatch(text, sources, said)
    return found or _find_low_coverage(text, said, covered)


def _term_keys(text: str) -> frozenset[str]:
    return frozenset(term.key for term in _content_terms(text))


def _content_terms(text: str) -> list[Term]:
    return [term for term in extract_terms(text) if not is_quantity(term.name)]


def _find_invention(text: str, said: Sequence[frozenset[str]]) -> str:
    """The reason for names or words that no source has; empty if there are none. The first word of
    a sentence is no name."""
    known = frozenset[str]().union(*said)
    found = _content_terms(text)
    new = [term for term in found if term.key not in known]
    first = {
        sentence.split()[0].casefold() for sentence in iter_sentences(text) if sentence.split()
    }
    if any(term.proper and term.name.casefold() not in first for term in new):
        return "invented-name"
    return "invented-words" if len(new) > MAX_NEW_WORD_SHARE * max(len(found), 1) else ""


def _find_negation_mismatch(
    text: str, sources: Sequence[str], said: Sequence[frozenset[str]]
) -> str:
    """The reason for a sentence that does not agree in negation with its most similar source; empty
    if all agree."""
    for sentence in iter_sentences(text):
        words = _term_keys(sentence)
        shared = [len(words & one) for one in said]
        most = max(shared)
        nearest = [source for source, n in zip(sources, shared, strict=True) if n == most]
        denies = bool(NEGATION.search(sentence))
        if not any(bool(NEGATION.search(source)) == denies for source in nearest):
            return "negation"
    return ""


def _find_low_coverage(text: str, said: Sequence[frozenset[str]], least: float) -> str:
    words = _term_keys(text)
    covered = sum(not words.isdisjoint(one) for one in said)
    return "coverage" if covered < least * len(said) else ""
