"""Calendars that are fetched from an address: what is new, for their member alone, and paused when
they fail."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from memories.context.connectors import subscriptions as service
from memories.context.connectors.models import Account, AccountEntry, PauseReason
from memories.context.connectors.subscriptions import (
    FAILURE_SENTENCES,
    fetch_subscription,
)
from memories.jobs import fetch_schedule
from memories.jobs.fetch_schedule import MAX_FAILURES
from memories.jobs.models import Job, JobState
from memories.jobs.run_jobs import PermanentJobError, run_job
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.outbound.fetch import fetch_file
from orgs.principals import resolve_principal
from tests.event_loop import in_own_thread
from tests.memories.context.test_account_memories import jobs, memories, work
from tests.memories.context.test_accounts import DAY, URL, at, give_leave, handed_in
from tests.memories.context.test_connector_files import calendar, event
from tests.orgs.outbound.file_server import FileServer, serving
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server of a calendar, which the settings allow."""
    settings.WEBHOOK_HTTP = True
    settings.SUBSCRIPTION_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(service, "fetch_file", lambda *a, **k: in_own_thread(fetch_file, *a, **k))
    with serving() as found:
        found.body = events("Review")
        yield found


def events(*titles: str) -> bytes:
    start = timezone.now() + DAY
    return calendar(*(event(at(start), title) for title in titles))


def subscribed(here: Tenant, server: FileServer, **more: Any) -> Any:
    """The answer of a new subscription."""
    body = {"kind": "calendar", "name": "Work", "url": server.url, **more}
    answer = here.browser("mina").post(URL, body, format="json")
    assert answer.status_code == 201, answer.json()
    return answer.json()


def account(here: Tenant, name: str = "mina") -> Account:
    with resolve_principal(here.person(name)).scope():
        return Account.objects.get(organisation_id=here.id)


def run(here: Tenant, name: str = "mina") -> Job:
    """What a worker does with the waiting job, and with what it leads to."""
    waiting = [one for one in jobs(here, name) if one.state == JobState.WAITING]
    job = next(one for one in waiting if one.parameters.get("fetch"))
    run_job(here.id, job.id, here.members[name].id, None)
    here.read()
    return next(one for one in jobs(here, name) if one.id == job.id)


def due(here: Tenant, name: str = "mina") -> None:
    """Make the subscription due."""
    with resolve_principal(here.person(name)).scope():
        Account.objects.filter(organisation_id=here.id).update(next_run_at=NOW)


def titles(here: Tenant, name: str = "mina") -> list[str]:
    with resolve_principal(here.person(name)).scope():
        rows = AccountEntry.objects.filter(organisation_id=here.id).order_by("title")
        return list(rows.values_list("title", flat=True))


