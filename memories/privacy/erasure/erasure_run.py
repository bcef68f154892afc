"""The state of a running erasure, and how its statements are run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db import connections, models

from orgs.database.rls import organisation_scope
from orgs.models.base import TenantForeignKey, TenantModel

# Erasures, their progress, and tombstones of erased ids. No row has a text.


class ErasureTarget(models.TextChoices):
    MEMBER = "member", "A member"
    MEMORY = "memory", "A memory"
    SOURCE = "source", "A source"


class ErasureSource(models.TextChoices):
    ROBOT = "robot", "Robot"
    KEY = "key", "Key"
    CONVERSATION = "conversation", "Conversation"
    IMPORT = "import", "Import"
    GROUP = "group", "Group"


class Erasure(TenantModel):
    """One erasure. That of a member or a source is readable by curators, that of a memory by
    whoever asked; anybody with the link can read its receipt.

    target: the id of the member, the memory or the source. asked_by: who asked, as an id. counts:
    deleted or changed rows by table. backups_until: the day from which no backup has the data.
    mentions: memories of others that named the member and wait for a curator. incomplete: whether
    older rows may be missed, because they do not have their key or import.
    """

    audience = TenantForeignKey("orgs.Audience")
    what = models.CharField(max_length=6, choices=ErasureTarget.choices)
    source = models.CharField(max_length=12, choices=ErasureSource.choices, blank=True, default="")
    target = models.UUIDField()
    asked_by = models.UUIDField(null=True)
    job = TenantForeignKey("memories.Job", null=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    backups_until = models.DateField(null=True)
    mentions = models.PositiveIntegerField(default=0)
    incomplete = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["organisation", "audience", "-id"], name="erasure_recent"),
            models.Index(fields=["organisation", "target"], name="erasure_target"),
            models.Index(
                fields=["organisation", "job"],
                condition=models.Q(job__isnull=False),
                name="erasure_job",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(what__in=ErasureTarget.values)
                & models.Q(source__in=["", *ErasureSource.values]),
                name="erasure_words_known",
            )
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class ErasureStep(TenantModel):
    """A finished step; a resumed run continues after it."""

    erasure = TenantForeignKey("memories.Erasure")
    name = models.CharField(max_length=20)
    at = models.DateTimeField()
    counts = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "erasure", "name"], name="erasure_step_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.erasure_id}"


class TombstoneType(models.TextChoices):
    """The kind of row of a tombstone."""

    MEMORY = "memory"
    MESSAGE = "message"
    CONVERSATION = "conversation"
    JOB = "job"
    MEMBER = "member"


class Tombstone(TenantModel):
    """The id of an erased row, or one that is being erased; it cannot be written again.

    derived: it was made from another erased row. gone_at: when its row was deleted.
    """

    erasure = TenantForeignKey("memories.Erasure")
    kind = models.CharField(max_length=12, choices=TombstoneType.choices)
    target = models.UUIDField()
    derived = models.BooleanField(default=False)
    at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "target"], name="tombstone_once")
        ]
        indexes = [
            models.Index(
                fields=["organisation", "erasure", "kind", "target"],
                condition=models.Q(gone_at__isnull=True),
                name="tombstone_due",
            ),
            models.Index(fields=["organisation", "erasure"], name="tombstone_erasure"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


WORKER = "worker"
# Less than every id.
LOWEST_ID = UUID(int=0)
# The rows of one transaction.
BATCH_SIZE = 1_000


# The type ids of JSON columns, which Django's cursors return as text.
_JSONB = 3802


def fetch_decoded(cursor: Any) -> list[tuple[Any, ...]]:
    """The rows of a cursor, with JSON decoded."""
    kinds = [column.type_code == _JSONB for column in cursor.description]
    return [
        tuple(
            orjson.loads(value) if is_json and isinstance(value, str) else value
            for value, is_json in zip(row, kinds, strict=True)
        )
        for row in cursor.fetchall()
    ]


@dataclass(frozen=True, slots=True)
class ErasureRun:
    """An erasure and the time of its turn. Its statements run in the role of the worker, which
    reads every audience, and return only ids and counts to callers outside."""

    erasure: Erasure
    now: datetime

    @property
    def organisation_id(self) -> UUID:
        return self.erasure.organisation_id

    @property
    def member_id(self) -> UUID | None:
        """The id of the erased member; None if it is not a member."""
        return self.erasure.target if self.erasure.what == ErasureTarget.MEMBER else None

    def is_source(self, kind: ErasureSource) -> bool:
        """Whether the target is a source of this kind."""
        return self.erasure.what == ErasureTarget.SOURCE and self.erasure.source == kind

    def values(self, **more: Any) -> dict[str, Any]:
        """The parameters of the statements."""
        erasure = self.erasure
        return {
            "organisation": erasure.organisation_id,
            "erasure": erasure.id,
            "target": erasure.target,
            "now": self.now,
            **more,
        }

    def change(self, statement: str, values: Mapping[str, Any] | None = None) -> int:
        """Run one statement in the role of the worker, in a transaction. Returns the number of
        changed rows."""
        with (
            organisation_scope(self.organisation_id, using=WORKER),
            connections[WORKER].cursor() as cursor,
        ):
            cursor.execute(statement, self.values(**(values or {})))
            return int(cursor.rowcount)

    def rows(
        self, statement: str, values: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """The rows that one statement returns, in the role of the worker."""
        with (
            organisation_scope(self.organisation_id, using=WORKER),
            connections[WORKER].cursor() as cursor,
        ):
            cursor.execute(statement, self.values(**(values or {})))
            return fetch_decoded(cursor)

    def create_tombstones(
        self, kind: str, ids: str, *, derived: bool = False, **values: Any
    ) -> int:
        """Set a tombstone for every id of a SELECT that has none. Returns how many are new."""
        return self.change(
            f"INSERT INTO memories_tombstone (id, organisation_id, erasure_id, kind, target, "
            f"derived, at) SELECT gen_random_uuid(), %(organisation)s, %(erasure)s, %(kind)s, "
            f"found.id, %(derived)s, %(now)s "
            f"FROM (SELECT DISTINCT f.id FROM ({ids}) AS f (id)) AS found "
            "ON CONFLICT (organisation_id, target) DO UPDATE SET erasure_id = excluded.erasure_id "
            # Tombstones of an erasure that stopped for good are taken over.
            "WHERE memories_tombstone.gone_at IS NULL "
            "AND memories_tombstone.erasure_id <> excluded.erasure_id",
            {"kind": kind, "derived": derived, **values},
        )

    def due(self, kind: str, limit: int = BATCH_SIZE, *, after: UUID = LOWEST_ID) -> list[UUID]:
        """The next ids after one, with a tombstone of this erasure, whose rows are not deleted
        yet."""
        rows = self.rows(
            "SELECT target FROM memories_tombstone WHERE organisation_id = %(organisation)s "
            "AND erasure_id = %(erasure)s AND kind = %(kind)s AND gone_at IS NULL "
            "AND target > %(after)s ORDER BY target LIMIT %(limit)s",
            {"kind": kind, "limit": limit, "after": after},
        )
        return [id_ for (id_,) in rows]

    def buried(self) -> list[UUID]:
        """The ids of all memories with a tombstone of this erasure."""
        rows = self.rows(
            "SELECT target FROM memories_tombstone WHERE organisation_id = %(organisation)s "
            "AND erasure_id = %(erasure)s AND kind = 'memory' ORDER BY target"
        )
        return [id_ for (id_,) in rows]

    def mark_gone(self, ids: Sequence[UUID]) -> None:
        """Note in the tombstones that the rows are deleted."""
        self.change(
            "UPDATE memories_tombstone SET gone_at = %(now)s "
            "WHERE organisation_id = %(organisation)s AND target = ANY (%(ids)s)",
            {"ids": list(ids)},
        )
