"""Conversations: opened with their readers, listed and read by these readers only."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery

from orgs.database.rls import organisation_scope
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.organisations.audience_rows import (
    ensure_audience,
    ensure_direct_audience,
    ensure_explicit_audience,
)
from orgs.organisations.references import identity_fault, parse_uuid, reference_fault
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired
from robots.access.acting_for_members import group_to_write_in, resolve_actor
from robots.conversations.message_rules import QUARANTINED
from robots.errors import MissingScopeError
from robots.models.conversations import Conversation, Message
from robots.models.keys import KeyScope
from robots.people import directory
from robots.people.members_without_account import ensure_member

IF_MISSING = FAIL, CREATE = ("fail", "create")
# The most characters of a name that is made of an identity.
MAX_NAME_LENGTH = 200


@wired
def check_opening(actor: Actor, shared: bool, data: Mapping[str, Any], now: datetime) -> None:
    """Raise for a title or metadata that may not reach the readers of a conversation.

    shared: whether more than one member and their robot read it.
    """
    raise NotImplementedError


def ensure_conversation(
    actor: Actor, data: Mapping[str, Any], *, now: datetime
) -> tuple[Conversation, bool]:
    """Open a conversation, or return the one with this external id. Tells whether it is new.

    Its readers: in a group those who read the group; with a member that member and the robot; else
    only whoever opens it. data: with `if_missing` "create" a member and a group that are not there
    are made. Raises what `act` raises, and what a check of title and metadata raises.
    """
    if data.get("if_missing") == CREATE:
        _create_missing(actor, data, now)
    group = group_to_write_in(actor, data.get("group"))
    where = resolve_actor(actor, member=data.get("member"), group=group)
    shared = bool(where.group_id) or where.member_id is None
    check_opening(actor, shared, data, now)
    with transaction.atomic():
        with organisation_scope(actor.organisation_id):
            audience_id = _ensure_audience(actor, where)
        # The opener is among the readers of what was just made or found, and needs no other list.
        opener = resolve_principal(actor)
        opener = replace(opener, audiences=opener.audiences | {audience_id})
        with opener.scope():
            audience = {"organisation_id": actor.organisation_id, "audience_id": audience_id}
            external_id = data.get("external_id")
            if external_id is not None:
                known = _conversation_rows().filter(**audience, external_id=external_id).first()
                if known:
                    return known, False
            row = Conversation(
                id=new_id(),
                **audience,
                external_id=external_id,
                group_id=where.group_id,
                member_id=None if where.group_id else where.member_id,
                robot_id=actor.robot_id,
                title=data.get("title", ""),
                metadata=data.get("metadata", {}),
                created_at=now,
            )
            # If somebody else opens the same one at this moment, theirs is kept.
            Conversation.objects.bulk_create([row], ignore_conflicts=external_id is not None)
            same = {"external_id": external_id} if external_id is not None else {"id": row.id}
            kept = _conversation_rows().get(**audience, **same)
            return kept, kept.id == row.id


def _create_missing(actor: Actor, data: Mapping[str, Any], now: datetime) -> None:
    """Make the member and the group that the references name and that are not there; a member of
    whom one or the other is new comes into the group.

    Raises MissingScopeError for a key that does not manage, and what making them raises.
    """
    if KeyScope.MANAGE not in actor.scopes and not actor.moderates:
        raise MissingScopeError(KeyScope.MANAGE)
    identity, external_id, fresh = data.get("member"), data.get("group"), False
    member: Member | None = None
    if identity and not parse_uuid(identity) and not identity_fault(identity):
        name = data.get("member_name") or identity.partition(":")[2][:MAX_NAME_LENGTH]
        given = {"identity": identity, "name": name}
        member, fresh = ensure_member(actor, given, now)
    if external_id and not parse_uuid(external_id) and not reference_fault(external_id):
        given = {"external_id": external_id, "name": data.get("group_name", "")}
        group, created = directory.ensure_group(actor, given, now)
        if member is not None and (fresh or created):
            directory.update_group_members(actor, group, [member.id], [], now)


def _ensure_audience(actor: Actor, where: Actor) -> UUID:
    organisation_id = actor.organisation_id
    if where.group_id:
        return ensure_audience(
            organisation_id, AudienceType.GROUP, str(where.group_id), where.group_id
        )
    if actor.robot_id and where.member_id and actor.owner_id is None:
        return ensure_direct_audience(organisation_id, actor.robot_id, where.member_id)
    if actor.robot_id and where.member_id:
        # A personal robot is its member: there is nobody else whose words it could mix up.
        return ensure_explicit_audience(
            organisation_id, [("robot", actor.robot_id), ("member", where.member_id)]
        )
    if actor.robot_id:
        return ensure_audience(organisation_id, AudienceType.ROBOT, str(actor.robot_id))
    return ensure_audience(organisation_id, AudienceType.MEMBER, str(actor.member_id))


def list_conversations(
    principal: Principal, filters: Mapping[str, Any]
) -> "QuerySet[Conversation]":
    """The conversations that the principal reads; evaluate in its scope.

    filters: member, group (references) and external_id, all optional. The member is the one for
    whom the principal acts: then only direct conversations with them. Raises NotFoundError for the
    group.
    """
    rows = _conversation_rows().filter(organisation_id=principal.organisation_id)
    if filters.get("member"):
        rows = rows.filter(
            member_id=principal.actor.member_id,  # type: ignore[misc]  # it acts for one
            group__isnull=True,
        )
    if reference := filters.get("group"):
        group = directory.get_visible_group_in_scope(principal.actor, reference)
        rows = rows.filter(group_id=group.id)
    if external_id := filters.get("external_id"):
        rows = rows.filter(external_id=external_id)
    return rows


def get_conversation(principal: Principal, conversation_id: UUID) -> Conversation:
    """A conversation that the principal reads; call inside its scope. Raises NotFoundError."""
    row = (
        _conversation_rows()
        .filter(organisation_id=principal.organisation_id, id=conversation_id)
        .first()
    )
    if row is None:
        raise ReferenceNotFoundError("conversation", conversation_id)
    return row


def list_messages(principal: Principal, conversation_id: UUID) -> "QuerySet[Message]":
    """The messages of a conversation that the principal reads; evaluate in its scope.

    Each has `answers`, the id of what it replies to, if that is readable as well. A robot is shown
    none that is quarantined. Raises NotFoundError.
    """
    get_conversation(principal, conversation_id)
    here = {"organisation_id": principal.organisation_id}
    replied = Message.objects.filter(**here, id=OuterRef("reply_to_id")).values("id")
    return (
        Message.objects.filter(
            _not_quarantined(principal.actor), **here, conversation_id=conversation_id
        )
        .select_related("speaker_member", "author", "robot", "audience")
        .annotate(answers=Subquery(replied))
    )


def _not_quarantined(actor: Actor) -> Q:
    """A robot is shown no quarantined message, not even one that it posted; people are shown
    all."""
    return Q() if actor.robot_id is None else ~Q(reason=QUARANTINED)


def _conversation_rows() -> "QuerySet[Conversation]":
    return Conversation.objects.select_related("group", "member", "robot", "audience")
