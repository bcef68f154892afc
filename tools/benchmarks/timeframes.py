"""Questions with a time in words: whether the evidence comes up, and nothing outside the time.

Of the questions whose evidence lies in one month, thirty are asked, spread over the set: every
second one with that month by its name ("may 2023"), the others with "last week" a week after their
evidence.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memories.evaluation.report.tables import Table
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import (
    Dataset,
    EvidenceQuestion,
    ImportedDataset,
    line_time,
    read_dataset,
)
from tools.benchmarks.quality import import_and_report
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

QUESTIONS, TOP = 30, 10
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TimeframeQuestion:
    """A question with a time in words, asked at `now`; since and until: what the words mean."""

    asked: EvidenceQuestion
    words: str
    now: datetime
    since: datetime
    until: datetime


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    dataset = read_dataset(chosen.dataset)
    questions = build_questions(dataset)
    with cached_vectors(folder) as encoder:
        place = import_and_report(dataset.name, dataset.lines, encoder)
        encoder.save()
        vacuum_tables()
        figures: dict[str, Any] = {"questions": len(questions)}
        for name, with_words in (("in words", True), ("no time", False)):
            figures[name] = count_evidence(place, questions, with_words=with_words)
            print_line(f"  {name}: {figures[name]}")
    rows = [[name, *figures[name].values()] for name in ("in words", "no time")]
    columns = ["timeframe", f"evidence in the first {TOP}", "all of it", "served", "outside"]
    note = f"{len(questions)} questions of {dataset.name}, half with a month, half with last week."
    return figures, [Table("A time in words", columns, rows, note)]


def build_questions(dataset: Dataset) -> list[TimeframeQuestion]:
    """Up to QUESTIONS, spread over those whose evidence has dates within one month."""
    at = times(dataset)
    known = [
        (question, [at[id_] for id_ in question.evidence])
        for question in dataset.questions
        if all(id_ in at for id_ in question.evidence)
    ]
    within = [(q, days) for q, days in known if len({(d.year, d.month) for d in days}) == 1]
    step = max(1, len(within) // QUESTIONS)
    return [
        _by_month(question, days[0]) if number % 2 else _by_week(question, days[0])
        for number, (question, days) in enumerate(within[::step][:QUESTIONS])
    ]


def times(dataset: Dataset) -> Mapping[str, datetime]:
    """The time of each line that has one."""
    rows = map(orjson.loads, dataset.lines)
    return {str(row["id"]): at for row in rows if (at := line_time(row)) is not None}


def _by_month(question: EvidenceQuestion, day: datetime) -> TimeframeQuestion:
    first = day.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    after = (first + timedelta(days=32)).replace(day=1)
    return TimeframeQuestion(question, f"{day:%B %Y}".lower(), after + WEEK, first, after)


def _by_week(question: EvidenceQuestion, day: datetime) -> TimeframeQuestion:
    """The week before, from Monday on."""
    now = day + WEEK
    monday = (now - timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0)
    return TimeframeQuestion(question, "last week", now, monday - WEEK, monday)


def count_evidence(
    place: ImportedDataset, questions: list[TimeframeQuestion], *, with_words: bool
) -> dict[str, int]:
    """How many questions bring up evidence, and all of it; how much was served, and outside."""
    some = every = served = outside = 0
    for question in questions:
        answer = _answer(place, question, with_words=with_words)
        keys = {row.key for _, row in answer.hits}
        some += bool(keys & set(question.asked.evidence))
        every += keys >= set(question.asked.evidence)
        served += len(answer.hits)
        outside += sum(
            not question.since <= row.occurred_at < question.until for _, row in answer.hits
        )
    return {"some": some, "all": every, "served": served, "outside": outside}


def _answer(
    place: ImportedDataset, question: TimeframeQuestion, *, with_words: bool
) -> RecallResult:
    query = Query(
        text=question.asked.text,
        limit=TOP,
        counts=False,
        group=question.asked.group,
        member=question.asked.member,
    )
    if with_words:
        query = replace(query, timeframe=(question.words,))
    return recall(place.actor, query, now=question.now, load=fetch_answer_rows)
