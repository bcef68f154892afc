"""What the API takes and gives for jobs."""

from rest_framework import serializers

from memories.jobs.models import Job, JobState, JobType
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    StrictSerializer,
    TextField,
)


class JobFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class JobSerializer(AnswerSerializer):
    """One job of a member or of the organisation (`of`)."""

    id = serializers.UUIDField()
    kind = ChoiceField(JobType.choices)
    of = ChoiceField(["member", "organisation"])
    state = ChoiceField(JobState.choices)
    cancel_asked = serializers.BooleanField(help_text="Whether it stops before its next step.")
    done = CountField(help_text="The progress, in the unit of its kind, such as memories.")
    total = CountField(help_text="The whole work, in the same unit.")
    counts = serializers.DictField(
        child=CountField(), help_text="What it did so far: a number for each name."
    )
    problems = CountField(help_text="How many items were refused; at most 1,000 are counted.")
    reason = serializers.CharField(help_text="Why it failed; empty otherwise.")
    period = serializers.CharField(
        allow_null=True, help_text="The day (UTC) of a daily run; null for other jobs."
    )
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    @staticmethod
    def get_of(job: Job) -> str:
        return "organisation" if job.member_id is None else "member"

    @staticmethod
    def get_cancel_asked(job: Job) -> bool:
        return job.cancel_asked_at is not None

    @staticmethod
    def get_counts(job: Job) -> dict[str, int]:
        return {name: n for name, n in job.result.items() if type(n) is int}

    @staticmethod
    def get_problems(job: Job) -> int:
        return len(job.problems)
