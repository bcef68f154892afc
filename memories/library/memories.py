"""Read memories: one by its id, and lists by filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.access.lookup import fetch
from memories.access.permissions import may_change, restorable
from memories.indexing.models import Pending
from memories.restatement.models import Restatement
from memories.restatement.restate import restatement_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, has_subject
from memories.store.tag_names import looked_for
from orgs.errors import NotFound
from orgs.models.audiences import AudienceKind
from orgs.organisations.references import find_member
from orgs.principals import Actor, Principal, resolve
from robots.models.teams import Team, TeamRobot
from robots.people.directory import find_known_group
from robots.registry.robots import find_robot
from robots.registry.who_taught import robot_untold
from robots.teams.teams import find_team


@dataclass(frozen=True, slots=True)
class MemoryDetails:
    """A memory with the state of its embedding and its restatement."""

    memory: Memory
    embedding: str
    restatement: Restatement | None = None


def get_memory(actor: Actor, memory_id: UUID) -> MemoryDetails:
    """One memory that the asker may read. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        memory = fetch(principal, memory_id)
        if memory.status == Status.FORGOTTEN and not may_change(principal, memory):
            raise NotFound("no such memory")
        owed = Pending.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory_id
        ).exists()
        restatement = restatement_of(memory)
    embedding = "none" if memory.sensitive else "pending" if owed else "ready"
    return MemoryDetails(memory, embedding, restatement)


def listed(principal: Principal, filters: Mapping[str, Any], now: datetime) -> MemoryQuerySet:
    """The readable memories that match the filters, newest first; evaluate inside the principal's
    scope."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).with_names()
    status = filters.get("status") or Status.ACTIVE
    rows = rows.active(now) if status == Status.ACTIVE else rows.filter(status=status)
    if status == Status.FORGOTTEN:
        rows = rows.filter(restorable(principal.actor))
    for name in ("kind", "type", "category"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    if tier := filters.get("tier"):
        rows = rows.in_tier(tier)
    if tag := filters.get("tag"):
        # The condition that it has tags at all allows the partial index of tagged memories.
        rows = rows.exclude(tags=[]).filter(tags__contains=list(looked_for([tag])))
    if since := filters.get("since"):
        rows = rows.filter(Q(occurred_at__gte=since) | Q(occurred_at=None, created_at__gte=since))
    if until := filters.get("until"):
        rows = rows.filter(Q(occurred_at__lte=until) | Q(occurred_at=None, created_at__lte=until))
    rows = _by_reference(rows, principal, filters)
    if text := filters.get("q"):
        few = status != Status.ACTIVE
        rows = rows.with_words(text) if few else rows.filter(content__icontains=text)
    return rows


def _by_reference(
    rows: MemoryQuerySet, principal: Principal, filters: Mapping[str, Any]
) -> MemoryQuerySet:
    """Filter by references; an unknown reference matches nothing."""
    organisation_id = principal.organisation_id
    try:
        if reference := filters.get("group"):
            rows = rows.filter(group_id=find_known_group(principal.actor, reference).id)
        if reference := filters.get("member"):
            member = find_member(organisation_id, reference, removed=True)
            rows = rows.filter(has_subject(member.id))
        if reference := filters.get("robot"):
            robot = find_robot(organisation_id, reference)
            rows = rows.by_robot(robot_id=robot.id)
        if reference := filters.get("team"):
            rows = _of_team(rows, find_team(organisation_id, reference))
    except NotFound:
        return rows.none()
    return rows


def _of_team(rows: MemoryQuerySet, team: Team) -> MemoryQuerySet:
    """Memories written by robots that are in the team now, and the team's notes."""
    robots = TeamRobot.objects.filter(organisation_id=team.organisation_id, team_id=team.id)
    notes = Q(audience__kind=AudienceKind.TEAM, audience__key=str(team.id))
    return rows.filter(notes | (Q(robot_id__in=robots.values("robot_id")) & ~Q(robot_untold())))
