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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, JSONObject, TruncHour
from django.utils import timezone

from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.insights.operations import robots_recall_operations
from memories.retrieval.answering.confidence import (
    NO,
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
from orgs.iso_times import to_zone
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import Actor, Principal, readable_groups, resolve_principal
from robots.models.robots import Robot

PAGE_SIZE = 50
UNANSWERED, SLOW = "unanswered", "slow"
# A recall that took so many milliseconds is slow.
SLOW_MS = 500
HOURS_OF_DAY = 24
DEFAULT_PERIOD = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFilter:
    """Filters. mine: one's own recalls. until: not included; the next page begins there.

    only: UNANSWERED or SLOW among the recalls of the page; empty for all.
    """

    robot: UUID | None = None
    mine: bool = False
    only: str = ""
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTrace:
    """One recall. robot: None for one's own; group: its name, empty without one that the asker
    knows; memories: how many of the served memories the asker reads; folded: how many of these did
    not answer. answered, confidence: for one's own as they were served, for others' from these
    memories; empty and None if it was not judged. first: the best of these memories that answered,
    in lists."""

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
    first: Memory | None = None

    def fits(self, only: str) -> bool:
        """Whether a filter keeps it."""
        if only == UNANSWERED:
            return self.answered == NO
        return self.took_ms >= SLOW_MS if only == SLOW else True


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePage:
    """A page of recalls, the newest first. more: where the next page begins, None at the end.
    hours: by hour of the day in the asker's time zone the number of recalls from here on that are
    on some page, whatever `only` says."""

    traces: Sequence[RecallTrace]
    more: datetime | None
    hours: Sequence[int]


def list_traces(
    actor: Actor, wanted: TraceFilter, traceable: Mapping[UUID, Robot] | None = None
) -> TracePage:
    """A page of recalls. traceable: what `load_traceable_robots` returned, if it is known. Raises
    NotFoundError."""
    _check_curator(actor)
    principal = resolve_principal(actor)
    if wanted.mine:
        return _list_own_traces(principal, wanted)
    if traceable is None:
        traceable = load_traceable_robots(actor)
    robots = {id_: one for id_, one in traceable.items() if wanted.robot in (None, id_)}
    with principal.scope():
        lines = robots_recall_operations(principal, robots, since=wanted.since, until=wanted.until)
        pairs = lines.order_by("-at", "robot_id").values_list("robot_id", "at").distinct()
        served = list(pairs[: PAGE_SIZE + 1])
        ids = set(lines.filter(at__in=[at for _, at in served]).values_list("memory_id", flat=True))
        groups = dict(readable_groups(actor).values_list("id", "name"))
        # One recall has a line for each memory, all of one time.
        hours = lines.order_by().annotate(hour=TruncHour("at")).values_list("hour")
        counted = list(hours.annotate(n=Count("at", distinct=True)))
    found = _load_recalls(principal, robots, [at for _, at in served[:PAGE_SIZE]])
    firsts = _load_first_hits(principal, found, ids)
    listed = [_build_trace(row, robots, groups, ids, firsts) for row in found]
    more = served[PAGE_SIZE - 1][1] if len(served) > PAGE_SIZE else None
    kept = [one for one in listed if one.memories and one.fits(wanted.only)]
    return TracePage(traces=kept, more=more, hours=_by_hour(counted))


def _by_hour(counted: Iterable[tuple[datetime, int]]) -> list[int]:
    hours = [0] * HOURS_OF_DAY
    for at, count in counted:
        hours[to_zone(at, timezone.get_current_timezone()).hour] += count
    return hours


def _load_first_hits(
    principal: Principal, rows: Iterable[Recall], ids: set[UUID]
) -> dict[UUID, Memory]:
    """By id the memories that stood first in these answers, of those that are not folded and that
    the asker reads."""
    shown = ([hit for hit in parse_recorded_hits(row.hits) if hit.id in ids] for row in rows)
    firsts = {_first_hit(hits) for hits in shown}
    with principal.scope():
        return _readable_memories(principal, filter(None, firsts)).in_bulk()


def _first_hit(shown: Iterable[RecordedHit]) -> UUID | None:
    return next((hit.id for hit in shown if not hit.folded), None)


def _own_recalls(actor: Actor) -> "QuerySet[Recall]":
    """A person's own recalls; evaluate in their scope."""
    rows = Recall.objects.filter(organisation_id=actor.organisation_id, robot=None)
    return rows.filter(Q(member_id=actor.member_id), member__isnull=False)


def _list_own_traces(principal: Principal, wanted: TraceFilter) -> TracePage:
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
        hours = rows.order_by().annotate(hour=TruncHour("created_at")).values_list("hour")
        counted = list(hours.annotate(n=Count("id")))
    firsts = _load_first_hits(principal, found[:PAGE_SIZE], ids)
    listed = [_build_trace(row, {}, groups, ids, firsts) for row in found[:PAGE_SIZE]]
    more = found[PAGE_SIZE - 1].created_at if len(found) > PAGE_SIZE else None
    kept = [one for one in listed if one.fits(wanted.only)]
    return TracePage(traces=kept, more=more, hours=_by_hour(counted))


def get_trace(actor: Actor, recall_id: UUID, *, organisation: str, now: datetime) -> TraceDetail:
    """One recall. Looking at another's recall is recorded in the audit trail. Raises
    NotFoundError."""
    _check_curator(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        robots = _load_traceable_robots(actor.organisation_id)
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


def _load_traceable_robots(organisation_id: UUID) -> dict[UUID, Robot]:
    """The robots whose recalls a curator may see, by id: those that serve no member. Each has
    `notes`, the id of the audience of its notes."""
    notes = Audience.objects.filter(
        organisation_id=OuterRef("organisation_id"),
        kind=AudienceType.ROBOT,
        key=Cast(OuterRef("id"), models.TextField()),
    )
    rows = Robot.objects.filter(organisation_id=organisation_id, owner=None, builtin=None)
    rows = rows.annotate(notes=Subquery(notes.values("id")[:1])).order_by("name")
    return {robot.id: robot for robot in rows}


def load_traceable_robots(actor: Actor) -> dict[UUID, Robot]:
    """The robots whose recalls can be listed, in the order of their names. Raises NotFoundError."""
    _check_curator(actor)
    with organisation_scope(actor.organisation_id):
        return _load_traceable_robots(actor.organisation_id)


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
    row: Recall,
    robots: dict[UUID, Robot],
    groups: dict[UUID, str],
    ids: set[UUID],
    firsts: Mapping[UUID, Memory] = MappingProxyType({}),
) -> RecallTrace:
    shown = [hit for hit in parse_recorded_hits(row.hits) if hit.id in ids]
    first = _first_hit(shown)
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
        first=firsts.get(first) if first else None,
    )
