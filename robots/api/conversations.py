"""Conversations and messages over HTTP: one service call a view."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.base_view import APIView
from orgs.api.cursors import paginate
from orgs.api.problems import refused_item
from orgs.api.serializers import NamedSerializer, query_values, validate_data
from orgs.limits.rate_limits import weigh_items
from orgs.principals import resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.api.serializers import conversations as s
from robots.api.serializers.robots import PageSerializer
from robots.conversations import conversations
from robots.conversations.earlier_conversations import (
    EarlierConversation,
    list_earlier_conversations,
)
from robots.conversations.message_types import Outcome, PostMessageResult, RejectedMessage
from robots.conversations.post_messages import post_messages
from robots.models.conversations import Conversation


def serialize_conversation(row: Conversation) -> dict[str, Any]:
    names = ("id", "external_id", "title", "metadata", "created_at", "last_message_at")
    others = {
        name: NamedSerializer.render(getattr(row, name)) for name in ("group", "member", "robot")
    }
    return {name: getattr(row, name) for name in names} | others


def serialize_message(row: Any) -> dict[str, Any]:
    names = ("id", "external_id", "role", "content", "speaker", "mentions", "type", "kind")
    names += ("reason", "metadata", "sent_at", "received_at", "withdrawn_at")
    taken_back = {"content": "", "mentions": [], "metadata": {}} if row.withdrawn_at else {}
    return (
        {name: getattr(row, name) for name in names}
        | taken_back
        | {
            "member": NamedSerializer.render(row.speaker_member),
            "author": NamedSerializer.render(row.author),
            "robot": NamedSerializer.render(row.robot),
            "reply_to": row.answers,
            "audience": row.audience.kind,
        }
    )


def serialize_earlier(found: EarlierConversation) -> dict[str, Any]:
    row, said = found.conversation, ("id", "role", "speaker", "content", "sent_at")
    return {name: getattr(row, name) for name in ("id", "external_id", "title")} | {
        "last_message_at": row.last_message_at,
        "band": found.band.name,
        "tokens": found.tokens,
        "messages": [{name: getattr(one, name) for name in said} for one in found.messages],
    }


def serialize_posted(kept: PostMessageResult) -> dict[str, Any]:
    return {
        "id": kept.id,
        "status": "known" if kept.known else "kept",
        "memory": kept.promoted.memory,
        "reason": kept.promoted.reason,
        "notes": list(kept.notes),
    }


class ConversationsView(APIView):
    within_groups = ("GET", "POST")

    @extend_schema(
        operation_id="conversations_list",
        parameters=[s.ConversationFiltersSerializer],
        responses=s.ConversationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the conversations that the caller may read, the last opened first.

        A robot that names no member is shown no direct conversation with anybody.
        """
        asked = validate_data(s.ConversationFiltersSerializer, query_values(request))
        principal = resolve_principal(
            resolve_actor(request.user, member=asked.get("member"), told=True)
        )
        with principal.scope():
            rows = conversations.list_conversations(principal, asked)
            body = paginate(
                request,
                rows,
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=serialize_conversation,
            )
        return Response(body)

    @extend_schema(
        operation_id="conversations_open",
        request=s.ConversationCreateSerializer,
        responses={200: s.ConversationSerializer, 201: s.ConversationSerializer},
    )
    def post(self, request: Request) -> Response:
        """Open a conversation (201), or return the one with this external id and these readers
        (200).

        Its readers are: with `group` those who read the group; with `member` that member and the
        calling robot; else the caller alone.
        """
        data = validate_data(s.ConversationCreateSerializer, request.data)
        row, created = conversations.ensure_conversation(request.user, data, now=timezone.now())
        return Response(serialize_conversation(row), status=201 if created else 200)


class ConversationView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="conversations_get", responses=s.ConversationSerializer)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        """One conversation that the caller may read."""
        principal = resolve_principal(request.user.naming_a_row())
        with principal.scope():
            return Response(
                serialize_conversation(conversations.get_conversation(principal, conversation_id))
            )


class EarlierView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="conversations_earlier", responses=s.EarlierAnswerSerializer)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        """List up to 50 other conversations of the same readers, the latest first, for a new one.

        Their latest messages come within a token budget: together 5,000 for those of the last 24
        hours, 2,000 up to 7 days, 500 up to 30 days. Older ones come with their titles alone.
        """
        found = list_earlier_conversations(request.user, conversation_id, now=timezone.now())
        return Response(
            {
                "conversations": [serialize_earlier(one) for one in found],
                "tokens": sum(one.tokens for one in found),
            }
        )


class MessagesView(APIView):
    within_groups = ("GET", "POST")

    @extend_schema(
        operation_id="messages_list",
        parameters=[PageSerializer],
        responses=s.MessageSerializer(many=True),
    )
    def get(self, request: Request, conversation_id: UUID) -> Response:
        """List the messages that the caller may read, the last received first."""
        asked = validate_data(PageSerializer, query_values(request))
        principal = resolve_principal(request.user.naming_a_row())
        with principal.scope():
            rows = conversations.list_messages(principal, conversation_id)
            body = paginate(
                request,
                rows,
                limit=asked["limit"],
                cursor=asked.get("cursor"),
                render=serialize_message,
            )
        return Response(body)

    @extend_schema(
        operation_id="messages_post",
        request=s.MessageCreateSerializer,
        responses={200: s.KeptSerializer, 201: s.KeptSerializer},
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        """Post one message; a message that has information also becomes a memory, which cites it.

        200 if the conversation has a message with this external id and text already, 409
        `message-taken` if that one has another text.
        """
        one = s.to_new_message(validate_data(s.MessageCreateSerializer, request.data))
        outcome = post_messages(request.user, conversation_id, [one], now=timezone.now())[0]
        if isinstance(outcome, RejectedMessage):
            raise outcome.error
        return Response(serialize_posted(outcome), status=200 if outcome.known else 201)


class MessageBatchView(APIView):
    within_groups = ("POST",)
    weight = staticmethod(weigh_items)

    @extend_schema(
        operation_id="messages_batch",
        request=s.MessageBatchRequestSerializer,
        responses=s.MessageBatchAnswerSerializer,
    )
    def post(self, request: Request, conversation_id: UUID) -> Response:
        """Post up to 1,000 messages, in order.

        Each has a result of its own; a refused one stops no other.
        """
        items = validate_data(s.MessageBatchSerializer, request.data)["items"]
        results: list[dict[str, Any]] = [{} for _ in items]
        given, places = [], []
        one = s.MessageCreateSerializer()
        for index, item in enumerate(items):
            try:
                given.append(s.to_new_message(one.run_validation(item)))
                places.append(index)
            except ValidationError as error:
                results[index] = refused_item(request, index, error)
        outcomes = post_messages(request.user, conversation_id, given, now=timezone.now())
        for index, outcome in zip(places, outcomes, strict=True):
            results[index] = self._result(request, index, outcome)
        return Response({"results": results})

    def _result(self, request: Request, index: int, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, RejectedMessage):
            return refused_item(request, index, outcome.error)
        return {"index": index, **serialize_posted(outcome)}
