"""Messages of RFC 5424, and servers that take them, refuse them, or break off."""

import re
import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orgs.outbound import syslog
from orgs.outbound.syslog import (
    SyslogAwayError,
    SyslogServer,
    parse_server,
    render_message,
    send_messages,
)
from tests.orgs.outbound.syslog_listener import listening_by_tcp, listening_by_udp

AT = datetime(2026, 5, 4, 12, 30, 1, 250, tzinfo=UTC)
# RFC 5424, 6: priority, version, time, host, application, process, kind, no structured data.
MESSAGE = re.compile(
    rb"<110>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (\S{1,255}) commonmind - (\S{1,32}) - "
    rb"(\{.*\})"
)
SENT = [
    render_message(at=AT, host="a.example", kind="key.made", body=b'{"n":%d}' % n)
    for n in range(300)
]


def test_a_message_is_of_rfc_5424() -> None:
    match = MESSAGE.fullmatch(SENT[0])
    assert match
    assert match.groups() == (
        *(b"2026-05-04T12:30:01.000250Z", b"a.example", b"key.made", b'{"n":0}'),
    )


@pytest.mark.parametrize("kind", ["", "two words", "line\nfeed", "k" * 100, "é", "<13>1"])
def test_no_word_breaks_the_header(kind: str) -> None:
    message = render_message(at=AT, host=kind, kind=kind, body=b"{}")
    assert MESSAGE.fullmatch(message), message


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("udp://logs.example", SyslogServer("udp", "logs.example", 514)),
        ("tcp://[::1]:1514", SyslogServer("tcp", "::1", 1514)),
        ("tls://logs.example/", SyslogServer("tls", "logs.example", 6514)),
        ("unix:///dev/log", SyslogServer("unix", path="/dev/log")),
    ],
)
def test_an_address_names_a_server(address: str, server: SyslogServer) -> None:
    assert parse_server(address) == server


@pytest.mark.parametrize(
    "address",
    [
        *("logs.example", "http://logs.example", "udp://", "tcp://logs.example:x", "tls://a/b"),
        *("unix://dev/log", "tcp://u:p@logs.example", "tcp://logs.example:70000", "udp://a?b"),
    ],
)
def test_another_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is no syslog server"):
        parse_server(address)


def test_by_udp_each_is_a_datagram() -> None:
    with listening_by_udp() as listener:
        send_messages(parse_server(listener.address), SENT[:50])
    assert listener.messages == SENT[:50]


def test_by_tcp_octets_are_counted() -> None:
    with listening_by_tcp() as listener:
        send_messages(parse_server(listener.address), SENT)
        send_messages(parse_server(listener.address), SENT[:2])
    assert listener.messages == SENT + SENT[:2]


def test_by_a_socket_of_this_machine(tmp_path: Path) -> None:
    place = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(place))
        send_messages(parse_server(f"unix://{place}"), SENT[:5])
        assert [server.recv(4_096) for _ in range(5)] == SENT[:5]
    with pytest.raises(SyslogAwayError):
        send_messages(parse_server(f"unix://{place}"), SENT[:1])


def test_by_tls_only_to_whom_the_certificate_names(tmp_path: Path) -> None:
    certificate = tmp_path / "both.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    made += ["-nodes", "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "own.pem")]
    made += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "9000"]
    subprocess.run(made, check=True, capture_output=True, timeout=60)
    parts = [(tmp_path / name).read_text() for name in ("key.pem", "own.pem")]
    certificate.write_text("".join(parts))
    with listening_by_tcp(str(certificate)) as listener:
        with pytest.raises(SyslogAwayError, match="SSLCertVerificationError"):
            send_messages(parse_server(listener.address), SENT[:2])
        send_messages(parse_server(listener.address, str(certificate)), SENT)
    assert listener.messages == SENT


def test_a_server_that_is_away_or_breaks_off_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(SyslogAwayError, match="ConnectionRefusedError"):
        send_messages(parse_server(f"tcp://127.0.0.1:{port}"), SENT[:1])
    with pytest.raises(SyslogAwayError):
        send_messages(parse_server("tcp://name.invalid:601"), SENT[:1])
    with listening_by_tcp(breaks_after=100) as listener, pytest.raises(SyslogAwayError):
        send_messages(parse_server(listener.address), SENT)


def test_one_that_takes_and_never_ends_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its machine has every byte; what was not acknowledged would be sent again for ever."""
    monkeypatch.setattr(syslog, "CONFIRM_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        send_messages(parse_server(address), SENT[:3])


def test_one_that_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syslog, "CONFIRM_SECONDS", 0.3)
    monkeypatch.setattr(syslog, "SEND_SECONDS", 0.5)
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        server.bind(("127.0.0.1", 0))
        server.listen()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(SyslogAwayError, match="TimeoutError"):
            send_messages(parse_server(address), SENT * 200)
