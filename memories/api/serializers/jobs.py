"""What the API takes and gives for jobs."""

from typing import Any

from rest_framework import serializers

from memories.jobs.models import JobKind, JobState
from orgs.api.serializers import MAX_ITEMS, CountField, StrictSerializer, TextField


class JobFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class JobSerializer(serializers.Serializer[Any]):
    """One job. done, total: in the unit of its kind. counts: what it did so far."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(JobKind.choices)
    of = serializers.ChoiceField(["member", "organisation"])
    state = serializers.ChoiceField(JobState.choices)
    cancel_asked = serializers.BooleanField(help_text="It stops at its next step.")
    done = CountField()
    total = CountField()
    counts = serializers.DictField(child=CountField())
    problems = CountField(help_text="How much was not taken.")
    reason = serializers.CharField(help_text="Why it stopped.")
    period = serializers.CharField(allow_null=True, help_text="The day of a daily run.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
