"""The forms of the gates, for curators and admins."""

from django import forms

from memories.safety.models import TermKind
from memories.safety.names.terms import LONGEST
from memories.safety.rules import WhenPersonal

ALWAYS = (
    "What a whole profession reads is always looked at, and cards, account numbers and keys in "
    "whatever others read."
)
STRICTNESS = {
    WhenPersonal.ABOUT_SOMEBODY: "Texts about a member, or written for one",
    WhenPersonal.ALWAYS: "Every text that a robot writes for others",
}


class TermForm(forms.Form):
    """A name for the list."""

    term = forms.CharField(
        max_length=LONGEST,
        label="Name",
        error_messages={"required": "Write a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(label="What it names", choices=TermKind.choices)


class StrictnessForm(forms.Form):
    """When texts of robots are checked for personal data."""

    personal = forms.ChoiceField(
        label="Robots’ texts that are looked at",
        choices=[(one.value, words) for one, words in STRICTNESS.items()],
        widget=forms.RadioSelect,
        help_text=ALWAYS,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose one of the two."),
    )
