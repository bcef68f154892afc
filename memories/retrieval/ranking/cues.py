"""Cues: what the wording adds to the two arms; and the final score.

cues = .05 min(ln(1 + l), ln 31)          l = lexemes of the text: a longer turn says more
     - .06 if the text is a short question
     + .20 / n                            if the question names its speaker, n = names in it
     + .08 if the question asks when and the text names a time
     + .10 if the asker speaks of themselves and said it

Fitted on halves of conversation sets, tested on the other halves; see docs/benchmarks.md.
"""

from math import log
from typing import NamedTuple

import numpy as np

from memories.lifecycle.decay import compute_strengths, confirmed_share
from memories.retrieval.answering.confidence import compute_answer_confidence
from memories.retrieval.scoring_profiles import (
    SUPERSEDED_FACTOR,
    score_balanced,
    score_by_strength,
    score_continuum,
    score_hive,
    tier_weights,
)
from memories.retrieval.search_types import CandidateFeatures, Candidates, Floats, SearchRequest

LENGTH_WEIGHT, MAX_LOG_LENGTH = 0.05, log(31)
SHORT_QUERY_PENALTY, SPEAKER_BONUS, TIME_BONUS, SELF_BONUS = 0.06, 0.20, 0.08, 0.10
# The smallest difference between scores that an answer shows.
SCORE_STEP = 1e-6
MIN_CUES, MAX_CUES = (
    -SHORT_QUERY_PENALTY,
    LENGTH_WEIGHT * MAX_LOG_LENGTH + SPEAKER_BONUS + TIME_BONUS + SELF_BONUS,
)


def compute_cues(question: SearchRequest, pool: CandidateFeatures) -> Floats:
    """The sum above for each candidate, between LOWEST and HIGHEST."""
    total = compute_cues_without_asker(question, pool)
    if question.asks_about_self:
        total += SELF_BONUS * pool.by_asker
    return total


def compute_cues_without_asker(question: SearchRequest, pool: Candidates) -> Floats:
    """The sum without its last line, from the narrow rows alone."""
    total = (
        LENGTH_WEIGHT * np.minimum(np.log1p(pool.length), MAX_LOG_LENGTH)
        - SHORT_QUERY_PENALTY * pool.asks
    )
    if question.named:
        total += SPEAKER_BONUS / len(question.named) * pool.by_named
    if question.asks_when:
        total += TIME_BONUS * pool.timed
    return total


def compute_relevance(fused: Floats, added: Floats) -> Floats:
    """Fused arms (0-1) plus cues, scaled to 0-1; the order stays."""
    return (fused + added - MIN_CUES) / (1.0 + MAX_CUES - MIN_CUES)


class Scores(NamedTuple):
    """The candidates' numbers, all in 0-1 but `cues`. answers: see `answering.confidence`."""

    score: Floats
    relevance: Floats
    cues: Floats
    strength: Floats
    answers: Floats


def score_candidates(
    question: SearchRequest, pool: CandidateFeatures, fused: Floats, lead: float | None = None
) -> Scores:
    """The scores by the question's profile. An expired memory has strength 0.

    lead: see `answering.confidence.lead_of`.

    Cues are added only in the hybrid, not for a single arm or a named fusion.
    """
    added, found = np.zeros_like(fused), fused
    if question.strategy == "hybrid" and question.fusion == "minmax":
        added = compute_cues(question, pool)
        found = compute_relevance(fused, added)
    now = compute_strengths(
        importance=pool.importance, category=pool.category, accesses=pool.accesses, days=pool.days
    )
    now = np.where(pool.expired, 0.0, now)
    score = compute_final_score(question, pool, relevance=found, strength=now)
    return Scores(score, found, added, now, compute_answer_confidence(question, pool, lead))


def compute_final_score(
    question: SearchRequest, pool: CandidateFeatures, *, relevance: Floats, strength: Floats
) -> Floats:
    """The final score, by the question's profile and tier weights.

    A memory of a profession that nobody has confirmed for long keeps only a share of it.
    """
    if question.profile == "strength":
        score = score_by_strength(
            strength=strength, confidence=pool.confidence, importance=pool.importance
        )
    elif question.profile == "continuum":
        score = score_continuum(relevance=relevance, tier=pool.tier)
    elif question.profile == "hive":
        score = score_hive(
            semantic=pool.similarity,
            tags=pool.tag_likeness,
            hours=pool.hours,
            accesses=pool.accesses,
        )
    else:
        score = score_balanced(
            relevance=relevance, strength=strength, tier=pool.tier, helped=pool.helped
        )
    if question.tier_strategy == "weighted":
        score = score * tier_weights(pool.tier)
    if pool.unconfirmed.any():
        score = score * confirmed_share(pool.unconfirmed, question.fresh_days)
    return cap_superseded(score, pool) if pool.superseded.any() else score


def cap_superseded(score: Floats, pool: CandidateFeatures) -> Floats:
    """The scores with superseded memories at .8 of theirs, and below their successor's if that was
    found.

    A successor may be superseded itself, so newer memories (with larger ids) are handled first.
    """
    lower = np.where(pool.superseded, SUPERSEDED_FACTOR * score, score)
    linked = np.flatnonzero(pool.superseded & (pool.successor >= 0))
    for place in linked[np.argsort(pool.ids[linked])][::-1]:
        lower[place] = min(lower[place], lower[pool.successor[place]] - SCORE_STEP)
    return lower
