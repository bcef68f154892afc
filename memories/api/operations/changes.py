"""The feed of changes over HTTP."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.memories import MemorySerializer
from memories.browsing.change_feed.change_feed import ChangeType, read_changes
from memories.browsing.change_feed.feed_position import FeedPosition
from orgs.api.base_view import APIView
from orgs.api.cursors import open_cursor, page_url, seal_cursor
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)


class ChangesQuerySerializer(StrictSerializer):
    """Query parameters."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=200)
    cursor = TextField(
        max_length=60_000, required=False, help_text="Of the answer before; none begins a copy."
    )


class ChangeSerializer(AnswerSerializer):
    """A change."""

    change = ChoiceField(
        [one.value for one in ChangeType],
        help_text="made and changed come with the memory as it is now; forgotten, erased and gone: "
        "delete it from the copy.",
    )
    id = serializers.UUIDField(
        allow_null=True,
        help_text="The memory; null if all memories of `audience` are gone.",
    )
    audience = serializers.CharField(
        allow_null=True,
        help_text="A short name for the readers of the memory, or for those whose memories are "
        "gone. Keep it beside the copy of the memory.",
    )
    memory = MemorySerializer(allow_null=True)


class ChangesSerializer(AnswerSerializer):
    results = ChangeSerializer(many=True)
    next = serializers.URLField(
        allow_null=True, help_text="The address of the next page; null if this is the last."
    )
    cursor = serializers.CharField(help_text="What to ask with later.")


class ChangesView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="changes_list",
        parameters=[ChangesQuerySerializer],
        responses=ChangesSerializer,
    )
    def get(self, request: Request) -> Response:
        """What was made, changed, forgotten and erased among what the caller reads, since the
        cursor.

        Without a cursor everything that the list of memories shows is `made`. A memory that the
        caller no longer reads is `gone`, for whatever reason. 410 `cursor-too-old`: begin the copy
        anew.
        """
        asked = validate_data(ChangesQuerySerializer, query_values(request))
        cursor = asked.get("cursor")
        position = (
            None if cursor is None else open_cursor(request.user, cursor, FeedPosition.from_bytes)
        )
        page = read_changes(request.user, position, limit=asked["limit"], now=timezone.now())
        after = seal_cursor(request.user, page.position.to_bytes())
        return Response(
            {
                "results": [ChangeSerializer.render(line) for line in page.lines],
                "next": page_url(request, after) if page.more else None,
                "cursor": after,
            }
        )
