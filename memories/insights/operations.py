"""The log of operations for everybody, and counts for each robot for curators and admins.

A line is shown to everybody who reads its memory, but what a member was served, by themselves or by
a robot for them, to that reader alone: row-level security hides such lines of `recall` and `evict`
from others. What a personal robot taught a profession is shown without it
(`personal_robot_privacy`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from memories.access.permissions import may_restore_q
from memories.jobs.old_rows import delete_old_rows, old_rows_sql
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.version import Operation, OperationVerb
from orgs.errors import NotFoundError
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.robots import Robot
from robots.registry.personal_robot_privacy import is_robot_hidden
from robots.registry.robots import get_robot, may_see_work

OperationCursor = tuple[datetime, UUID]
# Verbs that reveal on what somebody works.
_REVEALING_VERBS = (OperationVerb.RECALL, OperationVerb.EVICT)

_DELETE_OLD_SQL = old_rows_sql("memories_operation", "at < %(before)s ORDER BY at, id")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFilter:
    """Filters; empty means all. robot: a reference. since, until: both included."""

    robot: str | None = None
    verb: str | None = None
    memory: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationEntry:
    """One line of the log. robot: None for a person, and where the asker may not know it."""

    id: UUID
    verb: str
    memory: UUID
    robot: Robot | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotCounts:
    """How often a robot did what, by verb. robot: None for people and for robots that the asker may
    not know."""

    robot: Robot | None
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotRecallCount:
    """How often a memory answered a robot that asked for nobody, or the asker, and when last.
    robot: None for a person and for robots that the asker may not know."""

    robot: Robot | None
    times: int
    last: datetime


def list_operations(
    actor: Actor, wanted: OperationFilter, *, limit: int, after: OperationCursor | None = None
) -> tuple[list[OperationEntry], OperationCursor | None]:
    """A page of lines, the newest first, and the place after it; None at the end."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _filter_operations(principal, wanted)
        if rows is None:
            return [], None
        if after:
            at, id_ = after
            rows = rows.filter(Q(at__lt=at) | Q(at=at, id__lt=id_))
        found = list(
            _annotate_hidden_robot(rows).select_related("robot").order_by("-at", "-id")[: limit + 1]
        )
    lines = [
        OperationEntry(
            id=row.id,
            verb=row.verb,
            memory=row.memory_id,
            robot=_visible_robot(actor, row),
            at=row.at,
        )
        for row in found[:limit]
    ]
    more = len(found) > limit
    return lines, (found[limit - 1].at, found[limit - 1].id) if more else None


def _visible_robot(actor: Actor, row: Operation) -> Robot | None:
    if row.robot is None or row.untold:  # type: ignore[attr-defined]  # of `_told`
        return None
    return row.robot if _may_see_robot(actor, row.verb, row.robot) else None


def count_operations(
    actor: Actor, *, since: datetime | None = None, until: datetime | None = None
) -> list[RobotCounts]:
    """Counts for each robot, by name, over the lines that the asker may read; for lines without a
    robot see `Line`.

    Raises PermissionError for everybody but curators and admins.
    """
    if not actor.moderates:
        raise PermissionError("Curators and admins see what robots did in numbers.")
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _in_period(_visible_operations(principal), since, until)
        told = _annotate_hidden_robot(rows).order_by().values("robot_id", "verb", "untold")
        counted = told.annotate(times=Count("id"))
        lines = [
            (None if row["untold"] else row["robot_id"], row["verb"], row["times"])
            for row in counted
        ]
        robots = Robot.objects.filter(organisation_id=principal.organisation_id).in_bulk(
            {robot_id for robot_id, _, _ in lines if robot_id}
        )
    found: Counter[tuple[UUID | None, str]] = Counter()
    for robot_id, verb, times in lines:
        known = robot_id is None or _may_see_robot(actor, verb, robots[robot_id])
        found[robot_id if known else None, verb] += times
    return _sort_by_name(found, robots.values())


