"""Make a summary of several memories and archive them; call inside a scope of their audience alone.

The scope reads no other audience, so the database itself refuses a source of another one.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    lock_changeable_memory,
    may_forget,
    record_memory_audit,
)
from memories.ingestion import memory_writes
from memories.lifecycle.consolidation.archive_selection import (
    PARTITION_COLUMNS,
    AudienceTier,
    find_medoids,
)
from memories.state.transitions import archive_memories, restore_memories
from memories.store.deduplication import content_hash
from memories.store.dependents import (
    SUMMARY_KEY_PREFIX,
    SUMMARY_SOURCE_COUNT,
    is_summary,
    sources_of,
)
from memories.store.lineage import MAX_MEMORIES, to_source_memory
from memories.store.models.choices import Status, Type
from memories.store.models.memory import SOURCE_IDS_KEY, Memory
from memories.store.organisation_models import find_serving_model
from memories.store.tag_names import coerce_tags
from orgs.database.prepared_statements import fetch_all
from orgs.errors import AlreadyExistsError
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve_principal
from robots.models.robots import Robot
from robots.registry.robots import WEB, ensure_builtin_robot

# Restore the sources of a summary.


def undo_summary(actor: Actor, summary_id: UUID, *, now: datetime) -> int:
    """Make the sources of a summary active again, and archive the summary.

    Only sources that are archived since then are restored; those that somebody forgot, or restored
    and archived again, stay as they are. A worker does not summarise these again. Returns how many
    were restored. Raises NotFoundError, ChangeForbiddenError, and AlreadyExistsError for a memory
    that is no active summary.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        summary = lock_changeable_memory(principal, summary_id)
        if not may_forget(principal, summary):
            raise ChangeForbiddenError("You may read this memory, but it is not yours to undo.")
        if not is_summary(summary) or summary.status != Status.ACTIVE:
            raise AlreadyExistsError(
                "This is no summary in use, so there is nothing to bring back."
            )
        if summary.red_line:
            raise AlreadyExistsError("This summary is protected. Take the protection off first.")
        archived = sources_of(summary).filter(
            status=Status.ARCHIVED,
            archived_at=summary.created_at,
            audience_id=summary.audience_id,
        )
        back = list(archived.select_for_update(of=("self",)).order_by("id"))
        restore_memories(back, now, status=Status.ACTIVE)
        archive_memories([summary], now)
        record_memory_audit(principal, "memory.summary_undone", summary, now, restored=len(back))
    return len(back)


MAX_TAGS = 50

# The contributors of the sources become those of the summary: whoever cannot promote the sources by
# use cannot promote it either.
_COPY_CONTRIBUTIONS_SQL = """
INSERT INTO memories_contribution (id, organisation_id, memory_id, audience_id, kind, robot_id,
                                   member_id, first_at, last_at, count)
SELECT gen_random_uuid(), d.organisation_id, d.memory_id, d.audience_id, d.kind, c.robot_id,
    c.member_id, min(c.first_at), max(c.last_at), sum(c.count)
FROM memories_derivation d JOIN memories_contribution c
    ON c.organisation_id = d.organisation_id AND c.memory_id = d.source_id
WHERE d.organisation_id = %(organisation)s AND d.memory_id = ANY(%(ids)s::uuid[])
GROUP BY d.organisation_id, d.memory_id, d.audience_id, d.kind, c.robot_id, c.member_id
ON CONFLICT (organisation_id, memory_id, robot_id, member_id) DO NOTHING
"""
# A summary counts as old as its sources, because nobody has said it anew.
_BACKDATE_CONTRIBUTIONS_SQL = """
UPDATE memories_contribution c
SET first_at = least(c.first_at, s.first_at), last_at = least(c.last_at, s.last_at)
FROM (
    SELECT d.memory_id, min(o.first_at) AS first_at, max(o.last_at) AS last_at
    FROM memories_derivation d JOIN memories_contribution o
        ON o.organisation_id = d.organisation_id AND o.memory_id = d.source_id
    WHERE d.organisation_id = %(organisation)s AND d.memory_id = ANY(%(ids)s::uuid[])
    GROUP BY 1
) s
WHERE c.organisation_id = %(organisation)s AND c.memory_id = s.memory_id
"""


@dataclass(slots=True)
class SummaryResult:
    """The archived memories and the summaries made of them."""

    archived: list[Memory] = field(default_factory=list)
    made: list[Memory] = field(default_factory=list)


