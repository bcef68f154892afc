"""Versions of blocks: which memories stood in them, in which version, and no text.

A version is noted with each write. What changes a block without writing to it (a decision in
review, a report, an erasure, ageing) is noted when the block is next looked at; nobody stands there
as its maker.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from orgs.principals import Actor
from personas.blocks.entries import Entry
from personas.blocks.render import text_of
from personas.models.blocks import Block, BlockVersion


def last_versions(organisation_id: UUID, blocks: Iterable[Block]) -> dict[UUID, BlockVersion]:
    """The newest version of each block that has one, by block; one query."""
    wanted = [block.id for block in blocks]
    rows = BlockVersion.objects.filter(organisation_id=organisation_id, block_id__in=wanted)
    newest = rows.order_by("block_id", "-number").distinct("block_id")
    return {row.block_id: row for row in newest}


def made_by(row: BlockVersion) -> str:
    """robot, person or other; never which one, for who taught is nobody's business."""
    return "robot" if row.robot_id else "person" if row.member_id else "other"


def settled(
    block: Block, entries: Sequence[Entry], now: datetime, *, by: Actor | None = None
) -> int:
    """`settled_after` the newest version of the block, which is looked up."""
    last = last_versions(block.organisation_id, [block]).get(block.id)
    return settled_after(last, block, entries, now, by=by)


def settled_after(
    last: BlockVersion | None,
    block: Block,
    entries: Sequence[Entry],
    now: datetime,
    *,
    by: Actor | None = None,
) -> int:
    """The number of the block as it stands, noted first where it is another than the last one.

    last: the newest one. by: who made it so, of a locked block; None where it was found so. 0 while
    nothing was ever written.
    """
    lines: list[list[object]] = [[str(one.id), one.version] for one in entries]
    if last is None and not lines and not block.own_text:
        return 0
    if last is not None and last.lines == lines and last.own_text == block.own_text:
        return last.number
    row = BlockVersion(
        organisation_id=block.organisation_id,
        block_id=block.id,
        number=(last.number if last else 0) + 1,
        lines=lines,
        own_text=block.own_text,
        characters=len(block.own_text or text_of(entries)),
        made_at=now,
        member_id=by.member_id if by and by.is_person else None,
        robot_id=by.robot_id if by else None,
    )
    # Of two that find it changed at once one notes it.
    BlockVersion.objects.bulk_create([row], ignore_conflicts=True)
    return row.number
