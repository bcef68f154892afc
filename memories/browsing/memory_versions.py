"""Every version of a memory, as far as the asker may read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memories.access.audience_labels import audience_type_label, memory_audience_label
from memories.access.permissions import get_readable_memory
from memories.lifecycle.decay import (
    DEFAULT_RATE,
    RATES,
    compute_half_life_days,
    compute_strength_at,
    days_until_share_left,
)
from memories.lifecycle.surprise import compute_success_rate
from memories.store.lineage import Lineage, load_lineage
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.answer_size import first_rows, text_columns
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.robots import Robot

# The use of one memory: its last moves between tiers, and how its strength fades.

MAX_MOVES = 5
CURVE_POINTS = 13


@dataclass(frozen=True, slots=True)
class TierMove:
    """One move between tiers. surprise: that of the memory when it moved, 0-1."""

    from_tier: str
    to_tier: str
    reason: str
    surprise: float
    moved_at: datetime


@dataclass(frozen=True, slots=True)
class TierHistory:
    """The tier of a memory and the reasons. moves: the newest first, at most MOVES.

    half_life: days without use until half of its strength is left; tenth_at: when a tenth will be
    left, if nobody uses it. curve: its strength (0-1) on POINTS days from its last use to tenth_at,
    if nobody uses it. reports: number of feedback reports; without any, success is .5 and surprise
    0, and neither has a meaning.
    """

    tier: str
    since: datetime
    moves: list[TierMove]
    half_life: float
    tenth_at: datetime
    curve: list[tuple[datetime, float]]
    reports: int
    success: float
    surprise: float


def build_tier_history(memory: Memory, moves: list[TierMove]) -> TierHistory:
    """The tier history of a memory that came `with_names`. moves: its last ones, the newest
    first."""
    use, rate = memory.used, RATES.get(memory.category, DEFAULT_RATE)
    days = days_until_share_left(rate, memory.importance)
    last = use.last_accessed_at or memory.created_at
    places = [
        last + timedelta(days=days * step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS)
    ]
    return TierHistory(
        use.tier,
        use.tier_since or memory.created_at,
        moves,
        compute_half_life_days(rate, memory.importance),
        places[-1],
        [(at, compute_strength_at(memory, at)) for at in places],
        use.updates,
        compute_success_rate(use.successes, use.failures),
        use.surprise,
    )


@dataclass(frozen=True, slots=True)
class SupersedeNote:
    """That a newer memory holds in the place of this one, or (`again`) that this one holds again.

    newer_id: the newer one, if the asker reads it; policy: by which it was decided, if nobody did.
    """

    again: bool
    newer_id: UUID | None
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One version. member, robot: who made it; current: whether it is the present one; note: what
    made it, where that was no edit (`list_versions` alone looks for it).

    robot is also None if the asker may not see it (`personal_robot_privacy`).
    """

    number: int
    content: str
    category: str
    importance: float
    tags: list[str]
    metadata: Mapping[str, Any]
    expires_at: datetime | None
    audience_kind: str
    audience_label: str
    member: Member | None
    robot: Robot | None
    at: datetime
    current: bool
    note: SupersedeNote | None = None


@dataclass(frozen=True, slots=True)
class VersionPage:
    """Newest first; `before` continues after the last one, None at the end."""

    versions: list[MemoryVersion]
    before: int | None = None


def list_versions(
    actor: Actor, memory_id: UUID, *, limit: int = 50, before: int | None = None
) -> VersionPage:
    """The versions of a memory that the asker may read. Raises NotFoundError."""
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        memory = get_readable_memory(principal, memory_id)
        found = load_versions(principal, memory, limit=limit, before=before)
        notes = _load_notes(memory, found.versions) if memory.version > 1 else {}
    versions = [replace(one, note=notes.get(one.at)) for one in found.versions]
    return replace(found, versions=versions)


# The acts that say whether a memory holds, and whether it holds again.
_NOTED_ACTS = {"memory.superseded": False, "memory.holds_again": True}


def _load_notes(memory: Memory, versions: Sequence[MemoryVersion]) -> dict[datetime, SupersedeNote]:
    """By time the acts that say whether the memory holds; in a scope that reads it."""
    entries = AuditEntry.objects.filter(
        organisation_id=memory.organisation_id,
        target=memory.id,
        action__in=_NOTED_ACTS,
        at__in=[one.at for one in versions],
    )
    told = [(one.at, _NOTED_ACTS[one.action], one.detail) for one in entries]
    named = [UUID(detail["by"]) for _, _, detail in told if detail.get("by")]
    rows = Memory.objects.filter(organisation_id=memory.organisation_id, id__in=named)
    known = set(rows.values_list("id", flat=True)) if named else set()
    return {
        at: SupersedeNote(
            again,
            next((id_ for id_ in known if str(id_) == detail.get("by")), None),
            str(detail.get("policy", "")),
        )
        for at, again, detail in told
    }


def load_versions(
    principal: Principal, memory: Memory, *, limit: int, before: int | None = None
) -> VersionPage:
    """`list_versions` of a given memory; at most two queries, inside the principal's scope."""
    rows = Version.objects.filter(
        organisation_id=principal.organisation_id, memory_id=memory.id
    ).select_related("audience_then", "group_then", "editor", "editor_robot")
    if before is not None:
        rows = rows.filter(number__lt=before)
    older, more = first_rows(rows.order_by("-number"), limit, text_columns(Version))
    found = [_from_version(memory, row) for row in older]
    if before is None:
        found.insert(0, _from_memory(memory, older[0] if older else None))
    more = more or len(found) > limit
    found = found[:limit]
    return VersionPage(found, found[-1].number if more else None)


def _from_version(memory: Memory, row: Version) -> MemoryVersion:
    first = row.number == 1
    return MemoryVersion(
        number=row.number,
        content=row.content,
        category=row.category,
        importance=row.importance,
        tags=row.tags,
        metadata=row.metadata,
        expires_at=row.expires_at,
        audience_kind=row.audience_then.kind,
        audience_label=audience_type_label(
            row.audience_then.kind, row.group_then.name if row.group_then else ""
        ),
        member=memory.author if first else row.editor,
        robot=memory.told(memory.robot if first else row.editor_robot, then=row.audience_then.kind),
        at=row.written_at,
        current=False,
    )


def _from_memory(memory: Memory, before: Version | None) -> MemoryVersion:
    first = memory.version == 1
    changed_at = memory.created_at if first else memory.updated_at
    if before is not None and before.number == memory.version - 1:
        changed_at = before.replaced_at
    return MemoryVersion(
        number=memory.version,
        content=memory.content,
        category=memory.category,
        importance=memory.importance,
        tags=memory.tags,
        metadata=memory.metadata,
        expires_at=memory.expires_at,
        audience_kind=memory.audience.kind,
        audience_label=memory_audience_label(memory),
        member=memory.author if first else memory.editor,
        robot=memory.told(memory.robot if first else memory.editor_robot),
        at=changed_at,
        current=True,
    )


def get_lineage(actor: Actor, memory_id: UUID) -> Lineage:
    """The sources and the derived memories of a memory. Raises NotFoundError."""
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        return load_lineage(principal, get_readable_memory(principal, memory_id))
