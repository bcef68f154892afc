"""The tasks of action items: stored with them, and kept while these are found anew.

An action item that was given by hand or found by a rule has one row here. The rules set assignee
and due date if the text has them; what somebody set by hand stays.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import NamedTuple
from uuid import UUID

from memories.knowledge_graph.models import Entity, EntityType, Task
from memories.knowledge_graph.task_rules import ASSIGNED_TO_SPEAKER, find_assignee, find_due_date
from memories.language.relative_dates import local_date
from memories.store.models.choices import Kind
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import speaking_member_id
from orgs.database.prepared_statements import fetch_all
from orgs.models.base import id_like
from orgs.models.memberships import Member
from orgs.principals import Actor, resolve_principal

# A task due on a day is due until this minute in the speaker's time zone.
END_OF_DAY = time(23, 59)

_UPSERT_SQL = """
INSERT INTO memories_task (id, organisation_id, memory_id, audience_id, kind, node, assignee_id,
                           assignee_given, due_at, due_given, noted_at)
SELECT given.id, %(organisation)s, given.memory, given.audience, given.kind, given.node,
       given.assignee, false, given.due, false, %(now)s
FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[], %(kinds)s::text[],
            %(nodes)s::uuid[], %(assignees)s::uuid[], %(dues)s::timestamptz[])
    AS given (id, memory, audience, kind, node, assignee, due)
ON CONFLICT (organisation_id, memory_id, node) DO UPDATE
SET assignee_id = CASE WHEN memories_task.assignee_given THEN memories_task.assignee_id
                       ELSE excluded.assignee_id END,
    due_at = CASE WHEN memories_task.due_given THEN memories_task.due_at ELSE excluded.due_at END
"""
# If the text no longer names an action item, its task is kept only if somebody has done or changed
# it.
_DELETE_STALE_SQL = """
DELETE FROM memories_task t
WHERE t.organisation_id = %(organisation)s AND t.memory_id = ANY(%(ids)s::uuid[])
  AND t.done_at IS NULL AND NOT t.assignee_given AND NOT t.due_given
  AND NOT EXISTS (SELECT 1 FROM memories_entity e
                  WHERE e.organisation_id = %(organisation)s AND e.memory_id = t.memory_id
                    AND e.node = t.node AND e.type = 'action_item')
