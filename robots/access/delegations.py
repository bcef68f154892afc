"""Which robots a member trusts with what is private to them."""

from collections.abc import Sequence

from django.db.models import OuterRef, Q, Subquery

from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.models.delegations import Delegation
from robots.models.robots import Robot


def trusted(actor: Actor) -> list[Delegation]:
    """The member's live delegations with their robots, the newest first."""
    with organisation_scope(actor.organisation_id):
        rows = Delegation.objects.filter(
            organisation_id=actor.organisation_id,
            member_id=actor.member_id,  # type: ignore[misc]  # a person has one
            revoked_at=None,
        )
        return list(rows.select_related("robot").order_by("-created_at", "-id"))


def working_for(actor: Actor) -> list[Robot]:
    """The robots that read what is private to the member: with leave, or as their own; by name."""
    return [robot for robot in serving(actor) if robot.retired_at is None]


def serving(actor: Actor) -> list[Robot]:
    """The same with those that have retired, by name; one query.

    Each has `leave_id` and `leave_at`, its live delegation and since when; None for the member's
    own.
    """
    given = Delegation.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        revoked_at=None,
    )
    its = given.filter(robot_id=OuterRef("id")).order_by("-created_at", "-id")
    with organisation_scope(actor.organisation_id):
        rows = Robot.objects.filter(
            Q(owner_id=actor.member_id) | Q(id__in=given.values("robot_id")),
            organisation_id=actor.organisation_id,
            builtin=None,
        ).annotate(
            leave_id=Subquery(its.values("id")[:1]), leave_at=Subquery(its.values("created_at")[:1])
        )
        return list(rows.order_by("name", "id"))


def robots_on_offer(actor: Actor, given: Sequence[Delegation]) -> list[Robot]:
    """The robots to which the member could give leave, by name."""
    with organisation_scope(actor.organisation_id):
        rows = Robot.objects.filter(
            organisation_id=actor.organisation_id, builtin=None, retired_at=None
        )
        rows = rows.exclude(id__in=[d.robot_id for d in given]).exclude(owner_id=actor.member_id)
        return list(rows.order_by("name", "id"))
