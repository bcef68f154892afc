"""The working memory that a team of robots shares.

It belongs to the team's audience. It is read in the scope of those audiences that every robot of
the team reads by itself. So the database shows, counts and evicts nothing else, whichever robot
asks. If a robot loses a seat in a group, or a robot without that seat joins, the scope narrows at
once; memories outside it come back with the seat.

What a robot of the team remembers enters in the same transaction. Its recalls add nothing here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.context.models import EvictionReason, WorkingEntry
from memories.context.token_budget import WorkingMemoryItem
from memories.context.working_memory import (
    EVICTED_SCAN_LIMIT,
    add_entry,
    build_view_for,
    enforce_budget,
    evict_entries,
    fetch_last_evicted,
    load_items,
    lock_working_memory,
    query_parameters,
    record_evictions,
    remove_entry,
)
from memories.context.working_memory_values import WorkingMemory
from memories.ingestion.drafts import RememberResult
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal
from robots.errors import TeamInUseError
from robots.models.teams import Team
from robots.teams.failover import TeamRoster, load_team_roster
from robots.teams.shared_audiences import fetch_shared_audiences
from robots.teams.teams import ensure_team_audience, get_accessible_team, team_robots

# Rows are locked in the order of memory ids: a robot may remember something again while somebody
# looks.
_LOCK_ENTRIES_SQL = """
SELECT 1 FROM memories_workingentry WHERE organisation_id = %(organisation)s
    AND audience_id = %(audience)s ORDER BY memory_id FOR UPDATE
"""
# Each memory has at least one token, so no more memories than tokens can stay.
_TRIM_SQL = """
UPDATE memories_workingentry SET evicted_at = %(now)s, reason = 'budget'
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND memory_id IN (
    SELECT e.memory_id FROM memories_workingentry e
    JOIN memories_memory m ON m.organisation_id = e.organisation_id AND m.id = e.memory_id
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = %(audience)s
        AND e.evicted_at IS NULL
    ORDER BY m.importance DESC, e.added_at DESC, m.id DESC OFFSET %(budget)s)
RETURNING memory_id
"""
# No recall brings an evicted entry of a team back, so all but the latest ones are deleted.
_DELETE_OLD_EVICTIONS_SQL = """
DELETE FROM memories_workingentry
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND memory_id IN (
    SELECT memory_id FROM memories_workingentry
    WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s
        AND evicted_at IS NOT NULL
    ORDER BY evicted_at DESC, memory_id DESC OFFSET %(kept)s)
"""
_UPSERT_ENTRIES_SQL = """
INSERT INTO memories_workingentry AS e
    (id, organisation_id, audience_id, reader, memory_id, added_at, last_used_at, reason)
SELECT given.id, %(organisation)s, given.audience, given.audience, given.memory, given.added_at,
    given.used_at, ''
FROM unnest(%(entries)s::uuid[], %(audiences)s::uuid[], %(memories)s::uuid[],
        %(added)s::timestamptz[], %(used)s::timestamptz[])
    AS given (id, audience, memory, added_at, used_at)
ORDER BY given.audience, given.memory
ON CONFLICT (organisation_id, audience_id, reader, memory_id) DO UPDATE
SET added_at = excluded.added_at, last_used_at = excluded.last_used_at, evicted_at = NULL,
    reason = ''
"""
_READABLE_IDS_SQL = """
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamState:
    """A team and its working memory. tokens, count: of its entries; utilisation: tokens /
    budget."""

    team: Team
    standing: TeamRoster
    budget: int
    tokens: int
    count: int

    @property
    def utilisation(self) -> float:
        return self.tokens / self.budget


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferResult:
    """moved: memories that the other team has now. kept: memories that it could not take. evicted:
    memories that left the other team's working memory to make room.

    Of each only ids that the asker reads.
    """

    moved: list[UUID]
    kept: list[UUID]
    evicted: list[UUID]


def team_token_budget(team: Team) -> int:
    """The most tokens of the team's working memory."""
    return team.working_memory_tokens or int(settings.TEAM_WORKING_MEMORY_TOKENS)


def get_team_working_memory(actor: Actor, reference: str, *, now: datetime) -> WorkingMemory:
    """The team's working memory, the last used entry first.

    For its robots, and for curators and admins as far as they read it themselves; their look
    changes nothing. Raises NotFoundError for all others.
    """
    with organisation_scope(actor.organisation_id):
        team = get_accessible_team(actor, reference)
        principal = _shared_principal(actor, team)
        with principal.scope():
            items = _load_items(actor, principal, team, now)
            rows = fetch_last_evicted(query_parameters(principal, now))
        asker = principal if actor.robot_id else resolve_principal(actor)
        return build_view_for(asker, team, team_token_budget(team), items, rows, now)


