"""A message at each sign-in that support reset the second step: for 30 days, or until a new one."""

from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import HttpRequest
from django.utils import timezone

from orgs.models.support import SupportActType
from orgs.models.users import User
from orgs.support.accounts import list_support_acts

NOTICE_PERIOD = timedelta(days=30)
NOTICE_TEXT = (
    "Support took away your second step on {day}. If you did not ask for that, change your "
    "password. You set up a new one under Password and sign-in."
)


def on_signed_in(sender: object, request: HttpRequest, user: User, **kwargs: object) -> None:
    """Receiver of Django's `user_logged_in`: add the message if it is due."""
    now = timezone.now()
    resets = [
        act
        for act in list_support_acts(user, since=now - NOTICE_PERIOD)
        if act.kind == SupportActType.SECOND_STEP_RESET
    ]
    if resets and not Authenticator.objects.filter(user=user).exists():
        messages.warning(request, NOTICE_TEXT.format(day=f"{resets[0].at:%-d %B}"))
