"""What a memory was made from, and what was made from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memories.store.models.choices import Status
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from orgs.database.bulk import insert_rows
from orgs.organisations.references import as_uuid

if TYPE_CHECKING:
    from orgs.principals import Principal

# A writer names its sources as {"memories": [ids]} in a memory's `source`.
NAMED = "memories"
MOST = 100


@dataclass(frozen=True, slots=True)
class Lineage:
    """Only what the asker may read; at most MOST each, newest first."""

    derived_from: list[Memory]
    used_in: list[Memory]


def named_sources(row: Memory) -> list[UUID]:
    """The ids that the writer says the memory was made from."""
    given = row.source.get(NAMED) if isinstance(row.source, dict) else None
    if not isinstance(given, list):
        return []
    found = [as_uuid(one) for one in given[:MOST] if isinstance(one, str)]
    return list(dict.fromkeys(id_ for id_ in found if id_ and id_ != row.id))


def derive(rows: Sequence[Memory], now: datetime) -> None:
    """Note the sources that new memories name and their writer may read; others are passed over.

    Call inside the writer's scope.
    """
    wanted = {row.id: named_sources(row) for row in rows if row.source}
    ids = {id_ for sources in wanted.values() for id_ in sources}
    if not ids:
        return
    organisation_id = rows[0].organisation_id
    readable = Memory.objects.filter(organisation_id=organisation_id, id__in=ids)
    known = readable.exclude(status=Status.FORGOTTEN).in_bulk()
    insert_rows(
        [
            made_from(row, id_, known[id_].audience_id, known[id_].kind, now)
            for row in rows
            for id_ in wanted.get(row.id, ())
            if id_ in known
        ]
    )


def made_from(
    row: Memory, source_id: UUID, audience_id: UUID, kind: str, now: datetime
) -> Derivation:
    """The note that a memory was made from a source of that audience and kind; not stored yet."""
    return Derivation(
        organisation_id=row.organisation_id,
        memory_id=row.id,
        audience_id=row.audience_id,
        kind=row.kind,
        source_id=source_id,
        source_audience_id=audience_id,
        source_kind=kind,
        created_at=now,
    )


def lineage_of(principal: "Principal", memory: Memory) -> Lineage:
    """Both directions; call inside the principal's scope."""
    links = Derivation.objects.filter(organisation_id=principal.organisation_id)
    rows = (
        Memory.objects.filter(organisation_id=principal.organisation_id)
        .exclude(status=Status.FORGOTTEN)
        .with_names()
        .order_by("-id")
    )
    sources = links.filter(memory_id=memory.id).values("source_id")
    made = links.filter(source_id=memory.id).values("memory_id")
    return Lineage(list(rows.filter(id__in=sources)[:MOST]), list(rows.filter(id__in=made)[:MOST]))
