"""OAuth clients: who they are, and where what they get is sent.

A client is known by the address of its metadata, which is fetched when somebody is asked about it
and stored nowhere. Where the setting allows it, clients also register themselves; these are rows of
allauth. What a client calls itself is worth nothing: the host of its id is what can be relied on.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from allauth.idp.oidc import app_settings
from allauth.idp.oidc.internal import cimd
from allauth.idp.oidc.models import Client
from django.conf import settings
from django.core.exceptions import ValidationError

from orgs.names.lookalikes import name_fault
from robots.oauth.errors import ClientMetadataError
from robots.oauth.metadata_fetch import fetch_metadata

MAX_NAME_CHARACTERS = 60
MAX_REDIRECTS, MAX_REDIRECT_CHARACTERS = 20, 2_000
PUBLIC = Client.Type.PUBLIC
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
# What a browser does not hand to an application but runs, shows or reads by itself.
_FORBIDDEN_SCHEMES = frozenset({
    "http", "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source",
    "ws", "wss", "ftp", "intent", "mailto", "tel", "sms",
})  # fmt: skip
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
# Without what a browser would drop or change, and so go elsewhere than to what was checked.
_REDIRECT = re.compile(r"""[^\x00-\x20\x7f-\U0010ffff#*\\"<>]+""")
_PLAIN_ADDRESS = re.compile(r"[\x21-\x7e]+")
# A name of the DNS with at least two parts, the last of which is no number.
_HOST_PART = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?=.{{4,253}}\Z)(?:{_HOST_PART}\.)+[a-z][a-z0-9-]{{0,61}}[a-z0-9]")
# As allauth makes them.
_REGISTERED_ID = re.compile(r"[0-9a-f]{32}")

NOT_AN_ID = "It is not the address of a client's metadata on the public internet."
NOT_ON_THE_LIST = "Whoever runs this server lets only some assistants in, and not this one."
OTHER_METADATA = "What lies at its address does not describe it."
NOT_REGISTERED = "This server does not know it."
UNKNOWN_PROOF = "It wants to prove itself in a way that this server does not know."
BAD_REDIRECT = "It names an address to return to that is not safe."


@dataclass(frozen=True, slots=True)
class ClientLook:
    """How a client is shown to people. name: as it calls itself; empty if nobody can read that for
    sure. host: that of its id, or where it is sent what it gets. is_verified: whether the host is
    that of its id. returns_to: the host or application that gets the answer. is_local: whether that
    is a program on the person's own device."""

    name: str
    host: str
    is_verified: bool
    returns_to: str
    is_local: bool


def is_metadata_address(client_id: str) -> bool:
    """Whether a client's id is the address of its metadata."""
    return client_id.startswith("https:")


def get_client(client_id: str) -> Client:
    """The client of this id, with the metadata fetched now. Raises ClientMetadataError."""
    if not is_metadata_address(client_id):
        return get_registered_client(client_id)
    _check_metadata_address(client_id)
    metadata = fetch_metadata(client_id)
    if not isinstance(metadata, dict) or metadata.get("client_id") != client_id:
        raise ClientMetadataError(OTHER_METADATA)
    name = metadata.get("client_name", "")
    # Without a secret: allauth would make one, which takes as long as checking a password.
    client = Client(
        id=client_id, name=name if isinstance(name, str) else "", type=PUBLIC, secret=""
    )
    client.set_redirect_uris(_texts(metadata, "redirect_uris", ()))
    if (
        "authorization_code" not in _texts(metadata, "grant_types", ("authorization_code",))
        or "code" not in _texts(metadata, "response_types", ("code",))
        or not _does_without_secret(metadata)
    ):
        raise ClientMetadataError(UNKNOWN_PROOF)
    check_redirects(client.get_redirect_uris())
    return client


def _texts(metadata: dict[str, Any], name: str, otherwise: Sequence[str]) -> list[str]:
    """A list of texts, or what it is without that field. Raises ClientMetadataError."""
    found = metadata.get(name, list(otherwise))
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ClientMetadataError(OTHER_METADATA)
    return found


def _does_without_secret(metadata: dict[str, Any]) -> bool:
    """Whether the client can ask for tokens as a public one: its metadata is no secret."""
    others = metadata.get("token_endpoint_auth_methods_supported")
    can_do = isinstance(others, list) and "none" in others
    return can_do or metadata.get("token_endpoint_auth_method", "none") == "none"


