"""The ranking of the architectures by their measures. Pure.

For each size, relative to the best architecture at that size:

    score = .70 quality + .15 speed + .05 writing + .10 room
    quality = mean of recall@10, nDCG@10 and MRR
    speed   = lowest median of a query / own median
    writing = lowest milliseconds of an insert / own
    room    = fewest bytes a memory / own

All are in 0-1; the final score is the mean over the sizes. An architecture that served a single
forbidden row, at any size, has the score 0. Equal scores are ordered by name.
"""

from collections.abc import Mapping, Sequence
from typing import Any

WEIGHTS = {"quality": 0.70, "speed": 0.15, "writing": 0.05, "room": 0.10}
FORMULA = (
    "score = .70 quality + .15 speed + .05 writing + .10 room, each relative to the best at the "
    "same size, the mean over the sizes; quality is the mean of recall@10, nDCG@10 and MRR; speed "
    "is about the median query, writing about a single insert, room about bytes a memory. One "
    "leaked row makes the score 0."
)
RunReport = Mapping[str, Any]


def mean_quality(run: RunReport) -> float:
    """The mean of the three measures, in 0-1."""
    return float(run["recall"]["10"] + run["ndcg10"] + run["mrr"]) / 3


def _cost_measures(run: RunReport) -> dict[str, float]:
    return {
        "speed": run["query_ms"]["p50"],
        "writing": run["insert_ms"],
        "room": run["bytes_per_memory"],
    }


def rank_architectures(runs: Sequence[RunReport]) -> list[dict[str, Any]]:
    """[{strategy, score, quality, speed, writing, room, leakage}], the best first."""
    sizes = sorted({run["groups"] for run in runs})
    parts: dict[str, list[dict[str, float]]] = {}
    for size in sizes:
        here = [run for run in runs if run["groups"] == size]
        best = {
            name: min(_cost_measures(run)[name] for run in here)
            for name in ("speed", "writing", "room")
        }
        for run in here:
            own = {
                name: best[name] / value if value else 1.0
                for name, value in _cost_measures(run).items()
            }
            parts.setdefault(run["strategy"], []).append({"quality": mean_quality(run), **own})
    found = []
    for strategy, rows in parts.items():
        means = {name: sum(row[name] for row in rows) / len(rows) for name in WEIGHTS}
        leakage = sum(run["leakage"] for run in runs if run["strategy"] == strategy)
        score = 0.0 if leakage else sum(WEIGHTS[name] * means[name] for name in WEIGHTS)
        found.append({"strategy": strategy, "score": score, **means, "leakage": leakage})
    return sorted(found, key=lambda row: (-row["score"], row["strategy"]))


def find_recommended(ranking: Sequence[Mapping[str, Any]]) -> str | None:
    """The best of those that leak nothing, or None."""
    return next((row["strategy"] for row in ranking if not row["leakage"]), None)
