"""Evidence recall: of what the answers rest on, how much is among the first 5, 10, 20 served."""

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.test.utils import override_settings
from django.utils import timezone

from memories.embedding.cross_encoders.cross_encoder import ModelMissingError
from memories.embedding.cross_encoders.cross_encoder_loading import get_cross_encoder
from memories.evaluation.measures.metrics import QUALITY_METRICS, compute_quality, mean, percentile
from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.reranking import rerank as reranking
from memories.retrieval.resolve_filters import Query
from orgs.errors import NotFoundError
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import (
    Dataset,
    EvidenceQuestion,
    ImportedDataset,
    drop_audience_lists,
    import_dataset,
    read_dataset,
)
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import CachingEncoder, cached_vectors

DEPTH = 20
QUICK = 60
SEARCH_METHODS = {
    "keyword": {"strategy": "keyword"},
    "vector": {"strategy": "vector"},
    "hybrid, minmax": {"strategy": "hybrid", "fusion": "minmax"},
    "hybrid, rrf": {"strategy": "hybrid", "fusion": "rrf"},
    "hybrid, weighted_rrf": {"strategy": "hybrid", "fusion": "weighted_rrf"},
}
IN_GROUP, IN_ORGANISATION = "in the group", "organisation-wide"
# The way whose kinds of question are looked at one by one: the default.
DEFAULT = "hybrid, minmax"
# Asked in the group only, because each question costs 20 runs of the model; and without the limit
# of time, for a machine under load is to give the same figures.
RERANKED = "hybrid, reranked"
# How many hits the model may read, and of how many questions the price of each is taken.
RERANK_DEPTHS, PRICED_QUESTIONS = (10, 20, 50), 100

RERANKED_METRICS = ("recall@5", "recall@10", "hit@10", "ndcg@10", "mrr")

Result = tuple[dict[str, Any], list[Table]]


