"""What the API takes and gives for personas and their blocks."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    CountField,
    DocumentField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)
from personas.block_writes.overflow import REFUSE
from personas.block_writes.overflow import WAYS as OVERFLOWS
from personas.block_writes.personal_data import STOP
from personas.block_writes.personal_data import WAYS as GATED
from personas.models.blocks import Layer
from personas.models.personas import LONGEST_LINE
from personas.registry.handles import FORMED

LONGEST_TEXT = 100_000
MOST_LINES = 50
_HANDLE = {"max_length": 300, "help_text": FORMED}


def _lines(help_text: str) -> TextListField:
    return TextListField(
        max_length=MOST_LINES, item_length=LONGEST_LINE, required=False, help_text=help_text
    )


class PersonaFieldsSerializer(StrictSerializer):
    industry = TextField(max_length=100, required=False)
    role = TextField(max_length=100, required=False)
    description = TextField(max_length=5_000, required=False, allow_blank=True)
    kpis = _lines("Figures that count for these people.")
    motivations = _lines("What they want to reach.")
    queries = _lines("What they typically ask.")


class PersonaSerializer(serializers.Serializer[Any]):
    handle = serializers.CharField()
    industry = serializers.CharField()
    role = serializers.CharField()
    description = serializers.CharField()
    kpis = serializers.ListField(child=serializers.CharField())
    motivations = serializers.ListField(child=serializers.CharField())
    queries = serializers.ListField(child=serializers.CharField())
    members = serializers.IntegerField(help_text="Who have it, and have not opted out of sharing.")


class PersonaListSerializer(serializers.Serializer[Any]):
    results = PersonaSerializer(many=True)


class AssociationRequestSerializer(StrictSerializer):
    member = TextField(
        max_length=400,
        required=False,
        help_text="Left out: you, or the member whose personal robot asks.",
    )
    handle = TextField(**_HANDLE)
    confidence = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="How sure it is, 0-1. Left out: 1 for a new one, unchanged for a known one.",
    )


class AssociationQuerySerializer(StrictSerializer):
    """Query parameters: for whom a robot asks."""

    member = TextField(max_length=400, required=False)


class AssociationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    member = serializers.UUIDField()
    handle = serializers.CharField()
    confidence = serializers.FloatField()
    confirmed = serializers.BooleanField(
        help_text="false while it waits for the member or a curator; it opens nothing then."
    )
    discovered_at = serializers.DateTimeField()
    last_confirmed = serializers.DateTimeField()


class AssociationListSerializer(serializers.Serializer[Any]):
    results = AssociationSerializer(many=True)


class BlockEntrySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="Of the memory that it is.")
    text = serializers.CharField()
    source = serializers.DictField()
    robot = serializers.CharField(
        allow_null=True,
        help_text="The robot that learned it, by name; null for another's personal robot.",
    )
    learned_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField(help_text="When a robot or person last said it.")


class BlockSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    label = serializers.CharField()
    layer = serializers.ChoiceField(Layer.choices)
    persona = serializers.CharField(allow_null=True, help_text="The handle; null for the others.")
    description = serializers.CharField(help_text="What belongs in, and what does not.")
    limit = serializers.IntegerField(help_text="Of the text, in characters.")
    text = serializers.CharField()
    version = serializers.IntegerField(help_text="Send it with the next text.")
    entries = BlockEntrySerializer(many=True)
    left_out = serializers.IntegerField(help_text="Entries for which there is no room.")
    attached = serializers.BooleanField(
        help_text="Whether it is attached to the robot that asks; blocks of personas alone are."
    )


class BlockListSerializer(serializers.Serializer[Any]):
    results = BlockSerializer(many=True)


class _HowSerializer(StrictSerializer):
    member = TextField(max_length=400, required=False, help_text="For whom a robot writes.")
    on_overflow = serializers.ChoiceField(
        OVERFLOWS,
        default=REFUSE,
        help_text="Where it would be too long: refuse it, or make one of the entries that count "
        "least and archive these.",
    )
    on_personal_data = serializers.ChoiceField(
        GATED,
        default=STOP,
        help_text="Where the gate finds something: a shared line waits for review and a profile is "
        "refused, or the words are replaced by their kind.",
    )


class BlockTextSerializer(_HowSerializer):
    text = TextField(max_length=LONGEST_TEXT, allow_blank=True, help_text="A line an entry.")
    version = CountField(min_value=0, max_value=2**31 - 1, help_text="The one that was read.")


class BlockEntryRequestSerializer(_HowSerializer):
    text = TextField(max_length=LONGEST_TEXT)
    source = DocumentField(required=False, help_text="Where it comes from; no names there either.")


class BlockHeldSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="pending_review or quarantined.")


class BlockWrittenSerializer(BlockSerializer):
    held = BlockHeldSerializer(many=True, help_text="Lines that wait until somebody has decided.")


class BlockEntryWrittenSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="active, pending_review or quarantined.")
    confirmed = serializers.BooleanField(help_text="Whether it was there already.")
    version = serializers.IntegerField(help_text="Of the block.")


class BlockVersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    made_by = serializers.ChoiceField(
        ["robot", "person", "other"],
        help_text="other: a decision in review, a report, an erasure, or ageing.",
    )
    characters = serializers.IntegerField()
    entries = serializers.ListField(child=serializers.UUIDField())


class BlockVersionListSerializer(serializers.Serializer[Any]):
    results = BlockVersionSerializer(many=True)
