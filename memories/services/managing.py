"""Look at memories, correct them, share them, forget and restore them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.models import Memory, Pending, Restatement, Status
from memories.policies.deduplication import content_hash
from memories.querysets import MemoryQuerySet
from memories.services import writing
from memories.services.authorship import REWORDED, Words, reword, two_facts, words_by
from memories.services.following import follow
from memories.services.hints import hint_patterns
from memories.services.red_lines import hold_red_line
from memories.services.restating import restatement_of
from orgs import audit
from orgs.models import Role
from orgs.principals import Actor, Principal, resolve
from orgs.services import (
    AlreadyExists,
    NotFound,
    find_member,
)
from robots.services import find_robot, stamp_activity
from robots.services.directory import find_known_group

EDITABLE = ("content", "category", "importance", "tags", "metadata", "expires_at", "shareable")
STAMPS = ("updated_at", "version", "editor", "editor_robot")


class NotYours(Exception):
    """Readable, but not the asker's to change."""


class Outdated(Exception):
    """Somebody changed the memory after it was read; `memory` is as it is now."""

    def __init__(self, memory: Memory) -> None:
        super().__init__("Somebody changed this memory meanwhile; nothing was overwritten.")
        self.memory = memory


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory with whether its embedding is there, and what it says on its own."""

    memory: Memory
    embedding: str
    restatement: Restatement | None = None


def principal_for(actor: Actor) -> Principal:
    """Everything the asker may read: a person ranges freely, a robot over its own places."""
    return resolve(actor)


def fetch(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    """One readable memory; call inside the principal's scope. Raises NotFound.

    What is forgotten exists only for those who may bring it back.
    """
    rows = Memory.objects.filter(organisation_id=principal.organisation_id, id=memory_id)
    if lock:
        # Not by its key: what refers to it may be written meanwhile.
        rows = rows.select_for_update(of=("self",), no_key=True)
    memory = rows.with_names().first()
    if memory is None or (memory.status == Status.FORGOTTEN and not may_restore(principal, memory)):
        raise NotFound("no such memory")
    return memory


def get_memory(actor: Actor, memory_id: UUID) -> Seen:
    """One memory that the asker may read. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        memory = fetch(principal, memory_id)
        if memory.status == Status.FORGOTTEN and not may_change(principal, memory):
            raise NotFound("no such memory")
        owed = Pending.objects.filter(
            organisation_id=principal.organisation_id, memory_id=memory_id
        ).exists()
        restatement = restatement_of(memory)
    return Seen(memory, "pending" if owed else "ready", restatement)


def listed(principal: Principal, filters: Mapping[str, Any], now: datetime) -> MemoryQuerySet:
    """The readable memories that match, newest first; evaluate inside the principal's scope."""
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).with_names()
    status = filters.get("status") or Status.ACTIVE
    rows = rows.active(now) if status == Status.ACTIVE else rows.filter(status=status)
    if status == Status.FORGOTTEN:
        rows = rows.filter(restorable(principal.actor))
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
            rows = rows.filter(group_id=find_known_group(principal.actor, reference).id)
        if reference := filters.get("member"):
            member = find_member(organisation_id, reference, removed=True)
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


def may_forget(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may take it out of every answer; a viewer what is theirs, and no more."""
    actor = principal.actor
    if actor.is_person and actor.role == Role.VIEWER:
        return actor.member_id in (memory.member_id, memory.speaker_member_id)
    return may_change(principal, memory)


def may_restore(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may bring it back; what its subject forgot, they alone."""
    actor = principal.actor
    return is_subject(actor, memory) or (
        not memory.forgotten_by_subject and may_change(principal, memory)
    )


def restorable(actor: Actor) -> Q:
    """The same as a condition."""
    if actor.robot_id:
        return Q(robot_id=actor.robot_id, forgotten_by_subject=False)
    theirs = Q(member_id=actor.member_id) | Q(speaker_member_id=actor.member_id)
    others = Q() if actor.moderates else Q(author_id=actor.member_id)
    return theirs | (others & Q(forgotten_by_subject=False))


def changeable(principal: Principal, memory_id: UUID) -> Memory:
    """The memory, locked. Raises NotFound, and NotYours for one that is only readable."""
    memory = fetch(principal, memory_id, lock=True)
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
    force: str | None = None,
    words_of: Words | None = None,
) -> Memory:
    """Change content, category, importance, tags, metadata, expiry, or whether it may be said
    outside its group (for those whom it concerns, its robot and those who curate).

    version: the one that was read, if the asker wants to know of a change in between. force: an
    admin's reason to change what is protected. words_of: whose the new text is, where that is
    somebody else than the asker. Raises NotFound, NotYours, Outdated, RedLine, PermissionError,
    and AlreadyExists when the new text is another memory's.
    """
    principal = resolve(actor)
    with principal.scope():
        memory = changeable(principal, memory_id)
        if version is not None and version != memory.version:
            raise Outdated(memory)
        changed = {k: v for k, v in changes.items() if k in EDITABLE and getattr(memory, k) != v}
        if not changed:
            return memory
        if protected := sorted({"content", "expires_at"} & set(changed)):
            hold_red_line(principal, memory, "edit", now, force=force, fields=protected)
        for name, value in changed.items():
            setattr(memory, name, value)
        if "content" in changed:
            memory.content_hash = content_hash(
                memory.content, speaker=memory.speaker, subject=memory.member_id
            )
            _refuse_twin(memory)
            reword(memory, words_of or words_by(actor))
        stamp_version(memory, actor, now)
        memory.save(update_fields=[*changed, "content_hash", *REWORDED, *STAMPS])
        if "content" in changed and memory.status == Status.ACTIVE:
            writing.unindex([memory], now)
            writing.reindex(memory, now)
        elif memory.status == Status.ACTIVE:
            if "expires_at" in changed:
                writing.lend_anew(memory, now)
            if "tags" in changed:
                writing.note_again(memory, now)
        follow(memory, changed)
        if "shareable" in changed:
            hint_patterns(memory.organisation_id)
        note(principal, "memory.edited", memory, now, fields=sorted(changed))
    return memory


def stamp_version(memory: Memory, actor: Actor, now: datetime) -> None:
    """Say who makes the next version; the database keeps the one before. Save with STAMPS."""
    memory.version, memory.updated_at = memory.version + 1, now
    memory.editor_id = actor.member_id if actor.is_person else None
    memory.editor_robot_id = actor.robot_id


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


def is_subject(actor: Actor, memory: Memory) -> bool:
    """Whether it is about the person who asks, or gives their words."""
    return actor.is_person and actor.member_id in (memory.member_id, memory.speaker_member_id)


def note(principal: Principal, action: str, memory: Memory, now: datetime, **detail: Any) -> None:
    """Put what was done into the audit trail, with who wrote it and whose words it gives where
    these are two."""
    audit.record(
        action,
        actor=principal.actor,
        now=now,
        target=memory.id,
        target_type="memory",
        **two_facts(memory),
        **detail,
    )
    if principal.actor.robot_id:
        stamp_activity(
            organisation_id=memory.organisation_id, robot_id=principal.actor.robot_id, now=now
        )
