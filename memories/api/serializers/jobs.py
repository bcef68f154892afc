"""What the API takes and gives for jobs."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from memories.jobs.models import Job, JobState, JobType
from memories.snapshots.snapshot_format import FiltersSerializer
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    StrictSerializer,
    TextField,
    TimeField,
    UpperTimeField,
)

# How many refused items an answer shows.
MAX_REFUSED = 20


class JobFiltersSerializer(StrictSerializer):
    """Query parameters of the list. since, until: when it was asked for."""

    state = ChoiceField(JobState.choices, required=False)
    kind = ChoiceField(JobType.choices, required=False)
    since = TimeField(required=False)
    until = UpperTimeField(required=False)

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ExportSerializer(FiltersSerializer):
    """Which memories an export has; each is optional."""


class RefusedItemSerializer(AnswerSerializer):
    """An item that was refused: the id of a memory, or the line of a file."""

    id = serializers.UUIDField(required=False)
    line = CountField(required=False)
    reason = serializers.CharField()


class JobSerializer(AnswerSerializer):
    """One job of a member, a robot or the organisation (`of`)."""

    id = serializers.UUIDField()
    kind = ChoiceField(JobType.choices)
    of = ChoiceField(["member", "robot", "organisation"])
    state = ChoiceField(JobState.choices)
    cancel_asked = serializers.BooleanField(help_text="Whether it stops before its next step.")
    done = CountField(help_text="The progress, in the unit of its kind, such as memories.")
    total = CountField(help_text="The whole work, in the same unit.")
    counts = serializers.DictField(
        child=CountField(), help_text="What it did so far: a number for each name."
    )
    problems = CountField(help_text="How many items were refused; at most 1,000 are counted.")
    first_problems = RefusedItemSerializer(many=True, help_text="The first 20 of them.")
    file = serializers.CharField(
        allow_null=True, help_text="The address of the file of a finished export; else null."
    )
    reason = serializers.CharField(help_text="Why it failed; empty otherwise.")
    period = serializers.CharField(
        allow_null=True, help_text="The day (UTC) of a daily run; null for other jobs."
    )
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(
        allow_null=True, help_text="When its first turn began; null while it waits for it."
    )
    finished_at = serializers.DateTimeField(allow_null=True)

    @staticmethod
    def get_of(job: Job) -> str:
        return "organisation" if job.is_organisations else "member" if job.member_id else "robot"

    @staticmethod
    def get_cancel_asked(job: Job) -> bool:
        return job.cancel_asked_at is not None

    @staticmethod
    def get_counts(job: Job) -> dict[str, int]:
        return {name: n for name, n in job.result.items() if type(n) is int}

    @staticmethod
    def get_first_problems(job: Job) -> list[dict[str, Any]]:
        return [dict(one) for one in job.problems[:MAX_REFUSED]]

    @staticmethod
    def get_file(job: Job) -> str | None:
        ready = job.kind == JobType.EXPORT and job.state == JobState.DONE
        return reverse("job-file-api", args=[job.id]) if ready else None

    @staticmethod
    def get_problems(job: Job) -> int:
        return len(job.problems)
