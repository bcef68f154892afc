"""What is closed when a member is removed, opts out of sharing, or in again."""

from datetime import datetime

from orgs.models.memberships import Member
from orgs.principals import Actor
from personas.associations.taught_memories import make_taught_private
from personas.block_writes.attachments import attach_blocks, detach_blocks
from personas.models.blocks import Block
from personas.models.personas import Association


def delete_member_personas(actor: Actor, member: Member, now: datetime) -> None:
    """Close what belongs to a removed member. What their robot taught stays with others, since it
    names nobody. Memories that were lines of their own blocks stay theirs."""
    tenant = {"organisation_id": member.organisation_id, "member_id": member.id}
    Association.objects.filter(**tenant).delete()
    detach_blocks(member.organisation_id, member_id=member.id)
    Block.objects.filter(**tenant).delete()


def apply_sharing_opt_out(actor: Actor, *, out: bool, withdraw: bool, now: datetime) -> int:
    """Detach the blocks of personas from the member's robot, or attach them again.

    The associations stay, so that opting in again opens what the member read before. withdraw: make
    private again what only their robot taught. Returns how many memories that were.
    """
    tenant, member_id = actor.organisation_id, actor.member_id
    assert member_id is not None  # noqa: S101 - a person's wish
    if not out:
        attach_blocks(tenant, now=now, member_id=member_id)
        return 0
    detach_blocks(tenant, member_id=member_id)
    return make_taught_private(actor, earlier=withdraw, now=now)
