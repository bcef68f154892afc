"""Recalls as they were served, for curators and admins: of robots that ask for themselves, and
one's own.

The list comes from the log of operations, of which a curator reads the lines of memories that they
read. So a recall is listed if they read at least one of its memories now, and only with those; that
there were others is not shown. The record of the recall (scores, time, group, feedback) belongs to
the robot. It is read in a scope of the notes of these robots alone, and only for robots that serve
no member and did not ask for one: recalls by members and for members are private. `answered` is
computed from the shown memories, as they were judged then, because the judgement of all would
reveal the others. No words of a question stand there (docs/adr/0025-traces.md).
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

from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.insights.operations import robots_recall_operations
from memories.retrieval.answering.confidence import (
    RecordedHit,
    classify_hits,
    parse_recorded_hits,
)
from memories.retrieval.models import Feedback, Recall
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Actor, Principal, readable_groups, resolve_principal
from robots.models.robots import Robot

PAGE_SIZE = 50
DEFAULT_PERIOD = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFilter:
    """Filters. mine: one's own recalls. until: not included; the next page begins there."""

    robot: UUID | None = None
    mine: bool = False
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTrace:
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
class TraceHit:
    """A memory of the answer as it was served (see `RecordedHit`), and the feedback on it."""

    shown: ListedMemory
    hit: RecordedHit
    usefulness: float | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceDetail:
    """One recall with the served memories that the asker reads, best first."""

    trace: RecallTrace
    came: Sequence[TraceHit]


def _check_curator(actor: Actor) -> None:
    if not (actor.is_person and actor.moderates):
        raise NotFoundError("no such page")


def list_traces(actor: Actor, wanted: TraceFilter) -> tuple[list[RecallTrace], datetime | None]:
    """A page of recalls, the newest first, and where the next page begins (None at the end). Raises
    NotFoundError."""
    _check_curator(actor)
    principal = resolve_principal(actor)
    if wanted.mine:
        return _list_own_traces(principal, wanted)
    with principal.scope():
        robots = _load_traceable_robots(actor.organisation_id, wanted.robot)
        lines = robots_recall_operations(principal, robots, since=wanted.since, until=wanted.until)
        pairs = lines.order_by("-at", "robot_id").values_list("robot_id", "at").distinct()
        served = list(pairs[: PAGE_SIZE + 1])
        ids = set(lines.filter(at__in=[at for _, at in served]).values_list("memory_id", flat=True))
        groups = dict(readable_groups(actor).values_list("id", "name"))
    found = _load_recalls(principal, robots, [at for _, at in served[:PAGE_SIZE]])
    listed = [_build_trace(row, robots, groups, ids) for row in found]
    more = served[PAGE_SIZE - 1][1] if len(served) > PAGE_SIZE else None
    return [one for one in listed if one.memories], more


def _own_recalls(actor: Actor) -> "QuerySet[Recall]":
    """A person's own recalls; evaluate in their scope."""
    rows = Recall.objects.filter(organisation_id=actor.organisation_id, robot=None)
    return rows.filter(Q(member_id=actor.member_id), member__isnull=False)


def _list_own_traces(
    principal: Principal, wanted: TraceFilter
) -> tuple[list[RecallTrace], datetime | None]:
    with principal.scope():
        rows = _own_recalls(principal.actor).filter(
            created_at__gte=wanted.since, created_at__lt=wanted.until
        )
        found = list(rows.order_by("-created_at", "-id")[: PAGE_SIZE + 1])
        came = _readable_memories(
            principal, {hit.id for row in found for hit in parse_recorded_hits(row.hits)}
        )
        ids = set(came.values_list("id", flat=True))
        groups = dict(readable_groups(principal.actor).values_list("id", "name"))
    listed = [_build_trace(row, {}, groups, ids) for row in found[:PAGE_SIZE]]
    return listed, found[PAGE_SIZE - 1].created_at if len(found) > PAGE_SIZE else None


