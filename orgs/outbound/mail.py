"""Mail that the product sends: plain text, to one address, by the server that the settings name."""

import logging
import re
from collections.abc import Mapping
from smtplib import SMTPException

import idna
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connections

from orgs.names.unicode_normalisation import normalise_unicode

MAX_SUBJECT = 200
# A name is what somebody chose; a mail is no place for a text of theirs.
MAX_NAME = 80
# Programs for mail make a link of what looks like an address; a name has none after its dots,
# slashes and colons inside words are blanks.
_INSIDE_WORD = re.compile(r"[.:/\\@\u3002\u2024\u2044\u2215\ua789]+(?=\S)")
_LOG = logging.getLogger("commonmind.mail")


def can_send_mail() -> bool:
    """Whether a server for mail is set."""
    return bool(settings.EMAIL_HOST)


def send_mail(
    to: str, subject: str, text: str, *, headers: Mapping[str, str] | None = None
) -> bool:
    """Send one mail; waits for the server, at most EMAIL_TIMEOUT seconds for each of its answers.

    Returns whether the server took it. False as well where no server is set, and for an address
    that no server delivers as it is written. Inside a transaction its connection is held meanwhile.
    """
    mailbox = _ascii_address(to)
    if not can_send_mail() or not mailbox:
        return False
    # A name inside may hold line breaks, which a header may not.
    line = " ".join(subject.split())[:MAX_SUBJECT]
    # The server may take its time, and others wait for a connection to the database.
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
    try:
        EmailMessage(subject=line, body=text, to=[mailbox], headers=dict(headers or {})).send()
    except (OSError, SMTPException) as error:
        # Its message may hold the address.
        _LOG.warning("mail not sent: %s", type(error).__name__)
        return False
    return True


def name_in_mail(name: str) -> str:
    """A name that an organisation chose, for the text and the subject of a mail: short, in one line
    and without anything that becomes a link."""
    plain = " ".join(normalise_unicode(name[:MAX_NAME], "NFKC").split())
    return " ".join(_INSIDE_WORD.sub(" ", plain).split())[:MAX_NAME]


def _ascii_address(address: str) -> str:
    """The address with its domain as it is looked up (IDNA 2008, so that ß is no ss); empty for one
    that would break a header, or whose domain has no such form."""
    local, _, domain = address.rpartition("@")
    # The standard library breaks a header at every character that ends a line.
    if not local.isascii() or not address.isprintable() or not domain:
        return ""
    if domain.isascii():
        return address
    try:
        return f"{local}@{idna.encode(domain, uts46=True).decode()}"
    except idna.IDNAError:
        return ""
