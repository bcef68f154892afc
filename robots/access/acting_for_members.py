"""For whom and where a caller acts."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs import audit
from orgs.database.rls import Scope, fetch_in_scope, organisation_scope
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.memberships import IDENTITY_SQL
from orgs.organisations.references import get_member, parse_uuid
from orgs.principals import Actor
from robots.access.writer_identity import check_acting_for
from robots.errors import KeyGroupsError, MissingScopeError
from robots.models.delegations import Delegation
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.people.directory import check_group_limit, get_visible_group_in_scope

Reference = str | UUID


def create_delegation(
    *, organisation_id: UUID, member_id: UUID, robot_id: UUID, actor: Actor, now: datetime
) -> Delegation:
    """Delegate to a robot: it may read and write what is private to the member from now on.

    Returns the delegation; one that is there already stays. Raises PermissionError for anybody but
    the member, and for the personal robot of another, which works for its owner alone.
    """
    if not (actor.is_person and actor.member_id == member_id):
        raise PermissionError("only the member gives this leave")
    with organisation_scope(organisation_id):
        others = Robot.objects.filter(organisation_id=organisation_id, id=robot_id)
        if others.exclude(owner_id=None).exclude(owner_id=member_id).exists():
            raise PermissionError("a personal robot works for its own member alone")
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
            audit.record_entry(
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
    """End a delegation of the asking member; the robot's next call reads nothing private.

    Raises NotFoundError for a delegation that is not theirs or has ended already.
    """
    with organisation_scope(organisation_id):
        changed = Delegation.objects.filter(
            organisation_id=organisation_id,
            id=delegation_id,
            member_id=actor.member_id,
            revoked_at__isnull=True,
        ).update(revoked_at=now)
        if not changed:
            raise NotFoundError("no such delegation")
        audit.record_entry("delegation.revoked", actor=actor, now=now, target=delegation_id)


def may_act_for_members(actor: Actor) -> bool:
    """Whether the scopes of a robot's key let it act for members."""
    return KeyScope.ACT_FOR in actor.scopes


def list_members_who_ended(actor: Actor) -> list[UUID]:
    """The ids of the members who have ended what the calling robot reads; call inside the
    organisation's scope."""
    robot = {"organisation_id": actor.organisation_id, "robot_id": actor.robot_id}
    given = Delegation.objects.filter(**robot)
    live = given.filter(revoked_at=None).values("member_id")
    ended = given.filter(revoked_at__isnull=False).exclude(member_id__in=live)
    return list(ended.values_list("member_id", flat=True))


def resolve_actor(
    actor: Actor,
    *,
    member: Reference | None = None,
    group: Reference | None = None,
    include_direct: bool = False,
    told: bool | None = None,
) -> Actor:
    """The actor for a call that names a group or a member, with both as ids.

    told: whether a robot reads what it was told by the member in direct conversations; by default
    as `include_direct`. It does so by the member's delegation or by a leave that everybody gives
    who talks to it, until they end it; never in a group.

    A robot needs the scope act_for to act for a member: else it raises MissingScopeError. Raises
    NotFoundError for a group that the robot is not in and for a member who is not in that group, as
    for what does not exist; for each group beyond the limit of its key KeyGroupsError. A person may
    name a group that they read and themselves; for anybody else it raises ImpersonationError, and
    so does a personal robot for anybody but its owner.
    """
    if actor.is_person:
        return _resolve_person(actor, member, group, include_direct)
    if member is not None and not may_act_for_members(actor):
        raise MissingScopeError(KeyScope.ACT_FOR)
    if member is None and group is None:
        return actor
    where, who, together, delegated, tells = _fetch_acting(actor, member, group)
    if group is not None and where is None:
        check_group_limit(actor)
        raise ReferenceNotFoundError("group", group)
    if member is None:
        # In a group only what is asked for there comes up, also for an OAuth client.
        wide = include_direct and actor.delegated
        return replace(actor, group_id=where, include_direct=wide, told=False)
    check_acting_for(actor, who)
    if who is None or (where and not together):
        raise ReferenceNotFoundError("member", member)
    return replace(
        actor,
        member_id=who,
        group_id=where,
        delegated=delegated,
        include_direct=include_direct and delegated,
        told=tells and where is None and (include_direct if told is None else told),
    )


def group_to_write_in(actor: Actor, named: str | UUID | None) -> str | UUID | None:
    """Where a call writes: in the group that it names; a key that is limited to one group writes
    there without naming it. Raises KeyGroupsError where such a key has several to choose from."""
    if named is not None or actor.key_groups is None:
        return named
    if len(actor.key_groups) > 1:
        raise KeyGroupsError("Name one of them in `group`.")
    return next(iter(actor.key_groups))


