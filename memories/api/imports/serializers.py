"""What the API takes and gives for imports of files."""

from typing import Any

from rest_framework import serializers

from memories.api.serializers.jobs import MAX_REFUSED, RefusedItemSerializer
from memories.ingestion.file_import.formats.csv_table import ColumnMap, parse_columns
from memories.ingestion.file_import.formats.registry import AUTO, FORMATS
from memories.ingestion.file_import.formats.sources import ConversionError
from memories.ingestion.file_import.plan_import import ImportPlan
from memories.ingestion.file_import.planned_readers import (
    IF_JOINED,
    NO,
    YES,
    PlannedAudienceReaders,
    PlannedGroup,
    PlannedPerson,
)
from memories.ingestion.folder_import.models import LineReaders
from orgs.api.form_data import FormFlagField
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    CountField,
    StrictSerializer,
    TextField,
)
from orgs.models.audiences import AudienceType

# How many groups, people and kinds of readers a plan names, and names in a list of readers.
MAX_LISTED = 100
MAX_COLUMNS_TEXT = 20_000
READS_CHOICES = (YES, NO, IF_JOINED)


class ImportOptionsSerializer(StrictSerializer):
    """How a file is imported."""

    format = ChoiceField(
        FORMATS, default=AUTO, help_text="What the file is; `auto` recognises it by its content."
    )
    time_zone = TextField(
        max_length=64,
        allow_blank=True,
        default="",
        help_text="Of times in the file that name none, as `Europe/Lisbon`.",
    )
    columns = TextField(
        max_length=MAX_COLUMNS_TEXT,
        allow_blank=True,
        default="",
        help_text="What the columns of a table are: `text=Message,speaker=From`, or "
        '`{"Message": "text", "From": "speaker", "Mood": null}`; null leaves one out.',
    )
    speaker_scope = ChoiceField(
        ["organisation", "group"],
        default="organisation",
        help_text="Whether the same name in two groups is one person.",
    )
    readers = ChoiceField(
        LineReaders.values,
        default=LineReaders.PRIVATE,
        help_text="Who reads a line that names no reader and no group: whom it is about, else who "
        "said it, else who imports; or everyone; or a `group`.",
    )
    group = TextField(
        max_length=300,
        required=False,
        help_text="With `readers` as `group`: which one, by id or external id. Nobody joins it.",
    )
    join_groups = FormFlagField(
        default=False,
        help_text="Whether the member who imports sits in the groups that it makes. A robot always "
        "does.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A group is named if it reads, and only then."""
        if (attrs["readers"] == LineReaders.GROUP) != ("group" in attrs):
            raise serializers.ValidationError(
                {"group": ["Name the group with readers as group, and only then."]}
            )
        return attrs


class ImportSerializer(ImportOptionsSerializer):
    """A form with a file, and how it is imported."""

    file = serializers.FileField(
        allow_empty_file=True,
        help_text="JSON lines, also as one list or packed with gzip, or an export.",
    )
    dry_run = FormFlagField(
        default=False, help_text="Answer what it would bring (200), and write nothing."
    )

    def validate_columns(self, value: str) -> ColumnMap:
        try:
            return parse_columns(value)
        except ConversionError as error:
            raise serializers.ValidationError(str(error)) from error


class PlannedGroupSerializer(AnswerSerializer):
    name = serializers.CharField()
    new = serializers.BooleanField(help_text="Whether the import makes it.")
    lines = CountField(help_text="How many lines are of this group.")
    reads = ChoiceField(
        READS_CHOICES,
        help_text="Whether the caller would read what is for the group; `seated`: if they join it.",
    )


class PlannedPersonSerializer(AnswerSerializer):
    name = serializers.CharField()
    new = serializers.BooleanField(help_text="Whether the import makes them.")
    can_sign_in = serializers.BooleanField(source="enters")


class PlannedReadersSerializer(AnswerSerializer):
    """Some lines with the same readers."""

    audience = ChoiceField(AudienceType.choices, source="kind")
    lines = CountField()
    reads = ChoiceField(READS_CHOICES, help_text="Whether the caller would read them.")
    group = serializers.CharField(
        allow_null=True, help_text="The name of the group, if that reads them."
    )
    names = serializers.ListField(
        child=serializers.CharField(), help_text="The people and groups of a list; the first 100."
    )
    can_read_now = CountField(
        allow_null=True,
        help_text="How many who can sign in would read them; null where the caller may not know "
        "who is in a group.",
    )
    cannot_sign_in = CountField(allow_null=True, help_text="How many of the readers cannot yet.")

    @staticmethod
    def get_group(one: PlannedAudienceReaders) -> str | None:
        return one.name or None

    @staticmethod
    def get_names(one: PlannedAudienceReaders) -> list[str]:
        return list(one.names[:MAX_LISTED])

    @staticmethod
    def get_can_read_now(one: PlannedAudienceReaders) -> int | None:
        return one.entering if one.counted else None

    @staticmethod
    def get_cannot_sign_in(one: PlannedAudienceReaders) -> int | None:
        return one.away if one.counted else None


class ImportCountsSerializer(AnswerSerializer):
    """Of all, also of those that the lists leave out."""

    lines = CountField(help_text="All that were read but empty ones.")
    new_memories = CountField(source="fresh", help_text="At most so many would be written.")
    already = CountField(source="here", help_text="There already, as far as the caller reads.")
    skipped = CountField(help_text="Lines that are refused.")
    readable = CountField(source="yours", help_text="Lines that the caller would read.")
    readable_if_seated = CountField(
        source="seated", help_text="The same if they join the groups that the import makes."
    )
    without_reader = CountField(
        source="unaddressed", help_text="Lines that name neither a reader nor a group."
    )
    groups = CountField()
    new_groups = CountField()
    people = CountField()
    new_people = CountField()

    @staticmethod
    def get_groups(plan: ImportPlan) -> int:
        return len(plan.groups)

    @staticmethod
    def get_new_groups(plan: ImportPlan) -> int:
        return sum(one.new for one in plan.groups)

    @staticmethod
    def get_people(plan: ImportPlan) -> int:
        return len(plan.people)

    @staticmethod
    def get_new_people(plan: ImportPlan) -> int:
        return sum(one.new for one in plan.people)


class ImportPlanSerializer(AnswerSerializer):
    """What a file would bring; nothing was written. Each list has its first 100."""

    whole = serializers.BooleanField(
        help_text="Whether it was read to its end; else this is what its beginning brings."
    )
    broken = serializers.BooleanField(help_text="Whether it breaks off and cannot be read further.")
    counts = ImportCountsSerializer(source="*")
    groups = PlannedGroupSerializer(many=True)
    people = PlannedPersonSerializer(many=True)
    readers = PlannedReadersSerializer(many=True)
    first_problems = RefusedItemSerializer(
        many=True, help_text="The first 20 lines that are refused, and why."
    )

    @staticmethod
    def get_groups(plan: ImportPlan) -> list[PlannedGroup]:
        return plan.groups[:MAX_LISTED]

    @staticmethod
    def get_people(plan: ImportPlan) -> list[PlannedPerson]:
        return plan.people[:MAX_LISTED]

    @staticmethod
    def get_readers(plan: ImportPlan) -> list[PlannedAudienceReaders]:
        return plan.readers[:MAX_LISTED]

    @staticmethod
    def get_first_problems(plan: ImportPlan) -> list[dict[str, Any]]:
        return [dict(one) for one in plan.refused[:MAX_REFUSED]]
