"""What the API takes and gives for documents."""

from rest_framework import serializers

from memories.curation.documents.document_list import MAX_DOCUMENTS, MAX_PARTS_LISTED
from memories.curation.documents.plan_document import VISIBILITIES
from memories.ingestion.documents.document_parts import LABELS
from memories.ingestion.documents.read_document import AUTO, FORMATS
from memories.store.models.choices import Status
from orgs.api.form_data import FormFlagField
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    CountField,
    StrictSerializer,
    TextField,
)


class DocumentUploadSerializer(StrictSerializer):
    """A form with a document, and who reads it."""

    file = serializers.FileField(
        allow_empty_file=True, help_text="PDF, DOCX, HTML or Markdown, at most 32 MB."
    )
    format = ChoiceField(
        FORMATS,
        default=AUTO,
        help_text="What it is; `auto` recognises it by its content, Markdown by its name.",
    )
    key = TextField(
        max_length=200,
        allow_blank=True,
        default="",
        help_text="By which it is known again among its readers, such as its id elsewhere; by "
        "default the name of the file.",
    )
    visibility = ChoiceField(
        VISIBILITIES,
        required=False,
        help_text="Who reads all of it. By default a `group` if one is named, else `private` to "
        "the member who imports or for whom a robot does, else the robot's `internal` notes.",
    )
    group = TextField(max_length=300, required=False, help_text="By id or external id.")
    member = TextField(
        max_length=400, required=False, help_text="The member for whom a robot imports it."
    )
    dry_run = FormFlagField(
        default=False, help_text="Answer what it would bring (200), and write nothing."
    )


class DocumentAudienceSerializer(AnswerSerializer):
    kind = serializers.CharField(
        source="audience_kind", help_text="Such as member, group or organisation."
    )
    label = serializers.CharField(source="audience_label")


class PartExampleSerializer(AnswerSerializer):
    place = serializers.CharField(help_text="`page 12`, or the headings above it.")
    text = serializers.CharField(help_text="Its beginning.")


class DocumentPlanSerializer(AnswerSerializer):
    """What a document would bring; nothing was written."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    format = ChoiceField([*LABELS])
    audience = DocumentAudienceSerializer(source="*")
    proposed = serializers.BooleanField(
        help_text="Whether it waits for those who curate, as the caller may only propose."
    )
    again = serializers.BooleanField(
        help_text="Whether the caller reads parts of it already; the import replaces them."
    )
    parts = CountField(help_text="Each becomes a memory.")
    added = CountField()
    changed = CountField(help_text="Other words at the same place: the memory is edited.")
    overwritten = CountField(
        help_text="Of these, somebody edited the words since; those of the document replace them, "
        "and the history keeps both."
    )
    unchanged = CountField(help_text="The same words as in the last import: the memory stays.")
    edited = CountField(
        help_text="Of these, somebody edited the words of the memory since; they stay as edited."
    )
    moved = CountField(help_text="Of the unchanged, at another page or below another heading.")
    vanished = CountField(help_text="Not in it any more: the memory is forgotten.")
    hidden = CountField(
        help_text="Pieces of text, or pages with such, that are left out because no reader of the "
        "document would see them."
    )
    repeated = CountField(help_text="Parts that are in it twice; the first counts.")
    elsewhere = serializers.BooleanField(
        help_text="Whether the caller reads a document of this name with other readers or another "
        "key, which stays as it is."
    )
    examples = PartExampleSerializer(many=True, help_text="The first ten parts.")


class DocumentSerializer(AnswerSerializer):
    """A document, as far as the caller reads it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    parts = CountField(help_text="How many the caller reads.")
    audience = DocumentAudienceSerializer(source="*")
    imported_at = serializers.DateTimeField(help_text="When its oldest part came.")
    changed_at = serializers.DateTimeField(help_text="When one of its parts changed last.")
    forgettable = serializers.BooleanField(help_text="Whether the caller may forget parts of it.")


class DocumentListSerializer(AnswerSerializer):
    results = DocumentSerializer(
        many=True, help_text=f"The last changed first, at most {MAX_DOCUMENTS}."
    )
    more = serializers.BooleanField(help_text="Whether there are more.")


class ListedPartSerializer(AnswerSerializer):
    memory = serializers.UUIDField(source="id")
    label = serializers.CharField(help_text="`Handbook.pdf, page 12`.")
    status = ChoiceField(Status.choices)


class DocumentDetailSerializer(AnswerSerializer):
    document = DocumentSerializer()
    first_parts = ListedPartSerializer(
        many=True, help_text=f"In its order, the first {MAX_PARTS_LISTED}."
    )


class ForgottenDocumentSerializer(AnswerSerializer):
    forgotten = CountField(help_text="Parts that are forgotten now.")
    kept = CountField(help_text="Parts that are protected, or not the caller's to forget.")
