"""Change who may read a memory: the one act that widens an audience."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from memories.models import Embedding, Memory, Text
from memories.policies.visibility import Misplaced
from memories.services.managing import NotYours, changeable, note
from orgs.models import AudienceKind, Organisation
from orgs.principals import Actor, Principal, resolve
from orgs.services import (
    AlreadyExists,
    NotFound,
    Reader,
    ensure_audience,
    ensure_explicit_audience,
    find_group,
    find_member,
)
from robots.services import act, find_robot


def share_memory(
    actor: Actor,
    memory_id: UUID,
    *,
    visibility: str,
    readers: Mapping[str, tuple[str, ...]],
    group: str | None,
    now: datetime,
) -> Memory:
    """Change who may read; the one act that widens an audience, and it is recorded.

    visibility: group (with `group`), organisation, shared (with `readers`) or private.
    Raises NotFound, NotYours, Misplaced, PermissionError, AlreadyExists.
    """
    principal = resolve(actor)
    organisation_id = principal.organisation_id
    with principal.scope():
        memory = changeable(principal, memory_id)
        _may_share(principal, memory)
        before = memory.audience_id
        audience_id, group_id = _target(principal, visibility, readers, group)
        if audience_id == before:
            return memory
        twin = Memory.objects.filter(
            organisation_id=organisation_id,
            audience_id=audience_id,
            content_hash=memory.content_hash,
        )
        if twin.exists():
            raise AlreadyExists("These readers have a memory with this text already.")
        # Resolved anew: the list may have been made a moment ago, and must hold the sharer.
        with resolve(actor).scope():
            _move(memory, audience_id, group_id, now)
            note(
                principal, "memory.shared", memory, now, before=str(before), after=str(audience_id)
            )
    return memory


def _may_share(principal: Principal, memory: Memory) -> None:
    """Only their owner widens private rows; a robot shares its own notes and what it shared."""
    actor = principal.actor
    if memory.audience.kind == AudienceKind.MEMBER and not (
        actor.is_person and actor.member_id == memory.member_id
    ):
        raise NotYours("Only the member to whom it is private shares it.")


def _target(
    principal: Principal, visibility: str, readers: Mapping[str, tuple[str, ...]], group: str | None
) -> tuple[UUID, UUID | None]:
    actor, organisation_id = principal.actor, principal.organisation_id
    if visibility in ("group", "public"):
        if not group:
            raise Misplaced("Visibility group needs a group.")
        where = act(actor, group=group).group_id
        assert where is not None  # noqa: S101 - for the type checker
        return ensure_audience(organisation_id, AudienceKind.GROUP, str(where), where), where
    if visibility == "organisation":
        if actor.is_person and not _publishes(principal):
            raise PermissionError("Members propose to the organisation; a curator publishes.")
        return principal.organisation_audience, None
    if visibility == "shared":
        chosen = _readers(principal, readers)
        if not chosen:
            raise Misplaced("Visibility shared needs readers.")
        chosen.add(
            ("robot", actor.robot_id) if actor.robot_id else ("member", actor.member_id)  # type: ignore[arg-type]
        )
        return ensure_explicit_audience(organisation_id, chosen), None
    if visibility == "private":
        return principal.own_audience, None
    raise Misplaced("Share with group, organisation, shared or private.")


def _publishes(principal: Principal) -> bool:
    if principal.actor.moderates:
        return True
    return (
        Organisation.objects.values_list("members_publish", flat=True).get(
            id=principal.organisation_id
        )
        and principal.actor.role == "member"
    )


def _readers(principal: Principal, readers: Mapping[str, tuple[str, ...]]) -> set[Reader]:
    organisation_id = principal.organisation_id
    if readers.get("teams"):
        raise NotFound("no such team")
    chosen: set[Reader] = {
        ("member", find_member(organisation_id, r).id) for r in readers.get("members", ())
    }
    chosen |= {("robot", find_robot(organisation_id, r).id) for r in readers.get("robots", ())}
    chosen |= {("group", find_group(organisation_id, r).id) for r in readers.get("groups", ())}
    return chosen


def _move(memory: Memory, audience_id: UUID, group_id: UUID | None, now: datetime) -> None:
    """Give a memory another audience; the database carries its parts along."""
    memory.audience_id, memory.updated_at = audience_id, now
    memory.version += 1
    memory.deposited_by = None
    if group_id:
        memory.group_id = group_id
        memory.kind = "user" if memory.member_id else "group"
    elif memory.kind == "internal":
        memory.kind = "organisation"
    memory.save(
        update_fields=[
            "audience",
            "group",
            "kind",
            "updated_at",
            "version",
            "deposited_by",
        ]
    )
    for model in (Text, Embedding):
        model.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id).update(
            group_id=memory.group_id
        )
