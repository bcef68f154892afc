"""Mailboxes that are fetched by IMAP: how one is kept, and its new mails as a mailbox file."""

import re
from dataclasses import asdict

import orjson
from django.conf import settings

from memories.context.connectors.mail_files import MAX_MAIL_BYTES, MAX_MAILS, build_mailbox_file
from orgs.outbound.fetch import FetchResult
from orgs.outbound.imap import (
    STARTTLS,
    TLS,
    Mailbox,
    MailboxError,
    MailboxPosition,
    fetch_mails,
)
from orgs.outbound.url_rules import InvalidUrlError, check_host

# Of one fetch; what is more comes with the next.
MAX_FETCH_BYTES = 20_000_000
MAX_PART_CHARACTERS = 200
_PORTS = {TLS: 993, STARTTLS: 143}
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_POSITION = re.compile(r"(\d{1,10}) (\d{1,10})")


def make_mailbox(
    *, host: str, encryption: str, user: str, password: str, folder: str, port: int | None = None
) -> Mailbox:
    """A mailbox as a member gives it; without a port at the usual one."""
    return Mailbox(host.lower(), port or _PORTS[encryption], encryption, user, password, folder)


def check_mailbox(mailbox: Mailbox) -> None:
    """Raises InvalidUrlError if the settings do not allow its host, or a part has a sign that would
    end a command."""
    for name in ("host", "user", "password", "folder"):
        if not _PLAIN.fullmatch(getattr(mailbox, name)):
            raise InvalidUrlError("Not in plain characters.", name)
    check_host(mailbox.host, private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS, field="host")


def encode_mailbox(mailbox: Mailbox) -> str:
    """The form that is encrypted and kept."""
    return orjson.dumps(asdict(mailbox)).decode()


def decode_mailbox(kept: str) -> Mailbox:
    """The mailbox of `encode_mailbox`."""
    return Mailbox(**orjson.loads(kept))


def fetch_mailbox_file(mailbox: Mailbox, *, etag: str) -> tuple[FetchResult, MailboxError]:
    """(a mailbox file of the mails after `etag`, or no file without any; why there is none). The
    result's etag is for the next fetch."""
    known = _POSITION.fullmatch(etag)
    found = fetch_mails(
        mailbox,
        position=MailboxPosition(int(known[1]), int(known[2])) if known else MailboxPosition(),
        most_mails=MAX_MAILS,
        most_bytes=MAX_FETCH_BYTES,
        most_mail_bytes=MAX_MAIL_BYTES,
        private_hosts=settings.SUBSCRIPTION_PRIVATE_HOSTS,
    )
    if not found.mails:
        return FetchResult(None), found.error
    position = f"{found.position.validity} {found.position.last_uid}"
    return FetchResult(build_mailbox_file(found.mails), etag=position), found.error
