"""What the wording adds to the two arms, and the score that ranks.

cues = .05 min(ln(1 + l), ln 31)          l = lexemes of the text: a longer turn says more
     - .06 if the text is a short question
     + .20 / n                            if the question names its speaker, n = names in it
     + .08 if the question asks when and the text names a time
     + .10 if the asker speaks of themselves and said it

Found on conversation sets, halves held out; see docs/benchmarks.md.
"""

from math import log
from typing import NamedTuple

import numpy as np

from memories.lifecycle.decay import strengths
from memories.retrieval.profiles import balanced
from memories.retrieval.types import Floats, Found, Pool, Question

LENGTH, LONGEST = 0.05, log(31)
SHORT_QUESTION, SPEAKER, TIME, SELF = 0.06, 0.20, 0.08, 0.10
LOWEST, HIGHEST = -SHORT_QUESTION, LENGTH * LONGEST + SPEAKER + TIME + SELF


def cues(question: Question, pool: Pool) -> Floats:
    """The sum above for each candidate, in LOWEST to HIGHEST."""
    total = known_cues(question, pool)
    if question.asks_about_self:
        total += SELF * pool.by_asker
    return total


def known_cues(question: Question, pool: Found) -> Floats:
    """The sum without its last line: what the narrow rows tell."""
    total = LENGTH * np.minimum(np.log1p(pool.length), LONGEST) - SHORT_QUESTION * pool.asks
    if question.named:
        total += SPEAKER / len(question.named) * pool.by_named
    if question.asks_when:
        total += TIME * pool.timed
    return total


def relevance(fused: Floats, added: Floats) -> Floats:
    """Fused arms (0-1) and cues brought to 0-1, in their own order."""
    return (fused + added - LOWEST) / (1.0 + HIGHEST - LOWEST)


class Judged(NamedTuple):
    """The candidates' numbers, all in 0-1 but `cues`."""

    score: Floats
    relevance: Floats
    cues: Floats
    strength: Floats


def judge(question: Question, pool: Pool, fused: Floats) -> Judged:
    """The scores under the balanced profile.

    A single arm or a named fusion is asked for as such: what the wording adds belongs to the
    hybrid.
    """
    added, found = np.zeros_like(fused), fused
    if question.strategy == "hybrid" and question.fusion == "minmax":
        added = cues(question, pool)
        found = relevance(fused, added)
    now = strengths(
        importance=pool.importance, category=pool.category, accesses=pool.accesses, days=pool.days
    )
    return Judged(balanced(relevance=found, strength=now, tier=pool.tier), found, added, now)
