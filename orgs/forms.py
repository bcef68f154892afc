"""Signing in and accepting an invitation."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest

from orgs import throttling
from orgs.models import User

WRONG = "This e-mail address and password do not belong together. Check both and try again."
BLOCKED = "Too many attempts for this address. Wait ten minutes, then try again."


class SignInForm(forms.Form):
    email = forms.EmailField(
        label="E-mail",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    user: User | None = None

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean(self) -> dict[str, Any]:
        """Whose password this is; the same words for every reason why it is nobody's."""
        data = super().clean()
        if self.errors:
            return data
        email, address = User.objects.normalise(data["email"]), self.request.META["REMOTE_ADDR"]
        if throttling.is_blocked(email, address):
            raise forms.ValidationError(BLOCKED, code="blocked")
        self.user = authenticate(self.request, username=email, password=data["password"])
        if self.user is None:
            throttling.count_failure(email, address)
            raise forms.ValidationError(WRONG, code="wrong")
        throttling.forget_failures(email, address)
        return data


class PasswordForm(forms.Form):
    """A first password, typed once: it can be shown by the browser."""

    password = forms.CharField(
        label="Choose a password",
        help_text="At least 8 characters. A few unrelated words are easy to remember.",
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        validate_password(self.cleaned_data["password"], self.user)
        return self.cleaned_data["password"]
