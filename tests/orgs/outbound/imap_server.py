"""An IMAP server of one folder on this machine, which may be hostile."""

import base64
import re
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from orgs.outbound.imap import Mailbox

USER, PASSWORD, FOLDER = "mina@example.org", 'canary "pass\\wörd', "INBOX"
DATE = "Mon, 02 Mar 2026 10:00:00 +0000"
FETCH = re.compile(r"FETCH (\S+) \((UID)?(?: ?BODY\.PEEK\[\]<0\.(\d+)>)?\)")


@dataclass
class ImapServer:
    """mails: by UID. plain: offers AUTH=PLAIN. starttls: begins without encryption; "" then means
    that it does not offer any. answers: raw answers instead of the usual ones, by command; TAG
    in one is that of the command, and an endless one is an iterator. hangs: commands that are never
    answered. asked: what came."""

    port: int = 0
    mails: dict[int, bytes] = field(default_factory=dict)
    validity: int = 7
    password: str = PASSWORD
    folder: str = FOLDER
    plain: bool = True
    starttls: str | None = None
    refusal: str = "NO [AUTHENTICATIONFAILED] no"
    answers: dict[str, bytes | Callable[[], Iterator[bytes]]] = field(default_factory=dict)
    hangs: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def mailbox(self, **more: str) -> Mailbox:
        kind = "tls" if self.starttls is None else "starttls"
        given = {"user": USER, "password": PASSWORD, "folder": FOLDER, "encryption": kind, **more}
        return Mailbox(host="localhost", port=self.port, **given)

    def fetched(self) -> list[int]:
        """The UIDs whose texts were asked for."""
        texts = [one for one in self.asked if "BODY" in one]
        return [int(uid) for one in texts for uid in one.split()[2].split(",")]


def mail(
    subject: str, *, body: str = "Hello.", date: str = "Mon, 02 Mar 2026 10:00:00 +0000"
) -> bytes:
    lines = ["From: Ana <ana@example.org>", f"Subject: {subject}", f"Date: {date}", "", body, ""]
    return "\r\n".join(lines).encode()


@cache
def certificate() -> Path:
    """A certificate for localhost with its key; it is its own authority."""
    folder = Path(mkdtemp())
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made += ["-nodes", "-keyout", str(folder / "key.pem"), "-out", str(folder / "own.pem")]
    made += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "9000"]
    subprocess.run(made, check=True, capture_output=True, timeout=60)
    both = folder / "both.pem"
    both.write_text("".join((folder / one).read_text() for one in ("key.pem", "own.pem")))
    return both


@cache
def trusting() -> ssl.SSLContext:
    """Trusts the certificate of the server."""
    return ssl.create_default_context(cafile=str(certificate()))


class _Conversation(socketserver.StreamRequestHandler):
    server: "_Server"
    rfile: Any
    wfile: Any

    def handle(self) -> None:
        with suppress(OSError, ValueError):
            if self.server.told.starttls is None:
                self._encrypt()
            self._talk()
        self.rfile.close()
        self.wfile.close()
        self.request.close()

    def _encrypt(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate())
        self.request = context.wrap_socket(self.request, server_side=True)
        self.request.settimeout(20)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)

    def _talk(self) -> None:
        told = self.server.told
        self._send(b"* OK hello\r\n", "GREETING")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            tag, _, asked = line.partition(" ")
            told.asked.append(asked)
            name = re.sub(r" .*", "", asked.removeprefix("UID "))
            self._answer(tag, name + (" BODY" if "BODY" in asked else ""), asked)

    def _send(self, data: bytes, name: str, tag: str = "") -> None:
        told = self.server.told
        if name in told.hangs:
            told.stopped.wait(30)
        given = told.answers.get(name, data)
        for part in [given] if isinstance(given, bytes) else given():
            if told.stopped.is_set():
                return
            self.wfile.write(part.replace(b"TAG", tag.encode()) if tag else part)

    def _answer(self, tag: str, name: str, asked: str) -> None:
        told, done = self.server.told, f"{tag} OK done\r\n".encode()
        if name == "CAPABILITY":
            words = " AUTH=PLAIN" if told.plain else ""
            words += f" {told.starttls}" if told.starttls else ""
            self._send(f"* CAPABILITY IMAP4rev1{words}\r\n".encode() + done, name, tag)
        elif name == "STARTTLS":
            self._send(done, name, tag)
            self._encrypt()
        elif name == "AUTHENTICATE":
            self.wfile.write(b"+ \r\n")
            given = base64.b64decode(self.rfile.readline()).decode()
            self._sign_in(tag, given == f"\0{USER}\0{told.password}")
        elif name == "LOGIN":
            quoted = told.password.replace("\\", "\\\\").replace('"', '\\"')
            self._sign_in(tag, asked == f'LOGIN "{USER}" "{quoted}"')
        elif name == "EXAMINE":
            if asked != f'EXAMINE "{told.folder}"':
                done = f"{tag} NO no such folder\r\n".encode()
            said = f"* {len(told.mails)} EXISTS\r\n* OK [UIDVALIDITY {told.validity}] x\r\n"
            self._send(said.encode() + done, name, tag)
        elif name.startswith("FETCH"):
            self._send(self._fetch(asked) + done, name, tag)
        else:
            self._send(f"{tag} BAD what\r\n".encode(), name, tag)

    def _sign_in(self, tag: str, known: bool) -> None:
        said = "OK done" if known else self.server.told.refusal
        self._send(f"{tag} {said}\r\n".encode(), "SIGN-IN", tag)

    def _fetch(self, asked: str) -> bytes:
        mails = sorted(self.server.told.mails.items())
        found = FETCH.search(asked)
        assert found, asked
        if not found[3]:
            first, last = map(int, found[1].split(":"))
            uids = enumerate([uid for uid, _ in mails][first - 1 : last], first)
            return b"".join(b"* %d FETCH (UID %d)\r\n" % one for one in uids)
        wanted, most = set(map(int, found[1].split(","))), int(found[3])
        texts = [(uid, text[:most]) for uid, text in mails if uid in wanted]
        return b"".join(
            b"* 1 FETCH (UID %d BODY[]<0> {%d}\r\n%s)\r\n" % (uid, len(text), text)
            for uid, text in texts
        )


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    told: ImapServer


@contextmanager
def serving_mails() -> Iterator[ImapServer]:
    """A running server with an empty folder."""
    told = ImapServer()
    with _Server(("127.0.0.1", 0), _Conversation) as server:
        server.told, told.port = told, server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield told
        finally:
            told.stopped.set()
            server.shutdown()
            thread.join(5)
