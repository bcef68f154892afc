"""My memories: one's personas, one's own robot, and what opting out of sharing does to them."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.principals import resolve_principal
from personas.associations.association_changes import ensure_association
from personas.block_writes.block_updates import WriteOptions, add_entry, confirm_entry
from personas.models.blocks import BlockRobot
from personas.models.personas import Association
from robots.access.keys import authenticate_key
from robots.models.keys import Key
from robots.models.robots import Robot
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    block_labels,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, PEOPLE, Tenant, World

CPG = "cpg_retail_media"
LABEL = f"{QSR}_service_experience"
SECRET = re.compile(r'id="new-key">(cmk_[^<]+)<')


def own_robots(here: Tenant, name: str) -> list[Robot]:
    with organisation_scope(here.id):
        return list(Robot.objects.filter(owner_id=here.members[name].id))


def mine(client: Client) -> list[dict[str, Any]]:
    return client.get("/me/").context["personas"]["personas"]


def new_key(client: Client) -> Any:
    once = client.get("/me/robot/").context["form"]["once"].value()
    return client.post("/me/robot/keys/", {"once": once, "name": "Laptop", "expires": "30"})


@pytest.mark.conformance("P20", "W13")
def test_a_persona_is_new_until_its_member_says_so_or_for_fourteen_days(world: World) -> None:
    here, now = world.here, timezone.now()
    make_association(here, "mina", confidence=0.9, now=now - timedelta(days=13))
    make_association(here, "ada", confidence=0.9, now=now - timedelta(days=15))
    assert [one["new"] for one in mine(make_signed_in_client(here, "ada"))] == [False]
    teach(here, "mina", "Places come first.")
    client = make_signed_in_client(here, "mina")
    page = client.get("/me/")
    assert "Your robot says what you do: Real Estate in QSR." in response_text(page)
    assert "See it and undo it" in response_text(page)
    [first] = page.context["personas"]["personas"]
    told = (first["name"], first["sure"], first["told_by"], first["new"], first["entries"])
    assert told == ("Real Estate in QSR", "90 % sure", "your robot", True, 1)
    assert [one["new"] for one in mine(client)] == [True], "a look changes nothing"
    assert client.post(first["confirm_url"], {"back": "me"}).status_code == 302
    assert [one["new"] for one in mine(client)] == [False]
    assert "says what you do" not in response_text(client.get("/me/"))
    assert mine(make_signed_in_client(here, "bob")) == []
    assert count_queries(client, "/me/") <= 12


@pytest.mark.conformance("P22")
def test_a_robots_word_is_confirmed_or_undone_by_the_member(world: World) -> None:
    here = world.here
    bob, robot = make_signed_in_client(here, "bob"), here.robot("aria")
    for handle in (QSR, RETAIL):
        ensure_association(robot, member=str(here.members["bob"].id), handle=handle, confidence=0.5,
                  now=timezone.now())  # fmt: skip
    said = {one["handle"]: one for one in mine(bob)}
    assert [(one["waits"], one["told_by"], one["entries"]) for one in said.values()] == [
        (True, "aria", None)
    ] * 2
    # What waits counts for nothing, so that there is nothing to undo.
    page = response_text(bob.get("/me/"))
    assert "See it and answer" in page
    assert "See it and undo it" not in page
    bob.post(said[QSR]["confirm_url"], {"back": "me"})
    bob.post(said[RETAIL]["leave_url"], {"back": "me"})
    assert [(one["handle"], one["waits"]) for one in mine(bob)] == [(QSR, False)]
    with organisation_scope(here.id):
        row = Association.objects.get(member_id=here.members["bob"].id)
        assert row.confirmed_by_id == here.members["bob"].id


@pytest.mark.conformance("W13")
def test_the_export_holds_ones_own_personas_and_nobody_elses(world: World) -> None:
    here = world.here
    make_association(here, "mina", confidence=0.9)
    ensure_association(here.robot("aria"), member=str(here.members["mina"].id), handle=RETAIL,
              confidence=0.5, now=NOW + timedelta(days=1))  # fmt: skip
    ensure_association(here.person("mina"), member=None, handle=CPG, confidence=None,
              now=NOW + timedelta(days=2))  # fmt: skip
    [own], day = own_robots(here, "mina"), day_of(NOW)
    assert exported(here, "mina") == [
        (QSR, own.name, 0.9, day, day),
        (RETAIL, "aria", 0.5, day + timedelta(days=1), None),
        (CPG, None, 1.0, day + timedelta(days=2), day + timedelta(days=2)),
    ]
    # Who curates sees everybody's on the page, and takes along none of them.
    assert exported(here, "chidi") == exported(here, "bob") == []


def exported(here: Tenant, name: str) -> list[tuple[Any, ...]]:
    """(handle, robot, how sure, when said, when confirmed) of the lines that tell of personas."""
    answer = make_signed_in_client(here, name).get("/me/export/")
    rows = [json.loads(line) for line in b"".join(answer).splitlines()]
    at = datetime.fromisoformat
    return [
        (
            row["persona"],
            row["robot"],
            row["confidence"],
            at(row["discovered_at"]),
            row["confirmed_at"] and at(row["confirmed_at"]),
        )
        for row in rows
        if "persona" in row
    ]


@pytest.mark.conformance("P04")
def test_two_first_presses_at_once_make_one_robot(lasting_world: World) -> None:
    here = lasting_world.here
    clients = [make_signed_in_client(here, "mina") for _ in range(4)]
    assert own_robots(here, "mina") == []

    def press(client: Client) -> int:
        try:
            return client.post("/me/robot/").status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(clients)) as pool:
        assert list(pool.map(press, clients)) == [302] * len(clients)
    [robot] = own_robots(here, "mina")
    with organisation_scope(here.id):
        made = AuditEntry.objects.filter(action="robot.personal")
        assert [entry.target for entry in made] == [robot.id]
    assert clients[0].get("/me/robot/").context["robot"].id == robot.id
    assert own_robots(here, "bob") == []


def test_looking_makes_no_robot_and_a_press_does(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    page = mina.get("/me/robot/")
    assert "You have none yet." in response_text(page)
    assert "It has no key" not in response_text(page)
    assert page.context["robot"] is None
    assert own_robots(here, "mina") == []
    assert mina.post("/me/robot/")["Location"] == "/me/robot/"
    [robot] = own_robots(here, "mina")
    page = response_text(mina.get("/me/robot/"))
    assert f"its name, {robot.name}, says nothing of you" in page
    assert "You have none yet." not in page
    assert "It has no key, so nothing speaks as your robot." in page
    assert own_robots(here, "bob") == []


def test_signing_in_makes_no_robot_and_a_viewer_has_none(world: World) -> None:
    here = world.here
    for name in PEOPLE:
        make_signed_in_client(here, name).get("/me/")
        assert own_robots(here, name) == []
    vera = make_signed_in_client(here, "vera")
    assert vera.get("/me/robot/").status_code == vera.post("/me/robot/").status_code == 404
    assert "/me/robot/" not in response_text(vera.get("/me/"))


def test_a_key_of_ones_own_robot_is_shown_once_and_revoked(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    made = new_key(mina)
    found = SECRET.search(response_text(made))
    assert found
    caller = authenticate_key(found[1], timezone.now())
    assert caller is not None
    assert caller.robot_id == own_robots(here, "mina")[0].id
    assert caller.scopes == {"read", "write", "act_for"}
    page = response_text(mina.get("/me/robot/"))
    assert found[1] not in page
    with organisation_scope(here.id):
        key = Key.objects.get(id=caller.key_id)
        assert (key.expires_at - key.created_at).days == 30
    url = f"/me/robot/keys/{key.id}/revoke/"
    for other in ("bob", "ada"):
        assert make_signed_in_client(here, other).post(url).status_code == 404
    assert authenticate_key(found[1], timezone.now()) is not None
    mina.post(url)
    assert authenticate_key(found[1], timezone.now()) is None
    with organisation_scope(here.id):
        trail = AuditEntry.objects.filter(target=key.id).order_by("id")
        assert [(one.action, one.member) for one in trail] == [
            ("key.created", here.members["mina"].id),
            ("key.revoked", here.members["mina"].id),
        ]
    assert count_queries(mina, "/me/robot/") <= 12


def test_the_form_for_a_key_makes_one_however_often_it_is_sent(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    once = mina.get("/me/robot/").context["form"]["once"].value()
    data = {"once": once, "name": "Laptop", "expires": ""}
    assert SECRET.search(response_text(mina.post("/me/robot/keys/", data)))
    assert mina.post("/me/robot/keys/", data)["Location"] == "/me/robot/"
    with organisation_scope(here.id):
        assert Key.objects.filter(robot=own_robots(here, "mina")[0]).count() == 1


def teach(here: Tenant, name: str, line: str) -> UUID:
    robot = make_owner_actor(here, name)
    made = add_entry(
        robot,
        get_block_by_label(robot, now=timezone.now()).block.id,
        line,
        wanted=WriteOptions(),
        now=timezone.now(),
    )
    assert made.entry is not None
    return made.entry.id


def opted_out(world: World, **ticked: str) -> tuple[Client, dict[str, UUID]]:
    """Mina's robot taught three lines: one alone, one that Bob's confirmed, one that waits."""
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    made = {
        "alone": teach(here, "mina", "Places come first."),
        "both": teach(here, "mina", "Visits come second."),
        "waits": teach(here, "mina", "Write to ann@example.com first."),
    }
    bob = make_owner_actor(here, "bob")
    confirm_entry(
        bob, get_block_by_label(bob, now=timezone.now()).block.id, made["both"], now=timezone.now()
    )
    client = make_signed_in_client(here, "mina")
    client.post("/me/sharing/", {"on": "1", **ticked})
    return client, made


def lines(here: Tenant, name: str) -> list[str]:
    return [one.text for one in get_block_by_label(here.person(name), now=timezone.now()).entries]


def attached(here: Tenant, name: str) -> int:
    robots = own_robots(here, name)
    with organisation_scope(here.id):
        return BlockRobot.objects.filter(robot__in=robots).count()


@pytest.mark.conformance("P19")
def test_opting_out_closes_the_blocks_and_earlier_entries_stay(world: World) -> None:
    here = world.here
    client, _ = opted_out(world)
    assert LABEL not in block_labels(make_owner_actor(here, "mina"), now=timezone.now())
    assert lines(here, "bob") == ["Places come first.", "Visits come second."]
    assert (attached(here, "mina"), attached(here, "bob")) == (0, 1)
    page = response_text(client.get(f"/personas/{QSR}/"))
    assert "Places come first." not in page
    assert "You have opted out of sharing" in page
    assert mine(client)[0]["entries"] is None
    # Opting in again opens what they read before.
    client.post("/me/sharing/", {"on": "0"})
    assert lines(here, "mina") == ["Places come first.", "Visits come second."]
    assert attached(here, "mina") == 1


def test_what_somebody_protected_stays_though_it_is_ticked(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    kept = teach(here, "mina", "Places come first.")
    protect_memory(here.person("chidi"), kept, reason="A rule.", now=timezone.now())
    make_signed_in_client(here, "mina").post("/me/sharing/", {"on": "1", "withdraw": "1"})
    assert lines(here, "chidi") == ["Places come first."]


@pytest.mark.conformance("P19")
def test_ticked_what_the_members_robot_alone_taught_comes_back(world: World) -> None:
    here = world.here
    client, made = opted_out(world, withdraw="1")
    assert "1 thing is taken back" in response_text(client.get("/me/"))
    assert lines(here, "bob") == ["Visits come second."]
    with resolve_principal(here.person("mina")).scope():
        back = Memory.objects.get(id=made["alone"])
        assert (back.audience.kind, back.status) == ("member", "active")
    with organisation_scope(here.id):
        moved = AuditEntry.objects.filter(action="memory.shared", target=made["alone"])
        assert [entry.member for entry in moved] == [here.members["mina"].id]
    # Who curates finds it in no trash, and cannot bring it back against the wish.
    assert made["alone"] not in here.readable(here.person("chidi"))


def test_what_waits_for_a_decision_goes_with_the_wish(world: World) -> None:
    here = world.here
    chidi = make_signed_in_client(here, "chidi")
    _, made = opted_out(world)
    assert "ann@" not in response_text(chidi.get("/review/"))
    assert made["waits"] not in here.readable(here.person("chidi"))
    with resolve_principal(here.person("mina")).scope():
        kept = Memory.objects.get(id=made["waits"])
        assert (kept.status, kept.proposed_audience_id) == ("archived", None)
