"""Which robots read what is private to a member."""

from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.models.delegations import Delegation
from robots.models.robots import Robot


def list_active_robots_with_access(actor: Actor) -> list[Robot]:
    """The robots that read what is private to the member, by delegation or as their own; by
    name."""
    return [robot for robot in list_robots_with_access(actor) if robot.retired_at is None]


def list_robots_with_access(actor: Actor) -> list[Robot]:
    """The same, with robots that are retired; one query.

    Each has `leave_id` and `leave_at`: its valid delegation and when that was given. Both are None
    for the member's own robot.
    """
    return _fetch_robots(actor, _has_access(actor))


def partition_robots_by_access(actor: Actor) -> tuple[list[Robot], list[Robot]]:
    """(`serving`, the robots to which the member could delegate), each by name; one query."""
    found = _fetch_robots(actor, _has_access(actor) | Q(retired_at=None, owner_id=None))
    serve = [one for one in found if actor.member_id == one.owner_id or _delegation_id(one)]
    return serve, [one for one in found if one not in serve]


def list_delegable_robots(actor: Actor) -> list[Robot]:
    """The robots to which the member could delegate, by name."""
    return partition_robots_by_access(actor)[1]


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


def _fetch_robots(actor: Actor, which: Q) -> list[Robot]:
    its = _open_delegations(actor).filter(robot_id=OuterRef("id")).order_by("-created_at", "-id")
    with organisation_scope(actor.organisation_id):
        rows = Robot.objects.filter(
            which, organisation_id=actor.organisation_id, builtin=None
        ).annotate(
            leave_id=Subquery(its.values("id")[:1]), leave_at=Subquery(its.values("created_at")[:1])
        )
        return list(rows.order_by("name", "id"))
