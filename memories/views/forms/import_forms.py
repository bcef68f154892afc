"""The forms of an import: the file, the columns of a table, and what is decided at its plan."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.html import format_html_join
from django.utils.translation import gettext

from memories.ingestion.file_import.formats.csv_table import (
    LEFT_OUT,
    TEXT,
    TableColumn,
    find_doubled_fields,
)
from memories.ingestion.file_import.formats.registry import AUTO, LABELS
from orgs.languages.page_text import lazy_text

MAX_HEADING = 60
# More groups than these are a list that opens.
MAX_RADIO_GROUPS = 5
READERS_GONE = lazy_text("You cannot choose these readers any more; choose again.")
FIELD_LABELS = {
    TEXT: lazy_text("Text"),
    "speaker": lazy_text("Who said it"),
    "group": lazy_text("Group"),
    "session": lazy_text("Conversation"),
    "timestamp": lazy_text("Time"),
    "id": lazy_text("Id"),
    "subject": lazy_text("Whom it is about"),
    "title": lazy_text("Title"),
    "audience": lazy_text("Readers"),
    "tags": lazy_text("Tags"),
    "importance": lazy_text("Importance (0 to 1)"),
    "sensitive": lazy_text("Sensitive (yes or no)"),
    "reply_to": lazy_text("Which message it answers"),
    "to": lazy_text("To whom it was said"),
}
SPEAKER_SCOPE_CHOICES = [
    ("organisation", lazy_text("The same person")),
    ("group", lazy_text("Two people")),
]
IMPORT_READERS_CHOICES = [
    ("private", lazy_text("Whom it is about or who said it, else you")),
    ("organisation", lazy_text("Everyone in the organisation")),
]


def file_field(help_text: str) -> forms.FileField:
    """The file that an import takes."""
    return forms.FileField(
        label=lazy_text("File"),
        help_text=help_text,
        error_messages={
            "required": lazy_text("Choose a file."),
            "empty": lazy_text("The file is empty."),
        },
    )


def time_zone_field() -> forms.CharField:
    """The zone of times that name none."""
    return forms.CharField(
        label=lazy_text("Time zone of its times"),
        help_text=lazy_text("Only where they name none, as in some tables. Such as Europe/Berlin."),
        max_length=100,
        required=False,
    )


def heading_label(column: TableColumn, at: int) -> str:
    """What a column is called; without a heading by its number."""
    if not column.name:
        return gettext("Column %(number)s") % {"number": at + 1}
    return column.name[:MAX_HEADING] + ("…" if len(column.name) > MAX_HEADING else "")


class ImportOptionsForm(forms.Form):
    """How files are read, and who reads what they bring."""

    format = forms.ChoiceField(
        label=lazy_text("What it is"),
        choices=[(AUTO, lazy_text("Recognise it by its content")), *LABELS.items()],
        initial=AUTO,
        required=False,
    )
    time_zone = time_zone_field()
    speakers = forms.ChoiceField(
        label=lazy_text("The same name in two groups is"),
        choices=SPEAKER_SCOPE_CHOICES,
        initial="organisation",
        widget=forms.RadioSelect,
    )
    readers = forms.ChoiceField(
        label=lazy_text("Who reads a line that names no reader and no group?"),
        widget=forms.RadioSelect,
        error_messages={
            "required": lazy_text("Choose who reads such a line."),
            "invalid_choice": READERS_GONE,
        },
    )

    def __init__(self, groups: Sequence[tuple[UUID, str]], *args: Any, **kwargs: Any) -> None:
        """groups: (id, name) of those that may be chosen as readers."""
        super().__init__(*args, **kwargs)
        private, everyone = IMPORT_READERS_CHOICES
        named = [(f"group:{id_}", gettext("The group %(name)s") % {"name": n}) for id_, n in groups]
        choices = [private, *named, everyone]
        if len(named) > MAX_RADIO_GROUPS:
            self.fields["readers"].widget = forms.Select()
            # Else a browser would choose the first.
            choices = [("", gettext("Choose")), *choices]
        self.fields["readers"].choices = choices


class ImportForm(ImportOptionsForm):
    """A file, and how it is imported."""

    file = file_field(
        lazy_text("JSON lines, a table as CSV, or an export, also as zip or gzip, up to 256 MB.")
    )
    field_order = ("file",)


class ImportColumnsForm(forms.Form):
    """What each column of a table is. columns: as they are shown."""

    def __init__(
        self,
        columns: Sequence[TableColumn],
        *args: Any,
        fields: Sequence[str],
        time_zone: str,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._names = [f"column_{at}" for at in range(len(columns))]
        options = [(LEFT_OUT, gettext("Leave it out")), *FIELD_LABELS.items()]
        for at, (column, field) in enumerate(zip(columns, fields, strict=True)):
            self.fields[self._names[at]] = forms.ChoiceField(
                label=heading_label(column, at),
                help_text=format_html_join(" · ", "<bdi>{}</bdi>", zip(column.examples))
                or gettext("Its first rows are empty."),
                choices=options,
                initial=field,
                required=False,
            )
        self.fields["time_zone"] = time_zone_field()
        self.fields["time_zone"].initial = time_zone

    def chosen(self) -> list[str]:
        """The field of each column, by place."""
        return [self.cleaned_data[name] for name in self._names]

    def rows(self) -> list[forms.BoundField]:
        """The fields of the columns."""
        return [self[name] for name in self._names]

    def clean(self) -> None:
        """One column at least is the text, and no two are the same."""
        found = [self.cleaned_data.get(name, LEFT_OUT) for name in self._names]
        doubled = find_doubled_fields(found)
        for name, field in zip(self._names, found, strict=True):
            if field in doubled:
                self.add_error(
                    name,
                    gettext("More than one column is chosen as “%(field)s”.")
                    % {"field": FIELD_LABELS[field]},
                )
        if TEXT not in found and not self.errors:
            self.add_error(None, gettext("Choose which column is the text."))


class ImportChoiceForm(forms.Form):
    """What is decided when the plan of an import is on the screen."""

    speakers = forms.ChoiceField(
        label=lazy_text("Speakers"), choices=SPEAKER_SCOPE_CHOICES, required=False
    )
    readers = forms.CharField(label=lazy_text("Readers"), max_length=60, required=False)
    sit = forms.ChoiceField(
        label=lazy_text("Do you sit in the new groups?"),
        choices=[
            ("no", lazy_text("No, keep them closed to me")),
            ("yes", lazy_text("Yes, I sit in these groups")),
        ],
        initial="no",
        widget=forms.RadioSelect,
    )
