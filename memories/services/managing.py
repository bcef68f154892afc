"""Look at memories, correct them, share them, forget and restore them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.models import Memory, Pending, Status
from memories.policies.deduplication import content_hash
from memories.querysets import MemoryQuerySet
from memories.services import writing
from memories.services.hints import hint_embedding
from orgs import audit
from orgs.models import Organisation
from orgs.principals import Actor, Principal, resolve
from orgs.services import (
    AlreadyExists,
    NotFound,
    find_group,
    find_member,
)
from robots.services import find_robot, stamp_activity

EDITABLE = ("content", "category", "importance", "tags", "metadata", "expires_at")


class NotYours(Exception):
    """Readable, but not the asker's to change."""


class Outdated(Exception):
    """Somebody changed the memory after it was read; `memory` is as it is now."""

    def __init__(self, memory: Memory) -> None:
        super().__init__("Somebody changed this memory meanwhile; nothing was overwritten.")
        self.memory = memory


class RedLine(Exception):
    """A protected memory cannot be forgotten."""

    def __init__(self) -> None:
        super().__init__("This memory is protected (red line) and cannot be forgotten.")


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory with whether its embedding is there."""

    memory: Memory
    embedding: str


def principal_for(actor: Actor) -> Principal:
    """Everything the asker may read: a person ranges freely, a robot over its own places."""
    return resolve(actor)


def _fetch(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    """One readable memory; call inside the principal's scope. Raises NotFound."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id=memory_id)
    if lock:
        rows = rows.select_for_update(of=("self",))
    memory = rows.with_names().first()
    if memory is None:
        raise NotFound("no such memory")
    return memory


