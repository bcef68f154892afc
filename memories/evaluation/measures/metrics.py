"""The measures of ranked lists and times. Pure."""

from collections.abc import Collection, Mapping, Sequence
from math import ceil, log2


def recall_at(ranked: Sequence[str], wanted: Collection[str], k: int) -> float:
    """The share of the wanted among the first k, in 0-1. `wanted` is not empty."""
    return len(set(wanted) & set(ranked[:k])) / len(set(wanted))


def hit_at(ranked: Sequence[str], wanted: Collection[str], k: int) -> float:
    """1 if any of the wanted is among the first k, else 0."""
    return float(bool(set(wanted) & set(ranked[:k])))


def ndcg_at(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with graded gains (Järvelin and Kekäläinen, 2002).

    Sum of gain / log2(rank + 1) over the first k, divided by the sum of the best order. What is not
    in `gains` gains nothing; at least one gain is above 0.
    """
    discounts = [log2(rank + 1) for rank in range(1, k + 1)]
    best = sorted(gains.values(), reverse=True)
    gained = sum(gains.get(key, 0) / by for key, by in zip(ranked, discounts, strict=False))
    return gained / sum(gain / by for gain, by in zip(best, discounts, strict=False))


def reciprocal_rank(ranked: Sequence[str], wanted: Collection[str]) -> float:
    """1 / rank of the first of the wanted, 0 if none is there."""
    found = set(wanted)
    return next((1 / rank for rank, key in enumerate(ranked, start=1) if key in found), 0.0)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (above 0, to 1) of the values do not exceed.

    The nearest-rank method: always a value that was measured.
    """
    ordered = sorted(values)
    return ordered[max(1, ceil(share * len(ordered))) - 1]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 of the values, and their number."""
    return {
        "n": len(values),
        "p50": percentile(values, 0.5),
        "p95": percentile(values, 0.95),
        "p99": percentile(values, 0.99),
    }


QUALITY_METRICS = ("recall@5", "recall@10", "recall@20", "hit@10", "ndcg@10", "mrr")


def compute_quality(ranked: Sequence[str], wanted: Collection[str]) -> dict[str, float]:
    """The measures of QUALITY for one question whose answer was `ranked`, 20 long."""
    return {
        "recall@5": recall_at(ranked, wanted, 5),
        "recall@10": recall_at(ranked, wanted, 10),
        "recall@20": recall_at(ranked, wanted, 20),
        "hit@10": hit_at(ranked, wanted, 10),
        "ndcg@10": ndcg_at(ranked, dict.fromkeys(wanted, 1), 10),
        "mrr": reciprocal_rank(ranked, wanted),
    }
