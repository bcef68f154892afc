"""Server time of a context of 2,000 tokens beside a recall of the same question."""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.context.assembly import assemble
from memories.context.assembly.assemble import build_context
from memories.context.sources.context_query import ContextBuildState, ContextQuery
from memories.context.sources.pieces import ContextPiece
from memories.embedding.query_cache import get_query_cache
from memories.evaluation.measures.metrics import percentile, percentiles
from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import Reader, fill_organisation

SIZE, QUICK_SIZE = 100_000, 1_000
QUESTIONS, QUICK_QUESTIONS, WARM_UP = 60, 6, 8


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Figures in milliseconds; both ways of a question in turns, each first every other time."""
    size = QUICK_SIZE if chosen.quick else SIZE
    made = fill_organisation(size, seed=size)
    print_line(f"{size:,} memories filled")
    reader = made.reader("100 %")
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    for text in made.words.texts(WARM_UP, 5, 9):
        _recall(reader, text)
        _context(reader, text)
    recalls, contexts, tokens = [], [], []
    spent = _time_sources()
    for index, text in enumerate(made.words.texts(count, 5, 9)):
        if index % 2:
            recalls.append(_recall(reader, text))
        took, used = _context(reader, text)
        contexts.append(took)
        tokens.append(used)
        if not index % 2:
            recalls.append(_recall(reader, text))
    ratio = percentile(contexts, 0.5) / percentile(recalls, 0.5)
    figures = {
        "memories": size,
        "recall": percentiles(recalls),
        "context": percentiles(contexts),
        "tokens": percentiles([float(used) for used in tokens]),
        "ratio": ratio,
        "sources": {name: percentiles(times) for name, times in spent.items()},
    }
    print_line(f"a context takes {ratio:.2f} x a recall")
    row = [f"{size:,}", figures["recall"]["p50"], figures["recall"]["p95"]]
    row += [figures["context"]["p50"], figures["context"]["p95"], f"{ratio:.2f}"]
    columns = ["memories", "recall p50", "p95", "context p50", "p95", "ratio", "tokens p50"]
    note = f"Milliseconds, n = {count}; a recall of 10 and a context of at most 2,000 tokens, "
    note += "query vectors never cached."
    by_source = [[name, found["p50"], found["p95"]] for name, found in figures["sources"].items()]
    return figures, [
        Table("Context", columns, [[*row, figures["tokens"]["p50"]]], note),
        Table("Context by source", ["source", "p50", "p95"], by_source, "Milliseconds."),
    ]


def _time_sources() -> dict[str, list[float]]:
    """Milliseconds of each source from now on, by its name."""
    spent: dict[str, list[float]] = {}

    def timed(source: assemble.ContextSource) -> assemble.ContextSource:
        times = spent.setdefault(source.name, [])

        def gather(asked: ContextBuildState) -> Sequence[ContextPiece] | None:
            started = time.perf_counter()
            found = source.gather(asked)
            times.append((time.perf_counter() - started) * 1000)
            return found

        return replace(source, gather=gather)

    assemble.SOURCES = tuple(timed(source) for source in assemble.SOURCES)
    return spent


def _recall(reader: Reader, text: str) -> float:
    get_query_cache().clear()
    started = time.perf_counter()
    query = Query(text=text, group=reader.group, member=reader.member)
    recall(reader.actor, query, now=timezone.now(), load=fetch_answer_rows)
    return (time.perf_counter() - started) * 1000


def _context(reader: Reader, text: str) -> tuple[float, int]:
    get_query_cache().clear()
    started = time.perf_counter()
    query = ContextQuery(text=text, group=reader.group, member=reader.member)
    made = build_context(reader.actor, query, now=timezone.now())
    assert made.tokens <= query.max_tokens
    assert made.citations
    return (time.perf_counter() - started) * 1000, made.tokens
