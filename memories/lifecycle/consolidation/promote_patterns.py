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

from memories.ingestion import write
from memories.jobs.hints import hint_embedding
from memories.lifecycle.consolidation.pattern_evidence import collect_patterns
from memories.lifecycle.consolidation.pattern_rules import (
    Evidence,
    Pattern,
    PatternKind,
    confidence,
    sentence,
)
from memories.store.deduplication import content_hash
from memories.store.lineage import SourceOfRow, made_from
from memories.store.models.choices import Category, Kind, Status, Type
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.bulk import insert_rows
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience, AudienceKind
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.principals import Actor
from robots.models.robots import Robot
from robots.registry.robots import WEB, builtin_robot

PREFIX = "pattern:"
# Shareable memories of a list of readers or of one member are no evidence.
SHARED_PLACES = (AudienceKind.GROUP, AudienceKind.ORGANISATION)
_TYPES = {
    PatternKind.EXPERTISE: (Type.EXPERTISE, Category.FACT),
    PatternKind.LANGUAGE: (Type.PREFERENCE, Category.PREFERENCE),
    PatternKind.TIME_ZONE: (Type.FACT, Category.FACT),
    PatternKind.PREFERENCE: (Type.PREFERENCE, Category.PREFERENCE),
}


@dataclass(frozen=True, slots=True)
class Promotion:
    """How many cross-group memories a run made, changed and withdrew."""

    made: int = 0
    changed: int = 0
    withdrawn: int = 0


def key_of(member_id: UUID, pattern: Pattern) -> str:
    """The key of the memory of a member's pattern."""
    return f"{PREFIX}{member_id}:{pattern.kind}:{pattern.value}"


def promote_patterns(organisation_id: UUID, *, now: datetime) -> Promotion:
    """Update the organisation's cross-group memories, in one transaction.

    A memory that somebody forgot is not made again.
    """
    members, audiences, everyone = _leave(organisation_id)
    found = collect_patterns(organisation_id, members=members, audiences=audiences, now=now)
    evidence = {one.audience_id for pieces in found.values() for one in pieces}
    reading = tuple(sorted({everyone} | evidence))
    with scope(Scope(organisation=organisation_id, audiences=reading)):
        # FOR NO KEY UPDATE, which allows foreign keys to the member: an opt-out locks its member
        # and then writes.
        rows = Organisation.objects.select_for_update(no_key=True)
        organisation = rows.get(id=organisation_id)
        robot = builtin_robot(organisation_id, WEB, now)
        members = _still_willing(organisation_id, {member_id for member_id, _ in found})
        found = {key: pieces for key, pieces in found.items() if key[0] in members}
        taken = _with_such_keys(organisation_id, everyone)
        known = {row.key: row for row in taken if _is_ours(row, robot)}
        wanted = {key_of(*key): key for key in found}
        free = set(wanted) - {row.key for row in taken}
        made = [
            _memory(robot, everyone, members[wanted[key][0]], wanted[key][1], pieces, now)
            for key in sorted(free)
            if not members[wanted[key][0]].learning_paused_at and (pieces := found[wanted[key]])
        ]
        evidence_of = {
            row.id: [
                SourceOfRow(one.memory_id, one.audience_id, one.kind)
                for one in {one.memory_id: one for one in found[wanted[row.key]]}.values()
            ]
            for row in made
            if row.key
        }
        write.insert_derived(made, evidence_of, organisation=organisation, now=now)
        changed = 0
        for row in [*made, *known.values()]:
            if row.key in wanted and row.status == Status.ACTIVE:
                pieces = found[wanted[row.key]]
                changed += _cite(row, pieces, now) and row.key in known
        gone = [r for k, r in known.items() if k not in wanted and r.status == Status.ACTIVE]
        _withdraw(gone, robot, now)
        for row in made:
            _note("pattern.promoted", robot, row, now)
        hint_embedding(organisation_id)
    return Promotion(len(made), changed, len(gone))


def _leave(organisation_id: UUID) -> tuple[dict[UUID, Member], set[UUID], UUID]:
    """(members who agree to sharing, audiences from which evidence may come, the audience of the
    organisation)."""
    with organisation_scope(organisation_id):
        members = Member.objects.filter(
            organisation_id=organisation_id, sharing_off_at=None, removed_at=None
        )
        audiences = Audience.objects.filter(
            organisation_id=organisation_id, kind__in=SHARED_PLACES
        ).values_list("id", flat=True)
        return members.in_bulk(), set(audiences), _everyone(organisation_id)


