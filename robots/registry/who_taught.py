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

A_PERSONAL_ROBOT = "A personal robot"
IN_SCOPE = "(SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]"
# Of what lies here no count and no filter tells others the robot: what waits for a review may
# be meant for a profession, and a filter needs no more columns than the lists' index has.
_UNTOLD = (*COHORTS, AudienceKind.REVIEW)
_KINDS = ", ".join(f"'{kind}'" for kind in _UNTOLD)


def told(robot: Robot | None, kinds: Iterable[str], whose: Iterable[str] = ()) -> Robot | None:
    """The robot, where who asks may know that it had a part in what these kinds of audiences read.

    whose: what `whose` found; without it a personal robot is told to nobody there.
    """
    if robot is None or robot.owner_id is None or set(kinds).isdisjoint(COHORTS):
        return robot
    return robot if {str(robot.id), str(robot.owner_id)} & set(whose) else None


def untold_sql(organisation: str, robot: str, audience: str) -> str:
    """The condition that who asks is not told of this robot beside what this audience reads; all
    are columns."""
    return f"""EXISTS (
    SELECT 1 FROM robots_robot teacher JOIN orgs_audience taught
        ON taught.organisation_id = teacher.organisation_id
        AND taught.id = {audience} AND taught.kind IN ({_KINDS})
    WHERE teacher.organisation_id = {organisation} AND teacher.id = {robot}
        AND teacher.owner_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM orgs_audience own WHERE own.organisation_id = {organisation}
                AND own.id = ANY ({IN_SCOPE}) AND (
                    (own.kind = 'robot' AND own.key = teacher.id::text)
                    OR (own.kind = 'member' AND own.key = teacher.owner_id::text))))"""


def told_sql(robot: str, row: str) -> str:
    """The condition that who asks is told of a row of robots beside a row with an audience.

    Both are aliases. Most robots serve nobody, so that is looked at first.
    """
    untold = untold_sql(f"{row}.organisation_id", f"{robot}.id", f"{row}.audience_id")
    return f"({robot}.owner_id IS NULL OR NOT {untold})"


def robot_untold() -> Exists:
    """The same for the ORM, of a row with `robot` and `audience`; in the asker's scope."""
    tenant = {"organisation_id": OuterRef("organisation_id")}
    taught = Audience.objects.filter(
        id=OuterRef(OuterRef("audience_id")), kind__in=_UNTOLD, **tenant
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
