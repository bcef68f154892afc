"""A month of use over a data set: what rises, sinks, is proposed and archived, and what is lost.

The clock is injected: each hour the tiers that are due are judged, each night the daily jobs are
done. In the first half the workers of the organisation only propose, in the second they summarise.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from django.db import connections
from django.db.models import Count, Q

from memories.evaluation.measures.metrics import mean
from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.file_import.importer import Importer
from memories.ingestion.remember import remember_many
from memories.jobs import job_queue, organisation_run
from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run
from memories.lifecycle import daily_jobs, tier_schedule
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.tiers import faster_tier, slower_tier
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.feedback import record_feedback
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.models import Proposal, ProposalCause
from memories.store.dependents import SUMMARY_KEY_PREFIX
from memories.store.models.memory import Memory
from memories.store.models.use import Transition
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Group, Organisation
from orgs.organisations.organisations import create_organisation
from robots.registry.robots import IMPORT, add_robot_to_groups, ensure_builtin_robot
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import (
    Dataset,
    EvidenceQuestion,
    ImportedDataset,
    create_robot_in_groups,
    read_dataset,
)
from tools.benchmarks.quality import DEFAULT, ask
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

WORKER = "worker"
# A calendar month, so that the glacial tier has its run at the beginning and at the end.
START = datetime(2026, 3, 1, tzinfo=UTC)
DAYS, IMPORTING, EVICTING = 31, 5, 17
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# The daily jobs are written and done at this hour, people ask at these.
NIGHT, ASKING = 3, (9, 12, 15, 18)
MAX_LINES, QUICK_MOST = 3_000, 200
RECALLS, QUICK_RECALLS = 6, 2
QUESTIONS, QUICK_QUESTIONS = 300, 20
# Every second question is one of so many that come again and again.
FAVOURITES = 12
# So many of the first hits are reported on.
REPORTED = 3
USEFUL, USELESS = 0.95, 0.05
# Turns of a conversation are never compared with each other, so each week brings facts of which two
# say the same and two disagree; a store of its own each week, so that no others do.
_STORES = ("Aberdeen", "Kyoto", "Marstal", "Valparaíso", "Windhoek")
_FACTS = (
    "Invoices of the store in {store} above 5,000 euros need a second signature.",
    "Invoices of the store in {store} above 5,000 euros need the second signature.",
    "Customers of the store in {store} return a bag within 14 days.",
    "Customers of the store in {store} return a bag within 30 days.",
)
_TOO_SOON = """
SELECT count(*) FROM (
    SELECT moved_at - lag(moved_at) OVER (PARTITION BY memory_id ORDER BY moved_at) AS after
    FROM memories_transition WHERE organisation_id = %s) t
WHERE after < interval '24 hours'
"""
_TWICE = """
SELECT count(*) FROM (
    SELECT d.source_id FROM memories_derivation d JOIN memories_memory s
        ON s.organisation_id = d.organisation_id AND s.id = d.memory_id
    WHERE d.organisation_id = %s AND s.key LIKE %s
    GROUP BY 1 HAVING count(*) > 1) t