def get_memory(actor: Actor, memory_id: UUID) -> Seen:
    """One memory that the asker may read. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        memory = _fetch(principal, memory_id)
        owed = Pending.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory_id
        ).exists()
    return Seen(memory, "pending" if owed else "ready")


def listed(principal: Principal, filters: Mapping[str, Any], now: datetime) -> MemoryQuerySet:
    """The readable memories that match, newest first; evaluate inside the principal's scope."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).with_names()
    status = filters.get("status") or Status.ACTIVE
    rows = rows.active(now) if status == Status.ACTIVE else rows.filter(status=status)
    for name in ("kind", "type", "category", "tier"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    if tag := filters.get("tag"):
        rows = rows.filter(tags__contains=[tag])
    if text := filters.get("q"):
        rows = rows.filter(content__icontains=text)
    if since := filters.get("since"):
        rows = rows.filter(Q(occurred_at__gte=since) | Q(occurred_at=None, created_at__gte=since))
    if until := filters.get("until"):
        rows = rows.filter(Q(occurred_at__lte=until) | Q(occurred_at=None, created_at__lte=until))
    return _by_reference(rows, principal, filters)


def _by_reference(
    rows: MemoryQuerySet, principal: Principal, filters: Mapping[str, Any]
) -> MemoryQuerySet:
    """Narrow by references; one that does not resolve matches nothing."""
    organisation_id = principal.organisation_id
    try:
        if reference := filters.get("group"):
            rows = rows.filter(group_id=find_group(organisation_id, reference).id)
        if reference := filters.get("member"):
            member = find_member(organisation_id, reference)
            rows = rows.filter(Q(member_id=member.id) | Q(speaker_member_id=member.id))
        if reference := filters.get("robot"):
            robot = find_robot(organisation_id, reference)
            rows = rows.filter(robot_id=robot.id)
    except NotFound:
        return rows.none()
    return rows


def may_change(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may edit, forget or share what it can read.

    A robot changes what it wrote. A person changes what is theirs or about them, what they
    wrote or said, and, as curator or admin, whatever is shared.
    """
    actor = principal.actor
    if actor.robot_id:
        return memory.robot_id == actor.robot_id
    if actor.member_id in (memory.member_id, memory.author_id, memory.speaker_member_id):
        return True
    return actor.moderates


def changeable(principal: Principal, memory_id: UUID) -> Memory:
    """The memory, locked. Raises NotFound, and NotYours for one that is only readable."""
    memory = _fetch(principal, memory_id, lock=True)
    if not may_change(principal, memory):
        raise NotYours("You may read this memory, but it is not yours to change.")
    return memory


def edit_memory(
    actor: Actor,
    memory_id: UUID,
    changes: Mapping[str, Any],
    *,
    now: datetime,
    version: int | None = None,
) -> Memory:
    """Change content, category, importance, tags, metadata or expiry.

    version: the one that was read, if the asker wants to know of a change in between.
    Raises NotFound, NotYours, Outdated, and AlreadyExists when the new text is another memory's.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if version is not None and version != memory.version:
            raise Outdated(memory)
        changed = {k: v for k, v in changes.items() if k in EDITABLE and getattr(memory, k) != v}
        if not changed:
            return memory
        for name, value in changed.items():
            setattr(memory, name, value)
        if "content" in changed:
            memory.content_hash = content_hash(
                memory.content, speaker=memory.speaker, subject=memory.member_id
            )
            _refuse_twin(memory)
        memory.updated_at, memory.version = now, memory.version + 1
        memory.save(update_fields=[*changed, "content_hash", "updated_at", "version"])
        if "content" in changed and memory.status == Status.ACTIVE:
            _reindex(memory, now)
        note(principal, "memory.edited", memory, now, fields=sorted(changed))
    return memory


def _refuse_twin(memory: Memory) -> None:
    twin = (
        Memory.objects.filter(
            organisation_id=memory.organisation_id,
            audience_id=memory.audience_id,
            content_hash=memory.content_hash,
            key=memory.key,
            conversation=memory.conversation,
            occurred_at=memory.occurred_at,
        )
        .exclude(id=memory.id)
        .exists()
    )
    if twin:
        raise AlreadyExists("A memory with this text is there already, for the same readers.")


def _reindex(memory: Memory, now: datetime) -> None:
    language = Organisation.objects.values_list("language", flat=True).get(
        id=memory.organisation_id
    )
    writing.unindex(memory.organisation_id, [memory.id])
    writing.index([memory], language=language, now=now)
    hint_embedding(memory.organisation_id)


def note(principal: Principal, action: str, memory: Memory, now: datetime, **detail: Any) -> None:
    """Put what was done into the audit trail."""
    audit.record(
        action, actor=principal.actor, now=now, target=memory.id, target_type="memory", **detail
    )
    if principal.actor.robot_id:
        stamp_activity(
            organisation_id=memory.organisation_id, robot_id=principal.actor.robot_id, now=now
        )


def forget_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Take a memory out of every answer; it can be restored. Raises NotFound, NotYours, RedLine.

    What its subject forgets is not brought back by being remembered again.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status == Status.FORGOTTEN:
            raise NotFound("no such memory")
        by_subject = actor.is_person and actor.member_id in (
            memory.member_id,
            memory.speaker_member_id,
        )
        if memory.red_line and not by_subject:
            raise RedLine
        memory.status, memory.forgotten_at, memory.updated_at = Status.FORGOTTEN, now, now
        memory.forgotten_by_subject = by_subject
        memory.save(update_fields=["status", "forgotten_at", "forgotten_by_subject", "updated_at"])
        writing.unindex(memory.organisation_id, [memory.id])
        note(principal, "memory.forgotten", memory, now)
    return memory


def archive_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Take a memory out of default recall; it can be restored."""
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExists(f"The memory is {memory.status}, not active.")
        memory.status, memory.archived_at, memory.updated_at = Status.ARCHIVED, now, now
        memory.save(update_fields=["status", "archived_at", "updated_at"])
        writing.unindex(memory.organisation_id, [memory.id])
        note(principal, "memory.archived", memory, now)
    return memory


def restore_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Bring back what was forgotten or archived. What its subject forgot, only they restore."""
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status not in (Status.FORGOTTEN, Status.ARCHIVED):
            raise AlreadyExists("The memory is neither forgotten nor archived.")
        subjects = (memory.member_id, memory.speaker_member_id)
        if memory.forgotten_by_subject and not (actor.is_person and actor.member_id in subjects):
            raise NotYours("The member it is about forgot it; only they bring it back.")
        memory.status, memory.forgotten_at, memory.archived_at = Status.ACTIVE, None, None
        memory.forgotten_by_subject, memory.updated_at = False, now
        memory.save(
            update_fields=[
                "status",
                "forgotten_at",
                "archived_at",
                "forgotten_by_subject",
                "updated_at",
            ]
        )
        _reindex(memory, now)
        note(principal, "memory.restored", memory, now)
    return memory
