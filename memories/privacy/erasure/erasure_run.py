"""The state of a running erasure, and how its statements are run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db import connections

from memories.privacy.erasure.models import Erasure, ErasureSource, ErasureTarget
from orgs.database.rls import organisation_scope

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

    def bury(self, kind: str, ids: str, *, derived: bool = False, **values: Any) -> int:
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
