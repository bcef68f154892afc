"""How long it takes to erase 100,000 memories of one import, and what a recall notices of it."""

import argparse
import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from memories.jobs.models import JobState
from memories.jobs.run_jobs import run_job
from memories.privacy.erasure.erasure_run import ErasureSource
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import ErasureTargetSource, erase_source_unchecked
from orgs.models.base import new_id
from orgs.principals import Actor
from tools.benchmarks.concurrent_recalls import measure_concurrent_recalls
from tools.benchmarks.database import superuser
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import Synthetic, fill_organisation

SIZE, QUICK_SIZE = 100_000, 1_000
# So many more stay, and are asked for meanwhile.
RETAINED_SHARE = 5
QUESTIONS, QUICK_QUESTIONS = 200, 10


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    size = QUICK_SIZE if chosen.quick else SIZE
    started = time.perf_counter()
    made = fill_organisation(size + size // RETAINED_SHARE, seed=16)
    job = _mark_imported(made, size)
    print_line(f"{len(made.ids):,} memories filled in {time.perf_counter() - started:.0f} s")
    figures = measure(made, job, QUICK_QUESTIONS if chosen.quick else QUESTIONS)
    columns = ["memories", "seconds", "of them on the disk", "recall p50 alone",
               "recall p50 meanwhile", "recall longest meanwhile", "floor s"]  # fmt: skip
    row = [
        f"{figures['memories']:,}",
        figures["seconds"],
        figures["disk_seconds"],
        figures["alone_ms"]["p50"],
        figures["meanwhile_ms"]["p50"],
        figures["longest_ms"],
        figures["floor_seconds"],
    ]
    note = (
        "The floor is one DELETE by a superuser of as many memories, with what the database "
        "takes along, and a VACUUM; it hides, lends and counts nothing."
    )
    return [figures], [Table("Erasing a source", columns, [row], note)]


def _mark_imported(made: Synthetic, count: int) -> Any:
    """Let an import have brought the first so many; its id."""
    job = new_id()
    with superuser() as connection:
        connection.execute(
            "UPDATE memories_contribution SET import_job = %s WHERE memory_id = ANY (%s)",
            [job, made.ids[:count]],
        )
        connection.execute("VACUUM ANALYZE memories_contribution")
    return job


def measure(made: Synthetic, job: Any, questions: int) -> dict[str, Any]:
    """One erasure with a reader beside it."""
    nobody = Actor(organisation_id=made.organisation.id)
    with measure_concurrent_recalls(made, questions, timezone.now()) as recalls:
        started = time.perf_counter()
        erasure = erase_source_unchecked(
            nobody, ErasureTargetSource(ErasureSource.IMPORT, job), now=timezone.now(), at_once=True
        )
        while run_job(made.organisation.id, erasure.job_id, None):
            pass
        seconds = time.perf_counter() - started
    receipt = get_receipt(create_link(erasure))
    assert receipt.state == JobState.DONE, receipt
    return {
        "memories": receipt.counts["memories"],
        "counts": receipt.counts,
        "seconds": seconds,
        "disk_seconds": _disk_seconds(erasure),
        "alone_ms": percentiles(recalls.alone),
        "meanwhile_ms": percentiles(recalls.meanwhile),
        "longest_ms": max(recalls.meanwhile),
        "floor_seconds": _measure_lower_bound(receipt.counts["memories"]),
    }


def _disk_seconds(erasure: Any) -> float:
    """Of the last step, from the end of the one before it."""
    with superuser() as connection:
        rows = connection.execute(
            "SELECT extract(epoch FROM max(at) - (SELECT max(at) FROM memories_erasurestep "
            "WHERE erasure_id = %(id)s AND name <> 'disk')) FROM memories_erasurestep "
            "WHERE erasure_id = %(id)s",
            {"id": erasure.id},
        ).fetchone()
    return float(rows[0]) if rows else 0.0


def _measure_lower_bound(count: int) -> float:
    """Deleting as many memories of another organisation in one statement."""
    made = fill_organisation(count, seed=17)
    started = time.perf_counter()
    with superuser() as connection:
        connection.execute(
            "DELETE FROM memories_memory WHERE organisation_id = %s", [made.organisation.id]
        )
        connection.execute("VACUUM memories_memory, memories_search, memories_text")
    return time.perf_counter() - started
