"""One organisation of a million memories out of real chat: how long a recall takes, what it misses.

What the indexes bring is compared with scoring every readable row, by words and by meaning apart.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from memories.embedding.encoders import get_encoder
from memories.embedding.known_models import known_model
from memories.evaluation.measures.metrics import mean, spread
from memories.evaluation.report.tables import Table
from memories.indexing import exact_scan
from memories.retrieval.candidates import readable_rows, search
from memories.retrieval.candidates.question_words import worded
from memories.retrieval.candidates.scan import EVERYTHING
from memories.retrieval.types import Floats, Ids, Question
from orgs.principals import Principal, resolve
from robots.access.act_for import act
from tests.benchmarks.latency import ask_straight
from tests.benchmarks.real_chat import Chat, fill_chat
from tests.benchmarks.report import say
from tests.benchmarks.synthetic import READERS

SIZE, QUICK_SIZE = 1_000_000, 30_000
QUESTIONS, COMPARED, QUICK_QUESTIONS = 200, 25, 6
TOP = 10


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    size = QUICK_SIZE if chosen.quick else SIZE
    count, compared = (QUICK_QUESTIONS,) * 2 if chosen.quick else (QUESTIONS, COMPARED)
    chat = fill_chat(chosen.dataset, size, folder)
    asked = chat.questions(2 * count)
    questions, others = asked[:count], asked[count:]
    found = [measured(chat, share, questions, others, compared) for share in READERS]
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


def measured(
    chat: Chat, share: str, questions: list[str], others: list[str], compared: int
) -> dict[str, Any]:
    """The figures of one reader.

    others: asked before. A connection of the server reads a page of the shared memory more slowly
    when it does so for the first time, and a pool keeps its connections.
    """
    reader = chat.made.reader(share)
    principal = resolve(act(reader.actor, group=reader.group, member=reader.member))
    readable_rows._known.clear()
    first, *_ = [ask_straight(reader, text) for text in others]
    times = [ask_straight(reader, text) for text in questions]
    by_words, by_meaning, readable = [], [], 0
    for text in questions[:compared]:
        with principal.scope():
            asked = _question(principal, text)
            readable = readable_rows.readable(asked)
            exact = search._by_scoring_all(asked, EVERYTHING, [], {})
            if readable <= exact_scan.EXACT:
                continue
            large = search._by_indexes(asked, [])
        by_words.append(_share(exact.rows.ids, exact.words, large.rows.ids[large.worded]))
        by_meaning.append(_share(exact.rows.ids, exact.rows.product, large.rows.ids[large.near]))
    figures = {
        "memories": len(chat.ids),
        "share": share,
        "readable": readable,
        "first": first,
        "ms": spread(times),
        "words@10": mean(by_words) if by_words else None,
        "vectors@10": mean(by_meaning) if by_meaning else None,
    }
    say(f"  {share}: {figures}")
    return figures


def _question(principal: Principal, text: str) -> Question:
    model = known_model()
    vector = get_encoder().encode([text])[0]
    return worded(
        Question(
            organisation_id=principal.organisation_id,
            text=text,
            language=principal.language,
            model=model.number,
            meaning_floor=model.meaning_floor,
            near_duplicate=model.near_duplicate,
            limit=TOP,
            now=timezone.now(),
            vector=np.asarray(vector),
            organisation_audience=principal.organisation_audience,
            audiences=principal.audiences,
        )
    )


def _share(ids: Ids, scores: Floats, brought: Ids) -> float:
    """How much of the exact ten best is among what was brought, of equal scores any."""
    known = np.flatnonzero(~np.isnan(scores))
    wanted = min(TOP, len(known))
    if not wanted:
        return 1.0
    least = np.partition(scores[known], len(known) - wanted)[len(known) - wanted] - 1e-4
    good = set(ids[known[scores[known] >= least]].tolist())
    return min(1.0, len(good & set(brought.tolist())) / wanted)
