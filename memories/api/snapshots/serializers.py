"""What the API takes and gives for snapshots; a line's form stands in `snapshots.form`."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.snapshots.form import (
    FiltersSerializer,
    HeadSerializer,
    LineSerializer,
    UseSerializer,
)
from memories.snapshots.restore import Mode, Result
from memories.store.models.choices import Tier, Type
from orgs.api.serializers import MAX_ITEMS, StrictSerializer, TextField
from orgs.models.audiences import AudienceKind


class PageSerializer(FiltersSerializer):
    """Query parameters of a snapshot."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=500)
    cursor = TextField(max_length=2000, required=False)


class SnapshotLineSerializer(serializers.Serializer[Any]):
    """A line as it is given; what of it is taken stands in `snapshots.form`."""

    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    type = serializers.ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = serializers.ChoiceField(Tier.choices)
    importance = serializers.FloatField()
    confidence = serializers.FloatField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    topic = serializers.CharField()
    speaker = serializers.CharField(help_text="Whose words it gives: a name.")
    sensitive = serializers.BooleanField()
    audience = serializers.ChoiceField(AudienceKind.choices)
    group = serializers.CharField(allow_null=True)
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    valid_until = serializers.DateTimeField(allow_null=True)
    remember_count = serializers.IntegerField()
    version = serializers.IntegerField()
    use = UseSerializer()


class SnapshotSerializer(serializers.Serializer[Any]):
    head = HeadSerializer()
    memories = SnapshotLineSerializer(many=True)


class SnapshotPageSerializer(serializers.Serializer[Any]):
    """A page is a snapshot of its own; `next` is the address of the one after it."""

    snapshot = SnapshotSerializer()
    next = serializers.CharField(allow_null=True)


@extend_schema_field(LineSerializer(many=True))
class LinesField(serializers.ListField):
    """Lines are checked one by one, so that a bad one takes no other with it."""

    def __init__(self) -> None:
        child = serializers.JSONField(allow_null=True)
        super().__init__(child=child, min_length=1, max_length=MAX_ITEMS)


@extend_schema_field(HeadSerializer)
class HeadField(serializers.JSONField):
    """Looked at by `snapshots.form`, for files as well."""


class GivenSnapshotSerializer(StrictSerializer):
    head = HeadField()
    memories = LinesField()


class RestoreSerializer(StrictSerializer):
    snapshot = GivenSnapshotSerializer()
    mode = serializers.ChoiceField([mode.value for mode in Mode])


class LineResultSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    result = serializers.ChoiceField([result.value for result in Result])
    memory = serializers.UUIDField(required=False, help_text="Where its words are now.")
    problem = serializers.DictField(required=False)


class RestoredSerializer(serializers.Serializer[Any]):
    results = LineResultSerializer(many=True)
    counts = serializers.DictField(child=serializers.IntegerField())
