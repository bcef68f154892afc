"""Earlier rows that new memories may repeat, found by key or hash."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection

from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import insert_scope

if TYPE_CHECKING:
    from memories.ingestion.build_memory import ResolvedDraft


@dataclass(frozen=True, slots=True)
class ExistingMemory:
    id: UUID
    audience_id: UUID
    content_hash: bytes
    key: str | None
    conversation: str | None
    occurred_at: datetime | None
    deposited_by: UUID | None
    forgotten_by_subject: bool

    def stands_for(self, row: Memory) -> bool:
        """Whether the database's unique constraints would treat both as the same memory."""
        return all(
            getattr(self, name) == getattr(row, name)
            for name in ("audience_id", "key", "conversation", "occurred_at", "deposited_by")
        ) and self.content_hash == bytes(row.content_hash)


@dataclass(slots=True)
class ExistingMemories:
    """Rows with one of the batch's keys or hashes, also rows that the writer may not read."""

    _by_key: dict[tuple[UUID, str], ExistingMemory] = field(default_factory=dict)
    _by_hash: dict[tuple[UUID, bytes], list[ExistingMemory]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, row: "ExistingMemory | Memory") -> None:
        digest = bytes(row.content_hash)
        kept = ExistingMemory(
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

    def by_key(self, audience_id: UUID, key: str | None) -> ExistingMemory | None:
        return self._by_key.get((audience_id, key)) if key is not None else None

    def by_hash(self, audience_id: UUID, digest: bytes) -> list[ExistingMemory]:
        return self._by_hash.get((audience_id, digest), [])


_COLUMNS = (
    "id, audience_id, content_hash, key, conversation, occurred_at, deposited_by, "
    "forgotten_by_subject"
)
# Each is looked up by itself: the planner would compare every row of an audience with each of a
# thousand hashes. UNION, because a row may have the hash of one and the key of another.
_MATCH_SQL = """
SELECT m.* FROM unnest(%({many})s::{kind}[]) AS given (value), LATERAL (
    SELECT {columns} FROM memories_memory x
    WHERE x.organisation_id = %(organisation)s AND x.audience_id = ANY(%(audiences)s::uuid[])
        AND x.{column} = given.value OFFSET 0) AS m
"""
_READABLE_SQL = " UNION ".join(
    _MATCH_SQL.format(many=many, kind=kind, column=column, columns=_COLUMNS)
    for many, kind, column in (("hashes", "bytea", "content_hash"), ("keys", "text", "key"))
)
_DEPOSITED_SQL = f"SELECT {_COLUMNS} FROM search.deposited(%(hashes)s, %(keys)s)"


def fetch_deposits(audience_id: UUID, digest: bytes) -> list[ExistingMemory]:
    """Rows with this hash in an audience where the writer may deposit but not read."""
    with insert_scope([audience_id]), connection.cursor() as cursor:
        cursor.execute(_DEPOSITED_SQL, {"hashes": [digest], "keys": []})
        return [
            ExistingMemory(row[0], row[1], bytes(row[2]), *row[3:]) for row in cursor.fetchall()
        ]


def load_existing(items: Sequence["ResolvedDraft"], robot_id: UUID) -> ExistingMemories:
    """The earlier rows for a batch. For deposits a SECURITY DEFINER function looks them up, only in
    their audiences."""
    return _load_existing(
        items[0].placement.principal.organisation_id,
        readable={i.placement.audience_id for i in items if not i.placement.is_deposit},
        deposits=any(i.placement.is_deposit for i in items),
        hashes={one for i in items for one in i.hashes},
        keys={i.key for i in items if i.key is not None},
        robot_id=robot_id,
    )


def load_existing_for_rows(
    rows: Sequence[Memory], robot_id: UUID, audiences: frozenset[UUID]
) -> ExistingMemories:
    """`load_existing` for finished rows of a writer who reads `audiences`."""
    return _load_existing(
        rows[0].organisation_id,
        readable={row.audience_id for row in rows} & audiences,
        deposits=any(row.deposited_by for row in rows),
        hashes={bytes(row.content_hash) for row in rows},
        keys={row.key for row in rows if row.key is not None},
        robot_id=robot_id,
    )


def _load_existing(
    organisation_id: UUID,
    *,
    readable: set[UUID],
    deposits: bool,
    hashes: set[bytes],
    keys: set[str],
    robot_id: UUID,
) -> ExistingMemories:
    earlier = ExistingMemories()
    parameters: dict[str, Any] = {
        "organisation": organisation_id,
        "audiences": list(readable),
        "hashes": list(hashes),
        "keys": list(keys),
    }
    if readable:
        for row in fetch_all(_READABLE_SQL, parameters):
            earlier.add(ExistingMemory(row[0], row[1], bytes(row[2]), *row[3:]))
    if deposits:
        with connection.cursor() as cursor:
            cursor.execute(_DEPOSITED_SQL, parameters)
            for row in cursor.fetchall():
                found = ExistingMemory(row[0], row[1], bytes(row[2]), *row[3:])
                if found.deposited_by == robot_id or found.forgotten_by_subject:
                    earlier.add(found)
    return earlier


def get_subject_id(memory_id: UUID) -> UUID | None:
    """The member whom a readable memory is about, else its speaker."""
    row = Memory.objects.values_list("member_id", "speaker_member_id").get(id=memory_id)
    return row[0] or row[1]
