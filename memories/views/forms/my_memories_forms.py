"""The forms of My memories."""

from django import forms

from memories.context.connectors.models import AccountType
from memories.privacy.my_memories import VIEWS
from memories.views.forms.memory_forms import file_field
from orgs.languages.page_text import lazy_text


class MyMemoriesForm(forms.Form):
    """Which of my memories."""

    show = forms.ChoiceField(required=False, choices=[(view, view) for view in VIEWS])
    before = forms.UUIDField(required=False)
    q = forms.CharField(required=False, max_length=200)
    all = forms.BooleanField(required=False)


class DelegationForm(forms.Form):
    robot = forms.UUIDField()


class AccountFileForm(forms.Form):
    """The file of a calendar or mailbox."""

    file = forms.FileField(
        label=lazy_text("File"),
        help_text=lazy_text("A calendar as .ics, or mail as .mbox, as other programs export them."),
        error_messages={
            "required": lazy_text("Choose a file."),
            "empty": lazy_text("The file is empty."),
        },
    )


class AccountForm(AccountFileForm):
    field_order = ("kind", "name", "file")
    kind = forms.ChoiceField(
        label=lazy_text("What is it"),
        choices=AccountType.choices,
        initial=AccountType.CALENDAR,
        widget=forms.RadioSelect,
    )
    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=100,
        help_text=lazy_text("What you call it: Work, Family."),
    )


class OwnImportForm(forms.Form):
    """An export of an assistant."""

    file = file_field(
        lazy_text("The zip that ChatGPT or Claude sends you, or the conversations.json in it.")
    )
    time_zone = forms.CharField(
        label=lazy_text("Time zone of its times"),
        help_text=lazy_text("Only if it is asked for. Such as Europe/Berlin."),
        max_length=100,
        required=False,
    )
