"""Add a task: a memory with an action item in it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.access.lookup import changeable, note
from memories.access.references import References
from memories.access.visibility import Misplaced
from memories.action_items.tasks import TaskRow, task_of
from memories.ingestion.drafts import Draft, Remembered, with_proposal
from memories.ingestion.remember import remember
from memories.knowledge_graph.entities import name_by_hand
from memories.knowledge_graph.models import EntityType, Task
from memories.knowledge_graph.tasks import given_action_items, reads
from memories.language.entities import ACTION_ITEM, LONGEST, named
from memories.safety.refusals import noting_refusals, refuse_held
from memories.store.models.choices import Category
from memories.store.models.memory import Memory
from orgs.errors import NotFound
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

NOT_A_READER = "The assignee does not read this task. Choose somebody who does, or other readers."
NOT_READABLE = "You could not read this task yourself. Choose another visibility."


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
class AddedTask:
    """status: of its memory. task: None while the memory waits for a review; until it is approved
    it is in no list."""

    task: TaskRow | None
    memory: UUID
    status: str


def add_task(actor: Actor, draft: TaskDraft, *, now: datetime) -> AddedTask:
    """Remember what is to be done, as a memory with its task.

    Raises what `remember` raises, HeldBack for a robot's words that a gate refuses, NotFound for an
    assignee whom the caller does not know, and Misplaced for an assignee who does not read the
    memory, or if the caller would not read it.
    """
    with noting_refusals(actor, now, target_type="task"), transaction.atomic():
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
        refuse_held(actor, made.status, proposed=made.proposed)
        principal = _writer(actor, draft, made)
        with principal.scope():
            try:
                memory = changeable(principal, made.id)
            except NotFound:
                raise Misplaced(NOT_READABLE) from None
            task = _put_down(principal, memory, draft, now)
            active = memory.status == "active"
            shown = task_of(principal, task.id, now) if active else None
    return AddedTask(shown, memory.id, memory.status)


def _writer(actor: Actor, draft: TaskDraft, made: Remembered) -> Principal:
    """The principal that reads the new memory: a person with all rights, since it may wait for a
    review; a personal robot with what it has just proposed."""
    if actor.is_person:
        return resolve(actor)
    return with_proposal(resolve(act(actor, member=draft.member, group=draft.group)), made)


def _put_down(principal: Principal, memory: Memory, draft: TaskDraft, now: datetime) -> Task:
    """The task of a memory: the existing one if the same was added before, else a new one."""
    here = Task.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    for entity in given_action_items(memory):
        if known := here.filter(node=entity.node).first():
            return known
    entity = name_by_hand(memory, EntityType.ACTION_ITEM, title_of(draft.content), now=now)
    task = here.get(node=entity.node)
    if draft.assignee is not None:
        task.assignee = chosen_assignee(principal, memory, draft.assignee, draft.group)
        task.assignee_given = True
    if draft.due_at is not None:
        task.due_at, task.due_given = draft.due_at, True
    task.save(update_fields=["assignee", "assignee_given", "due_at", "due_given"])
    note(principal, "task.added", memory, now, task=str(task.id))
    return task


def title_of(content: str) -> str:
    """The action item that the text names, as the rules would; else the beginning of the text."""
    for found in named(content):
        if found.type == ACTION_ITEM:
            return found.name
    return " ".join(content.split())[:LONGEST]


def chosen_assignee(
    principal: Principal, memory: Memory, reference: str, group: str | None = None
) -> Member:
    """The member that a reference means.

    Raises NotFound, also for a member whom the caller may not know of, and Misplaced for one who
    does not read the memory.
    """
    actor = principal.actor
    where = None
    if actor.group_id is not None:
        where = Group.objects.filter(
            organisation_id=actor.organisation_id, id=actor.group_id
        ).first()
    elif group is not None:
        where = References(actor).group(group)
    member = References(actor).member(reference, where)
    if not reads(member, memory):
        raise Misplaced(NOT_A_READER)
    return member
