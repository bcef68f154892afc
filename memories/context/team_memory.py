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

from memories.context.at_hand import WorkingMemory
from memories.context.models import Reason, WorkingEntry
from memories.context.token_budget import Item
from memories.context.working_memory import (
    LOOKED_THROUGH,
    evict,
    items_in,
    last_evicted,
    note_evicted,
    put,
    seen_by,
    settled,
    take_out,
    take_turns_at,
    values_of,
)
from memories.ingestion.drafts import Remembered
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.prepared_statements import fetched
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFound
from orgs.models.audiences import Audience, AudienceKind
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve
from robots.errors import TeamInUse
from robots.models.teams import Team
from robots.teams.shared_audiences import shared_audiences
from robots.teams.succession import Standing, standing
from robots.teams.teams import audience_of, robots_in, team_of

# Rows are locked in the order of memory ids: a robot may remember something again while somebody
# looks.
_HOLD = """
SELECT 1 FROM memories_workingentry WHERE organisation_id = %(organisation)s
    AND audience_id = %(audience)s ORDER BY memory_id FOR UPDATE
"""
# Each memory has at least one token, so no more memories than tokens can stay.
_TRIM = """
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
_SWEEP = """
DELETE FROM memories_workingentry
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND memory_id IN (
    SELECT memory_id FROM memories_workingentry
    WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s
        AND evicted_at IS NOT NULL
    ORDER BY evicted_at DESC, memory_id DESC OFFSET %(kept)s)
"""
_ENTER = """
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
_READABLE = """
SELECT m.id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamState:
    """A team and its working memory. tokens, count: of its entries; utilisation: tokens /
    budget."""

    team: Team
    standing: Standing
    budget: int
    tokens: int
    count: int

    @property
    def utilisation(self) -> float:
        return self.tokens / self.budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Transferred:
    """moved: memories that the other team has now. kept: memories that it could not take. evicted:
    memories that left the other team's working memory to make room.

    Of each only ids that the asker reads.
    """

    moved: list[UUID]
    kept: list[UUID]
    evicted: list[UUID]


def budget_of(team: Team) -> int:
    """The most tokens of the team's working memory."""
    return team.working_memory_tokens or int(settings.TEAM_WORKING_MEMORY_TOKENS)


def look(actor: Actor, reference: str, *, now: datetime) -> WorkingMemory:
    """The team's working memory, the last used entry first.

    For its robots, and for curators and admins as far as they read it themselves; their look
    changes nothing. Raises NotFound for all others.
    """
    with organisation_scope(actor.organisation_id):
        team = team_of(actor, reference)
        principal = _together(actor, team)
        with principal.scope():
            items = _looked_at(actor, principal, team, now)
            rows = last_evicted(values_of(principal, now))
        asker = principal if actor.robot_id else resolve(actor)
        return seen_by(asker, team, budget_of(team), items, rows, now)


def add(actor: Actor, reference: str, memory_id: UUID, *, now: datetime) -> list[UUID]:
    """Add a memory that every robot of the team reads; returns the ids that were evicted for it.

    Raises NotFound, OverBudget, and PermissionError for a person.
    """
    with organisation_scope(actor.organisation_id):
        team = _own_team(actor, reference)
        principal = _together(actor, team)
        with principal.scope():
            before = {item.id for item in _settled(principal, team, now)}
            out = put(principal, budget_of(team), memory_id, now=now)
            fetched(_SWEEP, values_of(principal, now) | {"kept": LOOKED_THROUGH})
    return [id_ for id_ in out if id_ in before]


def remove(actor: Actor, reference: str, memory_id: UUID | None, *, now: datetime) -> None:
    """Remove a memory from it, or all if memory_id is None. No memory is forgotten.

    Raises NotFound for a memory that is not in it, and PermissionError for a person.
    """
    with organisation_scope(actor.organisation_id):
        take_out(_together(actor, _own_team(actor, reference)), memory_id, now=now)


def state(actor: Actor, reference: str, *, now: datetime) -> TeamState:
    """The state of a team, for its robots, curators and admins.

    Raises NotFound, also for all others.
    """
    with organisation_scope(actor.organisation_id):
        team = team_of(actor, reference)
        principal = _together(actor, team)
        with principal.scope():
            items = _looked_at(actor, principal, team, now)
        return TeamState(
            team=team,
            standing=standing(team, now=now),
            budget=budget_of(team),
            tokens=sum(item.tokens for item in items),
            count=len(items),
        )


def watch(actor: Actor, reference: str, *, now: datetime) -> tuple[TeamState, WorkingMemory]:
    """Both `state` and `look`. Raises NotFound."""
    with organisation_scope(actor.organisation_id):
        team = team_of(actor, reference)
        held = look(actor, str(team.id), now=now)
        state_ = TeamState(
            team=team,
            standing=standing(team, now=now),
            budget=held.budget,
            tokens=held.tokens,
            count=held.count,
        )
    return state_, held


def transfer(
    actor: Actor, reference: str, to: str, *, clear_source: bool = True, now: datetime
) -> Transferred:
    """Move a team's working memory to another team; for robots of both, curators and admins.

    A memory that not every robot of the other team reads, or that is larger than its budget, stays.
    Moved entries leave the first team unless `clear_source` is False. Raises NotFound.
    """
    with organisation_scope(actor.organisation_id):
        source, target = team_of(actor, reference), team_of(actor, to)
        if source.id == target.id:
            raise NotFound("no other team")
        given, taking = _together(actor, source), _together(actor, target)
        for one in sorted((given, taking), key=lambda principal: principal.own_audience):
            take_turns_at(one)
        with given.scope():
            items = _settled(given, source, now)
        moved = _taken(taking, target, items)
        out = _hand_over(taking, target, moved, now)
        ids = [item.id for item in moved]
        if clear_source:
            with given.scope():
                evict(given, ids, Reason.REMOVED, now)
        audit.record(
            "team.transferred",
            actor=actor,
            now=now,
            target=source.id,
            target_type="team",
            to=str(target.id),
            moved=len(ids),
        )
        kept = [item.id for item in items if item.id not in set(ids)]
        readable = _read_by(resolve(actor), [*ids, *kept, *out])
    told = [[one for one in part if one in readable] for part in (ids, kept, out)]
    return Transferred(moved=told[0], kept=told[1], evicted=told[2])


