"""How long one organisation's recalls take while another one asks as much as it can.

Two organisations at the web processes of `make run`: one client of the first asks short questions,
alone and beside 64 kept-alive connections of the second, which send what is dear.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from tools.benchmarks.load import BATCHES, CONTEXT, RECALL, LoadTarget, run_clients, wait_for_start
from tools.benchmarks.report import print_line
from tools.benchmarks.server import ROOT, WORKERS, Server, running_server
from tools.benchmarks.synthetic import fill_organisation

CONNECTIONS, QUICK_CONNECTIONS = 64, 8
MEMORIES, QUICK_MEMORIES = 2_760, 500
ASKED, QUICK_ASKED = 200, 20
# Seconds of the busy organisation before the other one is measured.
HEAD_START = 2.0
# More than are sent before the measurement is over; a process holds them as texts.
BODIES = 4_000
QUESTION_WORDS = 150
BATCH = 100

Figures = dict[str, Any]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[Figures, list[Table]]:
    memories = QUICK_MEMORIES if chosen.quick else MEMORIES
    calm, busy = _target(memories), _target(memories)
    asked = QUICK_ASKED if chosen.quick else ASKED
    connections = QUICK_CONNECTIONS if chosen.quick else CONNECTIONS
    with running_server(folder / "web.log") as server:
        wait_for_start(server, calm)
        # Each process learns the questions.
        run_clients(server, calm, RECALL, 4, calm.repeated(WORKERS * asked))
        rounds = [_measure(server, calm, "nothing", asked)]
        for kind, path, bodies in _dear_calls(busy):
            with _busy_clients(server, busy, path, connections, bodies):
                rounds.append(_measure(server, calm, kind, asked))
    figures = {"connections": connections, "memories": memories, "rounds": rounds}
    return figures, [_table(figures)]


def _target(memories: int) -> LoadTarget:
    made = fill_organisation(memories)
    questions = [{"query": text} for text in made.words.texts(50, 5, 9)]
    return LoadTarget(made.reader("100 %").key, len(made.ids), questions, made.words, count())


def _dear_calls(busy: LoadTarget) -> Iterator[tuple[str, str, list[str]]]:
    """(what, where, the bodies)."""
    questions = busy.words.texts(BODIES, QUESTION_WORDS, QUESTION_WORDS)
    recalls = [json.dumps({"query": text, "limit": 100}) for text in questions]
    yield "recalls", RECALL, recalls
    contexts = [json.dumps({"query": text, "max_tokens": 8_000}) for text in questions]
    yield "contexts", CONTEXT, contexts
    texts = iter(busy.words.texts(BODIES // 10 * BATCH, 20, 40))
    batches = [
        json.dumps({"items": [{"content": next(texts)} for _ in range(BATCH)]})
        for _ in range(BODIES // 10)
    ]
    yield f"writes in batches of {BATCH}", BATCHES, batches


@contextmanager
def _busy_clients(
    server: Server, busy: LoadTarget, path: str, connections: int, bodies: list[str]
) -> Iterator[None]:
    """The connections of the busy organisation, from a process of their own."""
    job = {"port": server.port, "key": busy.key, "path": path, "clients": connections}
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.benchmarks.http_clients"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        env=os.environ,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps({**job, "bodies": bodies}))
        process.stdin.close()
        time.sleep(HEAD_START)
        yield
        if process.poll() is not None:
            raise RuntimeError("the busy organisation had nothing left to send")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _measure(server: Server, calm: LoadTarget, beside: str, asked: int) -> Figures:
    web = server.processor_seconds()
    done = run_clients(server, calm, RECALL, 1, calm.repeated(asked))
    web = server.processor_seconds() - web
    found = {"beside": beside, "ms": percentiles(done["ms"]), "failed": done["failed"]}
    found["web_busy"] = web / done["seconds"]
    print_line(f"  beside {beside}: p50 {found['ms']['p50']:.0f}, p95 {found['ms']['p95']:.0f} ms")
    return found


def _table(figures: Figures) -> Table:
    alone = figures["rounds"][0]["ms"]
    rows = [
        [
            *(r["beside"], r["ms"]["p50"], r["ms"]["p95"], r["ms"]["p95"] / alone["p95"]),
            *(r["ms"]["n"], sum(r["failed"].values()), r["web_busy"]),
        ]
        for r in figures["rounds"]
    ]
    columns = ["beside", "ms p50", "ms p95", "p95, times", "n", "failed", "web processors"]
    note = (
        f"Recalls of one client of an organisation with {figures['memories']:,} memories, beside "
        f"{figures['connections']} connections of another; clients, database and web processes on "
        "one machine. Web processors: how many the web processes kept busy."
    )
    return Table("Beside a busy organisation", columns, rows, note)
