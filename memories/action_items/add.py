"""Put down a task: a memory, and in it something to do."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.access.lookup import changeable, note
from memories.access.references import References
from memories.access.visibility import Misplaced
from memories.action_items.tasks import TaskRow, task_of
from memories.ingestion.drafts import Draft
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

    Without an assignee or a day the rules look for them in the text. key: the same key and text
    again is the same task.
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
    """status: of its memory; what waits for a review is in no list until it is approved."""

    task: TaskRow | None
    memory: UUID
    status: str


def add_task(actor: Actor, draft: TaskDraft, *, now: datetime) -> AddedTask:
    """Remember what is to be done, for readers as any memory has them.

    Raises what `remember` raises, HeldBack for words of a robot that a gate does not let pass,
    NotFound for an assignee whom the caller does not know, and
    Misplaced for one who does not read it and for readers that the caller is not among.
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
                # The same words at another time are another task.
                occurred_at=now,
            ),
            now=now,
        )
        refuse_held(actor, made.status)
        principal = _writer(actor, draft)
        with principal.scope():
            try:
                memory = changeable(principal, made.id)
            except NotFound:
                raise Misplaced(NOT_READABLE) from None
            task = _put_down(principal, memory, draft, now)
            active = memory.status == "active"
            shown = task_of(principal, task.id, now) if active else None
    return AddedTask(shown, memory.id, memory.status)


def _writer(actor: Actor, draft: TaskDraft) -> Principal:
    """Who reads what was written a moment ago: a person wherever it went, also to a review."""
    if actor.is_person:
        return resolve(actor)
    return resolve(act(actor, member=draft.member, group=draft.group))


def _put_down(principal: Principal, memory: Memory, draft: TaskDraft, now: datetime) -> Task:
    """The task of a memory; the one that is there where the same was put down before."""
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
    """Who is meant, if they read the memory. Raises NotFound and Misplaced.

    Whom the caller may not know of is not found, like who does not exist.
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
