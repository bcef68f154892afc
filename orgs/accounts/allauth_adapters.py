"""Adapters of django-allauth: closed sign-up, local redirects, throttling, encrypted secrets."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import (
    DefaultSocialAccountAdapter,
    _build_apps_from_settings,
)
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext

from orgs.accounts.group_claims import apply_group_claims
from orgs.accounts.known_browsers import find_browser
from orgs.accounts.sessions import current_sign_in_id, end_sign_ins
from orgs.languages.page_text import lazy_text
from orgs.limits.addresses import client_address
from orgs.models.users import User
from orgs.secret_box import decrypt_secret, encrypt_secret

WRONG_CREDENTIALS = lazy_text(
    "This e-mail address and password do not belong together. Check both and try again."
)
TOO_MANY_ATTEMPTS = lazy_text("Too many attempts. Wait ten minutes, then try again.")
OTHER_LOGINS_REMOVED = lazy_text(
    "You have proven that this address is yours. Nobody had before, so an older password, second "
    "factor or open session of this account does not work any more."
)

# The message after each act, by the template that allauth would have used.
ALLAUTH_MESSAGES = {
    "account/messages/logged_in.txt": "",
    "account/messages/logged_out.txt": lazy_text("You are signed out."),
    "account/messages/password_changed.txt": lazy_text(
        "Your password is changed. You are signed out everywhere else."
    ),
    "account/messages/password_set.txt": lazy_text("Your password is set."),
    "mfa/messages/totp_activated.txt": lazy_text(
        "From now on signing in asks for a code from your app."
    ),
    "mfa/messages/totp_deactivated.txt": lazy_text(
        "Signing in asks for no code from an app any more."
    ),
    "mfa/messages/webauthn_added.txt": lazy_text("The passkey is added."),
    "mfa/messages/webauthn_removed.txt": lazy_text("The passkey is removed."),
    "mfa/messages/recovery_codes_generated.txt": "",
    "socialaccount/messages/account_connected.txt": "",
    "socialaccount/messages/account_connected_updated.txt": "",
    "socialaccount/messages/account_connected_other.txt": lazy_text(
        "That sign-on belongs to another account here."
    ),
}


class AccountAdapter(DefaultAccountAdapter):
    """E-mail and password."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": WRONG_CREDENTIALS,
        "too_many_login_attempts": TOO_MANY_ATTEMPTS,
        "rate_limited": TOO_MANY_ATTEMPTS,
        "enter_current_password": lazy_text("This is not your current password."),
        "incorrect_password": lazy_text("This is not your password."),
        "incorrect_code": lazy_text(
            "This code is not right. An app shows a new one every 30 seconds."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """No: accounts come from invitations and commands."""
        return False

    def set_password(self, user: User, password: str) -> None:
        """Set the password and end the sign-ins of all other browsers."""
        super().set_password(user, password)
        end_sign_ins(user, but=current_sign_in_id(self.request))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def is_safe_url(self, url: str | None) -> bool:
        """Whether it is a path of this site; an address with a host is not, even with our own."""
        return url_has_allowed_host_and_scheme(url or "", allowed_hosts=None)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Where attempts are counted: the address, which the caller cannot forge, or the browser
        in which the named account was signed in before."""
        return _origin(request, request.POST.get("email", ""))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # By account and origin: whoever fails on purpose locks nobody out elsewhere.
        email = credentials.get("email", "").lower()
        return f"{email}\n{_origin(request, email)}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        email = credentials.get("email", "").lower()
        super().pre_authenticate(request, **credentials)
        self._everywhere = None
        if find_browser(request, email):
            return
        self._everywhere = ratelimit.consume(
            request, app="allauth.account", action="login_failed_everywhere", key=email
        )
        if not self._everywhere:
            raise self.validation_error("too_many_login_attempts")

    def _rollback_login_failed_rl_usage(self) -> None:
        super()._rollback_login_failed_rl_usage()
        if self._everywhere:
            self._everywhere.rollback()

    def post_login(
        self, request: HttpRequest, user: User, *, signal_kwargs: dict[str, Any] | None, **rest: Any
    ) -> HttpResponse:
        """After a single sign-on and its second step: the provider's groups, then as always."""
        sign_on = (signal_kwargs or {}).get("sociallogin")
        if sign_on is not None and sign_on.account.provider == settings.SINGLE_SIGN_ON:
            apply_group_claims(user, sign_on.account.extra_data, now=timezone.now())
        return super().post_login(request, user, signal_kwargs=signal_kwargs, **rest)

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """Add a message in our words; without words for it, none."""
        words = message or ALLAUTH_MESSAGES.get(message_template or "", "")
        if words:
            messages.add_message(request, level, words, extra_tags=extra_tags)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send nothing: no mail server is assumed."""


def _origin(request: HttpRequest, email: str) -> str:
    browser = find_browser(request, email)
    return f"browser-{browser}" if browser else client_address(request)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Secrets of second factors are encrypted with a key made from SECRET_KEY."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"],
    }

    def encrypt(self, text: str) -> str:
        return encrypt_secret(text, purpose="second factor")

    def decrypt(self, encrypted_text: str) -> str:
        return decrypt_secret(encrypted_text, purpose="second factor")

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return gettext("My passkey") if not count else f"Passkey {count + 1}"


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """The identity provider signs people in to existing accounts; it creates none."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[Any]:
        """Providers from the settings only: no row of the database can add another."""
        named = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in named.values() for app in apps]

    def authenticate_by_email(self, sociallogin: Any) -> Any:
        """The account of an address that the provider calls verified, with the value true.

        Anything else does not count: allauth would take a text such as "false" for true.
        """
        proven = [a for a in sociallogin.email_addresses if a.verified is True]
        sociallogin.email_addresses = proven
        return super().authenticate_by_email(sociallogin)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """At the first sign-on with a proven address, remove every other way into the account.

        Somebody else may have made the account before: their password, second factors, sign-ons and
        sessions end.
        """
        email = sociallogin._did_authenticate_by_email
        user = sociallogin.user if email else None
        if user is None or user.emailaddress_set.filter(email=email, verified=True).exists():
            return
        held = user.has_usable_password() or user.authenticator_set.exists()
        user.authenticator_set.all().delete()
        user.socialaccount_set.all().delete()
        end_sign_ins(user)
        user.set_unusable_password()
        user.save(update_fields=["password"])
        user.emailaddress_set.update_or_create(
            email=email, defaults={"verified": True, "primary": True}
        )
        if held:
            messages.warning(request, OTHER_LOGINS_REMOVED)
