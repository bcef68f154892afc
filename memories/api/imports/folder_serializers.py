"""What the API takes and gives for folders whose new files are imported."""

from typing import Any

from rest_framework import serializers

from memories.api.imports.serializers import ImportOptionsSerializer
from memories.ingestion.file_import.formats.csv_table import parse_columns
from memories.ingestion.file_import.formats.line_writer import find_zone
from memories.ingestion.file_import.formats.registry import FORMATS
from memories.ingestion.file_import.formats.sources import ConversionError
from memories.ingestion.folder_import.models import FolderPauseReason, LineReaders
from memories.ingestion.folder_import.server_folder import MAX_FOLDER_CHARACTERS
from memories.ingestion.folder_import.subscriptions import SubscriptionSummary
from memories.jobs.fetch_schedule import (
    DEFAULT_PERIOD_MINUTES,
    MAX_PERIOD_MINUTES,
    MIN_PERIOD_MINUTES,
)
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    CountField,
    StrictSerializer,
    TextField,
)

PERIOD_HELP = "Minutes between two looks at the folder."


class ImportSubscriptionRequestSerializer(ImportOptionsSerializer):
    folder = TextField(
        max_length=MAX_FOLDER_CHARACTERS,
        allow_blank=True,
        help_text="A path below the folder of the organisation on the server, as "
        "`exports/telegram`; empty for all of it. With the folders in it; what begins with a dot, "
        "and links, are left out.",
    )
    join_groups = serializers.BooleanField(
        default=False,
        help_text="Whether the member who subscribes sits in the groups that imports make. A robot "
        "always does.",
    )
    period_minutes = serializers.IntegerField(
        default=DEFAULT_PERIOD_MINUTES,
        min_value=MIN_PERIOD_MINUTES,
        max_value=MAX_PERIOD_MINUTES,
        help_text=PERIOD_HELP,
    )

    def validate_columns(self, value: str) -> str:
        return _checked(parse_columns, value)

    def validate_time_zone(self, value: str) -> str:
        return _checked(find_zone, value)


def _checked(parse: Any, value: str) -> str:
    try:
        parse(value)
    except ConversionError as error:
        raise serializers.ValidationError(str(error)) from error
    return value


class ImportSubscriptionChangeSerializer(StrictSerializer):
    paused = serializers.BooleanField(
        required=False, help_text="true pauses; false looks now, and each period again."
    )
    period_minutes = serializers.IntegerField(
        required=False,
        min_value=MIN_PERIOD_MINUTES,
        max_value=MAX_PERIOD_MINUTES,
        help_text=PERIOD_HELP,
    )


class ImportSubscriptionGroupSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    name = serializers.CharField()


class ImportSubscriptionSerializer(AnswerSerializer):
    id = serializers.UUIDField(source="row.id")
    folder = serializers.CharField(source="row.folder")
    author = serializers.CharField(
        help_text="The name of the member or robot whose jobs its runs are."
    )
    format = ChoiceField(FORMATS, source="row.format")
    time_zone = serializers.CharField(source="row.time_zone")
    columns = serializers.CharField(source="row.columns")
    speaker_scope = ChoiceField(["organisation", "group"], source="*")
    readers = ChoiceField(LineReaders.values, source="row.readers")
    group = ImportSubscriptionGroupSerializer(
        allow_null=True,
        help_text="Who reads what names no reader; null where the caller does not know the group.",
    )
    join_groups = serializers.BooleanField(source="row.join_groups")
    period_minutes = serializers.IntegerField(source="row.period_minutes", help_text=PERIOD_HELP)
    created_at = serializers.DateTimeField(source="row.created_at")
    last_run_at = serializers.DateTimeField(source="row.last_run_at", allow_null=True)
    next_run_at = serializers.DateTimeField(
        source="row.next_run_at", allow_null=True, help_text="Null while it is paused."
    )
    failures = CountField(
        source="row.failures", help_text="Failed runs one after another; the fifth pauses it."
    )
    paused_for = ChoiceField(
        [("", "Not paused"), *FolderPauseReason.choices],
        source="row.paused_for",
        help_text="Why it is paused.",
    )
    files_taken = CountField(source="taken", help_text="Files of which an import was queued.")
    files_refused = CountField(
        source="refused", help_text="Files that were refused and have not changed since."
    )
    first_problems = serializers.ListField(
        child=serializers.CharField(),
        source="problems",
        help_text="The last of these, each with its path and why.",
    )

    @staticmethod
    def get_speaker_scope(one: SubscriptionSummary) -> str:
        return "group" if one.row.by_group else "organisation"


class ImportSubscriptionListSerializer(AnswerSerializer):
    results = ImportSubscriptionSerializer(many=True)
