"""What an endpoint is told, and what it never is (N08)."""

from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings
from django.utils import timezone

from memories.curation.decision_records.record_decision import DecisionDraft, record_decision
from memories.curation.edit_memory import edit_memory
from memories.jobs import run_jobs
from memories.jobs.models import Job
from memories.lifecycle.forget import archive_memory, forget_memory
from memories.privacy.erase_memory import erase_memory
from memories.snapshots.export_job import enqueue_export
from memories.webhooks import read_feeds as feed_module
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from robots.access.keys import revoke_key
from robots.models.keys import Key
from robots.models.robots import RobotGroup
from robots.registry.robots import add_robot_to_groups
from tests.memories.webhooks.receiver import (
    Receiver,
    by_key,
    deliveries,
    endpoint,
    pump,
    read,
    say,
    send,
    stopped_for,
)
from tests.world import Tenant, World

pytestmark = [
    pytest.mark.conformance("N08"),
    pytest.mark.usefixtures("lasting_world"),
]


def told(here: Tenant) -> list[tuple[str, UUID | None]]:
    return sorted(deliveries(here, "event", "subject"), key=str)


def test_each_act_is_one_event(here: Tenant, receiver: Receiver) -> None:
    aria, mina, now = by_key(here, "aria"), here.person("mina"), timezone.now()
    say(mina, "It was here before.", visibility="group", group="launch")
    endpoint(aria, receiver.url)
    pump(here)
    assert receiver.requests == [], "what was there before is not told"
    said = say(mina, "The launch is on Monday.", visibility="group", group="launch")
    pump(here)
    edit_memory(mina, said, {"content": "The launch is on Friday."}, now=now)
    pump(here)
    forget_memory(mina, said, now=now)
    pump(here)
    again = say(mina, "Lunch is at noon.", visibility="group", group="launch")
    pump(here)
    archive_memory(mina, again, now=now)
    pump(here)
    third = say(mina, "Tea is at four.", visibility="group", group="launch")
    pump(here)
    erase_memory(mina, third, confirm=str(third), now=now)
    pump(here)
    pump(here)
    assert [(one.type, UUID(one.json["data"]["id"])) for one in receiver.requests] == [
        ("memory.created", said),
        ("memory.changed", said),
        ("memory.forgotten", said),
        ("memory.created", again),
        ("memory.gone", again),
        ("memory.created", third),
        ("memory.erased", third),
    ]


def test_only_what_the_owner_reads_is_told(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "clio"), receiver.url, with_text=True)
    mina = here.person("mina")
    say(mina, "Canary of the other group.", visibility="group", group="launch")
    say(mina, "Canary of Mina alone.", visibility="private")
    say(here.person("ada"), "Canary of Ada alone.", visibility="private")
    seen = say(mina, "For designers.", visibility="group", group="design")
    pump(here)
    assert [one.json["data"]["id"] for one in receiver.requests] == [str(seen)]
    assert told(here) == [("memory.created", seen)], "nothing of the others is even written down"
    assert b"Canary" not in b"".join(one.body for one in receiver.requests)


def test_another_organisation_is_another_world(
    lasting_world: World, here: Tenant, receiver: Receiver
) -> None:
    endpoint(here.person("ada"), receiver.url, with_text=True)
    there = lasting_world.there
    say(there.person("ada"), "Canary of there.", visibility="organisation")
    said = say(here.person("ada"), "Here.", visibility="organisation")
    pump(here)
    pump(there)
    assert [one.json["data"]["id"] for one in receiver.requests] == [str(said)]
    assert deliveries(there) == []


def test_an_endpoint_is_told_only_what_it_asked_for(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, ["memory.forgotten"])
    mina = here.person("mina")
    said = say(mina, "The launch is on Monday.", visibility="group", group="launch")
    pump(here)
    forget_memory(mina, said, now=timezone.now())
    pump(here)
    assert receiver.types() == ["memory.forgotten"]


