"""Earlier versions of a block."""

from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.principals import Actor, resolve_principal
from personas.blocks.block_views import build_view, get_block
from personas.blocks.versions import maker_type
from personas.models.blocks import BlockVersion

MAX_VERSIONS = 100


def list_block_versions(actor: Actor, block_id: UUID, *, now: datetime) -> list[dict[str, Any]]:
    """The newest MOST versions, the last first. Raises NotFoundError.

    Of a shared block it is not told which robot made one: who taught is nobody's business. Where
    few people taught (`BlockView.few_teachers`) there are none: they tell the newest lesson.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        block = get_block(principal, block_id)
        if build_view(principal, block, now).few_teachers:
            return []
        rows = BlockVersion.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
        return [_serialize_version(row) for row in rows.order_by("-number")[:MAX_VERSIONS]]


def _serialize_version(row: BlockVersion) -> dict[str, Any]:
    return {
        "version": row.number,
        "made_at": row.made_at,
        "made_by": maker_type(row),
        "characters": row.characters,
        "entries": [pair[0] for pair in row.lines],
    }