def annotate_robot_recalls(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate memories for `list_robot_recall_counts`; evaluate inside the asker's scope."""
    of = Operation.objects.filter(
        organisation_id=OuterRef("organisation_id"),
        memory_id=OuterRef("id"),
        verb=OperationVerb.RECALL,
        folded=False,
    )
    robot = ("robot_id", "robot__name", "robot__owner_id", "untold")
    counted = (
        _annotate_hidden_robot(of)
        .order_by()
        .values(*robot)
        .annotate(times=Count("id"), last=Max("at"))
    )
    pairs = {name: F(name) for name in (*robot, "times", "last")}
    return rows.annotate(reads=ArraySubquery(counted.values(read=JSONObject(**pairs))))


def list_robot_recall_counts(actor: Actor, memory: Memory) -> list[RobotRecallCount]:
    """Whom a memory of `annotate_robot_recalls` answered, as far as the log goes back, the most
    frequent first.

    Only recalls that count as access are in the log.
    """
    found: dict[UUID | None, RobotRecallCount] = {}
    for row in memory.reads:  # type: ignore[attr-defined]  # of `annotate_robot_recalls`
        robot = None
        if row["robot_id"] and not row["untold"]:
            owner = row["robot__owner_id"]
            robot = Robot(
                id=UUID(row["robot_id"]),
                name=row["robot__name"],
                owner_id=UUID(owner) if owner else None,
            )
            robot = robot if _may_see_robot(actor, OperationVerb.RECALL, robot) else None
        key, last = robot.id if robot else None, datetime.fromisoformat(row["last"])
        before = found.get(key)
        found[key] = RobotRecallCount(
            robot=robot,
            times=row["times"] + (before.times if before else 0),
            last=max(last, before.last) if before else last,
        )
    return sorted(found.values(), key=lambda one: (one.robot is None, -one.times, one.last))


def _sort_by_name(
    found: Mapping[tuple[UUID | None, str], int], robots: Iterable[Robot]
) -> list[RobotCounts]:
    ids = {robot_id for robot_id, _ in found}
    named = sorted(
        (robot for robot in robots if robot.id in ids), key=lambda robot: (robot.name, robot.id)
    )
    whose: list[Robot | None] = [*named, *([None] if None in ids else [])]
    return [
        RobotCounts(
            robot=robot,
            counts={
                verb: found.get((robot.id if robot else None, verb), 0)
                for verb in OperationVerb.values
            },
        )
        for robot in whose
    ]


def delete_old_operations(organisation_id: UUID, *, now: datetime) -> int:
    """Delete lines older than the setting OPERATIONS_DAYS; returns how many."""
    before = now - timedelta(days=settings.OPERATIONS_DAYS)
    return delete_old_rows(organisation_id, _DELETE_OLD_SQL, before)


def _may_see_robot(actor: Actor, verb: str, robot: Robot) -> bool:
    """Whether the asker may see the robot of a line with this verb."""
    return verb not in _REVEALING_VERBS or may_see_work(robot, actor)


def _annotate_hidden_robot(rows: "QuerySet[Operation]") -> "QuerySet[Any]":
    """Annotate lines with `untold`: whether the robot is hidden from the asker. Evaluate in their
    scope."""
    return rows.annotate(untold=is_robot_hidden())


def _visible_operations(principal: Principal) -> "QuerySet[Operation]":
    """The lines that the asker may see. Lines of forgotten memories are only for those who may
    restore them."""
    memories = Memory.objects.filter(
        ~Q(status=Status.FORGOTTEN) | may_restore_q(principal.actor),
        organisation_id=OuterRef("organisation_id"),
        id=OuterRef("memory_id"),
    )
    if principal.actor.is_person:
        memories = memories.for_people()
    rows = Operation.objects.filter(organisation_id=principal.organisation_id)
    return rows.filter(Exists(memories))


def _in_period(
    rows: "QuerySet[Operation]", since: datetime | None, until: datetime | None
) -> "QuerySet[Operation]":
    if since:
        rows = rows.filter(at__gte=since)
    return rows.filter(at__lte=until) if until else rows


def _filter_operations(
    principal: Principal, wanted: OperationFilter
) -> "QuerySet[Operation] | None":
    """The lines that match; None if the wanted robot does not exist."""
    rows = _in_period(_visible_operations(principal), wanted.since, wanted.until)
    if wanted.verb:
        rows = rows.filter(verb=wanted.verb)
    if wanted.memory:
        rows = rows.filter(memory_id=wanted.memory)
    if wanted.robot:
        try:
            robot = get_robot(principal.organisation_id, wanted.robot)
        except NotFoundError:
            return None
        return _operations_of_robot(principal, robot, rows)
    return rows


def robot_recall_operations(
    principal: Principal, robot: Robot, *, since: datetime, until: datetime
) -> "QuerySet[Any]":
    """Recall lines of a robot, as far as the asker may see them, without what did not answer; in
    their scope."""
    rows = _in_period(_visible_operations(principal), since, until).filter(
        verb=OperationVerb.RECALL, folded=False
    )
    return _operations_of_robot(principal, robot, rows)


def robots_recall_operations(
    principal: Principal, robots: Iterable[UUID], *, since: datetime, until: datetime
) -> "QuerySet[Any]":
    """Recall lines of several robots without a member, from `since` to before `until`; lines of
    forgotten memories are left out for everybody."""
    memories = Memory.objects.filter(
        organisation_id=OuterRef("organisation_id"), id=OuterRef("memory_id")
    )
    kept = memories.exclude(status=Status.FORGOTTEN).for_people()
    rows = Operation.objects.filter(
        Exists(kept),
        organisation_id=principal.organisation_id,
        verb=OperationVerb.RECALL,
        robot_id__in=list(robots),
        robot__owner=None,
    )
    return rows.filter(at__gte=since, at__lt=until)


def _operations_of_robot(
    principal: Principal, robot: Robot, rows: "QuerySet[Operation]"
) -> "QuerySet[Any]":
    """The lines of one robot whose robot the asker may see."""
    rows = _annotate_hidden_robot(rows).filter(robot_id=robot.id, untold=False)
    if not _may_see_robot(principal.actor, OperationVerb.RECALL, robot):
        rows = rows.exclude(verb__in=_REVEALING_VERBS)
    return rows
