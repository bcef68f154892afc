"""Versions of blocks: which memories they held, in which version, without texts.

Each write adds a version. If something else changes a block (a decision in review, a report, an
erasure, ageing), the version is added when the block is next read, without a maker.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from orgs.models.base import day_id, day_of, new_id
from orgs.principals import Actor
from personas.blocks.entries import BlockEntry, is_shared_block
from personas.blocks.render import render_text
from personas.models.blocks import Block, BlockVersion


def load_last_versions(organisation_id: UUID, blocks: Iterable[Block]) -> dict[UUID, BlockVersion]:
    """The newest version of each block that has one, by block; one query."""
    wanted = [block.id for block in blocks]
    rows = BlockVersion.objects.filter(organisation_id=organisation_id, block_id__in=wanted)
    newest = rows.order_by("block_id", "-number").distinct("block_id")
    return {row.block_id: row for row in newest}


def maker_type(row: BlockVersion) -> str:
    """robot, person or other; never which one, because nobody may learn who taught."""
    return "robot" if row.robot_id else "person" if row.member_id else "other"


def ensure_version(
    block: Block, entries: Sequence[BlockEntry], now: datetime, *, by: Actor | None = None
) -> int:
    """Look up the newest version of the block and call `ensure_version_after`."""
    last = load_last_versions(block.organisation_id, [block]).get(block.id)
    return ensure_version_after(last, block, entries, now, by=by)


def ensure_version_after(
    last: BlockVersion | None,
    block: Block,
    entries: Sequence[BlockEntry],
    now: datetime,
    *,
    by: Actor | None = None,
) -> int:
    """The number of the block's present version, which is added if it differs from the last.

    last: the newest version. by: who has just changed the locked block; None if the change was only
    found. Returns 0 if nothing was ever written. A version of a persona's block tells the day.
    """
    lines: list[list[object]] = [[str(one.id), one.version] for one in entries]
    if last is None and not lines and not block.own_text:
        return 0
    if last is not None and last.lines == lines and last.own_text == block.own_text:
        return last.number
    told = day_of(now) if is_shared_block(block) else now
    row = BlockVersion(
        id=day_id(now) if is_shared_block(block) else new_id(),
        organisation_id=block.organisation_id,
        block_id=block.id,
        number=(last.number if last else 0) + 1,
        lines=lines,
        own_text=block.own_text,
        characters=len(block.own_text or render_text(entries)),
        made_at=told,
        member_id=by.member_id if by and by.is_person else None,
        robot_id=by.robot_id if by else None,
    )
    # If two calls find the change at once, one of them adds the version.
    BlockVersion.objects.bulk_create([row], ignore_conflicts=True)
    return row.number
