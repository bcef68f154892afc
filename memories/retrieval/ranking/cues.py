"""Cues: what the wording adds to the two arms; and the final score.

cues = .05 min(ln(1 + l), ln 31)          l = lexemes of the text: a longer turn says more
     - .06 if the text is a short question
     + .20 / n                            if the question names its speaker, n = names in it
     + .08 if the question asks when and the text names a time
     + .10 if the asker speaks of themselves and said it

Fitted on halves of conversation sets, tested on the other halves; see docs/benchmarks.md.
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.embedding.model_catalogue import MEANING_FLOOR
from memories.lifecycle.decay import compute_strengths, confirmed_share
from memories.retrieval.answering.confidence import compute_answer_confidence
from memories.retrieval.scoring_profiles import (
    BALANCED_WEIGHTS,
    FEEDBACK_WEIGHT,
    SUPERSEDED_FACTOR,
    score_balanced,
    score_by_strength,
    score_continuum,
    score_hive,
    tier_weights,
)
from memories.retrieval.search_types import (
    CandidateFeatures,
    Candidates,
    Floats,
    Ids,
    SearchRequest,
)

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

    lead: see `speaker_margin`.

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
    return cap_superseded(score, pool) if (pool.superseded | pool.upcoming).any() else score


def cap_superseded(score: Floats, pool: CandidateFeatures) -> Floats:
    """The scores with memories that hold no more or not yet at .8 of theirs; a superseded one below
    its successor, and a successor that does not hold yet below what holds until then, if both were
    found.
    """
    over = pool.superseded | pool.upcoming
    lower = np.where(over, SUPERSEDED_FACTOR * score, score)
    linked = np.flatnonzero(pool.successor >= 0)
    for place in linked[pool.upcoming[pool.successor[linked]] & ~over[linked]]:
        newer = pool.successor[place]
        lower[newer] = min(lower[newer], lower[place] - SCORE_STEP)
    # A successor may be superseded itself, so the newest of a chain are handled first.
    for place in sorted(linked[pool.superseded[linked]], key=lambda at: _chain_length(pool, at)):
        lower[place] = min(lower[place], lower[pool.successor[place]] - SCORE_STEP)
    return lower


def _chain_length(pool: CandidateFeatures, place: int) -> int:
    """How many successors of a memory follow one after the other; a circle ends."""
    seen = {place}
    while pool.superseded[place] and pool.successor[place] >= 0:
        place = int(pool.successor[place])
        if place in seen:
            break
        seen.add(place)
    return len(seen)


# A shortlist of candidates that can still be among the best, before more is read about them.
# Pure.
# The narrow row gives relevance and most cues. The unknown facts can raise a score only by a
# bounded amount, so a candidate farther below the k-th best cannot be among the k.

# A margin, so that rounding excludes no equal score.
ROUNDING_MARGIN = 1e-9


def select_shortlist(
    question: SearchRequest, found: Candidates, fused: Floats, most: int
) -> NDArray[np.intp]:
    """The places of candidates that may be among the best `most`."""
    if len(found) <= most:
        return np.arange(len(found))
    sure, unknown = _score_bounds(question, found, fused)
    kth = np.partition(sure, len(sure) - most)[len(sure) - most]
    return np.flatnonzero(sure + unknown + ROUNDING_MARGIN >= kth)


def _score_bounds(
    question: SearchRequest, found: Candidates, fused: Floats
) -> tuple[Floats, float]:
    """(the known part of each score, the most that may be added)."""
    by_relevance, by_strength, by_tier = BALANCED_WEIGHTS
    # Feedback may raise one score and lower the other.
    unknown = by_strength + by_tier + 2 * FEEDBACK_WEIGHT
    if question.strategy != "hybrid":
        return by_relevance * fused, unknown
    if question.asks_about_self:
        unknown += by_relevance * SELF_BONUS / (1.0 + MAX_CUES - MIN_CUES)
    return by_relevance * compute_relevance(
        fused, compute_cues_without_asker(question, found)
    ), unknown


# Fuse the scores of several arms into one relevance. Pure.
# A score is NaN if the arm cannot judge the memory; it gets nothing from that arm.

RRF_K = 60
# The weights of meaning and words; measured (docs/benchmarks.md).
ARM_WEIGHTS = (0.47, 0.53)
RRF_WEIGHTS = (0.6, 0.4)
# A full hit by words has at least this share of the total weight of the question's words. If no
# candidate reaches it, the best one shares a few words by chance, and meaning decides.
FULL_MATCH_SHARE = 0.65


def normalise_minmax(scores: Floats, floor: float = 0.0, best: float | None = None) -> Floats:
    """(score - floor) / (best - floor) in 0-1; NaN is 0. best: the highest score, if not given."""
    known = scores[~np.isnan(scores)]
    width = (best if best is not None else known.max(initial=floor)) - floor
    if width <= 0:
        return np.zeros_like(scores)
    # `fmax` takes the number where the other is NaN.
    brought: Floats = np.minimum(np.fmax((scores - floor) / width, 0.0), 1.0)
    return brought


def fuse_reciprocal_ranks(
    lists: Sequence[Floats], ids: Ids, weights: Sequence[float] | None = None, k: int = RRF_K
) -> Floats:
    """Sum of weight / (k + rank), rank from 1 (Cormack, Clarke and Büttcher, 2009).

    Each list has one score for each memory, higher is better, NaN if it does not have the memory.
    Of equal scores the older id comes first, because the order of rows from the database may depend
    on rows that the asker may not read.
    """
    fused = np.zeros_like(lists[0])
    for scores, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        order = np.lexsort((ids, -scores))[: np.count_nonzero(~np.isnan(scores))]
        fused[order] += weight / (k + 1 + np.arange(len(order)))
    return fused


def fuse(pool: Candidates, strategy: str, fusion: str, floor: float = MEANING_FLOOR) -> Floats:
    """One number in 0-1 for every candidate.

    floor: the lower end of inner products with the searched vectors, fixed for a model. The true
    minimum would need the whole scope, and would not change the top.

    minmax uses the scores of both arms for every candidate; reciprocal ranks only use what each arm
    found by itself.
    """
    if strategy == "vector":
        return normalise_minmax(pool.product, floor)
    if strategy == "keyword":
        return normalise_minmax(pool.words)
    if fusion == "minmax":
        return fuse_weighted(pool, floor)
    near = np.where(pool.by_meaning, pool.product, np.nan)
    worded = np.where(pool.by_words, pool.words, np.nan)
    if fusion == "weighted_rrf":
        return normalise_minmax(fuse_reciprocal_ranks([near, worded], pool.ids, RRF_WEIGHTS))
    tagged = np.where(pool.by_tags > 0, pool.by_tags, np.nan)
    return normalise_minmax(fuse_reciprocal_ranks([near, worded, tagged], pool.ids))


def fuse_weighted(pool: Candidates, floor: float = MEANING_FLOOR) -> Floats:
    """Both arms by WEIGHTS; one alone where the other found nothing."""
    near = normalise_minmax(pool.product, floor)
    found = np.fmax.reduce(pool.words, initial=0.0)
    if found <= 0:
        return near
    worded = normalise_minmax(pool.words, best=max(found, FULL_MATCH_SHARE * pool.most))
    if not near.any():
        return worded
    return ARM_WEIGHTS[0] * near + ARM_WEIGHTS[1] * worded
