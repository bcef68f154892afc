"""Organisations of any size: clustered unit vectors, random text, a hundred groups of equal size.

Memories, words and debts go in through `memories.indexing.search_index` as the app role. Vectors
are copied in binary by the superuser, because filling is not what is measured.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from memories.indexing.organisation_indexes import maintain_indexes
from memories.ingestion import memory_writes
from memories.store.models.choices import Kind
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.members.invitations import create_member
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.organisations import Group, Organisation
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor
from robots.models.robots import Robot
from tools.benchmarks.database import vacuum_tables
from tools.benchmarks.datasets import SCOPES, create_robot_in_groups
from tools.benchmarks.report import print_line
from tools.benchmarks.vector_copy import DIMENSIONS, copy_vectors

GROUPS = 100
CLUSTERS = 200
CHUNK = 2_000
# How far members of a cluster lie from its centre: cosine of two about .6, as for talk on one
# subject.
NOISE = 0.8
WORDS = 4_000

Matrix = NDArray[np.float32]
# What each reader sits in, of GROUPS.
READERS = {"100 %": 100, "10 %": 10, "1 %": 1}


@dataclass(frozen=True, slots=True)
class Reader:
    """A robot that reads a share; alone, or where it sits in one group for a member there."""

    actor: Actor
    key: str
    group: str | None = None
    member: str | None = None


@dataclass(slots=True)
class Synthetic:
    """A filled organisation; row i of `vectors` is memory `ids[i]` in group i % GROUPS."""

    organisation: Organisation
    robot: Robot
    groups: list[Group]
    audiences: list[UUID]
    ids: list[UUID]
    vectors: NDArray[np.float16]
    centres: Matrix
    rng: np.random.Generator
    words: "Vocabulary"

    def reader(self, share: str) -> Reader:
        """A new robot that reads this share. The one of one group acts for a member there."""
        groups = self.groups[: READERS[share]]
        robot, key = create_robot_in_groups(self.organisation.id, [g.id for g in groups])
        actor = Actor(
            organisation_id=self.organisation.id,
            robot_id=robot.id,
            scopes=frozenset(SCOPES),
            name=robot.name,
        )
        if len(groups) > 1:
            return Reader(actor, key)
        member, _ = create_member(
            organisation_id=self.organisation.id, name="Mina", now=timezone.now()
        )
        add_to_group(
            organisation_id=self.organisation.id, group_id=groups[0].id, member_ids=[member.id]
        )
        return Reader(actor, key, groups[0].external_id, str(member.id))

    def questions(self, count: int) -> Matrix:
        """Unit vectors (count, DIMENSIONS) from the same clusters."""
        return sample_clustered(self.rng, self.centres, count)


class Vocabulary:
    """Made-up words, drawn as in a language: the second half as often as the third is rare."""

    SYLLABLES = ("ba", "cor", "den", "fil", "gro", "ha", "jun", "kel", "lo", "mar", "nip", "or",
                 "pes", "qui", "rom", "sta", "tur", "vel", "wen", "zo")  # fmt: skip

    def __init__(self, rng: np.random.Generator) -> None:
        size = len(self.SYLLABLES)
        self.words = [
            self.SYLLABLES[n % size]
            + self.SYLLABLES[n // size % size]
            + self.SYLLABLES[n // size // size % size]
            for n in range(WORDS)
        ]
        # Zipf-Mandelbrot: without the offset every text would hold the first word.
        weights = 1 / (np.arange(WORDS) + 20.0)
        self.shares = weights / weights.sum()
        self.rng = rng

    def text(self, least: int, most: int) -> str:
        """A text of that many words."""
        return self.texts(1, least, most)[0]

    def texts(self, count: int, least: int, most: int) -> list[str]:
        lengths = self.rng.integers(least, most + 1, count)
        drawn = iter(self.rng.choice(WORDS, int(lengths.sum()), p=self.shares))
        return [" ".join(self.words[next(drawn)] for _ in range(n)) for n in lengths]


def sample_clustered(rng: np.random.Generator, centres: Matrix, count: int) -> Matrix:
    """Unit vectors around centres that are drawn at random."""
    spread = rng.standard_normal((count, DIMENSIONS), dtype=np.float32) * NOISE
    found = centres[rng.integers(0, len(centres), count)] + spread / np.sqrt(DIMENSIONS)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def fill_organisation(size: int, *, seed: int = 1) -> Synthetic:
    """Make an organisation with so many memories, their words and vectors."""
    rng = np.random.default_rng(seed)
    now = timezone.now()
    organisation = create_organisation(name=f"Bench {size} {now:%H%M%S%f}", now=now)
    with organisation_scope(organisation.id):
        groups = [
            create_group(organisation_id=organisation.id, external_id=f"group-{n}", now=now)
            for n in range(GROUPS)
        ]
        audiences = [
            ensure_audience(organisation.id, AudienceType.GROUP, str(g.id), g.id) for g in groups
        ]
    robot, _ = create_robot_in_groups(organisation.id, [])
    centres = rng.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vocabulary = Vocabulary(rng)
    made = Synthetic(
        organisation,
        robot,
        groups,
        audiences,
        [],
        np.empty((size, DIMENSIONS), np.float16),
        centres,
        rng,
        vocabulary,
    )
    for first in range(0, size, CHUNK):
        _fill_chunk(made, first, min(CHUNK, size - first), now)
    vacuum_tables()
    started = time.perf_counter()
    if built := maintain_indexes():
        print_line(f"  {len(built)} partial indexes built in {time.perf_counter() - started:.0f} s")
    return made


def _fill_chunk(made: Synthetic, first: int, count: int, now: datetime) -> None:
    rows = list(_memories(made, first, count, now))
    everything = Scope(organisation=made.organisation.id, audiences=tuple(made.audiences))
    with scope(everything):
        memory_writes.insert_memories(rows, organisation=made.organisation, now=now)
    vectors = sample_clustered(made.rng, made.centres, count).astype(np.float16)
    made.ids += [row.id for row in rows]
    made.vectors[first : first + count] = vectors
    copy_vectors(made.organisation.id, rows, vectors)


def _memories(made: Synthetic, first: int, count: int, now: datetime) -> Iterator[Memory]:
    for n, text in enumerate(made.words.texts(count, 10, 30), start=first):
        group = made.groups[n % GROUPS]
        yield Memory(
            id=new_id(),
            organisation_id=made.organisation.id,
            audience_id=made.audiences[n % GROUPS],
            kind=Kind.GROUP,
            type="conversation",
            content=text,
            content_hash=sha256(f"{n} {text}".encode()).digest(),
            robot_id=made.robot.id,
            group_id=group.id,
            conversation=group.external_id,
            position=n,
            created_at=now,
            updated_at=now,
        )
