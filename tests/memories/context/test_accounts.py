"""Calendars and mailboxes of a member: theirs alone, and in a context."""

import json
from base64 import b64encode
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memories.context.connectors import accounts as service
from memories.context.connectors.account_memories import run_account_memories
from memories.context.connectors.models import Account, AccountEntry
from memories.jobs.job_queue import lease_job
from memories.jobs.models import Job, JobState, JobType
from memories.privacy.forget_all import forget_all
from memories.state.transitions import archive_memories
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.context.test_connector_files import PICTURE, calendar, event
from tests.memories.context.test_context import cited, give_leave, got, section
from tests.world import NOW, Tenant, World

URL = "/api/v1/accounts"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(moment: datetime) -> str:
    return f":{moment:%Y%m%dT%H%M%SZ}"


def letter(subject: str, age: timedelta) -> str:
    sent = format_datetime(timezone.now() - age)
    return (
        f"From a@example Mon Mar  2 10:00:00 2026\nFrom: Ana <ana@example.org>\n"
        f"Subject: {subject}\nDate: {sent}\n\nWords of it.\n\n"
    )


def handed_in(client: Any, status: int = 201, **fields: Any) -> Any:
    body = {"kind": "calendar", "name": "Work", **fields}
    answer = client.post(URL, body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def jobs(here: Tenant, name: str = "mina") -> list[Job]:
    with resolve_principal(here.person(name)).scope():
        rows = Job.objects.filter(organisation_id=here.id, kind=JobType.ACCOUNTS)
        return list(rows.order_by("id"))


def work(here: Tenant, name: str = "mina") -> Job:
    """What a worker does with the member's waiting job, for one turn."""
    job = next(one for one in jobs(here, name) if one.state == JobState.WAITING)
    taken = lease_job(here.id, job.id, here.members[name].id)
    assert taken is not None
    actor, leased = taken
    assert actor is not None
    run_account_memories(actor, leased)
    here.read()
    return next(one for one in jobs(here, name) if one.id == job.id)


def looked_at(here: Tenant, name: str = "mina") -> None:
    """A worker has made memories of the entries, and these are archived: no question finds them, so
    a context has the entries in their sections."""
    while any(one.state == JobState.WAITING for one in jobs(here, name)):
        work(here, name)
    with resolve_principal(here.person(name)).scope():
        rows = Memory.objects.filter(organisation_id=here.id, key__startswith="account:")
        archive_memories(list(rows.select_for_update()), NOW)


def soon(title: str = "Review") -> str:
    return calendar(event(at(timezone.now() + HOUR), title)).decode()


def test_an_account_is_handed_in_replaced_and_removed(here: Tenant) -> None:
    mina = here.browser("mina")
    made = handed_in(mina, content=soon())
    assert (made["entries"], made["problems"]) == (1, [])
    two = calendar(event(at(timezone.now() + HOUR)), event(at(timezone.now() + DAY))).decode()
    again = mina.put(f"{URL}/{made['id']}/file", {"content": two}, format="json").json()
    assert (again["id"], again["entries"]) == (made["id"], 2)
    assert [one["entries"] for one in mina.get(URL).json()["results"]] == [2]
    assert mina.get(f"{URL}/{made['id']}").json()["name"] == "Work"
    assert mina.delete(f"{URL}/{made['id']}").status_code == 204
    assert mina.get(URL).json() == {"results": []}
    with resolve_principal(here.person("mina")).scope():
        assert AccountEntry.objects.count() == 0
    with organisation_scope(here.id):
        acts = AuditEntry.objects.filter(action__startswith="account.").order_by("id")
        assert [row.action for row in acts] == [
            "account.added",
            "account.refreshed",
            "account.removed",
        ]


def test_what_cannot_be_read_leaves_what_is_there(here: Tenant) -> None:
    mina = here.browser("mina")
    made = handed_in(mina, content=soon())
    picture = {"content": b64encode(PICTURE).decode(), "encoding": "base64"}
    refused = mina.put(f"{URL}/{made['id']}/file", picture, format="json")
    assert refused.status_code == 400
    assert refused.json()["type"].endswith("unreadable")
    assert "no calendar file" in refused.json()["detail"]
    assert mina.get(f"{URL}/{made['id']}").json()["entries"] == 1
    handed_in(mina, 400, name="Other", **picture)
    handed_in(mina, 400, name="Other", kind="mail", content="hello")
    handed_in(mina, 400, name="Other", content="x", encoding="base64")
    handed_in(mina, 400, name="Other", kind="fax", content=soon())
    handed_in(mina, 409, content=soon())
    assert len(mina.get(URL).json()["results"]) == 1


def test_there_are_limits(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    mina = here.browser("mina")
    monkeypatch.setattr(service, "MAX_ACCOUNTS", 2)
    handed_in(mina, content=soon(), name="One")
    handed_in(mina, content=soon(), name="Two")
    assert handed_in(mina, 409, content=soon(), name="Three")["type"].endswith("too-many")
    monkeypatch.setitem(service.MAX_FILE_BYTES, "calendar", 10)
    assert handed_in(mina, 413, content=soon(), name="Four")["type"].endswith("file-too-large")


def test_accounts_are_the_members_alone(world: World) -> None:
    here = world.here
    made = handed_in(here.browser("mina"), content=soon())
    place = f"{URL}/{made['id']}"
    for other in ("ada", "chidi", "bob"):
        assert here.browser(other).get(URL).json() == {"results": []}
        assert here.browser(other).get(place).status_code == 404
        assert here.browser(other).delete(place).status_code == 404
        file = {"content": soon("Forged")}
        assert here.browser(other).put(f"{place}/file", file, format="json").status_code == 404
    assert world.there.browser("mina").get(place).status_code == 404
    mina = str(here.members["mina"].id)
    assert here.api("aria").get(URL).status_code == 403
    assert here.api("aria").get(URL, {"member": mina}).status_code == 403
    give_leave(here)
    assert len(here.api("aria").get(URL, {"member": mina}).json()["results"]) == 1
    assert here.browser("mina").get(place).json()["entries"] == 1
    with resolve_principal(here.person("ada")).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_account")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT count(*) FROM memories_accountentry")
        assert cursor.fetchone() == (0,)


@pytest.mark.conformance("Z15")
def test_events_and_mails_are_in_the_context(here: Tenant) -> None:
    give_leave(here)
    mina, now = here.browser("mina"), timezone.now()
    times = {"Review": HOUR, "Dentist": 6 * DAY, "Later": 8 * DAY, "Over": -2 * HOUR}
    days = calendar(*(event(at(now + after), title) for title, after in times.items())).decode()
    handed_in(mina, content=days)
    letters = letter("The old one", 8 * DAY) + letter("The plan", 2 * HOUR) + letter("Yes", HOUR)
    handed_in(mina, kind="mail", name="Post", content=letters)
    looked_at(here)
    where = {"member": str(here.members["mina"].id)}
    found = got(here, "aria", "anything", **where)
    assert section(found, "events")["items"] == 2
    assert section(found, "mails")["items"] == 2
    lines = found["text"].split("\n")
    assert [line.split(") ")[1] for line in lines if "Review" in line or "Dentist" in line] == [
        "Review",
        "Dentist",
    ]
    posts = [line.partition(", ")[2] for line in lines if "Ana" in line]
    assert posts == [
        'from "Ana - ana@example.org") Yes: Words of it.',
        'from "Ana - ana@example.org") The plan: Words of it.',
    ]
    only = got(here, "aria", "anything", accounts=["Post"], **where)
    assert section(only, "events")["items"] == 0
    assert section(only, "mails")["items"] == 2
    assert section(got(here, "aria", "anything", accounts=[], **where), "mails")["items"] == 0
    assert len(cited(found, "mails")) == 2


def test_no_other_context_has_them(here: Tenant) -> None:
    handed_in(here.browser("mina"), content=soon("Secret"))
    looked_at(here)
    mina = str(here.members["mina"].id)
    for asked in ({}, {"member": mina}, {"member": mina, "group": "launch"}, {"group": "launch"}):
        found = got(here, "aria", "secret", **asked)
        assert section(found, "events")["status"] == "off"
        assert "Secret" not in found["text"]
    give_leave(here)
    assert "Secret" in got(here, "aria", "secret", member=mina)["text"]
    assert "Secret" not in got(here, "aria", "secret", member=mina, group="launch")["text"]
    assert "Secret" not in got(here, "aria", "secret", member=str(here.members["bob"].id))["text"]


def test_a_running_event_is_still_there_and_a_day_has_no_hour(here: Tenant) -> None:
    now = timezone.now()
    running = event(at(now - HOUR), "Workshop", f"DTEND{at(now + HOUR)}")
    today = event(f";VALUE=DATE:{now + DAY:%Y%m%d}", "Holiday")
    handed_in(here.browser("mina"), content=calendar(running, today).decode())
    looked_at(here)
    answer = here.browser("mina").post("/api/v1/context", {"query": "today"}, format="json").json()
    assert section(answer, "events")["items"] == 2
    assert ", all day) Holiday" in answer["text"]
    assert "Workshop" in answer["text"]


def test_the_members_export_takes_them_along(here: Tenant) -> None:
    handed_in(here.browser("mina"), content=soon("Secret review"))
    exported = b"".join(here.browser("mina").get("/me/export/").streaming_content)
    (line,) = [line for line in exported.splitlines() if b"Secret review" in line]
    assert json.loads(line)["account"] == "Work"
    others = b"".join(here.browser("ada").get("/me/export/").streaming_content)
    assert b"Secret review" not in others


def test_they_go_when_the_member_is_removed(here: Tenant) -> None:
    handed_in(here.browser("mina"), content=soon())
    handed_in(here.browser("bob"), content=soon())
    hers = resolve_principal(here.person("mina")).own_audience
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=NOW)
    with scope(Scope(organisation=here.id, audiences=(hers,))):
        assert Account.objects.count() == 0
        assert AccountEntry.objects.count() == 0
    assert len(here.browser("bob").get(URL).json()["results"]) == 1