def add_to_team_working_memory(
    actor: Actor, reference: str, memory_id: UUID, *, now: datetime
) -> list[UUID]:
    """Add a memory that every robot of the team reads; returns the ids that were evicted for it.

    Raises NotFoundError, OverBudgetError, and PermissionError for a person.
    """
    with organisation_scope(actor.organisation_id):
        team = _require_own_team(actor, reference)
        principal = _shared_principal(actor, team)
        with principal.scope():
            before = {item.id for item in _enforce_budget(principal, team, now)}
            out = add_entry(principal, team_token_budget(team), memory_id, now=now)
            fetch_all(
                _DELETE_OLD_EVICTIONS_SQL,
                query_parameters(principal, now) | {"kept": EVICTED_SCAN_LIMIT},
            )
    return [id_ for id_ in out if id_ in before]


def remove_from_team_working_memory(
    actor: Actor, reference: str, memory_id: UUID | None, *, now: datetime
) -> None:
    """Remove a memory from it, or all if memory_id is None. No memory is forgotten.

    Raises NotFoundError for a memory that is not in it, and PermissionError for a person.
    """
    with organisation_scope(actor.organisation_id):
        remove_entry(
            _shared_principal(actor, _require_own_team(actor, reference)), memory_id, now=now
        )


def get_team_state(actor: Actor, reference: str, *, now: datetime) -> TeamState:
    """The state of a team, for its robots, curators and admins.

    Raises NotFoundError, also for all others.
    """
    with organisation_scope(actor.organisation_id):
        team = get_accessible_team(actor, reference)
        principal = _shared_principal(actor, team)
        with principal.scope():
            items = _load_items(actor, principal, team, now)
        return TeamState(
            team=team,
            standing=load_team_roster(team, now=now),
            budget=team_token_budget(team),
            tokens=sum(item.tokens for item in items),
            count=len(items),
        )


