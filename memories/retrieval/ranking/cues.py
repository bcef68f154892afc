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

from memories.lifecycle.decay import confirmed_share, strengths
from memories.retrieval.answering.confidence import answers
from memories.retrieval.profiles import (
    SUPERSEDED,
    balanced,
    by_strength,
    continuum,
    hive,
    tier_weights,
)
from memories.retrieval.types import Floats, Found, Pool, Question

LENGTH, LONGEST = 0.05, log(31)
SHORT_QUESTION, SPEAKER, TIME, SELF = 0.06, 0.20, 0.08, 0.10
# The smallest difference between scores that an answer shows.
SCORE_STEP = 1e-6
LOWEST, HIGHEST = -SHORT_QUESTION, LENGTH * LONGEST + SPEAKER + TIME + SELF


def cues(question: Question, pool: Pool) -> Floats:
    """The sum above for each candidate, between LOWEST and HIGHEST."""
    total = known_cues(question, pool)
    if question.asks_about_self:
        total += SELF * pool.by_asker
    return total


def known_cues(question: Question, pool: Found) -> Floats:
    """The sum without its last line, from the narrow rows alone."""
    total = LENGTH * np.minimum(np.log1p(pool.length), LONGEST) - SHORT_QUESTION * pool.asks
    if question.named:
        total += SPEAKER / len(question.named) * pool.by_named
    if question.asks_when:
        total += TIME * pool.timed
    return total


def relevance(fused: Floats, added: Floats) -> Floats:
    """Fused arms (0-1) plus cues, scaled to 0-1; the order stays."""
    return (fused + added - LOWEST) / (1.0 + HIGHEST - LOWEST)


class Judged(NamedTuple):
    """The candidates' numbers, all in 0-1 but `cues`. answers: see `answering.confidence`."""

    score: Floats
    relevance: Floats
    cues: Floats
    strength: Floats
    answers: Floats


def judge(question: Question, pool: Pool, fused: Floats, lead: float | None = None) -> Judged:
    """The scores by the question's profile. An expired memory has strength 0.

    lead: see `answering.confidence.lead_of`.

    Cues are added only in the hybrid, not for a single arm or a named fusion.
    """
    added, found = np.zeros_like(fused), fused
    if question.strategy == "hybrid" and question.fusion == "minmax":
        added = cues(question, pool)
        found = relevance(fused, added)
    now = strengths(
        importance=pool.importance, category=pool.category, accesses=pool.accesses, days=pool.days
    )
    now = np.where(pool.expired, 0.0, now)
    score = scored(question, pool, relevance=found, strength=now)
    return Judged(score, found, added, now, answers(question, pool, lead))


def scored(question: Question, pool: Pool, *, relevance: Floats, strength: Floats) -> Floats:
    """The final score, by the question's profile and tier weights.

    A memory of a profession that nobody has confirmed for long keeps only a share of it.
    """
    if question.profile == "strength":
        score = by_strength(
            strength=strength, confidence=pool.confidence, importance=pool.importance
        )
    elif question.profile == "continuum":
        score = continuum(relevance=relevance, tier=pool.tier)
    elif question.profile == "hive":
        score = hive(
            semantic=pool.similarity,
            tags=pool.tag_likeness,
            hours=pool.hours,
            accesses=pool.accesses,
        )
    else:
        score = balanced(relevance=relevance, strength=strength, tier=pool.tier, helped=pool.helped)
    if question.tier_strategy == "weighted":
        score = score * tier_weights(pool.tier)
    if pool.unconfirmed.any():
        score = score * confirmed_share(pool.unconfirmed, question.fresh_days)
    return beneath_successors(score, pool) if pool.superseded.any() else score


def beneath_successors(score: Floats, pool: Pool) -> Floats:
    """The scores with superseded memories at .8 of theirs, and below their successor's if that was
    found.

    A successor may be superseded itself, so newer memories (with larger ids) are handled first.
    """
    lower = np.where(pool.superseded, SUPERSEDED * score, score)
    linked = np.flatnonzero(pool.superseded & (pool.successor >= 0))
    for place in linked[np.argsort(pool.ids[linked])][::-1]:
        lower[place] = min(lower[place], lower[pool.successor[place]] - SCORE_STEP)
    return lower