def enter_remembered(
    organisation_id: UUID, teams: Sequence[UUID], found: Sequence[Remembered], now: datetime
) -> None:
    """Add what a robot remembered to its teams' working memories, if every robot of the team reads
    it by itself.

    No tokens are counted here; the next look counts them.
    """
    ids = {one.id: one.audience_id for one in found if one.status == Status.ACTIVE}
    shared = shared_audiences(organisation_id, teams, set(ids.values()))
    pairs = [(t, id_) for t, read in shared.items() for id_, a in ids.items() if a in read]
    if not pairs:
        return
    keys = {str(team): team for team, _ in pairs}
    rows = Audience.objects.filter(
        organisation_id=organisation_id, kind=AudienceKind.TEAM, key__in=keys
    )
    audiences = {keys[key]: id_ for key, id_ in rows.values_list("key", "id")}
    with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(audiences.values())))):
        _enter(organisation_id, [(audiences[team], id_, now, now) for team, id_ in pairs])


def clear_removed(team: Team, audience_id: UUID) -> None:
    """Delete the working memory of a team that is removed. Raises TeamInUse while the team's
    audience has memories."""
    with scope(Scope(organisation=team.organisation_id, audiences=(audience_id,))):
        rows = Memory.objects.filter(organisation_id=team.organisation_id, audience_id=audience_id)
        if kept := rows.exclude(status=Status.FORGOTTEN).count():
            raise TeamInUse(
                f"{kept} memor{'y is' if kept == 1 else 'ies are'} for this team alone, and nobody "
                "would read them. A robot of the team can forget or share them."
            )
        WorkingEntry.objects.filter(
            organisation_id=team.organisation_id, audience_id=audience_id
        ).delete()


def _own_team(actor: Actor, reference: str) -> Team:
    team = team_of(actor, reference)
    if actor.robot_id is None:
        raise PermissionError("The robots of a team change what it has at hand.")
    return team


def _together(actor: Actor, team: Team) -> Principal:
    """The asker's principal with what all robots of the team read, and the team's working
    memory."""
    robot_id = actor.robot_id or robots_in(team).values_list("robot_id", flat=True).first()
    audience = audience_of(team)
    if robot_id is None:
        # A team without robots: only its audience is open, so that its entries count as nothing.
        nobody = resolve(actor)
        opened = frozenset({audience})
        return replace(nobody, audiences=opened, own_audience=audience, reader=audience)
    one = resolve(Actor(organisation_id=team.organisation_id, robot_id=robot_id))
    read = shared_audiences(team.organisation_id, [team.id], one.audiences).get(team.id)
    # A person's act is logged without a robot.
    return replace(
        one,
        actor=actor,
        audiences=read or frozenset({audience}),
        own_audience=audience,
        reader=audience,
    )


def _looked_at(actor: Actor, principal: Principal, team: Team, now: datetime) -> list[Item]:
    """The items; inside the principal's scope. A robot's look counts tokens and evicts, a person's
    changes nothing."""
    if actor.robot_id is None:
        return items_in(values_of(principal, now))
    return _settled(principal, team, now)


def _settled(principal: Principal, team: Team, now: datetime) -> list[Item]:
    """The items after counting tokens and evicting; inside the principal's scope."""
    values, budget = values_of(principal, now), budget_of(team)
    take_turns_at(principal)
    fetched(_HOLD, values)
    note_evicted(principal, fetched(_TRIM, values | {"budget": budget}), now)
    items = settled(principal, budget, now)
    fetched(_SWEEP, values | {"kept": LOOKED_THROUGH})
    return items


def _taken(principal: Principal, team: Team, items: Sequence[Item]) -> list[Item]:
    """The items that every robot of the team reads and that fit into its budget by themselves."""
    readable = _read_by(principal, [item.id for item in items])
    return [i for i in items if i.id in readable and i.tokens <= budget_of(team)]


def _read_by(principal: Principal, ids: Sequence[UUID]) -> set[UUID]:
    """The ids that the principal reads."""
    with principal.scope():
        values = {"organisation": principal.organisation_id, "ids": list(ids)}
        return {id_ for (id_,) in fetched(_READABLE, values)}


def _hand_over(
    principal: Principal, team: Team, items: Sequence[Item], now: datetime
) -> list[UUID]:
    """Add the items with their times of before; returns the ids that were evicted for them."""
    with principal.scope():
        before = {item.id for item in _settled(principal, team, now)}
        rows = [(principal.own_audience, i.id, i.added_at, i.last_used_at) for i in items]
        _enter(team.organisation_id, rows)
        after = {item.id for item in _settled(principal, team, now)}
    return sorted((before | {item.id for item in items}) - after)


def _enter(organisation_id: UUID, rows: Sequence[tuple[UUID, UUID, datetime, datetime]]) -> None:
    """rows: audience, memory, when it was added and used last; inside a scope that reads them."""
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[]] * 4
    names = ("audiences", "memories", "added", "used")
    values: dict[str, Any] = dict(zip(names, columns, strict=True))
    fetched(
        _ENTER,
        {"organisation": organisation_id, "entries": [new_id() for _ in rows], **values},
    )
