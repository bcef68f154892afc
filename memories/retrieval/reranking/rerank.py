"""The first hits of the plain order, re-ordered by a cross-encoder within a time limit.

order = score + .026 x logit; the scores themselves stay those of the plain order. For the gain see
docs/benchmarks.md. On any failure the plain order stays, and the answer says so.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memories.embedding.cross_encoders.in_use import cross_encoder
from memories.embedding.cross_encoders.interface import ModelMissing, TimeOver
from memories.retrieval.metrics import RERANKS
from memories.retrieval.types import Hit

log = logging.getLogger("commonmind.rerank")

# How many hits are read; few hits below these would rise to the top.
DEPTH = 20
# Logits are about -11 to 11, scores 0-1. It equals .05 of the fused arms, which have the weight .85
# / 1.61 in a score (profiles, cues). The model alone finds less.
WEIGHT = 0.026

MISSING, LATE, FAILED = "model-missing", "time-limit", "model-failed"
WHY_NOT = (MISSING, LATE, FAILED)


@dataclass(frozen=True, slots=True)
class Reranked:
    """The hits in their new order; or in the plain one, with the reason MISSING, LATE or FAILED."""

    hits: list[Hit]
    why_not: str | None = None


def rerank(
    question: str, hits: Sequence[Hit], texts: Mapping[UUID, str], *, seconds: float
) -> Reranked:
    """The hits with the first DEPTH reordered by the cross-encoder.

    texts: of these hits, from `passages`. seconds: the time limit for loading and reading together.
    """
    deadline = time.monotonic() + seconds
    read = [hit for hit in hits[:DEPTH] if hit.id in texts]
    try:
        logits = cross_encoder().logits(
            question, [texts[hit.id] for hit in read], deadline=deadline
        )
    except ModelMissing:
        return _plain(hits, MISSING)
    except TimeOver:
        return _plain(hits, LATE)
    except Exception as error:
        # Only the class: a library's message may quote the text.
        log.warning("the cross-encoder failed: %s", type(error).__name__)
        return _plain(hits, FAILED)
    RERANKS.labels("done").inc()
    by_id = {hit.id: logit for hit, logit in zip(read, logits, strict=True)}
    return Reranked([*in_order(hits[:DEPTH], by_id), *hits[DEPTH:]])


def in_order(hits: Sequence[Hit], logits: Mapping[UUID, float]) -> list[Hit]:
    """The hits by score + WEIGHT x logit, best first; equal ones keep their order."""
    judged = [replace(hit, rerank=logits.get(hit.id)) for hit in hits]
    return sorted(judged, key=lambda hit: -(hit.score + WEIGHT * (hit.rerank or 0.0)))


def _plain(hits: Sequence[Hit], why: str) -> Reranked:
    RERANKS.labels(why).inc()
    return Reranked(list(hits), why)
