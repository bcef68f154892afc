"""What a recall costs the primary, with a standby that searches and without.

A base backup of the bench's server streams beside it. Both ways take turns on the same questions,
so that they meet the same caches and neighbours.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

from django.db import connections
from django.utils import timezone

from memories.embedding.query_cache import get_query_cache
from memories.evaluation.measures.metrics import percentile, percentiles
from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall_by_key
from memories.retrieval.resolve_filters import Query
from orgs.database.driver.standby_reads import STANDBY_ALIAS
from orgs.database.standby.monitor import StandbyMonitor, monitor
from robots.access.keys import parse_key
from tests.standby_server import running_standby, standby_connection, wait_until_ready
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.pages import backend_seconds
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import READERS, Reader, Synthetic, fill_organisation

SIZES, QUICK_SIZES = (1_000, 10_000), (1_000,)
QUESTIONS, QUICK_QUESTIONS, WARM_UP = 200, 12, 40


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    made = [fill_organisation(size, seed=size) for size in (QUICK_SIZES if chosen.quick else SIZES)]
    vacuum_tables()
    found = []
    with running_standby(folder / "standby") as standby:
        standby.catch_up()
        print_line("a standby streams")
        with standby_connection(standby.address(os.environ["DATABASE_URL"])):
            wait_until_ready()
            for organisation in made:
                readers = {share: organisation.reader(share) for share in READERS}
                standby.catch_up()
                found += [measure(organisation, readers[share], share, count) for share in READERS]
    return found, [table(found, count)]


def measure(made: Synthetic, reader: Reader, share: str, count: int) -> dict[str, Any]:
    """Milliseconds of one recall, by whether the standby searches."""
    for text in made.words.texts(WARM_UP, 5, 9):
        ask(reader, text, standby=True)
        ask(reader, text, standby=False)
    there, alone = [], []
    for index, text in enumerate(made.words.texts(count, 5, 9)):
        for standby in (True, False) if index % 2 else (False, True):
            (there if standby else alone).append(ask(reader, text, standby=standby))
    ends = {"with": there, "without": alone}
    return {
        "memories": len(made.ids),
        "share": share,
        **{f"primary_{name}": percentile([one[0] for one in ms], 0.5) for name, ms in ends.items()},
        **{f"whole_{name}": percentiles([one[1] for one in ms]) for name, ms in ends.items()},
    }


def ask(reader: Reader, text: str, *, standby: bool) -> tuple[float, float]:
    """Milliseconds (of the processor in the primary's process, of the whole) for one recall."""
    get_query_cache().clear()
    monitor.is_ready = (lambda: StandbyMonitor.is_ready(monitor)) if standby else lambda: False
    query = Query(text=text, group=reader.group, member=reader.member)
    key = parse_key(reader.key)
    assert key is not None
    before, began = backend_seconds(), time.perf_counter()
    answer = recall_by_key(key, query, now=timezone.now(), load=fetch_answer_rows)
    whole = time.perf_counter() - began
    assert answer is not None
    used = backend_seconds() - before
    connections[STANDBY_ALIAS].close()
    return used * 1000, whole * 1000


def table(found: list[dict[str, Any]], count: int) -> Table:
    rows = [
        [
            *(f"{f['memories']:,}", f["share"]),
            *(f"{f[f'primary_{name}']:.2f}" for name in ("without", "with")),
            f"{100 * f['primary_with'] / f['primary_without']:.0f} %",
            *(f[f"whole_{name}"][p] for p in ("p50", "p95") for name in ("without", "with")),
        ]
        for f in found
    ]
    columns = ["memories", "reads", "primary, ms", "with a standby", "share"]
    more = ["p50", "with a standby", "p95", "with a standby"]
    note = (
        f"{count} new questions, each both ways. Primary: median processor time of the process of "
        "the primary that answers, for one recall. p50, p95: server time, as in `latency`."
    )
    return Table("A recall with a standby", columns + more, rows, note)
