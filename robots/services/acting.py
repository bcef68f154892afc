"""For whom and where a caller acts."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from orgs import audit
from orgs.principals import Actor, readable_groups
from orgs.rls import Scope, ask, organisation_scope
from orgs.services import NotFound, as_uuid, find_group, find_member
from robots.models import Delegation, KeyScope
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
    if member is None and group is None:
        return actor
    where, sits, who, together, delegated = _standing(actor, member, group)
    if group is not None and not (where and sits):
        raise NotFound("no such group")
    if member is None:
        return replace(actor, group_id=where)
    if who is None or (where and not together):
        raise NotFound("no such member")
    return replace(
        actor,
        member_id=who,
        group_id=where,
        delegated=delegated,
        include_direct=include_direct and delegated,
    )


# A name that is known only inside the group wins over the same name in the organisation.
_STANDING = """
SELECT g.id,
    EXISTS (SELECT 1 FROM robots_robotgroup s WHERE s.organisation_id = %(organisation)s
            AND s.robot_id = %(robot)s AND s.group_id = g.id),
    m.id,
    EXISTS (SELECT 1 FROM orgs_groupmembership s WHERE s.organisation_id = %(organisation)s
            AND s.member_id = m.id AND s.group_id = g.id),
    EXISTS (SELECT 1 FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
            AND d.robot_id = %(robot)s AND d.member_id = m.id AND d.revoked_at IS NULL)
    OR EXISTS (SELECT 1 FROM robots_robot r WHERE r.organisation_id = %(organisation)s
               AND r.id = %(robot)s AND r.owner_id = m.id)
FROM (SELECT 1) AS one
LEFT JOIN LATERAL (
    SELECT id, external_id FROM orgs_group WHERE organisation_id = %(organisation)s
    AND (external_id = %(group)s OR id = %(group_id)s)
    ORDER BY external_id = %(group)s DESC LIMIT 1
) AS g ON true
LEFT JOIN LATERAL (
    SELECT id, 1 AS place FROM orgs_member
    WHERE organisation_id = %(organisation)s AND id = %(member_id)s
    UNION ALL
    SELECT member_id, CASE WHEN identifier = %(identifier)s THEN 3 ELSE 2 END
    FROM orgs_externalidentity i WHERE organisation_id = %(organisation)s
    AND platform = %(platform)s
    AND (confirmed_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM orgs_member p WHERE p.organisation_id = %(organisation)s
        AND p.id = i.member_id AND p.user_id IS NULL))
    AND identifier IN (%(identifier)s, g.external_id || '/' || %(identifier)s)
    ORDER BY place LIMIT 1
) AS m ON true
"""


def _standing(
    actor: Actor, member: str | None, group: str | None
) -> tuple[UUID | None, bool, UUID | None, bool, bool]:
    """(group, robot sits in it, member, member is in it, robot has the member's leave)."""
    member_id = as_uuid(member) if member else None
    platform, _, identifier = (member or "").partition(":")
    rows = ask(
        Scope(organisation=actor.organisation_id),
        _STANDING,
        {
            "organisation": actor.organisation_id,
            "robot": actor.robot_id,
            "group": group,
            "group_id": as_uuid(group) if group else None,
            "member_id": member_id,
            "platform": None if member_id else platform,
            "identifier": None if member_id else identifier,
        },
    )
    return rows[0]  # type: ignore[return-value]


def _person_in(actor: Actor, member: str | None, group: str | None, include_direct: bool) -> Actor:
    with organisation_scope(actor.organisation_id):
        where = None
        if group is not None:
            where = find_group(actor.organisation_id, group, readable_groups(actor))
        if member is not None:
            try:
                claimed = find_member(actor.organisation_id, member, where).id
            except NotFound:
                claimed = None
            if claimed != actor.member_id:
                raise IdentityClaim("a person speaks for themselves only")
    return replace(actor, group_id=where.id if where else None, include_direct=include_direct)
