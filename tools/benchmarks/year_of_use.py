"""An organisation as people meet it after a year: chats, facts, a queue, a trail, the log.

Everything goes in in bulk, in the product's own role where that is quick enough. Texts are made-up
words; what a page does with them does not depend on what they say.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
from django.db import models
from django.utils import timezone

from memories.curation.decision_records.models import Decision
from memories.indexing.organisation_indexes import maintain_indexes
from memories.ingestion import memory_writes
from memories.jobs.models import Job
from memories.knowledge_graph.models import Edge, Entity
from memories.knowledge_graph.node_ids import compute_node_id
from memories.retrieval.models import Recall
from memories.review.models import Proposal
from memories.store.models.choices import Category, Kind, Status, Tier
from memories.store.models.memory import Memory
from memories.store.models.use import Transition
from memories.store.models.version import Operation
from orgs.accounts.sessions import actor_of
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.members.invitations import create_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, Organisation
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.organisations import create_organisation
from orgs.principals import resolve_principal
from robots.models.robots import Robot
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import create_robot_in_groups
from tools.benchmarks.synthetic import CLUSTERS, DIMENSIONS, Vocabulary, sample_clustered
from tools.benchmarks.vector_copy import copy_vectors

GROUPS, PEOPLE, ROBOTS, SUBJECTS, MINES = 60, 200, 12, 300, 6
CHUNK = 2_000
YEAR = timedelta(days=365)
# Of a hundred memories: turns of long chats and of short ones, for everyone, for one person.
CHANNEL, SHORT, OPEN, PRIVATE = 28, 56, 62, 65
TURNS = 15
FACTS = [one for one in Category.values if one != Category.PREFERENCE]


@dataclass(slots=True)
class YearOfUse:
    """ada is an admin and sits in every group, mina is a member and sits in MINES of them."""

    organisation: Organisation
    ada: Member
    mina: Member
    groups: list[Group]
    people: list[Member]
    robots: list[Robot]
    audiences: list[UUID]
    own: dict[UUID, UUID]
    everyone: UUID
    memories: list[Memory]

    @property
    def scope(self) -> Scope:
        seen = (*self.audiences, *self.own.values(), self.everyone)
        return Scope(organisation=self.organisation.id, audiences=seen)


def fill_year_of_use(size: int) -> YearOfUse:
    """So many memories, and beside them in proportion what the pages show."""
    rng, now = Random(size), timezone.now()  # noqa: S311 - no secret
    made = _create_people(now)
    numbers = np.random.default_rng(size)
    words = Vocabulary(numbers)
    centres = numbers.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    for first in range(0, size, CHUNK):
        count = min(CHUNK, size - first)
        rows = list(_memories(made, rng, words.texts(count, 6, 24), first, size, now))
        with scope(made.scope):
            memory_writes.insert_memories(rows, organisation=made.organisation, now=now, said=True)
        grouped = [row for row in rows if row.kind == Kind.GROUP]
        copy_vectors(
            made.organisation.id,
            grouped,
            sample_clustered(numbers, centres, len(grouped)).astype(np.float16),
        )
        made.memories += rows
    waiting: dict[type[models.Model], list[models.Model]] = defaultdict(list)
    for one in _other_rows(made, rng, size, now):
        waiting[type(one)].append(one)
        if len(waiting[type(one)]) == CHUNK:
            _store(made, waiting.pop(type(one)))
    for some in waiting.values():
        _store(made, some)
    vacuum_tables()
    maintain_indexes()
    return made


def _store(made: YearOfUse, rows: list[models.Model]) -> None:
    with scope(made.scope):
        type(rows[0])._default_manager.bulk_create(rows)


def _create_people(now: datetime) -> YearOfUse:
    organisation = create_organisation(name=f"Desk {now:%H%M%S%f}", now=now)
    with organisation_scope(organisation.id):
        ada, mina = (
            create_member(
                organisation_id=organisation.id,
                name=name,
                email=f"{name.lower()}@{organisation.slug}.example",
                role=role,
                password="a long word of a bench",
                now=now,
            )[0]
            for name, role in (("Ada", Role.ADMIN), ("Mina", Role.MEMBER))
        )
        people = [ada, mina] + [
            create_member(organisation_id=organisation.id, name=f"Person {n}", now=now)[0]
            for n in range(PEOPLE)
        ]
        groups = [
            create_group(
                organisation_id=organisation.id, external_id=f"group-{n}", name=f"#g{n}", now=now
            )
            for n in range(GROUPS)
        ]
        for n, group in enumerate(groups):
            sit = [ada.id, *([mina.id] if n < MINES else []), *(p.id for p in people[n + 2 :: 20])]
            add_to_group(organisation_id=organisation.id, group_id=group.id, member_ids=sit)
        audiences = [ensure_audience(organisation.id, "group", str(g.id), g.id) for g in groups]
    robots = [
        create_robot_in_groups(organisation.id, [g.id for g in groups])[0] for _ in range(ROBOTS)
    ]
    known = {member.id: resolve_principal(actor_of(member)) for member in (ada, mina)}
    own = {id_: one.own_audience for id_, one in known.items() if one.own_audience}
    everyone = known[ada.id].organisation_audience
    return YearOfUse(organisation, ada, mina, groups, people, robots, audiences, own, everyone, [])


def _memories(
    made: YearOfUse, rng: Random, texts: list[str], first: int, size: int, now: datetime
) -> Iterator[Memory]:
    for n, text in enumerate(texts, start=first):
        share, g, person = rng.randrange(100), rng.randrange(GROUPS), rng.choice(made.people)
        at = now - YEAR * (1 - n / size)
        row = Memory(
            organisation_id=made.organisation.id,
            kind=Kind.GROUP,
            audience_id=made.audiences[g],
            group_id=made.groups[g].id,
            content=text,
            content_hash=sha256(f"{n} {text}".encode()).digest(),
            robot_id=made.robots[n % ROBOTS].id,
            position=n,
            occurred_at=at,
            created_at=at,
            updated_at=at,
            first_tier=Tier.SLOW,
        )
        if share < SHORT:
            row.type, row.speaker_member_id, row.speaker = "conversation", person.id, person.name
            row.conversation = f"c{n // TURNS}" if share >= CHANNEL else made.groups[g].external_id
            if share >= CHANNEL:
                g = n // TURNS % GROUPS
                row.audience_id, row.group_id = made.audiences[g], made.groups[g].id
        else:
            row.category, row.importance = rng.choice(FACTS), rng.random()
            row.tags = [f"t{rng.randrange(40)}"]
            row.status = rng.choices(
                (Status.ACTIVE, Status.FORGOTTEN, Status.ARCHIVED), (92, 4, 4)
            )[0]
            row.member_id = None
            if row.status == Status.FORGOTTEN:
                row.forgotten_at = now
        if SHORT <= share < OPEN:
            row.kind, row.audience_id, row.group_id = Kind.ORGANISATION, made.everyone, None
        elif OPEN <= share < PRIVATE:
            one = made.ada if share % 2 else made.mina
            row.kind, row.audience_id, row.group_id = Kind.DIRECT, made.own[one.id], None
            row.member_id = one.id
        yield row


def _other_rows(made: YearOfUse, rng: Random, size: int, now: datetime) -> Iterator[models.Model]:
    """What stands beside memories: observations, moves, recalls, items, decisions, the trail."""
    yield from _memory_parts(made, rng, now)
    grouped = [m for m in made.memories if m.kind == Kind.GROUP and m.status == Status.ACTIVE]
    yield from _review_items(made, rng, grouped, size // 50, now)
    organisation_id = made.organisation.id
    for n in range(size):
        row = rng.choice(made.memories)
        yield AuditEntry(
            organisation_id=organisation_id,
            at=now - YEAR * (1 - n / size),
            action=rng.choice(
                ("memory.edited", "memory.shared", "memory.forgotten", "robot.heard")
            ),
            member=rng.choice(made.people).id,
            robot=made.robots[n % ROBOTS].id,
            target_type="memory",
            target=row.id,
            detail={"from": "a", "to": "b"},
        )
    for n in range(size // 20):
        hits = [{"memory": str(rng.choice(grouped).id), "score": 0.5} for _ in range(10)]
        yield Recall(
            organisation_id=organisation_id,
            audience_id=made.own[made.ada.id],
            member_id=made.ada.id,
            strategy="hybrid",
            hits=hits,
            answered="yes",
            confidence=0.7,
            took_ms=9.0,
            created_at=now - timedelta(minutes=n),
        )
    for n in range(size // 200):
        yield Job(
            organisation_id=organisation_id,
            audience_id=made.own[made.ada.id],
            member_id=made.ada.id,
            kind="change",
            state="done",
            parameters={"action": "set"},
            done=5,
            total=5,
            created_at=now - timedelta(hours=n),
            queued_at=now - timedelta(hours=n),
            finished_at=now - timedelta(hours=n),
        )


def _memory_parts(made: YearOfUse, rng: Random, now: datetime) -> Iterator[models.Model]:
    organisation_id = made.organisation.id
    for n, row in enumerate(made.memories):
        part: dict[str, Any] = {
            "organisation_id": organisation_id,
            "memory_id": row.id,
            "audience_id": row.audience_id,
            "kind": row.kind,
        }
        subject = f"subject{min(rng.randrange(SUBJECTS), rng.randrange(SUBJECTS))}"
        node = compute_node_id(organisation_id, "concept", subject)
        yield Entity(
            **part, node=node, type="concept", name=subject, key=subject, source="rules",
            extracted_at=now,
        )  # fmt: skip
        if row.speaker_member_id:
            yield Edge(
                **part, relation="knows_about", source=row.speaker_member_id, target=node,
                weight=1.0, observed_at=row.created_at,
            )  # fmt: skip
        if n % 3 == 0:
            at = now - timedelta(minutes=n % 5_000)
            robot_id = made.robots[n % ROBOTS].id
            yield Operation(**part, robot_id=robot_id, verb="recall", at=at)
        if n % 10 == 0:
            yield Transition(
                **part, from_tier="fast", to_tier="medium", reason="use", surprise=0.1,
                moved_at=now - timedelta(minutes=n % 9_000),
            )  # fmt: skip
        if row.category == Category.DECISION and row.status == Status.ACTIVE:
            yield Decision(
                **part, topic_hash=sha256(subject.encode()).hexdigest(), words=[subject],
                domain="bench", agree=2,
            )  # fmt: skip


def _review_items(
    made: YearOfUse, rng: Random, grouped: list[Memory], count: int, now: datetime
) -> Iterator[Proposal]:
    """Open ones of three causes, and as many that ada has decided."""
    for n, row in enumerate(rng.sample(grouped, min(2 * count, len(grouped)))):
        cause = ("duplicate", "contradiction", "correction", "report")[n % 4]
        alike = rng.choice(
            [m for m in rng.sample(grouped, 400) if m.group_id == row.group_id] or [row]
        )
        pair = cause in ("duplicate", "contradiction") and alike is not row
        item = Proposal(
            organisation_id=made.organisation.id,
            memory_id=row.id,
            audience_id=row.audience_id,
            kind=row.kind,
            cause=cause if pair or cause in ("correction", "report") else "report",
            other_id=alike.id if pair else None,
            proposed_by_id=None if pair else rng.choice(made.people).id,
            content=f"{row.content} really" if cause == "correction" else "",
            seen_version=1,
            created_at=now - timedelta(minutes=n),
        )
        if n >= count:
            item.state, item.decided_by_id = "approved", made.ada.id
            item.decided_at = now - timedelta(hours=n % 200)
        yield item
