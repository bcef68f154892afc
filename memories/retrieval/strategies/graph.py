"""Architecture 3: memories that the graph reaches, besides those of both arms.

From the entities that the question names, a walk reaches the people who know about them and the
messages that mention them, near the asker and along heavy edges first. Such a message need not
share a word with the question. Its score in the walk is one part of its relevance:

relevance = (hybrid + WALKED x walk) / (1 + WALKED), walk = score / the best walk's, all in 0-1.
"""

from dataclasses import replace
from uuid import UUID

import numpy as np

from memories.retrieval.answering.confidence import speaker_margin
from memories.retrieval.candidates.candidate_features import load_features
from memories.retrieval.candidates.graph_walk import search_graph
from memories.retrieval.candidates.merge_candidates import merge_candidates
from memories.retrieval.candidates.search import find_candidates, load_candidates
from memories.retrieval.ranking.cues import Scores, compute_final_score, score_candidates
from memories.retrieval.ranking.fusion import fuse
from memories.retrieval.ranking.rank_pass import build_hit, top_indexes
from memories.retrieval.search_types import CandidateFeatures, Floats, SearchRequest, SearchResult
from memories.retrieval.strategies.projection_check import check_projection

WALK_WEIGHT = 0.3
# How many of the reached memories are candidates.
MAX_GRAPH_HITS = 50


def search_by_graph(question: SearchRequest) -> SearchResult:
    """Both arms and the walk, scored as one list. Raises ProjectionOffError."""
    check_projection(question.organisation_id, "graph")
    wanted = replace(question, strategy="hybrid")
    reached = search_graph(
        question.organisation_id,
        question.text,
        now=question.now,
        asker=question.asker,
        limit=MAX_GRAPH_HITS,
        include_expired=question.include_expired,
    )
    found, _ = merge_candidates(
        [find_candidates(wanted), load_candidates(wanted, [one.id for one in reached])]
    )
    pool, _ = load_features(wanted, found)
    fused = fuse(pool, wanted.strategy, wanted.fusion, wanted.meaning_floor)
    judged = score_candidates(wanted, pool, fused, speaker_margin(wanted, found))
    walk = walk_scores(pool, {one.id: one.score for one in reached})
    judged = add_walk_scores(wanted, pool, judged, walk)
    places = top_indexes(question, pool, judged)
    return SearchResult([build_hit(pool, judged, place) for place in places], question.strategy)


def walk_scores(pool: CandidateFeatures, scores: dict[UUID, float]) -> Floats:
    """The score of each candidate in the walk, in 0-1; 0 if the walk did not reach it."""
    best = max(scores.values(), default=0.0)
    # numpy drops trailing zero bytes of ids, in both arrays alike.
    known = {id_.bytes.rstrip(b"\0"): score for id_, score in scores.items()}
    near = np.array([known.get(bytes(id_), 0.0) for id_ in pool.ids], dtype=np.float64)
    return near / best if best > 0 else near


def add_walk_scores(
    question: SearchRequest, pool: CandidateFeatures, judged: Scores, walk: Floats
) -> Scores:
    """The scores with the walk as a part of the relevance."""
    relevance = (judged.relevance + WALK_WEIGHT * walk) / (1 + WALK_WEIGHT)
    score = compute_final_score(question, pool, relevance=relevance, strength=judged.strength)
    return judged._replace(score=score, relevance=relevance)
