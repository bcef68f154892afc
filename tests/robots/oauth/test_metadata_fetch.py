"""The fetch of a client's metadata: never into a private network, never for long, never much."""

import asyncio
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from orgs.outbound.public_addresses import is_public
from robots.oauth import metadata_fetch
from robots.oauth.errors import ClientMetadataError
from robots.oauth.metadata_fetch import MAX_BYTES, fetch_metadata
from tests.event_loop import in_own_thread, run_coroutine

HOST = "assistant.example"
ADDRESS = f"https://{HOST}/client.json"
fetch_alone = partial(in_own_thread, fetch_metadata)
PUBLIC, UNREACHABLE = "93.184.215.14", "2606:4700:4700::1111"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255",
        "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "240.0.0.1",
        "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fec0::1", "fc00::1",
        "fd12:3456::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:169.254.169.254", "2002:7f00:1::", "2002:a00:1::", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2001:0:53aa:64c:0:0:80ff:fffe",
    ],
)  # fmt: skip
def test_private_addresses_are_none_of_the_internet(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_public_addresses_are(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for HOST, with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("certificate")
    public, private = folder / "public.pem", folder / "private.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return public, private


@contextmanager
def https(certificate: tuple[Path, Path], serve: Serve) -> Iterator[int]:
    """A server of HOST on this machine. Yields its port."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    ports: list[int] = []
    started, stop = threading.Event(), threading.Event()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
        ports.append(server.sockets[0].getsockname()[1])
        started.set()
        while not stop.is_set():
            await asyncio.sleep(0.01)
        server.close()

    thread = threading.Thread(target=run_coroutine, args=(run(),))
    thread.start()
    started.wait(10)
    try:
        yield ports[0]
    finally:
        stop.set()
        thread.join(10)


def answering(content: bytes, status: str = "200 OK", *more: str) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *more, "", ""]
        writer.write("\r\n".join(head).encode() + content)
        try:
            await writer.drain()
            await reader.read()
        except OSError:
            pass
        finally:
            writer.close()

    return serve


@pytest.fixture
def fetch(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Any, list[str], list[str]]]:
    """Fetches from a server; answers (the JSON, names looked up, addresses connected to)."""

    def call(serve: Serve, *addresses: str) -> tuple[Any, list[str], list[str]]:
        looked_up: list[str] = []
        connected: list[str] = []

        async def resolve(host: str) -> list[str]:
            looked_up.append(host)
            return list(addresses or (PUBLIC,))

        with https(certificate, serve) as port:
            there = httpcore2.AnyIOBackend.connect_tcp

            async def connect(self: Any, host: str, *_: Any, **__: Any) -> Any:
                connected.append(host)
                if host == UNREACHABLE:
                    raise httpcore2.ConnectError
                return await there(self, "127.0.0.1", port)

            monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect)
            tls = ssl.create_default_context(cafile=str(certificate[0]))
            try:
                return fetch_alone(ADDRESS, resolve=resolve, tls=tls), looked_up, connected
            finally:
                monkeypatch.undo()

    return call


def test_the_connection_goes_to_the_address_that_was_checked(fetch: Any) -> None:
    found, looked_up, connected = fetch(answering(json.dumps({"client_id": ADDRESS}).encode()))
    assert found == {"client_id": ADDRESS}
    assert (looked_up, connected) == ([HOST], [PUBLIC])


def test_another_address_of_the_name_is_tried(fetch: Any) -> None:
    _, looked_up, connected = fetch(answering(b"{}"), UNREACHABLE, PUBLIC)
    assert (looked_up, connected) == ([HOST], [UNREACHABLE, PUBLIC])


@pytest.mark.parametrize(
    "addresses",
    [("127.0.0.1",), ("10.1.2.3",), ("169.254.169.254",), ("::1",), ("fe80::1%eth0",),
     (PUBLIC, "127.0.0.1"), ("nonsense",)],
)  # fmt: skip
def test_a_name_with_a_private_address_is_not_connected_to(
    fetch: Any, monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]
) -> None:
    with pytest.raises(ClientMetadataError, match="private network"):
        fetch(answering(b"{}"), *addresses)


def test_a_redirect_is_not_followed(fetch: Any) -> None:
    serve = answering(b"", "302 Found", "Location: https://10.0.0.1/client.json")
    with pytest.raises(ClientMetadataError, match="status 302"):
        fetch(serve)


@pytest.mark.parametrize("content", [b"x" * 10_000_000, b" " * (MAX_BYTES + 1)])
def test_what_is_large_is_not_read(fetch: Any, content: bytes) -> None:
    with pytest.raises(ClientMetadataError, match="larger than"):
        fetch(answering(content))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 5_000, b'{"a": NaN}'])
def test_what_is_no_json_is_refused(fetch: Any, content: bytes) -> None:
    with pytest.raises(ClientMetadataError, match="not JSON"):
        fetch(answering(content))


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the request and says nothing."""
    await reader.read()
    writer.close()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends a byte of a header now and then, for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    try:
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)
    except OSError:
        writer.close()


@pytest.mark.parametrize("serve", [silent, dripping])
def test_what_hangs_ends_in_time(fetch: Any, monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    with monkeypatch.context() as shorter:
        shorter.setattr(metadata_fetch, "SECONDS", 0.5)
        started = time.monotonic()
        with pytest.raises(ClientMetadataError, match="too long"):
            fetch(serve)
    assert time.monotonic() - started < 10


def test_a_look_up_that_hangs_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata_fetch, "SECONDS", 0.3)

    async def resolve(host: str) -> list[str]:
        await asyncio.sleep(60)
        return [PUBLIC]

    with pytest.raises(ClientMetadataError, match="too long"):
        fetch_alone(ADDRESS, resolve=resolve)


def test_a_certificate_for_another_name_is_refused(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(host: str) -> list[str]:
        return [PUBLIC]

    with https(certificate, answering(b"{}")) as port:
        there = httpcore2.AnyIOBackend.connect_tcp

        async def connect(self: Any, host: str, *_: Any, **__: Any) -> Any:
            return await there(self, "127.0.0.1", port)

        monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect)
        tls = ssl.create_default_context(cafile=str(certificate[0]))
        with pytest.raises(ClientMetadataError, match="cannot be reached"):
            fetch_alone("https://other.example/client.json", resolve=resolve, tls=tls)
