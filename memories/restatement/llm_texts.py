"""Single texts that a language model may be shown, by the same rule as turns of a conversation."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from memories.jobs.leases import WORKER
from memories.restatement.llm_windows import SHOWABLE_SQL, OutsideText

_TEXTS_SQL = f"""
SELECT m.id, m.version, m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
  AND m.status = %(status)s AND {SHOWABLE_SQL}
ORDER BY m.id
"""
_LOCK_TEXTS_SQL = f"{_TEXTS_SQL} FOR NO KEY UPDATE OF m"


def fetch_showable(
    organisation_id: UUID,
    ids: Sequence[UUID],
    *,
    status: str = "active",
    hold: bool = False,
    using: str = WORKER,
) -> list[OutsideText]:
    """The memories that may be shown, in full, in the order of ids; call inside a scope that reads
    them.

    hold: lock them until the end of the transaction.
    """
    values: dict[str, Any] = {"organisation": organisation_id, "ids": list(ids), "status": status}
    with connections[using].cursor() as cursor:
        cursor.execute(_LOCK_TEXTS_SQL if hold else _TEXTS_SQL, values)
        return [OutsideText(*row) for row in cursor.fetchall()]
