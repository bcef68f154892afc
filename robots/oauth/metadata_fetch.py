"""Fetch the metadata of a client from the address that is its id.

Anybody who signs in can name an address, so `orgs/outbound/public_addresses.py` connects. No
redirect is followed, and time and size are bounded.
"""

import asyncio
import ssl
from typing import Any

import httpcore2
import orjson

from orgs.outbound.public_addresses import (
    TRANSPORT_ERRORS,
    PrivateAddressError,
    PublicBackend,
    Resolve,
    UnknownHostError,
    resolve_host,
)
from robots.oauth.errors import ClientMetadataError

SECONDS = 4.0
MAX_BYTES = 5 * 1024

NOT_PUBLIC = "Its address leads into a private network."
NOT_REACHED = "It cannot be reached."
TOO_SLOW = "It takes too long."
TOO_LARGE = f"It is larger than {MAX_BYTES} bytes."
NOT_JSON = "It is not JSON."


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
    except PrivateAddressError as error:
        raise ClientMetadataError(NOT_PUBLIC) from error
    except (UnknownHostError, *TRANSPORT_ERRORS) as error:
        raise ClientMetadataError(NOT_REACHED) from error
    finally:
        loop.close()