def summarise_and_archive(
    place: AudienceTier,
    rows: Sequence[Memory],
    *,
    unwilling: set[UUID],
    now: datetime,
) -> SummaryResult:
    """Archive locked memories of a tier, and make one summary of each part of two or more.

    unwilling: members about whom nothing new is made; their memories are only archived.
    """
    organisation = Organisation.objects.get(id=place.organisation_id)
    robot = ensure_builtin_robot(place.organisation_id, WEB, now)
    parts = [
        part
        for part in _group_by_columns(rows)
        if len(part) > 1 and not unwilling & {part[0].member_id, part[0].speaker_member_id}
    ]
    model = find_serving_model(place.organisation_id)
    middle = find_medoids(
        place.organisation_id, [[row.id for row in part] for part in parts], model.number
    )
    made = [
        _build_summary(place, part, _find_representative(part, middle.get(number)), robot, now)
        for number, part in enumerate(parts)
    ]
    # Before the summary is made; propositions among them are archived with their memory.
    archive_memories(rows, now)
    parts_of = {
        row.id: [to_source_memory(source) for source in part]
        for row, part in zip(made, parts, strict=True)
    }
    memory_writes.insert_derived_memories(made, parts_of, organisation=organisation, now=now)
    _copy_contributions(made)
    return SummaryResult(list(rows), made)


def _group_by_columns(rows: Sequence[Memory]) -> list[list[Memory]]:
    found: dict[tuple[Any, ...], list[Memory]] = defaultdict(list)
    for row in rows:
        found[tuple(getattr(row, name) for name in PARTITION_COLUMNS)].append(row)
    return list(found.values())


def _find_representative(part: Sequence[Memory], id_: UUID | None) -> Memory:
    """The memory nearest to the centroid of a part; the newest if none has a vector yet."""
    if id_ is None:
        return max(part, key=lambda row: (row.created_at, row.id))
    return next(row for row in part if row.id == id_)


def _build_summary(
    place: AudienceTier,
    part: Sequence[Memory],
    centre: Memory,
    robot: Robot,
    now: datetime,
) -> Memory:
    id_ = memory_writes.id_for(place.organisation_id, place.audience_id, now)
    key = f"{SUMMARY_KEY_PREFIX}{id_}"
    tags, _ = coerce_tags(tag for row in part for tag in row.tags)
    return Memory(
        id=id_,
        organisation_id=place.organisation_id,
        audience_id=place.audience_id,
        content=centre.content,
        # A hash of its key, so that a forgotten text does not block a summary with the same words.
        content_hash=content_hash(key, speaker=centre.speaker, subject=centre.member_id),
        key=key,
        type=_common_value(part, "type") or Type.FACT,
        category=_common_value(part, "category") or "",
        topic=_common_value(part, "topic") or "",
        tags=tags[:MAX_TAGS],
        source={
            SUMMARY_SOURCE_COUNT: len(part),
            SOURCE_IDS_KEY: [str(row.id) for row in part[:MAX_MEMORIES]],
        },
        robot_id=_common_value(part, "robot_id") or robot.id,
        author_id=_common_value(part, "author_id"),
        listeners=sorted({one for row in part for one in row.listeners}),
        position=0,
        first_tier=place.tier,
        importance=max(row.importance for row in part),
        confidence=min(row.confidence for row in part),
        sensitive=any(row.sensitive for row in part),
        shareable=all(row.shareable for row in part),
        occurred_at=centre.occurred_at,
        expires_at=min((row.expires_at for row in part if row.expires_at), default=None),
        created_at=now,
        updated_at=now,
        # Who reworded them, if not the speaker.
        reworded_by_id=centre.reworded_by_id,
        reworded_by_robot_id=centre.reworded_by_robot_id,
        **{name: getattr(centre, name) for name in PARTITION_COLUMNS},
    )


def _common_value(part: Sequence[Memory], name: str) -> Any:
    """The value that all of them have in a column, else None."""
    values = {getattr(row, name) for row in part}
    return values.pop() if len(values) == 1 else None


def _copy_contributions(made: Sequence[Memory]) -> None:
    """Copy the contributions of the sources to the summaries."""
    if not made:
        return
    values = {"organisation": made[0].organisation_id, "ids": [row.id for row in made]}
    fetch_all(_COPY_CONTRIBUTIONS_SQL, values)
    fetch_all(_BACKDATE_CONTRIBUTIONS_SQL, values)
