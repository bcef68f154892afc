"""The log of operations for everybody, and counts for each robot for curators and admins.

A line is shown to everybody who reads its memory, but what a member was served, by themselves or by
a robot for them, to that reader alone: row-level security hides such lines of `recall` and `evict`
from others. What a personal robot taught a profession is shown without it (`who_taught`).
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

from memories.access.permissions import restorable
from memories.jobs.queue import WORKER
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.operation import Operation, Verb
from orgs.database.prepared_statements import fetched
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.principals import Actor, Principal, resolve
from robots.models.robots import Robot
from robots.registry.robots import find_robot, works_before
from robots.registry.who_taught import robot_untold

# Rows in one transaction of the clean-up.
BATCH = 5_000
Place = tuple[datetime, UUID]
# Verbs that reveal on what somebody works.
_ASKED = (Verb.RECALL, Verb.EVICT)

_OLD = """
DELETE FROM memories_operation WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM memories_operation
    WHERE organisation_id = %(organisation)s AND at < %(before)s ORDER BY at, id LIMIT %(most)s))
RETURNING 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filters; empty means all. robot: a reference. since, until: both included."""

    robot: str | None = None
    verb: str | None = None
    memory: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
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
class ReadTimes:
    """How often a memory was served to a robot that asked for nobody, or to the asker, and when
    last. robot: None for a person and for robots that the asker may not know."""

    robot: Robot | None
    times: int
    last: datetime


def operations(
    actor: Actor, wanted: Wanted, *, limit: int, after: Place | None = None
) -> tuple[list[Line], Place | None]:
    """A page of lines, the newest first, and the place after it; None at the end."""
    principal = resolve(actor)
    with principal.scope():
        rows = _matching(principal, wanted)
        if rows is None:
            return [], None
        if after:
            at, id_ = after
            rows = rows.filter(Q(at__lt=at) | Q(at=at, id__lt=id_))
        found = list(_told(rows).select_related("robot").order_by("-at", "-id")[: limit + 1])
    lines = [
        Line(
            id=row.id,
            verb=row.verb,
            memory=row.memory_id,
            robot=_robot(actor, row),
            at=row.at,
        )
        for row in found[:limit]
    ]
    more = len(found) > limit
    return lines, (found[limit - 1].at, found[limit - 1].id) if more else None


def _robot(actor: Actor, row: Operation) -> Robot | None:
    if row.robot is None or row.untold:  # type: ignore[attr-defined]  # of `_told`
        return None
    return row.robot if _names(actor, row.verb, row.robot) else None


def operation_counts(
    actor: Actor, *, since: datetime | None = None, until: datetime | None = None
) -> list[RobotCounts]:
    """Counts for each robot, by name, over the lines that the asker may read; for lines without a
    robot see `Line`.

    Raises PermissionError for everybody but curators and admins.
    """
    if not actor.moderates:
        raise PermissionError("Curators and admins see what robots did in numbers.")
    principal = resolve(actor)
    with principal.scope():
        rows = _within(_shown(principal), since, until)
        told = _told(rows).order_by().values("robot_id", "verb", "untold")
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
        known = robot_id is None or _names(actor, verb, robots[robot_id])
        found[robot_id if known else None, verb] += times
    return _by_name(found, robots.values())


def with_reads(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate memories for `reads_of`; evaluate inside the asker's scope."""
    of = Operation.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id"), verb=Verb.RECALL
    )
    robot = ("robot_id", "robot__name", "robot__owner_id", "untold")
    counted = _told(of).order_by().values(*robot).annotate(times=Count("id"), last=Max("at"))
    pairs = {name: F(name) for name in (*robot, "times", "last")}
    return rows.annotate(reads=ArraySubquery(counted.values(read=JSONObject(**pairs))))


