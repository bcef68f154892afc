"""Fetch the metadata of a client from the address that is its id.

Anybody who signs in can name an address, so the server must not be led into its own network: the
name is looked up once, every address behind it has to be public, and the connection goes to the
address that was checked. No redirect is followed, and time and size are bounded.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import httpcore2
import orjson

from robots.oauth.errors import ClientMetadataError

SECONDS = 4.0
MAX_BYTES = 5 * 1024
HTTPS_PORT = 443
# Of one name so many are tried, in the order of the look-up.
MAX_ADDRESSES = 4
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Awaitable[list[str]]]

NOT_PUBLIC = "Its address leads into a private network."
NOT_REACHED = "It cannot be reached."
TOO_SLOW = "It takes too long."
TOO_LARGE = f"It is larger than {MAX_BYTES} bytes."
NOT_JSON = "It is not JSON."


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


async def resolve_host(host: str) -> list[str]:
    """The addresses of a host. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, HTTPS_PORT, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class PublicBackend(httpcore2.AnyIOBackend):
    """Connects to hosts all of whose addresses are public, and to the address that was checked."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            addresses = await self._resolve(host)
        except OSError as error:
            raise ClientMetadataError(NOT_REACHED) from error
        # An address with a zone ("fe80::1%eth0") is one of this machine's own networks.
        if not addresses or not all(_is_public_text(one) for one in addresses):
            raise ClientMetadataError(NOT_PUBLIC)
        *others, last = addresses[:MAX_ADDRESSES]
        for address in others:
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await super().connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
        return await super().connect_tcp(last, port, timeout, local_address, socket_options)


def _is_public_text(address: str) -> bool:
    try:
        return is_public(ipaddress.ip_address(address))
    except ValueError:
        return False


async def _fetch(address: str, resolve: Resolve, tls: ssl.SSLContext) -> bytes:
    backend = PublicBackend(resolve)
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with (
        httpcore2.AsyncConnectionPool(ssl_context=tls, network_backend=backend) as pool,
        pool.stream("GET", address, headers=headers) as response,
    ):
        if response.status != 200:
            raise ClientMetadataError(f"It answers with the status {response.status}.")
        content = b""
        async for part in response.aiter_stream():
            content += part
            if len(content) > MAX_BYTES:
                raise ClientMetadataError(TOO_LARGE)
        return content


def fetch_metadata(
    address: str, *, resolve: Resolve = resolve_host, tls: ssl.SSLContext | None = None
) -> Any:
    """The JSON at an address of https without a port, read within SECONDS. Raises
    ClientMetadataError.

    resolve: how a name is looked up. tls: whom the connection trusts.
    """
    # Not `asyncio.run`, which would wait for the look-up of a name after the time is over.
    loop = asyncio.new_event_loop()
    trusted = tls or ssl.create_default_context()
    try:
        content = loop.run_until_complete(
            asyncio.wait_for(_fetch(address, resolve, trusted), SECONDS)
        )
        return orjson.loads(content)
    except TimeoutError as error:
        raise ClientMetadataError(TOO_SLOW) from error
    except orjson.JSONDecodeError as error:
        raise ClientMetadataError(NOT_JSON) from error
    except _TRANSPORT_ERRORS as error:
        raise ClientMetadataError(NOT_REACHED) from error
    finally:
        loop.close()


_TRANSPORT_ERRORS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    OSError,
)
