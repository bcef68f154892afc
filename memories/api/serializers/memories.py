"""What the API takes and gives for memories: explicit and strict."""

from copy import deepcopy
from typing import Any

from rest_framework import serializers

from memories.access.audience_labels import audience_type_label, memory_audience_label
from memories.access.references import ReaderReferences
from memories.access.visibility import VISIBILITY_NAMES
from memories.api.serializers.force_fields import force_field, reason_field
from memories.api.serializers.memory_filters import TypeField, with_category
from memories.api.serializers.tags import TagListField
from memories.browsing.memory_queries import MemoryDetails
from memories.curation.edit_memory import EDITABLE_FIELDS
from memories.ingestion.drafts import (
    ContentTooLongError,
    Draft,
    RememberResult,
    check_content_size,
)
from memories.restatement.models import RestatementSource
from memories.state.supersede_memory import SUPERSEDES
from memories.store.models.choices import Category, Kind, Level, Status, Tier, Type
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import with_marked_speaker
from orgs.api.serializers import (
    HIDDEN_ROBOT_HELP,
    MAX_ITEMS,
    AnswerSerializer,
    AnyField,
    ChoiceField,
    DocumentField,
    FlagField,
    NamedSerializer,
    NumberField,
    ReferenceListField,
    StrictSerializer,
    SupersedesField,
    TextField,
    TimeField,
    valid_from_field,
    valid_until_field,
)
from orgs.models.memberships import Member
from robots.models.robots import Robot


def content_field(**kwargs: Any) -> TextField:
    return TextField(trim_whitespace=False, **kwargs)


def check_content(value: str) -> str:
    """The text unchanged. Raises ValidationError if it is blank or has more than
    MEMORY_MAX_BYTES."""
    if not value.strip():
        raise serializers.ValidationError("This field may not be blank.")
    try:
        check_content_size(value)
    except ContentTooLongError as error:
        raise serializers.ValidationError(str(error)) from error
    return value


def on_personal_data_field() -> ChoiceField:
    return ChoiceField(
        ("review", "sanitise"),
        required=False,
        help_text="What happens if a gate finds personal data. `review` (the default): the text "
        "waits for a person's decision. `sanitise`: it is stored at once, with the kind of each "
        "finding in brackets in its place, such as [email].",
    )


def embedding_field(**kwargs: Any) -> ChoiceField:
    return ChoiceField(
        ["pending", "ready", "none"],
        help_text="none: it is sensitive, so it gets no vector.",
        **kwargs,
    )


class ReadersSerializer(StrictSerializer):
    members = ReferenceListField(default=list, help_text="By id or platform:identifier.")
    robots = ReferenceListField(default=list, help_text="By id.")
    groups = ReferenceListField(default=list, help_text="By id or external id.")
    teams = ReferenceListField(default=list, help_text="By id.")


def build_reader_references(data: dict[str, list[str]] | None) -> ReaderReferences:
    return ReaderReferences(**{k: tuple(v) for k, v in (data or {}).items()})


class RememberSerializer(StrictSerializer):
    """A text to remember.

    `readers` are further readers, with the visibility `shared` or `protected`. `source` is where
    the text comes from; `memories` in it lists the ids of memories from which it was made.
    """

    content = content_field()
    visibility = TextField(
        max_length=200,
        required=False,
        help_text=f"Who reads it: one of {', '.join(VISIBILITY_NAMES)}. Left out: the `group`; "
        f"else the "
        "`member`, for a person the caller; else everyone in the organisation.",
    )
    readers = ReadersSerializer(required=False)
    group = TextField(max_length=300, required=False, help_text="By id or external id.")
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom the robot acts, by id or platform:identifier.",
    )
    listeners = ReferenceListField(required=False, item_length=400, help_text="Members addressed.")
    speaker = TextField(
        max_length=300,
        required=False,
        allow_blank=True,
        help_text="Whose words it gives: a member by id or platform:identifier, or a name.",
    )
    robot = TextField(
        max_length=100,
        required=False,
        help_text="The id of the calling robot; any other is 403. It can be left out.",
    )
    occurred_at = TimeField(required=False, help_text="When it was said.")
    key = TextField(
        max_length=300,
        required=False,
        help_text="A name of your own for the text, so that the call can be repeated. The same "
        "key with another text for the same readers is 409 `key-taken`.",
    )
    on_conflict = ChoiceField(
        ("refuse", "replace"),
        required=False,
        help_text="What happens if the key names another text. `refuse` (the default): 409. "
        "`replace`: that memory is edited, by the rules of a PATCH.",
    )
    kind = ChoiceField(Kind.choices, required=False)
    type = TypeField(
        required=False,
        help_text="Usual words for a type are understood, and a category as a fact of it.",
    )
    category = ChoiceField(Category.choices, required=False)
    topic = TextField(max_length=300, required=False, allow_blank=True)
    importance = NumberField(min_value=0, max_value=1, required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)
    tier = ChoiceField(Tier.choices, required=False)
    tags = TagListField(required=False)
    metadata = DocumentField(required=False)
    conversation = TextField(max_length=300, required=False, help_text="Equal for all its turns.")
    source = DocumentField(required=False)
    expires_at = TimeField(required=False, help_text="No answer uses it then.")
    valid_from = valid_from_field()
    valid_until = valid_until_field()
    supersedes = SupersedesField(required=False)
    sensitive = FlagField(
        required=False,
        help_text="Its text is stored encrypted and is not indexed, so no recall finds it. It is "
        "found by id and in lists by tag, category and other filters.",
    )
    shareable = FlagField(required=False, help_text="Whether it may be said outside its group.")
    red_line = FlagField(
        required=False,
        help_text="Protect it. Curators, admins and the member whom it is about do so at once; "
        "for others this is proposed and waits for a review.",
    )
    red_line_reason = TextField(
        max_length=2000,
        required=False,
        allow_blank=True,
        help_text="A person who sets `red_line` must give one.",
    )
    on_personal_data = on_personal_data_field()

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(with_category(data))

    def validate_content(self, value: str) -> str:
        return check_content(value)


