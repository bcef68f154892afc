"""What a memory was made from, and what was made from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memories.store.models.choices import Status
from memories.store.models.memory import SOURCE_IDS_KEY, Memory
from memories.store.models.version import Derivation
from orgs.database.bulk_insert import insert_rows
from orgs.database.prepared_statements import fetch_all
from orgs.organisations.references import parse_uuid

if TYPE_CHECKING:
    from orgs.principals import Principal

MAX_MEMORIES = 100


# So many levels are shown above a memory.
MAX_LEVELS = 3


class MissingSourcesError(Exception):
    """A derived memory must name its sources, because it is removed with them."""


# What the sources of a memory were made of, and so on, with the least number of steps, newest
# first; only through what the scope reads and nobody forgot.
ANCESTORS_SQL = """
WITH RECURSIVE above (id, height) AS (
    SELECT %(id)s::uuid, 0
    UNION
    SELECT m.id, a.height + 1 FROM above a
    JOIN memories_derivation d ON d.organisation_id = %(organisation)s AND d.memory_id = a.id
    JOIN memories_memory m ON m.organisation_id = d.organisation_id AND m.id = d.source_id
        AND m.status <> 'forgotten'
    WHERE a.height < %(levels)s
)
SELECT id, min(height)::int AS height FROM above GROUP BY id HAVING min(height) > 1
ORDER BY 2, id DESC LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class SourceMemory:
    """A memory from which another was made, with its readers."""

    id: UUID
    audience_id: UUID
    kind: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """Only what the principal may read; at most MOST each, newest first.

    further_back: the sources of the sources, level by level; LEVELS in all, with the first.
    """

    derived_from: list[Memory]
    used_in: list[Memory]
    further_back: list[list[Memory]] = field(default_factory=list)


def declared_source_ids(row: Memory) -> list[UUID]:
    """The ids that the writer says the memory was made from."""
    given = row.source.get(SOURCE_IDS_KEY) if isinstance(row.source, dict) else None
    if not isinstance(given, list):
        return []
    found = [parse_uuid(one) for one in given[:MAX_MEMORIES] if isinstance(one, str)]
    return list(dict.fromkeys(id_ for id_ in found if id_ and id_ != row.id))


def record_declared_sources(rows: Sequence[Memory], now: datetime) -> None:
    """Record the sources that new memories name; those that their writer may not read are ignored.

    Call inside the writer's scope.
    """
    wanted = {row.id: declared_source_ids(row) for row in rows if row.source}
    ids = {id_ for sources in wanted.values() for id_ in sources}
    if not ids:
        return
    organisation_id = rows[0].organisation_id
    readable = Memory.objects.filter(organisation_id=organisation_id, id__in=ids)
    known = readable.exclude(status=Status.FORGOTTEN).in_bulk()
    insert_rows(
        [
            build_derivation(row, id_, known[id_].audience_id, known[id_].kind, now)
            for row in rows
            for id_ in wanted.get(row.id, ())
            if id_ in known
        ]
    )


def add_sources(
    rows: Sequence[Memory], sources: Mapping[UUID, Sequence[SourceMemory]], now: datetime
) -> None:
    """Record sources of memories that are not recorded yet; inside a scope that reads both."""
    if not rows:
        return
    known = set(
        Derivation.objects.filter(
            organisation_id=rows[0].organisation_id, memory_id__in=[row.id for row in rows]
        ).values_list("memory_id", "source_id")
    )
    insert_rows(
        [
            build_derivation(row, one.id, one.audience_id, one.kind, now)
            for row in rows
            for one in sources[row.id]
            if (row.id, one.id) not in known
        ]
    )


def to_source_memory(memory: Memory) -> SourceMemory:
    """A memory as the source of another."""
    return SourceMemory(memory.id, memory.audience_id, memory.kind)


def build_derivation(
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


def load_lineage(principal: "Principal", memory: Memory) -> Lineage:
    """Both directions; call inside the principal's scope."""
    links = Derivation.objects.filter(organisation_id=principal.organisation_id)
    rows = (
        Memory.objects.filter(organisation_id=principal.organisation_id)
        .exclude(status=Status.FORGOTTEN)
        .with_names()
    )
    sources = links.filter(memory_id=memory.id).values("source_id")
    made = links.filter(source_id=memory.id).values("memory_id")
    derived_from, _ = rows.filter(id__in=sources).newest(MAX_MEMORIES)
    used_in, _ = rows.filter(id__in=made).newest(MAX_MEMORIES)
    return Lineage(
        derived_from,
        used_in,
        _load_ancestors(principal, memory) if derived_from else [],
    )


def group_by_level(
    found: Iterable[tuple[UUID, int]], known: Mapping[UUID, Memory]
) -> list[list[Memory]]:
    """The memories of `ANCESTORS_SQL` that are known, a list for each level that has any."""
    above: dict[int, list[Memory]] = {}
    for id_, height in found:
        if id_ in known:
            above.setdefault(height, []).append(known[id_])
    return [above[height] for height in sorted(above)]


def _load_ancestors(principal: "Principal", memory: Memory) -> list[list[Memory]]:
    found = fetch_all(
        ANCESTORS_SQL,
        {
            "organisation": principal.organisation_id,
            "id": memory.id,
            "levels": MAX_LEVELS,
            "most": MAX_MEMORIES,
        },
    )
    rows = Memory.objects.filter(organisation_id=principal.organisation_id)
    rows = rows.for_people() if principal.actor.is_person else rows
    known, _ = rows.filter(id__in=[id_ for id_, _ in found]).with_names().newest(MAX_MEMORIES)
    return group_by_level(found, {row.id: row for row in known})
