"""Fuse the scores of several arms into one relevance. Pure.

A score is NaN if the arm cannot judge the memory; it gets nothing from that arm.
"""

from collections.abc import Sequence

import numpy as np

from memories.embedding.model_catalogue import MEANING_FLOOR
from memories.retrieval.search_types import Candidates, Floats, Ids

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
