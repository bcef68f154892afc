"""What it costs to serve each fact once: facts that everyone reads, and a member's own.

The same questions are asked with and without `prefer_personal`, in turns: of turns of a
conversation, where nothing is compared; where no fact of one audience is in the other, but many are
nearly like one; and where each is in both.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.embedding.query_cache import get_query_cache
from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from memories.indexing.embed_worker import embed_pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.accounts.sessions import actor_of
from orgs.members.invitations import create_member
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import SCOPES, create_robot_in_groups
from tools.benchmarks.report import print_line
from tools.benchmarks.vectors import cached_vectors

FACTS, QUICK_FACTS, BATCH = 2_000, 60, 500
QUESTIONS, QUICK_QUESTIONS, WARM_UP = 200, 10, 8
_CITIES = ("Lagos", "Oslo", "Quito", "Hanoi", "Turin", "Perth", "Izmir", "Cork", "Brno", "Accra")
_SUBJECTS = ("office", "canteen", "garage", "archive", "workshop", "library", "reception", "store")
_TIMES = ("on Mondays", "on Fridays", "in winter", "at weekends", "in August", "before holidays")
_PREDICATES = ("opens late", "needs a badge", "is cleaned", "has no heating", "closes at noon")


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    facts = QUICK_FACTS if chosen.quick else FACTS
    asked = QUICK_QUESTIONS if chosen.quick else QUESTIONS
    figures: dict[str, Any] = {}
    with cached_vectors(folder) as encoder:
        for name, kind, doubled in STORES:
            figures[name] = measure(fill_store(facts, kind, doubled=doubled), asked)
            encoder.save()
            print_line(f"  {name}: {figures[name]['ratio']}")
    rows = [
        [name, found["plain"]["p50"], found["once"]["p50"], found["ratio"], found["merged"]]
        for name, found in figures.items()
    ]
    note = f"{facts:,} facts, {asked} questions each; load {os.getloadavg()[0]:.1f}. Milliseconds."
    columns = ["store", "plain p50", "each once p50", "ratio", "merged in an answer"]
    return figures, [Table("Two tiers as one answer", columns, rows, note)]


STORES = (
    ("turns", "conversation", True),
    ("nothing is double", "fact", False),
    ("everything is double", "fact", True),
)


def generate_texts(count: int, *, start: int = 0) -> list[str]:
    """Sentences of which no two are the same."""
    found = []
    for n in range(start, start + count):
        where, rest = _CITIES[n % len(_CITIES)], n // len(_CITIES)
        what, rest = _SUBJECTS[rest % len(_SUBJECTS)], rest // len(_SUBJECTS)
        when, rest = _TIMES[rest % len(_TIMES)], rest // len(_TIMES)
        does = _PREDICATES[rest % len(_PREDICATES)]
        found.append(f"The {what} of {where} {does} {when}.")
    return found


def fill_store(count: int, kind: str, *, doubled: bool) -> Actor:
    """Half of the memories for everyone, half for one member alone; who asks is that member."""
    now = timezone.now()
    organisation = create_organisation(name=f"Tiers {now:%H%M%S%f}", now=now)
    robot, _ = create_robot_in_groups(organisation.id, [])
    member, _ = create_member(organisation_id=organisation.id, name="Mina", now=now)
    mina = actor_of(member)
    everyone = Actor(
        organisation_id=organisation.id,
        robot_id=robot.id,
        scopes=frozenset(SCOPES),
        name=robot.name,
    )
    half = count // 2
    own = generate_texts(half, start=0 if doubled else half)
    for who, lines, visibility in (
        (everyone, generate_texts(half), "organisation"),
        (mina, own, "private"),
    ):
        drafts = [Draft(content=line, visibility=visibility, type=kind) for line in lines]
        for first in range(0, len(drafts), BATCH):
            remember_many(who, drafts[first : first + BATCH], now=now)
    while embed_pending(organisation.id, now=timezone.now()):
        pass
    vacuum_tables()
    return mina


def measure(who: Actor, count: int) -> dict[str, Any]:
    """Milliseconds of either way, their ratio, and how many hits stand for another, a question."""
    questions = [text.replace("The", "When is the", 1) for text in generate_texts(count + WARM_UP)]
    spent: dict[bool, list[float]] = {True: [], False: []}
    merged = 0
    for number, text in enumerate(questions):
        for once in (True, False) if number % 2 else (False, True):
            get_query_cache().clear()
            started = time.perf_counter()
            query = Query(text=text, counts=False, prefer_personal=once)
            answer = recall(who, query, now=timezone.now(), load=fetch_answer_rows)
            if number >= WARM_UP:
                spent[once].append((time.perf_counter() - started) * 1000)
                merged += sum(len(hit.merged) for hit, _ in answer.hits)
    plain, once_each = percentiles(spent[False]), percentiles(spent[True])
    return {
        "plain": plain,
        "once": once_each,
        "ratio": round(once_each["p50"] / plain["p50"], 3),
        "merged": round(merged / count, 2),
    }
