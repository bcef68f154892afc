"""The first hits of the plain order, re-ordered by a cross-encoder within a time limit.

order = score + .026 x logit, or + .01 x logit where it is negative; the scores themselves stay
those of the plain order. For the gain see docs/benchmarks.md, for what else was tried
docs/adr/0054-order-on-request.md. On any failure the plain order stays, and the answer says so.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.embedding.cross_encoders.cross_encoder import DeadlineExceededError, ModelMissingError
from memories.embedding.cross_encoders.cross_encoder_loading import get_cross_encoder
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.pipeline import RERANKS
from memories.retrieval.search_types import Hit, SearchFilters, SearchRequest
from orgs.database.prepared_statements import fetch_all
from orgs.expiry import not_expired_sql
from orgs.trace_spans import span

# The text of a hit for the cross-encoder: the turn before it, the speaker, and its words.
# An answer often says little without its question. The previous turn is used only if it is in the
# same conversation and audience, is active, and could itself be served.

# In characters. The model reads 256 tokens, about 1,000 characters.
MAX_BEFORE_CHARACTERS, MAX_TEXT_CHARACTERS = 200, 1_000

# `before` is the directly previous turn: searching for a readable one could read a whole
# conversation. The conditions on n are those of the search itself.
_PASSAGES_SQL = """
SELECT h.id, h.speaker, left(h.content, %(text)s), (
    SELECT right(x.content, %(before)s) FROM memories_memory x
    JOIN memories_text n ON n.organisation_id = x.organisation_id AND n.memory_id = x.id
    WHERE x.organisation_id = %(organisation)s AND x.id = before.id AND x.status = 'active'
      AND {not_expired} {narrowed})
FROM memories_memory h
LEFT JOIN LATERAL (
    SELECT y.id FROM memories_memory y
    WHERE y.organisation_id = %(organisation)s AND y.conversation = h.conversation
      AND y.audience_id = h.audience_id AND y.status = 'active'
      AND (y.position, y.id) < (h.position, h.id)
    ORDER BY y.position DESC, y.id DESC LIMIT 1
) AS before ON true
WHERE h.organisation_id = %(organisation)s AND h.id = ANY(%(ids)s::uuid[])
"""
# While the model runs, somebody may forget a hit.
_STILL_ACTIVE_SQL = f"""
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND m.status = 'active' AND (%(include_expired)s::bool OR {not_expired_sql()})
"""


def fetch_passages(question: SearchRequest, hits: Sequence[Hit]) -> Mapping[UUID, str]:
    """{hit: "previous turn speaker: text"} of the first DEPTH, without unknown parts. Call in the
    asker's scope.

    hits: only ones that the answer may show.
    """
    hits = hits[:RERANK_DEPTH]
    if not hits:
        return {}
    # The asker's filters are for answers; the previous turn is none.
    conditions, values = build_conditions(replace(question, filters=SearchFilters()))
    values |= {
        "ids": [hit.id for hit in hits],
        "now": question.now,
        "before": MAX_BEFORE_CHARACTERS,
        "text": MAX_TEXT_CHARACTERS,
    }
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    return {
        id_: format_passage(speaker, content, before)
        for id_, speaker, content, before in fetch_all(
            _PASSAGES_SQL.format(not_expired=not_expired_sql("x"), narrowed=narrowed), values
        )
    }


def format_passage(speaker: str, content: str, before: str | None) -> str:
    """One text for the model."""
    said = f"{speaker}: {content}" if speaker else content
    return f"{before} {said}" if before else said


def fetch_still_active(
    organisation_id: UUID, ids: Sequence[UUID], now: datetime, *, include_expired: bool = False
) -> set[UUID]:
    """The ids among these that the asker's scope still has and that may be served."""
    values = {
        "organisation": organisation_id,
        "ids": list(ids),
        "now": now,
        "include_expired": include_expired,
    }
    return {id_ for (id_,) in fetch_all(_STILL_ACTIVE_SQL, values)}


log = logging.getLogger("commonmind.rerank")

# How many hits are read; few hits below these would rise to the top.
RERANK_DEPTH = 20
# Logits are about -11 to 11, scores 0-1. It equals .05 of the fused arms, which have the weight .85
# / 1.61 in a score (profiles, cues). The model alone finds less.
LOGIT_WEIGHT = 0.026
# A "no" counts less than a "yes": for a vague question the model says no to good and bad hits
# alike, and how surely it says so would push what answers out of the first ten.
NEGATIVE_LOGIT_WEIGHT = 0.01

MODEL_MISSING, TIME_LIMIT, MODEL_FAILED = "model-missing", "time-limit", "model-failed"
NOT_RERANKED_REASONS = (MODEL_MISSING, TIME_LIMIT, MODEL_FAILED)


@dataclass(frozen=True, slots=True)
class RerankResult:
    """The hits in their new order; or in the plain one, with the reason MISSING, LATE or FAILED."""

    hits: list[Hit]
    why_not: str | None = None


def rerank(
    question: str, hits: Sequence[Hit], texts: Mapping[UUID, str], *, seconds: float
) -> RerankResult:
    """The hits with the first DEPTH reordered by the cross-encoder.

    texts: of these hits, from `passages`. seconds: the time limit for loading and reading together.
    """
    deadline = time.monotonic() + seconds
    read = [hit for hit in hits[:RERANK_DEPTH] if hit.id in texts]
    try:
        with span("rerank", texts=len(read)):
            logits = get_cross_encoder().logits(
                question, [texts[hit.id] for hit in read], deadline=deadline
            )
    except ModelMissingError:
        return _unchanged_order(hits, MODEL_MISSING)
    except DeadlineExceededError:
        return _unchanged_order(hits, TIME_LIMIT)
    except Exception as error:
        # Only the class: a library's message may quote the text.
        log.warning("the cross-encoder failed: %s", type(error).__name__)
        return _unchanged_order(hits, MODEL_FAILED)
    RERANKS.labels("done").inc()
    by_id = {hit.id: logit for hit, logit in zip(read, logits, strict=True)}
    return RerankResult([*order_by_logits(hits[:RERANK_DEPTH], by_id), *hits[RERANK_DEPTH:]])


def order_by_logits(hits: Sequence[Hit], logits: Mapping[UUID, float]) -> list[Hit]:
    """The hits by their reranked scores, best first; equal ones keep their order."""
    judged = [replace(hit, rerank=logits.get(hit.id)) for hit in hits]
    return sorted(judged, key=lambda hit: -reranked_score(hit))


def reranked_score(hit: Hit) -> float:
    """The score with what the cross-encoder adds to it, by which the first hits are ordered: the
    score alone of a hit that was not read. Not in 0-1."""
    logit = hit.rerank or 0.0
    return hit.score + (LOGIT_WEIGHT if logit > 0 else NEGATIVE_LOGIT_WEIGHT) * logit


def deepen_limit(limit: int) -> int:
    """How many hits must be found so that `limit` can be served after reranking."""
    return max(limit, RERANK_DEPTH)


def _unchanged_order(hits: Sequence[Hit], why: str) -> RerankResult:
    RERANKS.labels(why).inc()
    return RerankResult(list(hits), why)
