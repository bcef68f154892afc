"""For whom and where a caller acts."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from orgs import audit
from orgs.models import Group, GroupMembership
from orgs.principals import Actor, readable_groups
from orgs.rls import organisation_scope
from orgs.services import NotFound, find_group, find_member
from robots.models import Delegation, KeyScope, Robot, RobotGroup
from robots.services.errors import IdentityClaim, MissingScope


def delegate(
    *, organisation_id: UUID, member_id: UUID, robot_id: UUID, actor: Actor, now: datetime
) -> Delegation:
    """Give a robot leave for what is private to the member; only the member may."""
    if not (actor.is_person and actor.member_id == member_id):
        raise PermissionError("only the member gives this leave")
    with organisation_scope(organisation_id):
        live = Delegation.objects.filter(
            organisation_id=organisation_id,
            member_id=member_id,
            robot_id=robot_id,
            revoked_at__isnull=True,
        )
        delegation = live.first()
        if delegation is None:
            delegation = Delegation(
                organisation_id=organisation_id,
                member_id=member_id,
                robot_id=robot_id,
                created_at=now,
            )
            delegation.save(force_insert=True)
            audit.record(
                "delegation.given",
                actor=actor,
                now=now,
                target=robot_id,
                target_type="robot",
            )
    return delegation


def revoke_delegation(
    *, organisation_id: UUID, delegation_id: UUID, actor: Actor, now: datetime
) -> None:
    """Take the leave back; the next question already reads nothing private."""
    with organisation_scope(organisation_id):
        changed = Delegation.objects.filter(
            organisation_id=organisation_id,
            id=delegation_id,
            member_id=actor.member_id,
            revoked_at__isnull=True,
        ).update(revoked_at=now)
        if not changed:
            raise NotFound("no such delegation")
        audit.record("delegation.revoked", actor=actor, now=now, target=delegation_id)


def act(
    actor: Actor,
    *,
    member: str | None = None,
    group: str | None = None,
    include_direct: bool = False,
) -> Actor:
    """Who acts where, when a call names a group or a member.

    A robot needs the scope act_for to act for a member. Whatever the asker may not know of is
    NotFound, like what does not exist: a group it is not in, a member who is not in that group.
    A person may name themselves, and a group they read.
    """
    if actor.is_person:
        return _person_in(actor, member, group, include_direct)
    if member is not None and KeyScope.ACT_FOR not in actor.scopes:
        raise MissingScope(KeyScope.ACT_FOR)
    organisation_id = actor.organisation_id
    with organisation_scope(organisation_id):
        where = find_group(organisation_id, group) if group is not None else None
        if where and not _sits_in(actor, where):
            raise NotFound("no such group")
        if member is None:
            return replace(actor, group_id=where.id if where else None)
        who = find_member(organisation_id, member, where)
        if (
            where
            and not GroupMembership.objects.filter(
                organisation_id=organisation_id, group_id=where.id, member_id=who.id
            ).exists()
        ):
            raise NotFound("no such member")
        delegated = _has_leave(actor, who.id)
    return replace(
        actor,
        member_id=who.id,
        group_id=where.id if where else None,
        delegated=delegated,
        include_direct=include_direct and delegated,
    )


def _has_leave(actor: Actor, member_id: UUID) -> bool:
    """By a live delegation, or because the robot is the member's own."""
    live = Delegation.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=member_id,
        robot_id=actor.robot_id,
        revoked_at__isnull=True,
    )
    own = Robot.objects.filter(
        organisation_id=actor.organisation_id, id=actor.robot_id, owner_id=member_id
    )
    return live.exists() or own.exists()


def _sits_in(actor: Actor, group: Group) -> bool:
    return RobotGroup.objects.filter(
        organisation_id=actor.organisation_id, robot_id=actor.robot_id, group_id=group.id
    ).exists()


def _person_in(actor: Actor, member: str | None, group: str | None, include_direct: bool) -> Actor:
    with organisation_scope(actor.organisation_id):
        where = find_group(actor.organisation_id, group) if group is not None else None
        if where and not readable_groups(actor).filter(id=where.id).exists():
            raise NotFound("no such group")
        if member is not None:
            try:
                claimed = find_member(actor.organisation_id, member, where).id
            except NotFound:
                claimed = None
            if claimed != actor.member_id:
                raise IdentityClaim("a person speaks for themselves only")
    return replace(actor, group_id=where.id if where else None, include_direct=include_direct)
