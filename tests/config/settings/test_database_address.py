"""Addresses of one server and of several (O19)."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings.database_address import parse_database_address
from config.settings.services import databases

SEVERAL = (
    "postgres://u:p%40w@one:5432,two:5433/shared?target_session_attrs=read-write&sslmode=require"
)
ALIASES = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL")


@pytest.mark.parametrize(
    "address",
    [
        SEVERAL,
        "postgres://u:p%40w@/shared?host=one,two&port=5432,5433&sslmode=require",
        "host=one,two port=5432,5433 user=u password=p@w dbname=shared sslmode=require",
    ],
)
def test_every_form_of_several_servers(address: str) -> None:
    found = parse_database_address(address, "DATABASE_URL")
    options = found.pop("OPTIONS")
    assert found == {
        "NAME": "shared", "USER": "u", "PASSWORD": "p@w", "HOST": "one,two", "PORT": "5432,5433",
    }  # fmt: skip
    assert options["target_session_attrs"] == "read-write"
    assert options["sslmode"] == "require"
    assert int(options["connect_timeout"]) <= 3


def test_what_the_address_says_comes_first() -> None:
    address = "postgres://u@one,two/d?connect_timeout=9&target_session_attrs=primary"
    options = parse_database_address(address, "DATABASE_URL")["OPTIONS"]
    assert (options["connect_timeout"], options["target_session_attrs"]) == ("9", "primary")


def test_addresses_of_ipv6_lose_their_brackets() -> None:
    found = parse_database_address("postgres://u:p@[::1]:1,[::2]:2/d", "DATABASE_URL")
    assert (found["HOST"], found["PORT"]) == ("::1,::2", "1,2")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgres://u:secret@a:1,b:2/d?target_session_attrs=any", "target_session_attrs=any"),
        ("postgres://u:secret@a:1,b:2/d?target_session_attrs=standby", "target_session_attrs"),
        ("postgres://u:secret@a,b/d?nonsense=1", "cannot be read"),
        ("host=a,b port=1,2,3 password=secret", "2 hosts and 3 ports"),
        ("host=a,,b password=secret", "3 hosts"),
        ("host='a,b password=secret", "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused_without_the_password(address: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        parse_database_address(address, "DATABASE_WORKER_URL")
    assert words in str(refused.value)
    assert "DATABASE_WORKER_URL" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_every_role_goes_to_the_server_that_takes_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ALIASES:
        monkeypatch.setenv(name, SEVERAL.replace("target_session_attrs=read-write&", ""))
    found = databases(pool_size=3)
    assert {one["OPTIONS"]["target_session_attrs"] for one in found.values()} == {"read-write"}
    assert len(found) == len(ALIASES)
    # Nobody waits long for a server while there is none.
    assert found["default"]["WAIT_FOR_SERVER"] == 3.0
    assert found["default"]["OPTIONS"]["pool"] == {
        "min_size": 1, "max_size": 3, "timeout": 0.5, "reconnect_timeout": 0,
    }  # fmt: skip


def test_one_server_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ALIASES:
        monkeypatch.setenv(name, "postgresql://u:p@one:5432/d")
    found = databases(pool_size=3)
    assert found["owner"]["HOST"] == "one"
    assert "target_session_attrs" not in found["owner"]["OPTIONS"]
    assert found["default"]["OPTIONS"]["pool"]["timeout"] == 10
    assert "WAIT_FOR_SERVER" not in found["default"]
