"""Signing in, second factors and accepting an invitation, in our words."""

from typing import Any

from allauth.account import forms as account
from allauth.mfa.base import forms as codes
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm, LoginWebAuthnForm
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext

from orgs.accounts.sessions import end_sign_ins
from orgs.languages.page_text import lazy_text
from orgs.models.users import User
from orgs.outbound.mail import can_send_mail

PASSWORD_HELP = lazy_text("At least 8 characters. A few unrelated words are easy to remember.")
SECOND_STEP_ONLY = lazy_text("This passkey is your second step. Sign in with your password first.")
CODE_INPUT = {
    "autocomplete": "one-time-code",
    "autofocus": True,
    "spellcheck": "false",
    "class": "mono",
}


def limit_length(field: forms.Field, length: int) -> None:
    """Limit a text field to `length` characters."""
    field.validators.append(MaxLengthValidator(length))
    field.widget.attrs["maxlength"] = length


def set_label(field: forms.Field, label: str, help_text: str = "", **attributes: Any) -> None:
    """Give a field a label above it, and no placeholder."""
    field.label, field.help_text = label, help_text
    field.widget.attrs.pop("placeholder", None)
    field.widget.attrs.update(attributes)


class SignInForm(account.LoginForm):
    """Sign-in by e-mail. The field is called `email`, because password managers expect that."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(self.fields["login"], gettext("E-mail"), autocomplete="username", autofocus=True)
        set_label(self.fields["password"], gettext("Password"))
        set_label(
            self.fields["remember"],
            gettext("Keep me signed in"),
            gettext("For two weeks, on this computer."),
        )
        limit_length(self.fields["password"], 1000)

    @property
    def offers_reset(self) -> bool:
        """Whether a link for a new password can be mailed."""
        return can_send_mail()

    def add_prefix(self, field_name: str) -> str:
        return super().add_prefix("email" if field_name == "login" else field_name)


class SinglePasswordMixin:
    """A new password is typed once, because the page can show it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["password2"]
        set_label(self.fields["password1"], gettext("New password"), PASSWORD_HELP)
        limit_length(self.fields["password1"], 1000)


class ChangePasswordForm(SinglePasswordMixin, account.ChangePasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(self.fields["oldpassword"], gettext("Current password"), autofocus=True)
        limit_length(self.fields["oldpassword"], 1000)


class SetPasswordForm(SinglePasswordMixin, account.SetPasswordForm):
    """The first password of somebody who signed in by single sign-on."""


class CodeForm(codes.AuthenticateForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(
            self.fields["code"],
            gettext("Code"),
            gettext("Six digits from your authenticator app, or one of your recovery codes."),
            **CODE_INPUT,
        )


class ReauthenticateCodeForm(codes.ReauthenticateForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(
            self.fields["code"],
            gettext("Code"),
            gettext("From your authenticator app."),
            **CODE_INPUT,
        )


class ActivateTOTPCodeForm(ActivateTOTPForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(self.fields["code"], gettext("The six digits that the app shows"), **CODE_INPUT)


class AddPasskeyForm(AddWebAuthnForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(
            self.fields["name"],
            gettext("What do you call it"),
            gettext("For example the name of this computer."),
        )
        limit_length(self.fields["name"], 80)
        set_label(
            self.fields["passwordless"],
            gettext("Sign in with it alone, without my password"),
            gettext(
                "The device then asks for your fingerprint, face or PIN. Without this it is "
                "a second "
                "step after your password."
            ),
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if credential := cleaned.get("credential"):
            # What the browser says of the key does not decide whether it opens the account alone:
            # many devices make every key so. The member's choice does.
            results = credential.setdefault("clientExtensionResults", {})
            results["credProps"] = {"rk": bool(cleaned.get("passwordless"))}
        return cleaned


class SignInByKeyForm(LoginWebAuthnForm):
    """Signing in by a passkey alone."""

    def clean_credential(self) -> Authenticator:
        """The passkey. Raises ValidationError for one that is a second step and no more."""
        authenticator = super().clean_credential()
        if not authenticator.wrap().is_passwordless:
            raise forms.ValidationError(SECOND_STEP_ONLY)
        return authenticator


class RenamePasskeyForm(EditWebAuthnForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_label(self.fields["name"], gettext("What do you call it"))
        limit_length(self.fields["name"], 80)


class FirstPasswordForm(forms.Form):
    """A first password, typed once, because the page can show it."""

    password = forms.CharField(
        label=lazy_text("Choose a password"),
        help_text=PASSWORD_HELP,
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


class ForgottenPasswordForm(forms.Form):
    """The address of an account whose password is forgotten."""

    email = forms.EmailField(
        label=lazy_text("E-mail"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )


class NewPasswordForm(FirstPasswordForm):
    """The new password of somebody with a link for it."""

    def save(self) -> User:
        """Set it, and end the account's sign-ins everywhere."""
        self.user.set_password(self.cleaned_data["password"])
        self.user.save(update_fields=["password"])
        end_sign_ins(self.user)
        return self.user
