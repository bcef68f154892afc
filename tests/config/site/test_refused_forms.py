"""What an operator needs to find a wrong setting of a proxy: which address came, and which one is
expected."""

import logging
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

from config.monitoring.logs import MAX_MESSAGE_CHARACTERS, JSONFormatter

FORM = {"email": "a@b.example", "password": "x"}


def send(**headers: str) -> Any:
    client = Client(enforce_csrf_checks=True, headers=headers)
    client.get("/accounts/login/")
    return client.post("/accounts/login/", FORM)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("headers", "came"),
    [
        ({"origin": "null"}, "null"),
        ({"origin": "http://testserver:8443"}, "http://testserver:8443"),
        ({"origin": "https://memory.evil.example/private?q=1"}, "https://memory.evil.example"),
    ],
)
def test_a_form_of_another_address_says_which(
    headers: dict[str, str], came: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = send(**headers)
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "This form came from another address" in page
    assert "open too long" not in page
    [line] = [one.getMessage() for one in caplog.records if one.name == "commonmind.security.csrf"]
    assert line.startswith(f"A form was refused (Origin checking failed). It came from '{came}'")
    assert "'http://testserver'" in line
    assert "private" not in line


@pytest.mark.django_db
def test_a_form_that_was_open_too_long_is_called_so(caplog: pytest.LogCaptureFixture) -> None:
    page = send().content.decode()
    assert "This page had been open too long" in page
    [line] = [one.getMessage() for one in caplog.records if one.name == "commonmind.security.csrf"]
    assert "CSRF token missing" in line


@pytest.mark.django_db
@override_settings(ALLOWED_HOSTS=["memory.example"], DEBUG=False)
def test_a_refused_host_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert Client(headers={"host": "memory.evil.example"}).get("/").status_code == 400
    lines = [
        JSONFormatter().format(one)
        for one in caplog.records
        if one.name == "django.security.DisallowedHost"
    ]
    assert lines
    assert all("memory.evil.example" in line for line in lines)


def test_the_line_without_a_reason_is_left_out() -> None:
    """Django's own has neither address nor reason left when our formatter is done with it."""
    assert settings.LOGGING["loggers"]["django.security.csrf"]["level"] == "ERROR"


def test_a_long_message_is_cut() -> None:
    record = logging.makeLogRecord(
        {"name": "django.security.DisallowedHost", "msg": "x" * 9_000, "levelname": "ERROR"}
    )
    line = JSONFormatter().format(record)
    assert "x" * MAX_MESSAGE_CHARACTERS in line
    assert "x" * (MAX_MESSAGE_CHARACTERS + 1) not in line
