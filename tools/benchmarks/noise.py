"""What filters do for the first ten: a store of chat in which most says nothing to the question.

Each log of the set is what one robot heard, tagged with the day. Who speaks to somebody by name
tells something (category fact), the rest is talk (event); what is said to somebody and is longer is
more important. None of this looks at the questions. A question is asked of the whole store, and
then narrowed to the robot, the tag, the category and the importance that its asker can know: their
own log, and told things rather than talk.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.utils import timezone

from memories.evaluation.measures.metrics import mean, recall_at
from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.organisations.groups import create_group
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import (
    SCOPES,
    Dataset,
    EvidenceQuestion,
    create_robot_in_groups,
    line_time,
    read_dataset,
)
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

TOP = 10
# Logs with the most questions; a batch of a remember call.
LOGS, QUICK_LOGS, BATCH = 8, 1, 500
# Characters from which what is said to somebody is more than thanks.
LONG = 40
IMPORTANT, CHATTER, LEAST = 0.7, 0.3, 0.5

Filters = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NoisyStore:
    """The logs in one organisation: a robot that reads all, and who heard which log."""

    reader: Actor
    heard_by: Mapping[str, str]
    group: str


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    dataset = read_dataset(chosen.dataset)
    asked = Counter(question_log(question) for question in dataset.questions)
    logs = [log for log, _ in asked.most_common(QUICK_LOGS if chosen.quick else LOGS)]
    with cached_vectors(folder) as encoder:
        store, count = fill_store(dataset, logs)
        encoder.save()
        vacuum_tables()
        questions = [question for question in dataset.questions if question_log(question) in logs]
        ways = {way: measure(store, questions, way) for way in FILTER_SETS}
    for way, found in ways.items():
        print_line(
            f"  {way}: precision@{TOP} {found['precision']:.1f}, recall@{TOP} {found['recall']:.1f}"
        )
    rows = [[way, *found.values()] for way, found in ways.items()]
    note = f"{dataset.name}: {count:,} messages of {len(logs)} logs, {len(questions)} questions; "
    note += f"percent. Precision: of the first {TOP} that were served, those that answer it."
    columns = ["narrowed by", f"precision@{TOP}", f"recall@{TOP}", "served"]
    figures = {"messages": count, "logs": len(logs), "questions": len(questions), "ways": ways}
    return figures, [Table("Pollution and filters", columns, rows, note)]


def question_log(question: EvidenceQuestion) -> str:
    """The log of a question's evidence: what stands before the last stroke of an id."""
    return question.evidence[0].rpartition("/")[0]


def build_filters(store: NoisyStore, log: str, way: str) -> Filters:
    """The filters of one way, for a question of that log."""
    every: Filters = {
        "robots": [store.heard_by[log]],
        "tags": [log_tag(log)],
        "categories": ["fact"],
        "min_importance": LEAST,
    }
    return {name: every[name] for name in FILTER_SETS[way]}


FILTER_SETS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "robot": ("robots",),
    "tag": ("tags",),
    "category": ("categories",),
    "importance": ("min_importance",),
    "robot and importance": ("robots", "min_importance"),
    "all four": ("robots", "tags", "categories", "min_importance"),
}


def log_tag(log: str) -> str:
    """The log as one tag: a root and what is below."""
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in log.lower())
    return "log:" + "-".join(part for part in plain.split("-") if part)[:40]


def fill_store(dataset: Dataset, logs: Sequence[str]) -> tuple[NoisyStore, int]:
    """The logs in a new organisation, each by a robot of its own; and how many messages."""
    now = timezone.now()
    organisation = create_organisation(name=f"Pollution {now:%H%M%S%f}", now=now)
    group = create_group(organisation_id=organisation.id, external_id="chat", now=now)
    robots = {log: create_robot_in_groups(organisation.id, [group.id])[0] for log in logs}
    count = 0
    for log in logs:
        who = Actor(
            organisation_id=organisation.id,
            robot_id=robots[log].id,
            scopes=frozenset(SCOPES),
            name=robots[log].name,
        )
        drafts = list(_drafts(dataset, log))
        for first in range(0, len(drafts), BATCH):
            remember_many(who, drafts[first : first + BATCH], now=now)
        count += len(drafts)
    while embed_pending(organisation.id, now=timezone.now()):
        pass
    reader, _ = create_robot_in_groups(organisation.id, [group.id])
    heard_by = {log: str(robot.id) for log, robot in robots.items()}
    actor = Actor(
        organisation_id=organisation.id,
        robot_id=reader.id,
        scopes=frozenset(SCOPES),
        name=reader.name,
    )
    return NoisyStore(actor, heard_by, group.external_id), count


def _drafts(dataset: Dataset, log: str) -> Iterator[Draft]:
    for line in dataset.lines:
        row = orjson.loads(line)
        if not row["id"].startswith(f"{log}/"):
            continue
        told = bool(row.get("to"))
        yield Draft(
            content=row["text"],
            group="chat",
            visibility="group",
            speaker=row["speaker"],
            occurred_at=line_time(row),
            key=row["id"],
            type="conversation",
            conversation=log,
            category="fact" if told else "event",
            importance=IMPORTANT if told and len(row["text"]) >= LONG else CHATTER,
            tags=(log_tag(log),),
        )


def measure(store: NoisyStore, questions: Sequence[EvidenceQuestion], way: str) -> dict[str, float]:
    """Means over the questions in percent; served: how many came up of ten."""
    precision, found, served = [], [], []
    for question in questions:
        filters = build_filters(store, question_log(question), way)
        query = Query(text=question.text, limit=TOP + 1, counts=False, filters=filters)
        answer = recall(store.reader, query, now=timezone.now(), load=fetch_answer_rows)
        # The question itself is in the store, and is no answer to itself.
        keys = [row.key for _, row in answer.hits if row.content != question.text][:TOP]
        precision.append(len(set(keys) & set(question.evidence)) / max(1, len(keys)))
        found.append(recall_at(keys, question.evidence, TOP))
        served.append(len(keys))
    return {
        "precision": round(100 * mean(precision), 2),
        "recall": round(100 * mean(found), 2),
        "served": round(mean(served), 2),
    }
