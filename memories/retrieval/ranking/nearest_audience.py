"""Combine private and shared knowledge in one answer.

prefer_personal: if facts of different audiences say the same, the one of the nearest audience (see
`audience_distance`) is served, at the rank of the best; the others are named beside it. Repeats
within one audience stay, and so do turns of conversations. shared_limit: the most memories that
everyone in the organisation reads.

A free place goes to the next hit; scores and order are those of ranking.
"""

from collections.abc import Sequence

import numpy as np

from memories.retrieval.candidates.search import arm_size
from memories.retrieval.ranking.merge_duplicates import ROUNDING, load_facts, merge_across_audiences
from memories.retrieval.search_types import Hit, SearchRequest

# How many hits more than the limit are examined first, and the factor for the next try.
EXTRA_HITS, WINDOW_GROWTH = 5, 3


def window_sizes(question: SearchRequest) -> list[int]:
    """The numbers of hits to examine, one after the other, until the answer is complete.

    Never more than an arm chooses, because a larger pool would change the scores; after the last
    number all candidates are examined.
    """
    if not question.prefer_personal and question.shared_limit is None:
        return [question.limit]
    first = question.limit + EXTRA_HITS
    return sorted({min(most, arm_size(question)) for most in (first, first * WINDOW_GROWTH)})


def select_nearest_audience(
    question: SearchRequest, hits: Sequence[Hit], *, looked_at: int = 0
) -> list[Hit]:
    """The hits of the answer, best first: `limit`, or all if question.whole.

    hits: ranked. looked_at: a number of hits that was not enough before. One query in the asker's
    scope for each window, and none if no facts may be equal.
    """
    sizes = [size for size in window_sizes(question) if looked_at < size < len(hits)]
    for size in [*sizes, len(hits)]:
        head = _merge_duplicates(question, hits[:size])
        if len(_apply_shared_limit(question, head)) >= question.limit:
            break
    found = _apply_shared_limit(question, [*head, *hits[size:]])
    return found if question.whole else found[: question.limit]


def _merge_duplicates(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with each fact once, if prefer_personal."""
    alike = duplicate_candidates(question, hits) if question.prefer_personal else []
    if not alike:
        return list(hits)
    known = load_facts(question, alike, near=True)
    return merge_across_audiences(hits, known, near=question.near_duplicate)


def duplicate_candidates(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The facts that may equal a fact of another audience. Pure.

    If a vector is missing, these are all facts, unless all have one audience.
    """
    told = [hit for hit in hits if hit.readers is not None]
    readers = np.array([hit.readers for hit in told])
    if len(set(readers.tolist())) < 2:
        return []
    vectors = [hit.own for hit in told if hit.own is not None]
    if len(vectors) < len(told):
        return told
    own = np.stack(vectors)
    wording = np.array([hit.wording for hit in told])
    alike = own @ own.T >= question.near_duplicate - ROUNDING
    alike |= wording[:, None] == wording
    alike &= readers[:, None] != readers
    return [told[place] for place in np.flatnonzero(alike.any(axis=1))]


def _apply_shared_limit(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with at most `shared_limit` memories that everyone reads."""
    if question.shared_limit is None:
        return list(hits)
    kept, left = [], question.shared_limit
    for hit in hits:
        if hit.shared:
            if left == 0:
                continue
            left -= 1
        kept.append(hit)
    return kept
