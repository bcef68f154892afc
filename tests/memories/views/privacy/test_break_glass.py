"""Break glass: one memory, a reason, fifteen minutes, on the record, and its people read of it."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from memories.lifecycle.forget import forget_memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from tests.orgs.support.support_staff import make_staff, open_organisation
from tests.page_client import make_signed_in_client, response_text
from tests.world import World

pytestmark = pytest.mark.conformance("W14")
TEXT = "Zanzibar is where the treasure lies."
REASON = "Mina asked us why this is wrong."


def ask(client: Client, memory: object, reason: str = REASON) -> object:
    return client.post(f"/admin/memory/{memory}/open/", {"reason": reason})


def read(client: Client, memory: object) -> object:
    return client.get(f"/admin/memory/{memory}/text/")


def test_one_memory_for_fifteen_minutes(lasting_world: World) -> None:
    here = lasting_world.here
    mine = here.remember(here.person("mina"), TEXT, visibility="private").id
    other = here.remember(here.person("mina"), "Something else.", visibility="private").id
    user, client = make_staff()
    open_organisation(client, lasting_world)
    assert "Open what it says" in response_text(client.get(f"/admin/organisation/memories/{mine}/"))
    assert TEXT not in response_text(read(client, mine)), "not without a reason"
    assert ask(client, mine, "because").status_code == 422
    assert ask(client, mine)["Location"] == f"/admin/memory/{mine}/text/"
    page = read(client, mine)
    assert TEXT in response_text(page)
    assert "no-store" in page["Cache-Control"]
    assert read(client, other).status_code == 409
    _, colleague = make_staff()
    open_organisation(colleague, lasting_world)
    assert read(colleague, mine).status_code == 409, "open to one person"
    with time_machine.travel(timezone.now() + timedelta(minutes=15, seconds=1)):
        over = read(client, mine)
    assert over.status_code == 409
    assert TEXT not in response_text(over)
    with organisation_scope(here.id):
        trail = AuditEntry.objects.filter(staff=user.pk, target=mine).order_by("id")
        assert [e.action for e in trail] == ["support.viewed", "support.opened", "support.read"]
        assert all("Zanzibar" not in str(e.detail) for e in trail)
        assert trail[1].detail["reason"] == REASON
    assert not LogEntry.objects.filter(user=user).exists(), "the admin's history holds nothing"


def test_its_people_and_the_admins_read_of_it(lasting_world: World) -> None:
    here = lasting_world.here
    mine = here.remember(here.person("mina"), TEXT, visibility="private").id
    user, client = make_staff()
    open_organisation(client, lasting_world)
    ask(client, mine)
    told = response_text(make_signed_in_client(here, "mina").get("/me/notices/"))
    assert str(user) in told
    assert REASON in told
    assert "Support read something of yours" in response_text(
        make_signed_in_client(here, "mina").get("/me/")
    )
    for name in ("bob", "ada"):
        assert "Support read" not in response_text(make_signed_in_client(here, name).get("/me/"))
        assert "Nobody did" in response_text(make_signed_in_client(here, name).get("/me/notices/"))
    trail = response_text(make_signed_in_client(here, "ada").get("/audit/?kind=support"))
    assert REASON in trail
    assert str(mine) not in trail
    assert "Zanzibar" not in told + trail


def test_what_stays_closed(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    notes = here.remember(here.robot("aria"), TEXT, visibility="internal").id
    gone = here.remember(here.person("mina"), TEXT).id
    forget_memory(here.person("mina"), gone, now=timezone.now())
    theirs = there.remember(there.person("mina"), TEXT).id
    _, client = make_staff(superuser=True)
    assert ask(client, notes)["Location"].startswith("/admin/organisation/")
    open_organisation(client, lasting_world)
    for memory, status in ((notes, 409), (gone, 409), (theirs, 404), (here.id, 404)):
        for answer in (ask(client, memory), read(client, memory)):
            assert answer.status_code == status
            assert TEXT not in response_text(answer)
    assert "internal notes are opened for nobody" in response_text(ask(client, notes))
    for outsider in (make_signed_in_client(here, "ada"), make_signed_in_client(here, "mina")):
        assert ask(outsider, gone).status_code == 404
    assert Client().get(f"/admin/memory/{gone}/open/").status_code == 302
