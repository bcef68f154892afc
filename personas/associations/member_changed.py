"""What is closed when a member is removed, opts out of sharing, or in again."""

from datetime import datetime

from memories.privacy.opt_out import on_sharing_set
from orgs.members.members import on_member_removed
from orgs.models.memberships import Member
from orgs.principals import Actor
from personas.associations.taught_alone import take_back_taught
from personas.block_writes.attach import attach_all, detach
from personas.models.blocks import Block
from personas.models.personas import Association


@on_member_removed
def close_personas(actor: Actor, member: Member, now: datetime) -> None:
    """Close what belongs to a removed member. What their robot taught stays with others, since it
    names nobody. Memories that were lines of their own blocks stay theirs."""
    tenant = {"organisation_id": member.organisation_id, "member_id": member.id}
    Association.objects.filter(**tenant).delete()
    detach(member.organisation_id, member_id=member.id)
    Block.objects.filter(**tenant).delete()


@on_sharing_set
def follow_wish(actor: Actor, *, out: bool, withdraw: bool, now: datetime) -> int:
    """Detach the blocks of personas from the member's robot, or attach them again.

    The associations stay, so that opting in again opens what the member read before. withdraw: make
    private again what only their robot taught. Returns how many memories that were.
    """
    tenant, member_id = actor.organisation_id, actor.member_id
    assert member_id is not None  # noqa: S101 - a person's wish
    if not out:
        attach_all(tenant, now=now, member_id=member_id)
        return 0
    detach(tenant, member_id=member_id)
    return take_back_taught(actor, earlier=withdraw, now=now)
