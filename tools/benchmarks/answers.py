"""Answers without a model: whether the sentences shown come from the turn that the answer rests on.

Asked are the answerable questions whose evidence is one turn. Recall's hit@1 and hit@2 stand beside
it: two whole turns are the most that two sentences of different turns can reach.
"""

import argparse
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from memories.answers.answer_question import Answer, answer_question
from memories.answers.select_sentences import iter_answer_spans
from memories.evaluation.measures.metrics import mean
from memories.evaluation.report.tables import Table
from memories.language.terms import extract_terms
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.errors import NotFoundError
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import EvidenceQuestion, ImportedDataset, read_dataset
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

QUICK = 20
Outcome = dict[str, float]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    """Percent of the questions, and sentences shown for each."""
    dataset = read_dataset(chosen.dataset)
    questions = [one for one in dataset.questions if len(one.evidence) == 1]
    if chosen.quick:
        questions = questions[:: max(1, len(questions) // QUICK)][:QUICK]
    texts = {str(row["id"]): row["text"] for row in map(orjson.loads, dataset.lines)}
    with cached_vectors(folder) as encoder:
        place = import_and_report(dataset.name, dataset.lines, encoder)
        encoder.save()
        vacuum_tables()
        asked = [(one, _ask(place, one, texts)) for one in questions]
    found = [(question, outcome) for question, outcome in asked if outcome is not None]
    kinds = sorted({question.category for question, _ in found})
    groups = {"all": [outcome for _, outcome in found]} | {
        kind: [outcome for question, outcome in found if question.category == kind]
        for kind in kinds
    }
    figures = {name: _summarise(outcomes) for name, outcomes in groups.items()}
    print_line(f"  {figures['all']}")
    columns = ["questions of the kind", *figures["all"]]
    rows = [[name, *(f"{value:g}" for value in one.values())] for name, one in figures.items()]
    note = f"{len(found)} questions asked in their groups; percent, but for the counts. The last "
    note += "figure is of the questions whose evidence has words of the answer: one of the shown "
    note += "sentences is the one of the evidence that has most of them."
    return figures, [Table(f"Answers without a model, {dataset.name}", columns, rows, note)]


def _ask(
    place: ImportedDataset, question: EvidenceQuestion, texts: dict[str, str]
) -> Outcome | None:
    """None where the asker is not in the group."""
    query = Query(
        text=question.text,
        group=question.group,
        member=question.member if question.group else None,
        counts=False,
    )
    now, [evidence] = timezone.now(), question.evidence
    try:
        keys = [
            row.key for _, row in recall(place.actor, query, now=now, load=fetch_answer_rows).hits
        ]
    except NotFoundError:
        return None
    answer = answer_question(place.actor, query, now=now)
    cited = [one.row.key for one in answer.citations]
    outcome = {
        "shown": float(len(cited)),
        "first": float(evidence in cited[:1]),
        "any": float(evidence in cited),
        "hit@1": float(evidence in keys[:1]),
        "hit@2": float(evidence in keys[:2]),
        "nothing": float(not cited),
    }
    best = _most_words(texts[evidence], question.answer)
    if best:
        shown = _shown_words(answer, evidence, question.answer)
        outcome["words"] = float(shown == best)
    return outcome


def _most_words(text: str, answer: str) -> int:
    """The most words of the answer that one sentence of the text has."""
    return max(
        (len(_terms(text[a:b]) & _terms(answer)) for a, b in iter_answer_spans(text)), default=0
    )


def _shown_words(answer: Answer, evidence: str, right: str) -> int:
    """The most words of the right answer that a shown sentence of the evidence has."""
    shown = [one for one in answer.citations if one.row.key == evidence]
    sentences = [one.row.content[one.start : one.end] for one in shown]
    return max((len(_terms(one) & _terms(right)) for one in sentences), default=0)


def _terms(text: str) -> set[str]:
    return {term.key for term in extract_terms(text)}


def _summarise(outcomes: list[Outcome]) -> dict[str, float]:
    def percent(name: str) -> float:
        return round(100 * mean([one[name] for one in outcomes if name in one]), 1)

    return {
        "count": len(outcomes),
        "evidence among the sentences": percent("any"),
        "in the first": percent("first"),
        "hit@1": percent("hit@1"),
        "hit@2": percent("hit@2"),
        "sentences shown": round(mean([one["shown"] for one in outcomes]), 2),
        "nothing answers": percent("nothing"),
        "sentence with the answer": percent("words")
        if any("words" in o for o in outcomes)
        else 0.0,
    }
