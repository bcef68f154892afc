"""The first hits of the plain order, re-ordered by a cross-encoder within a time limit.

order = score + .026 x logit; the scores themselves stay those of the plain order. What it brings
stands in docs/benchmarks.md. Whatever goes wrong leaves the plain order, and the answer says so.
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

# So many are read; the plain order leaves little below them that would come up.
DEPTH = 20
# Logits lie in about -11 to 11, scores in 0-1. It is .05 of the fused arms, which a score counts by
# .85 / 1.61 (profiles, cues). With the model alone less is found.
WEIGHT = 0.026

MISSING, LATE, FAILED = "model-missing", "time-limit", "model-failed"
WHY_NOT = (MISSING, LATE, FAILED)


@dataclass(frozen=True, slots=True)
class Reranked:
    """The hits in their new order, or in the plain one and why: MISSING, LATE or FAILED."""

    hits: list[Hit]
    why_not: str | None = None


def rerank(
    question: str, hits: Sequence[Hit], texts: Mapping[UUID, str], *, seconds: float
) -> Reranked:
    """The hits with the first DEPTH in the cross-encoder's order.

    texts: of those, as `passages` has them. seconds: from now, for loading and reading together.
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
        # The class alone: a library's message may quote the text.
        log.warning("the cross-encoder failed: %s", type(error).__name__)
        return _plain(hits, FAILED)
    RERANKS.labels("done").inc()
    by_id = {hit.id: logit for hit, logit in zip(read, logits, strict=True)}
    return Reranked([*in_order(hits[:DEPTH], by_id), *hits[DEPTH:]])


def in_order(hits: Sequence[Hit], logits: Mapping[UUID, float]) -> list[Hit]:
    """The hits by score + WEIGHT x logit, best first; equal ones stay as they were."""
    judged = [replace(hit, rerank=logits.get(hit.id)) for hit in hits]
    return sorted(judged, key=lambda hit: -(hit.score + WEIGHT * (hit.rerank or 0.0)))


def _plain(hits: Sequence[Hit], why: str) -> Reranked:
    RERANKS.labels(why).inc()
    return Reranked(list(hits), why)
