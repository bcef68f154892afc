"""Who taught what a profession reads is not told, and so neither is whose personal robot did.

A personal robot serves one member. Where something that a persona, an industry or a role reads
stood beside its id or its name, a memory that it wrote elsewhere, about its member, would say who
taught. So of such a memory its personal robot is shown to that robot and to its member alone; a
curator is told no more than others. Nothing counts it, and no filter by a robot finds it.

The database says who asks: the scope reads the robot's own audience, or what is private to its
member.
"""

from collections.abc import Iterable

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Exists, Func, OuterRef, Q
from django.db.models.functions import Cast

from orgs.models.audiences import COHORTS, Audience, AudienceKind
from robots.models.robots import Robot
from robots.registry.who_taught_sql import IN_SCOPE, UNTOLD

A_PERSONAL_ROBOT = "A personal robot"


def told(robot: Robot | None, kinds: Iterable[str], whose: Iterable[str] = ()) -> Robot | None:
    """The robot, where who asks may know that it had a part in what these kinds of audiences read.

    whose: what `whose` found; without it a personal robot is told to nobody there.
    """
    if robot is None or robot.owner_id is None or set(kinds).isdisjoint(COHORTS):
        return robot
    return robot if {str(robot.id), str(robot.owner_id)} & set(whose) else None


def robot_untold() -> Exists:
    """`untold_sql` for the ORM, of a row with `robot` and `audience`; in the asker's scope."""
    tenant = {"organisation_id": OuterRef("organisation_id")}
    taught = Audience.objects.filter(
        id=OuterRef(OuterRef("audience_id")), kind__in=UNTOLD, **tenant
    )
    own = Audience.objects.filter(InScope("id"), **tenant).filter(
        Q(kind=AudienceKind.ROBOT, key=Cast(OuterRef("id"), models.TextField()))
        | Q(kind=AudienceKind.MEMBER, key=Cast(OuterRef("owner_id"), models.TextField()))
    )
    teacher = Robot.objects.filter(
        Exists(taught), ~Exists(own), id=OuterRef("robot_id"), owner__isnull=False, **tenant
    )
    return Exists(teacher)


class InScope(Func):
    """Whether the transaction's scope reads the audience of this id."""

    template = f"%(expressions)s = ANY ({IN_SCOPE})"
    output_field = models.BooleanField()


def whose() -> ArraySubquery:
    """The ids of the robot and of the member whom who asks is, or speaks for with their leave."""
    own = Audience.objects.filter(InScope("id"), kind__in=(AudienceKind.MEMBER, AudienceKind.ROBOT))
    return ArraySubquery(own.values("key"))
