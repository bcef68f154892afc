"""Change a task: whether it is done, its assignee and its due date."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.lookup import fetch, note
from memories.access.permissions import NotYours, may_change
from memories.action_items.add import chosen_assignee
from memories.action_items.tasks import TaskRow, task_of
from memories.knowledge_graph.models import Task
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

ONLY_DONE = "You may say that this task is done; the rest is for those whose memory it is."


def change_task(
    actor: Actor,
    task_id: UUID,
    changes: Mapping[str, Any],
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> TaskRow:
    """Set `done`, `assignee` (a reference or None) and `due_at` (or None).

    Whoever may change the memory may change all of it. Its assignee may only set `done`, and so may
    a robot that acts for the assignee in a group of both or by a delegation. Raises NotFound,
    MissingScope, NotYours, and Misplaced for an assignee who does not read the memory.
    """
    principal = resolve(act(actor, member=member, group=group))
    with principal.scope():
        found = task_of(principal, task_id, now)
        memory = fetch(principal, found.memory, lock=True)
        task = Task.objects.get(organisation_id=memory.organisation_id, id=task_id)
        if not may_change(principal, memory):
            _check_assignee(principal, task, changes)
        before = (task.done_at is not None, task.assignee_id, task.due_at)
        _set_done(principal, task, changes, now)
        if "assignee" in changes:
            who = changes["assignee"]
            task.assignee = chosen_assignee(principal, memory, who, group) if who else None
            task.assignee_given = True
        if "due_at" in changes:
            task.due_at, task.due_given = changes["due_at"], True
        task.save()
        if before != (task.done_at is not None, task.assignee_id, task.due_at):
            fields = sorted(set(changes) & {"done", "assignee", "due_at"})
            note(principal, "task.changed", memory, now, task=str(task.id), fields=fields)
        return task_of(principal, task_id, now)


def _check_assignee(principal: Principal, task: Task, changes: Mapping[str, Any]) -> None:
    actor = principal.actor
    theirs = task.assignee_id is not None and task.assignee_id == actor.member_id
    # A robot may name any member; it speaks for one only by a delegation or in a group of both.
    speaks = actor.is_person or actor.delegated or actor.group_id is not None
    if not (theirs and speaks):
        raise NotYours("You may read this task, but it is not yours to change.")
    if set(changes) - {"done"}:
        raise NotYours(ONLY_DONE)


def _set_done(principal: Principal, task: Task, changes: Mapping[str, Any], now: datetime) -> None:
    """Set or clear `done`. Who set it first stays noted until it is cleared."""
    done = changes.get("done")
    if done is None or done == (task.done_at is not None):
        return
    actor = principal.actor
    task.done_at = now if done else None
    task.done_by_id = actor.member_id if done else None
    task.done_by_robot_id = actor.robot_id if done else None
