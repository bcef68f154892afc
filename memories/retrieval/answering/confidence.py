"""The confidence that a memory answers a question, and the word for a whole answer. Pure.

    about   = sigmoid(base + near x product + share x words / most)     of each memory
    theirs  = sigmoid(.77 + 10.6 x lead)                                 where somebody is named
    answers = about x theirs

product: the inner product with the searched vector; words / most: the share of the total weight of
the question's words that the memory has; lead: the share of the best memory of a named speaker
minus that of the best memory of others (without their questions). For a question about Ann's
holidays, Ben's holidays share words but are no answer. The confidence of an answer is the highest
of its first hits.

Only candidates count, so memories that the asker may not read have no influence. See
docs/adr/0022-answered.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from memories.retrieval.search_types import Candidates, Floats, Hit, SearchRequest

YES, UNSURE, NO = "yes", "unsure", "no"
ANSWERED_VALUES = (YES, UNSURE, NO)
# From the first on the answer is `yes`, below the second `no`.
YES_FROM, NO_BELOW = 0.6, 0.08
# How many hits count, however few are wanted.
HITS_CONSIDERED = 10
# Base and weight of the share, for words alone, with any model.
WORDS_ONLY_WEIGHTS = (-4.4, 12.5)
# Base and weight of the lead.
SPEAKER_MARGIN_WEIGHTS = (0.77, 10.6)
# For a model that nobody has measured: unsure, since its vectors tell neither yes nor no.
UNMEASURED_CONFIDENCE = 0.3


def classify_confidence(confidence: float) -> str:
    """The word for a confidence: yes, unsure or no."""
    if confidence >= YES_FROM:
        return YES
    return UNSURE if confidence >= NO_BELOW else NO


def is_irrelevant(hit: Hit) -> bool:
    """Whether a hit by itself does not answer the question."""
    return hit.answers < NO_BELOW


def max_confidence(hits: Sequence[Hit]) -> float:
    """The highest confidence of the first HITS_CONSIDERED hits; 0 without hits."""
    return max((hit.answers for hit in hits[:HITS_CONSIDERED]), default=0.0)


def compute_answer_confidence(
    question: SearchRequest, pool: Candidates, lead: float | None
) -> Floats:
    """The confidence that each candidate answers, in 0-1. lead: see `speaker_margin`."""
    odds = _log_odds(question, pool)
    found = np.where(np.isnan(odds), 0.0, _sigmoid(odds))
    if lead is not None:
        base, weight = SPEAKER_MARGIN_WEIGHTS
        found = found * _sigmoid(np.float64(base + weight * lead))
    if question.weights is None and question.vector is not None and question.strategy != "keyword":
        found = np.where(np.isnan(pool.product), found, np.maximum(found, UNMEASURED_CONFIDENCE))
    return found


def speaker_margin(question: SearchRequest, found: Candidates) -> float | None:
    """The lead of named speakers over others, in -1 to 1.

    found: all candidates. None if the question names nobody, or words are not searched.
    """
    if not question.named or not _searches_words(question):
        return None
    share = _word_share(found)
    others = ~found.by_named & ~found.asks
    return float(share[found.by_named].max(initial=0.0) - share[others].max(initial=0.0))


def _log_odds(question: SearchRequest, pool: Candidates) -> Floats:
    """The log-odds of `about`; NaN where both product and words are unknown."""
    base, weight = WORDS_ONLY_WEIGHTS
    unknown = np.full(len(pool), np.nan)
    by_words = base + weight * _word_share(pool) if _searches_words(question) else unknown
    scale = question.weights
    if scale is None or question.strategy == "keyword":
        return by_words
    if _searches_words(question):
        both = scale.base + scale.near * pool.product + scale.share * _word_share(pool)
    else:
        both = scale.base_alone + scale.near_alone * pool.product
    return np.where(np.isnan(pool.product), by_words, both)


def _searches_words(question: SearchRequest) -> bool:
    return question.strategy != "vector" and bool(question.lexemes)


def _word_share(found: Candidates) -> Floats:
    """The share of the weight of all words that each memory has, in 0-1."""
    if found.most <= 0:
        return np.zeros(len(found))
    # `fmax` takes the number where the other is NaN.
    share: Floats = np.minimum(np.fmax(found.words / found.most, 0.0), 1.0)
    return share


def _sigmoid(odds: Floats | np.float64) -> Floats:
    sure: Floats = 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
    return sure


# The recorded hits of a recall, and what some of them say. Pure.
# A hit is recorded (`retrieval.served`) as [id, score], and if it was judged as [id, score, sure,
# word]: the confidence that it answers (0-1), and the place of its word in ANSWERED. The word is
# recorded because the limits between the words may change. An asker who reads only some of the
# hits gets the judgement of these; that of all hits would reveal the others.


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHit:
    """A recorded hit. score and sure in 0-1; sure is None and answered empty if it was not
    judged."""

    id: UUID
    score: float
    sure: float | None = None
    answered: str = ""

    @property
    def folded(self) -> bool:
        """Whether it was judged not to answer."""
        return self.answered == NO


def parse_recorded_hits(hits: Sequence[Sequence[Any]]) -> list[RecordedHit]:
    """The recorded hits, in the order in which they were served."""
    return [
        RecordedHit(
            id=UUID(id_),
            score=score,
            sure=judged[0] if judged else None,
            answered=ANSWERED_VALUES[judged[1]] if judged else "",
        )
        for id_, score, *judged in hits
    ]


def classify_hits(hits: Sequence[RecordedHit]) -> tuple[str, float | None]:
    """(word, confidence) from these hits alone; ("", None) if none was judged."""
    judged = [(hit.sure, hit.answered) for hit in hits[:HITS_CONSIDERED] if hit.sure is not None]
    if not judged:
        return "", None
    sure, word = max(judged)
    return word, sure
