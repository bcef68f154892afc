"""Recall on one screen: candidates, fusion, scoring, the top.

Runs inside the asker's scope: whatever a stage reads, the database has let through.
"""

from uuid import UUID

from memories.policies.scoring import balanced
from memories.policies.strength import strength
from memories.retrieval.candidates import by_meaning, by_words
from memories.retrieval.features import Feature, features
from memories.retrieval.fusion import (
    RRF_WEIGHTS,
    minmax,
    ranked,
    reciprocal_rank,
    weighted_sum,
)
from memories.retrieval.types import Candidates, Hit, Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question."""
    vector = by_meaning(question) if question.strategy != "keyword" else Candidates()
    words = by_words(question) if question.strategy != "vector" else Candidates()
    known = features(question, [*{**vector.scores, **words.scores}])
    complete(vector, known)
    relevance = fuse(question, vector, words)
    hits = [
        score(question, known[id_], r, vector, words)
        for id_, r in relevance.items()
        if id_ in known
    ]
    if question.min_similarity is not None:
        hits = [h for h in hits if (h.similarity or 0.0) >= question.min_similarity]
    hits.sort(key=lambda hit: (-hit.score, str(hit.id)))
    return Served(hits[: question.limit], question.strategy)


def complete(vector: Candidates, known: dict[UUID, Feature]) -> None:
    """Give what only the words found its distance too, so that both arms judge it."""
    if not vector.scores:
        return
    for id_, feature in known.items():
        if id_ not in vector.scores and feature.product is not None:
            vector.scores[id_] = feature.product


def fuse(question: Question, vector: Candidates, words: Candidates) -> dict[UUID, float]:
    """Relevance in 0-1 for every candidate."""
    if question.strategy == "vector":
        return minmax(vector.scores, vector.floor)
    if question.strategy == "keyword":
        return minmax(words.scores, 0.0)
    if question.fusion == "minmax":
        if not vector.scores:
            return minmax(words.scores, 0.0)
        return weighted_sum([minmax(vector.scores, vector.floor), minmax(words.scores, 0.0)])
    weights = RRF_WEIGHTS if question.fusion == "weighted_rrf" else None
    fused = reciprocal_rank([ranked(vector.scores), ranked(words.scores)], weights)
    return minmax(fused, 0.0)


def score(
    question: Question, feature: Feature, relevance: float, vector: Candidates, words: Candidates
) -> Hit:
    """The hit with its final score under the balanced profile."""
    fresh = strength(
        importance=feature.importance,
        category=feature.category,
        accesses=feature.access_count,
        last_access=feature.last_accessed_at or feature.created_at,
        now=question.now,
    )
    return Hit(
        id=feature.id,
        relevance=relevance,
        score=balanced(relevance=relevance, strength=fresh, tier=feature.tier),
        vector=vector.scores.get(feature.id),
        keyword=words.scores.get(feature.id),
        similarity=feature.similarity,
        strength=fresh,
    )
