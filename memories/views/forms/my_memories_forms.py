"""The forms of My memories."""

from typing import Any

from django import forms
from django.utils.translation import gettext

from memories.context.connectors.mailboxes import MAX_PART_CHARACTERS, make_mailbox
from memories.context.connectors.models import AccountType
from memories.context.connectors.subscriptions import FETCHED_KINDS
from memories.jobs.fetch_schedule import DEFAULT_PERIOD_MINUTES
from memories.privacy.my_memories import VIEWS
from memories.views.forms.import_forms import file_field
from orgs.languages.page_text import format_number, lazy_text
from orgs.outbound.imap import STARTTLS, TLS, Mailbox
from orgs.outbound.url_rules import MAX_URL_CHARACTERS

PERIOD_LABELS = {
    15: lazy_text("Every 15 minutes"),
    60: lazy_text("Every hour"),
    360: lazy_text("Every 6 hours"),
    1440: lazy_text("Every day"),
}


def period_label(minutes: int | None) -> str:
    """How often something is fetched."""
    often = gettext("Every %(minutes)s minutes") % {"minutes": format_number(minutes or 0)}
    return str(PERIOD_LABELS.get(minutes or 0, often))


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
        choices=[(one, one.label) for one in (AccountType.CALENDAR, AccountType.MAIL)],
        initial=AccountType.CALENDAR,
        widget=forms.RadioSelect,
    )
    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=100,
        help_text=lazy_text("What you call it: Work, Family."),
    )


class FetchedForm(forms.Form):
    """What is fetched is called somehow, and fetched each period."""

    name = forms.CharField(
        label=lazy_text("Name"),
        max_length=100,
        help_text=lazy_text("What you call it: Work, Family."),
    )
    period_minutes = forms.TypedChoiceField(
        label=lazy_text("How often"),
        coerce=int,
        choices=[(minutes, PERIOD_LABELS[minutes]) for minutes in PERIOD_LABELS],
        initial=DEFAULT_PERIOD_MINUTES,
    )


class SubscriptionForm(FetchedForm):
    """The address of a calendar or feed."""

    kind = forms.ChoiceField(
        label=lazy_text("What is it"),
        choices=[(one, one.label) for one in FETCHED_KINDS],
        initial=AccountType.CALENDAR,
        widget=forms.RadioSelect,
    )
    url = forms.CharField(
        max_length=MAX_URL_CHARACTERS,
        label=lazy_text("Address"),
        help_text=lazy_text(
            "The private address of a calendar (iCal), or the address of a feed (RSS or Atom). It "
            "is kept encrypted, and no page shows it again."
        ),
        error_messages={"required": lazy_text("Write the address that is to be fetched.")},
        widget=forms.URLInput(
            attrs={"placeholder": "https://calendar.example.org/mine.ics", "autocomplete": "off"}
        ),
    )


def _password_field(**options: Any) -> forms.CharField:
    return forms.CharField(
        max_length=MAX_PART_CHARACTERS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        **options,
    )


class MailboxPasswordForm(forms.Form):
    """Another password of a mailbox."""

    password = _password_field(label=lazy_text("New app password"))


class MailboxForm(FetchedForm):
    """A folder on an IMAP server."""

    host = forms.CharField(
        label=lazy_text("IMAP server"),
        max_length=253,
        widget=forms.TextInput(
            attrs={"placeholder": "imap.example.org", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    encryption = forms.ChoiceField(
        label=lazy_text("Encryption"),
        choices=[(TLS, "TLS"), (STARTTLS, "STARTTLS")],
        initial=TLS,
        widget=forms.RadioSelect,
    )
    port = forms.IntegerField(
        label=lazy_text("Port"),
        required=False,
        min_value=1,
        max_value=65_535,
        help_text=lazy_text("If left empty: 993, with STARTTLS 143."),
    )
    user = forms.CharField(
        label=lazy_text("User"),
        max_length=MAX_PART_CHARACTERS,
        help_text=lazy_text("Mostly your address."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    password = _password_field(
        label=lazy_text("App password"),
        help_text=lazy_text(
            "Make one for this alone at your mail provider. It is kept encrypted, and no page "
            "shows it again."
        ),
    )
    folder = forms.CharField(
        label=lazy_text("Folder"), max_length=MAX_PART_CHARACTERS, initial="INBOX"
    )

    def mailbox(self) -> Mailbox:
        """Of a valid form, with the usual port."""
        names = ("host", "port", "encryption", "user", "password", "folder")
        return make_mailbox(**{name: self.cleaned_data[name] for name in names})


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
