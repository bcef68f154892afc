"""The form of a folder whose new files are imported."""

from typing import Any

from django import forms

from memories.ingestion.file_import.formats.registry import AUTO
from memories.ingestion.folder_import.server_folder import MAX_FOLDER_CHARACTERS
from memories.ingestion.folder_import.subscriptions import FolderOptions
from memories.jobs.fetch_schedule import DEFAULT_PERIOD_MINUTES
from memories.views.forms.import_forms import ImportOptionsForm
from memories.views.forms.my_memories_forms import PERIOD_LABELS
from orgs.languages.page_text import lazy_text


class ImportFolderForm(ImportOptionsForm):
    """A folder of the organisation on the server, and how its files are imported."""

    folder = forms.CharField(
        label=lazy_text("Folder"),
        help_text=lazy_text("Such as exports/telegram. Leave it empty for all that lies there."),
        max_length=MAX_FOLDER_CHARACTERS,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    period_minutes = forms.TypedChoiceField(
        label=lazy_text("How often"),
        coerce=int,
        choices=list(PERIOD_LABELS.items()),
        initial=DEFAULT_PERIOD_MINUTES,
    )
    field_order = ("folder", "period_minutes")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].label = lazy_text("What its files are")

    def options(self) -> FolderOptions:
        """How each file is imported."""
        readers, _, group = self.cleaned_data["readers"].partition(":")
        return FolderOptions(
            format=self.cleaned_data["format"] or AUTO,
            time_zone=self.cleaned_data["time_zone"],
            by_group=self.cleaned_data["speakers"] == "group",
            readers=readers,
            group=group,
        )
