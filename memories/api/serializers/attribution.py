"""Whose words a text gives, in the answers of the API."""

from rest_framework import serializers

from memories.store.speakers.attribution import AssertedBy
from orgs.api.serializers import AnswerSerializer, ChoiceField, NamedSerializer


class CitedAuthorSerializer(AnswerSerializer):
    """Who wrote it down. Both are null if the caller may not know, or the service worked it out."""

    member = NamedSerializer(allow_null=True, help_text="The person who wrote it.")
    robot = NamedSerializer(allow_null=True, help_text="The robot that wrote it.")


class AttributionSerializer(AnswerSerializer):
    """Whose words a cited text gives, and who says so."""

    speaker = serializers.CharField(help_text="Whose words it gives, as a name; may be empty.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )
    author = CitedAuthorSerializer()
    asserted_by = ChoiceField(
        [one.value for one in AssertedBy],
        help_text="Who says whose words it gives: `self` (they wrote it themselves), a `robot`, an "
        "`import`, another `member`, or the `service`, which worked it out.",
    )
    reworded_by = NamedSerializer(
        allow_null=True, help_text="Who gave it its present words, if that was not the speaker."
    )
    deposit_for = NamedSerializer(
        allow_null=True,
        help_text="The member for whom a robot left it among what few read, not in their words.",
    )
