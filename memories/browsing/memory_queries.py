"""Read memories: one by its id, and lists by filters."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Q

from memories.access.permissions import get_readable_memory, may_change, may_restore_q
from memories.access.writer_rights import (
    as_writer_of,
    check_still_written,
    does_writer_reach,
)
from memories.indexing.models import embedding_state
from memories.restatement.models import Restatement
from memories.restatement.names import NAME_FILTERS, NameCounts, count_names, naming_memories
from memories.restatement.restate import find_restatement
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, subject_q
from memories.store.tag_names import coerce_query_tags
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.organisations.references import get_member
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.teams import Team, TeamRobot
from robots.people.directory import get_visible_group_in_scope
from robots.registry.personal_robot_privacy import is_robot_hidden
from robots.registry.robots import get_robot
from robots.teams.teams import get_team, visible_teams


@dataclass(frozen=True, slots=True)
class MemoryDetails:
    """A memory with the state of its embedding and its restatement. writer_reads: whether the robot
    that wrote it may read it by its id, correct and forget it without being one of its readers."""

    memory: Memory
    embedding: str
    restatement: Restatement | None = None
    writer_reads: bool = False


def get_memory(actor: Actor, memory_id: UUID) -> MemoryDetails:
    """One memory that the asker may read, or wrote for readers of a list. Raises NotFoundError."""
    principal = resolve_principal(actor.naming_a_row())
    try:
        with principal.scope():
            return _load_details(principal, memory_id)
    except NotFoundError:
        row = as_writer_of(principal, memory_id)
        if not row.as_writer:
            raise
    with row.principal.scope():
        found = _load_details(row.principal, memory_id)
        check_still_written(row, found.memory)
    # A restatement may use what others said to the same readers.
    return replace(found, restatement=None)


def _load_details(principal: Principal, memory_id: UUID) -> MemoryDetails:
    memory = get_readable_memory(principal, memory_id)
    if memory.status == Status.FORGOTTEN and not may_change(principal, memory):
        raise ReferenceNotFoundError("memory", memory_id)
    return MemoryDetails(
        memory,
        embedding_state(memory),
        find_restatement(memory),
        writer_reads=does_writer_reach(memory),
    )


def filter_memories(
    principal: Principal, filters: Mapping[str, Any], now: datetime
) -> MemoryQuerySet:
    """The readable memories that match the filters, newest first; evaluate inside the principal's
    scope."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).with_names()
    status = filters.get("status") or Status.ACTIVE
    rows = rows.active(now) if status == Status.ACTIVE else rows.filter(status=status)
    if status == Status.FORGOTTEN:
        rows = rows.filter(may_restore_q(principal.actor))
    for name in ("kind", "type", "category"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    if (key := filters.get("key")) is not None:
        rows = rows.filter(key=key)
    for name, text in filters.get("metadata", {}).items():
        rows = rows.filter(_has_metadata(name, text))
    if tier := filters.get("tier"):
        rows = rows.in_tier(tier)
    if level := filters.get("level"):
        rows = rows.of_level(level)
    if named := {name: text for name in NAME_FILTERS if (text := filters.get(name))}:
        rows = rows.filter(id__in=naming_memories(principal.organisation_id, named))
    if tag := filters.get("tag"):
        # The condition that it has tags at all allows the partial index of tagged memories.
        rows = rows.exclude(tags=[]).filter(tags__contains=list(coerce_query_tags([tag])))
    if since := filters.get("since"):
        rows = rows.filter(Q(occurred_at__gte=since) | Q(occurred_at=None, created_at__gte=since))
    if until := filters.get("until"):
        rows = rows.filter(Q(occurred_at__lte=until) | Q(occurred_at=None, created_at__lte=until))
    rows = _filter_by_reference(rows, principal, filters)
    if text := filters.get("q"):
        few = status != Status.ACTIVE
        rows = rows.with_words(text) if few else rows.containing(text)
    return rows


def list_facets(actor: Actor, filters: Mapping[str, Any], *, now: datetime) -> NameCounts:
    """What the readable memories that match name most; `limit` of the filters for each facet."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = filter_memories(principal, filters, now)
        return count_names(principal.organisation_id, rows, limit=filters["limit"])


def _has_metadata(name: str, text: str) -> Q:
    """The metadata have this value under this name: the text itself, or what it is in JSON."""
    found = Q(metadata__contains={name: text})
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(text)
        if value is None or isinstance(value, bool | int | float):
            found |= Q(metadata__contains={name: value})
    return found


def _filter_by_reference(
    rows: MemoryQuerySet, principal: Principal, filters: Mapping[str, Any]
) -> MemoryQuerySet:
    """Filter by references; an unknown reference matches nothing."""
    organisation_id = principal.organisation_id
    try:
        if reference := filters.get("group"):
            rows = rows.filter(group_id=get_visible_group_in_scope(principal.actor, reference).id)
        for name in ("member", "about"):
            if reference := filters.get(name):
                member = get_member(organisation_id, reference, removed=True)
                rows = rows.filter(subject_q(member.id))
        if reference := filters.get("robot"):
            robot = get_robot(organisation_id, reference)
            rows = rows.by_robot(robot_id=robot.id)
        if reference := filters.get("team"):
            rows = _filter_by_team(
                rows, get_team(organisation_id, reference, visible_teams(principal.actor))
            )
    except NotFoundError:
        return rows.none()
    return rows


def _filter_by_team(rows: MemoryQuerySet, team: Team) -> MemoryQuerySet:
    """Memories written by robots that are in the team now, and the team's notes."""
    robots = TeamRobot.objects.filter(organisation_id=team.organisation_id, team_id=team.id)
    notes = Q(audience__kind=AudienceType.TEAM, audience__key=str(team.id))
    return rows.filter(notes | (Q(robot_id__in=robots.values("robot_id")) & ~Q(is_robot_hidden())))
