"""Signing in: django-allauth, closed to strangers; single sign-on where the environment says so."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import env

APPS = [
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    # The authorization server for hosted assistants: its clients and their rules (robots/oauth).
    "allauth.idp.oidc",
]

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"

ACCOUNT_ADAPTER = "orgs.accounts.allauth_adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "orgs.accounts.forms.SignInForm",
    "change_password": "orgs.accounts.forms.ChangePasswordForm",
    "set_password": "orgs.accounts.forms.SetPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# No mail server is assumed: an address is verified by single sign-on or not at all.
ACCOUNT_EMAIL_VERIFICATION = "none"
# Sign-ins to one account are paused after 8 failures from one address, or 60 from everywhere.
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "8/600s/key",
    "login_failed_everywhere": "60/3600s/key",
    "change_password": "10/m/user",
    "reauthenticate": "10/m/user",
}

MFA_ADAPTER = "orgs.accounts.allauth_adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = "Commonmind"
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_FORMS = {
    "authenticate": "orgs.accounts.forms.CodeForm",
    "reauthenticate": "orgs.accounts.forms.ReauthenticateCodeForm",
    "activate_totp": "orgs.accounts.forms.ActivateTOTPCodeForm",
    "add_webauthn": "orgs.accounts.forms.AddPasskeyForm",
    "edit_webauthn": "orgs.accounts.forms.RenamePasskeyForm",
    "login_webauthn": "orgs.accounts.forms.SignInByKeyForm",
}

# A person whose address the identity provider has verified gets the account of that address.
SOCIALACCOUNT_ADAPTER = "orgs.accounts.allauth_adapters.SingleSignOnAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SINGLE_SIGN_ON = "sso"
OIDC_SERVER_URL = env.str("OIDC_SERVER_URL", default="")
OIDC_NAME = env.str("OIDC_NAME", default="single sign-on")
OIDC_SCOPES = env.list("OIDC_SCOPES", default=["openid", "profile", "email"])
# Who is put into which groups at a single sign-on: see orgs/accounts/group_claims.py.
OIDC_GROUPS_CLAIM = env.str("OIDC_GROUPS_CLAIM", default="groups")


def parse_groups(text: str) -> dict[str, list[tuple[str, str]]]:
    """OIDC_GROUPS, {value of the claim: "organisation/group", or a list of these}, as
    {value: [(slug of the organisation, id or external id of the group)]}. Raises
    ImproperlyConfigured."""
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ImproperlyConfigured(_BROKEN_GROUPS) from error
    if not isinstance(given, dict):
        raise ImproperlyConfigured(_BROKEN_GROUPS)
    found = {}
    for value, places in given.items():
        listed = places if isinstance(places, list) else [places]
        pairs = [one.partition("/") if isinstance(one, str) else ("", "", "") for one in listed]
        if not all(slug and group for slug, _, group in pairs):
            raise ImproperlyConfigured(_BROKEN_GROUPS)
        found[value] = [(slug, group) for slug, _, group in pairs]
    return found


_BROKEN_GROUPS = (
    'OIDC_GROUPS is a JSON object such as {"engineering": "acme/design"}: for a value of the claim '
    "an organisation's slug and a group's id or external id, or a list of these."
)
OIDC_GROUPS = parse_groups(env.str("OIDC_GROUPS", default=""))


def single_sign_on() -> dict[str, Any]:
    """SOCIALACCOUNT_PROVIDERS: one OpenID Connect provider, or none."""
    if not OIDC_SERVER_URL:
        return {}
    return {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": SINGLE_SIGN_ON,
                    "name": OIDC_NAME,
                    "client_id": env.str("OIDC_CLIENT_ID"),
                    "secret": env.str("OIDC_CLIENT_SECRET"),
                    "settings": {"server_url": OIDC_SERVER_URL, "scope": OIDC_SCOPES},
                }
            ],
        }
    }


def form_targets() -> list[str]:
    """Origins to which a form may lead: browsers apply `form-action` to redirects as well."""
    if not OIDC_SERVER_URL:
        return []
    parts = urlsplit(OIDC_SERVER_URL)
    return [f"{parts.scheme}://{parts.netloc}", *env.list("OIDC_FORM_ORIGINS", default=[])]


SOCIALACCOUNT_PROVIDERS = single_sign_on()


def shared_counts(redis_url: str) -> dict[str, Any]:
    """CACHES: counts of sign-in attempts, shared by the web processes."""
    return {
        "default": {
            "BACKEND": "orgs.accounts.login_attempt_cache.FallbackCache",
            "LOCATION": redis_url,
        }
    }


# OAuth for hosted assistants. Clients are known by the address of their metadata; registration by
# themselves (RFC 7591) is deprecated, nobody vouches for their names, and it is off.
IDP_OIDC_ADAPTER = "robots.oauth.registration.RegistrationAdapter"
IDP_OIDC_DCR_ENABLED = env.bool("OAUTH_DYNAMIC_REGISTRATION", default=False)
IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN = False
# allauth would fetch metadata without looking at the address behind the name; ours looks.
IDP_OIDC_CIMD_ENABLED = False
# The hosts whose metadata is fetched; empty for every public one.
OAUTH_CLIENT_HOSTS = env.list("OAUTH_CLIENT_HOSTS", default=[])