def build_draft(data: dict[str, Any]) -> Draft:
    """A validated item as a `Draft`."""
    fields = {name: value for name, value in data.items() if name != "on_conflict"}
    fields["readers"] = build_reader_references(fields.pop("readers", None))
    for name in ("listeners", "tags"):
        if name in fields:
            fields[name] = tuple(fields[name])
    fields["sanitise"] = fields.pop("on_personal_data", "review") == "sanitise"
    return Draft(**fields)


def build_replacement(data: dict[str, Any]) -> dict[str, Any] | None:
    """The changes of an edit by which a validated item replaces the memory of its key; None if it
    replaces none."""
    if data.get("on_conflict") != "replace":
        return None
    names = (*EDITABLE_FIELDS, SUPERSEDES)
    return {name: data[name] for name in names if name in data and name != "tier"}


class BatchSerializer(StrictSerializer):
    """Items are validated one by one, so that an invalid one stops no other."""

    items = serializers.ListField(
        child=AnyField(allow_null=True), min_length=1, max_length=MAX_ITEMS
    )

    def get_fields(self) -> dict[str, Any]:
        # `items` is also a method of the mapping that a serializer's data is.
        # Copied, as DRF does: a field belongs to one serializer.
        return {"items": deepcopy(self._declared_fields["items"])}


class BatchRequestSerializer(StrictSerializer):
    """A batch of memories."""

    items = serializers.ListField(child=RememberSerializer(), min_length=1, max_length=MAX_ITEMS)


class AudienceSerializer(AnswerSerializer):
    kind = serializers.CharField(help_text="Such as organisation, group, member or explicit.")
    label = serializers.CharField(help_text="Who the readers are, in words.")

    @staticmethod
    def get_label(row: Any) -> str:
        """The words for an audience that no memory names."""
        return audience_type_label(row.kind)


class RememberedSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    status = ChoiceField(Status.choices)
    audience = AudienceSerializer()
    deduplicated = serializers.BooleanField(
        help_text="Whether the same memory was there already. Always false if the caller cannot "
        "read it."
    )
    remember_count = serializers.IntegerField(help_text="How often it has been remembered.")
    embedding = embedding_field()
    replaced = serializers.BooleanField(
        help_text="Whether the memory of this key has the new text (`on_conflict`)."
    )
    superseded = serializers.ListField(
        child=serializers.UUIDField(), help_text="The memories of `supersedes` that it replaced."
    )
    proposals = serializers.ListField(
        source="waiting",
        child=serializers.UUIDField(),
        help_text="The items of the review queue about those for which somebody decides.",
    )

    @staticmethod
    def get_audience(row: RememberResult) -> dict[str, str]:
        return {"kind": row.audience_kind, "label": row.audience_label}


class BatchResultSerializer(AnswerSerializer):
    index = serializers.IntegerField(help_text="The place of the item, counted from 0.")
    status = serializers.CharField(help_text="active, pending_review, quarantined or refused.")
    id = serializers.UUIDField(required=False, help_text="The memory; missing for `refused`.")
    deduplicated = serializers.BooleanField(
        required=False, help_text="True if the same memory was there; else missing."
    )
    replaced = serializers.BooleanField(
        required=False, help_text="True if the memory of this key was changed; else missing."
    )
    superseded = serializers.ListField(
        required=False,
        child=serializers.UUIDField(),
        help_text="The memories of `supersedes` that it replaced; missing if there is none.",
    )
    proposals = serializers.ListField(
        required=False,
        child=serializers.UUIDField(),
        help_text="The items of the review queue about those for which somebody decides; missing "
        "if there is none.",
    )
    problem = serializers.DictField(
        required=False, help_text="For `refused` alone: problem details (RFC 9457)."
    )


class BatchAnswerSerializer(serializers.Serializer[Any]):
    results = BatchResultSerializer(many=True)