def reads_of(actor: Actor, memory: Memory) -> list[ReadTimes]:
    """To whom a memory of `with_reads` was served, as far as the log goes back, the most frequent
    first.

    Only recalls that count as access are in the log.
    """
    found: dict[UUID | None, ReadTimes] = {}
    for row in memory.reads:  # type: ignore[attr-defined]  # of `with_reads`
        robot = None
        if row["robot_id"] and not row["untold"]:
            owner = row["robot__owner_id"]
            robot = Robot(
                id=UUID(row["robot_id"]),
                name=row["robot__name"],
                owner_id=UUID(owner) if owner else None,
            )
            robot = robot if _names(actor, Verb.RECALL, robot) else None
        key, last = robot.id if robot else None, datetime.fromisoformat(row["last"])
        before = found.get(key)
        found[key] = ReadTimes(
            robot=robot,
            times=row["times"] + (before.times if before else 0),
            last=max(last, before.last) if before else last,
        )
    return sorted(found.values(), key=lambda one: (one.robot is None, -one.times, one.last))


def _by_name(
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
                verb: found.get((robot.id if robot else None, verb), 0) for verb in Verb.values
            },
        )
        for robot in whose
    ]


def remove_old(organisation_id: UUID, *, now: datetime) -> int:
    """Delete lines older than the setting OPERATIONS_DAYS; returns how many."""
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "before": now - timedelta(days=settings.OPERATIONS_DAYS),
        "most": BATCH,
    }
    gone = 0
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = len(fetched(_OLD, values, WORKER))
        gone += rows
        if rows < BATCH:
            return gone


def _names(actor: Actor, verb: str, robot: Robot) -> bool:
    """Whether the asker may see the robot of a line with this verb."""
    return verb not in _ASKED or works_before(robot, actor)


def _told(rows: "QuerySet[Operation]") -> "QuerySet[Any]":
    """Annotate lines with `untold`: whether the robot is hidden from the asker. Evaluate in their
    scope."""
    return rows.annotate(untold=robot_untold())


def _shown(principal: Principal) -> "QuerySet[Operation]":
    """The lines that the asker may see. Lines of forgotten memories are only for those who may
    restore them."""
    memories = Memory.objects.filter(
        ~Q(status=Status.FORGOTTEN) | restorable(principal.actor),
        organisation_id=OuterRef("organisation_id"),
        id=OuterRef("memory_id"),
    )
    if principal.actor.is_person:
        memories = memories.for_people()
    rows = Operation.objects.filter(organisation_id=principal.organisation_id)
    return rows.filter(Exists(memories))


def _within(
    rows: "QuerySet[Operation]", since: datetime | None, until: datetime | None
) -> "QuerySet[Operation]":
    if since:
        rows = rows.filter(at__gte=since)
    return rows.filter(at__lte=until) if until else rows


def _matching(principal: Principal, wanted: Wanted) -> "QuerySet[Operation] | None":
    """The lines that match; None if the wanted robot does not exist."""
    rows = _within(_shown(principal), wanted.since, wanted.until)
    if wanted.verb:
        rows = rows.filter(verb=wanted.verb)
    if wanted.memory:
        rows = rows.filter(memory_id=wanted.memory)
    if wanted.robot:
        try:
            robot = find_robot(principal.organisation_id, wanted.robot)
        except NotFound:
            return None
        return _by(principal, robot, rows)
    return rows


def served_lines(
    principal: Principal, robot: Robot, *, since: datetime, until: datetime
) -> "QuerySet[Any]":
    """Recall lines of a robot, as far as the asker may see them; in their scope."""
    rows = _within(_shown(principal), since, until).filter(verb=Verb.RECALL)
    return _by(principal, robot, rows)


def all_served_lines(
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
        verb=Verb.RECALL,
        robot_id__in=list(robots),
        robot__owner=None,
    )
    return rows.filter(at__gte=since, at__lt=until)


def _by(principal: Principal, robot: Robot, rows: "QuerySet[Operation]") -> "QuerySet[Any]":
    """The lines of one robot whose robot the asker may see."""
    rows = _told(rows).filter(robot_id=robot.id, untold=False)
    if not _names(principal.actor, Verb.RECALL, robot):
        rows = rows.exclude(verb__in=_ASKED)
    return rows
