"""Remembering one by one and in batches, embedding, and how much room a memory takes."""

import argparse
import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.embedding.encoder_loading import get_encoder
from memories.evaluation.measures.metrics import mean, percentile, percentiles
from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft, DraftRefusal, RememberOutcome
from memories.ingestion.remember import remember, remember_many
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tools.benchmarks.database import table_sizes
from tools.benchmarks.datasets import read_dataset
from tools.benchmarks.synthetic import Reader, Synthetic, fill_organisation

SINGLE, BATCH, BATCHES, ROOM = 200, 1_000, 5, 10_000
QUICK_SINGLE, QUICK_BATCHES, QUICK_ROOM = 30, 1, 1_000
WARM_UP = 10
EMBEDDED, QUICK_EMBEDDED = 1_024, 128

Result = tuple[dict[str, Any], list[Table]]


def run(chosen: argparse.Namespace, folder: Path) -> Result:
    quick = chosen.quick
    room, made = bytes_per_memory(QUICK_ROOM if quick else ROOM)
    reader = made.reader("100 %")
    texts = texts_of(chosen, made, BATCH * BATCHES)
    found = {
        "single": measure_single(reader, made, QUICK_SINGLE if quick else SINGLE),
        "batch": measure_batches(reader, made, QUICK_BATCHES if quick else BATCHES),
        "embedding": measure_embedding(
            reader, made, texts[: QUICK_EMBEDDED if quick else EMBEDDED]
        ),
        "room": room,
    }
    return found, [speed(found), space(room)]


def texts_of(chosen: argparse.Namespace, made: Synthetic, count: int) -> list[str]:
    """The data set's texts where there is one: how long texts are decides how long it takes."""
    if chosen.dataset:
        import orjson

        return [orjson.loads(line)["text"] for line in read_dataset(chosen.dataset).lines][:count]
    return made.words.texts(count, 10, 30)


def measure_single(reader: Reader, made: Synthetic, count: int) -> dict[str, Any]:
    times = []
    for text in made.words.texts(WARM_UP + count, 10, 30):
        draft = Draft(content=text)
        started = time.perf_counter()
        remember(reader.actor, draft, now=timezone.now())
        times.append((time.perf_counter() - started) * 1000)
    counted = times[WARM_UP:]
    return {"ms": percentiles(counted), "per_s": 1000 / mean(counted)}


def measure_batches(reader: Reader, made: Synthetic, count: int) -> dict[str, Any]:
    rates = []
    for _ in range(1 + count):
        drafts = [Draft(content=text) for text in made.words.texts(BATCH, 10, 30)]
        started = time.perf_counter()
        outcomes = remember_many(reader.actor, drafts, now=timezone.now())
        rates.append(BATCH / (time.perf_counter() - started))
        check(outcomes)
    # The first one warms up.
    return {"n": count, "per_s": percentile(rates[1:], 0.5), "slowest_per_s": min(rates[1:])}


def check(outcomes: list[RememberOutcome]) -> None:
    if refused := [o for o in outcomes if isinstance(o, DraftRefusal)]:
        raise AssertionError(f"{len(refused)} refused: {refused[0].error!r}")


def measure_embedding(reader: Reader, made: Synthetic, texts: list[str]) -> dict[str, Any]:
    """Rows a second of one worker, neighbours included; and of the encoder by itself."""
    organisation = made.organisation.id
    # What the batches owe would otherwise come first.
    delete_pending(reader)
    drafts = [Draft(content=text, conversation="bench") for text in dict.fromkeys(texts)]
    for first in range(0, len(drafts), BATCH):
        check(remember_many(reader.actor, drafts[first : first + BATCH], now=timezone.now()))
    get_encoder().encode(["warm"])
    started, rows = time.perf_counter(), 0
    while taken := embed_pending(organisation, now=timezone.now()):
        rows += taken
    whole = time.perf_counter() - started
    sample = texts[:200]
    started = time.perf_counter()
    get_encoder().encode(sample)
    alone = len(sample) / (time.perf_counter() - started)
    length = mean([len(text) for text in texts])
    return {"rows": rows, "per_s": rows / whole, "encoder_per_s": alone, "characters": length}


def delete_pending(reader: Reader) -> None:
    """Forget what is owed to the memories so far: they were written to be timed."""
    from memories.indexing.models import Pending

    principal = resolve_principal(reader.actor)
    with principal.scope():
        Pending.objects.filter(organisation_id=principal.organisation_id).delete()


def bytes_per_memory(count: int) -> tuple[dict[str, Any], Synthetic]:
    """What so many finished memories add to every table, by memory."""
    before = table_sizes()
    made = fill_organisation(count)
    after = table_sizes()
    tables = {
        name: {
            "table": (after[name][0] - before.get(name, (0, 0))[0]) / count,
            "indexes": (after[name][1] - before.get(name, (0, 0))[1]) / count,
        }
        for name in after
    }
    principal = resolve_principal(made.reader("100 %").actor)
    with principal.scope():
        texts = Memory.objects.filter(organisation_id=principal.organisation_id)
        length = mean([len(text.encode()) for text in texts.values_list("content", flat=True)])
    whole = sum(t["table"] + t["indexes"] for t in tables.values())
    return {"memories": count, "content": length, "bytes": whole, "tables": tables}, made


def speed(found: dict[str, Any]) -> Table:
    one, many, owed = found["single"], found["batch"], found["embedding"]
    rows: list[list[Any]] = [
        ["remember, one by one", one["per_s"], one["ms"]["p50"], one["ms"]["p95"], one["ms"]["n"]],
        [f"remember, batches of {BATCH:,}", many["per_s"], None, None, many["n"]],
        ["embed, one worker", owed["per_s"], None, None, owed["rows"]],
        ["the bare encoder", owed["encoder_per_s"], None, None, min(200, owed["rows"])],
    ]
    note = (
        "In process, no embedding while remembering; single ones with the flush to disk and "
        f"the hint to the broker. Embedded texts: {owed['characters']:.0f} characters on average."
    )
    return Table("Writing", ["what", "memories/s", "ms p50", "ms p95", "n"], rows, note)


def space(room: dict[str, Any]) -> Table:
    rows: list[list[Any]] = [
        [name, t["table"], t["indexes"], t["table"] + t["indexes"]]
        for name, t in room["tables"].items()
    ]
    rows.append(["all", None, None, room["bytes"]])
    note = (
        f"Over {room['memories']:,} finished memories of {room['content']:.0f} bytes of text on "
        "average, after VACUUM; out-of-line values (TOAST) count with the indexes."
    )
    return Table("Bytes a memory", ["table", "rows", "indexes", "together"], rows, note)