def test_a_decision_is_told_as_one(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, ["decision.recorded"])
    draft = DecisionDraft(topic="Where to host", conclusion="We host it ourselves.", group="launch")
    made = record_decision(here.person("mina"), draft, now=timezone.now())
    say(here.person("mina"), "No decision.", visibility="group", group="launch")
    pump(here)
    assert [(one.type, one.json["data"]["id"]) for one in receiver.requests] == [
        ("decision.recorded", str(made.id))
    ]


def test_who_joins_is_told_what_happens_from_then_on(here: Tenant, receiver: Receiver) -> None:
    mina = here.person("mina")
    say(mina, "It was there before.", visibility="group", group="launch")
    endpoint(by_key(here, "bolt"), receiver.url)
    pump(here)
    groups = [here.groups["launch"].id]
    add_robot_to_groups(organisation_id=here.id, robot_id=here.robots["bolt"].id, group_ids=groups)
    said = say(mina, "It came afterwards.", visibility="group", group="launch")
    pump(here)
    assert told(here) == [("memory.created", said)]


def test_a_lost_group_is_one_event_without_its_memories(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "clio"), receiver.url)
    say(here.person("mina"), "For designers.", visibility="group", group="design")
    pump(here)
    leave(here, "clio")
    pump(here)
    assert receiver.types() == ["memory.created", "memory.gone"]
    gone = receiver.requests[-1].json["data"]
    assert gone["id"] is None
    assert gone["audience"] == receiver.requests[0].json["data"]["audience"]


def leave(here: Tenant, robot: str) -> None:
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot_id=here.robots[robot].id).delete()


def test_a_job_that_ended_is_told_once(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = here.person("ada")
    endpoint(ada, receiver.url, ["job.finished"])
    job = enqueue_export(ada, {}, now=timezone.now())
    pump(here)
    assert receiver.requests == [], "it waits"
    assert run_jobs.run_job(here.id, job.id, ada.member_id)
    for _ in range(3):
        pump(here)
    [request] = receiver.requests
    assert request.json["data"] == {"id": str(job.id), "kind": "export", "state": "done"}


def test_jobs_of_others_are_not_told(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, ["job.finished"])
    mina = here.person("mina")
    job = enqueue_export(mina, {}, now=timezone.now())
    assert run_jobs.run_job(here.id, job.id, mina.member_id)
    pump(here)
    assert receiver.requests == []
    with organisation_scope(here.id, using="worker"):
        assert Job.objects.using("worker").get(id=job.id).finished_at is not None


def revoke(here: Tenant) -> None:
    with organisation_scope(here.id):
        key = Key.objects.get(organisation_id=here.id, robot_id=here.robots["aria"].id)
    revoke_key(organisation_id=here.id, key_id=key.id, now=timezone.now())


def unread(here: Tenant) -> None:
    with organisation_scope(here.id):
        Key.objects.filter(robot_id=here.robots["aria"].id).update(scopes=["write"])


def limit(here: Tenant) -> None:
    with organisation_scope(here.id):
        keys = Key.objects.filter(robot_id=here.robots["aria"].id)
        keys.update(groups=[here.groups["launch"].id])


def retire(here: Tenant) -> None:
    robot = here.robots["aria"]
    robot.retired_at = timezone.now()
    with organisation_scope(here.id):
        robot.save(update_fields=["retired_at"])


def serve_viewer(here: Tenant) -> None:
    here.give_owner("aria", "vera")


@pytest.mark.parametrize("lose", [revoke, unread, limit, retire, serve_viewer])
@pytest.mark.parametrize("when", ["before it is written down", "before it is sent"])
def test_a_robot_that_may_not_read_by_its_key_is_sent_nothing(
    here: Tenant, receiver: Receiver, lose: Any, when: str
) -> None:
    made = endpoint(by_key(here, "aria"), receiver.url, with_text=True).endpoint
    say(here.person("mina"), "Canary.", visibility="group", group="launch")
    if when == "before it is sent":
        assert read(here) == 1
    lose(here)
    read(here)
    assert send(here) == 0
    assert receiver.requests == []
    assert stopped_for(here, made.id) == "key"


def demote(here: Tenant) -> None:
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(role="curator")


def remove(here: Tenant) -> None:
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["ada"].id).update(removed_at=timezone.now())


