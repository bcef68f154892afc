"""Is what the vector search serves what comparing with every readable vector would serve?"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from memories.embedding.model_catalogue import get_model
from memories.evaluation.measures.metrics import mean, percentiles
from memories.evaluation.report.tables import Table
from memories.retrieval.pipeline import run_search
from memories.retrieval.search_types import SearchRequest
from orgs.principals import Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import GROUPS, READERS, Matrix, Synthetic, fill_organisation

SIZES, QUICK_SIZES = (200, 2_000, 20_000, 200_000), (200, 2_000)
QUESTIONS, QUICK_QUESTIONS = 50, 10
SHARES = ("100 %", "1 %")
TOP = 10
# Half-precision sums differ in the last digit: equally near is equally right.
EQUAL = 1e-4


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    found = []
    for size in QUICK_SIZES if chosen.quick else SIZES:
        started = time.perf_counter()
        made = fill_organisation(size, seed=size)
        print_line(f"{size:,} memories filled in {time.perf_counter() - started:.0f} s")
        found += [compare(made, share, made.questions(count)) for share in SHARES]
        # The vectors of one size at a time.
        del made
    rows = [
        [
            *(f"{f['memories']:,}", f["share"], f["readable"], f"{f['recall@10']:.4f}"),
            *(f["served"], f["ms"]["p50"], f["ms"]["p95"]),
        ]
        for f in found
    ]
    columns = ["memories", "reads", "readable", "recall@10", "fewest served", "ms p50", "ms p95"]
    note = f"{count} questions each, from the clusters of the memories; ms is the whole search."
    return found, [Table("Vector search against brute force", columns, rows, note)]


def compare(made: Synthetic, share: str, questions: Matrix) -> dict[str, Any]:
    """Recall of the top ten over the questions, for who reads this share."""
    reader = made.reader(share)
    principal = resolve_principal(
        resolve_actor(reader.actor, group=reader.group, member=reader.member)
    )
    readable = np.arange(len(made.ids))[np.arange(len(made.ids)) % GROUPS < READERS[share]]
    stored = 2 * made.vectors[readable].astype(np.float32)
    recalls, times, fewest = [], [], TOP
    for vector in questions:
        started = time.perf_counter()
        served = search_ids(principal, vector)
        times.append((time.perf_counter() - started) * 1000)
        nearness = stored @ vector.astype(np.float16).astype(np.float32)
        wanted = min(TOP, len(readable))
        least = np.partition(nearness, -wanted)[-wanted] - EQUAL
        by_id = {made.ids[row]: near for row, near in zip(readable, nearness, strict=True)}
        right = [id_ for id_ in served if by_id.get(id_, -np.inf) >= least]
        recalls.append(len(right) / wanted)
        fewest = min(fewest, len(served))
    return {
        "memories": len(made.ids),
        "share": share,
        "readable": len(readable),
        "recall@10": mean(recalls),
        "served": fewest,
        "ms": percentiles(times),
    }


def search_ids(principal: Principal, vector: Matrix) -> list[Any]:
    """The ids that the product's pipeline serves for a vector."""
    model = get_model()
    question = SearchRequest(
        organisation_id=principal.organisation_id,
        text="",
        language=principal.language,
        model=model.number,
        meaning_floor=model.meaning_floor,
        limit=TOP,
        now=timezone.now(),
        strategy="vector",
        vector=vector,
        context_group=principal.actor.group_id,
        organisation_audience=principal.organisation_audience,
        audiences=principal.audiences,
    )
    with principal.scope():
        return [hit.id for hit in run_search(question).hits]
