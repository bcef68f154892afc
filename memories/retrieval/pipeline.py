"""Recall on one screen: candidates, fusion, scoring, the top.

Runs inside the asker's scope: whatever a stage reads, the database has let through.
"""

from uuid import UUID

import numpy as np

from memories.retrieval.candidates import candidates
from memories.retrieval.fusion import fuse
from memories.retrieval.scoring import Judged, judge
from memories.retrieval.types import Floats, Hit, Pool, Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question."""
    pool = candidates(question)
    fused = fuse(pool, question.strategy, question.fusion)
    judged = judge(question, pool, fused)
    best = top(question, pool, judged)
    return Served([hit(pool, judged, place) for place in best], question.strategy)


def top(question: Question, pool: Pool, judged: Judged) -> list[int]:
    """The places of the best, equal scores by id, so that the order is the same each time."""
    order = np.lexsort((pool.ids, -judged.score))
    if question.min_similarity is not None:
        order = order[np.nan_to_num(pool.similarity[order]) >= question.min_similarity]
    places: list[int] = order[: question.limit].tolist()
    return places


def hit(pool: Pool, judged: Judged, place: int) -> Hit:
    """A served candidate with the parts that explain its score."""
    return Hit(
        # A trailing nought byte is dropped by numpy.
        id=UUID(bytes=bytes(pool.ids[place]).ljust(16, b"\0")),
        relevance=float(judged.relevance[place]),
        score=float(judged.score[place]),
        vector=number(pool.product, place),
        keyword=number(pool.words, place),
        similarity=number(pool.similarity, place),
        cues=float(judged.cues[place]),
        strength=float(judged.strength[place]),
    )


def number(column: Floats, place: int) -> float | None:
    """The value, or None where there is none."""
    return None if np.isnan(column[place]) else float(column[place])
