"""One organisation of a million memories out of real chat: how long a recall takes, what it misses.

What the indexes bring is compared with scoring every readable row, by words and by meaning apart.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import get_model
from memories.evaluation.measures.metrics import mean, percentiles
from memories.evaluation.report.tables import Table
from memories.indexing import exact_scan
from memories.retrieval.candidates import readable_row_count, search
from memories.retrieval.candidates.query_words import add_query_words
from memories.retrieval.candidates.scan_rows import MAIN_TABLE, scan_rows
from memories.retrieval.search_types import Floats, Ids, SearchRequest
from orgs.principals import Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tools.benchmarks.latency import time_fast_path
from tools.benchmarks.real_chat import Chat, fill_chat
from tools.benchmarks.report import print_line
from tools.benchmarks.synthetic import READERS

SIZE, QUICK_SIZE = 1_000_000, 30_000
QUESTIONS, COMPARED, QUICK_QUESTIONS = 200, 25, 6
RESULT_COUNT = 10


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    size = QUICK_SIZE if chosen.quick else SIZE
    count, compared = (QUICK_QUESTIONS,) * 2 if chosen.quick else (QUESTIONS, COMPARED)
    chat = fill_chat(chosen.dataset, size, folder)
    asked = chat.questions(2 * count)
    questions, others = asked[:count], asked[count:]
    found = [measure(chat, share, questions, others, compared) for share in READERS]
    rows = [
        [
            *(f"{f['memories']:,}", f["share"], f"{f['readable']:,}", f["first"]),
            *(f["ms"]["p50"], f["ms"]["p95"], f["words@10"], f["vectors@10"]),
        ]
        for f in found
    ]
    columns = ["memories", "reads", "readable", "first ms", "p50 ms", "p95 ms", "words@10",
               "vectors@10"]  # fmt: skip
    note = (
        f"{len(questions)} questions of the chat on the straight way, encoder included, each asked"
        f" for the first time, after {len(others)} others on the same connection; first: the first"
        f" of these; {compared} compared with every readable row, where equal scores"
        " count as found."
    )
    return found, [Table(f"Recall among {size:,} memories of real chat", columns, rows, note)]


def measure(
    chat: Chat, share: str, questions: list[str], others: list[str], compared: int
) -> dict[str, Any]:
    """The figures of one reader.

    others: asked before. A connection of the server reads a page of the shared memory more slowly
    when it does so for the first time, and a pool keeps its connections.
    """
    reader = chat.made.reader(share)
    principal = resolve_principal(
        resolve_actor(reader.actor, group=reader.group, member=reader.member)
    )
    readable_row_count._cache.clear()
    first, *_ = [time_fast_path(reader, text) for text in others]
    times = [time_fast_path(reader, text) for text in questions]
    by_words, by_meaning, readable = [], [], 0
    for text in questions[:compared]:
        with principal.scope():
            asked = _question(principal, text)
            readable = readable_row_count.count_readable_rows(asked)
            [rows] = scan_rows(asked, [search._narrowed(asked, MAIN_TABLE)], asked.places)
            exact = search._score_all(asked, rows, asked.places)
            if readable <= exact_scan.EXACT_SCAN_LIMIT:
                continue
            large = search._score_from_indexes(asked, [])
        by_words.append(_found_fraction(exact.rows.ids, exact.words, large.rows.ids[large.worded]))
        by_meaning.append(
            _found_fraction(exact.rows.ids, exact.rows.product, large.rows.ids[large.near])
        )
    figures = {
        "memories": len(chat.ids),
        "share": share,
        "readable": readable,
        "first": first,
        "ms": percentiles(times),
        "words@10": mean(by_words) if by_words else None,
        "vectors@10": mean(by_meaning) if by_meaning else None,
    }
    print_line(f"  {share}: {figures}")
    return figures


def _question(principal: Principal, text: str) -> SearchRequest:
    model = get_model()
    vector = get_encoder().encode([text], is_query=True)[0]
    return add_query_words(
        SearchRequest(
            organisation_id=principal.organisation_id,
            text=text,
            language=principal.language,
            model=model.number,
            meaning_floor=model.meaning_floor,
            limit=RESULT_COUNT,
            now=timezone.now(),
            vector=np.asarray(vector),
            organisation_audience=principal.organisation_audience,
            audiences=principal.audiences,
        )
    )


def _found_fraction(ids: Ids, scores: Floats, brought: Ids) -> float:
    """How much of the exact ten best is among what was brought, of equal scores any."""
    known = np.flatnonzero(~np.isnan(scores))
    wanted = min(RESULT_COUNT, len(known))
    if not wanted:
        return 1.0
    least = np.partition(scores[known], len(known) - wanted)[len(known) - wanted] - 1e-4
    good = set(ids[known[scores[known] >= least]].tolist())
    return min(1.0, len(good & set(brought.tolist())) / wanted)