def close_account(here: Tenant) -> None:
    with organisation_scope(here.id):
        user = Member.objects.select_related("user").get(id=here.members["ada"].id).user
    user.is_active = False
    user.save(update_fields=["is_active"])


@pytest.mark.parametrize("lose", [demote, remove, close_account])
@pytest.mark.parametrize("when", ["before it is written down", "before it is sent"])
def test_a_member_who_is_no_admin_any_more_is_sent_nothing(
    here: Tenant, receiver: Receiver, lose: Any, when: str
) -> None:
    made = endpoint(here.person("ada"), receiver.url, with_text=True).endpoint
    say(here.person("ada"), "Canary.", visibility="organisation")
    if when == "before it is sent":
        assert read(here) == 1
    lose(here)
    read(here)
    assert send(here) == 0
    assert receiver.requests == []
    assert stopped_for(here, made.id) == "owner"


def test_a_suspended_organisation_is_sent_nothing_until_it_is_resumed(
    here: Tenant, receiver: Receiver
) -> None:
    made = endpoint(here.person("ada"), receiver.url).endpoint
    say(here.person("ada"), "For all.", visibility="organisation")
    read(here)
    with organisation_scope(here.id):
        here.organisation.suspended_at = timezone.now()
        here.organisation.save(update_fields=["suspended_at"])
    assert pump(here) == 0
    assert receiver.requests == []
    assert stopped_for(here, made.id) == ""
    with organisation_scope(here.id):
        here.organisation.suspended_at = None
        here.organisation.save(update_fields=["suspended_at"])
    assert pump(here) == 1


def test_a_position_that_is_too_old_begins_anew(here: Tenant, receiver: Receiver) -> None:
    endpoint(here.person("ada"), receiver.url)
    say(here.person("ada"), "Missed.", visibility="organisation")
    with override_settings(CHANGES_DAYS=-1):
        assert read(here) == 0
    said = say(here.person("ada"), "Told.", visibility="organisation")
    pump(here)
    assert told(here) == [("memory.created", said)]


def test_what_waits_in_masses_is_not_written_down(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "MAX_WAITING", 3)
    endpoint(here.person("ada"), receiver.url)
    said = []
    for number in range(3):
        said.append(say(here.person("ada"), f"Number {number}.", visibility="organisation"))
    assert read(here) == 3
    said.append(say(here.person("ada"), "Number 3.", visibility="organisation"))
    assert read(here) == 0
    send(here)
    pump(here)
    assert sorted(UUID(one.json["data"]["id"]) for one in receiver.requests) == sorted(said)


def test_a_page_of_the_feed_is_not_all(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "PAGE_SIZE", 2)
    monkeypatch.setattr(feed_module, "MAX_PAGES", 2)
    endpoint(here.person("ada"), receiver.url)
    said = [
        say(here.person("ada"), f"Number {number}.", visibility="organisation")
        for number in range(9)
    ]
    for _ in range(4):
        pump(here)
    assert sorted(UUID(one.json["data"]["id"]) for one in receiver.requests) == sorted(said)


def test_a_feed_that_fails_holds_up_no_other(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = endpoint(here.person("ada"), receiver.url).endpoint
    endpoint(by_key(here, "aria"), receiver.url)
    whole = feed_module.read_feed

    def breaks(owner: Any, *, now: Any) -> int:
        if owner.id == broken.id:
            raise ValueError("a text")
        return whole(owner, now=now)

    monkeypatch.setattr(feed_module, "read_feed", breaks)
    say(here.person("ada"), "For all.", visibility="organisation")
    assert read(here) == 1
