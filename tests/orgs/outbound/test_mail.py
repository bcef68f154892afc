"""Mail over SMTP, to a server that stands beside the test."""

import socket
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.db import connection

from orgs.outbound.mail import MAX_NAME, MAX_SUBJECT, can_send_mail, name_in_mail, send_mail
from tests.world import World


class Receiver:
    """Keeps what came."""

    def __init__(self) -> None:
        self.came: list[Any] = []
        self.refuses = False

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.refuses:
            return "452 no room"
        self.came.append((envelope.rcpt_tos, message_from_bytes(envelope.content)))
        return "250 taken"


@pytest.fixture
def receiver(settings: Any, db: None) -> Iterator[Receiver]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    handler = Receiver()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        settings.EMAIL_HOST, settings.EMAIL_PORT = found.getsockname()
    server = Controller(handler, hostname=settings.EMAIL_HOST, port=settings.EMAIL_PORT)
    server.start()
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    yield handler
    server.stop()


@pytest.mark.conformance("X15")
def test_a_mail_comes_whole_and_a_name_adds_no_header(receiver: Receiver) -> None:
    subject = "News in Zoë\r\nBcc: eve@x.example\n & Co" + "x" * 300
    assert send_mail("mina@x.example", subject, "Grüße.\n.\nEnd.\n", headers={"X-One": "1"})
    [(to, came)] = receiver.came
    assert to == ["mina@x.example"]
    assert came["Bcc"] is None
    assert came["X-One"] == "1"
    told = str(make_header(decode_header(came["Subject"])))
    assert told.startswith("News in Zoë Bcc: eve@x.example & Co")
    assert len(told) == MAX_SUBJECT == 200
    text = came.get_payload(decode=True).decode()
    assert text.replace("\r\n", "\n") == "Grüße.\n.\nEnd.\n"


def test_what_the_server_refuses_is_said(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.refuses = True
    assert not send_mail("mina@x.example", "News", "Words")
    assert "SMTPDataError" in caplog.text
    assert "mina" not in caplog.text


def test_a_server_that_is_away_is_said(
    db: None, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert not send_mail("mina@x.example", "News", "Words")
    assert "ConnectionRefusedError" in caplog.text


def test_without_a_server_nothing_goes(settings: Any) -> None:
    settings.EMAIL_HOST = ""
    assert not can_send_mail()
    assert not send_mail("mina@x.example", "News", "Words")


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x1e", "\r\n", "\x01", "\x7f"])
def test_an_address_adds_no_header(receiver: Receiver, end: str) -> None:
    """Forms and the API take a local part in quotes, with such characters in it."""
    address = f'"a{end}Bcc:eve{end}{end}text"@x.example'
    assert not send_mail(address, "Your invitation", "Words")
    assert receiver.came == []


def test_a_mail_goes_to_the_domain_that_the_address_names(receiver: Receiver) -> None:
    for named, looked_up in (
        ("a@straße.example", "a@xn--strae-oqa.example"),
        ("a@é.example", "a@xn--9ca.example"),
        ("a@strasse.example", "a@strasse.example"),
        ('"a,b"@x.example', '"a,b"@x.example'),
    ):
        receiver.came.clear()
        assert send_mail(named, "Words", "Words")
        assert [to for to, _ in receiver.came] == [[looked_up]]
    receiver.came.clear()
    assert not send_mail("a@\u2603\u200d.example", "Words", "Words")
    assert not send_mail("é@x.example", "Words", "Words")
    assert receiver.came == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Acme GmbH & Co. KG", "Acme GmbH & Co. KG"),
        ("Zoë's St. Gallen Büro", "Zoë's St. Gallen Büro"),
        ("Pay at https://evil.example/in now", "Pay at https evil example in now"),
        ("//evil.example", "evil example"),
        ("evil\uff0eexample\u3002org", "evil example org"),
        ("help@evil.example", "help evil example"),
        ("mailto:eve", "mailto eve"),
        ("a\r\nb\x0bc", "a b c"),
    ],
)
def test_a_name_in_a_mail_is_no_link(name: str, shown: str) -> None:
    assert name_in_mail(name) == shown
    assert len(name_in_mail("\ufdfa" * 100)) <= MAX_NAME == 80


def test_who_waits_for_the_mail_server_holds_no_connection(
    lasting_world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example"
    held: list[object] = []
    monkeypatch.setattr(
        "django.core.mail.EmailMessage.send",
        lambda *_, **__: held.append(connection.connection),
    )
    connection.ensure_connection()
    # As in a web process, where a connection goes back to the pool after each call.
    monkeypatch.setattr(connection, "close_at", 0.0)
    assert send_mail("mina@x.example", "News", "Words")
    assert held == [None]
