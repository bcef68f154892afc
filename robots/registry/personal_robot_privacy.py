"""Hide who taught what a profession reads, and so hide the personal robot that it came through.

A personal robot serves one member. If it were shown beside a memory that a persona, an industry or
a role reads, another memory of the same robot, about its member, would reveal who taught. So only
the robot and its member are shown the personal robot of such a memory; curators are not. No count
includes such a memory for that robot, and no filter by robot finds it.

The database knows who asks by the scope: it reads the robot's own audience, or what is private to
the member.
"""

from collections.abc import Iterable

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Exists, Func, OuterRef, Q
from django.db.models.functions import Cast
from django.utils.translation import gettext_noop

from orgs.models.audiences import COHORT_AUDIENCE_TYPES, Audience, AudienceType
from robots.models.robots import Robot
from robots.registry.personal_robot_sql import HIDING_AUDIENCE_TYPES, IN_SCOPE

HIDDEN_ROBOT_NAME = gettext_noop("A personal robot")


def visible_robot(
    robot: Robot | None, kinds: Iterable[str], whose: Iterable[str] = ()
) -> Robot | None:
    """The robot if the asker may know that it took part in a memory of these kinds of audiences;
    else None.

    whose: the ids that `whose` found; without them a personal robot is hidden from everybody.
    """
    if robot is None or robot.owner_id is None or set(kinds).isdisjoint(COHORT_AUDIENCE_TYPES):
        return robot
    return robot if {str(robot.id), str(robot.owner_id)} & set(whose) else None


def is_robot_hidden() -> Exists:
    """`hidden_robot_sql` for the ORM, of a row with `robot` and `audience`; in the reader's
    scope."""
    taught = Audience.objects.filter(
        id=OuterRef(OuterRef("audience_id")),
        kind__in=HIDING_AUDIENCE_TYPES,
        organisation_id=OuterRef("organisation_id"),
    )
    return Exists(others_personal_robots("robot_id").filter(Exists(taught)))


def others_personal_robots(robot: str) -> "models.QuerySet[Robot]":
    """The robot of a row if it is personal and the asker neither it nor its member; in the asker's
    scope.

    robot: the field of the row that has its id.
    """
    tenant = {"organisation_id": OuterRef("organisation_id")}
    own = Audience.objects.filter(InScope("id"), **tenant).filter(
        Q(kind=AudienceType.ROBOT, key=Cast(OuterRef("id"), models.TextField()))
        | Q(kind=AudienceType.MEMBER, key=Cast(OuterRef("owner_id"), models.TextField()))
    )
    return Robot.objects.filter(~Exists(own), id=OuterRef(robot), owner__isnull=False, **tenant)


class InScope(Func):
    """Whether the transaction's scope reads the audience of this id."""

    template = f"%(expressions)s = ANY ({IN_SCOPE})"
    output_field = models.BooleanField()


def asker_ids() -> ArraySubquery:
    """Ids of the asking robot or member, and of the member who delegates to the robot; for
    `told`."""
    own = Audience.objects.filter(InScope("id"), kind__in=(AudienceType.MEMBER, AudienceType.ROBOT))
    return ArraySubquery(own.values("key"))
