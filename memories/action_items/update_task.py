"""Change a task: whether it is done, its assignee and its due date."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.memory_access import get_readable_memory, record_memory_audit
from memories.access.permissions import ChangeForbiddenError, may_change, may_publish
from memories.action_items.add_task import get_assignee
from memories.action_items.task_queries import TaskRow, get_task_in_scope
from memories.knowledge_graph.models import Task
from memories.review.changes import TASK, Approval, applies, propose_change
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

ASSIGNEE_UPDATE_DENIED = (
    "You may say that this task is done; the rest is for those whose memory it is."
)


def update_task(
    actor: Actor,
    task_id: UUID,
    changes: Mapping[str, Any],
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> TaskRow | Proposal:
    """Set `done`, `assignee` (a reference or None) and `due_at` (or None).

    Whoever may change the memory may change all of it; who may not publish to its readers proposes
    assignee and due date, and gets the queue item. Its assignee may only set `done`, and so may
    a robot that acts for the assignee in a group of both or by a delegation. Raises NotFoundError,
    MissingScopeError, ChangeForbiddenError, and MemoryRequestError for an assignee who does not
    read the memory.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        found = get_task_in_scope(principal, task_id, now)
        memory = get_readable_memory(principal, found.memory, lock=True)
        task = Task.objects.get(organisation_id=memory.organisation_id, id=task_id)
        if not may_change(principal, memory):
            _check_assignee_update(principal, task, changes)
        given = _given(principal, memory, changes, group)
        item = None
        if given and not may_publish(principal.actor, memory):
            item = _propose(principal, memory, task, given, now)
            given = {}
        _change(principal, memory, task, given, changes.get("done"), now)
        return item or get_task_in_scope(principal, task_id, now)


def _given(
    principal: Principal, memory: Memory, changes: Mapping[str, Any], group: str | None
) -> dict[str, Any]:
    """Assignee (a member or None) and due date of the changes, as far as they are there."""
    given = {name: changes[name] for name in ("assignee", "due_at") if name in changes}
    if who := given.get("assignee"):
        given["assignee"] = get_assignee(principal, memory, who, group)
    return given


def _propose(
    principal: Principal, memory: Memory, task: Task, given: Mapping[str, Any], now: datetime
) -> Proposal:
    wished = {"task": str(task.id), **given}
    if assignee := wished.get("assignee"):
        wished["assignee"] = str(assignee.id)
    return propose_change(principal, memory, TASK, wished, now)


@applies(TASK)
def _approved(change: Approval) -> dict[str, Any]:
    """Change a task as proposed, in the decider's name."""
    given = dict(change.given)
    id_, due = UUID(given.pop("task")), given.get("due_at")
    if due:
        given["due_at"] = datetime.fromisoformat(due)
    if isinstance(update_task(change.decider, id_, given, now=change.now), Proposal):
        raise ChangeForbiddenError(ASSIGNEE_UPDATE_DENIED)
    return {"stays": TASK}


def _change(
    principal: Principal,
    memory: Memory,
    task: Task,
    given: Mapping[str, Any],
    done: bool | None,
    now: datetime,
) -> None:
    """Store the changes of a task, without checking rights."""
    before = (task.done_at is not None, task.assignee_id, task.due_at)
    _set_done(principal, task, done, now)
    if "assignee" in given:
        task.assignee, task.assignee_given = given["assignee"], True
    if "due_at" in given:
        task.due_at, task.due_given = given["due_at"], True
    task.save()
    if before != (task.done_at is not None, task.assignee_id, task.due_at):
        fields = sorted({*given, *(() if done is None else ("done",))})
        record_memory_audit(
            principal, "task.changed", memory, now, task=str(task.id), fields=fields
        )


def _check_assignee_update(principal: Principal, task: Task, changes: Mapping[str, Any]) -> None:
    actor = principal.actor
    theirs = task.assignee_id is not None and task.assignee_id == actor.member_id
    # A robot may name any member; it speaks for one only by a delegation or in a group of both.
    speaks = actor.is_person or actor.delegated or actor.group_id is not None
    if not (theirs and speaks):
        raise ChangeForbiddenError("You may read this task, but it is not yours to change.")
    if set(changes) - {"done"}:
        raise ChangeForbiddenError(ASSIGNEE_UPDATE_DENIED)


def _set_done(principal: Principal, task: Task, done: bool | None, now: datetime) -> None:
    """Set or clear `done`. Who set it first stays noted until it is cleared."""
    if done is None or done == (task.done_at is not None):
        return
    actor = principal.actor
    task.done_at = now if done else None
    task.done_by_id = actor.member_id if done else None
    task.done_by_robot_id = actor.robot_id if done else None
