"""Mail that the product sends: plain text, to one address, by the server that the settings name."""

import logging
from collections.abc import Mapping
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage

MAX_SUBJECT = 200
_LOG = logging.getLogger("commonmind.mail")


def can_send_mail() -> bool:
    """Whether a server for mail is set."""
    return bool(settings.EMAIL_HOST)


def send_mail(
    to: str, subject: str, text: str, *, headers: Mapping[str, str] | None = None
) -> bool:
    """Send one mail; waits for the server, at most EMAIL_TIMEOUT seconds for each of its answers.

    Returns whether the server took it. False as well where no server is set.
    """
    if not can_send_mail():
        return False
    # A name inside may hold line breaks, which a header may not.
    line = " ".join(subject.split())[:MAX_SUBJECT]
    try:
        EmailMessage(subject=line, body=text, to=[to], headers=dict(headers or {})).send()
    except (OSError, SMTPException) as error:
        # Its message may hold the address.
        _LOG.warning("mail not sent: %s", type(error).__name__)
        return False
    return True
