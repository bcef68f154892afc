"""What it costs to let the memories of one organisation age, and what a recall notices of it."""

import argparse
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from memories.lifecycle import tier_moves as ageing
from memories.lifecycle.tier_moves import move_tiers
from orgs.models.base import new_id
from tools.benchmarks.concurrent_recalls import measure_concurrent_recalls
from tools.benchmarks.database import superuser, vacuum_tables
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import Synthetic, fill_organisation

SIZE, QUICK_SIZE = 1_000_000, 20_000
# So many of them are found by recall; the others are there to age.
SEARCHABLE, QUICK_FOUND = 20_000, 1_000
ONE_IN_MOVING = 10
QUESTIONS = 200

# The rows of the memories and of nothing else: ageing looks at no word and no vector. One in MOVING
# was made two days ago and never used since; the others are of today.
_ROWS = """
INSERT INTO memories_memory (id, organisation_id, audience_id, robot_id, group_id, kind, type,
    category, first_tier, status, content, content_hash, topic, tags, metadata, source, speaker,
    listeners, position, importance, confidence, sensitive, shareable, red_line, red_line_reason,
    remember_count, created_at, updated_at, forgotten_by_subject, version)
SELECT (%(ids)s::uuid[])[n], m.organisation_id, m.audience_id, m.robot_id, m.group_id, m.kind,
    m.type, m.category, 'slow', 'active', m.content || chunk.at + n,
    sha256((m.content || chunk.at + n)::bytea), '', '{}', '{}', '{}', '', '{}', 0, .5, 1, false,
    false, false, '', 1, made, made, false, 1
FROM memories_memory m, generate_series(1, %(count)s::int) AS n,
    LATERAL (SELECT %(at)s::int) AS chunk (at),
    LATERAL (SELECT CASE WHEN n %% %(moving)s::int = 0 THEN %(before)s::timestamptz
        ELSE %(now)s END) AS at (made)
WHERE m.organisation_id = %(organisation)s AND m.id = %(like)s
"""
_HEAP = """
SELECT n_tup_ins + n_tup_upd, n_tup_upd FROM pg_stat_user_tables WHERE relname = %s
"""


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    size, found = (QUICK_SIZE, QUICK_FOUND) if chosen.quick else (SIZE, SEARCHABLE)
    started = time.perf_counter()
    made = fill_organisation(found, seed=14)
    now = timezone.now()
    _insert_bulk_memories(made, size - found, now)
    vacuum_tables()
    print_line(f"{size:,} memories filled in {time.perf_counter() - started:.0f} s")
    figures = measure(made, now, 20 if chosen.quick else QUESTIONS)
    figures |= {"memories": size}
    row = [
        f"{size:,}",
        f"{figures['moved']:,}",
        figures["seconds"],
        figures["longest_batch_ms"],
        figures["memory_rows_written"],
        figures["alone_ms"]["p50"],
        figures["meanwhile_ms"]["p50"],
        figures["again_moved"],
    ]
    columns = ["memories", "moved", "seconds", "longest batch ms", "wide rows written",
               "recall p50 alone", "recall p50 meanwhile", "moved by a second run"]  # fmt: skip
    note = f"Recall by words and meaning over {found:,} of them, by a robot that reads a tenth."
    return [figures], [Table("Ageing", columns, [row], note)]


def _insert_bulk_memories(made: Synthetic, count: int, now: Any) -> None:
    ids = [new_id() for _ in range(count)]
    with superuser() as connection:
        connection.execute("SET session_replication_role = replica")
        for at in range(0, count, 50_000):
            part = ids[at : at + 50_000]
            values = {
                "ids": part,
                "at": at,
                "count": len(part),
                "moving": ONE_IN_MOVING,
                "before": now - timedelta(days=2),
                "now": now,
                "organisation": made.organisation.id,
                "like": made.ids[0],
            }
            connection.execute(_ROWS, values)


def measure(made: Synthetic, now: Any, questions: int) -> dict[str, Any]:
    """One run of ageing with a reader beside it, and a second run."""
    batches: list[float] = []
    step = ageing._move_batch

    def timed(*arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return step(*arguments)
        finally:
            batches.append((time.perf_counter() - started) * 1000)

    ageing._move_batch = timed
    before = _count_written_rows()
    with measure_concurrent_recalls(made, questions, now) as recalls:
        started = time.perf_counter()
        done = move_tiers(made.organisation.id, now=now)
        seconds = time.perf_counter() - started
    ageing._move_batch = step
    return {
        "moved": done.promoted + done.demoted,
        "looked": done.looked,
        "seconds": seconds,
        "longest_batch_ms": max(batches),
        "memory_rows_written": _count_written_rows() - before,
        "alone_ms": percentiles(recalls.alone),
        "meanwhile_ms": percentiles(recalls.meanwhile),
        "again_moved": sum(move_tiers(made.organisation.id, now=now).moves.values()),
    }


def _count_written_rows() -> int:
    """Rows of the wide table that were written so far."""
    with superuser() as connection:
        time.sleep(1.1)  # the figures of other sessions arrive after a second
        [(written, _)] = connection.execute(_HEAP, ["memories_memory"]).fetchall()
    return int(written)
