"""Requests a second over HTTP: the web processes of `make run`, the clients in another one."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import import_dataset, read_dataset
from tools.benchmarks.report import print_line
from tools.benchmarks.server import (
    ROOT,
    WORKERS,
    Server,
    database_seconds,
    machine_seconds,
    running_server,
)
from tools.benchmarks.synthetic import Vocabulary, fill_organisation
from tools.benchmarks.vectors import cached_vectors

RECALL, REMEMBER = "/api/v1/recall", "/api/v1/memories"
CONTEXT = "/api/v1/context"
BATCHES = "/api/v1/memories/batch"
CLIENTS = (1, 8, 32)
# As many as LoCoMo has.
SYNTHETIC, QUICK_SYNTHETIC = 2_760, 500
COUNTS, QUICK_COUNTS = {1: 300, 8: 1_000, 32: 1_000}, {1: 20, 8: 60, 32: 64}
ALL_RECALLS, QUICK_ALL_RECALLS = 10_000, 300
REPEATED = 50
# Clients that send batches, the memories of a batch, and how many batches.
SENDERS, BATCH, SENT, QUICK_SENT = (1, 8), 1_000, 40, 8

Figures = dict[str, Any]


@dataclass(slots=True)
class LoadTarget:
    """Where the clients ask, and what: the questions come round again and again."""

    key: str
    memories: int
    questions: list[Figures]
    words: Vocabulary
    numbers: Iterator[int]

    def repeated(self, number: int) -> list[str]:
        """Questions of which every process soon knows the vector."""
        return [json.dumps(q) for q in islice(cycle(self.questions[:REPEATED]), number)]

    def fresh(self, number: int) -> list[str]:
        """Questions that were never asked: each has a number in it."""
        asked = islice(cycle(self.questions), number)
        return [json.dumps({**q, "query": f"{q['query']} {next(self.numbers)}"}) for q in asked]

    def memory_bodies(self, number: int) -> list[str]:
        texts = self.words.texts(number, 10, 30)
        return [json.dumps({"content": f"{text} {next(self.numbers)}"}) for text in texts]

    def batch_bodies(self, number: int) -> list[str]:
        items = self.memory_bodies(number * BATCH)
        starts = range(0, len(items), BATCH)
        return [f'{{"items": [{", ".join(items[at : at + BATCH])}]}}' for at in starts]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[Figures, list[Table]]:
    place = prepare(chosen, folder)
    counts = QUICK_COUNTS if chosen.quick else COUNTS
    most = QUICK_ALL_RECALLS if chosen.quick else ALL_RECALLS
    with running_server(folder / "web.log") as server:
        start = wait_for_start(server, place)
        # Each process learns the repeated questions.
        asked = len(
            run_clients(server, place, RECALL, 4, place.repeated(WORKERS * 4 * REPEATED))["ms"]
        )
        rounds = []
        for kind, path, bodies in (
            ("recall, vectors cached", RECALL, place.repeated),
            ("recall, vectors not cached", RECALL, place.fresh),
        ):
            for clients in CLIENTS:
                rounds.append(
                    measure_round(server, place, kind, path, clients, bodies(counts[clients]))
                )
                asked += counts[clients]
        # By these it can be seen whether the weights in the limits are right.
        dear = counts[1] // 3
        for kind, path, more in (
            ("context", CONTEXT, {}),
            ("recall, reranked", RECALL, {"rerank": True}),
        ):
            bodies_ = [json.dumps({**json.loads(body), **more}) for body in place.fresh(dear)]
            rounds.append(measure_round(server, place, kind, path, 1, bodies_))
            asked += dear
        if asked < most:
            run_clients(server, place, RECALL, 8, place.repeated(most - asked))
        start |= {"recalls": max(asked, most), "rss_mb": server.resident()}
        for clients in CLIENTS:
            bodies_ = place.memory_bodies(counts[clients])
            rounds.append(measure_round(server, place, "remember", REMEMBER, clients, bodies_))
        sent = QUICK_SENT if chosen.quick else SENT
        for clients in SENDERS:
            kind = f"remember, batches of {BATCH:,}"
            bodies_ = place.batch_bodies(sent)
            rounds.append(measure_round(server, place, kind, BATCHES, clients, bodies_))
        start["rss_mb_at_the_end"] = server.resident()
    figures = {"memories": place.memories, "workers": WORKERS, "start": start, "rounds": rounds}
    return figures, [throughput(figures), processes(figures)]


def prepare(chosen: argparse.Namespace, folder: Path) -> LoadTarget:
    """The data set with its own questions, each in its group for a member; else made-up text."""
    import numpy as np

    words = Vocabulary(np.random.default_rng(7))
    if chosen.dataset:
        dataset = read_dataset(chosen.dataset)
        with cached_vectors(folder):
            inside = import_dataset(f"{dataset.name} load", dataset.lines)
        vacuum_tables()
        questions = [
            {"query": q.text, "group": q.group, "member": q.member}
            if q.group
            else {"query": q.text}
            for q in dataset.questions
        ]
        return LoadTarget(inside.key, inside.report.imported, questions, words, count())
    made = fill_organisation(QUICK_SYNTHETIC if chosen.quick else SYNTHETIC)
    questions = [{"query": text} for text in made.words.texts(400, 5, 9)]
    return LoadTarget(made.reader("100 %").key, len(made.ids), questions, words, count())


def wait_for_start(server: Server, place: LoadTarget) -> Figures:
    """Seconds to the first answer of any kind and to the first recall."""
    first = server.wait("GET", "/healthz", None, {})
    headers = {"Authorization": f"Bearer {place.key}", "Content-Type": "application/json"}
    body = place.repeated(1)[0].encode()
    return {"first_answer_s": first, "first_recall_s": server.wait("POST", RECALL, body, headers)}


def run_clients(
    server: Server, place: LoadTarget, path: str, clients: int, bodies: Sequence[str]
) -> Figures:
    """Send the bodies from another process; returns what it measured."""
    job = {"port": server.port, "key": place.key, "path": path, "clients": clients}
    done = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.http_clients"],
        input=json.dumps({**job, "bodies": list(bodies)}),
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        check=True,
        text=True,
    )
    answer: Figures = json.loads(done.stdout)
    return answer


def measure_round(
    server: Server, place: LoadTarget, kind: str, path: str, clients: int, bodies: Sequence[str]
) -> Figures:
    web, (busy, whole) = server.processor_seconds(), machine_seconds()
    database = database_seconds()
    done = run_clients(server, place, path, clients, bodies)
    web, database = server.processor_seconds() - web, database_seconds() - database
    busy, whole = machine_seconds()[0] - busy, machine_seconds()[1] - whole
    number = len(done["ms"])
    found = {
        "kind": kind,
        "clients": clients,
        "per_s": number / done["seconds"],
        "ms": percentiles(done["ms"]),
        "failed": done["failed"],
        "web_ms": web * 1000 / number,
        "database_ms": database * 1000 / number,
        "client_ms": done["processor_seconds"] * 1000 / number,
        "machine_busy": busy / whole if whole else 0.0,
    }
    print_line(f"  {kind}, {clients} clients: {found['per_s']:.0f}/s, failed {done['failed'] or 0}")
    return found


def throughput(figures: Figures) -> Table:
    rows = [
        [
            *(r["kind"], r["clients"], r["per_s"], r["ms"]["p50"], r["ms"]["p95"], r["ms"]["n"]),
            *(sum(r["failed"].values()), r["web_ms"], r["database_ms"], r["client_ms"]),
            f"{100 * r['machine_busy']:.0f}",
        ]
        for r in figures["rounds"]
    ]
    columns = ["what", "clients", "requests/s", "ms p50", "ms p95", "n", "failed"]
    note = (
        f"{figures['memories']:,} memories, {figures['workers']} web processes, kept-alive "
        "connections. Web, database and client ms: processor time of a request in the web "
        "processes, the database's backends and the clients. Busy: of all cores, by whomever."
    )
    columns += ["web ms", "database ms", "client ms", "busy %"]
    return Table("Over HTTP", columns, rows, note)


def processes(figures: Figures) -> Table:
    start = figures["start"]
    rows: list[list[Any]] = [
        ["seconds to the first answer (/healthz)", start["first_answer_s"]],
        ["seconds to the first recall", start["first_recall_s"]],
        [f"RSS of a web process after {start['recalls']:,} recalls, MB", max(start["rss_mb"])],
        ["RSS of a web process at the end, MB", max(start["rss_mb_at_the_end"])],
    ]
    return Table("Web processes", ["what", "value"], rows, "The larger of the processes.")
