"""Connect only to addresses of the public internet.

Somebody else names the host, so the server must not be led into its own network: the name is looked
up once, every address behind it has to be public, and the connection goes to the address that was
checked. Who calls follows no redirect, and bounds time and size.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable
from contextlib import suppress
from functools import cache
from typing import Any, Literal, TypeVar

import httpcore2

# Of one name so many are tried, in the order of the look-up.
MAX_ADDRESSES = 4
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Awaitable[list[str]]]
CallFailure = Literal["timeout", "unreachable"]
Answer = TypeVar("Answer")

# What a call raises, besides `AddressError`, if nobody is reached or the answer is none of HTTP.
TRANSPORT_ERRORS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    OSError,
)


class AddressError(Exception):
    """The host has no address, or one that is not public."""


class UnknownHostError(AddressError):
    """The host has no address."""


class PrivateAddressError(AddressError):
    """An address of the host leads into a private network."""


def is_public(address: IPAddress) -> bool:
    """Whether an address belongs to the public internet; for one that carries another address, both
    have to."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.teredo or address.is_site_local:
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (address.is_multicast or address.is_reserved)


def is_public_text(address: str) -> bool:
    """`is_public` for a text; False for what is no address."""
    try:
        return is_public(ipaddress.ip_address(address))
    except ValueError:
        return False


async def resolve_host(host: str) -> list[str]:
    """The addresses of a host. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def find_public_addresses(
    host: str, resolve: Resolve, private_hosts: Collection[str]
) -> list[str]:
    """The first MAX_ADDRESSES addresses of a host, all of whose addresses are public; but
    private_hosts, names and addresses in lower case, may lead into a private network. Raises
    AddressError."""
    try:
        addresses = await resolve(host)
    except (OSError, UnicodeError) as error:
        raise UnknownHostError(host) from error
    # An address with a zone ("fe80::1%eth0") is one of this machine's own networks.
    all_public = bool(addresses) and all(is_public_text(one) for one in addresses)
    if not all_public and (not addresses or host.lower() not in private_hosts):
        raise PrivateAddressError(host)
    return addresses[:MAX_ADDRESSES]


class PublicBackend(httpcore2.AnyIOBackend):
    """Connects to hosts all of whose addresses are public, and to the address that was checked.

    private_hosts: see `find_public_addresses`.
    """

    def __init__(self, resolve: Resolve, private_hosts: Collection[str] = ()) -> None:
        self._resolve, self._private_hosts = resolve, private_hosts

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await find_public_addresses(host, self._resolve, self._private_hosts)
        *others, last = addresses
        for address in others:
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await super().connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
        return await super().connect_tcp(last, port, timeout, local_address, socket_options)


@cache
def public_tls() -> ssl.SSLContext:
    """A context that trusts whom the machine trusts; reading the certificates takes a while."""
    return ssl.create_default_context()


def run_call(call: Coroutine[Any, Any, Answer], *, seconds: float) -> Answer | CallFailure:
    """What a call through a `PublicBackend` answers, or why it has no answer. seconds: for the
    look-up, the connection and the answer together."""
    # Not `asyncio.run`, which would wait for the look-up of a name after the time is over.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asyncio.wait_for(call, seconds))
    except TimeoutError:
        return "timeout"
    except (AddressError, *TRANSPORT_ERRORS):
        return "unreachable"
    finally:
        loop.close()
