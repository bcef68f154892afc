"""Questions that are alike, by the words that matter in them. Pure.

The likeness is that of Jaccard over crude stems: shared words by all words of both. A question
joins the group of its most similar leader, so the work is bounded by questions x groups.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

from memories.language.excerpts import query_stems

# Shared words by all words of two questions that are alike. At half of them "When does the canteen
# open on Fridays?" stands with "When does the canteen open?", and not with "Who runs the canteen?".
ALIKE_FROM = 0.5
# Words of a question that count.
MAX_WORDS = 40
K = TypeVar("K", bound=Hashable)


def group_alike(questions: Sequence[tuple[K, str]]) -> list[list[int]]:
    """The indices of questions that stand together, groups and members in the given order.

    questions: (what keeps them apart whatever they say, the text). A question without a word that
    matters stands with those of the same text.
    """
    groups: list[list[int]] = []
    leaders: list[tuple[K, frozenset[str]]] = []
    for index, (apart, text) in enumerate(questions):
        words = _words(text)
        alike = [
            (_likeness(words, theirs), -number)
            for number, (other, theirs) in enumerate(leaders)
            if other == apart
        ]
        best, number = max(alike, default=(0.0, 0))
        if best < ALIKE_FROM:
            leaders.append((apart, words))
            groups.append([index])
        else:
            groups[-number].append(index)
    return groups


def _words(text: str) -> frozenset[str]:
    stems = sorted(query_stems(text))[:MAX_WORDS]
    return frozenset(stems) or frozenset({text.casefold().strip()})


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