class PatchSerializer(StrictSerializer):
    content = content_field(required=False)
    category = ChoiceField([("", ""), *Category.choices], required=False)
    importance = NumberField(min_value=0, max_value=1, required=False)
    tags = TagListField(required=False)
    metadata = DocumentField(required=False)
    expires_at = TimeField(required=False, allow_null=True)
    valid_from = valid_from_field(allow_null=True)
    valid_until = valid_until_field(allow_null=True)
    supersedes = SupersedesField(required=False)
    shareable = FlagField(required=False)
    sensitive = FlagField(
        required=False, help_text="true encrypts its text; false stores it in plain again."
    )
    tier = ChoiceField(
        [Tier.GLACIAL],
        required=False,
        help_text="Move it into the slowest tier; it can still be found, and use moves it back.",
    )
    force = force_field()
    reason = reason_field(required=False)

    def validate_content(self, value: str) -> str:
        return check_content(value)


class ShareSerializer(StrictSerializer):
    visibility = TextField(
        max_length=200,
        help_text="group (with `group`), organisation, shared (with `readers`), team:<id> or "
        "private.",
    )
    readers = ReadersSerializer(required=False)
    group = TextField(max_length=300, required=False, help_text="By id or external id.")


class RestatementSerializer(AnswerSerializer):
    """A memory with pronouns and relative dates resolved, and what it names; null for a sensitive
    memory, and until it was read. `content` keeps its own words."""

    text = serializers.CharField(help_text="Empty if nothing had to be resolved.")
    keywords = serializers.ListField(child=serializers.CharField())
    persons = serializers.ListField(child=serializers.CharField())
    entities = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="{name, type}. The type is person, company, project, date, topic, location or "
        "action_item.",
    )
    location = serializers.CharField()
    topic = serializers.CharField()
    source = ChoiceField(
        RestatementSource.choices, help_text="Whether rules or a language model made it."
    )
    made_at = serializers.DateTimeField()


class MemorySerializer(AnswerSerializer):
    """A memory. Only the call for a single memory gives `embedding` and `restatement`."""

    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    status = ChoiceField(Status.choices)
    robot = NamedSerializer(source="teller", allow_null=True, help_text=HIDDEN_ROBOT_HELP)
    author = NamedSerializer(
        allow_null=True, help_text="The person who wrote it; null if a robot did."
    )
    speaker = serializers.CharField(help_text="Whose words it gives, as a name.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )
    reworded_by = NamedSerializer(
        allow_null=True, help_text="Who gave it its present words, if that was not the speaker."
    )
    member = NamedSerializer(allow_null=True, help_text="The member whom it is about.")
    group = NamedSerializer(
        source="place", allow_null=True, help_text="Null also if the caller may not know it."
    )
    audience = AudienceSerializer()
    kind = ChoiceField(Kind.choices)
    level = ChoiceField(
        Level.choices,
        help_text="individual (about a member, between two, or a robot's own), group, cross_group "
        "(what a member prefers and knows in every group), organisation (everything else).",
    )
    type = ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = ChoiceField(Tier.choices)
    topic = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    source = serializers.DictField(
        source="open_source", help_text="Without ids of other memories: the lineage has those."
    )
    conversation = serializers.CharField(source="open_conversation", allow_null=True)
    importance = serializers.FloatField(help_text="0-1.")
    confidence = serializers.FloatField(help_text="0-1.")
    sensitive = serializers.BooleanField()
    shareable = serializers.BooleanField()
    red_line = serializers.BooleanField()
    red_line_reason = serializers.CharField(help_text="Why it is protected, or why no longer.")
    access_count = serializers.IntegerField()
    last_accessed_at = serializers.DateTimeField(allow_null=True)
    remember_count = serializers.IntegerField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    valid_from = serializers.DateTimeField(
        allow_null=True, help_text="From when it is true, if that was said."
    )
    valid_until = serializers.DateTimeField(
        allow_null=True, help_text="Until when it is or was true; null if no end is known."
    )
    superseded_by = serializers.UUIDField(
        source="holds_now",
        allow_null=True,
        help_text="The memory that is true since then, if the caller reads it.",
    )
    embedding = embedding_field(required=False)
    restatement = RestatementSerializer(required=False, allow_null=True)
    writer_reads = serializers.BooleanField(
        required=False,
        help_text="Whether `robot` may read it by its id, correct and forget it because it wrote "
        "it, without being one of its readers. Only in the call for a single memory.",
    )

    @staticmethod
    def get_reworded_by(row: Memory) -> Member | Robot | None:
        return row.reworded_by or row.told(row.reworded_by_robot)

    @staticmethod
    def get_audience(row: Memory) -> dict[str, str]:
        return {"kind": row.audience.kind, "label": memory_audience_label(row)}


def render_memory_details(found: MemoryDetails) -> dict[str, Any]:
    """One memory with the fields that only the call for a single memory gives."""
    row, restated = found.memory, found.restatement
    values: dict[str, Any] = {} if found.embedding is None else {"embedding": found.embedding}
    values["restatement"] = restated and RestatementSerializer.render(
        restated, text=with_marked_speaker(row, restated.text)
    )
    return MemorySerializer.render(row, writer_reads=found.writer_reads, **values)
