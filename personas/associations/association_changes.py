"""Say that a member has a persona, confirm it, take it back.

If the member, their personal robot or a curator says it, it counts at once; the member is told and
can take it back. If another robot says it, it waits until one of them confirms it, and opens
nothing before.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.access.consent import check_sharing_allowed
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.base import day_id, day_of
from orgs.models.memberships import Member
from orgs.organisations.references import get_member
from orgs.principals import Actor
from personas.associations.personal_robot import ensure_personal_robot
from personas.block_writes.attachments import attach_blocks, detach_blocks
from personas.models.personas import Association
from personas.registry.handle_check import check_names_nobody
from personas.registry.handles import parse_handle
from personas.registry.personas import ensure_persona, has_persona
from robots.access.acting_for_members import Reference, resolve_actor
from robots.access.writer_identity import check_acting_for
from robots.errors import ImpersonationError

log = logging.getLogger("commonmind.personas")

OTHER_MEMBER = "A personal robot speaks for its own member alone."
SELF_ONLY = "A person says so of themselves; those who curate, of anybody."
VIEWER_READS_ONLY = "Your role reads; ask an admin for a role that writes."


@dataclass(frozen=True, slots=True)
class AssociationResult:
    """association: with its persona and member. new: whether it is new. made: whether the persona
    is."""

    association: Association
    new: bool
    made: bool


def ensure_association(
    actor: Actor, *, member: Reference | None, handle: str, confidence: float | None, now: datetime
) -> AssociationResult:
    """Note that the member has the persona. A second time updates the same row.

    member: None for the asker, or for the member of the asking personal robot. confidence: 0-1;
    None for 1 if it is new, else unchanged. Raises InvalidHandleError, NotFoundError,
    ImpersonationError, MissingScopeError, SharingOptOutError, and PermissionError for a viewer.
    """
    parsed = parse_handle(handle)
    with organisation_scope(actor.organisation_id):
        found = _require_member(actor, member)
        check_sharing_allowed(actor.organisation_id, [found.id])
        if not has_persona(actor.organisation_id, parsed):
            check_names_nobody(actor.organisation_id, parsed)
        persona, made = ensure_persona(actor.organisation_id, parsed, now)
        if made:
            _record("persona.made", actor, persona.id, now, target_type="persona", member=found.id)
        counts = _is_auto_confirmed(actor, found)
        association, new = _lock_or_create(actor, found.id, persona.id, confidence, now)
        if not new:
            _touch(association, confidence if counts else None, now)
        if counts and association.confirmed_at is None:
            _confirm(actor, association, now)
        elif counts:
            # Attach what could not be attached before.
            attach_blocks(actor.organisation_id, now=now, member_id=found.id, persona_id=persona.id)
        _record(
            "association.made" if new else "association.repeated", actor, association.id, now,
            member=found.id, persona=str(persona.id), waits=association.confirmed_at is None,
        )  # fmt: skip
        association.persona, association.member = persona, found
        log.info(
            "persona associated",
            extra={
                "organisation": str(actor.organisation_id),
                "persona": str(persona.id),
                "new": new,
                "waits": association.confirmed_at is None,
            },
        )
    return AssociationResult(association, new, made)


def _require_member(actor: Actor, reference: Reference | None) -> Member:
    """The member, if the actor may say it of them. Raises what `ensure_association` raises."""
    tenant = {"organisation_id": actor.organisation_id}
    if actor.only_reads:
        raise PermissionError(VIEWER_READS_ONLY)
    if actor.is_person:
        if reference is None:
            return Member.objects.get(**tenant, id=actor.member_id)  # type: ignore[misc]  # a person
        try:
            found = get_member(actor.organisation_id, str(reference))
        except NotFoundError:
            if actor.moderates:
                raise
            raise ImpersonationError(SELF_ONLY) from None
        if found.id != actor.member_id and not actor.moderates:
            raise ImpersonationError(SELF_ONLY)
        return found
    if reference is None:
        if actor.owner_id is None:
            raise NotFoundError("no such member")
        return Member.objects.get(**tenant, id=actor.owner_id)
    if actor.owner_id is None:
        known = resolve_actor(actor, member=reference).member_id
        return Member.objects.get(**tenant, id=known)  # type: ignore[misc]  # it was found
    try:
        found = get_member(actor.organisation_id, str(reference))
    except NotFoundError:
        check_acting_for(actor, None)
        raise
    check_acting_for(actor, found.id)
    return found


def _is_auto_confirmed(actor: Actor, member: Member) -> bool:
    """Whether it counts at once if this actor says it of this member."""
    return actor.is_person or actor.owner_id == member.id


def _lock_or_create(
    actor: Actor, member_id: UUID, persona_id: UUID, confidence: float | None, now: datetime
) -> tuple[Association, bool]:
    """(the row, locked; whether it is new). Of several calls at once one makes it."""
    tenant = {"organisation_id": actor.organisation_id}
    fresh = Association(
        **tenant,
        id=day_id(now),
        member_id=member_id,
        persona_id=persona_id,
        confidence=1.0 if confidence is None else confidence,
        discovered_at=day_of(now),
        last_confirmed_at=day_of(now),
        proposed_by_id=actor.robot_id,
        told_at=now if actor.is_person and actor.member_id == member_id else None,
    )
    Association.objects.bulk_create([fresh], ignore_conflicts=True)
    row = Association.objects.select_for_update(of=("self",)).get(
        **tenant, member_id=member_id, persona_id=persona_id
    )
    return row, row.id == fresh.id


def _touch(association: Association, confidence: float | None, now: datetime) -> None:
    association.last_confirmed_at = max(association.last_confirmed_at, day_of(now))
    if confidence is not None:
        association.confidence = confidence
    association.save(update_fields=["last_confirmed_at", "confidence"])


def _confirm(actor: Actor, association: Association, now: datetime) -> None:
    """Confirm it: the member and their robot now read what the persona reads."""
    association.confirmed_at = day_of(now)
    association.confirmed_by_id = actor.member_id if actor.is_person else None
    association.save(update_fields=["confirmed_at", "confirmed_by"])
    tenant, whose = association.organisation_id, association.member_id
    ensure_personal_robot(tenant, whose, now)
    attach_blocks(tenant, now=now, member_id=whose, persona_id=association.persona_id)


def visible_associations(actor: Actor) -> "QuerySet[Association]":
    """The associations that the asker may see: a member's own, a robot's member's, for curators
    all. A robot without the member's delegation sees those that it proposed.

    Call inside the organisation's scope.
    """
    rows = Association.objects.filter(organisation_id=actor.organisation_id).select_related(
        "persona", "member", "proposed_by"
    )
    if actor.moderates:
        return rows
    whose = actor.member_id if actor.sees_own else None
    if whose is None and actor.robot_id is not None and actor.member_id is None:
        whose = actor.owner_id
    if whose is None and actor.told:
        return rows.filter(member_id=actor.member_id, proposed_by_id=actor.robot_id)  # type: ignore[misc]  # it acts
    return rows.filter(member_id=whose) if whose else rows.none()


def confirm_association(actor: Actor, association_id: UUID, *, now: datetime) -> Association:
    """Confirm an association; for its member and curators. To its member it is no longer new then.
    Raises NotFoundError and SharingOptOutError."""
    with organisation_scope(actor.organisation_id):
        if not actor.is_person:
            raise PermissionError("The member, or who curates, confirms it.")
        association = _lock_visible(actor, association_id)
        check_sharing_allowed(actor.organisation_id, [association.member_id])
        if association.confirmed_at is None:
            _confirm(actor, association, now)
            _record(
                "association.confirmed", actor, association.id, now,
                member=association.member_id, persona=str(association.persona_id),
            )  # fmt: skip
        elif association.told_at is None and association.member_id == actor.member_id:
            association.told_at = now
            association.save(update_fields=["told_at"])
    return association


def delete_association(actor: Actor, association_id: UUID, *, now: datetime) -> Association:
    """Take an association back: the member and their robot read nothing of the persona any more.

    Nothing changes for others. For the member, their personal robot and curators. Returns the
    deleted row. Raises NotFoundError.
    """
    with organisation_scope(actor.organisation_id):
        association = _lock_visible(actor, association_id)
        if not actor.is_person and actor.owner_id != association.member_id:
            raise PermissionError(OTHER_MEMBER)
        was = association.confirmed_at is not None
        association.delete()
        detach_blocks(
            actor.organisation_id,
            member_id=association.member_id,
            persona_id=association.persona_id,
        )
        _record(
            "association.removed", actor, association_id, now,
            member=association.member_id, persona=str(association.persona_id), counted=was,
        )  # fmt: skip
    return association


def _lock_visible(actor: Actor, association_id: UUID) -> Association:
    row = (
        visible_associations(actor)
        .filter(id=association_id)
        .select_for_update(of=("self",))
        .first()
    )
    if row is None:
        raise NotFoundError("no such association")
    return row


def _record(
    action: str,
    actor: Actor,
    target: UUID,
    now: datetime,
    *,
    member: UUID,
    target_type: str = "association",
    **detail: Any,
) -> None:
    audit.record_entry(
        action, actor=actor, now=now, target=target, target_type=target_type,
        member=str(member), **detail,
    )  # fmt: skip
