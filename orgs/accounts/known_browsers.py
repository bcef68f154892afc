"""Browsers in which somebody has signed in before: their attempts are counted apart.

Attempts to sign in are counted by account and address. Behind a proxy that is not trusted, and in
an office, many people share one address, so a stranger's wrong passwords would lock people out of
their own accounts. A browser that was signed in once carries a signed cookie of that account. Its
attempts have a count of their own: eight wrong passwords in ten minutes, like an address.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "known_browser"
SALT = "orgs.known-browser"
MAX_AGE_SECONDS = 400 * 86_400


def find_browser(request: HttpRequest, email: str) -> str | None:
    """The id of this browser if this account was signed in here before; None for any other.

    The account is named by a keyed hash of its address, so nothing is looked up for it.
    """
    try:
        marked = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature:
        return None
    account, browser = marked
    return browser if email and account == _account(email) else None


def remember_browser(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Give the browser its cookie; one that has it for this account already keeps its id, so that
    signing in again does not start a new count."""
    browser = find_browser(request, email) or secrets.token_hex(16)
    response.set_cookie(
        COOKIE,
        signing.dumps([_account(email), browser], salt=SALT),
        max_age=MAX_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _account(email: str) -> str:
    return salted_hmac(SALT, email.lower(), algorithm="sha256").hexdigest()[:32]
