"""Messages for a syslog server: RFC 5424, over UDP (RFC 5426), TCP with counted octets (RFC 6587),
TLS (RFC 5425), or a socket of this machine. Without Django, because the settings read addresses.
"""

import contextlib
import fcntl
import socket
import ssl
import struct
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

# Facility 13, "log audit", and severity 6, "informational".
_PRIORITY = 13 * 8 + 6
PORTS = {"udp": 514, "tcp": 601, "tls": 6514}
CONNECT_SECONDS = 5.0
# For the whole of what is sent at once, and for the server to say that it has read all.
SEND_SECONDS = 10.0
CONFIRM_SECONDS = 3.0


class SyslogAwayError(Exception):
    """The server did not take the messages; the message is the kind of the error."""


@dataclass(frozen=True, slots=True)
class SyslogServer:
    """transport: udp, tcp, tls or unix. certificates: a file of those that TLS trusts; empty: those
    of the machine. path: of a socket of this machine."""

    transport: str
    host: str = ""
    port: int = 0
    path: str = ""
    certificates: str = ""


def parse_server(address: str, certificates: str = "") -> SyslogServer:
    """Read an address like tls://logs.example.org:6514 or unix:///dev/log. Raises ValueError with a
    sentence."""
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme == "unix" and parts.path and not parts.netloc:
        return SyslogServer("unix", path=unquote(parts.path))
    known = parts.scheme in PORTS and parts.hostname and not parts.path.strip("/")
    if not known or port == -1 or parts.query or parts.username:
        raise ValueError(
            f"{address!r} is no syslog server; it has to be like udp://host:514, tcp://host:601, "
            "tls://host:6514 or unix:///dev/log."
        )
    return SyslogServer(
        parts.scheme, parts.hostname or "", port or PORTS[parts.scheme], certificates=certificates
    )


def render_message(*, at: datetime, host: str, kind: str, body: bytes) -> bytes:
    """One message. host: the name of the sender; kind: at most 32 bytes of it are its MSGID. Both
    are printable ASCII; what is not becomes `?`."""
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    header = f"<{_PRIORITY}>1 {stamp} {_word(host, 255)} commonmind - {_word(kind, 32)} - "
    return header.encode("ascii") + body


def _word(text: str, most: int) -> str:
    kept = "".join(one if "!" <= one <= "~" else "?" for one in text[:most])
    return kept or "-"


def send_messages(server: SyslogServer, messages: Sequence[bytes]) -> None:
    """Send them over one connection. Raises SyslogAwayError if it is not sure that all came.

    By TCP and TLS it is sure when the server, told that nothing more follows, ends the connection,
    or when its machine has acknowledged each byte. By UDP nothing ever is.
    """
    try:
        with contextlib.closing(_connect(server)) as connection:
            if connection.type == socket.SOCK_DGRAM:
                for message in messages:
                    connection.send(message)
            else:
                until = time.monotonic() + SEND_SECONDS
                for part in _framed(messages):
                    connection.settimeout(max(0.01, until - time.monotonic()))
                    connection.sendall(part)
                _confirm(connection)
    except OSError as error:
        # ssl.SSLError and the errors of name servers are OSErrors.
        raise SyslogAwayError(type(error).__name__) from None


def _connect(server: SyslogServer) -> socket.socket:
    if server.transport == "unix":
        local = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        return _connected(local, server.path)
    if server.transport == "udp":
        [(family, kind, protocol, _, place), *_] = socket.getaddrinfo(
            server.host, server.port, type=socket.SOCK_DGRAM
        )
        return _connected(socket.socket(family, kind, protocol), place)
    plain = socket.create_connection((server.host, server.port), timeout=CONNECT_SECONDS)
    if server.transport == "tcp":
        return plain
    try:
        context = ssl.create_default_context(cafile=server.certificates or None)
        return context.wrap_socket(plain, server_hostname=server.host)
    except BaseException:
        plain.close()
        raise


def _connected(made: socket.socket, place: object) -> socket.socket:
    try:
        made.settimeout(CONNECT_SECONDS)
        made.connect(place)  # type: ignore[arg-type]
    except BaseException:
        made.close()
        raise
    return made


def _framed(messages: Sequence[bytes]) -> Iterator[bytes]:
    """Counted octets, in parts of at most 64 KB."""
    part = b""
    for message in messages:
        part += b"%d %s" % (len(message), message)
        if len(part) > 64 * 1024:
            yield part
            part = b""
    if part:
        yield part


def _confirm(connection: socket.socket) -> None:
    """Wait until the server has read all. Raises OSError if it cannot be known."""
    connection.settimeout(CONFIRM_SECONDS)
    try:
        if isinstance(connection, ssl.SSLSocket):
            # Some servers end the connection without a word of TLS, which is as good.
            with contextlib.suppress(ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError):
                connection.unwrap()
            return
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4_096):
            pass
    except TimeoutError:
        # A server that never closes: what its machine has is taken as read.
        if _unacknowledged(connection):
            raise


def _unacknowledged(connection: socket.socket) -> int:
    """Bytes that the other machine has not acknowledged."""
    found = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, struct.pack("i", 0))
    return int(struct.unpack("i", found)[0])
