"""Mail over SMTP, to a server that stands beside the test."""

import socket
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from orgs.outbound.mail import MAX_SUBJECT, can_send_mail, send_mail


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
def receiver(settings: Any) -> Iterator[Receiver]:
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


def test_a_server_that_is_away_is_said(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert not send_mail("mina@x.example", "News", "Words")
    assert "ConnectionRefusedError" in caplog.text


def test_without_a_server_nothing_goes(settings: Any) -> None:
    settings.EMAIL_HOST = ""
    assert not can_send_mail()
    assert not send_mail("mina@x.example", "News", "Words")