def test_a_week_of_meetings_hides_nothing_and_long_events_run_on(here: Tenant) -> None:
    now = timezone.now()
    past = [
        event(at(now - n * HOUR), f"Past {n}", f"DTEND{at(now - (n - 1) * HOUR)}")
        for n in range(2, 24)
    ]
    leave = event(at(now - 9 * DAY), "Leave", f"DTEND{at(now + 2 * DAY)}")
    today = event(f";VALUE=DATE:{now:%Y%m%d}", "Holiday")
    file = calendar(*past, leave, today, event(at(now + HOUR), "Next")).decode()
    handed_in(here.browser("mina"), content=file)
    looked_at(here)
    answer = here.browser("mina").post("/api/v1/context", {"query": "x"}, format="json").json()
    shown = [line.split(") ")[1] for line in answer["text"].split("\n") if ") " in line]
    assert shown == ["Leave", "Holiday", "Next"]


def test_forgetting_everything_deletes_them(here: Tenant) -> None:
    handed_in(here.browser("mina"), content=soon())
    handed_in(here.browser("bob"), content=soon())
    forget_all(here.person("mina"), now=timezone.now())
    assert here.browser("mina").get(URL).json() == {"results": []}
    assert len(here.browser("bob").get(URL).json()["results"]) == 1