"""


class ActionItem(NamedTuple):
    """An action item of a memory."""

    memory: Memory
    node: UUID
    name: str


def upsert_tasks(items: Sequence[ActionItem], now: datetime) -> None:
    """Store the tasks of these action items by the rules; what was set by hand stays."""
    if not items:
        return
    people = _load_people(items)
    rules = [_apply_rules(item, people) for item in items]
    fetch_all(
        _UPSERT_SQL,
        {
            "organisation": items[0].memory.organisation_id,
            "now": now,
            "ids": [id_like(item.memory.id, now) for item in items],
            "memories": [item.memory.id for item in items],
            "audiences": [item.memory.audience_id for item in items],
            "kinds": [item.memory.kind for item in items],
            "nodes": [item.node for item in items],
            "assignees": [who for who, _ in rules],
            "dues": [due for _, due in rules],
        },
    )


def delete_stale_tasks(rows: Sequence[Memory]) -> None:
    """Delete tasks that these memories no longer name and that nobody has changed."""
    values = {
        "organisation": rows[0].organisation_id,
        "ids": [row.id for row in rows],
    }
    fetch_all(_DELETE_STALE_SQL, values)


def sync_entity_task(entity: Entity, memory: Memory, before: UUID | None, now: datetime) -> None:
    """Create or move the task of an action item that was given or renamed by hand.

    before: its former node.
    """
    here = Task.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    if entity.type != EntityType.ACTION_ITEM:
        here.filter(node__in=[before, entity.node]).delete()
        return
    if before not in (None, entity.node) and not here.filter(node=entity.node).exists():
        here.filter(node=before).update(node=entity.node)
    upsert_tasks([ActionItem(memory, entity.node, entity.name)], now)


def delete_task(entity: Entity) -> None:
    """Delete the task of an action item that was removed by hand."""
    Task.objects.filter(
        organisation_id=entity.organisation_id, memory_id=entity.memory_id, node=entity.node
    ).delete()


def reset_moved_tasks(memory: Memory) -> None:
    """Adjust the tasks of a memory that got other readers: assignees who cannot read it are
    removed; due dates set by hand and completion are reset.

    Call after the move, in a scope that reads the new audience.
    """
    theirs = Task.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    for task in theirs.select_related("assignee"):
        _clear_unreading_assignee(task, memory)
        _reset_state(task)
        task.save(update_fields=[*_ASSIGNEE_FIELDS, *_STATE_FIELDS])


def copy_tasks(source: Memory, made: UUID) -> None:
    """Copy the action items given by hand, with their tasks, to a copy for other readers, if its
    text names them.

    Call in a scope that reads both. An assignee who cannot read the copy is dropped. A due date set
    by hand and the completion are not copied, unless the source was written for these readers and
    waited for approval.
    """
    here = {"organisation_id": source.organisation_id}
    copied = Memory.objects.filter(**here, id=made).first()
    if copied is None:
        return
    names = searchable_text(copied)
    for entity in list_given_action_items(source):
        before = Task.objects.filter(**here, memory_id=source.id, node=entity.node)
        task = before.select_related("assignee").first()
        if entity.name.casefold() not in names or task is None:
            continue
        if Task.objects.filter(**here, memory_id=made, node=entity.node).exists():
            continue
        for row in (entity, task):
            row.pk, row.memory_id = id_like(made, copied.created_at), made
            row.audience_id, row.kind = copied.audience_id, copied.kind
        _clear_unreading_assignee(task, copied)
        if source.proposed_audience_id != copied.audience_id:
            _reset_state(task)
        entity.save(force_insert=True)
        task.save(force_insert=True)


_ASSIGNEE_FIELDS = ("assignee", "assignee_given")
_STATE_FIELDS = ("due_at", "due_given", "done_at", "done_by", "done_by_robot")


def _clear_unreading_assignee(task: Task, memory: Memory) -> None:
    if task.assignee is not None and not member_can_read(task.assignee, memory):
        task.assignee, task.assignee_given = None, False


def _reset_state(task: Task) -> None:
    """Reset a due date set by hand, and the completion: both were meant for the old readers."""
    if task.due_given:
        task.due_at, task.due_given = None, False
    task.done_at = task.done_by_id = task.done_by_robot_id = None


def list_given_action_items(memory: Memory) -> list[Entity]:
    """The action items of a memory that were given by hand."""
    return list(
        Entity.objects.filter(
            organisation_id=memory.organisation_id,
            memory_id=memory.id,
            type=EntityType.ACTION_ITEM,
            source="given",
        )
    )


def searchable_text(memory: Memory) -> str:
    """The text in the form in which names are searched."""
    return " ".join(memory.content.split()).casefold()


def member_can_read(member: Member, memory: Memory) -> bool:
    """Whether the member may read the memory now."""
    actor = Actor(
        organisation_id=memory.organisation_id, member_id=member.id, role=member.role, name=""
    )
    return memory.kind != Kind.INTERNAL and memory.audience_id in resolve_principal(actor).audiences


def _load_people(items: Sequence[ActionItem]) -> dict[UUID, Member]:
    """The members named by the memories themselves (`participant_ids`) and their authors, by
    id."""
    wanted: dict[UUID, set[UUID]] = defaultdict(set)
    for item in items:
        wanted[item.memory.organisation_id] |= set(participant_ids(item.memory))
        if said_by := speaking_member_id(item.memory):
            wanted[item.memory.organisation_id].add(said_by)
    found: dict[UUID, Member] = {}
    for organisation_id, ids in wanted.items():
        members = Member.objects.filter(
            organisation_id=organisation_id, id__in=ids, removed_at=None
        )
        found |= {one.id: one for one in members.only("id", "name", "time_zone")}
    return found


def participant_ids(memory: Memory) -> list[UUID]:
    """Ids of speaker, subject and listeners. A name in the text may mean only one of these."""
    people = [memory.speaker_member_id, memory.member_id, *memory.listeners]
    return [UUID(str(one)) for one in people if one]


def _apply_rules(
    item: ActionItem, people: dict[UUID, Member]
) -> tuple[UUID | None, datetime | None]:
    """(assignee, due time) by the text; (None, ...) for a robot's own notes, which assign
    nobody."""
    memory = item.memory
    said_by = speaking_member_id(memory)
    speaker = people.get(said_by) if said_by else None
    zone = speaker.zone if speaker else UTC
    said_at = memory.occurred_at or memory.created_at
    day = find_due_date(item.name, local_date(said_at, zone))
    due = datetime.combine(day, END_OF_DAY, zone).astimezone(UTC) if day else None
    if memory.kind == Kind.INTERNAL:
        return None, due
    here = {people[id_].name: id_ for id_ in participant_ids(memory) if id_ in people}
    who = find_assignee(item.name, list(here))
    if who == ASSIGNED_TO_SPEAKER:
        return (speaker.id if speaker else None), due
    return (here[who] if who else None), due
