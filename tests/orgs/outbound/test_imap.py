"""The new mails of a mailbox: what is read, what is left as it is, and what a hostile server cannot
do."""

import time
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest

from orgs.outbound import imap
from orgs.outbound.imap import Mailbox, MailboxPosition, MailboxResult, fetch_mails
from tests.event_loop import in_own_thread
from tests.orgs.outbound.imap_server import (
    PASSWORD,
    ImapServer,
    mail,
    serving_mails,
    trusting,
)


@pytest.fixture
def server() -> Iterator[ImapServer]:
    with serving_mails() as found:
        yield found


def read(
    server: ImapServer, mailbox: Mailbox | None = None, *, after: Any = None, **more: Any
) -> MailboxResult:
    given = {
        "most_mails": 500, "most_bytes": 20_000_000, "most_mail_bytes": 256_000,
        "private_hosts": {"localhost"}, "tls": trusting(), **more,
    }  # fmt: skip
    position = after or MailboxPosition()
    return in_own_thread(fetch_mails, mailbox or server.mailbox(), position=position, **given)


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("starttls", [None, "STARTTLS"])
def test_what_is_new_alone_is_read_and_nothing_is_changed(
    server: ImapServer, plain: bool, starttls: str | None
) -> None:
    server.plain, server.starttls = plain, starttls
    server.password = password = PASSWORD if plain else 'pass "\\word'
    here = server.mailbox(password=password)
    server.mails = {uid: mail(f"Number {uid}") for uid in (3, 9, 12)}
    first = read(server, here)
    assert (first.error, first.mails) == ("", [server.mails[uid] for uid in (3, 9, 12)])
    assert first.position == MailboxPosition(7, 12)
    again = read(server, here, after=first.position)
    assert (again.mails, again.position, server.fetched()) == ([], first.position, [3, 9, 12])
    server.mails |= {13: mail("New")}
    assert read(server, here, after=first.position).mails == [server.mails[13]]
    commands = {one.split(" (")[0].split()[0] for one in server.asked}
    assert commands <= {
        "CAPABILITY", "STARTTLS", "LOGIN", "AUTHENTICATE", "EXAMINE", "FETCH", "UID", "LOGOUT",
    }  # fmt: skip
    assert not any("BODY[" in one or "RFC822" in one for one in server.asked)


def test_another_validity_begins_anew(server: ImapServer) -> None:
    server.mails = {1: mail("One"), 2: mail("Two")}
    first = read(server)
    server.validity = 8
    again = read(server, after=first.position)
    assert (len(again.mails), again.position) == (2, MailboxPosition(8, 2))


def test_of_50_000_mails_the_newest_are_read(server: ImapServer) -> None:
    server.mails = dict.fromkeys(range(1, 50_001), mail("Many"))
    found = read(server)
    assert (len(found.mails), found.position.last_uid) == (500, 50_000)
    assert min(server.fetched()) == 49_501


def test_what_is_too_much_for_a_call_comes_with_the_next(server: ImapServer) -> None:
    server.mails = dict.fromkeys(range(1, 31), mail("Long", body="x" * 5_000))
    found = read(server, most_bytes=60_000, most_mail_bytes=2_000)
    assert {len(one) for one in found.mails} == {2_000}
    assert (len(found.mails), found.position.last_uid) == (30, 30)
    found = read(server, most_bytes=45_000, most_mail_bytes=2_000)
    assert (len(found.mails), found.position.last_uid) == (20, 20)
    rest = read(server, after=found.position)
    assert (len(rest.mails), rest.position.last_uid) == (10, 30)


