"""Architecture 3: memories that the graph reaches, besides those of both arms.

From the entities that the question names, a walk reaches the people who know about them and the
messages that mention them, near the asker and along heavy edges first. Such a message need not
share a word with the question. Its score in the walk is one part of its relevance:

relevance = (hybrid + WALKED x walk) / (1 + WALKED), walk = score / the best walk's, all in 0-1.
"""

from dataclasses import replace
from uuid import UUID

import numpy as np

from memories.retrieval.answering.confidence import lead_of
from memories.retrieval.candidates.columns import weighed
from memories.retrieval.candidates.graph_walk import graph_candidates
from memories.retrieval.candidates.merge import merged
from memories.retrieval.candidates.search import candidates, given
from memories.retrieval.ranking.cues import Judged, judge, scored
from memories.retrieval.ranking.fusion import fuse
from memories.retrieval.ranking.rank import hit, top
from memories.retrieval.strategies.projection_required import require
from memories.retrieval.types import Floats, Pool, Question, Served

WALKED = 0.3
# How many of the reached memories are candidates.
REACHED = 50


def graph(question: Question) -> Served:
    """Both arms and the walk, scored as one list. Raises ProjectionOff."""
    require(question.organisation_id, "graph")
    wanted = replace(question, strategy="hybrid")
    reached = graph_candidates(
        question.organisation_id,
        question.text,
        now=question.now,
        asker=question.asker,
        limit=REACHED,
        include_expired=question.include_expired,
    )
    found, _ = merged([candidates(wanted), given(wanted, [one.id for one in reached])])
    pool, _ = weighed(wanted, found)
    fused = fuse(pool, wanted.strategy, wanted.fusion, wanted.meaning_floor)
    judged = judge(wanted, pool, fused, lead_of(wanted, found))
    walk = walked(pool, {one.id: one.score for one in reached})
    judged = lifted(wanted, pool, judged, walk)
    places = top(question, pool, judged)
    return Served([hit(pool, judged, place) for place in places], question.strategy)


def walked(pool: Pool, scores: dict[UUID, float]) -> Floats:
    """The score of each candidate in the walk, in 0-1; 0 if the walk did not reach it."""
    best = max(scores.values(), default=0.0)
    # numpy drops trailing zero bytes of ids, in both arrays alike.
    known = {id_.bytes.rstrip(b"\0"): score for id_, score in scores.items()}
    near = np.array([known.get(bytes(id_), 0.0) for id_ in pool.ids], dtype=np.float64)
    return near / best if best > 0 else near


def lifted(question: Question, pool: Pool, judged: Judged, walk: Floats) -> Judged:
    """The scores with the walk as a part of the relevance."""
    relevance = (judged.relevance + WALKED * walk) / (1 + WALKED)
    score = scored(question, pool, relevance=relevance, strength=judged.strength)
    return judged._replace(score=score, relevance=relevance)
