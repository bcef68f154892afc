"""Send one message to an address that somebody else named."""

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

# For the look-up, the connection and the answer together.
SECONDS = 10.0
# So much of the answer's body is read and thrown away; the rest is not waited for.
MAX_ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class PostResult:
    """status: of the answer; None if there was none, and then error says why."""

    status: int | None
    error: CallFailure | Literal[""] = ""


def post_message(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    private_hosts: Collection[str] = (),
    resolve: Resolve = resolve_host,
    tls: ssl.SSLContext | None = None,
) -> PostResult:
    """POST JSON within SECONDS. No redirect is followed: its status is the answer. private_hosts:
    see `PublicBackend`. resolve, tls: how a name is looked up, and whom the connection trusts."""
    backend = PublicBackend(resolve, private_hosts)
    done = run_call(_post(url, body, headers, backend, tls or public_tls()), seconds=SECONDS)
    return PostResult(done) if isinstance(done, int) else PostResult(None, done)


async def _post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    backend: PublicBackend,
    tls: ssl.SSLContext,
) -> int:
    given: list[tuple[bytes | str, bytes | str]] = [
        ("Content-Type", "application/json"),
        ("User-Agent", "Commonmind-Webhooks/1"),
        *headers.items(),
    ]
    async with (
        httpcore2.AsyncConnectionPool(ssl_context=tls, network_backend=backend) as pool,
        pool.stream("POST", url, headers=given, content=body) as response,
    ):
        read = 0
        async for part in response.aiter_stream():
            read += len(part)
            if read > MAX_ANSWER_BYTES:
                break
        return int(response.status)
