"""Calendars and mail in the browser: the member's own page."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from memories.context.connectors import accounts as service
from memories.context.connectors.mailboxes import decode_mailbox
from memories.context.connectors.models import Account, PauseReason
from memories.views.privacy.accounts_page import PAUSE_LABELS
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member, Role
from orgs.principals import resolve_principal
from orgs.secret_box import decrypt_secret
from tests.memories.context.test_accounts import DAY, HOUR, at, letter
from tests.memories.context.test_connector_files import PICTURE, calendar, event
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

URL = "/me/accounts/"


def upload(data: bytes | str) -> SimpleUploadedFile:
    return SimpleUploadedFile("file", data.encode() if isinstance(data, str) else data)


def hand_in(client: Client, data: bytes | str, **fields: str) -> Any:
    body = {"kind": "calendar", "name": "Work", "file": upload(data), **fields}
    return client.post(URL, body, follow=True)


def two_events(*, unread: bool = False) -> bytes:
    events = [event(at(timezone.now() + HOUR), "Review"), event(at(timezone.now() + DAY))]
    return calendar(*events, *([event(":not-a-date", "Never")] if unread else []))


def kept(here: Tenant) -> list[tuple[UUID, str, int]]:
    with resolve_principal(here.person("mina")).scope():
        return list(Account.objects.order_by("name").values_list("id", "name", "entries"))


def test_hand_in_replace_and_remove(here: Tenant) -> None:
    mina = make_signed_in_client(here, "mina")
    assert "Nothing yet" in response_text(mina.get(URL))
    page = hand_in(mina, two_events(unread=True))
    assert "2 events were read; 1 event could not be read." in response_text(page)
    [(id_, _, _)] = kept(here)
    one = calendar(event(at(timezone.now() + HOUR), "Review"))
    replaced = mina.post(f"{URL}{id_}/replace/", {f"{id_.hex}-file": upload(one)}, follow=True)
    assert "1 event was read." in response_text(replaced)
    assert kept(here) == [(id_, "Work", 1)]
    page = hand_in(mina, letter("Hello", timedelta(hours=2)), kind="mail", name="Post")
    assert "1 mail was read." in response_text(page)
    mina.post(f"{URL}{id_}/remove/")
    assert [name for _, name, _ in kept(here)] == ["Post"]


def test_what_is_refused_says_why_and_keeps_what_is_there(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina = make_signed_in_client(here, "mina")
    hand_in(mina, two_events())
    [(id_, _, _)] = kept(here)
    refused = {
        "no calendar file": hand_in(mina, PICTURE, name="Other"),
        "There is an account of this name.": hand_in(mina, two_events()),
        "Select a valid choice": hand_in(mina, two_events(), kind="fax", name="Other"),
        "The file is empty.": hand_in(mina, b"", name="Other"),
        "What was there stays.": mina.post(
            f"{URL}{id_}/replace/", {f"{id_.hex}-file": upload(PICTURE)}
        ),
        "Choose a file.": mina.post(f"{URL}{id_}/replace/", {}),
    }
    for words, answer in refused.items():
        assert (answer.status_code, words in response_text(answer)) == (422, True), words
    monkeypatch.setattr(service, "MAX_ACCOUNTS", 1)
    assert "remove one first" in response_text(hand_in(mina, two_events(), name="Other"))
    assert "There are 1 already." in response_text(mina.get(URL))
    assert kept(here) == [(id_, "Work", 2)]


def test_the_page_is_the_members_alone(world: World) -> None:
    here = world.here
    hand_in(make_signed_in_client(here, "mina"), two_events(), name="Mine alone")
    [(id_, _, _)] = kept(here)
    others = [make_signed_in_client(here, name) for name in ("ada", "chidi", "bob")]
    for client in (*others, make_signed_in_client(world.there, "mina")):
        assert "Mine alone" not in response_text(client.get(URL))
        assert client.post(f"{URL}{id_}/remove/").status_code == 404
        data = {f"{id_.hex}-file": upload(two_events())}
        assert client.post(f"{URL}{id_}/replace/", data).status_code == 404
    assert Client().get(URL).status_code == 302
    assert kept(here) == [(id_, "Mine alone", 2)]


def subscribe(client: Client, **fields: str) -> Any:
    body = {"kind": "feed", "name": "News", "url": "https://feeds.example.org/canary-address",
            "period_minutes": "60", **fields}  # fmt: skip
    return client.post(
        f"{URL}subscribe/",
        {f"subscribe-{name}": value for name, value in body.items()},
        follow=True,
    )


def row(here: Tenant) -> Account:
    with resolve_principal(here.person("mina")).scope():
        return Account.objects.get(organisation_id=here.id)


def test_an_address_is_subscribed_to_paused_and_resumed(here: Tenant) -> None:
    mina = make_signed_in_client(here, "mina")
    page = response_text(subscribe(mina))
    assert "News is fetched now" in page
    assert "Nothing was read yet." in page
    assert ("Every hour; next" in page, "canary-address" in page) == (True, False)
    made = row(here)
    assert (made.kind, made.period_minutes) == ("feed", 60)
    act = f"{URL}{made.id}/subscription/"
    page = response_text(mina.post(act, {"act": "pause"}, follow=True))
    assert "You paused it." in page
    assert row(here).next_run_at is None
    with resolve_principal(here.person("mina")).scope():
        Account.objects.update(failures=5, paused_for=PauseReason.TIMEOUT)
    assert "Five times its server did not answer in time." in response_text(mina.get(URL))
    page = response_text(mina.post(act, {"act": "fetch"}, follow=True))
    assert "Every hour; next" in page
    assert row(here).failures == 0
    with resolve_principal(here.person("mina")).scope():
        Account.objects.update(failures=2, period_minutes=30)
    page = response_text(mina.get(URL))
    assert "Every 30 minutes; next" in page
    assert "The last fetches failed" in page


def test_an_address_that_is_refused_says_why(here: Tenant) -> None:
    mina = make_signed_in_client(here, "mina")
    subscribe(mina)
    refused = {
        "https://": subscribe(mina, name="A", url="http://feeds.example.org/"),
        "There is an account of this name.": subscribe(mina),
        "Write the address that is to be fetched.": subscribe(mina, name="A", url=""),
        "Select a valid choice": subscribe(mina, name="A", kind="mail"),
        "Select a valid choice. 7": subscribe(mina, name="A", period_minutes="7"),
    }
    for words, answer in refused.items():
        assert (answer.status_code, words in response_text(answer)) == (422, True), words
    assert row(here).name == "News"


def test_a_subscription_is_changed_by_its_member_alone(world: World) -> None:
    here = world.here
    subscribe(make_signed_in_client(here, "mina"))
    act = f"{URL}{row(here).id}/subscription/"
    others = [make_signed_in_client(here, name) for name in ("ada", "bob")]
    for client in (*others, make_signed_in_client(world.there, "mina")):
        assert client.post(act, {"act": "pause"}).status_code == 404
    assert row(here).paused_for == ""


@pytest.mark.parametrize("reason", PauseReason.values)
def test_each_reason_of_a_pause_is_said(reason: str) -> None:
    assert PAUSE_LABELS[reason]


def add_mailbox(client: Client, **fields: str) -> Any:
    body = {"name": "Post", "host": "imap.example.org", "encryption": "tls", "port": "",
            "user": "mina@example.org", "password": "canary-password", "folder": "INBOX",
            "period_minutes": "60", **fields}  # fmt: skip
    return client.post(
        f"{URL}mailbox/", {f"mailbox-{name}": value for name, value in body.items()}, follow=True
    )


def test_a_mailbox_is_fetched_without_showing_its_password(here: Tenant) -> None:
    mina = make_signed_in_client(here, "mina")
    page = response_text(add_mailbox(mina))
    assert "Post is fetched now" in page
    assert "Nothing was read yet." in page
    made = row(here)
    assert (made.kind, made.period_minutes) == ("mail", 60)
    assert ("canary" in page, "canary" in made.url) == (False, False)
    kept = decode_mailbox(decrypt_secret(made.url, purpose=f"account {made.id}"))
    assert (kept.port, kept.password) == (993, "canary-password")
    refused = {
        "There is an account of this name.": add_mailbox(mina),
        "public internet": add_mailbox(mina, name="A", host="10.0.0.8"),
        "Not in plain characters.": add_mailbox(mina, name="A", folder="a\nb"),
        "Select a valid choice. none": add_mailbox(mina, name="A", encryption="none"),
        "This field is required.": add_mailbox(mina, name="A", password=""),
    }
    for words, answer in refused.items():
        assert (answer.status_code, words in response_text(answer)) == (422, True), words
        assert "canary" not in response_text(answer)


def test_a_mailbox_gets_another_password_on_the_page(here: Tenant) -> None:
    mina = make_signed_in_client(here, "mina")
    add_mailbox(mina)
    made = row(here)
    with resolve_principal(here.person("mina")).scope():
        Account.objects.update(next_run_at=None, paused_for=PauseReason.CREDENTIALS)
    assert "give it a new password" in response_text(mina.get(URL))
    act, field = f"{URL}{made.id}/password/", f"{made.id.hex}-password"
    for wrong in ("", "a\nb"):
        assert mina.post(act, {field: wrong}).status_code == 422
    page = response_text(mina.post(act, {field: "canary-other"}, follow=True))
    assert ("Post is fetched now" in page, "canary" in page) == (True, False)
    kept = row(here)
    assert (kept.paused_for, kept.next_run_at is None) == ("", False)
    mailbox = decode_mailbox(decrypt_secret(kept.url, purpose=f"account {made.id}"))
    assert (mailbox.host, mailbox.password) == ("imap.example.org", "canary-other")
    subscribe(mina)
    assert response_text(mina.get(URL)).count("Change password") == 1, "a feed has none"


def test_who_only_reads_adds_nothing_and_removes_what_is_theirs(here: Tenant) -> None:
    """As in the API: what is read becomes memories, which a viewer does not make."""
    mina = make_signed_in_client(here, "mina")
    subscribe(mina)
    [(id_, _, _)] = kept(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(role=Role.VIEWER)
    page = response_text(mina.get(URL))
    assert "nothing of it is fetched any more" in page
    assert ("Fetch it" in page, "Hand it in" in page, "Fetch now" in page) == (False,) * 3
    assert hand_in(mina, two_events(), name="Other").status_code == 403
    assert subscribe(mina, name="Other").status_code == 403
    assert mina.post(f"{URL}{id_}/subscription/", {"act": "fetch"}).status_code == 403
    assert [name for _, name, _ in kept(here)] == ["News"]
    mina.post(f"{URL}{id_}/subscription/", {"act": "pause"})
    assert row(here).next_run_at is None
    mina.post(f"{URL}{id_}/remove/")
    assert kept(here) == []
