"""What the wording adds to the two arms, and the score that ranks.

cues = .05 min(ln(1 + l), ln 31)          l = lexemes of the text: a longer turn says more
     - .06 if the text is a short question
     + .16 min(1, share / .5)             if the question names its speaker
     + .08 if the question asks when and the text names a time
     + .10 if the asker speaks of themselves and said it

Found on five conversation sets, held-out halves; see docs/benchmarks.md.
"""

from math import log
from typing import NamedTuple

from memories.policies.scoring import balanced
from memories.policies.strength import strength
from memories.retrieval.features import Feature
from memories.retrieval.types import Question

LENGTH, LONGEST = 0.05, log(31)
SHORT_QUESTION, SPEAKER, TIME, SELF = 0.06, 0.16, 0.08, 0.10
LOWEST, HIGHEST = -SHORT_QUESTION, LENGTH * LONGEST + SPEAKER + TIME + SELF


def cues(question: Question, feature: Feature) -> float:
    """The sum above, in LOWEST to HIGHEST."""
    total = LENGTH * min(log(1 + feature.length), LONGEST)
    if feature.asks:
        total -= SHORT_QUESTION
    if (share := question.named.get(feature.speaker_key)) is not None:
        total += SPEAKER * min(1.0, share / 0.5)
    if feature.timed and question.asks_when:
        total += TIME
    if question.asks_about_self and feature.speaker_member_id == question.asker:
        total += SELF
    return total


def relevance(fused: float, added: float) -> float:
    """Fused arms (0-1) and cues brought to 0-1, in their own order."""
    return (fused + added - LOWEST) / (1.0 + HIGHEST - LOWEST)


class Judged(NamedTuple):
    """A candidate with its numbers, all in 0-1 but `cues`."""

    score: float
    feature: Feature
    relevance: float
    cues: float
    strength: float


def score(question: Question, feature: Feature, found: float, added: float) -> Judged:
    """The score under the balanced profile."""
    now = strength(
        importance=feature.importance,
        category=feature.category,
        accesses=feature.access_count,
        last_access=feature.last_accessed_at or feature.created_at,
        now=question.now,
    )
    final = balanced(relevance=found, strength=now, tier=feature.tier)
    return Judged(final, feature, found, added, now)


def order(judged: Judged) -> tuple[float, str]:
    """Best first, then by id, so that the order is the same each time."""
    return -judged.score, str(judged.feature.id)
