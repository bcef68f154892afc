"""What a group knows, and what is known in it about one member (the context of architecture 1)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.store.models.choices import Kind
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.organisations.references import get_member
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor

MEMBER_KINDS = (Kind.USER, Kind.INTERACTION)
NO_MEMBER_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class GroupContext:
    """Newest first. group_context: memories of kind group; user_context: those about the member in
    the group."""

    group_context: list[Memory]
    user_context: list[Memory]


def get_group_context(
    actor: Actor, group: str, member: str | None = None, *, now: datetime, limit: int = 100
) -> GroupContext:
    """Both parts, as far as the asker may read them there, up to `limit` each; two queries.

    A robot that names a member acts for them; a person may name any member of the group. Without a
    member user_context is empty. Raises NotFoundError and MissingScopeError.
    """
    principal = resolve_principal(
        resolve_actor(actor, group=group, member=None if actor.is_person else member)
    )
    where = principal.actor.group_id
    assert where is not None  # noqa: S101 - for the type checker
    who = _find_member_id(principal.actor, where, member)
    with principal.scope():
        rows = (
            Memory.objects.filter(organisation_id=principal.organisation_id, group_id=where)
            .active(now)
            .with_names()
            .order_by("-id")
        )
        ours = list(rows.filter(kind=Kind.GROUP)[:limit])
        theirs = rows.filter(kind__in=MEMBER_KINDS, member_id=who or NO_MEMBER_ID)
        return GroupContext(ours, list(theirs[:limit]) if who else [])


def _find_member_id(actor: Actor, where: UUID, member: str | None) -> UUID | None:
    """The id of the meant member. Raises NotFoundError for somebody outside the group."""
    if member is None or not actor.is_person:
        return actor.member_id if member else None
    with organisation_scope(actor.organisation_id):
        seated = Member.objects.filter(
            organisation_id=actor.organisation_id, group_memberships__group_id=where
        )
        return get_member(actor.organisation_id, member, among=seated).id
