"""What the API takes and gives for snapshots; a line's form stands in `snapshots.form`."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.snapshots.restore_snapshot import LineOutcome, RestoreMode
from memories.snapshots.snapshot_format import (
    FiltersSerializer,
    HeadSerializer,
    LineSerializer,
    UseSerializer,
)
from memories.store.models.choices import Tier, Type
from orgs.api.serializers import MAX_ITEMS, ChoiceField, StrictSerializer, TextField
from orgs.models.audiences import AudienceType


class PageSerializer(FiltersSerializer):
    """Query parameters."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=500)
    cursor = TextField(max_length=2000, required=False)


class SnapshotLineSerializer(serializers.Serializer[Any]):
    """One memory of a snapshot."""

    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    type = ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = ChoiceField(Tier.choices)
    importance = serializers.FloatField(help_text="0-1.")
    confidence = serializers.FloatField(help_text="0-1.")
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    topic = serializers.CharField()
    speaker = serializers.CharField(help_text="Whose words it gives, as a name.")
    sensitive = serializers.BooleanField()
    audience = ChoiceField(AudienceType.choices)
    group = serializers.CharField(allow_null=True, help_text="The id of its group.")
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    remember_count = serializers.IntegerField(help_text="A restore ignores it.")
    version = serializers.IntegerField(help_text="A restore ignores it.")
    use = UseSerializer()


class SnapshotSerializer(serializers.Serializer[Any]):
    head = HeadSerializer()
    memories = SnapshotLineSerializer(many=True)


class SnapshotPageSerializer(serializers.Serializer[Any]):
    """One page: a whole snapshot, which can be restored by itself."""

    snapshot = SnapshotSerializer()
    next = serializers.CharField(allow_null=True, help_text="The address of the next page.")


@extend_schema_field(LineSerializer(many=True))
class LinesField(serializers.ListField):
    """Lines are validated one by one, so that an invalid one stops no other."""

    def __init__(self) -> None:
        child = serializers.JSONField(allow_null=True)
        super().__init__(child=child, min_length=1, max_length=MAX_ITEMS)


@extend_schema_field(HeadSerializer)
class HeadField(serializers.JSONField):
    """The head of a snapshot; `snapshots.form` validates it, as for files."""


class GivenSnapshotSerializer(StrictSerializer):
    head = HeadField()
    memories = LinesField()


class RestoreSerializer(StrictSerializer):
    """A snapshot, and what happens to a memory that exists.

    replace: it is replaced. keep: it stays. merge: it is replaced if its importance is higher in
    the snapshot.
    """

    snapshot = GivenSnapshotSerializer()
    mode = ChoiceField([mode.value for mode in RestoreMode])


class LineResultSerializer(serializers.Serializer[Any]):
    """The result of one line.

    kept, replaced: the memory exists. written: it is a new memory. repeated: the same readers have
    this text already. waiting: it waits for a review. forgotten: the memory is and stays forgotten.
    refused: see `problem`.
    """

    index = serializers.IntegerField(help_text="The place of the line, counted from 0.")
    result = ChoiceField([result.value for result in LineOutcome])
    memory = serializers.UUIDField(required=False, help_text="The memory that has the text now.")
    problem = serializers.DictField(
        required=False, help_text="For `refused` alone: problem details (RFC 9457)."
    )


class RestoredSerializer(serializers.Serializer[Any]):
    results = LineResultSerializer(many=True)
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="The number of lines by result."
    )
