"""What a memory was made from, and what was made from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


# So many levels are shown above a memory.
LEVELS = 3


class WithoutSources(Exception):
    """What is derived says of what: without that nothing would take it away with its sources."""


@dataclass(frozen=True, slots=True)
class SourceOfRow:
    """A memory from which another was made, with its readers."""

    id: UUID
    audience_id: UUID
    kind: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """Only what the asker may read; at most MOST each, newest first.

    further_back: of what that was made in turn, level by level, LEVELS in all with the first.
    """

    derived_from: list[Memory]
    used_in: list[Memory]
    further_back: list[list[Memory]] = field(default_factory=list)


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


def cite(
    rows: Sequence[Memory], sources: Mapping[UUID, Sequence[SourceOfRow]], now: datetime
) -> None:
    """Note the sources of memories that are not noted yet; inside a scope that reads both."""
    if not rows:
        return
    known = set(
        Derivation.objects.filter(
            organisation_id=rows[0].organisation_id, memory_id__in=[row.id for row in rows]
        ).values_list("memory_id", "source_id")
    )
    insert_rows(
        [
            made_from(row, one.id, one.audience_id, one.kind, now)
            for row in rows
            for one in sources[row.id]
            if (row.id, one.id) not in known
        ]
    )


def source_of(memory: Memory) -> SourceOfRow:
    """A memory as the source of another."""
    return SourceOfRow(memory.id, memory.audience_id, memory.kind)


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
    derived_from = list(rows.filter(id__in=sources)[:MOST])
    return Lineage(
        derived_from,
        list(rows.filter(id__in=made)[:MOST]),
        further_back(principal, derived_from),
    )


def further_back(
    principal: "Principal", level: Sequence[Memory], levels: int = LEVELS
) -> list[list[Memory]]:
    """What the memories of a level were made of, and so on; inside the principal's scope. A level
    that the asker does not read hides those above it."""
    found: list[list[Memory]] = []
    seen = {row.id for row in level}
    while level and len(found) < levels - 1:
        links = Derivation.objects.filter(
            organisation_id=principal.organisation_id, memory_id__in=[row.id for row in level]
        )
        rows = Memory.objects.filter(
            organisation_id=principal.organisation_id, id__in=links.values("source_id")
        ).exclude(status=Status.FORGOTTEN)
        if principal.actor.is_person:
            rows = rows.for_people()
        level = [row for row in rows.with_names().order_by("-id")[:MOST] if row.id not in seen]
        seen |= {row.id for row in level}
        if level:
            found.append(level)
    return found
