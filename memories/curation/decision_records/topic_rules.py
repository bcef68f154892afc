"""How topics are compared, and how strong a decision is. Pure."""

import re
from collections.abc import Collection
from fractions import Fraction
from hashlib import sha256

from memories.language.text_limits import MAX_CHARACTERS_TO_CLASSIFY
from orgs.names.unicode_normalisation import normalise_unicode

UNANIMOUS, STRONG, MODERATE, WEAK, SPLIT, CONTESTED = STRENGTHS = (
    "unanimous",
    "strong",
    "moderate",
    "weak",
    "split",
    "contested",
)
# Shares of those who agree: above the first is strong, from the second on moderate.
STRONG_ABOVE, MODERATE_FROM, HALF = Fraction(4, 5), Fraction(3, 5), Fraction(1, 2)
# Two topics are similar if they share more than this part of their words.
SIMILAR_ABOVE = Fraction(1, 10)
# The characters of a word that are kept and compared; normalised, 300 letters can become 1,200.
MAX_WORD_LENGTH = 300

_WORD = re.compile(r"[^\W_]+")


def topic_words(topic: str) -> frozenset[str]:
    """The words of a topic, normalised: compatible letters are equal, case does not count.

    Only the first A_GLANCE characters count, and the first LONGEST_WORD of each word.
    """
    folded = normalise_unicode(topic[:MAX_CHARACTERS_TO_CLASSIFY], "NFKC").casefold()
    words = _WORD.findall(normalise_unicode(folded, "NFKC"))
    return frozenset(word[:MAX_WORD_LENGTH] for word in words)


def topic_hash(words: Collection[str]) -> str:
    """SHA-256 of the sorted words, in hexadecimal: their order and repetitions do not count."""
    return sha256("\n".join(sorted(set(words))).encode()).hexdigest()


def vote_strength(agree: int, disagree: int) -> str:
    """One of STRENGTHS by agree / (agree + disagree), exactly; split where nobody voted.

    1 is unanimous, more than .8 strong, .6 and more moderate, more than .5 weak, .5 split, less
    contested. Raises ValueError for counts below 0.
    """
    if agree < 0 or disagree < 0:
        raise ValueError("Nobody can vote less than 0 times.")
    if agree + disagree == 0:
        return SPLIT
    share = Fraction(agree, agree + disagree)
    if share == 1:
        return UNANIMOUS
    if share > STRONG_ABOVE:
        return STRONG
    if share >= MODERATE_FROM:
        return MODERATE
    if share > HALF:
        return WEAK
    return SPLIT if share == HALF else CONTESTED
