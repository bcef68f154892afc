"""One change for all memories that match filters, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.jobs import LOCATION, PREFER, accept_job
from memories.api.serializers.jobs import JobSerializer
from memories.api.serializers.memories import MemorySerializer
from memories.api.serializers.memory_filters import (
    MAX_METADATA_CHARACTERS,
    MAX_METADATA_VALUES,
    MemorySelectionSerializer,
)
from memories.api.serializers.tags import TagField, TagListField
from memories.curation.bulk_by_filter import SHOWN, change_by_filter, preview_by_filter
from memories.curation.bulk_change import BulkChange
from memories.store.models.choices import Category
from memories.store.tag_names import InvalidTagError, check_tag
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    FlagField,
    NumberField,
    StrictSerializer,
    TextField,
    check_json_object,
    validate_data,
)

SET_FIELDS = ("category", "importance", "add_tags", "remove_tags")


class BulkFiltersSerializer(MemorySelectionSerializer):
    """Which memories, as in the list; at least one filter."""

    metadata = serializers.DictField(
        child=TextField(max_length=MAX_METADATA_CHARACTERS),
        required=False,
        help_text="Its metadata have these values under these names.",
    )

    def validate_metadata(self, value: dict[str, str]) -> dict[str, str]:
        if len(value) > MAX_METADATA_VALUES or any(
            not name or len(name) > MAX_METADATA_CHARACTERS for name in value
        ):
            raise serializers.ValidationError(
                f"At most {MAX_METADATA_VALUES} names of 1 to {MAX_METADATA_CHARACTERS} characters."
            )
        check_json_object(value)
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("Give at least one filter.")
        return attrs


class BulkChangeSerializer(StrictSerializer):
    action = ChoiceField(
        ["forget", "set"],
        help_text="set: give `category`, `importance`, `add_tags`, `remove_tags`.",
    )
    filters = BulkFiltersSerializer()
    category = ChoiceField([("", ""), *Category.choices], required=False)
    importance = NumberField(min_value=0, max_value=1, required=False)
    add_tags = TagListField(required=False)
    remove_tags = serializers.ListField(
        child=TagField(),
        max_length=MAX_ITEMS,
        required=False,
        help_text="With the tags below each.",
    )
    dry_run = FlagField(default=False, help_text="Only say what would change.")

    def validate_remove_tags(self, value: list[str]) -> list[str]:
        try:
            return [check_tag(one) for one in value]
        except InvalidTagError as error:
            raise serializers.ValidationError(str(error)) from None

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [name for name in SET_FIELDS if name in attrs]
        if attrs["action"] == "set" and not given:
            raise serializers.ValidationError("Say what to set.")
        if attrs["action"] != "set" and given:
            raise serializers.ValidationError({given[0]: ["Only `set` takes it."]})
        return attrs


class SkippedSerializer(AnswerSerializer):
    reason = serializers.CharField()
    memories = CountField()


class BulkPreviewSerializer(AnswerSerializer):
    """What a change would do now."""

    matches = CountField(help_text="How many memories match.")
    changes = CountField(help_text="How many of them would change.")
    waiting = CountField(help_text="Of how many of these a change would be proposed.")
    skipped = SkippedSerializer(many=True, help_text="Why others would stay as they are.")
    first = MemorySerializer(many=True, help_text=f"The first {SHOWN} that would change.")


class BulkChangeView(APIView):
    @extend_schema(
        operation_id="memories_bulk",
        parameters=[PREFER, LOCATION],
        request=BulkChangeSerializer,
        responses={200: BulkPreviewSerializer, 202: JobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Forget or change all memories that match filters. With `dry_run` it says what would
        change; without, a job does it (202).

        Each memory is changed with the rights that the caller has then, as if it were the only one;
        those that are refused are among the job's `problems`. 400 `too-many-matches` if more than
        5,000 match.
        """
        data = validate_data(BulkChangeSerializer, request.data)
        change = BulkChange(
            action=data["action"],
            category=data.get("category"),
            importance=data.get("importance"),
            tags=tuple(data.get("add_tags", ())),
            removed_tags=tuple(data.get("remove_tags", ())),
        )
        now = timezone.now()
        if not data["dry_run"]:
            job = change_by_filter(request.user, data["filters"], change, now=now)
            return accept_job(request, job)
        found = preview_by_filter(request.user, data["filters"], change, now=now)
        preview = found.preview
        return Response(
            {
                "matches": found.matches,
                "changes": preview.changes,
                "waiting": preview.waiting,
                "skipped": [
                    {"reason": reason, "memories": count} for reason, count in preview.skipped
                ],
                "first": [MemorySerializer.render(row) for row in preview.sample],
            }
        )
