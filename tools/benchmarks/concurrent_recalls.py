"""A robot that recalls without a pause, alone and while something else is done."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connections

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from robots.access.acting_for_members import resolve_actor
from tools.benchmarks.synthetic import Synthetic


@dataclass(slots=True)
class RecallTimes:
    """Milliseconds of each recall; `meanwhile` is filled at the end."""

    alone: list[float]
    meanwhile: list[float] = field(default_factory=list)


@contextmanager
def measure_concurrent_recalls(
    made: Synthetic, questions: int, now: datetime
) -> Iterator[RecallTimes]:
    """Measure a robot that reads a tenth: first alone, then beside what is done inside."""
    reader = made.reader("10 %")
    actor = resolve_actor(reader.actor, group=reader.group, member=reader.member)
    words = made.words.texts(questions, 3, 8)

    def asked(until: threading.Event | None) -> list[float]:
        times = []
        for text in words if until is None else words * 1_000:
            started = time.perf_counter()
            recall(actor, Query(text=text, counts=False), now=now)
            times.append((time.perf_counter() - started) * 1000)
            if until is not None and until.is_set():
                break
        connections.close_all()
        return times

    asked(None)
    found, over = RecallTimes(alone=asked(None)), threading.Event()
    beside = threading.Thread(target=lambda: found.meanwhile.extend(asked(over)))
    beside.start()
    try:
        yield found
    finally:
        over.set()
        beside.join()
