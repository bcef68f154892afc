"""What the API takes and gives for tags."""

from typing import Any

from rest_framework import serializers

from memories.insights.tags import LIMIT, MATCHES
from orgs.api.serializers import (
    MAX_ITEMS,
    FlagField,
    StrictSerializer,
    TextField,
)


class TagQuerySerializer(StrictSerializer):
    """One of four questions; none of them asks for the tags that are used most."""

    q = TextField(max_length=100, required=False, help_text="A tag or a part of one; see `match`.")
    match = serializers.ChoiceField(
        MATCHES,
        required=False,
        help_text="How `q` is compared: the same tag (`exact`, the default), its beginning "
        "(`prefix`) or a trigram similarity of .3 or more (`fuzzy`).",
    )
    popular = FlagField(required=False, help_text="Most used first.")
    tree = FlagField(required=False, help_text="Nested by levels.")
    related = TextField(
        max_length=100, required=False, help_text="Tags that share two memories or more with it."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=LIMIT)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError for several questions at once, and for `match` without `q`."""
        asked = [name for name in ("q", "popular", "tree", "related") if attrs.get(name)]
        if len(asked) > 1:
            raise serializers.ValidationError(f"Ask one at a time: {' or '.join(asked)}.")
        if "match" in attrs and "q" not in attrs:
            raise serializers.ValidationError({"match": "It says how `q` is compared; send `q`."})
        return attrs


class TagSerializer(serializers.Serializer[Any]):
    """A tag and how many memories that the caller reads have it."""

    tag = serializers.CharField()
    memories = serializers.IntegerField()
    similarity = serializers.FloatField(required=False, help_text="Of trigrams; `fuzzy` alone.")


class TagNodeSerializer(TagSerializer):
    level = serializers.CharField(help_text="Its own part of the tag.")
    children = serializers.ListField(
        child=serializers.DictField(), help_text="Nodes of the same form."
    )


class TagsSerializer(serializers.Serializer[Any]):
    """`results`, or `tree` where that was asked for. more: whether the limit left some out."""

    results = TagSerializer(many=True, required=False)
    tree = TagNodeSerializer(many=True, required=False)
    more = serializers.BooleanField()
