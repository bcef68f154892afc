"""Which robots read what is private to a member, and which what the member told them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import JSONObject

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceEntry, ReaderType
from orgs.principals import Actor
from robots.models.delegations import Delegation
from robots.models.keys import Key, KeyScope, valid_key_q, valid_key_sql
from robots.models.oauth import OAuthGrant, valid_grant_q
from robots.models.robots import Robot

# Whether a robot can read now what is private to the member %(me)s: `reads_private` in SQL.
IS_READ_FOR_SQL = f"""
EXISTS (SELECT FROM robots_robot r
    JOIN robots_key k ON k.organisation_id = r.organisation_id AND k.robot_id = r.id
        AND {valid_key_sql()}
    WHERE r.organisation_id = %(organisation)s AND r.retired_at IS NULL
        AND (r.owner_id = %(me)s OR r.id IN (
            SELECT robot_id FROM robots_delegation WHERE organisation_id = %(organisation)s
            AND member_id = %(me)s AND revoked_at IS NULL))
        AND k.scopes @> '["read", "act_for"]' AND k.groups IS NULL)
"""


@dataclass(frozen=True, slots=True)
class MemberRobots:
    """The robots that work for a member, each by name.

    access: those with leave and the member's own, also retired ones. told: those that read what the
    member told them in direct conversations, while they act for the member, by no other leave.
    others: the robots to which the member could delegate; None if they were not asked for.
    """

    access: list[Robot]
    told: list[Robot]
    others: list[Robot] | None


def load_member_robots(actor: Actor, *, others: bool, now: datetime) -> MemberRobots:
    """The robots of the asking member; one query. others: whether also the others are wanted.

    Each has `grants`: of a robot that is an OAuth client what its member allowed and what holds
    now, the oldest first (`robots.oauth.grants.list_assistants`). `leave_id` and `leave_at`: its
    valid delegation and when that was given, None for the member's own robot. See also
    `reads_private`.
    """
    rest = Q(retired_at=None, owner_id=None) if others else Q(is_told=True, retired_at=None)
    found = _fetch_robots(actor, _has_access(actor) | rest, now, _grants(actor, now))
    access = [one for one in found if _is_accessing(actor, one)]
    free = [one for one in found if not _is_accessing(actor, one)]
    told = [one for one in free if one.is_told]  # type: ignore[attr-defined]  # of `_fetch_robots`
    return MemberRobots(access, told, free if others else None)


def end_told_robot(actor: Actor, robot_id: UUID, *, now: datetime) -> None:
    """End what a robot reads because the member told it; it reads that again only by a delegation.

    Raises NotFoundError for any other robot.
    """
    if robot_id not in {one.id for one in load_member_robots(actor, others=False, now=now).told}:
        raise NotFoundError("no such robot")
    with organisation_scope(actor.organisation_id):
        ended = Delegation.objects.create(
            organisation_id=actor.organisation_id,
            member_id=actor.member_id,  # type: ignore[misc]  # a person has one
            robot_id=robot_id,
            created_at=now,
            revoked_at=now,
        )
        audit.record_entry("delegation.revoked", actor=actor, now=now, target=ended.id)


def list_private_readers(actor: Actor, *, now: datetime) -> list[Robot]:
    """The robots that can read what is private to the member now, by name; one query."""
    return [one for one in _fetch_robots(actor, _has_access(actor), now) if reads_private(one)]


def reads_private(robot: Robot) -> bool:
    """Whether one of the robots of a member can read what is private to them now: it works, and has
    a key that may read and act for members and is not limited to groups; also the member's own.
    `reader_query` counts by the same rule."""
    return robot.retired_at is None and robot.acts  # type: ignore[attr-defined,no-any-return]  # of `_fetch_robots`


def list_delegable_robots(actor: Actor, *, now: datetime) -> list[Robot]:
    """The robots to which the member could delegate, by name."""
    return load_member_robots(actor, others=True, now=now).others or []


def _has_access(actor: Actor) -> Q:
    return Q(owner_id=actor.member_id) | Q(id__in=_open_delegations(actor).values("robot_id"))


def _open_delegations(actor: Actor) -> QuerySet[Delegation]:
    return Delegation.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        revoked_at=None,
    )


def _delegation_id(robot: Robot) -> UUID | None:
    return robot.leave_id  # type: ignore[attr-defined,no-any-return]  # of `_robots`


def _is_accessing(actor: Actor, robot: Robot) -> bool:
    return robot.owner_id == actor.member_id or _delegation_id(robot) is not None


def _grants(actor: Actor, now: datetime) -> ArraySubquery:
    """What the member allowed the OAuth client that a robot is, and what holds now."""
    found = OAuthGrant.objects.filter(
        valid_grant_q(now),
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        robot_id=OuterRef("id"),
    )
    told = JSONObject(
        host="client_host",
        name="client_name",
        since="created_at",
        used="key__last_used_at",
        scopes="key__scopes",
    )
    return ArraySubquery(found.order_by("created_at", "id").values(told=told))


def _acting_keys(now: datetime) -> QuerySet[Key]:
    return Key.objects.filter(
        valid_key_q(now),
        organisation_id=OuterRef("organisation_id"),
        robot_id=OuterRef("id"),
        scopes__contains=[KeyScope.READ, KeyScope.ACT_FOR],
        groups=None,
    )


def _fetch_robots(
    actor: Actor, which: Q, now: datetime, grants: ArraySubquery | None = None
) -> list[Robot]:
    its = _open_delegations(actor).filter(robot_id=OuterRef("id")).order_by("-created_at", "-id")
    # What the member told a robot; who ended it or a delegation has a row of that.
    entries = AudienceEntry.objects.filter(organisation_id=actor.organisation_id)
    mine = entries.filter(kind=ReaderType.MEMBER, reader=actor.member_id)
    told = entries.filter(
        kind=ReaderType.DIRECT, reader=OuterRef("id"), audience_id__in=mine.values("audience_id")
    )
    any_leave = Delegation.objects.filter(
        organisation_id=actor.organisation_id, member_id=actor.member_id, robot_id=OuterRef("id")
    )
    with organisation_scope(actor.organisation_id):
        rows = Robot.objects.filter(organisation_id=actor.organisation_id, builtin=None)
        rows = rows.annotate(
            leave_id=Subquery(its.values("id")[:1]),
            leave_at=Subquery(its.values("created_at")[:1]),
            is_told=Exists(told) & ~Exists(any_leave),
            acts=Exists(_acting_keys(now)),
        )
        if grants is not None:
            rows = rows.annotate(grants=grants)
        return list(rows.filter(which).order_by("name", "id"))