def get_trace(actor: Actor, recall_id: UUID, *, organisation: str, now: datetime) -> TraceDetail:
    """One recall. Looking at another's recall is recorded in the audit trail. Raises
    NotFoundError."""
    _check_curator(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        robots = _load_traceable_robots(actor.organisation_id, None)
        own = _annotate_feedback(_own_recalls(actor)).filter(id=recall_id).first()
    row = own or _get_recall(principal, robots, recall_id)
    told = {UUID(one["memory"]): one for one in row.told}
    with principal.scope():
        hits = parse_recorded_hits(row.hits)
        known = _readable_memories(principal, [hit.id for hit in hits]).with_names().in_bulk()
        if own is None and not known:
            raise NotFoundError("no such recall")
        groups = readable_groups(actor).filter(id=row.group_id) if row.group_id else []
        ordered = [known[hit.id] for hit in hits if hit.id in known]
        shown = to_listed_memories(principal, ordered, organisation)
        if own is None:
            audit.record_entry(
                "trace.read", actor=actor, now=now, target=row.id, target_type="recall"
            )
        named = {group.id: group.name for group in groups}
    by_id = {hit.id: hit for hit in hits}
    came = [
        TraceHit(
            shown=one,
            hit=by_id[one.memory.id],
            usefulness=told.get(one.memory.id, {}).get("usefulness"),
            outcome=told.get(one.memory.id, {}).get("outcome", ""),
        )
        for one in shown
    ]
    return TraceDetail(trace=_build_trace(row, robots, named, set(known)), came=came)


def _annotate_feedback(rows: "QuerySet[Recall]") -> "QuerySet[Any]":
    """Prefetch the feedback on the hits; evaluate in the scope of the asker of the recall."""
    told = Feedback.objects.filter(
        organisation_id=OuterRef("organisation_id"), recall_id=OuterRef("id")
    )
    fields = {"memory": F("memory_id"), "usefulness": F("usefulness"), "outcome": F("outcome")}
    return rows.annotate(told=ArraySubquery(told.values(one=JSONObject(**fields))))


def _load_traceable_robots(organisation_id: UUID, wanted: UUID | None) -> dict[UUID, Robot]:
    """The robots whose recalls a curator may see, by id: those that serve no member. Each has
    `notes`, the id of the audience of its notes."""
    notes = Audience.objects.filter(
        organisation_id=OuterRef("organisation_id"),
        kind=AudienceType.ROBOT,
        key=Cast(OuterRef("id"), models.TextField()),
    )
    rows = Robot.objects.filter(organisation_id=organisation_id, owner=None, builtin=None)
    rows = rows.annotate(notes=Subquery(notes.values("id")[:1])).order_by("name")
    return {robot.id: robot for robot in (rows.filter(id=wanted) if wanted else rows)}


def list_traceable_robots(actor: Actor) -> list[tuple[UUID, str]]:
    """The robots whose recalls can be listed, by name. Raises NotFoundError."""
    _check_curator(actor)
    with organisation_scope(actor.organisation_id):
        return [
            (one.id, one.name)
            for one in _load_traceable_robots(actor.organisation_id, None).values()
        ]


def _robot_notes_scope(principal: Principal, robots: dict[UUID, Robot]) -> Scope:
    """A scope of only the notes of these robots, without what the asker reads."""
    audiences = tuple(robot.notes for robot in robots.values() if robot.notes)  # type: ignore[attr-defined]
    return Scope(organisation=principal.organisation_id, audiences=audiences)


def _robot_recalls_q(robots: Iterable[UUID]) -> Q:
    """The condition for recalls that a robot made for itself."""
    return Q(robot_id__in=list(robots), member=None)


def _load_recalls(
    principal: Principal, robots: dict[UUID, Robot], times: Sequence[datetime]
) -> list[Recall]:
    with scope(_robot_notes_scope(principal, robots)):
        rows = Recall.objects.filter(
            _robot_recalls_q(robots), organisation_id=principal.organisation_id
        )
        return list(rows.filter(created_at__in=list(times)).order_by("-created_at", "-id"))


def _get_recall(principal: Principal, robots: dict[UUID, Robot], recall_id: UUID) -> Any:
    with scope(_robot_notes_scope(principal, robots)):
        rows = Recall.objects.filter(
            _robot_recalls_q(robots), organisation_id=principal.organisation_id
        )
        row = _annotate_feedback(rows).filter(id=recall_id).first()
    if row is None:
        raise NotFoundError("no such recall")
    return row


def _readable_memories(principal: Principal, ids: Iterable[UUID]) -> MemoryQuerySet:
    """The memories that the asker reads now, without forgotten ones and robots' notes."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id__in=list(ids))
    return rows.exclude(status=Status.FORGOTTEN).for_people()


def _build_trace(
    row: Recall, robots: dict[UUID, Robot], groups: dict[UUID, str], ids: set[UUID]
) -> RecallTrace:
    shown = [hit for hit in parse_recorded_hits(row.hits) if hit.id in ids]
    answered, confidence = classify_hits(shown) if row.robot_id else (row.answered, row.confidence)
    return RecallTrace(
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
