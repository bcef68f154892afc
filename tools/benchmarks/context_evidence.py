"""Evidence in a context of N tokens: of what the answers rest on, how much a model gets to read.

The questions are spread evenly over the set. Each context is undone, so that no question raises
what the next one finds. `contexts.txt` beside the report has the texts of some of them, to be read.
"""

import argparse
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.test.utils import override_settings
from django.utils import timezone

from memories.context.assembly.assemble import build_context
from memories.context.assembly.layout import PromptContext
from memories.context.sources.context_query import MEMORY, ContextQuery
from memories.evaluation.measures.metrics import mean, percentile
from memories.evaluation.report.tables import Table
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import EvidenceQuestion, ImportedDataset, read_dataset
from tools.benchmarks.quality import import_and_report, reranker_is_there
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

BUDGETS = (300, 500, 1000, 2000, 4000)
QUESTIONS, QUICK_QUESTIONS, TEXTS = 200, 10, 50
LATER = timedelta(days=60)
# With `rerank` one budget is asked, for the model takes longer than all else.
RERANKED_BUDGET = 1000


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Figures in percent of the questions: any, and all, of the evidence is whole in the text."""
    dataset = read_dataset(chosen.dataset)
    count = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    step = max(1, len(dataset.questions) // count)
    questions = dataset.questions[::step][:count]
    with cached_vectors(folder) as encoder:
        place = import_and_report(dataset.name, dataset.lines, encoder)
        encoder.save()
        vacuum_tables()
        keys = _load_keys(place)
        now = timezone.now()
        figures: dict[str, Any] = defaultdict(dict)
        rows, texts = [], []
        for when, at in (("now", now), ("60 days later", now + LATER)):
            for budget in BUDGETS:
                found = [_ask(place, question, keys, budget, at) for question in questions]
                if when == "now":
                    texts += found[:: max(1, len(found) * len(BUDGETS) // TEXTS)]
                figures[when][budget] = summary = _summarise(found)
                rows.append([when, budget, *(f"{value:.1f}" for value in summary.values())])
                print_line(f"  {when}, {budget} tokens: {summary}")
        if reranker_is_there():
            with override_settings(RERANK_SECONDS=60):
                found = [
                    _ask(place, question, keys, RERANKED_BUDGET, now, rerank=True)
                    for question in questions
                ]
            figures["reranked"][RERANKED_BUDGET] = summary = _summarise(found)
            rows.append(
                ["reranked", RERANKED_BUDGET, *(f"{value:.1f}" for value in summary.values())]
            )
            print_line(f"  reranked, {RERANKED_BUDGET} tokens: {summary}")
    (folder / "contexts.txt").write_text("\n\n".join(one["read"] for one in texts))
    columns = ["when", "tokens", "any evidence", "all evidence", "tokens p50", "memories p50"]
    note = f"{len(questions)} questions asked in their groups; percent. Evidence counts if its "
    note += "whole text is in the context."
    return figures, [Table(f"Evidence in a context, {dataset.name}", columns, rows, note)]


def _load_keys(place: ImportedDataset) -> dict[Any, str]:
    with organisation_scope(place.organisation.id, using="worker"):
        rows = Memory.objects.using("worker").filter(organisation_id=place.organisation.id)
        return dict(rows.exclude(key=None).values_list("id", "key"))


def _ask(
    place: ImportedDataset,
    question: EvidenceQuestion,
    keys: dict[Any, str],
    budget: int,
    now: datetime,
    *,
    rerank: bool = False,
) -> dict[str, Any]:
    query = ContextQuery(
        text=question.text,
        max_tokens=budget,
        group=question.group,
        member=question.member if question.group else None,
        rerank=rerank,
    )
    with transaction.atomic():
        made = build_context(place.actor, query, now=now)
        transaction.set_rollback(True)
    assert made.tokens <= budget
    whole = {
        keys.get(one.piece.id) for one in made.citations if one.piece.type == MEMORY and not one.cut
    }
    return {
        "any": any(key in whole for key in question.evidence),
        "all": all(key in whole for key in question.evidence),
        "tokens": made.tokens,
        "memories": len(whole),
        "read": _format_reading(question, budget, made),
    }


def _format_reading(question: EvidenceQuestion, budget: int, made: PromptContext) -> str:
    return f"=== {question.id}, {budget} tokens, {made.tokens} used\n{question.text}\n{made.text}"


def _summarise(found: list[dict[str, Any]]) -> dict[str, float]:
    return {
        "any": 100 * mean([float(one["any"]) for one in found]),
        "all": 100 * mean([float(one["all"]) for one in found]),
        "tokens": percentile([float(one["tokens"]) for one in found], 0.5),
        "memories": percentile([float(one["memories"]) for one in found], 0.5),
    }