# For a robot `r` (id, owner_id, key_groups). An id is looked up as an id alone. Of several groups
# of one external id it is the one in which the robot sat first, as in `get_visible_group_in_scope`.
# A personal robot is in the groups of its owner alone, wherever it was seated. A key that is
# limited to groups knows their members alone, as in `visible_members`. Who ended a delegation
# ended the leave of direct conversations (`tells`) as well.
ACTING_SQL = f"""
SELECT g.id AS group_id, m.id AS member_id,
    EXISTS (SELECT 1 FROM orgs_groupmembership s WHERE s.organisation_id = %(organisation)s
            AND s.member_id = m.id AND s.group_id = g.id) AS together,
    EXISTS (SELECT 1 FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
            AND d.robot_id = r.id AND d.member_id = m.id AND d.revoked_at IS NULL)
    OR coalesce(r.owner_id = m.id, false) AS delegated,
    NOT EXISTS (SELECT 1 FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
        AND d.robot_id = r.id AND d.member_id = m.id AND d.revoked_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
        AND d.robot_id = r.id AND d.member_id = m.id AND d.revoked_at IS NULL) AS tells
FROM {{robot}} AS r
LEFT JOIN LATERAL (
    SELECT o.id FROM orgs_group o JOIN robots_robotgroup s
    ON s.organisation_id = o.organisation_id AND s.group_id = o.id
    WHERE o.organisation_id = %(organisation)s AND s.robot_id = r.id
    AND (o.id = %(group_id)s OR o.external_id = %(group)s)
    AND (r.key_groups IS NULL OR o.id = ANY (r.key_groups))
    AND (r.owner_id IS NULL OR EXISTS (
        SELECT 1 FROM orgs_groupmembership t WHERE t.organisation_id = %(organisation)s
        AND t.group_id = o.id AND t.member_id = r.owner_id))
    ORDER BY s.id LIMIT 1
) AS g ON true
LEFT JOIN LATERAL ({IDENTITY_SQL}) AS i ON true
LEFT JOIN LATERAL (
    SELECT p.id FROM orgs_member p WHERE p.organisation_id = %(organisation)s
    AND p.id = coalesce(%(member_id)s, i.member_id) AND p.removed_at IS NULL
    AND (r.key_groups IS NULL OR EXISTS (
        SELECT 1 FROM orgs_groupmembership t JOIN robots_robotgroup s
        ON s.organisation_id = t.organisation_id AND s.group_id = t.group_id
        WHERE t.organisation_id = %(organisation)s AND t.member_id = p.id
        AND s.robot_id = r.id AND t.group_id = ANY (r.key_groups)))
) AS m ON true
"""
_ACTING_STATEMENT = ACTING_SQL.format(
    robot="(SELECT %(robot)s::uuid AS id, %(owner)s::uuid AS owner_id, "
    "%(key_groups)s::uuid[] AS key_groups)"
)


def _fetch_acting(
    actor: Actor, member: Reference | None, group: Reference | None
) -> tuple[UUID | None, UUID | None, bool, bool, bool]:
    """(group of the robot, member, whether they are in that group, whether they delegate to it,
    whether it may read what they told it)."""
    rows = fetch_in_scope(
        Scope(organisation=actor.organisation_id),
        _ACTING_STATEMENT,
        {
            "organisation": actor.organisation_id,
            "robot": actor.robot_id,
            "owner": actor.owner_id,
            "key_groups": None if actor.key_groups is None else sorted(actor.key_groups),
            **reference_parameters(member, group),
        },
    )
    return rows[0]  # type: ignore[return-value]


def reference_parameters(member: Reference | None, group: Reference | None) -> dict[str, Any]:
    """The references as STANDING takes them."""
    member_id = parse_uuid(member) if member else None
    group_id = parse_uuid(group) if group else None
    platform, _, identifier = ("" if member_id else str(member or "")).partition(":")
    return {
        "group": None if group_id else group,
        "group_id": group_id,
        "member_id": member_id,
        "platform": platform or None,
        "identifier": identifier or None,
    }


def _resolve_person(
    actor: Actor, member: Reference | None, group: Reference | None, include_direct: bool
) -> Actor:
    with organisation_scope(actor.organisation_id):
        where = None
        if group is not None:
            where = get_visible_group_in_scope(actor, group)
        if member is not None:
            try:
                claimed = get_member(actor.organisation_id, member, where).id
            except NotFoundError:
                claimed = None
            check_acting_for(actor, claimed)
    return replace(actor, group_id=where.id if where else None, include_direct=include_direct)
