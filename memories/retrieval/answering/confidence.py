"""How sure it is that a memory answers a question, and what is said of an answer. Pure.

    about   = sigmoid(base + near x product + share x words / most)     of each memory
    theirs  = sigmoid(.77 + 10.6 x lead)                                 where somebody is named
    answers = about x theirs

product: with the searched vector; words / most: how much of what the question's words are worth the
memory has; lead: by how much more of it the best memory of who is named has than the best of
others, their questions left out. Who is asked about Ann's holidays and finds Ben's has words in
common and no answer. An answer is as sure as the surest of its first hits.

Only candidates count: what the asker may not read is none. See docs/adr/0022-answered.md.
"""

from collections.abc import Sequence

import numpy as np

from memories.retrieval.types import Floats, Found, Hit, Question

YES, UNSURE, NO = "yes", "unsure", "no"
ANSWERED = (YES, UNSURE, NO)
# From here on an answer holds one; below the second nothing in it answers.
SURE, NOTHING = 0.6, 0.08
# So many hits are looked at, however few are wanted.
LOOKED_AT = 10
# By words alone, whatever the model: base and share.
WORDS_ALONE = (-4.4, 12.5)
# Base and lead.
NAMED = (0.77, 10.6)
# Of a model that nobody has measured: its meaning says neither that something answers nor that
# nothing does.
UNMEASURED = 0.3


def answered(confidence: float) -> str:
    """yes, unsure or no."""
    if confidence >= SURE:
        return YES
    return UNSURE if confidence >= NOTHING else NO


def is_folded(hit: Hit) -> bool:
    """Whether the hit does not answer by itself."""
    return hit.answers < NOTHING


def surest(hits: Sequence[Hit]) -> float:
    """How sure it is that one of the first of these answers; 0 where there is none."""
    return max((hit.answers for hit in hits[:LOOKED_AT]), default=0.0)


def answers(question: Question, pool: Found, lead: float | None) -> Floats:
    """How sure it is that each candidate answers, in 0-1. lead: see `lead_of`."""
    odds = _odds(question, pool)
    found = np.where(np.isnan(odds), 0.0, _sigmoid(odds))
    if lead is not None:
        base, weight = NAMED
        found = found * _sigmoid(np.float64(base + weight * lead))
    if question.weights is None and question.vector is not None and question.strategy != "keyword":
        found = np.where(np.isnan(pool.product), found, np.maximum(found, UNMEASURED))
    return found


def lead_of(question: Question, found: Found) -> float | None:
    """By how much the best words of who is named surpass those of others, in -1 to 1.

    found: all candidates. None where nobody is named, or words are not looked at.
    """
    if not question.named or not _by_words(question):
        return None
    share = _share(found)
    others = ~found.by_named & ~found.asks
    return float(share[found.by_named].max(initial=0.0) - share[others].max(initial=0.0))


def _odds(question: Question, pool: Found) -> Floats:
    """The log-odds of `about`; NaN where nothing is known of the memory."""
    base, weight = WORDS_ALONE
    unknown = np.full(len(pool), np.nan)
    by_words = base + weight * _share(pool) if _by_words(question) else unknown
    scale = question.weights
    if scale is None or question.strategy == "keyword":
        return by_words
    if _by_words(question):
        both = scale.base + scale.near * pool.product + scale.share * _share(pool)
    else:
        both = scale.base_alone + scale.near_alone * pool.product
    return np.where(np.isnan(pool.product), by_words, both)


def _by_words(question: Question) -> bool:
    return question.strategy != "vector" and bool(question.lexemes)


def _share(found: Found) -> Floats:
    """What each memory has of the worth of all words, in 0-1."""
    if found.most <= 0:
        return np.zeros(len(found))
    share: Floats = np.clip(np.nan_to_num(found.words) / found.most, 0.0, 1.0)
    return share


def _sigmoid(odds: Floats | np.float64) -> Floats:
    sure: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
    return sure
