"""Promote patterns: what is true of a member in several groups becomes one memory for everyone.

It names the member and the pattern and has no words of a group. Its evidence is known only to those
who may read it. Existing memories are compared with the present evidence, so one is withdrawn when
its evidence is forgotten or no longer shareable, or when its member opts out.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.cache import cache
from django.db import transaction

from memories.ingestion import memory_writes
from memories.jobs.worker_hints import notify_embedding_worker
from memories.lifecycle.consolidation.pattern_evidence import (
    collect_patterns,
    read_evidence_state,
)
from memories.lifecycle.consolidation.pattern_rules import (
    Evidence,
    Pattern,
    PatternType,
    compute_confidence,
    render_pattern,
)
from memories.safety.check_text import is_prompt_injection
from memories.state.transitions import delete_memories
from memories.store.deduplication import content_hash
from memories.store.lineage import SourceMemory, build_derivation
from memories.store.models.choices import Category, Kind, Status, Type
from memories.store.models.memory import Memory
from memories.store.models.version import Derivation
from orgs import audit
from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Member, sharing_q
from orgs.models.organisations import Organisation
from orgs.principals import Actor
from robots.models.robots import Robot
from robots.registry.robots import WEB, ensure_builtin_robot

PATTERN_KEY_PREFIX = "pattern:"
# Evidence that has not changed is looked at again after so many seconds: a label may have become
# the whole text of a memory, and a restored database has the evidence without what was made of it.
LOOK_AGAIN_SECONDS = 600
# Shareable memories of a list of readers or of one member are no evidence.
EVIDENCE_AUDIENCE_TYPES = (AudienceType.GROUP, AudienceType.ORGANISATION)
_TYPE_AND_CATEGORY = {
    PatternType.EXPERTISE: (Type.EXPERTISE, Category.FACT),
    PatternType.LANGUAGE: (Type.PREFERENCE, Category.PREFERENCE),
    PatternType.TIME_ZONE: (Type.PREFERENCE, Category.PREFERENCE),
    PatternType.PREFERENCE: (Type.PREFERENCE, Category.PREFERENCE),
}


@dataclass(frozen=True, slots=True)
class PromotionResult:
    """How many cross-group memories a run made, changed and withdrew."""

    made: int = 0
    changed: int = 0
    withdrawn: int = 0


def pattern_key(member_id: UUID, pattern: Pattern) -> str:
    """The key of the memory of a member's pattern."""
    return f"{PATTERN_KEY_PREFIX}{member_id}:{pattern.kind}:{pattern.value}"


