"""The rows behind a memory, in bulk; call inside the writer's scope."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection

from memories.models import Contribution, Embedding, Memory, Pending, Status, Text
from orgs.models import new_id
from orgs.rls import current_scope, deposit_scope

if TYPE_CHECKING:
    from memories.services.remembering import Item

# Postgres takes tsvectors up to 1 MiB and word positions up to 16,383; more words find nothing.
INDEXED_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class EarlierRow:
    id: UUID
    audience_id: UUID
    content_hash: bytes
    key: str | None
    conversation: str | None
    occurred_at: datetime | None
    deposited_by: UUID | None
    forgotten_by_subject: bool


@dataclass(slots=True)
class Earlier:
    """Rows with one of the batch's keys or hashes, whether the writer may read them or not."""

    _by_key: dict[tuple[UUID, str], EarlierRow] = field(default_factory=dict)
    _by_hash: dict[tuple[UUID, bytes], list[EarlierRow]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, row: "EarlierRow | Memory") -> None:
        digest = bytes(row.content_hash)
        kept = EarlierRow(
            row.id,
            row.audience_id,
            digest,
            row.key,
            row.conversation,
            row.occurred_at,
            row.deposited_by,
            row.forgotten_by_subject,
        )
        self._by_hash[(row.audience_id, digest)].append(kept)
        if row.key is not None:
            self._by_key[(row.audience_id, row.key)] = kept

    def by_key(self, audience_id: UUID, key: str | None) -> EarlierRow | None:
        return self._by_key.get((audience_id, key)) if key is not None else None

    def by_hash(self, audience_id: UUID, digest: bytes) -> list[EarlierRow]:
        return self._by_hash.get((audience_id, digest), [])


_COLUMNS = (
    "id, audience_id, content_hash, key, conversation, occurred_at, deposited_by, "
    "forgotten_by_subject"
)
_READABLE = (
    f"SELECT {_COLUMNS} FROM memories_memory WHERE organisation_id = %(organisation)s "
    "AND audience_id = ANY(%(audiences)s) "
    "AND (content_hash = ANY(%(hashes)s) OR key = ANY(%(keys)s))"
)
_DEPOSITED = f"SELECT {_COLUMNS} FROM search.deposited(%(hashes)s, %(keys)s)"


def earlier_rows(items: Sequence["Item"], robot_id: UUID) -> Earlier:
    """What the batch may repeat. For deposits a definer function looks, in those audiences only."""
    return _earlier(
        items[0].placement.principal.organisation_id,
        readable={i.placement.audience_id for i in items if not i.placement.is_deposit},
        deposits=any(i.placement.is_deposit for i in items),
        hashes={i.hash for i in items},
        keys={i.key for i in items if i.key is not None},
        robot_id=robot_id,
    )


def earlier_of(rows: Sequence[Memory], robot_id: UUID, audiences: frozenset[UUID]) -> Earlier:
    """The same for rows that are made already, by a writer who reads `audiences`."""
    return _earlier(
        rows[0].organisation_id,
        readable={row.audience_id for row in rows} & audiences,
        deposits=any(row.deposited_by for row in rows),
        hashes={bytes(row.content_hash) for row in rows},
        keys={row.key for row in rows if row.key is not None},
        robot_id=robot_id,
    )


def _earlier(
    organisation_id: UUID,
    *,
    readable: set[UUID],
    deposits: bool,
    hashes: set[bytes],
    keys: set[str],
    robot_id: UUID,
) -> Earlier:
    earlier = Earlier()
    parameters = {
        "organisation": organisation_id,
        "audiences": list(readable),
        "hashes": list(hashes),
        "keys": list(keys),
    }
    with connection.cursor() as cursor:
        if readable:
            cursor.execute(_READABLE, parameters)
            for row in cursor.fetchall():
                earlier.add(EarlierRow(row[0], row[1], bytes(row[2]), *row[3:]))
        if deposits:
            cursor.execute(_DEPOSITED, parameters)
            for row in cursor.fetchall():
                found = EarlierRow(row[0], row[1], bytes(row[2]), *row[3:])
                if found.deposited_by == robot_id or found.forgotten_by_subject:
                    earlier.add(found)
    return earlier


