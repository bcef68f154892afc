"""The format of a snapshot: a head, and a line for each memory.

A line has what is needed to restore a memory. It names no author and no member; its `speaker` is a
name. Version and remember_count are for people and ignored by a restore.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from rest_framework import serializers

from memories.ingestion.drafts import ContentTooLongError, check_content_size
from memories.store.models.choices import Category, Tier, Type
from memories.store.models.memory import Memory
from memories.store.tag_names import coerce_tags, with_old_tags
from orgs.api.serializers import (
    ChoiceField,
    CountField,
    DocumentField,
    FlagField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
    TimeField,
    UpperTimeField,
)
from orgs.models.audiences import AudienceType
from orgs.principals import Actor

FORMAT, VERSION = "commonmind-snapshot", 1
# The greatest count in the database.
MAX_COUNT = 2**31 - 1
_MEMORY_FIELDS = (
    "id", "key", "content", "type", "category", "tier", "importance", "confidence", "tags",
    "metadata", "topic", "speaker", "sensitive", "occurred_at", "created_at", "expires_at",
    "valid_from", "valid_until", "remember_count", "version",
)  # fmt: skip
USE_FIELDS = (
    "tier_since", "access_count", "last_accessed_at", "updates", "successes", "failures",
    "surprise",
)  # fmt: skip


class InvalidSnapshotError(ValueError):
    """The file is no valid snapshot; the message says why."""


class OtherOrganisationError(Exception):
    """The snapshot was made in another organisation."""

    def __init__(self) -> None:
        super().__init__(
            "This snapshot was made in another organisation. It is restored only where it was "
            "made. Nothing was changed."
        )


def build_head(actor: Actor, memories: int, made_at: datetime) -> dict[str, Any]:
    """The first line. memories: the number of lines, as known at the beginning.

    Its `asker` has the ids of the member and the robot that asked; the lines are what they could
    read.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "organisation": actor.organisation_id,
        "made_at": made_at,
        "memories": memories,
        "asker": {"member": actor.member_id, "robot": actor.robot_id},
    }


def build_line(row: Memory) -> dict[str, Any]:
    """The line of a memory that came `with_names`; the group only if the asker may know it."""
    use = row.used
    return {
        **{name: getattr(row, name) for name in _MEMORY_FIELDS},
        "audience": row.audience.kind,
        "group": str(row.place.id) if row.place else None,
        "use": {name: getattr(use, name) for name in USE_FIELDS},
    }


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """A head or a line of a file, in UTF-8, with its line end."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z)


_LINE_START = b'{"id":"'
_ID_BYTES = 36


def read_line_id(line: bytes) -> bytes:
    """The id of the memory of a line that `build_line` and `to_bytes` made, without parsing it; the
    head has none, and gives b""."""
    if not line.startswith(_LINE_START):
        return b""
    return line[len(_LINE_START) : len(_LINE_START) + _ID_BYTES]


class AskerSerializer(StrictSerializer):
    member = serializers.UUIDField(allow_null=True)
    robot = serializers.UUIDField(allow_null=True)


class HeadSerializer(StrictSerializer):
    """The head: format, organisation, time, asker and number of memories."""

    format = ChoiceField([FORMAT])
    version = ChoiceField([VERSION])
    organisation = serializers.UUIDField()
    made_at = TimeField()
    memories = CountField(min_value=0)
    asker = AskerSerializer(required=False)


class UseSerializer(StrictSerializer):
    """The use of a memory. Counts from 0; surprise in 0-1."""

    tier_since = TimeField(allow_null=True)
    access_count = CountField(min_value=0, max_value=MAX_COUNT)
    last_accessed_at = TimeField(allow_null=True)
    updates = CountField(min_value=0, max_value=MAX_COUNT)
    successes = CountField(min_value=0, max_value=MAX_COUNT)
    failures = CountField(min_value=0, max_value=MAX_COUNT)
    surprise = NumberField(min_value=0, max_value=1)


def _text_field(most: int, **kwargs: Any) -> TextField:
    return TextField(max_length=most, trim_whitespace=False, required=False, **kwargs)


def _datetime_field() -> TimeField:
    return TimeField(required=False, allow_null=True)


class LineSerializer(StrictSerializer):
    """One memory. Only what a restore needs is required."""

    id = serializers.UUIDField()
    content = TextField(trim_whitespace=False)
    audience = ChoiceField(AudienceType.choices)
    importance = NumberField(min_value=0, max_value=1)
    tier = ChoiceField(Tier.choices)
    key = _text_field(300, allow_null=True)
    type = ChoiceField(Type.choices, required=False)
    category = ChoiceField([("", ""), *Category.choices], required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)
    tags = TextListField(required=False, item_length=100)
    metadata = DocumentField(required=False)
    topic = _text_field(300, allow_blank=True)
    speaker = _text_field(300, allow_blank=True)
    group = _text_field(300, allow_null=True)
    sensitive = FlagField(required=False)
    occurred_at = _datetime_field()
    created_at = _datetime_field()
    expires_at = _datetime_field()
    valid_from = _datetime_field()
    valid_until = _datetime_field()
    remember_count = CountField(min_value=1, max_value=MAX_COUNT, required=False)
    version = CountField(min_value=1, max_value=MAX_COUNT, required=False)
    use = UseSerializer(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Bring tags of an older snapshot into the present form; tags that do not fit are kept in
        the metadata."""
        tags, left = coerce_tags(attrs.get("tags", ()))
        if left:
            attrs["metadata"] = with_old_tags(attrs.get("metadata", {}), left)
        return {**attrs, "tags": tags} if "tags" in attrs else attrs

    def validate_content(self, value: str) -> str:
        if not value.strip():
            raise serializers.ValidationError("This field may not be blank.")
        try:
            check_content_size(value)
        except ContentTooLongError as error:
            raise serializers.ValidationError(str(error)) from error
        return value


class FiltersSerializer(StrictSerializer):
    """Which of the readable memories a snapshot holds."""

    group = TextField(max_length=300, required=False)
    tier = ChoiceField(Tier.choices, required=False)
    type = ChoiceField(Type.choices, required=False)
    since = TimeField(required=False)
    until = UpperTimeField(required=False)


def parse_organisation_id(head_line: Any) -> UUID:
    """The id of the organisation in a head. Raises InvalidSnapshotError."""
    if not isinstance(head_line, Mapping) or head_line.get("format") != FORMAT:
        raise InvalidSnapshotError("This is no snapshot: its first line does not say so.")
    if head_line.get("version") != VERSION or isinstance(head_line["version"], bool):
        raise InvalidSnapshotError(
            f"This snapshot has another version; version {VERSION} is read here."
        )
    try:
        made_in: UUID = HeadSerializer().run_validation(head_line)["organisation"]
    except serializers.ValidationError as error:
        raise InvalidSnapshotError(
            f"The first line is not as it should be: {first_error(error)}."
        ) from error
    return made_in


def first_error(error: serializers.ValidationError) -> str:
    """The first error of a validation, with its field."""
    detail: Any = error.detail
    path = []
    while isinstance(detail, dict | list) and detail:
        name, detail = next(iter(detail.items())) if isinstance(detail, dict) else ("", detail[0])
        path += [str(name)] if name not in ("", "non_field_errors") else []
    return f"{'.'.join(path)}: {detail}".removeprefix(": ").rstrip(".")
