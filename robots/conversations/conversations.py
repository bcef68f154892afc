"""Conversations: opened with their readers, listed and read by these readers only."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery

from orgs.database.rls import organisation_scope
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.base import new_id
from orgs.organisations.audience_rows import ensure_audience, ensure_explicit_audience
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired
from robots.access.acting_for_members import resolve_actor
from robots.conversations.message_rules import QUARANTINED
from robots.models.conversations import Conversation, Message
from robots.people import directory


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
    only whoever opens it. Raises what `act` raises, and what a check of title and metadata raises.
    """
    where = resolve_actor(actor, member=data.get("member"), group=data.get("group"))
    shared = bool(where.group_id) or where.member_id is None
    check_opening(actor, shared, data, now)
    with transaction.atomic():
        with organisation_scope(actor.organisation_id):
            audience_id = _ensure_audience(actor, where)
        with resolve_principal(actor).scope():
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


def _ensure_audience(actor: Actor, where: Actor) -> UUID:
    organisation_id = actor.organisation_id
    if where.group_id:
        return ensure_audience(
            organisation_id, AudienceType.GROUP, str(where.group_id), where.group_id
        )
    if actor.robot_id and where.member_id:
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

    filters: group (a reference) and external_id, both optional. Raises NotFoundError for the group.
    """
    rows = _conversation_rows().filter(organisation_id=principal.organisation_id)
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
