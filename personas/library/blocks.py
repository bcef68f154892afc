"""A block for somebody who may change it."""

from datetime import datetime
from uuid import UUID

from orgs.errors import NotFound
from orgs.principals import Actor, resolve
from personas.block_writes.write import may_write
from personas.blocks.blocks import BlockView, find_block, view


def block_to_edit(actor: Actor, block_id: UUID, *, now: datetime) -> BlockView:
    """A block that the asker may write. Raises NotFound, also if they may only read it."""
    principal = resolve(actor)
    with principal.scope():
        block = find_block(principal, block_id)
        if not may_write(principal, block):
            raise NotFound("not theirs to write")
        return view(principal, block, now)