def get_team_state_and_memory(
    actor: Actor, reference: str, *, now: datetime
) -> tuple[TeamState, WorkingMemory]:
    """Both `state` and `look`. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        team = get_accessible_team(actor, reference)
        held = get_team_working_memory(actor, str(team.id), now=now)
        state_ = TeamState(
            team=team,
            standing=load_team_roster(team, now=now),
            budget=held.budget,
            tokens=held.tokens,
            count=held.count,
        )
    return state_, held


def transfer_team_working_memory(
    actor: Actor, reference: str, to: str, *, clear_source: bool = True, now: datetime
) -> TransferResult:
    """Move a team's working memory to another team; for robots of both, curators and admins.

    A memory that not every robot of the other team reads, or that is larger than its budget, stays.
    Moved entries leave the first team unless `clear_source` is False. Raises NotFoundError.
    """
    with organisation_scope(actor.organisation_id):
        source, target = get_accessible_team(actor, reference), get_accessible_team(actor, to)
        if source.id == target.id:
            raise ReferenceNotFoundError("team", to)
        given, taking = _shared_principal(actor, source), _shared_principal(actor, target)
        for one in sorted((given, taking), key=lambda principal: principal.own_audience):
            lock_working_memory(one)
        with given.scope():
            items = _enforce_budget(given, source, now)
        moved = _select_transferable(taking, target, items)
        out = _insert_transferred(taking, target, moved, now)
        ids = [item.id for item in moved]
        if clear_source:
            with given.scope():
                evict_entries(given, ids, EvictionReason.REMOVED, now)
        audit.record_entry(
            "team.transferred",
            actor=actor,
            now=now,
            target=source.id,
            target_type="team",
            to=str(target.id),
            moved=len(ids),
        )
        kept = [item.id for item in items if item.id not in set(ids)]
        readable = _filter_readable_ids(resolve_principal(actor), [*ids, *kept, *out])
    told = [[one for one in part if one in readable] for part in (ids, kept, out)]
    return TransferResult(moved=told[0], kept=told[1], evicted=told[2])


def add_remembered_memories(
    organisation_id: UUID, teams: Sequence[UUID], found: Sequence[RememberResult], now: datetime
) -> None:
    """Add what a robot remembered to its teams' working memories, if every robot of the team reads
    it by itself.

    No tokens are counted here; the next look counts them.
    """
    ids = {one.id: one.audience_id for one in found if one.status == Status.ACTIVE}
    shared = fetch_shared_audiences(organisation_id, teams, set(ids.values()))
    pairs = [(t, id_) for t, read in shared.items() for id_, a in ids.items() if a in read]
    if not pairs:
        return
    keys = {str(team): team for team, _ in pairs}
    rows = Audience.objects.filter(
        organisation_id=organisation_id, kind=AudienceType.TEAM, key__in=keys
    )
    audiences = {keys[key]: id_ for key, id_ in rows.values_list("key", "id")}
    with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(audiences.values())))):
        _insert_entries(organisation_id, [(audiences[team], id_, now, now) for team, id_ in pairs])


def delete_team_working_memory(team: Team, audience_id: UUID) -> None:
    """Delete the working memory of a team that is removed. Raises TeamInUseError while the team's
    audience has memories."""
    with scope(Scope(organisation=team.organisation_id, audiences=(audience_id,))):
        rows = Memory.objects.filter(organisation_id=team.organisation_id, audience_id=audience_id)
        if kept := rows.exclude(status=Status.FORGOTTEN).count():
            raise TeamInUseError(
                f"{kept} memor{'y is' if kept == 1 else 'ies are'} for this team alone, and nobody "
                "would read them. A robot of the team can forget or share them."
            )
        WorkingEntry.objects.filter(
            organisation_id=team.organisation_id, audience_id=audience_id
        ).delete()


def _require_own_team(actor: Actor, reference: str) -> Team:
    team = get_accessible_team(actor, reference)
    if actor.robot_id is None:
        raise PermissionError("The robots of a team change what it has at hand.")
    return team


def _shared_principal(actor: Actor, team: Team) -> Principal:
    """The asker's principal with what all robots of the team read, and the team's working
    memory."""
    robot_id = actor.robot_id or team_robots(team).values_list("robot_id", flat=True).first()
    audience = ensure_team_audience(team)
    if robot_id is None:
        # A team without robots: only its audience is open, so that its entries count as nothing.
        nobody = resolve_principal(actor)
        opened = frozenset({audience})
        return replace(nobody, audiences=opened, own_audience=audience, reader=audience)
    one = resolve_principal(Actor(organisation_id=team.organisation_id, robot_id=robot_id))
    read = fetch_shared_audiences(team.organisation_id, [team.id], one.audiences).get(team.id)
    # A person's act is logged without a robot.
    return replace(
        one,
        actor=actor,
        audiences=read or frozenset({audience}),
        own_audience=audience,
        reader=audience,
    )


def _load_items(
    actor: Actor, principal: Principal, team: Team, now: datetime
) -> list[WorkingMemoryItem]:
    """The items; inside the principal's scope. A robot's look counts tokens and evicts, a person's
    changes nothing."""
    if actor.robot_id is None:
        return load_items(query_parameters(principal, now))
    return _enforce_budget(principal, team, now)


def _enforce_budget(principal: Principal, team: Team, now: datetime) -> list[WorkingMemoryItem]:
    """The items after counting tokens and evicting; inside the principal's scope."""
    values, budget = query_parameters(principal, now), team_token_budget(team)
    lock_working_memory(principal)
    fetch_all(_LOCK_ENTRIES_SQL, values)
    record_evictions(principal, fetch_all(_TRIM_SQL, values | {"budget": budget}), now)
    items = enforce_budget(principal, budget, now)
    fetch_all(_DELETE_OLD_EVICTIONS_SQL, values | {"kept": EVICTED_SCAN_LIMIT})
    return items


def _select_transferable(
    principal: Principal, team: Team, items: Sequence[WorkingMemoryItem]
) -> list[WorkingMemoryItem]:
    """The items that every robot of the team reads and that fit into its budget by themselves."""
    readable = _filter_readable_ids(principal, [item.id for item in items])
    return [i for i in items if i.id in readable and i.tokens <= team_token_budget(team)]


def _filter_readable_ids(principal: Principal, ids: Sequence[UUID]) -> set[UUID]:
    """The ids that the principal reads."""
    with principal.scope():
        values = {"organisation": principal.organisation_id, "ids": list(ids)}
        return {id_ for (id_,) in fetch_all(_READABLE_IDS_SQL, values)}


def _insert_transferred(
    principal: Principal, team: Team, items: Sequence[WorkingMemoryItem], now: datetime
) -> list[UUID]:
    """Add the items with their times of before; returns the ids that were evicted for them."""
    with principal.scope():
        before = {item.id for item in _enforce_budget(principal, team, now)}
        rows = [(principal.own_audience, i.id, i.added_at, i.last_used_at) for i in items]
        _insert_entries(team.organisation_id, rows)
        after = {item.id for item in _enforce_budget(principal, team, now)}
    return sorted((before | {item.id for item in items}) - after)


def _insert_entries(
    organisation_id: UUID, rows: Sequence[tuple[UUID, UUID, datetime, datetime]]
) -> None:
    """rows: audience, memory, when it was added and used last; inside a scope that reads them."""
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[]] * 4
    names = ("audiences", "memories", "added", "used")
    values: dict[str, Any] = dict(zip(names, columns, strict=True))
    fetch_all(
        _UPSERT_ENTRIES_SQL,
        {"organisation": organisation_id, "entries": [new_id() for _ in rows], **values},
    )
