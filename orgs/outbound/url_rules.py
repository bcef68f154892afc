"""To which addresses the server may be led by somebody: of webhooks, and of calendars to fetch.

What a name leads to is checked when it is called (`public_addresses`); here only what can be seen
in the address itself.
"""

import ipaddress
import re
from collections.abc import Collection
from urllib.parse import urlsplit

from django.conf import settings

from orgs.outbound.public_addresses import is_public_text

MAX_URL_CHARACTERS = 2_000
# Without what programs read in different ways.
_PLAIN = re.compile(r"""[\x21-\x7e]+""")
_FORBIDDEN = frozenset('\\"<>^`{|}#')
_HOST_PART = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
# The last part is no number: 127.1 and 0x7f.1 are addresses to some programs.
_HOST = re.compile(rf"(?=.{{4,253}}\Z)(?:{_HOST_PART}\.)+[a-z][a-z0-9-]{{0,61}}[a-z0-9]")


class InvalidUrlError(ValueError):
    """The server may not be led to the address; the message says why."""

    def __init__(self, detail: str, field: str = "url") -> None:
        super().__init__(f"{field}: {detail}")
        self.errors = [{"field": field, "detail": detail}]


def check_url(url: str, *, private_hosts: Collection[str] = ()) -> None:
    """private_hosts: may have addresses in a private network. Raises InvalidUrlError."""
    if not _PLAIN.fullmatch(url) or _FORBIDDEN & set(url) or len(url) > MAX_URL_CHARACTERS:
        raise InvalidUrlError("Not an address in plain characters, without a fragment.")
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise InvalidUrlError("Not an address.") from error
    schemes = ("https", "http") if settings.WEBHOOK_HTTP else ("https",)
    if parts.scheme not in schemes:
        raise InvalidUrlError(f"It has to begin with {' or '.join(f'{s}://' for s in schemes)}.")
    if "@" in parts.netloc:
        raise InvalidUrlError("It names a user or a password.")
    check_host(host, private_hosts=private_hosts)


def check_host(host: str, *, private_hosts: Collection[str] = (), field: str = "url") -> None:
    """host: in lower case. private_hosts: may have addresses in a private network. field: named in
    the error. Raises InvalidUrlError."""
    if settings.WEBHOOK_HOSTS and host not in settings.WEBHOOK_HOSTS:
        raise InvalidUrlError(
            "Whoever runs this server allows addresses of only some hosts.", field
        )
    if host in private_hosts:
        return
    if not (is_public_text(host) if _is_address(host) else _HOST.fullmatch(host)):
        raise InvalidUrlError("It does not lead to a host of the public internet.", field)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
