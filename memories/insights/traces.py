"""Recalls as they were served, for curators and admins: of robots that ask for themselves, and
one's own.

The list comes from the log of operations, of which a curator reads the lines of memories that they
read. So a recall is listed if they read at least one of its memories now, and only with those; that
there were others is not shown. The record of the recall (scores, time, group, feedback) belongs to
the robot. It is read in a scope of the notes of these robots alone, and only for robots that serve
no member and did not ask for one: recalls by members and for members are private. `answered` is
computed from the shown memories, as they were judged then, because the judgement of all would
reveal the others. No words of a question are stored (docs/adr/0025-traces.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, JSONObject

from memories.insights.operations import all_served_lines
from memories.library.browse import ListedMemory, show
from memories.retrieval.answering.recorded import RecordedHit, recorded, said
from memories.retrieval.models import Feedback, Recall
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFound
from orgs.models.audiences import Audience, AudienceKind
from orgs.principals import Actor, Principal, readable_groups, resolve
from robots.models.robots import Robot

PAGE = 50
LATELY = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedTraces:
    """Filters. mine: one's own recalls. until: not included; the next page begins there."""

    robot: UUID | None = None
    mine: bool = False
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recall. robot: None for one's own; group: its name, empty without one that the asker
    knows; memories: how many of the served memories the asker reads; folded: how many of these did
    not answer. answered, confidence: for one's own as they were served, for others' from these
    memories; empty and None if it was not judged."""

    id: UUID
    at: datetime
    robot: Robot | None
    group: str
    group_id: UUID | None
    strategy: str
    took_ms: float
    memories: int
    folded: int
    answered: str
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """A memory of the answer as it was served (see `RecordedHit`), and the feedback on it."""

    shown: ListedMemory
    hit: RecordedHit
    usefulness: float | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceDetail:
    """One recall with the served memories that the asker reads, best first."""

    trace: Trace
    came: Sequence[Came]


def _curates(actor: Actor) -> None:
    if not (actor.is_person and actor.moderates):
        raise NotFound("no such page")


def traces(actor: Actor, wanted: WantedTraces) -> tuple[list[Trace], datetime | None]:
    """A page of recalls, the newest first, and where the next page begins (None at the end). Raises
    NotFound."""
    _curates(actor)
    principal = resolve(actor)
    if wanted.mine:
        return _own(principal, wanted)
    with principal.scope():
        robots = _robots(actor.organisation_id, wanted.robot)
        lines = all_served_lines(principal, robots, since=wanted.since, until=wanted.until)
        pairs = lines.order_by("-at", "robot_id").values_list("robot_id", "at").distinct()
        served = list(pairs[: PAGE + 1])
        ids = set(lines.filter(at__in=[at for _, at in served]).values_list("memory_id", flat=True))
        groups = dict(readable_groups(actor).values_list("id", "name"))
    found = _notes(principal, robots, [at for _, at in served[:PAGE]])
    listed = [_trace(row, robots, groups, ids) for row in found]
    more = served[PAGE - 1][1] if len(served) > PAGE else None
    return [one for one in listed if one.memories], more


def _asked_by(actor: Actor) -> "QuerySet[Recall]":
    """A person's own recalls; evaluate in their scope."""
    rows = Recall.objects.filter(organisation_id=actor.organisation_id, robot=None)
    return rows.filter(Q(member_id=actor.member_id), member__isnull=False)


def _own(principal: Principal, wanted: WantedTraces) -> tuple[list[Trace], datetime | None]:
    with principal.scope():
        rows = _asked_by(principal.actor).filter(
            created_at__gte=wanted.since, created_at__lt=wanted.until
        )
        found = list(rows.order_by("-created_at", "-id")[: PAGE + 1])
        came = _kept(principal, {hit.id for row in found for hit in recorded(row.hits)})
        ids = set(came.values_list("id", flat=True))
        groups = dict(readable_groups(principal.actor).values_list("id", "name"))
    listed = [_trace(row, {}, groups, ids) for row in found[:PAGE]]
    return listed, found[PAGE - 1].created_at if len(found) > PAGE else None


