"""Robots register themselves by an enrolment key, within what it gives."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.members.members import change_role, remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Role
from orgs.models.organisations import Group
from orgs.organisations.organisation_removal import close_organisation
from robots.access.enrolment import (
    authenticate_enrolment_key,
    create_enrolment_key,
    enrol_robot,
    revoke_enrolment_key,
)
from robots.models.enrolments import EnrolmentKey
from robots.models.keys import Key
from robots.models.robots import Robot, RobotGroup
from tests.robots.access.test_manage import ask, made_by, with_key
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("D02")


def make(here: Tenant, *, most: int = 3, by: str = "ada", **more: Any) -> str:
    """The text of an enrolment key; of read and write, without groups, for 30 days."""
    asked = {"label": "Build", "scopes": ["read", "write"], "groups": []} | more
    _, secret = create_enrolment_key(
        here.person(by), most=most, lifetime=timedelta(days=30), now=timezone.now(), **asked
    )
    return secret


def enrol(secret: str, **body: Any) -> tuple[int, Any]:
    return ask(with_key(secret), "POST /enrol", body)


def code_of(problem: Any) -> str:
    return str(problem["type"]).rpartition(":")[2].rpartition("/")[2]


def rows(here: Tenant, model: Any, **more: Any) -> list[Any]:
    with organisation_scope(here.id):
        return list(model.objects.filter(organisation_id=here.id, **more))


@pytest.mark.conformance("H04")
def test_a_robot_registers_itself_and_works_with_its_own_key(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
    secret = make(here, groups=[str(here.groups["launch"].id)])
    status, told = enrol(secret, id="scribe", name="Scribe", purpose="Takes notes.")
    assert status == 201
    assert (told["id"], told["name"], told["scopes"]) == ("scribe", "Scribe", ["read", "write"])
    assert [group["name"] for group in told["groups"]] == [here.groups["launch"].name]
    own = with_key(told["key"])
    _, me = ask(own, "GET /me")
    assert (me["id"], me["scopes"]) == ("scribe", ["read", "write"])
    memory = {"content": "The build takes nine minutes.", "group": "launch"}
    assert ask(own, "POST /memories", memory)[0] == 201
    found = ask(own, "POST /recall", {"query": "How long is the build?", "group": "launch"})[1]
    assert [hit["content"] for hit in found["results"]] == ["The build takes nine minutes."]
    [robot] = rows(here, Robot, external_id="scribe")
    assert robot.last_active_at is not None
    assert ask(own, "POST /robots", {"name": "Other"})[0] == 403, "it registers no other"
    assert ask(own, f"POST /robots/{robot.id}/keys", {"label": "x"})[0] == 403
    noted = {
        (one.action, one.robot, one.target)
        for one in rows(here, AuditEntry, action__in=["enrolment.used", "robot.registered"])
        if one.robot == robot.id
    }
    used = rows(here, EnrolmentKey, used=1)[0]
    assert noted == {
        ("enrolment.used", robot.id, used.id),
        ("robot.registered", robot.id, robot.id),
    }
    [key] = rows(here, Key, robot=robot)
    assert (key.label, key.created_by_id) == ("Build", here.members["ada"].id)


@pytest.mark.conformance("H04")
def test_without_an_enrolment_key_nobody_registers(world: World) -> None:
    here = world.here
    for client in (here.api("bolt"), made_by(here, "ada"), here.browser("ada")):
        status, told = ask(client, "POST /enrol", {"name": "Scribe"})
        assert (status, code_of(told)) == (
            403,
            "missing-scope",
        )
        assert "`enrol`" in told["detail"]
    assert ask(APIClient(), "POST /enrol", {"name": "Scribe"})[0] == 401
    assert ask(here.api("bolt"), "POST /robots", {"name": "Scribe"})[0] == 403
    assert not rows(here, Robot, name="Scribe")


def test_it_opens_one_call(world: World) -> None:
    secret = make(world.here)
    for call in ("GET /me", "GET /robots", "POST /recall", "POST /robots", "GET /enrolment-keys"):
        body = {"query": "x"} if call.endswith("recall") else {"name": "x"}
        assert ask(with_key(secret), call, None if call.startswith("GET") else body)[0] == 401, call
    assert ask(with_key(secret), "GET /enrol")[0] == 405


def spoilt(here: Tenant, secret: str, how: str) -> tuple[Tenant, str]:
    key = EnrolmentKey.objects.filter(organisation_id=here.id)
    with organisation_scope(here.id):
        if how == "ended":
            key.update(expires_at=timezone.now() - timedelta(seconds=1))
        if how == "revoked":
            assert ask(made_by(here, "ada"), f"DELETE /enrolment-keys/{key[0].id}")[0] == 204
        if how == "of an admin who is none any more":
            change_role(
                here.person("ola"), member_id=here.members["ada"].id, role=Role.CURATOR,
                now=timezone.now(),
            )  # fmt: skip
        if how == "of an admin who left":
            remove_member(here.person("ola"), member_id=here.members["ada"].id, now=timezone.now())
    if how == "of a closed organisation":
        close_organisation(here.id, now=timezone.now())
    if how == "with another secret":
        secret = secret[:-3] + ("aaa" if not secret.endswith("aaa") else "bbb")
    return here, secret


WAYS = (
    "ended", "revoked", "of an admin who is none any more", "of an admin who left",
    "of a closed organisation", "with another secret",
)  # fmt: skip


@pytest.mark.parametrize("how", WAYS)
def test_one_that_holds_no_more_opens_nothing(world: World, how: str) -> None:
    here = world.here
    with organisation_scope(here.id):
        second = here.members["chidi"]
        type(second).objects.filter(id=second.id).update(role=Role.ADMIN)
    here.members["ola"] = second
    second.role = Role.ADMIN
    secret = make(here)
    assert enrol(secret, name="Before")[0] == 201
    _, secret = spoilt(here, secret, how)
    status, told = enrol(secret, name="After")
    assert (status, code_of(told)) == (401, "unauthenticated")
    assert not rows(here, Robot, name="After")


def test_a_number_and_no_more(world: World) -> None:
    here = world.here
    secret = make(here, most=2)
    assert enrol(secret, name="Nobody\u200b")[0] == 400, "what is refused is not counted"
    assert [enrol(secret, name=name)[0] for name in ("One", "Zwei", "Tria")] == [201, 201, 403]
    status, told = enrol(secret, name="Quattro")
    assert (status, code_of(told)) == (403, "used-up")
    assert {one.name for one in rows(here, Robot)} & {"One", "Zwei", "Tria"} == {"One", "Zwei"}
    [key] = rows(here, EnrolmentKey)
    assert (key.used, key.state(timezone.now())) == (2, "used_up")


def test_no_more_scopes_than_the_key_gives(world: World) -> None:
    here = world.here
    secret = make(here, most=9)
    for scopes in (["manage"], ["read", "act_for"]):
        status, told = enrol(secret, name="Greedy", scopes=scopes)
        assert (status, code_of(told)) == (
            403,
            "missing-scope",
        )
    assert enrol(secret, name="Greedy", scopes=["enrol"])[0] == 400
    assert not rows(here, Robot, name="Greedy")
    assert enrol(secret, name="Modest", scopes=["read"])[1]["scopes"] == ["read"]
    body = {"label": "x", "robots": 1, "days": 1, "scopes": ["read", "manage"]}
    assert ask(here.browser("ada"), "POST /enrolment-keys", body)[0] == 400


def test_a_registered_id_gets_no_key(world: World) -> None:
    """Else whoever has an enrolment key would become any robot."""
    here = world.here
    secret = make(here, most=9)
    bolt = here.robots["bolt"]
    before = len(rows(here, Key, robot=bolt))
    for reference in (bolt.public_id, str(bolt.id)):
        status, told = enrol(secret, id=reference)
        assert (status, code_of(told)) == (409, "conflict")
    assert enrol(secret, id="scribe", name="Scribe")[0] == 201
    assert enrol(secret, id="scribe", name="Scribe 2")[0] == 409
    assert len(rows(here, Key, robot=bolt)) == before
    assert rows(here, EnrolmentKey)[0].used == 1


@pytest.mark.parametrize("name", ["bolt", "Bolt", "b\u043elt", "web", "import"])
def test_look_alike_names_are_refused(world: World, name: str) -> None:
    here = world.here
    status, _ = enrol(make(here), name=name)
    assert status in (400, 409)
    assert rows(here, EnrolmentKey)[0].used == 0


def test_two_at_once_with_one_name_are_one_robot(lasting_world: World) -> None:
    here = lasting_world.here
    secret = make(here, most=9)

    def once(number: int) -> int:
        try:
            return enrol(secret, name="Scribe", id=f"scribe-{number}")[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(once, range(4))) == [201, 409, 409, 409]
    assert len(rows(here, Robot, name="Scribe")) == 1
    assert rows(here, EnrolmentKey)[0].used == 1


def test_the_last_place_is_taken_once(lasting_world: World) -> None:
    here = lasting_world.here
    secret = make(here, most=1)

    def once(name: str) -> int:
        try:
            return enrol(secret, name=name)[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(once, ("Ulna", "Tibia", "Ruby"))) == [201, 403, 403]
    assert rows(here, EnrolmentKey)[0].used == 1


@pytest.fixture
def hidden(world: World) -> str:
    """A confidential group of Mina, in which Ada is not."""
    here = world.here
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(confidential=True)
    return str(here.groups["design"].id)


def test_nobody_comes_to_read_a_group_by_robots_that_enrol(world: World, hidden: str) -> None:
    here = world.here
    body = {"label": "x", "robots": 5, "days": 1, "groups": [hidden]}
    for client in (here.browser("ada"), made_by(here, "ada", "clio")):
        assert ask(client, "POST /enrolment-keys", body)[0] == 404
    launch = here.groups["launch"]
    with organisation_scope(here.id):
        Group.objects.filter(id=launch.id).update(confidential=False)
    secret = make(here, groups=[str(launch.id)], most=5)
    assert [group["id"] for group in enrol(secret, name="One")[1]["groups"]] == [str(launch.id)]
    with organisation_scope(here.id):
        Group.objects.filter(id=launch.id).update(confidential=True)
    told = enrol(secret, name="Zwei")[1]
    assert told["groups"] == [], "it is not the admin's any more"
    assert not rows(here, RobotGroup, robot__name="Zwei")


def test_a_key_that_ends_while_it_is_used_registers_nobody(world: World) -> None:
    """It was valid when it was shown; it is looked at once more under the lock."""
    here = world.here
    caller = authenticate_enrolment_key(make(here), timezone.now())
    assert caller is not None
    revoke_enrolment_key(here.person("ada"), caller.key_id, now=timezone.now())
    with pytest.raises(PermissionError):
        enrol_robot(caller, {"id": "late"}, now=timezone.now())
    assert rows(here, Robot, external_id="late") == []


def test_admins_and_keys_that_manage_make_list_and_end_them(world: World) -> None:
    here = world.here
    body = {"label": "Build", "robots": 5, "days": 7}
    for client in (here.browser("ada"), made_by(here, "ada")):
        status, made = ask(client, "POST /enrolment-keys", body)
        assert status == 201
        assert made["key"].startswith("cme_")
        assert (made["robots"], made["registered"], made["state"]) == (5, 0, "open")
        _, listed = ask(client, "GET /enrolment-keys")
        assert listed["results"][0]["id"] == made["id"]
        assert "key" not in listed["results"][0]
        assert made["key"] not in str(listed)
        assert ask(client, f"DELETE /enrolment-keys/{made['id']}")[0] == 204
        assert ask(client, f"DELETE /enrolment-keys/{made['id']}")[0] == 204
        assert ask(client, "GET /enrolment-keys")[1]["results"][0]["state"] == "revoked"
        assert ask(client, f"DELETE /enrolment-keys/{uuid4()}")[0] == 404
    noted = rows(here, AuditEntry, target_type="enrolment_key")
    actions = [one.action for one in sorted(noted, key=lambda one: one.at)]
    assert actions == ["enrolment.created", "enrolment.revoked"] * 2
    own = made_by(here, "ada")
    assert {one.created_by_id for one in rows(here, EnrolmentKey)} == {here.members["ada"].id}
    wrong: list[dict[str, Any]] = [
        {"label": "x", "robots": 0, "days": 1}, {"label": "x", "robots": 1, "days": 366},
        {"label": "x", "robots": 1_001, "days": 1}, {"robots": 1, "days": 1}, {"label": "x"},
    ]  # fmt: skip
    for one in wrong:
        assert ask(own, "POST /enrolment-keys", one)[0] == 400, one


@pytest.mark.parametrize("who", ["aria", "chidi", "mina", "vera"])
def test_others_make_none(world: World, who: str) -> None:
    here = world.here
    make(here)
    [key] = rows(here, EnrolmentKey)
    client = here.api(who) if who in here.keys else here.browser(who)
    body = {"label": "x", "robots": 1, "days": 1}
    assert ask(client, "POST /enrolment-keys", body)[0] == 403
    assert ask(client, "GET /enrolment-keys")[0] == 403
    assert ask(client, f"DELETE /enrolment-keys/{key.id}")[0] == 403
    assert rows(here, EnrolmentKey)[0].revoked_at is None


def test_another_organisations_key_is_unknown(world: World) -> None:
    here, there = world.here, world.there
    make(there)
    [key] = rows(there, EnrolmentKey)
    assert ask(made_by(here, "ada"), f"DELETE /enrolment-keys/{key.id}")[0] == 404
    assert ask(made_by(here, "ada"), "GET /enrolment-keys")[1]["results"] == []
    secret = make(there)
    forged = secret.replace(there.id.hex, here.id.hex)
    assert enrol(forged, name="Scribe")[0] == 401