def is_due(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether the evidence is another one than at the last look, or that was long ago."""
    state = read_evidence_state(organisation_id, now=now)
    return bool(cache.get(_state_key(organisation_id)) != state)


def _state_key(organisation_id: UUID) -> str:
    return f"pattern-evidence:{organisation_id}"


def promote_patterns(organisation_id: UUID, *, now: datetime) -> PromotionResult:
    """Update the organisation's cross-group memories, in one transaction.

    A memory that somebody forgot is not made again.
    """
    # Read first: what changes during the run is seen by the next one.
    state = read_evidence_state(organisation_id, now=now)
    members, audiences, everyone = _load_consents(organisation_id)
    found = collect_patterns(organisation_id, members=members, audiences=audiences, now=now)
    # A label is chosen by who writes it, and it comes to readers who were not asked.
    found = {key: pieces for key, pieces in found.items() if not is_prompt_injection(key[1].value)}
    evidence = {one.audience_id for pieces in found.values() for one in pieces}
    reading = tuple(sorted({everyone} | evidence))
    with scope(Scope(organisation=organisation_id, audiences=reading)):
        # FOR NO KEY UPDATE, which allows foreign keys to the member: an opt-out locks its member
        # and then writes.
        rows = Organisation.objects.select_for_update(no_key=True)
        organisation = rows.get(id=organisation_id)
        robot = ensure_builtin_robot(organisation_id, WEB, now)
        members = _lock_consenting_members(organisation_id, {member_id for member_id, _ in found})
        found = {key: pieces for key, pieces in found.items() if key[0] in members}
        taken = _lock_pattern_memories(organisation_id, everyone)
        known = {row.key: row for row in taken if _is_promoted_pattern(row, robot)}
        wanted = {pattern_key(*key): key for key in found}
        free = set(wanted) - {row.key for row in taken}
        made = [
            _build_memory(robot, everyone, members[wanted[key][0]], wanted[key][1], pieces, now)
            for key in sorted(free)
            if not members[wanted[key][0]].learning_paused_at and (pieces := found[wanted[key]])
        ]
        evidence_of = {
            row.id: [
                SourceMemory(one.memory_id, one.audience_id, one.kind)
                for one in {one.memory_id: one for one in found[wanted[row.key]]}.values()
            ]
            for row in made
            if row.key
        }
        memory_writes.insert_derived_memories(made, evidence_of, organisation=organisation, now=now)
        changed = 0
        for row in [*made, *known.values()]:
            if row.key in wanted and row.status == Status.ACTIVE:
                pieces = found[wanted[row.key]]
                retyped = _sync_type(row, wanted[row.key][1], now)
                synced = _sync_sources(row, pieces, now)
                changed += (retyped or synced) and row.key in known
        gone = [r for k, r in known.items() if k not in wanted and r.status == Status.ACTIVE]
        _delete_patterns(gone, robot, now)
        for row in made:
            _record_audit("pattern.promoted", robot, row, now)
        notify_embedding_worker(organisation_id)
        transaction.on_commit(
            lambda: cache.set(_state_key(organisation_id), state, LOOK_AGAIN_SECONDS)
        )
    return PromotionResult(len(made), changed, len(gone))


def _load_consents(organisation_id: UUID) -> tuple[dict[UUID, Member], set[UUID], UUID]:
    """(members who agree to sharing, audiences from which evidence may come, the audience of the
    organisation)."""
    with organisation_scope(organisation_id):
        members = Member.objects.filter(sharing_q(), organisation_id=organisation_id)
        audiences = Audience.objects.filter(
            organisation_id=organisation_id, kind__in=EVIDENCE_AUDIENCE_TYPES
        ).values_list("id", flat=True)
        return members.in_bulk(), set(audiences), _organisation_audience_id(organisation_id)


def _lock_consenting_members(organisation_id: UUID, members: set[UUID]) -> dict[UUID, Member]:
    """The members who have not opted out since they were chosen, locked: a later opt-out waits and
    then withdraws what was made."""
    rows = Member.objects.select_for_update(of=("self",), no_key=True).filter(
        sharing_q(), organisation_id=organisation_id, id__in=members
    )
    return {row.id: row for row in rows.order_by("id")}


def _organisation_audience_id(organisation_id: UUID) -> UUID:
    return Audience.objects.get(organisation_id=organisation_id, kind=AudienceType.ORGANISATION).id


def _lock_pattern_memories(organisation_id: UUID, everyone: UUID) -> list[Memory]:
    rows = Memory.objects.filter(
        organisation_id=organisation_id, audience_id=everyone, key__startswith=PATTERN_KEY_PREFIX
    )
    return list(rows.select_for_update(of=("self",)).order_by("id"))


def _is_promoted_pattern(row: Memory, robot: Robot) -> bool:
    """Whether a memory was made by this module: other writers may use any key."""
    return row.robot_id == robot.id and row.author_id is None and "pattern" in row.metadata


def _evidence_counts(pieces: Sequence[Evidence]) -> dict[str, int]:
    return {
        "evidence_count": len(pieces),
        "group_count": len({one.group_id for one in pieces}),
    }


def _build_memory(
    robot: Robot,
    everyone: UUID,
    member: Member,
    pattern: Pattern,
    pieces: Sequence[Evidence],
    now: datetime,
) -> Memory:
    content = render_pattern(member.name, pattern)
    type_, category = _TYPE_AND_CATEGORY[pattern.kind]
    return Memory(
        id=new_id(),
        organisation_id=robot.organisation_id,
        audience_id=everyone,
        kind=Kind.ORGANISATION,
        type=type_,
        category=category,
        content=content,
        content_hash=content_hash(content, speaker=member.name, subject=None),
        key=pattern_key(member.id, pattern),
        topic=pattern.value,
        metadata={"pattern": pattern.kind.value, **_evidence_counts(pieces)},
        robot_id=robot.id,
        # No subject, although it is about a member: a subject would make its level individual.
        speaker=member.name,
        speaker_member_id=member.id,
        position=0,
        importance=0.7,
        confidence=compute_confidence(pieces),
        created_at=now,
        updated_at=now,
    )


def _sync_type(row: Memory, pattern: Pattern, now: datetime) -> bool:
    """Give a memory of an earlier version the type of its pattern. Returns whether it changed."""
    wanted = _TYPE_AND_CATEGORY[pattern.kind]
    if (row.type, row.category) == wanted:
        return False
    (row.type, row.category), row.updated_at = wanted, now
    row.save(update_fields=["type", "category", "updated_at"])
    return True


def _sync_sources(row: Memory, pieces: Sequence[Evidence], now: datetime) -> bool:
    """Set the lineage of a memory to the evidence. Returns whether it changed."""
    links = Derivation.objects.filter(organisation_id=row.organisation_id, memory_id=row.id)
    before = set(links.values_list("source_id", flat=True))
    after = {one.memory_id: one for one in pieces}
    if before == set(after):
        return False
    links.exclude(source_id__in=after).delete()
    insert_rows(
        [
            build_derivation(row, one.memory_id, one.audience_id, one.kind, now)
            for id_, one in after.items()
            if id_ not in before
        ]
    )
    metadata, sure = {**row.metadata, **_evidence_counts(pieces)}, compute_confidence(pieces)
    if (metadata, sure) != (row.metadata, row.confidence):
        row.metadata, row.confidence, row.updated_at = metadata, sure, now
        row.save(update_fields=["metadata", "confidence", "updated_at"])
    return True


@contextmanager
def patterns_scope(organisation_id: UUID) -> Iterator[None]:
    """A scope in which promoted patterns can be read and changed; call inside the organisation's
    scope."""
    everyone = _organisation_audience_id(organisation_id)
    with scope(Scope(organisation=organisation_id, audiences=(everyone,))):
        yield


def delete_patterns_of(actor: Actor, *, now: datetime) -> None:
    """Withdraw the promoted patterns of a member; call inside `patterns_scope`."""
    rows = _lock_pattern_memories(
        actor.organisation_id, _organisation_audience_id(actor.organisation_id)
    )
    theirs = [row for row in rows if row.speaker_member_id == actor.member_id]
    if theirs:
        robot = ensure_builtin_robot(actor.organisation_id, WEB, now)
        _delete_patterns([row for row in theirs if _is_promoted_pattern(row, robot)], robot, now)


def _delete_patterns(rows: Sequence[Memory], robot: Robot, now: datetime) -> None:
    """Delete memories instead of forgetting them: nobody's words are lost, and they may be made
    again. What was derived from them is forgotten."""
    for row in rows:
        _record_audit("pattern.withdrawn", robot, row, now)
    delete_memories(rows, now)


def _record_audit(action: str, robot: Robot, row: Memory, now: datetime) -> None:
    audit.record_entry(
        action,
        actor=Actor(organisation_id=row.organisation_id, robot_id=robot.id, name=robot.name),
        now=now,
        target=row.id,
        target_type="memory",
        member=str(row.speaker_member_id),
        pattern=row.metadata.get("pattern"),
        evidence=row.metadata.get("evidence_count"),
        groups=row.metadata.get("group_count"),
    )