def _still_willing(organisation_id: UUID, members: set[UUID]) -> dict[UUID, Member]:
    """The members who have not opted out since they were chosen, locked: a later opt-out waits and
    then withdraws what was made."""
    rows = Member.objects.select_for_update(of=("self",), no_key=True).filter(
        organisation_id=organisation_id, id__in=members, sharing_off_at=None, removed_at=None
    )
    return {row.id: row for row in rows.order_by("id")}


def _everyone(organisation_id: UUID) -> UUID:
    return Audience.objects.get(organisation_id=organisation_id, kind=AudienceKind.ORGANISATION).id


def _with_such_keys(organisation_id: UUID, everyone: UUID) -> list[Memory]:
    rows = Memory.objects.filter(
        organisation_id=organisation_id, audience_id=everyone, key__startswith=PREFIX
    )
    return list(rows.select_for_update(of=("self",)).order_by("id"))


def _is_ours(row: Memory, robot: Robot) -> bool:
    """Whether a memory was made by this module: other writers may use any key."""
    return row.robot_id == robot.id and row.author_id is None and "pattern" in row.metadata


def _facts(pieces: Sequence[Evidence]) -> dict[str, int]:
    return {
        "evidence_count": len(pieces),
        "group_count": len({one.group_id for one in pieces}),
    }


def _memory(
    robot: Robot,
    everyone: UUID,
    member: Member,
    pattern: Pattern,
    pieces: Sequence[Evidence],
    now: datetime,
) -> Memory:
    content = sentence(member.name, pattern)
    type_, category = _TYPES[pattern.kind]
    return Memory(
        id=new_id(),
        organisation_id=robot.organisation_id,
        audience_id=everyone,
        kind=Kind.ORGANISATION,
        type=type_,
        category=category,
        content=content,
        content_hash=content_hash(content, speaker=member.name, subject=None),
        key=key_of(member.id, pattern),
        topic=pattern.value,
        metadata={"pattern": pattern.kind.value, **_facts(pieces)},
        robot_id=robot.id,
        # No subject, although it is about a member: a subject would make its level individual.
        speaker=member.name,
        speaker_member_id=member.id,
        position=0,
        importance=0.7,
        confidence=confidence(pieces),
        created_at=now,
        updated_at=now,
    )


def _cite(row: Memory, pieces: Sequence[Evidence], now: datetime) -> bool:
    """Set the lineage of a memory to the evidence. Returns whether it changed."""
    links = Derivation.objects.filter(organisation_id=row.organisation_id, memory_id=row.id)
    before = set(links.values_list("source_id", flat=True))
    after = {one.memory_id: one for one in pieces}
    if before == set(after):
        return False
    links.exclude(source_id__in=after).delete()
    insert_rows(
        [
            made_from(row, one.memory_id, one.audience_id, one.kind, now)
            for id_, one in after.items()
            if id_ not in before
        ]
    )
    metadata, sure = {**row.metadata, **_facts(pieces)}, confidence(pieces)
    if (metadata, sure) != (row.metadata, row.confidence):
        row.metadata, row.confidence, row.updated_at = metadata, sure, now
        row.save(update_fields=["metadata", "confidence", "updated_at"])
    return True


@contextmanager
def everyones_patterns(organisation_id: UUID) -> Iterator[None]:
    """A scope in which promoted patterns can be read and changed; call inside the organisation's
    scope."""
    everyone = _everyone(organisation_id)
    with scope(Scope(organisation=organisation_id, audiences=(everyone,))):
        yield


def withdraw_patterns_of(actor: Actor, *, now: datetime) -> None:
    """Withdraw the promoted patterns of a member; call inside `everyones_patterns`."""
    rows = _with_such_keys(actor.organisation_id, _everyone(actor.organisation_id))
    theirs = [row for row in rows if row.speaker_member_id == actor.member_id]
    if theirs:
        robot = builtin_robot(actor.organisation_id, WEB, now)
        _withdraw([row for row in theirs if _is_ours(row, robot)], robot, now)


def _withdraw(rows: Sequence[Memory], robot: Robot, now: datetime) -> None:
    """Delete memories instead of forgetting them: nobody's words are lost, and they may be made
    again."""
    for row in rows:
        _note("pattern.withdrawn", robot, row, now)
        Memory.objects.filter(organisation_id=row.organisation_id, id=row.id).delete()


def _note(action: str, robot: Robot, row: Memory, now: datetime) -> None:
    audit.record(
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