"""
COUNTED = (
    "promoted", "demoted", "duplicates", "contradictions", "full tiers", "summaries", "archived",
)  # fmt: skip


@dataclass(slots=True)
class MonthOfUse:
    """One run. weeks: {week: counts of COUNTED}. jobs: counts of what the jobs say they did."""

    place: ImportedDataset
    lot: random.Random
    asked: list[EvidenceQuestion]
    recalls: int
    weeks: dict[int, Counter[str]] = field(default_factory=dict)
    jobs: Counter[str] = field(default_factory=Counter)
    told: int = 0
    served: int = 0
    refused: int = 0
    texts: dict[str, tuple[str, str | None]] = field(default_factory=dict)

    @property
    def id(self) -> UUID:
        return self.place.organisation.id


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    dataset = read_dataset(chosen.dataset)
    lines = dataset.lines[: QUICK_MOST if chosen.quick else MAX_LINES]
    with cached_vectors(folder):
        return run_month(dataset, lines, START, quick=chosen.quick)


def run_month(
    dataset: Dataset, lines: Sequence[bytes], start: datetime, *, quick: bool = False
) -> tuple[dict[str, Any], list[Table]]:
    """Let a month pass over the lines; figures and tables."""
    month = _create_month(dataset, lines, start, quick=quick)
    questions = _sample(month.asked, QUICK_QUESTIONS if quick else QUESTIONS)
    recalls: dict[str, float] = {}
    importer = _importer(month, start)
    for number in range(DAYS):
        day = start + number * DAY
        if number < IMPORTING:
            importer.now = day
            importer.run(lines[number * len(lines) // IMPORTING :][: _share(lines, number)])
            _embed(month, day)
        if number == IMPORTING:
            vacuum_tables()
            recalls["before"] = _recall_at_10(month, questions, day)
        if number == EVICTING:
            recalls["nothing archived"] = _recall_at_10(month, questions, day)
            _allow_eviction(month)
        _run_day(month, number, day)
        if number % 7 == 6 or number == DAYS - 1:
            print_line(f"  day {number + 1}: {month.served} recalls; {dict(month.jobs)}")
    end = start + DAYS * DAY
    tier_schedule.move_due_tiers(month.id, now=end)
    recalls["after"] = _recall_at_10(month, questions, end)
    again = _consolidated_twice(month, end)
    _count_rows(month, start)
    figures = _figures(month, importer.report.imported, recalls, again, len(questions))
    figures |= {"dataset": dataset.name}
    return figures, _tables(dataset.name, month, figures)


def _create_month(
    dataset: Dataset, lines: Sequence[bytes], start: datetime, *, quick: bool
) -> MonthOfUse:
    organisation = create_organisation(name=f"Month of {dataset.name}", now=start)
    with organisation_scope(organisation.id):
        ensure_builtin_robot(organisation.id, IMPORT, start)
    robot, key = create_robot_in_groups(organisation.id, [])
    rows = [orjson.loads(line) for line in lines]
    known = {str(row["id"]) for row in rows}
    asked = [one for one in dataset.questions if known.issuperset(one.evidence)]
    place = ImportedDataset(
        organisation, robot, key, _importer_of(organisation, start).report, 1, 1
    )
    lot = random.Random(14)  # noqa: S311 - the same month each time
    month = MonthOfUse(place, lot, asked, QUICK_RECALLS if quick else RECALLS)
    for row in rows:
        month.texts[str(row["id"])] = (row["text"], row.get("group"))
    return month


def _importer_of(organisation: Organisation, now: datetime) -> Importer:
    with organisation_scope(organisation.id):
        robot = ensure_builtin_robot(organisation.id, IMPORT, now)
    return Importer(organisation, robot, now, "organisation", everyone=True)


def _importer(month: MonthOfUse, now: datetime) -> Importer:
    return _importer_of(month.place.organisation, now)


def _share(lines: Sequence[bytes], number: int) -> int:
    """How many lines come on this day of the import."""
    return (number + 1) * len(lines) // IMPORTING - number * len(lines) // IMPORTING


def _sample(asked: Sequence[EvidenceQuestion], most: int) -> list[EvidenceQuestion]:
    step = max(1, -(-len(asked) // most))
    return list(asked[::step])


def _embed(month: MonthOfUse, now: datetime) -> None:
    """Embed what came, and seat the robot in the groups that came with it."""
    while embed_pending(month.id, now=now):
        pass
    with organisation_scope(month.id):
        groups = Group.objects.filter(organisation_id=month.id).values_list("id", flat=True)
        ids = list(groups)
    add_robot_to_groups(organisation_id=month.id, robot_id=month.place.robot.id, group_ids=ids)


def _allow_eviction(month: MonthOfUse) -> None:
    with organisation_scope(month.id):
        AgeingPolicy.objects.create(organisation_id=month.id, evict=True)


def _run_day(month: MonthOfUse, number: int, day: datetime) -> None:
    for hour in range(24):
        now = day + hour * HOUR
        tier_schedule.move_due_tiers(month.id, now=now)
        if hour == NIGHT:
            _daily_jobs(month, now)
            if number % 7 == 0:
                texts = [text.format(store=_STORES[number // 7]) for text in _FACTS]
                drafts = [Draft(content=text) for text in texts]
                remember_many(month.place.actor, drafts, now=now)
            _embed(month, now)
        if hour in ASKING and number >= IMPORTING:
            for _ in range(month.recalls):
                _recall_with_feedback(month, now)


def _week(month: MonthOfUse, number: int) -> Counter[str]:
    return month.weeks.setdefault(number // 7, Counter())


def _daily_jobs(month: MonthOfUse, now: datetime) -> None:
    """Write the day's jobs and do them, as a worker does."""
    for made in daily_jobs.enqueue_due(month.id, now=now):
        taken = job_queue.lease_job(month.id, made.id, None)
        if taken is None:
            raise RuntimeError(f"{made.kind} of {made.period} could not be taken")
        _, job = taken
        if not organisation_run.run_time_slice(job, now=now, turn=job_queue.JobTimeSlice(3600.0)):
            raise RuntimeError(f"{made.kind} of {made.period} did not end")
        job_queue.finish_job(None, job)
        month.jobs.update({k: v for k, v in job.result.items() if isinstance(v, int)})


