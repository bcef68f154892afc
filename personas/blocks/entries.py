"""The entries of blocks: memories, with when they were learned and last confirmed.

Call inside the asker's scope: the database shows the entries of what they read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Max, OuterRef, QuerySet, Subquery

from memories.state.supersede_memory import holds_q
from memories.store.models.memory import PROPOSITION_OF, Memory
from memories.store.models.version import Contribution
from personas.blocks.layers import normalise_line
from personas.models.blocks import Block, BlockLine, Layer
from robots.registry.personal_robot_privacy import is_robot_hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockEntry:
    """One line. Of a persona's block the times are days.

    learned_at: when it was first said. confirmed_at: when a robot or person last said or restored
    it. restored: whether somebody restored it. A summary is as old as its sources.

    serves_id: the member whose personal robot said it first; show it to nobody else. robot: its
    name, empty if it is hidden from the asker (`personal_robot_privacy`).
    """

    id: UUID
    version: int
    text: str
    source: dict[str, Any]
    robot: str | None
    serves_id: UUID | None = None
    learned_at: datetime
    confirmed_at: datetime
    confidence: float
    member_id: UUID | None = None
    author_id: UUID | None = None
    restored: bool = False

    def age(self, now: datetime) -> timedelta:
        """The time since it was last confirmed."""
        return now - self.confirmed_at


def entry_memories(organisation_id: UUID, now: datetime) -> "QuerySet[Memory]":
    """Memories that can be entries: active and valid now, not sensitive, no part of another memory.

    Each has `last_said_at`: when a robot or person last said it; and `untold`: whether its robot is
    hidden from the asker.
    """
    last = (
        Contribution.objects.filter(organisation_id=organisation_id, memory_id=OuterRef("id"))
        .order_by()
        .values("memory_id")
        .annotate(last=Max("last_at"))
    )
    rows = Memory.objects.filter(
        holds_q(now),
        organisation_id=organisation_id,
        sensitive=False,
    )
    return (
        rows.active(now)
        .exclude(source__has_key=PROPOSITION_OF)
        .annotate(last_said_at=Subquery(last.values("last")), untold=is_robot_hidden())
        .select_related("robot")
    )


def load_audience_entries(
    organisation_id: UUID, audiences: Iterable[UUID], now: datetime
) -> dict[UUID, list[BlockEntry]]:
    """The entries of shared blocks by audience, the first learned first."""
    found: dict[UUID, list[BlockEntry]] = {}
    rows = entry_memories(organisation_id, now).filter(audience_id__in=list(audiences))
    for row in rows.order_by("created_at", "id"):
        found.setdefault(row.audience_id, []).append(to_entry(row))
    return found


def load_block_entries(
    organisation_id: UUID, blocks: Iterable[Block], now: datetime
) -> dict[UUID, list[BlockEntry]]:
    """The entries of members' blocks by block, in the order of their lines; two queries."""
    lines = BlockLine.objects.filter(
        organisation_id=organisation_id, block_id__in=[block.id for block in blocks]
    )
    order = list(lines.values_list("block_id", "memory_id", "position"))
    rows = entry_memories(organisation_id, now).filter(
        id__in={memory_id for _, memory_id, _ in order}
    )
    known = {row.id: row for row in rows}
    found: dict[UUID, list[BlockEntry]] = {}
    for block_id, memory_id, _ in sorted(order, key=lambda line: (line[2], line[1])):
        if memory_id in known:
            found.setdefault(block_id, []).append(to_entry(known[memory_id]))
    return found


def to_entry(row: Memory) -> BlockEntry:
    """The entry of a row of `standing`."""
    said: datetime = getattr(row, "last_said_at", None) or row.created_at
    confirmed_at = max(said, row.restored_at or said)
    return BlockEntry(
        id=row.id,
        version=row.version,
        text=normalise_line(row.content),
        source=row.source,
        robot=None if row.untold else row.robot.name,  # type: ignore[attr-defined]  # of `standing`
        serves_id=row.robot.owner_id,
        learned_at=min(row.created_at, confirmed_at),
        confirmed_at=confirmed_at,
        confidence=row.confidence,
        member_id=row.member_id,
        author_id=row.author_id,
        restored=row.restored_at is not None,
    )


def is_shared_block(block: Block) -> bool:
    """Whether it is a persona's block or that of everybody: its entries are all memories of one
    audience."""
    return block.layer in (Layer.SHARED, Layer.GLOBAL)
