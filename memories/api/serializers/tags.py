"""What the API takes and gives for tags."""

from typing import Any

from rest_framework import serializers

from memories.insights.tag_counts import DEFAULT_LIMIT, MATCHES
from memories.store.tag_names import TAG_PATTERN, InvalidTagError, normalise_tags
from orgs.api.serializers import (
    MAX_ITEMS,
    ChoiceField,
    FlagField,
    StrictSerializer,
    TextField,
    TextListField,
)


class TagField(TextField):
    """One tag. Also what is none passes, so that its refusal names the tag like any other fault."""

    def __init__(self) -> None:
        super().__init__(trim_whitespace=False, pattern=TAG_PATTERN)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return data if data == "" else super().run_validation(data)


class TagListField(TextListField):
    """Tags `root:level:...`, stored as they are written and with the tags above them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.child = TagField()

    def to_internal_value(self, data: Any) -> list[str]:
        """Raises ValidationError with a sentence that names the tag."""
        try:
            return normalise_tags(super().to_internal_value(data))
        except InvalidTagError as error:
            raise serializers.ValidationError(str(error)) from None


class TagQuerySerializer(StrictSerializer):
    """At most one of q, popular, tree and related; without any of them it is popular."""

    q = TextField(
        max_length=100, required=False, help_text="A tag, or a part of one (see `match`)."
    )
    match = ChoiceField(
        MATCHES,
        required=False,
        help_text="How `q` is compared: with the whole tag (`exact`, the default), with its "
        "beginning (`prefix`), or by a trigram similarity of at least 0.3 (`fuzzy`). Only "
        "together with `q`.",
    )
    popular = FlagField(
        required=False, help_text="The most used tags. Also the answer without any question."
    )
    tree = FlagField(required=False, help_text="The most used tags, nested by their levels.")
    related = TextField(
        max_length=100,
        required=False,
        help_text="A tag: the answer has tags that at least two memories share with it.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=DEFAULT_LIMIT)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError for several questions at once, and for `match` without `q`."""
        asked = [name for name in ("q", "popular", "tree", "related") if attrs.get(name)]
        if len(asked) > 1:
            raise serializers.ValidationError(f"Ask one at a time: {' or '.join(asked)}.")
        if "match" in attrs and "q" not in attrs:
            raise serializers.ValidationError({"match": "It says how `q` is compared; send `q`."})
        return attrs


class TagSerializer(serializers.Serializer[Any]):
    """A tag."""

    tag = serializers.CharField()
    memories = serializers.IntegerField(
        help_text="How many memories that the caller reads have it."
    )
    similarity = serializers.FloatField(
        required=False, help_text="The trigram similarity, 0-1; only with `fuzzy`."
    )


class TagNodeSerializer(TagSerializer):
    level = serializers.CharField(help_text="The last part of the tag.")
    children = serializers.ListField(
        child=serializers.DictField(),
        help_text="Tags one level below, each in the form of this node.",
    )


class TagsSerializer(serializers.Serializer[Any]):
    """Tags with counts."""

    results = TagSerializer(many=True, required=False, help_text="Missing if `tree` was asked for.")
    tree = TagNodeSerializer(many=True, required=False, help_text="Only if it was asked for.")
    more = serializers.BooleanField(help_text="Whether `limit` left some out.")
