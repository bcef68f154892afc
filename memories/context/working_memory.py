"""The working memory of a robot: its entries, and which left it and why.

Postgres holds it (docs/adr/0014-working-memory.md). An entry is an id. Text, importance and the
right to read come from the memory, in the scope of whoever looks. So the budget applies to what one
call sees. A robot has another working memory for each member for whom it acts, for an entry tells
what was served (`orgs.principals.reader_of`): those of one are neither shown nor counted nor
evicted while it acts for another or for nobody.

A recall counts no tokens and evicts nothing; the next look does both. Evictions of one working
memory run one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.context.at_hand import Entry, Evicted, OverBudget, WorkingMemory
from memories.context.models import Reason
from memories.context.token_budget import BLANK_LINE, Item, evicted, fitting, ordered
from memories.embedding.tokens.token_count import count_tokens
from memories.language.rendering.model_text import render_text
from memories.retrieval.candidates.filters import HERE
from memories.store.known_use import WITH_USE
from memories.store.models.operation import Verb
from memories.store.operations import log
from orgs.database.advisory_locks import take_turns
from orgs.database.prepared_statements import fetched
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act
from robots.access.own_member import actor_of_robot
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.registry.robots import find_robot, works_before

# How many evicted entries are named, and how many are looked through to find those.
MOST_EVICTED, LOOKED_THROUGH = 20, 200
# The condition that a memory `m` may be given in the group in which it is asked.
_HERE = HERE.replace("n.", "m.")
_PLACED = f"(%(group)s::uuid IS NULL OR {_HERE.replace('%(context_group)s', '%(group)s::uuid')})"
# The condition that an entry counts: its memory can be recalled, and was not restored after the
# entry was added. Sensitive memories never count.
_LIVE = """m.status = 'active' AND NOT m.sensitive
    AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
    AND (m.restored_at IS NULL OR m.restored_at <= e.added_at)"""
_ENTRIES = f"""
SELECT m.id, e.tokens, m.importance, coalesce(u.access_count, 0), e.added_at, e.last_used_at,
    {_LIVE}, m.version, CASE WHEN e.counted_version = m.version THEN NULL ELSE m.content END
FROM memories_workingentry e
JOIN memories_memory m ON m.organisation_id = e.organisation_id AND m.id = e.memory_id
{WITH_USE}
WHERE e.organisation_id = %(organisation)s AND e.audience_id = %(audience)s
    AND e.reader = %(reader)s AND e.evicted_at IS NULL AND {_PLACED}
"""
_COUNTED = """
UPDATE memories_workingentry e SET tokens = given.tokens, counted_version = given.version
FROM unnest(%(ids)s::uuid[], %(tokens)s::int[], %(versions)s::int[])
    AS given (memory_id, tokens, version)
WHERE e.organisation_id = %(organisation)s AND e.audience_id = %(audience)s
    AND e.reader = %(reader)s AND e.memory_id = given.memory_id
"""
_EVICT = """
UPDATE memories_workingentry SET evicted_at = %(now)s, reason = %(reason)s
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND memory_id = ANY(%(ids)s::uuid[]) AND evicted_at IS NULL
RETURNING memory_id
"""
_CLEAR = """
UPDATE memories_workingentry SET evicted_at = %(now)s, reason = %(reason)s
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND evicted_at IS NULL RETURNING memory_id
"""
_ADD = """
INSERT INTO memories_workingentry AS e
    (id, organisation_id, audience_id, reader, memory_id, tokens, counted_version, added_at,
     last_used_at, reason)
VALUES (%(id)s, %(organisation)s, %(audience)s, %(reader)s, %(memory)s, %(tokens)s, %(version)s,
    %(now)s, %(now)s, '')
ON CONFLICT (organisation_id, audience_id, reader, memory_id) DO UPDATE
SET tokens = excluded.tokens, counted_version = excluded.counted_version,
    added_at = excluded.added_at, last_used_at = excluded.last_used_at, evicted_at = NULL,
    reason = ''
"""
_ADDED = f"""
SELECT m.content, m.version FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = %(memory)s AND m.status = 'active'
    AND NOT m.sensitive AND (m.expires_at IS NULL OR m.expires_at > %(now)s) AND {_PLACED}
"""
_TEXTS = f"""
SELECT m.id, m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active' AND NOT m.sensitive
    AND (m.expires_at IS NULL OR m.expires_at > %(now)s) AND {_PLACED}
"""
_LEFT = """
SELECT memory_id, evicted_at, reason FROM memories_workingentry
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND evicted_at IS NOT NULL ORDER BY evicted_at DESC, memory_id DESC LIMIT %(most)s
"""


def budget_of(robot: Robot) -> int:
    """The most tokens of the robot's working memory."""
    return robot.working_memory_tokens or int(settings.WORKING_MEMORY_TOKENS)