def test_what_takes_too_long_for_a_call_comes_with_the_next(
    server: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.mails = dict.fromkeys(range(1, 31), mail("Many"))
    # No other batch may take its whole time.
    monkeypatch.setattr(imap, "MAX_SECONDS", imap.SECONDS)
    found = read(server)
    assert (len(found.mails), found.position.last_uid) == (10, 10)


def test_of_a_mail_of_100_mb_the_beginning_is_read(server: ImapServer) -> None:
    server.mails = {1: mail("Huge", body="x" * 100_000_000)}
    found = read(server)
    assert [len(one) for one in found.mails] == [256_000]


def test_a_mail_that_is_gone_meanwhile_is_passed_over(server: ImapServer) -> None:
    server.mails = {1: mail("One"), 2: mail("Two")}
    listed = b"* 1 FETCH (UID 1)\r\n* 9 FETCH (UID 5)\r\n* 2 FETCH (UID 2)\r\n"
    server.answers["FETCH"] = listed + b"TAG OK done\r\n"
    found = read(server)
    assert (found.mails, found.position.last_uid) == ([*server.mails.values()], 5)


def test_texts_that_were_not_asked_for_are_not_taken(server: ImapServer) -> None:
    server.mails = {1: mail("One")}
    told = [b"* 1 FETCH (UID %d BODY[]<0> {3}\r\nabc)\r\n" % uid for uid in (9, 1, 1)]
    told.append(b"* 2 FETCH (FLAGS (UID 1))\r\n* 3 FETCH (BODY[]<0> {3}\r\nabd)\r\nTAG OK x\r\n")
    server.answers["FETCH BODY"] = b"".join(told)
    assert read(server).mails == [b"abc"]
    server.answers["FETCH BODY"] = b"* 1 FETCH (BODY[]<0> {3}\r\nabc UID 1)\r\nTAG OK x\r\n"
    assert read(server).mails == [b"abc"]


def test_wrong_credentials_are_told_from_a_server_that_is_away(server: ImapServer) -> None:
    for server.plain in (True, False):
        assert read(server, server.mailbox(password="no")).error == "credentials"
    server.refusal = "NO [UNAVAILABLE] later"
    assert read(server, server.mailbox(password="no")).error == "refused"
    # An old server takes plain letters alone.
    assert read(server, server.mailbox(password="wörd")).error == "credentials"


def test_a_folder_by_its_name(server: ImapServer) -> None:
    server.mails = {1: mail("One")}
    assert read(server, server.mailbox(folder="Nowhere")).error == "folder"
    server.folder = 'Entw&APw-rfe &- \\"more\\"'
    assert len(read(server, server.mailbox(folder='Entwürfe & "more"')).mails) == 1


def test_no_password_goes_over_a_line_without_encryption(server: ImapServer) -> None:
    server.starttls = ""
    assert read(server).error == "unencrypted"
    server.starttls = "STARTTLS"
    server.answers["GREETING"] = b"* PREAUTH hello\r\n"
    assert read(server).error == "unencrypted"
    assert not [one for one in server.asked if one.startswith(("LOGIN", "AUTH"))]


def test_what_came_before_the_encryption_is_no_word_of_the_server(server: ImapServer) -> None:
    server.starttls, server.mails = "STARTTLS", {1: mail("One")}
    server.answers["STARTTLS"] = b"TAG OK go\r\n* BYE injected\r\n"
    assert len(read(server).mails) == 1


def test_only_whom_the_certificate_names(server: ImapServer) -> None:
    assert read(server, tls=None).error == "unreachable"
    other = Mailbox("mail.example.org", server.port, "tls", "mina", PASSWORD)

    async def resolve(_: str) -> list[str]:
        return ["127.0.0.1"]

    given = {"resolve": resolve, "private_hosts": {"mail.example.org"}}
    assert read(server, other, **given).error == "unreachable"
    assert server.asked == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1"])
def test_no_private_network_is_reached(server: ImapServer, address: str) -> None:
    looked_up = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["93.184.216.34", address]

    found = read(server, resolve=resolve, private_hosts=())
    assert (found.error, looked_up, server.asked) == ("unreachable", ["localhost"], [])


def test_the_name_is_looked_up_once(server: ImapServer) -> None:
    looked_up = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    assert read(server, resolve=resolve).error == ""
    assert looked_up == ["localhost"]


@pytest.mark.parametrize("name", ["GREETING", "CAPABILITY", "SIGN-IN", "EXAMINE", "FETCH BODY"])
def test_one_that_hangs_is_not_waited_for(
    server: ImapServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "SECONDS", 0.4)
    server.mails, server.hangs = {1: mail("One")}, {name}
    begun = time.monotonic()
    assert read(server).error == "timeout"
    assert time.monotonic() - begun < 5


def drops() -> Iterator[bytes]:
    """A letter now and then: no single wait is long."""
    for letter in repeat(b"x"):
        time.sleep(0.05)
        yield letter


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda: repeat(b"x" * 65_536), "unreadable"), (lambda: repeat(b"* OK\r\n"), "unreadable"),
        (drops, "timeout"),
        (lambda: repeat(b"* 1 FETCH (UID 1 BODY[] {200000}\r\n" + bytes(200_000) + b")\r\n"),
         "unreadable"),
        (b"* 1 FETCH (UID 1 BODY[]<0> {9999999999}\r\n", "unreadable"),
        (b"* 1 FETCH (UID 1 BODY[]<0> {" + b"9" * 5_000 + b"}\r\n", "unreadable"),
        (b"* 1 FETCH (UID 1 BODY[]<0> {256001}\r\n" + bytes(256_001) + b")\r\nTAG OK\r\n",
         "unreadable"),
        (b"* 1 FETCH (UID 1 BODY[]<0> {300}\r\nshort", "timeout"),
        (b"\0\0\0\r\n", "refused"), (b"* BYE\r\nTAG OK\r\n", "refused"),
        (b"TAG NO\r\n", "refused"), (b"TAG BAD what\r\n", "unreadable"),
    ],
)  # fmt: skip
def test_hostile_answers(
    server: ImapServer, answer: Any, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "SECONDS", 1.0 if error == "timeout" else 10.0)
    server.mails, server.answers["FETCH BODY"] = {1: mail("One")}, answer
    position = MailboxPosition(7, 0)
    found = read(server, after=position)
    assert (found.error, found.mails, found.position) == (error, [], position)


@pytest.mark.parametrize(
    "said", [b"", b"* x EXISTS\r\n", b"* 1 EXISTS\r\n", b"* OK [UIDVALIDITY 7] x\r\n"]
)
def test_a_folder_that_says_nothing_of_itself(server: ImapServer, said: bytes) -> None:
    server.answers["EXAMINE"] = said + b"TAG OK done\r\n"
    assert read(server).error in ("unreadable", "refused")


def test_the_password_is_not_in_what_is_shown_of_a_mailbox(server: ImapServer) -> None:
    assert "canary" not in repr(server.mailbox())
