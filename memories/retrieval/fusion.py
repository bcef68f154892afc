"""One relevance from several lists of scores. Pure: lists in, numbers out."""

from collections.abc import Mapping, Sequence
from uuid import UUID

RRF_K = 60
WEIGHTS = (0.5, 0.5)
RRF_WEIGHTS = (0.6, 0.4)
# The lower end of inner products with the searched vectors. Fixed: the true minimum would need
# the whole scope, and changes nothing at the top.
MEANING_FLOOR = -0.1


def minmax(scores: Mapping[UUID, float], floor: float = 0.0) -> dict[UUID, float]:
    """(score - floor) / (best - floor) in 0-1: 1 for the best."""
    if not scores:
        return {}
    width = max(scores.values()) - floor
    if width <= 0:
        return dict.fromkeys(scores, 0.0)
    return {id_: max(0.0, (score - floor) / width) for id_, score in scores.items()}


def weighted_sum(
    lists: Sequence[Mapping[UUID, float]], weights: Sequence[float] = WEIGHTS
) -> dict[UUID, float]:
    """Sum of weight x score; a memory that a list lacks gets 0 from it."""
    fused: dict[UUID, float] = {}
    for scores, weight in zip(lists, weights, strict=True):
        for id_, score in scores.items():
            fused[id_] = fused.get(id_, 0.0) + weight * score
    return fused


def reciprocal_rank(
    lists: Sequence[Sequence[UUID]], weights: Sequence[float] | None = None, k: int = RRF_K
) -> dict[UUID, float]:
    """Sum of weight / (k + rank), rank from 1 (Cormack, Clarke and Büttcher, 2009)."""
    fused: dict[UUID, float] = {}
    for ranking, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        for rank, id_ in enumerate(ranking, start=1):
            fused[id_] = fused.get(id_, 0.0) + weight / (k + rank)
    return fused


def ranked(scores: Mapping[UUID, float]) -> list[UUID]:
    """Best first; equal scores by id, so that the order is the same each time."""
    return sorted(scores, key=lambda id_: (-scores[id_], str(id_)))
