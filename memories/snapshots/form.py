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

from memories.ingestion.drafts import MAX_CONTENT_BYTES
from memories.store.models.choices import Category, Tier, Type
from memories.store.models.memory import Memory
from memories.store.tag_names import brought, with_old_tags
from orgs.api.serializers import (
    CountField,
    DocumentField,
    FlagField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)
from orgs.models.audiences import AudienceKind
from orgs.principals import Actor

FORMAT, VERSION = "commonmind-snapshot", 1
# The greatest count in the database.
MOST = 2**31 - 1
_PLAIN = (
    "id", "key", "content", "type", "category", "tier", "importance", "confidence", "tags",
    "metadata", "topic", "speaker", "sensitive", "occurred_at", "created_at", "expires_at",
    "valid_until", "remember_count", "version",
)  # fmt: skip
USE = (
    "tier_since", "access_count", "last_accessed_at", "updates", "successes", "failures",
    "surprise",
)  # fmt: skip


class BadSnapshot(ValueError):
    """The file is no valid snapshot; the message says why."""


class OtherOrganisation(Exception):
    """The snapshot was made in another organisation."""

    def __init__(self) -> None:
        super().__init__(
            "This snapshot was made in another organisation. It is restored only where it was "
            "made. Nothing was changed."
        )


def head(actor: Actor, memories: int, made_at: datetime) -> dict[str, Any]:
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


def line(row: Memory) -> dict[str, Any]:
    """The line of a memory that came `with_names`; the group only if the asker may know it."""
    use = row.used
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        "audience": row.audience.kind,
        "group": str(row.place.id) if row.place else None,
        "use": {name: getattr(use, name) for name in USE},
    }


def as_bytes(value: Mapping[str, Any]) -> bytes:
    """A head or a line of a file, in UTF-8, with its line end."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z)


class AskerSerializer(StrictSerializer):
    member = serializers.UUIDField(allow_null=True)
    robot = serializers.UUIDField(allow_null=True)


class HeadSerializer(StrictSerializer):
    """The head: format, organisation, time, asker and number of memories."""

    format = serializers.ChoiceField([FORMAT])
    version = serializers.ChoiceField([VERSION])
    organisation = serializers.UUIDField()
    made_at = serializers.DateTimeField()
    memories = CountField(min_value=0)
    asker = AskerSerializer(required=False)


class UseSerializer(StrictSerializer):
    """The use of a memory. Counts from 0; surprise in 0-1."""

    tier_since = serializers.DateTimeField(allow_null=True)
    access_count = CountField(min_value=0, max_value=MOST)
    last_accessed_at = serializers.DateTimeField(allow_null=True)
    updates = CountField(min_value=0, max_value=MOST)
    successes = CountField(min_value=0, max_value=MOST)
    failures = CountField(min_value=0, max_value=MOST)
    surprise = NumberField(min_value=0, max_value=1)


def _text(most: int, **kwargs: Any) -> TextField:
    return TextField(max_length=most, trim_whitespace=False, required=False, **kwargs)


def _moment() -> serializers.DateTimeField:
    return serializers.DateTimeField(required=False, allow_null=True)


class LineSerializer(StrictSerializer):
    """One memory. Only what a restore needs is required."""

    id = serializers.UUIDField()
    content = TextField(trim_whitespace=False)
    audience = serializers.ChoiceField(AudienceKind.choices)
    importance = NumberField(min_value=0, max_value=1)
    tier = serializers.ChoiceField(Tier.choices)
    key = _text(300, allow_null=True)
    type = serializers.ChoiceField(Type.choices, required=False)
    category = serializers.ChoiceField([("", ""), *Category.choices], required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)
    tags = TextListField(required=False, item_length=100)
    metadata = DocumentField(required=False)
    topic = _text(300, allow_blank=True)
    speaker = _text(300, allow_blank=True)
    group = _text(300, allow_null=True)
    sensitive = FlagField(required=False)
    occurred_at = _moment()
    created_at = _moment()
    expires_at = _moment()
    valid_until = _moment()
    remember_count = CountField(min_value=1, max_value=MOST, required=False)
    version = CountField(min_value=1, max_value=MOST, required=False)
    use = UseSerializer(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Bring tags of an older snapshot into the present form; tags that do not fit are kept in
        the metadata."""
        tags, left = brought(attrs.get("tags", ()))
        if left:
            attrs["metadata"] = with_old_tags(attrs.get("metadata", {}), left)
        return {**attrs, "tags": tags} if "tags" in attrs else attrs

    def validate_content(self, value: str) -> str:
        if not value.strip():
            raise serializers.ValidationError("This field may not be blank.")
        if len(value) > MAX_CONTENT_BYTES or len(value.encode()) > MAX_CONTENT_BYTES:
            raise serializers.ValidationError(f"Longer than {MAX_CONTENT_BYTES} bytes.")
        return value


class FiltersSerializer(StrictSerializer):
    """Which of the readable memories a snapshot holds."""

    group = TextField(max_length=300, required=False)
    tier = serializers.ChoiceField(Tier.choices, required=False)
    type = serializers.ChoiceField(Type.choices, required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


def organisation_of(head_line: Any) -> UUID:
    """The id of the organisation in a head. Raises BadSnapshot."""
    if not isinstance(head_line, Mapping) or head_line.get("format") != FORMAT:
        raise BadSnapshot("This is no snapshot: its first line does not say so.")
    if head_line.get("version") != VERSION or isinstance(head_line["version"], bool):
        raise BadSnapshot(f"This snapshot has another version; version {VERSION} is read here.")
    try:
        made_in: UUID = HeadSerializer().run_validation(head_line)["organisation"]
    except serializers.ValidationError as error:
        raise BadSnapshot(f"The first line is not as it should be: {first_of(error)}.") from error
    return made_in


def first_of(error: serializers.ValidationError) -> str:
    """The first error of a validation, with its field."""
    detail: Any = error.detail
    path = []
    while isinstance(detail, dict | list) and detail:
        name, detail = next(iter(detail.items())) if isinstance(detail, dict) else ("", detail[0])
        path += [str(name)] if name not in ("", "non_field_errors") else []
    return f"{'.'.join(path)}: {detail}".removeprefix(": ").rstrip(".")
