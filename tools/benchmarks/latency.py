"""Server time of a recall by what it is spent on, beside the floor under it.

The floor is what no code of ours could avoid: the same statements by bare psycopg in the same
role, and the bare encoder on the same text. Both alternate, so that both meet the same caches
and the same neighbours on the machine.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.embedding.query_cache import get_query_cache
from memories.evaluation.measures.metrics import percentile, percentiles
from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall, recall_by_key
from memories.retrieval.resolve_filters import Query
from orgs.principals import resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.keys import authenticate_key, parse_key
from tools.benchmarks.database import superuser
from tools.benchmarks.lower_bound import LowerBound
from tools.benchmarks.recall_profile import (
    RecallProfile,
    bare_connection,
    profile_recalls,
    replay,
    time_encoder,
)
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import READERS, Reader, Synthetic, fill_organisation

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (1_000,)
QUESTIONS, QUICK_QUESTIONS = 60, 12
WARM_UP = 8
STAGES = ("authenticate", "who may read", "encode", "sql", "rest")


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    found = []
    for size in QUICK_SIZES if chosen.quick else SIZES:
        started = time.perf_counter()
        made = fill_organisation(size, seed=size)
        print_line(f"{size:,} memories filled in {time.perf_counter() - started:.0f} s")
        found += [measure(made, share, count) for share in READERS]
    return found, [times(found, count), stages(found)]


def profile_recall(reader: Reader, text: str) -> RecallProfile:
    """One recall from the presented key to the rows of the answer; every stage in ms."""
    # Nobody has asked this before.
    get_query_cache().clear()
    query = Query(text=text, group=reader.group, member=reader.member)
    with profile_recalls() as found:
        started = time.perf_counter()
        with found.within("authenticate"):
            caller = authenticate_key(reader.key, timezone.now())
        assert caller is not None
        recall(caller.actor(), query, now=timezone.now(), load=fetch_answer_rows)
        whole = (time.perf_counter() - started) * 1000
    found.spent["rest"] = whole - sum(found.spent.values())
    found.spent["whole"] = whole
    return found


def time_fast_path(reader: Reader, text: str) -> float:
    """Milliseconds of the same question on the straight way."""
    get_query_cache().clear()
    query = Query(text=text, group=reader.group, member=reader.member)
    started = time.perf_counter()
    key = parse_key(reader.key)
    assert key is not None
    answer = recall_by_key(key, query, now=timezone.now(), load=fetch_answer_rows)
    assert answer is not None
    return (time.perf_counter() - started) * 1000


def measure(made: Synthetic, share: str, count: int) -> dict[str, Any]:
    reader = made.reader(share)
    texts = made.words.texts(count, 5, 9)
    for text in made.words.texts(WARM_UP, 5, 9):
        profile_recall(reader, text)
    # Once more, to know the statements: from the second time on both run on warm pages.
    known = [profile_recall(reader, text) for text in texts]
    principal = resolve_principal(
        resolve_actor(reader.actor, group=reader.group, member=reader.member)
    )
    runs, raw_sql, raw_encoder, straight, honest = [], [], [], [], []
    with bare_connection() as bare, superuser() as admin:
        floor = LowerBound(admin, principal)
        for text in texts[:WARM_UP]:
            floor.milliseconds(text)
            time_fast_path(reader, text)
        for index, (text, before) in enumerate(zip(texts, known, strict=True)):
            if index % 2:
                runs.append(profile_recall(reader, text))
                straight.append(time_fast_path(reader, text))
            raw_sql.append(replay(bare, before.statements))
            raw_encoder.append(time_encoder(before.texts))
            honest.append(sum(floor.milliseconds(text)))
            if not index % 2:
                straight.append(time_fast_path(reader, text))
                runs.append(profile_recall(reader, text))
    return {
        "memories": len(made.ids),
        "share": share,
        "statements": len(known[0].statements),
        "whole": percentiles([r.spent["whole"] for r in runs]),
        "stages": {name: percentiles([r.spent.get(name, 0.0) for r in runs]) for name in STAGES},
        "raw_sql": percentiles(raw_sql),
        "raw_encoder": percentiles(raw_encoder),
        "ratio": ratio(runs, raw_sql, raw_encoder),
        "straight": percentiles(straight),
        "honest": percentiles(honest),
    }


def ratio(runs: list[RecallProfile], raw_sql: list[float], raw_encoder: list[float]) -> float:
    """Median server time over median floor."""
    floor = [a + b for a, b in zip(raw_sql, raw_encoder, strict=True)]
    return percentile([r.spent["whole"] for r in runs], 0.5) / percentile(floor, 0.5)


def times(found: list[dict[str, Any]], count: int) -> Table:
    rows = [
        [
            *(f"{f['memories']:,}", f["share"]),
            *(f["whole"][p] for p in ("p50", "p95", "p99")),
            *(f["raw_sql"]["p50"], f["raw_encoder"]["p50"]),
            *(f"{f['ratio']:.2f}", f["statements"]),
            *(f["straight"]["p50"], f["straight"]["p95"], f["honest"]["p50"]),
            f"{f['straight']['p50'] / f['honest']['p50']:.2f}",
        ]
        for f in found
    ]
    columns = ["memories", "reads", "p50", "p95", "p99", "raw SQL p50", "raw encoder p50"]
    more = ["ratio", "statements", "straight p50", "straight p95", "floor p50", "by floor"]
    note = (
        f"Milliseconds, hybrid recall of 10, n = {count} after {WARM_UP} + {count} to warm up, "
        "query vectors never cached. Ratio: median server time by median of raw SQL + raw encoder. "
        "Straight: the same question on the straight way of POST /recall, without HTTP. Floor: the "
        "exact ten nearest by bare pgvector, one OR query over a bare tsvector, the bare encoder."
    )
    return Table("Recall, server time", [*columns, *more], rows, note)


def stages(found: list[dict[str, Any]]) -> Table:
    rows = [
        [f"{f['memories']:,}", f["share"], *(f["stages"][name]["p50"] for name in STAGES)]
        for f in found
    ]
    note = "Median milliseconds; `sql` is the search and its record with the commit."
    return Table("Recall by stage", ["memories", "reads", *STAGES], rows, note)
