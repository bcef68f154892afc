"""Earlier versions of a block."""

from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.principals import Actor, resolve
from personas.blocks.blocks import find_block, view
from personas.blocks.versions import made_by
from personas.models.blocks import BlockVersion

MOST = 100


def block_versions(actor: Actor, block_id: UUID, *, now: datetime) -> list[dict[str, Any]]:
    """The newest MOST versions, the last first. Raises NotFound.

    Of a shared block it is not told which robot made one: who taught is nobody's business. Where
    few people taught (`BlockView.few_teachers`) there are none: they tell the newest lesson.
    """
    principal = resolve(actor)
    with principal.scope():
        block = find_block(principal, block_id)
        if view(principal, block, now).few_teachers:
            return []
        rows = BlockVersion.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
        return [_body(row) for row in rows.order_by("-number")[:MOST]]


def _body(row: BlockVersion) -> dict[str, Any]:
    return {
        "version": row.number,
        "made_at": row.made_at,
        "made_by": made_by(row),
        "characters": row.characters,
        "entries": [pair[0] for pair in row.lines],
    }
