"""Read the new mails of a folder on an IMAP server (RFC 3501) that somebody else named.

The protocol is spoken by `imaplib` of the standard library: it leaves each read and the connection
to the class that extends it, so that time, lines and bytes are bounded here. Nothing on the server
changes: the folder is opened with EXAMINE, and the mails are read with BODY.PEEK.
"""

import imaplib
import io
import re
import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from orgs.outbound.public_addresses import (
    CallFailure,
    Resolve,
    find_public_addresses,
    public_tls,
    resolve_host,
    run_call,
)

# For an answer, and for the whole conversation. A batch is begun only if its answer has its time.
SECONDS, MAX_SECONDS = 10.0, 60.0
MAX_LINE_BYTES, MAX_ANSWER_LINES, MAX_ANSWER_BYTES = 65_536, 5_000, 4_000_000
# Mails of one answer.
BATCH_SIZE = 10
ENCRYPTIONS = TLS, STARTTLS = ("tls", "starttls")
MailboxError = (
    CallFailure | Literal["", "refused", "unreadable", "credentials", "folder", "unencrypted"]
)
_UID = re.compile(rb"\bUID (\d{1,10})\b")
# The server is away for a while; the credentials may be right (RFC 5530).
_AWAY = re.compile(r"\[(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CONTACTADMIN)\]")
_SPECIAL = re.compile(r"[^\x20-\x7e]+|&")


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A folder on a server. encryption: one of ENCRYPTIONS."""

    host: str
    port: int
    encryption: str
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"


@dataclass(frozen=True, slots=True)
class MailboxPosition:
    """Up to which mail a folder was read. validity: of its UIDs; the server changes it when it
    gives its mails other ones."""

    validity: int = 0
    last_uid: int = 0


@dataclass(frozen=True, slots=True)
class MailboxResult:
    """mails: the new ones, the oldest first. error: why there are none, else empty."""

    mails: Sequence[bytes]
    position: MailboxPosition
    error: MailboxError = ""


class _HostileAnswerError(Exception):
    """The answer of the server is longer than any that was asked for."""


def fetch_mails(
    mailbox: Mailbox,
    *,
    position: MailboxPosition,
    most_mails: int,
    most_bytes: int,
    most_mail_bytes: int,
    private_hosts: Collection[str] = (),
    resolve: Resolve = resolve_host,
    tls: ssl.SSLContext | None = None,
) -> MailboxResult:
    """What came after `position`, of the newest `most_mails` in the folder, and of each mail its
    first `most_mail_bytes`. What is more than `most_bytes`, or takes longer than MAX_SECONDS, is
    left to the next call.

    private_hosts, resolve, tls: see `fetch_file`.
    """
    looked_up = run_call(
        find_public_addresses(mailbox.host, resolve, private_hosts), seconds=SECONDS
    )
    if isinstance(looked_up, str):
        return MailboxResult([], position, looked_up)
    limits = _Limits(most_mails, most_bytes, most_mail_bytes)
    try:
        connection = _Connection(mailbox, looked_up, tls or public_tls(), most_mail_bytes)
        try:
            found = _read_new(connection, mailbox, position, limits)
        finally:
            with suppress(imaplib.IMAP4.error, OSError, _HostileAnswerError, ValueError):
                connection.close_now()
    except TimeoutError:
        return MailboxResult([], position, "timeout")
    except OSError:
        # ssl.SSLError is one as well.
        return MailboxResult([], position, "unreachable")
    except imaplib.IMAP4.abort:
        return MailboxResult([], position, "refused")
    except (imaplib.IMAP4.error, _HostileAnswerError, TypeError, ValueError, LookupError):
        return MailboxResult([], position, "unreadable")
    return found if isinstance(found, MailboxResult) else MailboxResult([], position, found)


@dataclass(frozen=True, slots=True)
class _Limits:
    mails: int
    size: int
    mail_size: int


class _Stream(io.RawIOBase):
    """The bytes of a connection, each portion within the time of the answer."""

    def __init__(self, owner: "_Connection", connection: socket.socket) -> None:
        self._owner, self.connection = owner, connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.connection.settimeout(self._owner.seconds_left())
        return self.connection.recv_into(buffer)


class _Connection(imaplib.IMAP4):
    """A conversation with bounds. Raises OSError, IMAP4.error and _HostileAnswerError."""

    def __init__(
        self, mailbox: Mailbox, addresses: Sequence[str], tls: ssl.SSLContext, most_literal: int
    ) -> None:
        self._mailbox, self._addresses, self.tls = mailbox, addresses, tls
        self._most_literal = most_literal
        self._end_at = time.monotonic() + MAX_SECONDS
        self._begin_answer()
        super().__init__(mailbox.host, mailbox.port)

    def open(self, host: str = "", port: int = 0, timeout: float | None = None) -> None:
        """Connect to an address that was checked; the certificate has to be of the name."""
        self.host, self.port = host, port
        plain = self._connect_any()
        try:
            self.sock = plain
            if self._mailbox.encryption == TLS:
                self.sock = self.tls.wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise
        self.file = self.sock.makefile("rb")
        self._make_reader()

    def _connect_any(self) -> socket.socket:
        *others, last = self._addresses
        for address in others:
            with suppress(ConnectionError, TimeoutError):
                return socket.create_connection(
                    (address, self.port), timeout=self.seconds_left() / len(self._addresses)
                )
        return socket.create_connection((last, self.port), timeout=self.seconds_left())

    def _make_reader(self) -> None:
        self._reader: io.BufferedReader[Any] = io.BufferedReader(_Stream(self, self.sock))
        self._reader_of = self.sock

    def _begin_answer(self) -> None:
        self._answer_at = time.monotonic() + SECONDS
        self._lines = self._bytes = 0

    def seconds_left(self) -> float:
        """Of the answer. Raises TimeoutError."""
        left = min(self._answer_at, self._end_at) - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def has_time(self) -> bool:
        """Whether another answer may take its whole time."""
        return self._end_at - time.monotonic() > SECONDS

    def send(self, data: bytes) -> None:  # type: ignore[override]
        self._begin_answer()
        self.sock.settimeout(self.seconds_left())
        super().send(data)

    def read(self, size: int) -> bytes:
        self._bytes += size
        # Before it is read: the size is what the server says.
        if size > self._most_literal or self._bytes > MAX_ANSWER_BYTES:
            raise _HostileAnswerError
        return self._current_reader().read(size)

    def readline(self) -> bytes:
        line = self._current_reader().readline(MAX_LINE_BYTES + 1)
        self._lines += 1
        self._bytes += len(line)
        is_long = len(line) > MAX_LINE_BYTES
        if is_long or self._lines > MAX_ANSWER_LINES or self._bytes > MAX_ANSWER_BYTES:
            raise _HostileAnswerError
        return line

    def _current_reader(self) -> "io.BufferedReader[Any]":
        # What came before the encryption and was not read yet is no word of the server.
        if self._reader_of is not self.sock:
            self._make_reader()
        return self._reader

    def close_now(self) -> None:
        """Say goodbye, if there is time, and close."""
        try:
            self.sock.settimeout(1.0)
            super().send(b"BYE LOGOUT\r\n")
        finally:
            self.shutdown()


def _read_new(
    connection: _Connection, mailbox: Mailbox, position: MailboxPosition, limits: _Limits
) -> MailboxResult | MailboxError:
    if error := _sign_in(connection, mailbox):
        return error
    answer, [counted, *_] = connection.select(_quote(_encode_folder(mailbox.folder)), readonly=True)
    if answer != "OK":
        return "folder"
    validity = int(connection.response("UIDVALIDITY")[1][0] or b"")
    last_uid = position.last_uid if position.validity == validity else 0
    new = [
        uid for uid in _list_newest(connection, int(counted or b""), limits.mails) if uid > last_uid
    ]
    mails: list[bytes] = []
    for start in range(0, len(new), BATCH_SIZE):
        batch = new[start : start + BATCH_SIZE]
        size = sum(map(len, mails)) + len(batch) * limits.mail_size
        if start and (size > limits.size or not connection.has_time()):
            break
        mails += _fetch_batch(connection, batch, limits.mail_size)
        last_uid = batch[-1]
    return MailboxResult(mails, MailboxPosition(validity, last_uid))


def _sign_in(connection: _Connection, mailbox: Mailbox) -> MailboxError:
    if mailbox.encryption == STARTTLS:
        if "STARTTLS" not in connection.capabilities or connection.state != "NONAUTH":
            return "unencrypted"
        connection.starttls(connection.tls)
    try:
        if "AUTH=PLAIN" in connection.capabilities:
            said = f"\0{mailbox.user}\0{mailbox.password}".encode()
            connection.authenticate("PLAIN", lambda _: said)
        else:
            connection.login(_quote(mailbox.user), mailbox.password)
    except imaplib.IMAP4.abort:
        raise
    except UnicodeEncodeError:
        return "credentials"
    except imaplib.IMAP4.error as error:
        return "refused" if _AWAY.search(str(error)) else "credentials"
    return ""


def _list_newest(connection: _Connection, count: int, most: int) -> list[int]:
    """The UIDs of the newest mails, ascending. By their numbers: a search would list all."""
    if count < 1:
        return []
    answer, data = connection.fetch(f"{max(1, count - most + 1)}:{count}", "(UID)")
    if answer != "OK":
        raise connection.abort("FETCH")
    lines = [one for one in data if isinstance(one, bytes)]
    return sorted({int(found[1]) for one in lines if (found := _UID.search(one))})[-most:]


def _fetch_batch(connection: _Connection, batch: Sequence[int], most: int) -> list[bytes]:
    """The beginnings of these mails, in their order; without those that are gone meanwhile."""
    wanted = ",".join(map(str, batch))
    answer, data = connection.uid("FETCH", wanted, f"(UID BODY.PEEK[]<0.{most}>)")
    if answer != "OK":
        raise connection.abort("FETCH")
    found: dict[int, bytes] = {}
    for part, after in zip(data, [*data[1:], None], strict=True):
        if not isinstance(part, tuple):
            continue
        tail = after if isinstance(after, bytes) else b""
        if uid := _UID.search(part[0]) or _UID.search(tail):
            found[int(uid[1])] = part[1]
    return [found[uid] for uid in batch if uid in found]


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _encode_folder(name: str) -> str:
    """A name in modified UTF-7 (RFC 3501, 5.1.3)."""

    def encode(found: re.Match[str]) -> str:
        if found[0] == "&":
            return "&-"
        coded = b64encode(found[0].encode("utf-16-be")).decode()
        return f"&{coded.rstrip('=').replace('/', ',')}-"

    return _SPECIAL.sub(encode, name)
