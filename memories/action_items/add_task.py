"""Add a task: a memory with an action item in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.access.permissions import (
    ChangeForbiddenError,
    get_readable_memory,
    lock_changeable_memory,
    may_change,
    may_publish,
    record_memory_audit,
)
from memories.access.references import ReferenceLookup
from memories.access.visibility import MemoryRequestError
from memories.action_items.task_queries import TaskRow, get_task_in_scope
from memories.ingestion.drafts import Draft, RememberResult, with_proposal
from memories.ingestion.remember import remember
from memories.knowledge_graph.action_item_tasks import list_given_action_items, member_can_read
from memories.knowledge_graph.entities import create_given_entity
from memories.knowledge_graph.models import EntityType, Task
from memories.language.entities import ACTION_ITEM, MAX_NAME_CHARACTERS, extract_entities
from memories.review.changes import TASK, Approval, propose_change
from memories.review.models import Proposal
from memories.safety.gate_refusals import check_not_waiting, record_refusals
from memories.store.models.choices import Category
from memories.store.models.memory import Memory
from memories.store.version_stamp import stamp_parts
from orgs.errors import NotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

ASSIGNEE_NOT_READER = (
    "The assignee does not read this task. Choose somebody who does, or other readers."
)
TASK_NOT_READABLE = "You could not read this task yourself. Choose another visibility."


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDraft:
    """What is to be done, with references as the caller gave them.

    Without an assignee or a due date the rules look for them in the text. importance: 0-1. key: a
    second call with the same key and text means the same task.
    """

    content: str
    assignee: str | None = None
    due_at: datetime | None = None
    importance: float | None = None
    group: str | None = None
    member: str | None = None
    visibility: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class AddTaskResult:
    """status: of its memory. task: None while the memory waits for a review; until it is approved
    it is in no list."""

    task: TaskRow | None
    memory: UUID
    status: str


def add_task(actor: Actor, draft: TaskDraft, *, now: datetime) -> AddTaskResult:
    """Remember what is to be done, as a memory with its task.

    Raises what `remember` raises, GateRefusedError for a robot's words that a gate refuses,
    NotFoundError for an assignee whom the caller does not know, and MemoryRequestError for an
    assignee who does not read the memory, or if the caller would not read it.
    """
    with record_refusals(actor, now, target_type="task"), transaction.atomic():
        made = remember(
            actor,
            Draft(
                content=draft.content,
                visibility=draft.visibility,
                group=draft.group,
                member=draft.member,
                importance=draft.importance,
                category=Category.REMINDER,
                key=draft.key,
                # The time sets it apart: the same words later are another task.
                occurred_at=now,
            ),
            now=now,
        )
        check_not_waiting(actor, made.status, proposed=made.proposed)
        principal = _resolve_writer(actor, draft, made)
        with principal.scope():
            try:
                memory = lock_changeable_memory(principal, made.id)
            except NotFoundError:
                raise MemoryRequestError(TASK_NOT_READABLE) from None
            task = _ensure_task(principal, memory, draft, now)
            if made.deduplicated:
                stamp_parts(memory, actor, now)
            active = memory.status == "active"
            shown = get_task_in_scope(principal, task.id, now) if active else None
    return AddTaskResult(shown, memory.id, memory.status)


def _resolve_writer(actor: Actor, draft: TaskDraft, made: RememberResult) -> Principal:
    """The principal that reads the new memory: a person with all rights, since it may wait for a
    review; a personal robot with what it has just proposed."""
    if actor.is_person:
        return resolve_principal(actor)
    return with_proposal(
        resolve_principal(resolve_actor(actor, member=draft.member, group=draft.group)), made
    )


def _ensure_task(principal: Principal, memory: Memory, draft: TaskDraft, now: datetime) -> Task:
    """The task of a memory: the existing one if the same was added before, else a new one."""
    here = Task.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    for entity in list_given_action_items(memory):
        if known := here.filter(node=entity.node).first():
            return known
    entity = create_given_entity(memory, EntityType.ACTION_ITEM, task_title(draft.content), now=now)
    task = here.get(node=entity.node)
    if draft.assignee is not None:
        task.assignee = get_assignee(principal, memory, draft.assignee, draft.group)
        task.assignee_given = True
    if draft.due_at is not None:
        task.due_at, task.due_given = draft.due_at, True
    task.save(update_fields=["assignee", "assignee_given", "due_at", "due_given"])
    record_memory_audit(principal, "task.added", memory, now, task=str(task.id))
    return task


def task_title(content: str) -> str:
    """The action item that the text names, as the rules would; else the beginning of the text."""
    for found in extract_entities(content):
        if found.type == ACTION_ITEM:
            return found.name
    return " ".join(content.split())[:MAX_NAME_CHARACTERS]


def get_assignee(
    principal: Principal, memory: Memory, reference: str, group: str | None = None
) -> Member:
    """The member that a reference means.

    Raises NotFoundError, also for a member whom the caller may not know of, and MemoryRequestError
    for one who does not read the memory.
    """
    actor = principal.actor
    where = None
    if actor.group_id is not None:
        where = Group.objects.filter(
            organisation_id=actor.organisation_id, id=actor.group_id
        ).first()
    elif group is not None:
        where = ReferenceLookup(actor).group(group)
    member = ReferenceLookup(actor).member(reference, where)
    if not member_can_read(member, memory):
        raise MemoryRequestError(ASSIGNEE_NOT_READER)
    return member


# Change a task: whether it is done, its assignee and its due date.

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


def apply_approved_task(change: Approval) -> dict[str, Any]:
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