def get_registered_client(client_id: str) -> Client:
    """The client that registered itself with this id. Raises ClientMetadataError."""
    client: Client | None = None
    if app_settings.DCR_ENABLED and _REGISTERED_ID.fullmatch(client_id):
        client = Client.objects.filter(id=client_id).first()
    if client is None:
        raise ClientMetadataError(NOT_REGISTERED)
    return client


def find_token_client(client_id: str) -> Client | None:
    """The client that asks for tokens. The code or token that it shows was made for this id, so
    nothing is fetched for an id that is an address."""
    try:
        if not is_metadata_address(client_id):
            return get_registered_client(client_id)
        _check_metadata_address(client_id)
    except ClientMetadataError:
        return None
    return Client(id=client_id, type=PUBLIC, secret="")


def _check_metadata_address(client_id: str) -> None:
    """Raises ClientMetadataError for what is no address of metadata, and for a host that is not
    let in here."""
    try:
        cimd.validate_client_id(client_id)
        parts = urlsplit(client_id)
        # A port would let anybody look for services of other hosts from here.
        if parts.port is not None or not _PLAIN_ADDRESS.fullmatch(client_id):
            raise ClientMetadataError(NOT_AN_ID)
    except (ValidationError, ValueError) as error:
        raise ClientMetadataError(NOT_AN_ID) from error
    if not _HOST.fullmatch(parts.netloc):
        raise ClientMetadataError(NOT_AN_ID)
    if settings.OAUTH_CLIENT_HOSTS and parts.netloc not in settings.OAUTH_CLIENT_HOSTS:
        raise ClientMetadataError(NOT_ON_THE_LIST)


def check_redirects(addresses: Iterable[str]) -> None:
    """Check where a client wants its answers sent. Raises ClientMetadataError.

    By https; to a program on the person's device by http; or to an application by a scheme of its
    own.
    """
    known = list(addresses)
    if not known or len(known) > MAX_REDIRECTS or not all(map(_is_safe_redirect, known)):
        raise ClientMetadataError(BAD_REDIRECT)


def _is_safe_redirect(address: str) -> bool:
    if len(address) > MAX_REDIRECT_CHARACTERS or not _REDIRECT.fullmatch(address):
        return False
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not _SCHEME.fullmatch(parts.scheme) or "@" in parts.netloc:
        return False
    if parts.scheme == "https":
        return bool(host)
    if parts.scheme == "http":
        return host in LOOPBACK_HOSTS
    return parts.scheme not in _FORBIDDEN_SCHEMES


def is_redirect_of(client: Client, address: str) -> bool:
    """Whether a client may be sent back here: letter by letter an address of its metadata. Of a
    program on the person's device the port is chosen anew each time (RFC 8252)."""
    known = client.get_redirect_uris()
    return _is_safe_redirect(address) and (
        address in known or any(_is_other_port(address, one) for one in known)
    )


def _is_other_port(address: str, known: str) -> bool:
    asked, allowed = urlsplit(address), urlsplit(known)
    return (
        allowed.scheme == asked.scheme == "http"
        and allowed.hostname in LOOPBACK_HOSTS
        and asked.hostname == allowed.hostname
        and (asked.path, asked.query) == (allowed.path, allowed.query)
    )


def describe_client(client: Client, redirect_uri: str) -> ClientLook:
    """How a client is shown that wants to be sent back to this address."""
    target = urlsplit(redirect_uri)
    is_local = target.scheme == "http"
    is_web = target.scheme == "https"
    returns_to = (target.hostname or "") if is_web or is_local else f"{target.scheme} application"
    is_verified = is_metadata_address(client.id)
    return ClientLook(
        name=shown_name(client.name),
        host=urlsplit(client.id).netloc if is_verified else returns_to,
        is_verified=is_verified,
        returns_to=returns_to,
        is_local=is_local,
    )


def shown_name(name: str) -> str:
    """A client's name in at most MAX_NAME_CHARACTERS; empty if it cannot be read for sure, as with
    signs that nobody sees or that turn the direction of writing."""
    words = " ".join(name.split())
    if not words or name_fault(words):
        return ""
    return words if len(words) <= MAX_NAME_CHARACTERS else f"{words[: MAX_NAME_CHARACTERS - 1]}…"


def form_target(redirect_uri: str) -> str:
    """The origin or scheme to which the page of consent leads, for the Content-Security-Policy."""
    parts = urlsplit(redirect_uri)
    if parts.scheme not in ("http", "https") or _is_ipv6(parts.hostname or ""):
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}"


def _is_ipv6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False
