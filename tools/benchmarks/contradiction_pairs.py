"""Duplicates and contradictions at the shipped thresholds, over pairs that people judged.

The same: 4.5 or more of 5. Other: 4 or less. In between nobody can say. A contradiction is one that
people called so; every pair that they called neutral or entailed is none.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import get_model
from memories.evaluation.report.tables import Table
from memories.language.comparison.text_comparison import is_contradiction, may_contradict
from tools.benchmarks.report import print_line

FILE = "pairs.jsonl"
SAME, OTHER = 4.5, 4.0
BATCH, QUICK = 512, 1_000


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    lines = (chosen.dataset / FILE).read_text(encoding="utf-8").splitlines()
    pairs = [orjson.loads(line) for line in lines[: QUICK if chosen.quick else None]]
    alike, model = _cosine_similarities(pairs), get_model()
    same = [
        cosine >= model.twin and not may_contradict(pair["a"], pair["b"])
        for pair, cosine in zip(pairs, alike, strict=True)
    ]
    against = [
        cosine >= model.disagree and is_contradiction(pair["a"], pair["b"])
        for pair, cosine in zip(pairs, alike, strict=True)
    ]
    judged = {
        "duplicates": _measure(pairs, same, _is_same),
        "contradictions": _measure(pairs, against, _is_contradiction),
    }
    merged = sum(
        told and _is_contradiction(pair) is True for pair, told in zip(pairs, same, strict=True)
    )
    figures = {**judged, "contradictions_taken_for_duplicates": merged, "pairs": len(pairs)}
    for name, found in judged.items():
        print_line(f"{name}: precision {found['precision']:.3f}, recall {found['recall']:.3f}")
    rows = [[name, *found.values()] for name, found in judged.items()]
    rows.append(["contradictions taken for duplicates", merged, "", "", "", ""])
    columns = ["what", "told", "right", "in all", "precision", "recall"]
    note = f"{len(pairs):,} pairs, {model.name}: duplicates from {model.twin}, "
    note += f"contradictions from {model.disagree}."
    return figures, [Table("Pairs of sentences", columns, rows, note)]


def _cosine_similarities(pairs: list[dict[str, Any]]) -> list[float]:
    encoder, found = get_encoder(), []
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        one = np.asarray(encoder.encode([pair["a"] for pair in part]))
        other = np.asarray(encoder.encode([pair["b"] for pair in part]))
        found += np.einsum("ij,ij->i", one, other).tolist()
    return found


def _is_same(pair: dict[str, Any]) -> bool | None:
    """None where people did not agree enough to say."""
    score = pair.get("score")
    if score is None or SAME > score > OTHER:
        return None
    return bool(score >= SAME)


def _is_contradiction(pair: dict[str, Any]) -> bool | None:
    return None if pair.get("nli") is None else pair["nli"] == "contradiction"


def _measure(
    pairs: list[dict[str, Any]], told: list[bool], truth: Callable[[dict[str, Any]], bool | None]
) -> dict[str, Any]:
    known = [
        (found, right)
        for pair, found in zip(pairs, told, strict=True)
        if (right := truth(pair)) is not None
    ]
    hits = sum(found and right for found, right in known)
    said, all_ = sum(found for found, _ in known), sum(right for _, right in known)
    return {
        "told": said,
        "right": hits,
        "all": all_,
        "precision": round(hits / said, 4) if said else 0.0,
        "recall": round(hits / all_, 4) if all_ else 0.0,
    }
