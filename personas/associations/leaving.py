"""What goes with a member: their personas, their robot's blocks, the lines of their own."""

from datetime import datetime

from orgs.members.members import on_member_removed
from orgs.models.memberships import Member
from orgs.principals import Actor
from personas.block_writes.attach import detach
from personas.models.blocks import Block
from personas.models.personas import Association


@on_member_removed
def close_personas(actor: Actor, member: Member, now: datetime) -> None:
    """What their robot taught others stays with these; it names nobody. Memories that were lines
    of their own blocks are theirs as before."""
    tenant = {"organisation_id": member.organisation_id, "member_id": member.id}
    Association.objects.filter(**tenant).delete()
    detach(member.organisation_id, member_id=member.id)
    Block.objects.filter(**tenant).delete()
