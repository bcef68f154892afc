"""Fetch one file from an address that somebody else named."""

import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import httpcore2

from orgs.outbound.public_addresses import (
    CallFailure,
    PublicBackend,
    Resolve,
    public_tls,
    resolve_host,
    run_call,
)

# For the look-up, the connection and the whole answer together.
SECONDS = 10.0
NOT_MODIFIED = 304
FetchError = CallFailure | Literal["", "redirect", "refused", "too-large", "encoded"]


@dataclass(frozen=True, slots=True)
class FetchResult:
    """body: None if the file is the same as before, or if error says why there is none. etag,
    modified: what the server said of the file, empty if it said nothing."""

    body: bytes | None
    error: FetchError = ""
    etag: str = ""
    modified: str = ""


def fetch_file(
    url: str,
    *,
    most: int,
    etag: str = "",
    modified: str = "",
    private_hosts: Collection[str] = (),
    resolve: Resolve = resolve_host,
    tls: ssl.SSLContext | None = None,
) -> FetchResult:
    """GET at most `most` bytes within SECONDS. No redirect is followed.

    etag, modified: of the former file, which is not sent again if it is still the same.
    private_hosts: see `PublicBackend`. resolve, tls: how a name is looked up, and whom the
    connection trusts.
    """
    backend = PublicBackend(resolve, private_hosts)
    known = {"If-None-Match": etag, "If-Modified-Since": modified}
    done = run_call(_get(url, known, most, backend, tls or public_tls()), seconds=SECONDS)
    return done if isinstance(done, FetchResult) else FetchResult(None, done)


async def _get(
    url: str, known: Mapping[str, str], most: int, backend: PublicBackend, tls: ssl.SSLContext
) -> FetchResult:
    headers: list[tuple[bytes | str, bytes | str]] = [
        ("User-Agent", "Commonmind-Subscriptions/1"),
        # What is packed small may be large.
        ("Accept-Encoding", "identity"),
        *((name, value) for name, value in known.items() if value),
    ]
    async with (
        httpcore2.AsyncConnectionPool(ssl_context=tls, network_backend=backend) as pool,
        pool.stream("GET", url, headers=headers) as response,
    ):
        if error := _find_error(response):
            return FetchResult(None, error)
        etag, modified = _header(response, b"etag"), _header(response, b"last-modified")
        if response.status == NOT_MODIFIED:
            return FetchResult(None, etag=etag, modified=modified)
        body = bytearray()
        async for part in response.aiter_stream():
            body += part
            if len(body) > most:
                return FetchResult(None, "too-large")
        return FetchResult(bytes(body), etag=etag, modified=modified)


def _find_error(response: httpcore2.Response) -> FetchError:
    if response.status == NOT_MODIFIED:
        return ""
    if 300 <= response.status < 400:
        return "redirect"
    if response.status != 200:
        return "refused"
    return "" if _header(response, b"content-encoding") in ("", "identity") else "encoded"


def _header(response: httpcore2.Response, wanted: bytes) -> str:
    """The header in plain characters, or nothing."""
    found = next((value for name, value in response.headers if name.lower() == wanted), b"")
    text = found.decode("latin-1")
    return text if text.isascii() and text.isprintable() else ""
