"""The forms of the gates, for curators and admins."""

from django import forms

from memories.safety.models import TermType
from memories.safety.names.known_names import MAX_TERM_CHARACTERS
from memories.safety.required_checks import PersonalDataPolicy
from orgs.languages.page_text import lazy_text

ALWAYS_CHECKED_HELP = lazy_text(
    "What a whole profession reads is always looked at, and cards, account numbers and keys in "
    "whatever others read."
)
POLICY_LABELS = {
    PersonalDataPolicy.ABOUT_SOMEBODY: lazy_text("Texts about a member, or written for one"),
    PersonalDataPolicy.ALWAYS: lazy_text("Every text that a robot writes for others"),
}


class TermForm(forms.Form):
    """A name for the list."""

    term = forms.CharField(
        max_length=MAX_TERM_CHARACTERS,
        label=lazy_text("Name"),
        error_messages={"required": lazy_text("Write a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(label=lazy_text("What it names"), choices=TermType.choices)


class GatePolicyForm(forms.Form):
    """When texts of robots are checked for personal data."""

    personal = forms.ChoiceField(
        label=lazy_text("Robots’ texts that are looked at"),
        choices=[(one.value, words) for one, words in POLICY_LABELS.items()],
        widget=forms.RadioSelect,
        help_text=ALWAYS_CHECKED_HELP,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), lazy_text("Choose one of the two.")
        ),
    )
