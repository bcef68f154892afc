"""The query of a list of memories."""

import re
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from memories.store.models.choices import Category, Kind, Level, Status, Tier, Type
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    StrictSerializer,
    TextField,
    TimeField,
    UpperTimeField,
    check_json_object,
)

MAX_METADATA_VALUES, MAX_METADATA_CHARACTERS = 20, 300
_METADATA_TEXT = {
    "type": "string",
    "maxLength": MAX_METADATA_CHARACTERS,
    "pattern": r"^[^\u0000]*$",
}
METADATA_PARAMETER = OpenApiParameter(
    "metadata",
    type={
        "type": "object",
        "additionalProperties": _METADATA_TEXT,
        "propertyNames": _METADATA_TEXT,
        "maxProperties": MAX_METADATA_VALUES,
    },
    style="deepObject",
    explode=True,
    description="`metadata.<name>=<value>` or `metadata[<name>]=<value>`: its metadata has this "
    "value under this name, as a text, a number, true, false or null.",
)
NAME_HELP = "As in its `restatement`, in any letter case."
# A longer name is no parameter.
_METADATA_NAME = re.compile(r"metadata(?:\.(.{1,500})|\[(.{0,500})\])", re.DOTALL)


# Usual words of other memories for a type.
TYPE_ALIASES = {
    "message": Type.CONVERSATION,
    "context": Type.CONVERSATION,
    "note": Type.FACT,
    "knowledge": Type.FACT,
    "information": Type.FACT,
    "insight": Type.FACT,
    "skill": Type.EXPERTISE,
    "news": Type.ANNOUNCEMENT,
}
# Words that are no type but a category.
CATEGORY_WORDS = frozenset(Category.values) - frozenset(Type.values)


class TypeField(ChoiceField):
    """A type, also by a usual word for it. The refusal of a category names the right field."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(Type.choices, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            data = TYPE_ALIASES.get(data, data)
            if data in CATEGORY_WORDS:
                raise serializers.ValidationError(
                    f"`{data}` is a category: give it as `{self.category_field}`.",
                    "invalid_choice",
                )
        return super().to_internal_value(data)

    @property
    def category_field(self) -> str:
        """The name of the field for categories beside this one: that of filters is a list."""
        return "categories" if isinstance(self.parent, serializers.ListField) else "category"


def with_category(item: Any) -> Any:
    """A memory that is to be written, with the category that its `type` names: a decision is a fact
    of the category `decision`. A category of its own stays."""
    word = item.get("type") if isinstance(item, Mapping) else None
    if not isinstance(word, str) or word not in CATEGORY_WORDS:
        return item
    return {"category": word, **item, "type": Type.FACT.value}


class MemorySelectionSerializer(StrictSerializer):
    """Which memories: query parameters that the list and the counts of names have in common."""

    group = TextField(max_length=300, required=False, help_text="By id or external id.")
    member = TextField(
        max_length=400, required=False, help_text="Whom it is about, or who said it."
    )
    about = TextField(max_length=400, required=False, help_text="The same as `member`.")
    key = TextField(max_length=300, required=False)
    robot = TextField(
        max_length=100, required=False, help_text="The id of a robot that brought it."
    )
    team = TextField(
        max_length=100, required=False, help_text="What its robots wrote, and its notes."
    )
    kind = ChoiceField(Kind.choices, required=False)
    type = TypeField(required=False)
    category = ChoiceField(Category.choices, required=False)
    tier = ChoiceField(Tier.choices, required=False)
    level = ChoiceField(Level.choices, required=False, help_text="How far it reaches.")
    keyword = TextField(max_length=100, required=False, help_text=NAME_HELP)
    person = TextField(
        max_length=300, required=False, help_text="Who is named: the name or a part of it."
    )
    entity = TextField(
        max_length=200,
        required=False,
        help_text="A person, company, project, place or topic, by its name.",
    )
    topic = TextField(max_length=300, required=False, help_text=NAME_HELP)
    tag = TextField(max_length=100, required=False)
    status = ChoiceField(Status.choices, required=False, help_text="Default: active.")
    since = TimeField(required=False, help_text="It happened then or later.")
    until = UpperTimeField(required=False, help_text="It happened then or earlier.")
    q = TextField(
        max_length=500,
        required=False,
        help_text="A part of its text, in any letter case and normal form.",
    )


class MemoryFiltersSerializer(MemorySelectionSerializer):
    """Query parameters of the list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class FacetFiltersSerializer(MemorySelectionSerializer):
    """Query parameters of the counts of names."""

    limit = serializers.IntegerField(
        min_value=1, max_value=100, default=20, help_text="The most values of one facet."
    )


class NameCountSerializer(AnswerSerializer):
    name = serializers.CharField()
    memories = serializers.IntegerField()


class EntityCountSerializer(NameCountSerializer):
    type = serializers.CharField()


class FacetsSerializer(AnswerSerializer):
    """What the memories name most, the most frequent first."""

    memories = serializers.IntegerField(
        help_text="How many were counted: all that match, or the newest 10,000."
    )
    keywords = NameCountSerializer(many=True)
    persons = NameCountSerializer(many=True)
    entities = EntityCountSerializer(many=True)
    topics = NameCountSerializer(many=True)
    levels = NameCountSerializer(many=True)
    types = NameCountSerializer(many=True)
    categories = NameCountSerializer(many=True)


def split_metadata(values: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(the other query parameters, the wanted values of metadata by name). Raises ValidationError
    for too many, too long ones and for what no metadata holds."""
    others, wanted = {}, {}
    for name, value in values.items():
        if found := _METADATA_NAME.fullmatch(name):
            wanted[found[1] or found[2] or ""] = value
        else:
            others[name] = value
    if len(wanted) > MAX_METADATA_VALUES:
        raise serializers.ValidationError({"metadata": [f"More than {MAX_METADATA_VALUES}."]})
    for name, value in wanted.items():
        if len(name) > MAX_METADATA_CHARACTERS or len(value) > MAX_METADATA_CHARACTERS:
            raise serializers.ValidationError(
                {"metadata": [f"Longer than {MAX_METADATA_CHARACTERS} characters."]}
            )
    try:
        check_json_object(wanted)
    except serializers.ValidationError as error:
        raise serializers.ValidationError({"metadata": error.detail}) from error
    return others, wanted
