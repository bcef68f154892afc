"""The first hits of the plain order, re-ordered by a cross-encoder within a time limit.

order = score + .026 x logit; the scores themselves stay those of the plain order. For the gain see
docs/benchmarks.md. On any failure the plain order stays, and the answer says so.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memories.embedding.cross_encoders.cross_encoder import DeadlineExceededError, ModelMissingError
from memories.embedding.cross_encoders.cross_encoder_loading import get_cross_encoder
from memories.retrieval.metrics import RERANKS
from memories.retrieval.search_types import Hit

log = logging.getLogger("commonmind.rerank")

# How many hits are read; few hits below these would rise to the top.
RERANK_DEPTH = 20
# Logits are about -11 to 11, scores 0-1. It equals .05 of the fused arms, which have the weight .85
# / 1.61 in a score (profiles, cues). The model alone finds less.
LOGIT_WEIGHT = 0.026

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
        logits = get_cross_encoder().logits(
            question, [texts[hit.id] for hit in read], deadline=deadline
        )
    except ModelMissingError:
        return _keep_order(hits, MODEL_MISSING)
    except DeadlineExceededError:
        return _keep_order(hits, TIME_LIMIT)
    except Exception as error:
        # Only the class: a library's message may quote the text.
        log.warning("the cross-encoder failed: %s", type(error).__name__)
        return _keep_order(hits, MODEL_FAILED)
    RERANKS.labels("done").inc()
    by_id = {hit.id: logit for hit, logit in zip(read, logits, strict=True)}
    return RerankResult([*order_by_logits(hits[:RERANK_DEPTH], by_id), *hits[RERANK_DEPTH:]])


def order_by_logits(hits: Sequence[Hit], logits: Mapping[UUID, float]) -> list[Hit]:
    """The hits by score + WEIGHT x logit, best first; equal ones keep their order."""
    judged = [replace(hit, rerank=logits.get(hit.id)) for hit in hits]
    return sorted(judged, key=lambda hit: -(hit.score + LOGIT_WEIGHT * (hit.rerank or 0.0)))


def _keep_order(hits: Sequence[Hit], why: str) -> RerankResult:
    RERANKS.labels(why).inc()
    return RerankResult(list(hits), why)