def _recall_with_feedback(month: MonthOfUse, now: datetime) -> None:
    """One recall that counts, and feedback on its first hits."""
    if month.asked and month.lot.random() < 0.5:
        few = month.asked[:FAVOURITES] if month.lot.random() < 0.5 else month.asked
        one = month.lot.choice(few)
        text, group, wanted = one.text, one.group, set(one.evidence)
    else:
        key = month.lot.choice(list(month.texts))
        text, group = month.texts[key]
        wanted = {key}
    # For nobody: what is asked for a member moves no tier where few people read.
    query = Query(text=text[:500], group=group)
    try:
        answer = recall(month.place.actor, query, now=now, load=fetch_answer_rows)
    except NotFoundError:
        month.refused += 1
        return
    month.served += bool(answer.hits)
    for hit, row in answer.hits[:REPORTED]:
        useful = row.key in wanted
        with suppress(NotFoundError):
            record_feedback(
                month.place.actor,
                recall_id=answer.recall_id,
                memory_id=hit.id,
                usefulness=USEFUL if useful else USELESS,
                outcome="success" if useful else "failure",
                now=now,
            )
            month.told += 1


def _recall_at_10(month: MonthOfUse, questions: Sequence[EvidenceQuestion], now: datetime) -> float:
    found = [ask(month.place, one, DEFAULT, True, now=now) for one in questions]
    return 100 * mean([one["recall@10"] for one in found if not one.get("refused")] or [0.0])


def _consolidated_twice(month: MonthOfUse, now: datetime) -> Counter[str]:
    """What the second of two runs at the same moment did."""
    result: dict[str, Any] = {}
    for _ in range(2):
        job = lease_manual_run(month.id, JobType.CONSOLIDATE, now=now)
        organisation_run.run_time_slice(job, now=now, turn=job_queue.JobTimeSlice(3600.0))
        job_queue.finish_job(None, job)
        result = job.result
    return Counter({name: number for name, number in result.items() if isinstance(number, int)})