def look(
    actor: Actor,
    robot: str,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> WorkingMemory:
    """The robot's working memory, the last used entry first.

    The robot itself may look, for a member and in a group. Admins and curators get the sizes as the
    robot sees them when it acts for nobody, and the entries that they read themselves (nothing
    of another member's personal robot); their look evicts nothing. Raises NotFound for all others.
    """
    found = _robot(actor, robot)
    if actor.robot_id is None:
        return _looked_at(actor, found, now)
    principal = resolve(act(actor, member=member, group=group))
    values = values_of(principal, now)
    with principal.scope():
        items = settled(principal, budget_of(found), now)
        texts = texts_of(values, [item.id for item in items])
        left = left_of(values, last_evicted(values))
    return as_seen(found, budget_of(found), items, texts, left, now)


def add(
    actor: Actor,
    robot: str,
    memory_id: UUID,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> list[UUID]:
    """Add a memory that the robot reads; returns the ids that were evicted for it.

    An entry that is there already counts as added now. Raises NotFound, OverBudget, and
    PermissionError for a person.
    """
    found = _own(actor, robot)
    principal = resolve(act(actor, member=member, group=group))
    return put(principal, budget_of(found), memory_id, now=now)


def put(principal: Principal, budget: int, memory_id: UUID, *, now: datetime) -> list[UUID]:
    """`add` for the working memory of the principal's `own_audience`."""
    values = values_of(principal, now)
    with principal.scope():
        take_turns_at(principal)
        rows = fetched(_ADDED, values | {"memory": memory_id})
        if not rows:
            raise NotFound("no such memory")
        ((content, version),) = rows
        tokens = count_tokens(content)
        if tokens > budget:
            raise OverBudget(
                f"The memory has {tokens} tokens, and the working memory holds {budget}."
            )
        given = {"id": new_id(), "memory": memory_id, "tokens": tokens, "version": version}
        fetched(_ADD, values | given)
        before = {item.id for item in items_in(values)}
        after = {item.id for item in settled(principal, budget, now, keep=memory_id)}
    return sorted(before - after)


def remove(
    actor: Actor,
    robot: str,
    memory_id: UUID | None,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> None:
    """Remove a memory from it, or all if memory_id is None. No recall brings a removed entry back.

    No memory is forgotten. Raises NotFound for a memory that is not in it, and PermissionError for
    a person.
    """
    _own(actor, robot)
    take_out(resolve(act(actor, member=member, group=group)), memory_id, now=now)


def take_out(principal: Principal, memory_id: UUID | None, *, now: datetime) -> None:
    """`remove` for the working memory of the principal's `own_audience`."""
    values = values_of(principal, now) | {"reason": Reason.REMOVED}
    with principal.scope():
        take_turns_at(principal)
        if memory_id is None:
            note_evicted(principal, fetched(_CLEAR, values), now)
            return
        if memory_id not in {item.id for item in items_in(values)}:
            raise NotFound("no such memory")
        evict(principal, [memory_id], Reason.REMOVED, now)


def assemble(
    found: WorkingMemory, order: str, *, by: str, max_tokens: int, now: datetime
) -> tuple[str, list[Entry]]:
    """The text that fits into `max_tokens`, and its entries with their tokens in it, in an order of
    `token_budget`. by: its measure."""
    known = {entry.item.id: entry for entry in found.entries}
    texts = {id_: render_text(entry.content) for id_, entry in known.items()}
    priced = [replace(entry.item, tokens=count_tokens(texts[id_])) for id_, entry in known.items()]
    taken = fitting(ordered(priced, order, now=now, by=by), max_tokens)
    entries = [replace(known[item.id], item=item) for item in taken]
    return BLANK_LINE.join(texts[item.id] for item in taken), entries


def _robot(actor: Actor, reference: str) -> Robot:
    """The robot, if the actor is it, or a curator or admin. Raises NotFound for all others."""
    with organisation_scope(actor.organisation_id):
        found = find_robot(actor.organisation_id, reference)
    if actor.robot_id != found.id and not actor.moderates:
        raise NotFound("no such robot")
    return found


def _own(actor: Actor, reference: str) -> Robot:
    found = _robot(actor, reference)
    if actor.robot_id != found.id:
        raise PermissionError("Only the robot itself changes its working memory.")
    return found


def values_of(principal: Principal, now: datetime) -> dict[str, Any]:
    """The parameters of the statements here, for the working memory of `own_audience`."""
    return {
        "organisation": principal.organisation_id,
        "audience": principal.own_audience,
        "reader": principal.reader,
        "group": principal.actor.group_id,
        "organisation_audience": principal.organisation_audience,
        "now": now,
    }


def take_turns_at(principal: Principal) -> None:
    """Lock the working memory of `own_audience` until the end of the transaction."""
    take_turns(principal.organisation_id, f"working memory {principal.own_audience}")


def settled(
    principal: Principal, budget: int, now: datetime, keep: UUID | None = None
) -> list[Item]:
    """The items after counting tokens and evicting; inside the principal's scope. keep: the memory
    that stays."""
    take_turns_at(principal)
    values = values_of(principal, now)
    rows = fetched(_ENTRIES, values)
    gone = [row[0] for row in rows if not row[6]]
    items, fresh = _counted([row for row in rows if row[6]])
    if fresh:
        ids, tokens, versions = zip(*fresh, strict=True)
        new = {"ids": list(ids), "tokens": list(tokens), "versions": list(versions)}
        fetched(_COUNTED, values | new)
    out = [item.id for item in evicted(items, budget, keep)]
    for ids_, reason in ((gone, Reason.GONE), (out, Reason.BUDGET)):
        evict(principal, ids_, reason, now)
    away = set(out)
    return [item for item in items if item.id not in away]


def evict(principal: Principal, ids: Sequence[UUID], reason: Reason, now: datetime) -> None:
    """Take these entries out for this reason, and log it; inside the principal's scope."""
    if ids:
        values = values_of(principal, now) | {"ids": list(ids), "reason": reason}
        note_evicted(principal, fetched(_EVICT, values), now)


def note_evicted(principal: Principal, rows: Sequence[tuple[Any, ...]], now: datetime) -> None:
    """Note evicted entries in the log of operations, as far as the scope reads their memories."""
    ids = [id_ for (id_,) in rows]
    robot_id = principal.actor.robot_id
    log(
        Verb.EVICT,
        principal.organisation_id,
        ids,
        robot_id=robot_id,
        reader=principal.reader,
        now=now,
    )


def items_in(values: Mapping[str, Any]) -> list[Item]:
    """The items that are in it now, even above the budget; nothing is written."""
    return _counted([row for row in fetched(_ENTRIES, values) if row[6]])[0]


def _counted(
    rows: Sequence[tuple[Any, ...]],
) -> tuple[list[Item], list[tuple[UUID, int, int]]]:
    """The items of the rows, and (memory, tokens, version) of those whose tokens were counted just
    now."""
    items, fresh = [], []
    for id_, tokens, importance, accesses, added_at, used_at, _, version, content in rows:
        if content is not None:
            tokens = count_tokens(content)  # noqa: PLW2901 - of the version that is there now
            fresh.append((id_, tokens, version))
        items.append(
            Item(
                id=id_,
                tokens=tokens,
                importance=importance,
                access_count=accesses,
                added_at=added_at,
                last_used_at=used_at,
            )
        )
    return items, fresh


def texts_of(values: Mapping[str, Any], ids: Sequence[UUID]) -> dict[UUID, str]:
    """The texts that the scope reads, by memory id."""
    return dict(fetched(_TEXTS, {**values, "ids": list(ids)}))


def last_evicted(values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """(memory, when, why) of entries that left, the latest first."""
    return fetched(_LEFT, {**values, "most": LOOKED_THROUGH})


def left_of(values: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> list[Evicted]:
    """The entries that left, as far as the scope reads them, without forgotten memories."""
    texts = texts_of(values, [id_ for id_, _, _ in rows])
    known = [
        Evicted(id=id_, content=texts[id_], evicted_at=at, reason=reason)
        for id_, at, reason in rows
        if id_ in texts
    ]
    return known[:MOST_EVICTED]


def _looked_at(actor: Actor, robot: Robot, now: datetime) -> WorkingMemory:
    """Sizes in the scope of the robot itself, then the texts in the scope of whoever looks."""
    if not works_before(robot, actor):
        # Sizes tell what was served as well.
        return as_seen(robot, budget_of(robot), [], {}, [], now)
    itself = resolve(actor_of_robot(robot))
    values = values_of(itself, now)
    with itself.scope():
        items = items_in(values)
        rows = last_evicted(values)
    return seen_by(resolve(actor), robot, budget_of(robot), items, rows, now)


def seen_by(
    asker: Principal,
    owner: Robot | Team,
    budget: int,
    items: Sequence[Item],
    rows: Sequence[tuple[Any, ...]],
    now: datetime,
) -> WorkingMemory:
    """The sizes of all items, and the texts that the asker reads. rows: from `last_evicted`."""
    values = values_of(asker, now)
    with asker.scope():
        texts = texts_of(values, [item.id for item in items])
        left = left_of(values, rows)
    return as_seen(owner, budget, items, texts, left, now)


def as_seen(
    owner: Robot | Team,
    budget: int,
    items: Sequence[Item],
    texts: Mapping[UUID, str],
    left: list[Evicted],
    now: datetime,
) -> WorkingMemory:
    """The working memory with the texts that the asker reads, by id. left: entries that left it."""
    return WorkingMemory(
        owner=owner,
        budget=budget,
        tokens=sum(item.tokens for item in items),
        count=len(items),
        entries=[
            Entry(item=item, content=texts[item.id])
            for item in ordered(items, "recent", now=now)
            if item.id in texts
        ],
        evicted=left,
    )
