"""The form in which a document is brought in."""

from typing import Any

from django import forms

from memories.ingestion.documents.document_parts import LABELS
from memories.ingestion.documents.read_document import AUTO
from memories.views.forms.import_forms import READERS_GONE, file_field
from orgs.languages.page_text import lazy_text


class DocumentForm(forms.Form):
    """A file, and who reads all of it."""

    file = file_field(lazy_text("PDF, Word (DOCX), HTML or Markdown, up to 32 MB."))
    format = forms.ChoiceField(
        label=lazy_text("What it is"),
        choices=[(AUTO, lazy_text("Recognise it by its content")), *LABELS.items()],
        initial=AUTO,
        required=False,
    )
    key = forms.CharField(
        label=lazy_text("Known again by"),
        help_text=lazy_text(
            "What does not change when its file gets another name. By default the name of the file."
        ),
        max_length=200,
        required=False,
    )
    audience = forms.ChoiceField(
        error_messages={
            "required": lazy_text("Choose who may read this."),
            "invalid_choice": READERS_GONE,
        }
    )

    def __init__(self, audiences: list[dict[str, Any]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["audience"].choices = [(a["value"], a["label"]) for a in audiences]

    def clean_format(self) -> str:
        """Recognised, unless somebody says what it is."""
        return str(self.cleaned_data["format"] or AUTO)

    def placed(self) -> dict[str, Any]:
        """The visibility and group of the document."""
        kind, _, group = self.cleaned_data["audience"].partition(":")
        return {"visibility": kind, "group": group or None}
