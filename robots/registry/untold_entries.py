"""Entries of the audit trail that would say who taught a profession something.

The rule is the database's (`memories/sql/untold_entries_v1.sql`, and `never_teaches_v2.sql` for the
list of acts): an act of a robot on a block, on what a profession reads, or on what is gone or
hidden from the asker. Evaluate inside the asker's scope. The asker themselves, and their personal
robot, are shown to themselves.
"""

from typing import Any

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from orgs.models.audiences import Audience, AudienceType
from orgs.models.audit import AuditEntry
from robots.registry.personal_robot_privacy import InScope, others_personal_robots


class MayTellTeacher(Func):
    """Whether an entry, if it named who did it, could say who taught."""

    function = "may_tell_teacher"
    output_field = BooleanField()

    def __init__(self) -> None:
        super().__init__(*map(F, ("organisation_id", "action", "target_type", "target", "detail")))


class NeverTeaches(Func):
    """Whether an act of this name can never concern what is taught."""

    function = "never_teaches"
    output_field = BooleanField()


def with_robot_untold(rows: "QuerySet[AuditEntry]") -> "QuerySet[Any]":
    """The entries with `untold`, for support: who did it through a robot is told only of acts that
    never teach, for support reads neither whom a robot serves nor what the entry says else."""
    return rows.annotate(untold=Q(robot__isnull=False) & ~Q(NeverTeaches("action")))


def with_untold(rows: "QuerySet[AuditEntry]") -> "QuerySet[Any]":
    """The entries with `untold`: no member is shown; and `is_robot_hidden`: no robot either.

    A robot that serves one member stands for that member; one that acts for a member is known by
    itself.
    """
    own = Audience.objects.filter(
        InScope("id"),
        kind=AudienceType.MEMBER,
        key=Cast(OuterRef("member"), TextField()),
        organisation_id=OuterRef("organisation_id"),
    )
    for_another = Q(member__isnull=False) & ~Exists(own)
    by_robot = Q(robot__isnull=False) & Q(MayTellTeacher())
    personal = Exists(others_personal_robots("robot"))
    return rows.annotate(
        untold=by_robot & (Q(personal) | for_another), robot_untold=by_robot & Q(personal)
    )
