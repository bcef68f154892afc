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

from memories.context.models import EvictionReason
from memories.context.token_budget import (
    BLANK_LINE,
    WorkingMemoryItem,
    select_evicted,
    select_fitting,
    sort_items,
)
from memories.context.working_memory_values import (
    EvictedMemory,
    OverBudgetError,
    WorkingMemory,
    WorkingMemoryEntry,
)
from memories.embedding.tokens.token_count import count_tokens
from memories.language.rendering.model_text import render_text
from memories.retrieval.candidates.search_conditions import in_group_sql
from memories.store.known_use import WITH_USE
from memories.store.models.version import OperationVerb
from memories.store.operation_log import record_operations
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.errors import ReferenceNotFoundError
from orgs.expiry import not_expired_sql
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.personal_robot_actor import actor_of_robot
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.registry.robots import get_robot, may_see_work

# How many evicted entries are named, and how many are looked through to find those.
MAX_EVICTED, EVICTED_SCAN_LIMIT = 20, 200
# The condition that a memory `m` may be given in the group in which it is asked.
_IN_CONTEXT_GROUP = in_group_sql("m")
_IN_ASKED_GROUP = (
    f"(%(group)s::uuid IS NULL OR "
    f"{_IN_CONTEXT_GROUP.replace('%(context_group)s', '%(group)s::uuid')})"
)
# The condition that an entry counts: its memory can be recalled, and was not restored after the
# entry was added. Sensitive memories never count.
_RECALLABLE = f"""m.status = 'active' AND NOT m.sensitive
    AND {not_expired_sql()}
    AND (m.restored_at IS NULL OR m.restored_at <= e.added_at)"""
_ENTRIES_SQL = f"""
SELECT m.id, e.tokens, m.importance, coalesce(u.access_count, 0), e.added_at, e.last_used_at,
    {_RECALLABLE}, m.version, CASE WHEN e.counted_version = m.version THEN NULL ELSE m.content END
FROM memories_workingentry e
JOIN memories_memory m ON m.organisation_id = e.organisation_id AND m.id = e.memory_id
{WITH_USE}
WHERE e.organisation_id = %(organisation)s AND e.audience_id = %(audience)s
    AND e.reader = %(reader)s AND e.evicted_at IS NULL AND {_IN_ASKED_GROUP}
"""
_STORE_TOKENS_SQL = """
UPDATE memories_workingentry e SET tokens = given.tokens, counted_version = given.version
FROM unnest(%(ids)s::uuid[], %(tokens)s::int[], %(versions)s::int[])
    AS given (memory_id, tokens, version)
WHERE e.organisation_id = %(organisation)s AND e.audience_id = %(audience)s
    AND e.reader = %(reader)s AND e.memory_id = given.memory_id
"""
_EVICT_SQL = """
UPDATE memories_workingentry SET evicted_at = %(now)s, reason = %(reason)s
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND memory_id = ANY(%(ids)s::uuid[]) AND evicted_at IS NULL
RETURNING memory_id
"""
_EVICT_ALL_SQL = """
UPDATE memories_workingentry SET evicted_at = %(now)s, reason = %(reason)s
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND evicted_at IS NULL RETURNING memory_id
"""
_UPSERT_ENTRY_SQL = """
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
_ADDABLE_MEMORY_SQL = f"""
SELECT m.content, m.version FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = %(memory)s AND m.status = 'active'
    AND NOT m.sensitive AND {not_expired_sql()} AND {_IN_ASKED_GROUP}
"""
_TEXTS_SQL = f"""
SELECT m.id, m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active' AND NOT m.sensitive
    AND {not_expired_sql()} AND {_IN_ASKED_GROUP}
"""
_LAST_EVICTED_SQL = """
SELECT memory_id, evicted_at, reason FROM memories_workingentry
WHERE organisation_id = %(organisation)s AND audience_id = %(audience)s AND reader = %(reader)s
    AND evicted_at IS NOT NULL ORDER BY evicted_at DESC, memory_id DESC LIMIT %(most)s
"""


def robot_token_budget(robot: Robot) -> int:
    """The most tokens of the robot's working memory."""
    return robot.working_memory_tokens or int(settings.WORKING_MEMORY_TOKENS)


