"""The embedding model of an organisation is changed while robots recall and remember, and back.

Eight threads recall and two remember over HTTP without a pause. Each answer counts for the stage in
which it was asked for.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.embedding.wheel_models.wheel_catalogue import WHEEL_MODELS, WORDLLAMA
from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from memories.indexing import model_choice
from memories.indexing.embed_worker import embed_pending
from memories.indexing.organisation_indexes import maintain_indexes
from tools.benchmarks.load import RECALL, REMEMBER
from tools.benchmarks.report import print_line
from tools.benchmarks.server import HOST, ROOT, Server, running_server
from tools.benchmarks.synthetic import Reader, Synthetic, fill_organisation

SIZE, QUICK_SIZE = 20_000, 300
RECALLERS, WRITERS, LIMIT = 8, 2, 10
STAGE_SECONDS, QUICK_STAGE_SECONDS = 20.0, 2.0
COMPARED, QUICK_COMPARED = 200, 10
# The one in which answers are compared is the first.
WRITTEN_GROUP = "group-1"
# One memory a second from each writer.
WRITER_PAUSE = 1.0


@dataclass(slots=True)
class Traffic:
    """What the threads met: for each stage (milliseconds, status, hits) of each recall."""

    server: Server
    made: Synthetic
    asker: Reader
    stage: str = ""
    found: dict[str, list[tuple[float, int, int]]] = field(default_factory=dict)
    refused_writes: int = 0
    written: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    numbers: Iterator[int] = field(default_factory=count)

    def recall(self) -> None:
        questions = self.made.words.texts(400, 5, 9)
        while not self.stopped.is_set():
            stage, question = self.stage, questions[next(self.numbers) % len(questions)]
            started = time.perf_counter()
            status, answer = self.post(RECALL, {"query": question, "limit": LIMIT}, self.asker)
            ms = (time.perf_counter() - started) * 1000
            hits = len(answer.get("results", ()))
            self.found.setdefault(stage, []).append((ms, status, hits))

    def remember(self) -> None:
        for text in self.made.words.texts(10_000, 10, 30):
            if self.stopped.wait(WRITER_PAUSE):
                return
            body = {"content": f"{text} {next(self.numbers)}", "group": WRITTEN_GROUP}
            status, _ = self.post(REMEMBER, body, self.asker)
            self.written += status == 201
            self.refused_writes += status != 201

    def post(self, path: str, body: dict[str, Any], reader: Reader) -> tuple[int, dict[str, Any]]:
        """(status, answer); status 0 if there was none."""
        connection = HTTPConnection(HOST, self.server.port, timeout=60)
        headers = {
            "Authorization": f"Bearer {reader.key}",
            "Content-Type": "application/json",
        }
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except OSError:
            return 0, {}
        finally:
            connection.close()


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    if not WHEEL_MODELS[WORDLLAMA].is_taken:
        print_line(f"  left out: {WORDLLAMA} is not installed (make setup-wordllama)")
        return {}, []
    made = fill_organisation(QUICK_SIZE if chosen.quick else SIZE)
    asker, compared = made.reader("100 %"), made.reader("1 %")
    seconds = QUICK_STAGE_SECONDS if chosen.quick else STAGE_SECONDS
    questions = made.words.texts(QUICK_COMPARED if chosen.quick else COMPARED, 5, 9)
    times: dict[str, float] = {}
    with running_server(folder / "web.log") as server:
        server.wait("GET", "/healthz", None, {})
        traffic = Traffic(server, made, asker)
        before = answers(traffic, compared, questions)
        with going_on(traffic):
            stay(traffic, "before", seconds)
            times["backfill"] = backfill(traffic)
            stay(traffic, "both kept", seconds)
            times["switch"] = timed(model_choice.switch_model, made)
            stay(traffic, "switched", seconds)
            times["back"] = timed(model_choice.switch_back, made)
            stay(traffic, "back", seconds)
        after = answers(traffic, compared, questions)
    stages = {
        name: {
            **percentiles([ms for ms, _, _ in found]),
            "failed": sum(status != 200 for _, status, _ in found),
            "short": sum(status == 200 and hits < LIMIT for _, status, hits in found),
        }
        for name, found in traffic.found.items()
    }
    figures = {
        "memories": len(made.ids),
        "times": times,
        "stages": stages,
        "written": traffic.written,
        "refused_writes": traffic.refused_writes,
        "changed_answers": sum(one != other for one, other in zip(before, after, strict=True)),
        "compared": len(questions),
    }
    return figures, [table(figures)]


@contextlib.contextmanager
def going_on(traffic: Traffic) -> Iterator[None]:
    """Recallers, writers, and a worker that embeds what is written."""
    threads = [threading.Thread(target=traffic.recall) for _ in range(RECALLERS)]
    threads += [threading.Thread(target=traffic.remember) for _ in range(WRITERS)]
    threads.append(threading.Thread(target=embed_new, args=[traffic]))
    traffic.stage = "before"
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        traffic.stopped.set()
        for thread in threads:
            thread.join()


def embed_new(traffic: Traffic) -> None:
    while not traffic.stopped.wait(0.5):
        embed_pending(traffic.made.organisation.id, now=timezone.now())


def stay(traffic: Traffic, stage: str, seconds: float) -> None:
    traffic.stage = stage
    time.sleep(seconds)
    print_line(f"  {stage}: {len(traffic.found.get(stage, ()))} recalls")


def backfill(traffic: Traffic) -> float:
    """Seconds until the second model is ready, by the command in a process of its own."""
    organisation, now = traffic.made.organisation, timezone.now()
    traffic.stage = "backfill"
    started = time.perf_counter()
    model_choice.add_model(organisation.id, WORDLLAMA, now=now)
    command = ["manage.py", "embedding_model", "backfill", "--organisation", organisation.slug]
    subprocess.run([sys.executable, *command], cwd=ROOT, env=os.environ, check=True)
    maintain_indexes()
    print_line(f"  backfill: {len(traffic.found.get('backfill', ()))} recalls")
    return time.perf_counter() - started


def timed(act: Callable[..., object], made: Synthetic) -> float:
    started = time.perf_counter()
    act(made.organisation.id, now=timezone.now())
    return time.perf_counter() - started


def answers(traffic: Traffic, reader: Reader, questions: Sequence[str]) -> list[list[str]]:
    """The ids of each answer, for a reader of one group, where the writers write nothing."""
    place = {"group": reader.group, "member": reader.member, "limit": LIMIT}
    found = []
    for question in questions:
        status, answer = traffic.post(RECALL, {"query": question, **place}, reader)
        assert status == 200, answer
        found.append([hit["id"] for hit in answer["results"]])
    return found


def table(figures: dict[str, Any]) -> Table:
    rows = [
        [name, stage["n"], stage["p50"], stage["p95"], stage["failed"], stage["short"]]
        for name, stage in figures["stages"].items()
    ]
    times = figures["times"]
    note = (
        f"{figures['memories']:,} memories, {RECALLERS} recallers, {WRITERS} writers "
        f"({figures['written']} written, {figures['refused_writes']} refused); minilm to "
        f"{WORDLLAMA} and back. Filling took {times['backfill']:.0f} s, the switch "
        f"{times['switch']:.2f} s, back {times['back']:.2f} s. Of {figures['compared']} answers "
        f"{figures['changed_answers']} were others after the way back."
    )
    columns = ["stage", "recalls", "ms p50", "ms p95", "failed", "short"]
    return Table("Change of the embedding model", columns, rows, note)
