"""Recall on one screen: candidates, fusion, scoring, the top.

Runs inside the asker's scope: whatever a stage reads, the database has let through.
"""

import heapq
from uuid import UUID

from memories.retrieval.candidates import NARROW_POOL, POOL, by_meaning, by_tags, by_words
from memories.retrieval.features import Feature, features
from memories.retrieval.fusion import (
    MEANING_FLOOR,
    RRF_WEIGHTS,
    minmax,
    ranked,
    reciprocal_rank,
    weighted_sum,
)
from memories.retrieval.scoring import Judged, cues, order, relevance, score
from memories.retrieval.types import Candidates, Hit, Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question."""
    pool = NARROW_POOL if question.fusion == "weighted_rrf" else POOL
    meaning = by_meaning(question, pool) if question.strategy != "keyword" else Candidates()
    words, tags = Candidates(), Candidates()
    if question.strategy != "vector":
        # Weighing needs both scores of every candidate, ranking only what the words found.
        also = meaning.scores if question.fusion == "minmax" else ()
        words = by_words(question, also, pool)
    if question.strategy == "hybrid" and question.fusion == "rrf":
        tags = by_tags(question, pool)
    known = features(question, [*{**meaning.scores, **words.scores, **tags.scores}])
    fused = fuse(question, known, meaning, words, tags)
    judged = [judge(question, known[id_], value) for id_, value in fused.items() if id_ in known]
    if question.min_similarity is not None:
        judged = [j for j in judged if (j.feature.similarity or 0.0) >= question.min_similarity]
    best = heapq.nsmallest(question.limit, judged, key=order)
    return Served([hit(j, meaning, words) for j in best], question.strategy)


def complete(meaning: Candidates, known: dict[UUID, Feature]) -> None:
    """Give what only the words found its nearness too, so that both arms judge it."""
    if meaning.scores:
        for id_, feature in known.items():
            if id_ not in meaning.scores and feature.product is not None:
                meaning.scores[id_] = feature.product


def fuse(
    question: Question,
    known: dict[UUID, Feature],
    meaning: Candidates,
    words: Candidates,
    tags: Candidates,
) -> dict[UUID, float]:
    """One number in 0-1 for every candidate.

    minmax weighs scores, so both arms judge every candidate; the reciprocal ranks are of what
    each arm found by itself.
    """
    if question.fusion == "minmax":
        complete(meaning, known)
    near, shared = minmax(meaning.scores, MEANING_FLOOR), minmax(words.scores)
    if question.strategy != "hybrid" or not (near or shared):
        return near or shared
    if question.fusion == "minmax":
        return weighted_sum([near, shared]) if near and shared else near or shared
    lists = [ranked(meaning.scores), ranked(words.scores)]
    if question.fusion == "weighted_rrf":
        return minmax(reciprocal_rank(lists, RRF_WEIGHTS))
    return minmax(reciprocal_rank([*lists, ranked(tags.scores)]))


def judge(question: Question, feature: Feature, fused: float) -> Judged:
    """The candidate with its score. A single arm or a named fusion is asked for as such: what
    the wording adds belongs to the hybrid."""
    if question.strategy != "hybrid" or question.fusion != "minmax":
        return score(question, feature, fused, 0.0)
    added = cues(question, feature)
    return score(question, feature, relevance(fused, added), added)


def hit(judged: Judged, meaning: Candidates, words: Candidates) -> Hit:
    """A served candidate with the parts that explain its score."""
    id_ = judged.feature.id
    return Hit(
        id=id_,
        relevance=judged.relevance,
        score=judged.score,
        vector=meaning.scores.get(id_),
        keyword=words.scores.get(id_),
        similarity=judged.feature.similarity,
        cues=judged.cues,
        strength=judged.strength,
    )