def trace(actor: Actor, recall_id: UUID, *, organisation: str, now: datetime) -> TraceDetail:
    """One recall. Looking at another's recall is recorded in the audit trail. Raises NotFound."""
    _curates(actor)
    principal = resolve(actor)
    with principal.scope():
        robots = _robots(actor.organisation_id, None)
        own = _with_feedback(_asked_by(actor)).filter(id=recall_id).first()
    row = own or _note(principal, robots, recall_id)
    told = {UUID(one["memory"]): one for one in row.told}
    with principal.scope():
        hits = recorded(row.hits)
        known = _kept(principal, [hit.id for hit in hits]).with_names().in_bulk()
        if own is None and not known:
            raise NotFound("no such recall")
        groups = readable_groups(actor).filter(id=row.group_id) if row.group_id else []
        ordered = [known[hit.id] for hit in hits if hit.id in known]
        shown = show(principal, ordered, organisation)
        if own is None:
            audit.record("trace.read", actor=actor, now=now, target=row.id, target_type="recall")
        named = {group.id: group.name for group in groups}
    by_id = {hit.id: hit for hit in hits}
    came = [
        Came(
            shown=one,
            hit=by_id[one.memory.id],
            usefulness=told.get(one.memory.id, {}).get("usefulness"),
            outcome=told.get(one.memory.id, {}).get("outcome", ""),
        )
        for one in shown
    ]
    return TraceDetail(trace=_trace(row, robots, named, set(known)), came=came)


def _with_feedback(rows: "QuerySet[Recall]") -> "QuerySet[Any]":
    """Prefetch the feedback on the hits; evaluate in the scope of the asker of the recall."""
    told = Feedback.objects.filter(
        organisation_id=OuterRef("organisation_id"), recall_id=OuterRef("id")
    )
    fields = {"memory": F("memory_id"), "usefulness": F("usefulness"), "outcome": F("outcome")}
    return rows.annotate(told=ArraySubquery(told.values(one=JSONObject(**fields))))


def _robots(organisation_id: UUID, wanted: UUID | None) -> dict[UUID, Robot]:
    """The robots whose recalls a curator may see, by id: those that serve no member. Each has
    `notes`, the id of the audience of its notes."""
    notes = Audience.objects.filter(
        organisation_id=OuterRef("organisation_id"),
        kind=AudienceKind.ROBOT,
        key=Cast(OuterRef("id"), models.TextField()),
    )
    rows = Robot.objects.filter(organisation_id=organisation_id, owner=None, builtin=None)
    rows = rows.annotate(notes=Subquery(notes.values("id")[:1])).order_by("name")
    return {robot.id: robot for robot in (rows.filter(id=wanted) if wanted else rows)}


def robots_to_choose(actor: Actor) -> list[tuple[UUID, str]]:
    """The robots whose recalls can be listed, by name. Raises NotFound."""
    _curates(actor)
    with organisation_scope(actor.organisation_id):
        return [(one.id, one.name) for one in _robots(actor.organisation_id, None).values()]


def _alone(principal: Principal, robots: dict[UUID, Robot]) -> Scope:
    """A scope of only the notes of these robots, without what the asker reads."""
    audiences = tuple(robot.notes for robot in robots.values() if robot.notes)  # type: ignore[attr-defined]
    return Scope(organisation=principal.organisation_id, audiences=audiences)


def _of(robots: Iterable[UUID]) -> Q:
    """The condition for recalls that a robot made for itself."""
    return Q(robot_id__in=list(robots), member=None)


def _notes(
    principal: Principal, robots: dict[UUID, Robot], times: Sequence[datetime]
) -> list[Recall]:
    with scope(_alone(principal, robots)):
        rows = Recall.objects.filter(_of(robots), organisation_id=principal.organisation_id)
        return list(rows.filter(created_at__in=list(times)).order_by("-created_at", "-id"))


def _note(principal: Principal, robots: dict[UUID, Robot], recall_id: UUID) -> Any:
    with scope(_alone(principal, robots)):
        rows = Recall.objects.filter(_of(robots), organisation_id=principal.organisation_id)
        row = _with_feedback(rows).filter(id=recall_id).first()
    if row is None:
        raise NotFound("no such recall")
    return row


def _kept(principal: Principal, ids: Iterable[UUID]) -> MemoryQuerySet:
    """The memories that the asker reads now, without forgotten ones and robots' notes."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id__in=list(ids))
    return rows.exclude(status=Status.FORGOTTEN).for_people()


def _trace(
    row: Recall, robots: dict[UUID, Robot], groups: dict[UUID, str], ids: set[UUID]
) -> Trace:
    shown = [hit for hit in recorded(row.hits) if hit.id in ids]
    answered, confidence = said(shown) if row.robot_id else (row.answered, row.confidence)
    return Trace(
        id=row.id,
        at=row.created_at,
        robot=robots[row.robot_id] if row.robot_id else None,
        group=groups.get(row.group_id, "") if row.group_id else "",
        group_id=row.group_id if row.group_id in groups else None,
        strategy=row.strategy,
        took_ms=row.took_ms,
        memories=len(shown),
        folded=sum(hit.folded for hit in shown),
        answered=answered,
        confidence=confidence,
    )
