"""One erasure while it runs: whose it is, and how its statements reach the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db import connections

from memories.privacy.erasure.models import Erasure, SourceKind, Target
from orgs.database.rls import organisation_scope

WORKER = "worker"
# Before every id.
FIRST = UUID(int=0)
# Rows of one transaction.
BATCH = 1_000


# What Postgres calls the type of a column of JSON, which Django's cursors hand on as text.
_JSONB = 3802


def decoded(cursor: Any) -> list[tuple[Any, ...]]:
    """The rows of a cursor, JSON as what it says."""
    kinds = [column.type_code == _JSONB for column in cursor.description]
    return [
        tuple(
            orjson.loads(value) if is_json and isinstance(value, str) else value
            for value, is_json in zip(row, kinds, strict=True)
        )
        for row in cursor.fetchall()
    ]


@dataclass(frozen=True, slots=True)
class Running:
    """An erasure and the moment of its turn. The worker reads every audience of the organisation
    and answers nobody: its statements hand on ids and counts alone."""

    erasure: Erasure
    now: datetime

    @property
    def organisation_id(self) -> UUID:
        return self.erasure.organisation_id

    @property
    def member_id(self) -> UUID | None:
        """Who is erased, where it is a member."""
        return self.erasure.target if self.erasure.what == Target.MEMBER else None

    def is_source(self, kind: SourceKind) -> bool:
        """Whether it is a source of that kind."""
        return self.erasure.what == Target.SOURCE and self.erasure.source == kind

    def values(self, **more: Any) -> dict[str, Any]:
        """What the statements name."""
        erasure = self.erasure
        return {
            "organisation": erasure.organisation_id,
            "erasure": erasure.id,
            "target": erasure.target,
            "now": self.now,
            **more,
        }

    def change(self, statement: str, values: Mapping[str, Any] | None = None) -> int:
        """Run one statement as the worker, in a transaction; how many rows it touched."""
        with (
            organisation_scope(self.organisation_id, using=WORKER),
            connections[WORKER].cursor() as cursor,
        ):
            cursor.execute(statement, self.values(**(values or {})))
            return int(cursor.rowcount)

    def rows(
        self, statement: str, values: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """What one statement returns, as the worker."""
        with (
            organisation_scope(self.organisation_id, using=WORKER),
            connections[WORKER].cursor() as cursor,
        ):
            cursor.execute(statement, self.values(**(values or {})))
            return decoded(cursor)

    def bury(self, kind: str, ids: str, *, derived: bool = False, **values: Any) -> int:
        """Set a tombstone for every id of a SELECT that has none; how many are new."""
        return self.change(
            f"INSERT INTO memories_tombstone (id, organisation_id, erasure_id, kind, target, "
            f"derived, at) SELECT gen_random_uuid(), %(organisation)s, %(erasure)s, %(kind)s, "
            f"found.id, %(derived)s, %(now)s "
            f"FROM (SELECT DISTINCT f.id FROM ({ids}) AS f (id)) AS found "
            "ON CONFLICT (organisation_id, target) DO UPDATE SET erasure_id = excluded.erasure_id "
            # Of an erasure that stopped for good somebody else takes over what is left.
            "WHERE memories_tombstone.gone_at IS NULL "
            "AND memories_tombstone.erasure_id <> excluded.erasure_id",
            {"kind": kind, "derived": derived, **values},
        )

    def due(self, kind: str, limit: int = BATCH, *, after: UUID = FIRST) -> list[UUID]:
        """Ids behind one, with a tombstone of this erasure, whose rows are still to go."""
        rows = self.rows(
            "SELECT target FROM memories_tombstone WHERE organisation_id = %(organisation)s "
            "AND erasure_id = %(erasure)s AND kind = %(kind)s AND gone_at IS NULL "
            "AND target > %(after)s ORDER BY target LIMIT %(limit)s",
            {"kind": kind, "limit": limit, "after": after},
        )
        return [id_ for (id_,) in rows]

    def buried(self) -> list[UUID]:
        """Every memory with a tombstone of this erasure."""
        rows = self.rows(
            "SELECT target FROM memories_tombstone WHERE organisation_id = %(organisation)s "
            "AND erasure_id = %(erasure)s AND kind = 'memory' ORDER BY target"
        )
        return [id_ for (id_,) in rows]

    def mark_gone(self, ids: Sequence[UUID]) -> None:
        """Their rows are not there any more."""
        self.change(
            "UPDATE memories_tombstone SET gone_at = %(now)s "
            "WHERE organisation_id = %(organisation)s AND target = ANY (%(ids)s)",
            {"ids": list(ids)},
        )
