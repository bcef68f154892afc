"""Tasks that the asker may read: pending ones first, then by importance, then the newest."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.action_items.priority import priority
from memories.retrieval.candidates.search_conditions import IN_GROUP_SQL
from orgs.database.prepared_statements import fetch_all
from orgs.errors import NotFoundError
from orgs.expiry import not_expired_sql
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

PENDING, DONE, ALL = STATUSES = ("pending", "done", "all")
MINE, EVERYONE = ASSIGNEE_FILTERS = ("mine", "everyone")

# Tasks of memories that are active and not superseded. The memory is `n`, as HERE names it.
_READABLE_TASKS_SQL = f"""
SELECT t.id, t.memory_id, e.name, n.importance, t.assignee_id, p.name, t.due_at, t.done_at,
    n.created_at
FROM memories_task t
JOIN memories_memory n ON n.organisation_id = %(organisation)s AND n.id = t.memory_id
    AND n.status = 'active' AND n.superseded_by_id IS NULL
    AND {not_expired_sql("n")}
JOIN memories_entity e ON e.organisation_id = %(organisation)s AND e.memory_id = t.memory_id
    AND e.node = t.node AND e.type = 'action_item'
LEFT JOIN orgs_member p ON p.organisation_id = %(organisation)s AND p.id = t.assignee_id
WHERE t.organisation_id = %(organisation)s
"""
_TASK_SQL = _READABLE_TASKS_SQL + " AND t.id = %(id)s::uuid"
_TASKS_SQL = (
    _READABLE_TASKS_SQL
    + f"""
  AND (%(context_group)s::uuid IS NULL OR {IN_GROUP_SQL})
  AND (%(include_shared)s::bool OR n.audience_id <> %(organisation_audience)s::uuid)
  AND (%(deposits)s::bool OR n.deposited_by IS NULL)
  AND (%(whose)s::uuid IS NULL OR t.assignee_id IS NULL OR t.assignee_id = %(whose)s::uuid)
  AND (%(done)s::bool IS NULL OR (t.done_at IS NOT NULL) = %(done)s::bool)
  AND (%(due_before)s::timestamptz IS NULL OR t.due_at < %(due_before)s::timestamptz)
  AND (%(last)s::uuid IS NULL OR (t.done_at IS NULL, n.importance, n.id, t.id)
       < (%(last_pending)s::bool, %(last_importance)s::float8, %(last_memory)s::uuid,
          %(last)s::uuid))
ORDER BY t.done_at IS NULL DESC, n.importance DESC, n.id DESC, t.id DESC LIMIT %(limit)s::int
"""
)


@dataclass(frozen=True, slots=True)
class TaskCursor:
    """Where a page of tasks ended."""

    pending: bool
    importance: float
    memory: UUID
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """A task as it is shown. importance: of its memory, 0-1. priority: empty if it is done."""

    id: UUID
    memory: UUID
    title: str
    importance: float
    assignee: UUID | None
    assignee_name: str | None
    due_at: datetime | None
    done_at: datetime | None
    created_at: datetime
    priority: str

    @property
    def place(self) -> TaskCursor:
        return TaskCursor(self.done_at is None, self.importance, self.memory, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuery:
    """Which tasks; group and member say where and for whom it is asked.

    status: one of STATUSES. whose: one of WHOSE; MINE are the tasks of the member who asks, or for
    whom a robot asks, and tasks without an assignee. A robot that acts for nobody gets everyone's.
    """

    group: str | None = None
    member: str | None = None
    status: str = PENDING
    whose: str = MINE
    due_before: datetime | None = None
    limit: int = 50


def list_tasks(
    actor: Actor, query: TaskQuery, *, after: TaskCursor | None = None, now: datetime
) -> list[TaskRow]:
    """A page of the tasks that the asker may read there, in the order above.

    after: the last task of the page before. Raises NotFoundError and MissingScopeError.
    """
    principal = resolve_principal(resolve_actor(actor, member=query.member, group=query.group))
    with principal.scope():
        return list_tasks_in_scope(principal, query, after=after, now=now)


def list_tasks_in_scope(
    principal: Principal,
    query: TaskQuery,
    *,
    include_shared: bool = True,
    deposits: bool = True,
    after: TaskCursor | None = None,
    now: datetime,
) -> list[TaskRow]:
    """`tasks` for a known principal; call inside the principal's scope.

    include_shared: whether memories of the whole organisation count. deposits: whether memories
    count that a robot wrote where it does not read.
    """
    values: dict[str, Any] = {
        "organisation": principal.organisation_id,
        "organisation_audience": principal.organisation_audience,
        "context_group": principal.actor.group_id,
        "include_shared": include_shared,
        "deposits": deposits,
        "whose": principal.actor.member_id if query.whose == MINE else None,
        "done": {PENDING: False, DONE: True}.get(query.status),
        "due_before": query.due_before,
        "last": after.id if after else None,
        "last_pending": after.pending if after else None,
        "last_importance": after.importance if after else None,
        "last_memory": after.memory if after else None,
        "limit": query.limit,
        "now": now,
    }
    return [_to_task(found, now) for found in fetch_all(_TASKS_SQL, values)]


def get_task_in_scope(principal: Principal, task_id: UUID, now: datetime) -> TaskRow:
    """One task; call inside the principal's scope. Raises NotFoundError."""
    values = {"organisation": principal.organisation_id, "id": task_id, "now": now}
    found = fetch_all(_TASK_SQL, values)
    if not found:
        raise NotFoundError("no such task")
    return _to_task(found[0], now)


def get_task(
    actor: Actor,
    task_id: UUID,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> TaskRow:
    """One task. Raises NotFoundError and MissingScopeError."""
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        return get_task_in_scope(principal, task_id, now)


def _to_task(found: tuple[Any, ...], now: datetime) -> TaskRow:
    id_, memory, title, importance, assignee, name, due_at, done_at, created_at = found
    return TaskRow(
        id=id_,
        memory=memory,
        title=title,
        importance=importance,
        assignee=assignee,
        assignee_name=name,
        due_at=due_at,
        done_at=done_at,
        created_at=created_at,
        priority="" if done_at else priority(due_at, now),
    )
