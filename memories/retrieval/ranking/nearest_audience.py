"""What a member knows and what everyone knows, as one answer.

prefer_personal: of facts that say the same and that different audiences read, the one of the
nearest audience is served (see `audience_distance`), in the place of the best; the others are named
beside it. What the same audience holds twice stays, and so does every turn of a conversation.
shared_limit: of what everyone in the organisation reads no more comes up than this.

A place that becomes free goes to the next hit: scores and order are those of ranking.
"""

from collections.abc import Sequence

import numpy as np

from memories.retrieval.candidates.search import pool_size
from memories.retrieval.ranking.same_answer import ROUNDING, across_audiences, facts
from memories.retrieval.types import Hit, Question

# So many more than the limit are looked at first, then so many times as many.
ROOM, MORE = 5, 3


def windows(question: Question) -> list[int]:
    """How many hits to look at: the first that give a whole answer are enough.

    Never more than an arm chooses anyway, for a larger pool would change the scores; past the last
    of these every candidate is looked at.
    """
    if not question.prefer_personal and question.shared_limit is None:
        return [question.limit]
    first = question.limit + ROOM
    return sorted({min(most, pool_size(question)) for most in (first, first * MORE)})


def nearest(question: Question, hits: Sequence[Hit], *, looked_at: int = 0) -> list[Hit]:
    """The hits of the answer, best first: `limit`, or all where the question is asked whole.

    hits: ranked. looked_at: how many of them were not enough. One query in the asker's scope for
    each window, and none where nothing may be the same.
    """
    sizes = [size for size in windows(question) if looked_at < size < len(hits)]
    for size in [*sizes, len(hits)]:
        head = _once(question, hits[:size])
        if len(_within_limit(question, head)) >= question.limit:
            break
    found = _within_limit(question, [*head, *hits[size:]])
    return found if question.whole else found[: question.limit]


def _once(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Each fact once, where the nearest audience is preferred."""
    alike = suspects(question, hits) if question.prefer_personal else []
    if not alike:
        return list(hits)
    known = facts(question, alike, near=True)
    return across_audiences(hits, known, near=question.near_duplicate)


def suspects(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """The facts that may say the same as one of another audience. Pure.

    Where the vectors are not at hand, every fact may, if there is more than one audience.
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


def _within_limit(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """Without what everyone reads beyond the first `shared_limit` of it."""
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
