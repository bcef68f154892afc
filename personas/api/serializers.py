"""What the API takes and gives for personas and their blocks."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    ChoiceField,
    CountField,
    DocumentField,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)
from personas.block_writes.overflow import REFUSE
from personas.block_writes.overflow import WAYS as OVERFLOWS
from personas.block_writes.personal_data_check import REVIEW
from personas.block_writes.personal_data_check import WAYS as GATED
from personas.models.blocks import Layer
from personas.models.personas import MAX_LINE_LENGTH
from personas.registry.handles import HANDLE_FORMAT

MAX_TEXT_LENGTH = 100_000
MAX_LINES = 50
_HANDLE = {"max_length": 300, "help_text": HANDLE_FORMAT}


def _line_list_field(help_text: str) -> TextListField:
    return TextListField(
        max_length=MAX_LINES, item_length=MAX_LINE_LENGTH, required=False, help_text=help_text
    )


class PersonaFieldsSerializer(StrictSerializer):
    """The description of a persona. Fields that are left out stay as they are."""

    industry = TextField(max_length=100, required=False, help_text="By default from the handle.")
    role = TextField(max_length=100, required=False, help_text="By default from the handle.")
    description = TextField(max_length=5_000, required=False, allow_blank=True)
    kpis = _line_list_field("The key figures of these people.")
    motivations = _line_list_field("What they want to reach.")
    queries = _line_list_field("What they typically ask.")


class PersonaSerializer(serializers.Serializer[Any]):
    handle = serializers.CharField()
    industry = serializers.CharField()
    role = serializers.CharField()
    description = serializers.CharField()
    kpis = serializers.ListField(child=serializers.CharField())
    motivations = serializers.ListField(child=serializers.CharField())
    queries = serializers.ListField(child=serializers.CharField())
    members = serializers.IntegerField(
        help_text="How many members have it and have not opted out of sharing."
    )


class PersonaListSerializer(serializers.Serializer[Any]):
    results = PersonaSerializer(many=True)


class AssociationRequestSerializer(StrictSerializer):
    member = TextField(
        max_length=400,
        required=False,
        help_text="By id or platform:identifier. By default the caller, or the member whose "
        "personal robot calls.",
    )
    handle = TextField(**_HANDLE)
    confidence = NumberField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="How sure it is, 0-1. By default 1 for a new one; a known one keeps its own.",
    )


class AssociationQuerySerializer(StrictSerializer):
    """Query parameters."""

    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks. A personal robot asks for its own by default.",
    )


class AssociationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    member = serializers.UUIDField()
    handle = serializers.CharField()
    confidence = serializers.FloatField(help_text="0-1.")
    confirmed = serializers.BooleanField(
        help_text="False while it waits for the member or a curator; it opens nothing then."
    )
    discovered_at = serializers.DateTimeField(help_text="When it was first said.")
    last_confirmed = serializers.DateTimeField(
        help_text="When it was last said, also while it is not confirmed."
    )


class AssociationListSerializer(serializers.Serializer[Any]):
    results = AssociationSerializer(many=True)


class BlockEntrySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The id of its memory.")
    text = serializers.CharField()
    source = serializers.DictField()
    robot = serializers.CharField(
        allow_null=True,
        help_text="The name of the robot that learned it. In the block of a persona or of "
        "everybody it is null for the personal robot of another member.",
    )
    learned_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When it was first said; in the block of a persona or of everybody the day. Null "
        "with `few_teachers`.",
    )
    confirmed_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When a robot or person last said or restored it, likewise.",
    )


class BlockSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    label = serializers.CharField(help_text="The name under which robots know it.")
    layer = ChoiceField(Layer.choices)
    persona = serializers.CharField(
        allow_null=True, help_text="The handle of its persona; null for a block without one."
    )
    robot = NamedSerializer(
        allow_null=True,
        help_text="Of a human block that holds what the member told one robot: that robot.",
    )
    description = serializers.CharField(help_text="What belongs into the block, and what does not.")
    belongs = serializers.CharField(help_text="For robots that write it: what belongs there.")
    never = serializers.CharField(help_text="What must not stand there.")
    examples = serializers.ListField(
        child=serializers.CharField(), help_text="Lines as they should be."
    )
    write_when = serializers.CharField(
        help_text="When to write a line; empty for what robots only read."
    )
    limit = serializers.IntegerField(help_text="The most characters of the text.")
    text = serializers.CharField(help_text="A line for each entry; an initial text without any.")
    version = serializers.IntegerField(help_text="Send it when you write the text.")
    entries = BlockEntrySerializer(many=True, help_text="The entries in the text.")
    few_teachers = serializers.BooleanField(
        help_text="Whether fewer than three people taught the block and you curate: then no "
        "entry says when, they are in the order of the alphabet, and no version is listed."
    )
    left_out = serializers.IntegerField(
        help_text="How many entries are not in the text, because it is full."
    )
    attached = serializers.BooleanField(
        help_text="Whether it is attached to the calling robot. Only blocks of personas can be."
    )


class BlockListSerializer(serializers.Serializer[Any]):
    results = BlockSerializer(many=True)


class _HowSerializer(StrictSerializer):
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot writes. A personal robot writes for its own by "
        "default.",
    )
    on_overflow = ChoiceField(
        OVERFLOWS,
        default=REFUSE,
        help_text="What happens if the text would be longer than `limit`. `refuse`: 422 "
        "`over-limit`. `consolidate`: the entries with the least weight are replaced by one of "
        "them and archived.",
    )
    on_personal_data = ChoiceField(
        GATED,
        default=REVIEW,
        help_text="What happens if the gate finds personal data. `review`: a line of a persona's "
        "or everybody's block waits for a review, and a write to a profile is 422 "
        "`personal-data`. `sanitise`: the words are replaced by their kind.",
    )


class BlockTextSerializer(_HowSerializer):
    text = TextField(
        max_length=MAX_TEXT_LENGTH, allow_blank=True, help_text="A line for each entry."
    )
    version = CountField(
        min_value=0, max_value=2**31 - 1, help_text="The version of the block that was read."
    )


class BlockEntryRequestSerializer(_HowSerializer):
    text = TextField(max_length=MAX_TEXT_LENGTH)
    source = DocumentField(
        required=False, help_text="Where it comes from. Name nobody here either."
    )


class BlockHeldSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="pending_review or quarantined.")


class BlockWrittenSerializer(BlockSerializer):
    held = BlockHeldSerializer(
        many=True, help_text="New lines that wait for a review; they are not in the text yet."
    )


class BlockEntryWrittenSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="active, pending_review or quarantined.")
    confirmed = serializers.BooleanField(
        help_text="Whether the entry was there already and is confirmed."
    )
    version = serializers.IntegerField(help_text="The version of the block after this call.")


class BlockVersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    made_by = ChoiceField(
        ["robot", "person", "other"],
        help_text="other: no write to the block, but for example a review, an erasure or ageing.",
    )
    characters = serializers.IntegerField(help_text="The length of the text.")
    entries = serializers.ListField(
        child=serializers.UUIDField(), help_text="The ids of the entries in the text."
    )


class BlockVersionListSerializer(serializers.Serializer[Any]):
    results = BlockVersionSerializer(many=True)