def get_working_memory(
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
    of another member's personal robot); their look evicts nothing. Raises NotFoundError for all
    others.
    """
    found = _get_visible_robot(actor, robot)
    if actor.robot_id is None:
        return _get_for_moderator(actor, found, now)
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    values = query_parameters(principal, now)
    with principal.scope():
        items = enforce_budget(principal, robot_token_budget(found), now)
        texts = load_texts(values, [item.id for item in items])
        left = filter_readable_evictions(values, fetch_last_evicted(values))
    return build_view(found, robot_token_budget(found), items, texts, left, now)


def add_to_working_memory(
    actor: Actor,
    robot: str,
    memory_id: UUID,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> list[UUID]:
    """Add a memory that the robot reads; returns the ids that were evicted for it.

    An entry that is there already counts as added now. Raises NotFoundError, OverBudgetError, and
    PermissionError for a person.
    """
    found = _require_own_robot(actor, robot)
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    return add_entry(principal, robot_token_budget(found), memory_id, now=now)


def add_entry(principal: Principal, budget: int, memory_id: UUID, *, now: datetime) -> list[UUID]:
    """`add` for the working memory of the principal's `own_audience`."""
    values = query_parameters(principal, now)
    with principal.scope():
        lock_working_memory(principal)
        rows = fetch_all(_ADDABLE_MEMORY_SQL, values | {"memory": memory_id})
        if not rows:
            raise ReferenceNotFoundError("memory", memory_id)
        ((content, version),) = rows
        tokens = count_tokens(content)
        if tokens > budget:
            raise OverBudgetError(
                f"The memory has {tokens} tokens, and the working memory holds {budget}."
            )
        given = {"id": new_id(), "memory": memory_id, "tokens": tokens, "version": version}
        fetch_all(_UPSERT_ENTRY_SQL, values | given)
        before = {item.id for item in load_items(values)}
        after = {item.id for item in enforce_budget(principal, budget, now, keep=memory_id)}
    return sorted(before - after)


def remove_from_working_memory(
    actor: Actor,
    robot: str,
    memory_id: UUID | None,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> None:
    """Remove a memory from it, or all if memory_id is None. No recall brings a removed entry back.

    No memory is forgotten. Raises NotFoundError for a memory that is not in it, and PermissionError
    for a person.
    """
    _require_own_robot(actor, robot)
    remove_entry(
        resolve_principal(resolve_actor(actor, member=member, group=group)), memory_id, now=now
    )


def remove_entry(principal: Principal, memory_id: UUID | None, *, now: datetime) -> None:
    """`remove` for the working memory of the principal's `own_audience`."""
    values = query_parameters(principal, now) | {"reason": EvictionReason.REMOVED}
    with principal.scope():
        lock_working_memory(principal)
        if memory_id is None:
            record_evictions(principal, fetch_all(_EVICT_ALL_SQL, values), now)
            return
        if memory_id not in {item.id for item in load_items(values)}:
            raise ReferenceNotFoundError("memory", memory_id)
        evict_entries(principal, [memory_id], EvictionReason.REMOVED, now)


def render_working_memory(
    found: WorkingMemory, order: str, *, by: str, max_tokens: int, now: datetime
) -> tuple[str, list[WorkingMemoryEntry]]:
    """The text that fits into `max_tokens`, and its entries with their tokens in it, in an order of
    `token_budget`. by: its measure."""
    known = {entry.item.id: entry for entry in found.entries}
    texts = {id_: render_text(entry.content) for id_, entry in known.items()}
    priced = [replace(entry.item, tokens=count_tokens(texts[id_])) for id_, entry in known.items()]
    taken = select_fitting(sort_items(priced, order, now=now, by=by), max_tokens)
    entries = [replace(known[item.id], item=item) for item in taken]
    return BLANK_LINE.join(texts[item.id] for item in taken), entries


def _get_visible_robot(actor: Actor, reference: str) -> Robot:
    """The robot, if the actor is it, or a curator or admin. Raises NotFoundError for all others."""
    with organisation_scope(actor.organisation_id):
        found = get_robot(actor.organisation_id, reference)
    if actor.robot_id != found.id and not actor.moderates:
        raise ReferenceNotFoundError("robot", reference)
    return found


def _require_own_robot(actor: Actor, reference: str) -> Robot:
    found = _get_visible_robot(actor, reference)
    if actor.robot_id != found.id:
        raise PermissionError("Only the robot itself changes its working memory.")
    return found


def query_parameters(principal: Principal, now: datetime) -> dict[str, Any]:
    """The parameters of the statements here, for the working memory of `own_audience`."""
    return {
        "organisation": principal.organisation_id,
        "audience": principal.own_audience,
        "reader": principal.reader,
        "group": principal.actor.group_id,
        "organisation_audience": principal.organisation_audience,
        "now": now,
    }


def lock_working_memory(principal: Principal) -> None:
    """Lock the working memory of `own_audience` until the end of the transaction."""
    acquire_advisory_lock(principal.organisation_id, f"working memory {principal.own_audience}")


def enforce_budget(
    principal: Principal, budget: int, now: datetime, keep: UUID | None = None
) -> list[WorkingMemoryItem]:
    """The items after counting tokens and evicting; inside the principal's scope. keep: the memory
    that stays."""
    lock_working_memory(principal)
    values = query_parameters(principal, now)
    rows = fetch_all(_ENTRIES_SQL, values)
    gone = [row[0] for row in rows if not row[6]]
    items, fresh = _count_item_tokens([row for row in rows if row[6]])
    if fresh:
        ids, tokens, versions = zip(*fresh, strict=True)
        new = {"ids": list(ids), "tokens": list(tokens), "versions": list(versions)}
        fetch_all(_STORE_TOKENS_SQL, values | new)
    out = [item.id for item in select_evicted(items, budget, keep)]
    for ids_, reason in ((gone, EvictionReason.GONE), (out, EvictionReason.BUDGET)):
        evict_entries(principal, ids_, reason, now)
    away = set(out)
    return [item for item in items if item.id not in away]


def evict_entries(
    principal: Principal, ids: Sequence[UUID], reason: EvictionReason, now: datetime
) -> None:
    """Take these entries out for this reason, and log it; inside the principal's scope."""
    if ids:
        values = query_parameters(principal, now) | {"ids": list(ids), "reason": reason}
        record_evictions(principal, fetch_all(_EVICT_SQL, values), now)


def record_evictions(principal: Principal, rows: Sequence[tuple[Any, ...]], now: datetime) -> None:
    """Note evicted entries in the log of operations, as far as the scope reads their memories."""
    ids = [id_ for (id_,) in rows]
    robot_id = principal.actor.robot_id
    record_operations(
        OperationVerb.EVICT,
        principal.organisation_id,
        ids,
        robot_id=robot_id,
        reader=principal.reader,
        now=now,
    )


def load_items(values: Mapping[str, Any]) -> list[WorkingMemoryItem]:
    """The items that are in it now, even above the budget; nothing is written."""
    return _count_item_tokens([row for row in fetch_all(_ENTRIES_SQL, values) if row[6]])[0]


def _count_item_tokens(
    rows: Sequence[tuple[Any, ...]],
) -> tuple[list[WorkingMemoryItem], list[tuple[UUID, int, int]]]:
    """The items of the rows, and (memory, tokens, version) of those whose tokens were counted just
    now."""
    items, fresh = [], []
    for id_, tokens, importance, accesses, added_at, used_at, _, version, content in rows:
        if content is not None:
            tokens = count_tokens(content)  # noqa: PLW2901 - of the version that is there now
            fresh.append((id_, tokens, version))
        items.append(
            WorkingMemoryItem(
                id=id_,
                tokens=tokens,
                importance=importance,
                access_count=accesses,
                added_at=added_at,
                last_used_at=used_at,
            )
        )
    return items, fresh


def load_texts(values: Mapping[str, Any], ids: Sequence[UUID]) -> dict[UUID, str]:
    """The texts that the scope reads, by memory id."""
    return dict(fetch_all(_TEXTS_SQL, {**values, "ids": list(ids)}))


def fetch_last_evicted(values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """(memory, when, why) of entries that left, the latest first."""
    return fetch_all(_LAST_EVICTED_SQL, {**values, "most": EVICTED_SCAN_LIMIT})


def filter_readable_evictions(
    values: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]
) -> list[EvictedMemory]:
    """The entries that left, as far as the scope reads them, without forgotten memories."""
    texts = load_texts(values, [id_ for id_, _, _ in rows])
    known = [
        EvictedMemory(id=id_, content=texts[id_], evicted_at=at, reason=reason)
        for id_, at, reason in rows
        if id_ in texts
    ]
    return known[:MAX_EVICTED]


def _get_for_moderator(actor: Actor, robot: Robot, now: datetime) -> WorkingMemory:
    """Sizes in the scope of the robot itself, then the texts in the scope of whoever looks."""
    if not may_see_work(robot, actor):
        # Sizes tell what was served as well.
        return build_view(robot, robot_token_budget(robot), [], {}, [], now)
    itself = resolve_principal(actor_of_robot(robot))
    values = query_parameters(itself, now)
    with itself.scope():
        items = load_items(values)
        rows = fetch_last_evicted(values)
    return build_view_for(
        resolve_principal(actor), robot, robot_token_budget(robot), items, rows, now
    )


def build_view_for(
    asker: Principal,
    owner: Robot | Team,
    budget: int,
    items: Sequence[WorkingMemoryItem],
    rows: Sequence[tuple[Any, ...]],
    now: datetime,
) -> WorkingMemory:
    """The sizes of all items, and the texts that the asker reads.

    rows: from `fetch_last_evicted`.
    """
    values = query_parameters(asker, now)
    with asker.scope():
        texts = load_texts(values, [item.id for item in items])
        left = filter_readable_evictions(values, rows)
    return build_view(owner, budget, items, texts, left, now)


def build_view(
    owner: Robot | Team,
    budget: int,
    items: Sequence[WorkingMemoryItem],
    texts: Mapping[UUID, str],
    left: list[EvictedMemory],
    now: datetime,
) -> WorkingMemory:
    """The working memory with the texts that the asker reads, by id. left: entries that left it."""
    return WorkingMemory(
        owner=owner,
        budget=budget,
        tokens=sum(item.tokens for item in items),
        count=len(items),
        entries=[
            WorkingMemoryEntry(item=item, content=texts[item.id])
            for item in sort_items(items, "recent", now=now)
            if item.id in texts
        ],
        evicted=left,
    )
