"""A new password by a link: printed by a command, or mailed to whom the account belongs."""

import hashlib
import time
from functools import partial

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext

from orgs.limits import token_buckets
from orgs.limits.after_answer import run_after_answer
from orgs.limits.token_buckets import Bucket
from orgs.models.users import User
from orgs.outbound.mail import send_mail

HOUR_SECONDS = 3600.0
# Mails in an hour that one network may ask for, and that go to one address.
ASKED_BY_NETWORK = 20
ASKED_FOR_ADDRESS = 3


class ResetTokens(PasswordResetTokenGenerator):
    """Django's, which end with a new password, a new address and a sign-in: also with one in the
    same second as the sign-in before, and when the account is closed."""

    def _make_hash_value(self, user: User, timestamp: int) -> str:  # type: ignore[override]
        value = super()._make_hash_value(user, timestamp)
        return f"{value}{user.last_login and user.last_login.isoformat()}{user.is_active}"


reset_tokens = ResetTokens()


def reset_url(user: User) -> str:
    """A link that sets a new password: it works once, for three days, until the next sign-in."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    path = reverse("new-password", args=[uid, reset_tokens.make_token(user)])
    return f"{settings.PUBLIC_URL}{path}"


def request_reset_mail(email: str, *, network: str) -> bool:
    """Mail a link to the account of an address, once the answer has been sent.

    network: of who asks. Nothing tells whether there is such an account: neither what is returned
    nor how long it takes. An account without a password gets none: it is entered another way.
    Returns False if the network asked too often. The address having had enough mails is not told.
    """
    digest = hashlib.sha256(User.objects.normalise(email).encode()).hexdigest()[:32]
    if not _consume(f"reset-network:{network}", ASKED_BY_NETWORK):
        return False
    if _consume(f"reset-address:{digest}", ASKED_FOR_ADDRESS):
        run_after_answer(partial(_send_reset_mail, email, translation.get_language() or "en"))
    return True


def _consume(name: str, capacity: int) -> bool:
    bucket = Bucket(name, name.partition(":")[0], capacity, HOUR_SECONDS)
    return token_buckets.limiter.take([bucket], now=time.time()).refused is None


def _send_reset_mail(email: str, language: str) -> None:
    user = User.objects.filter(email=User.objects.normalise(email), is_active=True).first()
    if user is None or not user.has_usable_password():
        return
    with translation.override(language):
        text = gettext(
            "Somebody asked for a new password for this address at %(server)s.\n\n"
            "Choose one by this link. It works once, for three days:\n%(url)s\n\n"
            "If it was not you, do nothing: your password stays as it is.\n"
        ) % {"server": settings.PUBLIC_URL, "url": reset_url(user)}
        send_mail(user.email, gettext("Your new password"), text)
