"""Which robots read what is private to a member."""

from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.models.delegations import Delegation
from robots.models.robots import Robot


def working_for(actor: Actor) -> list[Robot]:
    """The robots that read what is private to the member, by delegation or as their own; by
    name."""
    return [robot for robot in serving(actor) if robot.retired_at is None]


def serving(actor: Actor) -> list[Robot]:
    """The same, with robots that are retired; one query.

    Each has `leave_id` and `leave_at`: its valid delegation and when that was given. Both are None
    for the member's own robot.
    """
    return _robots(actor, _serve(actor))


def serving_and_on_offer(actor: Actor) -> tuple[list[Robot], list[Robot]]:
    """(`serving`, the robots to which the member could delegate), each by name; one query."""
    found = _robots(actor, _serve(actor) | Q(retired_at=None, owner_id=None))
    serve = [one for one in found if actor.member_id == one.owner_id or _leave(one)]
    return serve, [one for one in found if one not in serve]


def robots_on_offer(actor: Actor) -> list[Robot]:
    """The robots to which the member could delegate, by name."""
    return serving_and_on_offer(actor)[1]


def _serve(actor: Actor) -> Q:
    return Q(owner_id=actor.member_id) | Q(id__in=_given(actor).values("robot_id"))


def _given(actor: Actor) -> QuerySet[Delegation]:
    return Delegation.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        revoked_at=None,
    )


def _leave(robot: Robot) -> UUID | None:
    return robot.leave_id  # type: ignore[attr-defined,no-any-return]  # of `_robots`


def _robots(actor: Actor, which: Q) -> list[Robot]:
    its = _given(actor).filter(robot_id=OuterRef("id")).order_by("-created_at", "-id")
    with organisation_scope(actor.organisation_id):
        rows = Robot.objects.filter(
            which, organisation_id=actor.organisation_id, builtin=None
        ).annotate(
            leave_id=Subquery(its.values("id")[:1]), leave_at=Subquery(its.values("created_at")[:1])
        )
        return list(rows.order_by("name", "id"))
