"""What support types in: an address or an organisation, and why."""

from typing import Any

from django import forms
from django.utils.translation import gettext

from orgs.languages.page_text import lazy_text
from orgs.models.users import User

MAX_REASON_LENGTH = 300


def reason_field(label: str, help_text: str) -> forms.CharField:
    """A sentence that others read."""
    return forms.CharField(
        label=label,
        help_text=help_text,
        min_length=10,
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={
            "min_length": lazy_text("Say it in a sentence, of at least 10 characters.")
        },
    )


class AccountLookupForm(forms.Form):
    """Find one account."""

    prefix = "account"
    email = forms.EmailField(
        label=lazy_text("E-mail"),
        help_text=lazy_text("The whole address, as the person signs in with it."),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    reason = reason_field(
        lazy_text("Why do you look?"), lazy_text("The person reads it on their account page.")
    )


class OrganisationLookupForm(forms.Form):
    """Find one organisation."""

    organisation = forms.CharField(
        label=lazy_text("Organisation"),
        help_text=lazy_text("Its whole name, its short name or its id."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    reason = reason_field(
        lazy_text("Why do you look?"),
        lazy_text("The organisation’s admins read it in their audit trail."),
    )
    next = forms.CharField(required=False, max_length=2_000, widget=forms.HiddenInput)


class SecondFactorResetForm(forms.Form):
    """Confirm that the second step of this account is to go."""

    email = forms.CharField(
        label=lazy_text("Type the address of the account"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": lazy_text("Type the address of the account.")},
    )
    proof = reason_field(
        lazy_text("How do you know that the person asks?"),
        lazy_text("For example: you rang the number in their contract. The person reads it."),
    )

    def __init__(self, address: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address = address

    def clean_email(self) -> str:
        typed = User.objects.normalise(self.cleaned_data["email"])
        if typed != self.address:
            raise forms.ValidationError(gettext("This is another address. Nothing was changed."))
        return typed