def change(here: Tenant, id_: str, status: int = 200, name: str = "mina", **fields: Any) -> Any:
    answer = here.browser(name).patch(f"{URL}/{id_}", fields, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def test_a_calendar_is_fetched_and_what_is_new_comes_with_the_next_period(
    here: Tenant, server: FileServer
) -> None:
    made = subscribed(here, server, period_minutes=15)
    assert (made["entries"], made["subscription"]["period_minutes"]) == (0, 15)
    assert run(here).state == JobState.DONE
    assert titles(here) == ["Review"]
    assert work(here).result["remembered"] == 1
    [before] = memories(here).values()
    assert service._start_due(here.id, timezone.now() + timedelta(minutes=14)) == 0
    server.body = events("Lunch")
    first = server.body
    assert service._start_due(here.id, timezone.now() + timedelta(minutes=16)) == 1
    assert service._start_due(here.id, timezone.now() + timedelta(minutes=16)) == 0
    assert run(here).state == JobState.DONE
    assert titles(here) == ["Lunch"]
    work(here)
    assert before.id not in {one.id for one in memories(here).values()}
    # The same file again: the memory stays.
    [kept] = memories(here).values()
    due(here)
    server.body = first
    assert service._start_due(here.id, timezone.now()) == 1
    run(here)
    assert [one.id for one in memories(here).values()] == [kept.id]


def test_a_file_that_is_the_same_is_not_sent_again(here: Tenant, server: FileServer) -> None:
    server.etag = '"7"'
    subscribed(here, server)
    run(here)
    refreshed_at = account(here).refreshed_at
    due(here)
    service._start_due(here.id, timezone.now())
    assert run(here).state == JobState.DONE
    assert [one.get("if-none-match") for one in server.asked] == [None, '"7"']
    assert (account(here).refreshed_at, titles(here)) == (refreshed_at, ["Review"])
    # Days later other events are near enough to be read.
    with resolve_principal(here.person("mina")).scope():
        Account.objects.update(refreshed_at=timezone.now() - 2 * DAY, next_run_at=NOW)
    service._start_due(here.id, timezone.now())
    run(here)
    assert "if-none-match" not in server.asked[2]


def test_five_failures_pause_it_and_another_try_begins_anew(
    here: Tenant, server: FileServer
) -> None:
    made = subscribed(here, server)
    run(here)
    server.status = 503
    for number in range(1, MAX_FAILURES + 1):
        due(here)
        assert service._start_due(here.id, timezone.now()) == 1
        job = run(here)
        assert (job.state, job.reason) == (JobState.DEAD, FAILURE_SENTENCES["refused"])
        assert account(here).failures == number
        paused = number == MAX_FAILURES
        assert (account(here).next_run_at is None) == paused
    assert account(here).paused_for == PauseReason.REFUSED
    assert titles(here) == ["Review"]
    assert service._start_due(here.id, timezone.now() + 9 * DAY) == 0
    server.status, server.body = 200, events("Lunch")
    told = change(here, made["id"], paused=False)["subscription"]
    assert (told["failures"], told["paused_for"]) == (0, "")
    assert run(here).state == JobState.DONE
    assert titles(here) == ["Lunch"]


def test_a_success_forgets_the_failures(here: Tenant, server: FileServer) -> None:
    subscribed(here, server)
    server.body = b"hello"
    assert run(here).reason == FAILURE_SENTENCES["unreadable"]
    server.body = events("Review")
    due(here)
    service._start_due(here.id, timezone.now())
    run(here)
    assert (account(here).failures, titles(here)) == (0, ["Review"])


def test_an_address_that_the_settings_forbid_pauses_at_once(
    here: Tenant, server: FileServer, settings: Any
) -> None:
    subscribed(here, server)
    # A host to which the webhooks of admins may lead is none that a member may read.
    settings.WEBHOOK_PRIVATE_HOSTS = settings.SUBSCRIPTION_PRIVATE_HOSTS
    settings.SUBSCRIPTION_PRIVATE_HOSTS = frozenset()
    assert run(here).reason == FAILURE_SENTENCES["address"]
    assert (account(here).next_run_at, account(here).paused_for) == (None, "address")
    assert server.asked == []


def test_a_change_of_the_key_of_the_server_pauses_at_once(
    here: Tenant, server: FileServer, settings: Any
) -> None:
    subscribed(here, server)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 9, []
    with pytest.raises(PermanentJobError, match="cannot be decrypted"):
        fetch_subscription(here.person("mina"), account(here).id, now=timezone.now())
    assert account(here).paused_for == PauseReason.SECRET


def test_it_is_paused_and_its_period_changed_by_its_member(
    lasting_world: World, server: Any
) -> None:
    here = lasting_world.here
    made = subscribed(here, server)
    told = change(here, made["id"], paused=True, period_minutes=30)["subscription"]
    assert told == {
        "period_minutes": 30, "next_run_at": None, "failures": 0, "paused_for": "asked",
    }  # fmt: skip
    # The job that waits finds it paused.
    assert run(here).state == JobState.DONE
    assert (server.asked, service._start_due(here.id, timezone.now() + 9 * DAY)) == ([], 0)
    for other in ("ada", "bob"):
        change(here, made["id"], 404, name=other, paused=False)
    change(here, made["id"], 400, period_minutes=14)
    change(here, made["id"], 400, period_minutes=1_441)
    filed = handed_in(here.browser("mina"), name="File", content=events("Review").decode())
    assert filed["subscription"] is None
    assert change(here, filed["id"], 409, paused=False)["type"].endswith("no-subscription")
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="account.changed").count() == 1


