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

from memories.embedding.query_cache import query_cache
from memories.evaluation.measures.metrics import percentile, spread
from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import answer_rows
from memories.retrieval.recall import Query, recall
from memories.retrieval.straight_recall import straight_recall
from orgs.principals import resolve
from robots.access.act_for import act
from robots.access.keys import authenticate_key, read_key
from tests.benchmarks.database import superuser
from tests.benchmarks.floor import Floor
from tests.benchmarks.recording import (
    Recording,
    bare_connection,
    encoded,
    recorded,
    replayed,
)
from tests.benchmarks.report import say
from tests.benchmarks.synthetic import READERS, Reader, Synthetic, fill

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (1_000,)
QUESTIONS, QUICK_QUESTIONS = 60, 12
WARM_UP = 8
STAGES = ("authenticate", "who may read", "encode", "sql", "rest")


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    found = []
    for size in QUICK_SIZES if chosen.quick else SIZES:
        started = time.perf_counter()
        made = fill(size, seed=size)
        say(f"{size:,} memories filled in {time.perf_counter() - started:.0f} s")
        found += [measured(made, share, count) for share in READERS]
    return found, [times(found, count), stages(found)]


def ask(reader: Reader, text: str) -> Recording:
    """One recall from the presented key to the rows of the answer; every stage in ms."""
    # Nobody has asked this before.
    query_cache().clear()
    query = Query(text=text, group=reader.group, member=reader.member)
    with recorded() as found:
        started = time.perf_counter()
        with found.within("authenticate"):
            caller = authenticate_key(reader.key, timezone.now())
        assert caller is not None
        recall(caller.actor(), query, now=timezone.now(), load=answer_rows)
        whole = (time.perf_counter() - started) * 1000
    found.spent["rest"] = whole - sum(found.spent.values())
    found.spent["whole"] = whole
    return found


def ask_straight(reader: Reader, text: str) -> float:
    """Milliseconds of the same question on the straight way."""
    query_cache().clear()
    query = Query(text=text, group=reader.group, member=reader.member)
    started = time.perf_counter()
    key = read_key(reader.key)
    assert key is not None
    assert straight_recall(key, query, now=timezone.now()) is not None
    return (time.perf_counter() - started) * 1000


def measured(made: Synthetic, share: str, count: int) -> dict[str, Any]:
    reader = made.reader(share)
    texts = made.words.texts(count, 5, 9)
    for text in made.words.texts(WARM_UP, 5, 9):
        ask(reader, text)
    # Once more, to know the statements: from the second time on both run on warm pages.
    known = [ask(reader, text) for text in texts]
    principal = resolve(act(reader.actor, group=reader.group, member=reader.member))
    runs, raw_sql, raw_encoder, straight, honest = [], [], [], [], []
    with bare_connection() as bare, superuser() as admin:
        floor = Floor(admin, principal)
        for text in texts[:WARM_UP]:
            floor.milliseconds(text)
            ask_straight(reader, text)
        for index, (text, before) in enumerate(zip(texts, known, strict=True)):
            if index % 2:
                runs.append(ask(reader, text))
                straight.append(ask_straight(reader, text))
            raw_sql.append(replayed(bare, before.statements))
            raw_encoder.append(encoded(before.texts))
            honest.append(sum(floor.milliseconds(text)))
            if not index % 2:
                straight.append(ask_straight(reader, text))
                runs.append(ask(reader, text))
    return {
        "memories": len(made.ids),
        "share": share,
        "statements": len(known[0].statements),
        "whole": spread([r.spent["whole"] for r in runs]),
        "stages": {name: spread([r.spent.get(name, 0.0) for r in runs]) for name in STAGES},
        "raw_sql": spread(raw_sql),
        "raw_encoder": spread(raw_encoder),
        "ratio": ratio(runs, raw_sql, raw_encoder),
        "straight": spread(straight),
        "honest": spread(honest),
    }


def ratio(runs: list[Recording], raw_sql: list[float], raw_encoder: list[float]) -> float:
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
