"""A block for somebody who may change it, and who reads what they save."""

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_audience_summaries
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
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


def summarise_block_readers(
    actor: Actor, shown: BlockView, *, organisation: str
) -> AudienceSummary:
    """Who reads a block now. The organisation's own block is read by every robot that reads what is
    for everyone. organisation: its name, for sentences."""
    principal = resolve_principal(actor)
    with principal.scope():
        which = Q(id=shown.audience_id) if shown.audience_id else Q(kind=AudienceType.ORGANISATION)
        rows = Audience.objects.filter(which, organisation_id=principal.organisation_id)
        place = rows.get()
        return load_audience_summaries(principal, [place], organisation)[place.id]
