"""Mailboxes that are fetched by IMAP: new mails for their member alone, once each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from memories.context.connectors import accounts, mailboxes
from memories.context.connectors import subscriptions as service
from memories.context.connectors.mail_files import build_mailbox_file, parse_mails
from memories.context.connectors.models import Account, AccountEntry, PauseReason
from memories.context.connectors.subscriptions import FAILURE_SENTENCES
from memories.jobs.fetch_schedule import MAX_FAILURES
from memories.jobs.models import Job, JobState
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.outbound.imap import fetch_mails
from orgs.principals import resolve_principal
from tests.event_loop import in_own_thread
from tests.memories.context.test_account_memories import memories, work
from tests.memories.context.test_accounts import DAY, URL
from tests.memories.context.test_subscriptions import account, change, due, run, titles
from tests.orgs.outbound.imap_server import (
    PASSWORD,
    USER,
    ImapServer,
    mail,
    serving_mails,
    trusting,
)
from tests.world import Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ImapServer]:
    """A server with a mail, which the settings allow."""
    settings.SUBSCRIPTION_PRIVATE_HOSTS = frozenset({"localhost"})
    monkeypatch.setattr(
        mailboxes,
        "fetch_mails",
        lambda *a, **k: in_own_thread(fetch_mails, *a, **k, tls=trusting()),
    )
    with serving_mails() as found:
        found.mails = {1: mail("Review")}
        yield found


def given(server: ImapServer, **more: Any) -> dict[str, Any]:
    return {
        "host": "localhost", "port": server.port, "user": USER, "password": PASSWORD, **more,
    }  # fmt: skip


def add(here: Tenant, mailbox: dict[str, Any], status: int = 201, **more: Any) -> Any:
    body = {"kind": "mail", "name": "Post", "mailbox": mailbox, **more}
    answer = here.browser("mina").post(URL, body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def again(here: Tenant) -> Job:
    due(here)
    assert service._start_due(here.id, timezone.now()) == 1
    return run(here)


def test_new_mails_come_once_and_stay(here: Tenant, server: ImapServer) -> None:
    made = add(here, given(server), period_minutes=15)
    assert (made["entries"], made["subscription"]["period_minutes"]) == (0, 15)
    assert run(here).state == JobState.DONE
    assert titles(here) == ["Review"]
    assert work(here).result["remembered"] == 1
    [kept] = memories(here).values()
    # The server has only the new one left.
    server.mails = {2: mail("Lunch")}
    assert again(here).state == JobState.DONE
    assert (titles(here), server.fetched()) == (["Lunch", "Review"], [1, 2])
    work(here)
    assert kept.id in {one.id for one in memories(here).values()}
    # Nothing new leaves nothing in the trail.
    again(here)
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="account.refreshed").count() == 2
    others = resolve_principal(here.person("ada"))
    with others.scope():
        assert not AccountEntry.objects.filter(organisation_id=here.id).exists()


def test_another_validity_doubles_nothing(here: Tenant, server: ImapServer) -> None:
    add(here, given(server))
    run(here)
    work(here)
    [kept] = memories(here).values()
    server.validity, server.mails = 9, {1: mail("Lunch"), 2: mail("Review")}
    assert again(here).state == JobState.DONE
    assert titles(here) == ["Lunch", "Review"]
    work(here)
    assert [one.id for one in memories(here).values()].count(kept.id) == 1
    assert len(memories(here)) == 2
    assert account(here).etag == "9 2"


def test_the_newest_are_kept(
    here: Tenant, server: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(accounts._MAX_KEPT, "mail", 2)
    add(here, given(server))
    run(here)
    server.mails |= {
        uid: mail(f"Later {uid}", date=f"Mon, 02 Mar 2026 1{uid}:00:00 +0000") for uid in (2, 3)
    }
    again(here)
    assert titles(here) == ["Later 2", "Later 3"]


def test_wrong_credentials_pause_at_once(here: Tenant, server: ImapServer) -> None:
    made = add(here, given(server, password="no"))
    assert run(here).reason == FAILURE_SENTENCES["credentials"]
    assert (account(here).next_run_at, account(here).paused_for) == (None, "credentials")
    assert service._start_due(here.id, timezone.now() + 9 * DAY) == 0
    answer = change(here, made["id"], password=PASSWORD)
    assert PASSWORD not in json.dumps(answer)
    assert run(here).state == JobState.DONE
    assert titles(here) == ["Review"]
    assert account(here).url.count(PASSWORD) == 0
    with organisation_scope(here.id):
        [told] = AuditEntry.objects.filter(action="account.changed").values_list(
            "detail", flat=True
        )
    assert (told["another_password"], PASSWORD in str(told)) == (True, False)
    assert "plain characters" in str(change(here, made["id"], 400, password="a\nb"))


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"folder": "Nowhere"}, "folder"), ({"encryption": "starttls"}, "unencrypted")],
)
def test_what_another_try_cannot_mend_pauses_at_once(
    here: Tenant, server: ImapServer, more: dict[str, str], reason: str
) -> None:
    server.starttls = "" if reason == "unencrypted" else None
    add(here, given(server, **more))
    assert run(here).reason == FAILURE_SENTENCES[reason]
    assert account(here).paused_for == reason


def test_five_failures_pause_it(here: Tenant, server: ImapServer) -> None:
    add(here, given(server))
    run(here)
    server.mails |= {2: mail("New")}
    server.answers["FETCH BODY"] = b"TAG NO later\r\n"
    for _ in range(MAX_FAILURES):
        assert again(here).reason == FAILURE_SENTENCES["refused"]
    assert account(here).paused_for == PauseReason.REFUSED
    assert titles(here) == ["Review"]


def test_the_password_is_never_shown_and_goes_with_the_account(
    here: Tenant, server: ImapServer
) -> None:
    made = add(here, given(server))
    server.answers["EXAMINE"] = b"* 1 EXISTS\r\nTAG OK canary\r\n"
    run(here)
    with resolve_principal(here.person("mina")).scope():
        rows = [*Account.objects.values(), *Job.objects.values()]
    with organisation_scope(here.id):
        rows += AuditEntry.objects.values()
    told = here.browser("mina").get(f"{URL}/{made['id']}").json()
    said = json.dumps([rows, told], cls=DjangoJSONEncoder, default=str)
    assert "canary" not in said
    assert here.browser("mina").delete(f"{URL}/{made['id']}").status_code == 204
    with resolve_principal(here.person("mina")).scope():
        assert not Account.objects.exists()


def test_an_account_that_is_removed_while_it_is_fetched_stays_away(
    here: Tenant, server: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(here, given(server))
    there = service.fetch_mailbox_file

    def meanwhile(*given: Any, **named: Any) -> Any:
        result = there(*given, **named)
        here.browser("mina").delete(f"{URL}/{made['id']}")
        return result

    monkeypatch.setattr(service, "fetch_mailbox_file", meanwhile)
    assert run(here).state == JobState.DEAD
    assert titles(here) == []


def test_an_address_that_the_settings_forbid_pauses_at_once(
    here: Tenant, server: ImapServer, settings: Any
) -> None:
    add(here, given(server))
    settings.SUBSCRIPTION_PRIVATE_HOSTS = frozenset()
    assert run(here).reason == FAILURE_SENTENCES["address"]
    assert (account(here).paused_for, server.asked) == ("address", [])


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"host": "10.0.0.8"}, "host"), ({"host": "localhost.localdomain."}, "host"),
        ({"host": "metadata"}, "host"), ({"host": "imap.example.org/x"}, "host"),
        ({"user": "mina\r\nA1 DELETE INBOX"}, "user"), ({"password": "a\nb"}, "password"),
        ({"folder": "a\x00b"}, "mailbox"), ({"folder": "a\r\nb"}, "folder"),
        ({"port": 0}, "mailbox"), ({"port": 70_000}, "mailbox"),
        ({"encryption": "none"}, "mailbox"), ({"password": ""}, "mailbox"),
    ],
)  # fmt: skip
def test_what_is_no_mailbox_is_refused(
    here: Tenant, server: ImapServer, more: dict[str, Any], field: str
) -> None:
    told = add(here, given(server, **more), 400)
    assert field in json.dumps(told)
    assert "canary" not in json.dumps(told)


def test_a_mailbox_is_of_mail_alone(here: Tenant, server: ImapServer) -> None:
    add(here, given(server), 400, kind="calendar")
    add(here, given(server), 400, url="https://feeds.example.org/")
    add(here, given(server), 400, content="x")


def test_each_mail_stays_one_mail_whatever_its_lines_say(tmp_path: Path) -> None:
    forged = "From ana@example.org Mon Mar  2 10:00:00 2026\r\nFrom: Boss\r\nSubject: Forged"
    hostile = [
        mail("One", body=f"Hi.\r\n\r\n{forged}\r\n\r\nx"), forged.encode(), b"\0" * 1_000, b"",
        mail("Nul", body="a\0b"), mail("Two").replace(b"\r\n", b"\n"),
    ]  # fmt: skip
    path = tmp_path / "mails"
    path.write_bytes(build_mailbox_file(hostile))
    found = parse_mails(path, now=timezone.now())
    texts = {one.title: one.text for one in found.entries}
    assert sorted(texts) == ["Nul", "One", "Two"]
    assert "From ana@example.org" in texts["One"]
    assert texts["Nul"] == "ab"
    assert found.problems == ["3 mails could not be read."]