def run(chosen: argparse.Namespace, folder: Path) -> Result:
    dataset = read_dataset(chosen.dataset)
    if chosen.quick:
        step = max(1, len(dataset.questions) // QUICK)
        dataset = replace(dataset, questions=dataset.questions[::step][:QUICK])
    with cached_vectors(folder) as encoder:
        place = import_and_report(dataset.name, dataset.lines, encoder)
        encoder.save()
        copy = place
        if dataset.lists:
            copy = import_and_report(
                f"{dataset.name} copy", drop_audience_lists(dataset.lines), encoder
            )
        vacuum_tables()
        scopes = {IN_GROUP: (place, True), IN_ORGANISATION: (copy, False)}
        asked = {
            (scope, way): ask_all(where, dataset.questions, way, narrowed)
            for scope, (where, narrowed) in scopes.items()
            for way in SEARCH_METHODS
        }
        priced: dict[int, dict[str, Any]] = {}
        if reranker_is_there():
            with override_settings(RERANK_SECONDS=60):
                reranked = ask_all(place, dataset.questions, RERANKED, True)
            asked[(IN_GROUP, RERANKED)] = reranked
            priced = price_depths(place, dataset)
    found, shown = figures(dataset, place, encoder, asked), tables(dataset, place, asked)
    if priced:
        found["rerank_depths"] = priced
        shown.append(table_of_depths(dataset, priced))
    return found, shown


def reranker_is_there() -> bool:
    """Whether the cross-encoder can be had; it is loaded then."""
    try:
        get_cross_encoder()
    except ModelMissingError as error:
        print_line(f"  {RERANKED} is left out: {error}")
        return False
    return True


def import_and_report(name: str, lines: list[bytes], encoder: CachingEncoder) -> ImportedDataset:
    """Import and embed, and say how quickly."""
    before, spent = encoder.encoded, encoder.seconds
    place = import_dataset(name, lines)
    fresh, seconds = encoder.encoded - before, encoder.seconds - spent
    count = place.report.imported
    speed = f"; encoder alone {fresh / seconds:.0f} rows/s" if fresh else ""
    print_line(
        f"{name}: {count:,} memories imported at {count / place.import_seconds:,.0f}/s, "
        f"{place.report.skipped + place.report.already} left out; embedded at "
        f"{count / place.embed_seconds:,.0f} rows/s, {count - fresh:,} vectors from disk{speed}"
    )
    return place


Outcome = dict[str, Any]


def ask_all(
    place: ImportedDataset, questions: list[EvidenceQuestion], way: str, narrowed: bool
) -> list[Outcome]:
    """Each question by one way."""
    started = time.perf_counter()
    outcomes = [ask(place, question, way, narrowed) for question in questions]
    print_line(
        f"  {IN_GROUP if narrowed else IN_ORGANISATION}, {way}: {len(outcomes)} questions "
        f"in {time.perf_counter() - started:.0f} s"
    )
    return outcomes


def ask(
    place: ImportedDataset,
    question: EvidenceQuestion,
    way: str,
    narrowed: bool,
    *,
    now: datetime | None = None,
) -> Outcome:
    whom = {"group": question.group, "member": question.member if question.group else None}
    how = {**SEARCH_METHODS[DEFAULT], "rerank": True} if way == RERANKED else SEARCH_METHODS[way]
    query = Query(
        text=question.text, limit=DEPTH, counts=False, **(whom if narrowed else {}), **how
    )
    try:
        answer = recall(place.actor, query, now=now or timezone.now(), load=fetch_answer_rows)
    except NotFoundError:
        return {"id": question.id, "category": question.category, "refused": True}
    if answer.not_reranked:
        raise RuntimeError(f"not reranked: {answer.not_reranked}")
    served = [row.key for _, row in answer.hits]
    return {
        "id": question.id,
        "category": question.category,
        "ms": answer.took_ms,
        **compute_quality(served, question.evidence),
    }


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Means in percent over what was answered, and the time in ms."""
    good = [o for o in outcomes if not o.get("refused")]
    found: dict[str, Any] = {name: 100 * mean([o[name] for o in good]) for name in QUALITY_METRICS}
    times = [o["ms"] for o in good]
    found |= {
        "questions": len(good),
        "refused": len(outcomes) - len(good),
        "ms_p50": percentile(times, 0.5) if times else None,
        "ms_p95": percentile(times, 0.95) if times else None,
    }
    return found


def figures(
    dataset: Dataset,
    place: ImportedDataset,
    encoder: CachingEncoder,
    asked: dict[tuple[str, str], list[Outcome]],
) -> dict[str, Any]:
    scopes: dict[str, dict[str, Any]] = defaultdict(dict)
    for (scope, way), outcomes in asked.items():
        scopes[scope][way] = summary(outcomes)
    return {
        "dataset": dataset.name,
        "memories": place.report.imported,
        "left_out": place.report.skipped + place.report.already,
        "unanswerable": dataset.unanswerable,
        "import_rows_per_s": place.report.imported / place.import_seconds,
        "encoded": encoder.encoded,
        "encoder_rows_per_s": encoder.encoded / encoder.seconds if encoder.seconds else None,
        "scopes": scopes,
        "questions": {f"{scope} | {way}": rows for (scope, way), rows in asked.items()},
    }


def tables(
    dataset: Dataset, place: ImportedDataset, asked: dict[tuple[str, str], list[Outcome]]
) -> list[Table]:
    rows: list[list[Any]] = []
    for (scope, way), outcomes in asked.items():
        found = summary(outcomes)
        rows.append(
            [
                f"{scope}: {way}",
                *(percent(found[name]) for name in QUALITY_METRICS),
                *(found["ms_p50"], found["ms_p95"]),
            ]
        )
    refused = sum(bool(o.get("refused")) for o in asked[(IN_GROUP, DEFAULT)])
    count = len(dataset.questions) - refused
    note = (
        f"{place.report.imported:,} memories, {count} questions, percent; MRR over the first "
        f"{DEPTH}. {refused} questions whose asker is not in the group are left out inside it."
    )
    columns = ["scope: way", *QUALITY_METRICS, "ms p50", "ms p95"]
    found = [
        Table(f"Evidence recall, {dataset.name}", columns, rows, note),
        table_by_category(dataset, asked),
    ]
    return [*found, compare_reranked(dataset, asked)] if (IN_GROUP, RERANKED) in asked else found


def compare_reranked(dataset: Dataset, asked: dict[tuple[str, str], list[Outcome]]) -> Table:
    """What re-ordering brings, and what it costs."""
    names = RERANKED_METRICS
    ways = {"plain": DEFAULT, "reranked": RERANKED}
    found = {name: summary(asked[(IN_GROUP, way)]) for name, way in ways.items()}
    better, plain = found["reranked"], found["plain"]
    rows = [
        [name, *(percent(one[n]) for n in names), one["ms_p50"], one["ms_p95"]]
        for name, one in found.items()
    ]
    gained = [f"{better[name] - plain[name]:+.1f}" for name in names]
    rows.append(["difference", *gained, *(better[n] - plain[n] for n in ("ms_p50", "ms_p95"))])
    title = f"Reranked beside plain, in the group, {dataset.name}"
    note = (
        f"{plain['questions']} questions; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    )
    return Table(title, ["order", *names, "ms p50", "ms p95"], rows, note)


def price_depths(place: ImportedDataset, dataset: Dataset) -> dict[int, dict[str, Any]]:
    """{number of hits read: summary} of some questions, spread evenly; 0 is the plain order."""
    step = max(1, len(dataset.questions) // PRICED_QUESTIONS)
    questions = dataset.questions[::step][:PRICED_QUESTIONS]
    found = {0: summary(ask_all(place, questions, DEFAULT, True))}
    with override_settings(RERANK_SECONDS=60):
        for depth in RERANK_DEPTHS:
            with rerank_depth(depth):
                found[depth] = summary(ask_all(place, questions, RERANKED, True))
    return found


@contextmanager
def rerank_depth(depth: int) -> Iterator[None]:
    """Let the model read so many hits."""
    usual = reranking.RERANK_DEPTH
    reranking.RERANK_DEPTH = depth
    try:
        yield
    finally:
        reranking.RERANK_DEPTH = usual


def table_of_depths(dataset: Dataset, priced: dict[int, dict[str, Any]]) -> Table:
    rows = [
        [
            depth or "plain",
            *(percent(one[n]) for n in RERANKED_METRICS),
            one["ms_p50"],
            one["ms_p95"],
        ]
        for depth, one in priced.items()
    ]
    note = (
        f"{priced[0]['questions']} questions; load {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} cores."
    )
    columns = ["hits read", *RERANKED_METRICS, "ms p50", "ms p95"]
    return Table(f"The price of reranking, {dataset.name}", columns, rows, note)


def table_by_category(dataset: Dataset, asked: dict[tuple[str, str], list[Outcome]]) -> Table:
    """The default way for each kind of question."""
    kinds: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for scope in (IN_GROUP, IN_ORGANISATION):
        for outcome in asked[(scope, DEFAULT)]:
            kinds[(scope, outcome["category"])].append(outcome)
    rows = []
    for (scope, kind), outcomes in sorted(kinds.items()):
        found = summary(outcomes)
        row = [
            f"{scope}: {kind}",
            found["questions"],
            *(percent(found[n]) for n in QUALITY_METRICS),
        ]
        rows.append(row)
    title = f"The default by kind of question, {dataset.name}"
    return Table(title, ["scope: kind", "questions", *QUALITY_METRICS], rows)


def percent(value: float) -> str:
    return f"{value:.1f}"