def _count_rows(month: MonthOfUse, start: datetime) -> None:
    """What the tables say of each week: the counts of the jobs alone prove nothing."""
    with organisation_scope(month.id, using=WORKER):
        rows = Memory.objects.using(WORKER).filter(organisation_id=month.id)
        items = Proposal.objects.using(WORKER).filter(organisation_id=month.id)
        made = rows.filter(key__startswith=SUMMARY_KEY_PREFIX).values_list("created_at", flat=True)
        gone = rows.exclude(archived_at=None).values_list("archived_at", flat=True)
        moves = Transition.objects.using(WORKER).filter(organisation_id=month.id)
        steps = list(moves.values_list("from_tier", "to_tier", "moved_at"))
        found = {
            "promoted": [at for a, b, at in steps if faster_tier(a) == b],
            "demoted": [at for a, b, at in steps if slower_tier(a) == b],
            "summaries": list(made),
            "archived": list(gone),
            **{
                name: list(items.filter(cause=cause).values_list("created_at", flat=True))
                for name, cause in (
                    ("duplicates", ProposalCause.DUPLICATE),
                    ("contradictions", ProposalCause.CONTRADICTION),
                    ("full tiers", ProposalCause.CAPACITY),
                )
            },
        }
    for name, moments in found.items():
        for at in moments:
            _week(month, min(DAYS - 1, (at - start).days))[name] += 1


def _figures(
    month: MonthOfUse, imported: int, recalls: dict[str, float], again: Counter[str], questions: int
) -> dict[str, Any]:
    with organisation_scope(month.id, using=WORKER), connections[WORKER].cursor() as cursor:
        rows = Memory.objects.using(WORKER).filter(organisation_id=month.id)
        summary = Q(key__startswith=SUMMARY_KEY_PREFIX)
        counts = rows.aggregate(
            whole=Count("id"),
            summaries=Count("id", filter=summary),
            originals=Count("id", filter=~summary | Q(key=None)),
            active=Count("id", filter=Q(status="active")),
            archived=Count("id", filter=Q(status="archived")),
        )
        cursor.execute(_TOO_SOON, [month.id])
        [too_soon] = cursor.fetchone()
        cursor.execute(_TWICE, [month.id, f"{SUMMARY_KEY_PREFIX}%"])
        [twice] = cursor.fetchone()
    brought = imported + len(_FACTS) * -(-DAYS // 7)
    return {
        **counts,
        "imported": imported,
        "brought": brought,
        "lost": brought - counts["originals"],
        "in no known state": counts["whole"] - counts["active"] - counts["archived"],
        "moved_within_a_day": too_soon,
        "summarised_twice": twice,
        "again_moved": again["promoted"] + again["demoted"],
        "again_proposed": again["duplicates"] + again["contradictions"],
        "feedback": month.told,
        "recalls_with_hits": month.served,
        "refused": month.refused,
        "jobs": dict(month.jobs),
        "weeks": {number: dict(one) for number, one in month.weeks.items()},
        "recall@10": recalls,
        "questions": questions,
    }


def _tables(name: str, month: MonthOfUse, figures: dict[str, Any]) -> list[Table]:
    weeks: list[list[Any]] = [
        [f"week {number + 1}", *(month.weeks[number][one] for one in COUNTED)]
        for number in sorted(month.weeks)
    ]
    whole = [sum(one[name] for one in month.weeks.values()) for name in COUNTED]
    note = (
        f"{figures['imported']:,} memories imported in the first {IMPORTING} days; "
        f"{figures['feedback']:,} reports on {figures['recalls_with_hits']:,} recalls; workers may "
        f"summarise from day {EVICTING + 1} on."
    )
    first = Table(f"A month over {name}", ["", *COUNTED], [*weeks, ["month", *whole]], note)
    kept = ["brought", "summaries", "active", "archived", "lost", "in no known state",
            "summarised_twice", "moved_within_a_day", "again_moved"]  # fmt: skip
    names = ["brought", "summaries", "active", "archived", "lost", "in no known state",
             "summarised twice", "moved twice in a day", "moved by a second run"]  # fmt: skip
    second = Table(f"Nothing lost, {name}", names, [[figures[one] for one in kept]])
    recalls = figures["recall@10"]
    third = Table(
        f"recall@10 in percent, {name}",
        list(recalls),
        [[f"{value:.1f}" for value in recalls.values()]],
        f"{figures['questions']} questions of which all evidence was imported. Until the second "
        "nothing was archived; after the month evidence that was summarised counts as missed.",
    )
    return [first, second, third]
