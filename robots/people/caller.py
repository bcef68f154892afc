"""What a caller is told about itself: who it is, where, and what its key opens."""

from dataclasses import dataclass
from uuid import UUID

from orgs.accounts.sessions import list_memberships
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import Group, Organisation
from orgs.principals import Actor, member_group_ids
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.people.directory import robot_group_ids

# The most groups that a caller is told at once.
MAX_CALLER_GROUPS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What a caller is told about itself.

    id: as the API names it. member: of a personal robot the member whom it serves. groups: those in
    which the caller is, the oldest first; more_groups: whether there are more. only_groups: whether
    its key is limited to groups; then these are they.
    """

    kind: str
    id: str
    name: str
    role: str | None
    member: Member | None
    organisation: Organisation
    scopes: list[str]
    groups: list[Group]
    more_groups: bool
    only_groups: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOrganisation:
    """An organisation in which the caller is. role: the person's there; None for a robot. current:
    whether the call is answered from it."""

    id: UUID
    name: str
    slug: str
    role: str | None
    current: bool


def list_own_organisations(actor: Actor) -> list[OwnOrganisation]:
    """Where the caller is, by name: for a person each organisation that they have joined, for a
    robot its own. Raises NotFoundError for a member that has gone meanwhile."""
    with organisation_scope(actor.organisation_id):
        if not actor.is_person:
            own = Organisation.objects.get(id=actor.organisation_id)
            return [_own_organisation(own, None, actor)]
        member = Member.objects.filter(organisation_id=actor.organisation_id, id=actor.member_id)
        who = member.select_related("user").first()
    if who is None or who.user is None:
        raise NotFoundError("the caller has gone")
    return [
        _own_organisation(organisation, member.role, actor)
        for member, organisation in list_memberships(who.user)
    ]


def _own_organisation(row: Organisation, role: str | None, actor: Actor) -> OwnOrganisation:
    current = row.id == actor.organisation_id
    return OwnOrganisation(id=row.id, name=row.name, slug=row.slug, role=role, current=current)


def describe_caller(actor: Actor) -> Caller:
    """Who the actor is, with its organisation, scopes and groups. Raises NotFoundError for a robot
    or member that has gone meanwhile."""
    tenant = {"organisation_id": actor.organisation_id}
    seats = member_group_ids(actor) if actor.is_person else robot_group_ids(actor)
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        groups = list(
            Group.objects.filter(**tenant, id__in=seats).order_by("id")[: MAX_CALLER_GROUPS + 1]
        )
        who: Robot | Member | None = (
            Member.objects.filter(**tenant, id=actor.member_id).first()
            if actor.is_person
            else Robot.objects.filter(**tenant, id=actor.robot_id).select_related("owner").first()
        )
        if who is None:
            raise NotFoundError("the caller has gone")
    return Caller(
        kind="member" if actor.is_person else "robot",
        id=who.public_id if isinstance(who, Robot) else str(who.id),
        name=who.name,
        role=actor.writing_role,
        member=who.owner if isinstance(who, Robot) else None,
        organisation=organisation,
        scopes=sorted(
            {*map(str, actor.scopes), *((KeyScope.MANAGE,) if actor.administers else ())}
        ),
        groups=groups[:MAX_CALLER_GROUPS],
        more_groups=len(groups) > MAX_CALLER_GROUPS,
        only_groups=actor.key_groups is not None,
    )