_INSERT_TEXT = """
INSERT INTO memories_text
    (id, organisation_id, memory_id, audience_id, kind, group_id, own, lexemes, length)
SELECT id, %(organisation)s, id, audience_id, kind, group_id, own, setweight(own, 'A'), length(own)
FROM (
    SELECT id, audience_id, kind, group_id, to_tsvector(%(language)s::regconfig, words) AS own
    FROM unnest(%(ids)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[], %(groups)s::uuid[],
                %(words)s::text[]) AS given (id, audience_id, kind, group_id, words)
    OFFSET 0
) AS parsed
"""


def searchable(memory: Memory) -> str:
    """The words by which a memory is found: when, who, about what, and its text."""
    at = memory.occurred_at
    when = f"{at:%-d %B %Y}" if at else ""
    return f"{when} {memory.speaker} {memory.topic} {memory.content[:INDEXED_CHARACTERS]}"


def insert(rows: Sequence[Memory], *, language: str, now: datetime) -> None:
    """New memories with contribution, text row and the embedding that is owed."""
    if not rows:
        return
    unread = {row.audience_id for row in rows} - set(current_scope().audiences)
    with deposit_scope(sorted(unread | set(current_scope().deposit))):
        Memory.objects.bulk_create(rows)
        Contribution.objects.bulk_create(
            [
                Contribution(
                    organisation_id=row.organisation_id,
                    memory_id=row.id,
                    audience_id=row.audience_id,
                    kind=row.kind,
                    robot_id=row.robot_id,
                    member_id=row.author_id,
                    first_at=now,
                    last_at=now,
                )
                for row in rows
            ]
        )
        index([row for row in rows if row.status == Status.ACTIVE], language=language, now=now)


def index(rows: Sequence[Memory], *, language: str, now: datetime) -> None:
    """Make memories findable by words now, and owe them an embedding."""
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT_TEXT,
            {
                "organisation": rows[0].organisation_id,
                "language": language,
                "ids": [row.id for row in rows],
                "audiences": [row.audience_id for row in rows],
                "kinds": [row.kind for row in rows],
                "groups": [row.group_id for row in rows],
                "words": [searchable(row) for row in rows],
            },
        )
    Pending.objects.bulk_create(
        [
            Pending(
                organisation_id=row.organisation_id,
                memory_id=row.id,
                audience_id=row.audience_id,
                kind=row.kind,
                created_at=now,
            )
            for row in rows
        ]
    )


def unindex(organisation_id: UUID, ids: Iterable[UUID]) -> None:
    """Take memories out of every search; they stay where they are."""
    chosen = list(ids)
    for model in (Text, Embedding, Pending):
        model.objects.filter(organisation_id=organisation_id, memory_id__in=chosen).delete()


_CONTRIBUTE_AGAIN = """
INSERT INTO memories_contribution AS c
    (id, organisation_id, memory_id, audience_id, kind, robot_id, first_at, last_at, count)
SELECT given.id, m.organisation_id, m.id, m.audience_id, m.kind, %(robot)s, %(now)s, %(now)s, given.n
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(counts)s::int[]) AS given (id, memory_id, n)
JOIN memories_memory m ON m.id = given.memory_id
ON CONFLICT (organisation_id, memory_id, robot_id)
DO UPDATE SET count = c.count + excluded.count, last_at = excluded.last_at
"""


def repeat(counts: Mapping[UUID, int], robot_id: UUID, now: datetime) -> dict[UUID, int]:
    """Note that known memories were said again: remember_count and the robot's contribution.

    What had been forgotten or archived becomes active. Returns the new remember_count by id.
    """
    if not counts:
        return {}
    rows = list(
        Memory.objects.select_for_update(of=("self",))
        .filter(id__in=counts)
        .select_related("organisation")
        .order_by("id")
    )
    revived = [r for r in rows if r.status in (Status.FORGOTTEN, Status.ARCHIVED)]
    for row in rows:
        row.remember_count += counts[row.id]
        if row in revived:
            row.status, row.forgotten_at, row.archived_at = Status.ACTIVE, None, None
    Memory.objects.bulk_update(rows, ["remember_count", "status", "forgotten_at", "archived_at"])
    with connection.cursor() as cursor:
        cursor.execute(
            _CONTRIBUTE_AGAIN,
            {
                "ids": [new_id() for _ in rows],
                "memories": [row.id for row in rows],
                "counts": [counts[row.id] for row in rows],
                "robot": robot_id,
                "now": now,
            },
        )
    if revived:
        index(revived, language=revived[0].organisation.language, now=now)
    return {row.id: row.remember_count for row in rows}
