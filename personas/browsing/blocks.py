"""A block for somebody who may change it."""

from datetime import datetime
from uuid import UUID

from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal
from personas.block_writes.block_updates import may_write
from personas.blocks.block_views import BlockView, build_view, get_block


def get_editable_block(actor: Actor, block_id: UUID, *, now: datetime) -> BlockView:
    """A block that the asker may write. Raises NotFoundError, also if they may only read it."""
    principal = resolve_principal(actor)
    with principal.scope():
        block = get_block(principal, block_id)
        if not may_write(principal, block):
            raise NotFoundError("not theirs to write")
        return build_view(principal, block, now)