def test_the_address_is_never_shown(here: Tenant, server: FileServer) -> None:
    made = subscribed(here, server)
    server.status = 500
    run(here)
    with resolve_principal(here.person("mina")).scope():
        rows = [*Account.objects.values(), *Job.objects.values()]
    with organisation_scope(here.id):
        rows += AuditEntry.objects.values()
    told = here.browser("mina").get(f"{URL}/{made['id']}").json()
    assert "canary-address" not in json.dumps([rows, told], cls=DjangoJSONEncoder, default=str)


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://10.0.0.8/x.ics"}, {"url": "https://169.254.169.254/"},
        {"url": "file:///etc/passwd"}, {"url": "https://a:b@calendar.example.org/"},
        {"url": "https://calendar.example.org/", "kind": "mail"}, {},
        {"url": "https://calendar.example.org/", "content": "x"},
        {"content": "x", "period_minutes": 60},
        {"url": "https://calendar.example.org/", "period_minutes": 5},
    ],
)  # fmt: skip
def test_what_is_no_subscription_is_refused(here: Tenant, fields: dict[str, Any]) -> None:
    handed_in(here.browser("mina"), 400, **fields)


def test_it_ends_with_the_account_and_with_the_member(
    lasting_world: World, server: FileServer
) -> None:
    here = lasting_world.here
    made = subscribed(here, server)
    assert here.browser("mina").delete(f"{URL}/{made['id']}").status_code == 204
    assert run(here).state == JobState.DONE
    assert server.asked == []
    subscribed(here, server)
    job = jobs(here)[-1]
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=timezone.now())
    due_at = timezone.now() + DAY
    assert service._start_due(here.id, due_at) == 0
    assert not run_job(here.id, job.id, here.members["mina"].id, None)
    assert server.asked == []


def test_nothing_is_fetched_for_who_only_reads(here: Tenant, server: FileServer) -> None:
    made = subscribed(here, server)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(role=Role.VIEWER)
    assert run(here).state == JobState.DONE
    due(here)
    assert service._start_due(here.id, timezone.now()) == 0
    assert titles(here) == []
    change(here, made["id"], 403, paused=False)
    change(here, made["id"], 403, password="x")
    # Nor by a robot with their leave: what is read would be theirs all the same.
    give_leave(here)
    mina = str(here.members["mina"].id)
    body = {"kind": "calendar", "name": "More", "url": server.url, "member": mina}
    assert here.api("aria").post(URL, body, format="json").status_code == 403
    file = {"kind": "calendar", "name": "More", "content": server.body.decode(), "member": mina}
    assert here.api("aria").post(URL, file, format="json").status_code == 403
    assert here.browser("mina").delete(f"{URL}/{made['id']}").status_code == 204


def test_an_account_that_is_removed_while_it_is_fetched_stays_away(
    here: Tenant, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = subscribed(here, server)
    there = service.fetch_file

    def meanwhile(*given: Any, **named: Any) -> Any:
        result = there(*given, **named)
        here.browser("mina").delete(f"{URL}/{made['id']}")
        return result

    monkeypatch.setattr(service, "fetch_file", meanwhile)
    assert run(here).state == JobState.DEAD
    assert titles(here) == []


def test_each_organisation_has_its_turn(
    lasting_world: World, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_schedule, "MAX_STARTED", 1)
    for name in ("One", "Two"):
        subscribed(lasting_world.here, server, name=name)
    subscribed(lasting_world.there, server)
    for tenant in (lasting_world.here, lasting_world.there):
        with resolve_principal(tenant.person("mina")).scope():
            Job.objects.filter(organisation_id=tenant.id).update(state=JobState.DONE)
        due(tenant)
    counts = [
        service._start_due(one.id, timezone.now())
        for one in 2 * (lasting_world.here, lasting_world.there)
    ]
    assert counts == [1, 1, 1, 0]
