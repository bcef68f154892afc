"""Syslog servers of the tests: real sockets on this machine."""

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_FRAME = re.compile(rb"(\d+) ")


@dataclass
class Listener:
    """address: as the setting wants it. messages: what came, whole ones only."""

    address: str
    messages: list[bytes] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


@contextmanager
def listening_by_udp() -> Iterator[Listener]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        found = Listener(f"udp://127.0.0.1:{server.getsockname()[1]}")
        yield found
        server.settimeout(0.5)
        with suppress(TimeoutError):
            while True:
                found.messages.append(server.recv(65_536))


@contextmanager
def listening_by_tcp(
    certificate: str = "", *, breaks_after: int = -1, port: int = 0
) -> Iterator[Listener]:
    """certificate: a file, for TLS. breaks_after: resets each connection behind so many bytes."""
    server = socket.create_server(("127.0.0.1", port))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
    if context:
        context.load_cert_chain(certificate)
    scheme = "tls://localhost" if certificate else "tcp://127.0.0.1"
    found = Listener(f"{scheme}:{server.getsockname()[1]}")

    def serve() -> None:
        while True:
            try:
                taken, _ = server.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(taken, server_side=True) if context else taken as one:
                    one.settimeout(10)
                    read = b""
                    while part := one.recv(4_096):
                        read += part
                        if 0 <= breaks_after <= len(read):
                            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                            break
                    found.messages += _unframed(read)
                    if context and breaks_after < 0:
                        one.unwrap()  # type: ignore[attr-defined]
            except OSError as error:
                found.broken.append(type(error).__name__)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(10)


def _unframed(read: bytes) -> Iterator[bytes]:
    while match := _FRAME.match(read):
        size, begin = int(match[1]), match.end()
        if len(read) < begin + size:
            return
        yield read[begin : begin + size]
        read = read[begin + size :]
