"""Keys with `manage`: an admin's rights over the organisation, as long as their maker has them."""

from typing import Any

import orjson
import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.members.members import change_role, remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import GroupMembership
from orgs.organisations.organisation_removal import close_organisation
from robots.access.keys import create_key
from robots.models.keys import Key
from tests.world import NOW, Tenant, World

API = "/api/v1"
SCOPES = ["read", "write", "manage"]


def with_key(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def made_by(here: Tenant, person: str, robot: str = "bolt") -> APIClient:
    """A client with a key with `manage` that a member has made."""
    _, secret = create_key(
        organisation_id=here.id,
        robot_id=here.robots[robot].id,
        now=timezone.now(),
        scopes=SCOPES,
        created_by_id=here.members[person].id,
    )
    return with_key(secret)


def ask(client: APIClient, call: str, body: Any = None) -> tuple[int, Any]:
    method, _, path = call.partition(" ")
    content = b"" if body is None else orjson.dumps(body)
    answer = client.generic(method, f"{API}{path}", content, "application/json")
    return answer.status_code, answer.json() if answer.content else None


def acts(here: Tenant) -> list[tuple[str, Any, int]]:
    """(call, body, status for those who administer) of every act that only they may do."""
    mina, bolt, aria = here.members["mina"].id, here.robots["bolt"].id, here.robots["aria"].id
    with organisation_scope(here.id):
        key = str(Key.objects.filter(robot_id=aria).values_list("id", flat=True)[0])
    return [
        ("PATCH /organisation", {"language": "german"}, 200),
        ("PUT /organisation/gate-policy", {"personal": "always"}, 200),
        ("PATCH /organisation/ageing-policy", {"evict": True}, 200),
        ("GET /invitations", None, 200),
        ("POST /invitations", {"email": "new@elsewhere.example"}, 201),
        (f"PATCH /members/{here.members['bob'].id}", {"role": "curator"}, 200),
        (f"DELETE /members/{mina}", None, 204),
        (f"POST /robots/{bolt}/keys", {"label": "Chat"}, 201),
        (f"POST /robots/{aria}/keys/{key}/renew", {}, 201),
        (f"DELETE /robots/{aria}/keys/{key}", None, 204),
    ]


@pytest.mark.conformance("D01")
@pytest.mark.conformance("Z01")
@pytest.mark.parametrize("who", ["key", "session"])
def test_an_admin_and_their_key_do_all_of_it(world: World, who: str) -> None:
    here = world.here
    client = made_by(here, "ada") if who == "key" else here.browser("ada")
    for call, body, status in acts(here):
        assert ask(client, call, body)[0] == status, call
    with organisation_scope(here.id):
        entries = AuditEntry.objects.exclude(action__in=["robot.registered", "member.joined"])
        found = {entry.action: entry for entry in entries}
    assert found.keys() >= {
        "organisation.changed", "gate.policy_changed", "policy.changed", "member.invited",
        "member.role", "member.removed", "key.created", "key.renewed", "key.revoked",
    }  # fmt: skip
    actor = here.robots["bolt"].id if who == "key" else here.members["ada"].id
    assert {entry.robot or entry.member for entry in found.values()} == {actor}


@pytest.mark.conformance("D01")
@pytest.mark.parametrize("who", ["aria", "chidi", "mina", "vera"])
def test_others_do_none_of_it(world: World, who: str) -> None:
    here = world.here
    client = here.api(who) if who in here.keys else here.browser(who)
    for call, body, _ in acts(here):
        assert ask(client, call, body)[0] in (403, 404), call


@pytest.mark.conformance("D01")
def test_ids_of_another_organisation_mean_nothing(world: World) -> None:
    here, there = world.here, world.there
    client = made_by(here, "ada")
    key = Key.objects.filter(robot_id=there.robots["aria"].id)
    with organisation_scope(there.id):
        key_id = key.values_list("id", flat=True)[0]
    robot, member = there.robots["aria"].id, there.members["mina"].id
    for call, body in [
        (f"PATCH /members/{member}", {"role": "viewer"}),
        (f"DELETE /members/{member}", None),
        (f"DELETE /invitations/{member}", None),
        (f"PATCH /groups/{there.groups['launch'].id}", {"name": "Ours"}),
        (f"GET /robots/{robot}/keys", None),
        (f"POST /robots/{robot}/keys", {"label": "x"}),
        (f"DELETE /robots/{robot}/keys/{key_id}", None),
        # A key is one of its own robot.
        (f"DELETE /robots/{here.robots['aria'].id}/keys/{key_id}", None),
        (f"POST /robots/{here.robots['aria'].id}/keys/{key_id}/renew", {}),
    ]:
        assert ask(client, call, body)[0] == 404, call


def test_a_key_is_named_under_its_own_robot_alone(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        key_id = Key.objects.filter(robot_id=here.robots["aria"].id).values_list("id", flat=True)[0]
    client = made_by(here, "ada")
    assert ask(client, f"DELETE /robots/{here.robots['clio'].id}/keys/{key_id}")[0] == 404
    assert ask(client, f"DELETE /robots/web/keys/{key_id}")[0] == 404


@pytest.mark.conformance("D01")
@pytest.mark.parametrize("how", ["demoted", "removed", "closed", "invited"])
def test_a_key_manages_as_long_as_its_maker_may(world: World, how: str) -> None:
    """Also the keys that it made itself: the chain ends where it began."""
    here = world.here
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["chidi"].id).update(role=Role.ADMIN)
    client = made_by(here, "chidi")
    call = f"POST /robots/{here.robots['clio'].id}/keys"
    _, made = ask(client, call, {"label": "second", "scopes": ["manage", "read"]})
    second = with_key(made["key"])
    patch = {"members_publish": True}
    for one in (client, second):
        assert ask(one, "PATCH /organisation", patch)[0] == 200
    ada = here.person("ada")
    chidi = here.members["chidi"]
    if how == "demoted":
        change_role(ada, member_id=chidi.id, role=Role.CURATOR, now=NOW)
    if how == "removed":
        remove_member(ada, member_id=chidi.id, now=NOW)
    if how == "closed":
        chidi.user.is_active = False
        chidi.user.save(update_fields=["is_active"])
    if how == "invited":
        with organisation_scope(here.id):
            Member.objects.filter(id=chidi.id).update(joined_at=None)
    for one in (client, second):
        status, problem = ask(one, "PATCH /organisation", patch)
        assert (status, problem["type"].rpartition(":")[2]) == (403, "missing-scope")
        assert ask(one, "POST /groups", {"external_id": "press"})[0] == 403
        assert "manage" not in ask(one, "GET /me")[1]["scopes"]
    # An admin who renews such a key answers for it.
    page = here.browser("ada")
    path = f"/robots/{here.robots['clio'].id}/keys/{made['id']}/renew"
    renewed = with_key(ask(page, f"POST {path}", {"hours": 0})[1]["key"])
    assert ask(renewed, "PATCH /organisation", {"members_publish": False})[0] == 200
    assert ask(second, "GET /organisation")[0] == 401


@pytest.mark.conformance("D01")
@pytest.mark.parametrize(("member", "status"), [("mina", 403), ("chidi", 403), ("ada", 200)])
def test_a_personal_robot_manages_where_its_member_is_an_admin(
    world: World, member: str, status: int
) -> None:
    here = world.here
    here.give_owner("bolt", member)
    client = made_by(here, "ada")
    assert ask(client, "PATCH /organisation", {"members_publish": True})[0] == status
    if status == 200:
        change_role_of_chidi = f"PATCH /members/{here.members['chidi'].id}"
        assert ask(client, change_role_of_chidi, {"role": "admin"})[0] == 200
        change_role(here.person("ada"), member_id=here.members[member].id, role="member", now=NOW)
        assert ask(client, "PATCH /organisation", {"members_publish": False})[0] == 403


@pytest.mark.conformance("D01")
def test_nobody_makes_keys_of_the_robot_of_another(world: World) -> None:
    here = world.here
    here.give_owner("clio", "mina")
    call = f"POST /robots/{here.robots['clio'].id}/keys"
    assert ask(made_by(here, "ada"), call, {"label": "x"})[0] == 403
    assert ask(here.browser("ada"), call, {"label": "x"})[0] == 403


@pytest.mark.conformance("D01")
def test_somebody_stays_admin(world: World) -> None:
    here = world.here
    client, ada = made_by(here, "ada"), here.members["ada"].id
    for call, body in [
        (f"PATCH /members/{ada}", {"role": "viewer"}),
        (f"DELETE /members/{ada}", None),
    ]:
        status, problem = ask(client, call, body)
        assert (status, problem["title"]) == (409, "Conflict")
    assert ask(client, f"PATCH /members/{here.members['mina'].id}", {"role": "admin"})[0] == 200
    assert ask(client, f"PATCH /members/{ada}", {"role": "viewer"})[0] == 200
    # Its maker is no admin any more.
    assert ask(client, f"PATCH /members/{ada}", {"role": "admin"})[0] == 403


@pytest.mark.conformance("D01")
def test_the_text_of_a_key_is_shown_once(world: World) -> None:
    here = world.here
    client = made_by(here, "ada")
    keys = f"{API}/robots/{here.robots['clio'].id}/keys"
    answer = client.post(keys, {"label": "Chat", "scopes": ["read"], "days": 30}, format="json")
    made = answer.json()
    assert answer["Cache-Control"] == "no-store"
    secret = made["key"][-43:]
    listed = client.get(keys)
    assert ask(with_key(made.pop("key")), "GET /me")[1]["scopes"] == ["read"]
    assert listed.json()["results"][0] == made
    assert secret not in listed.content.decode()
    assert {"digest", "key"} & made.keys() == set()
    with organisation_scope(here.id):
        row = Key.objects.get(id=made["id"])
    assert row.created_by_id == here.members["ada"].id
    assert (row.expires_at - row.created_at).days == 30


@pytest.mark.conformance("D01")
@pytest.mark.conformance("Z01")
def test_an_address_that_is_invited_again_gets_a_new_link(world: World) -> None:
    here = world.here
    client, body = made_by(here, "ada"), {"email": "nina@elsewhere.example", "role": "curator"}
    (status, first), (again, second) = (ask(client, "POST /invitations", body) for _ in range(2))
    assert (status, again) == (201, 201)
    assert (first["id"], first["role"]) == (second["id"], "curator")
    assert first["url"] != second["url"]
    assert (
        here.browser("vera").get(f"/invite/{first['url'].partition('/invite/')[2]}").status_code
        == 404
    )
    listed = ask(client, "GET /invitations")[1]["results"]
    assert [(one["email"], "url" in one) for one in listed] == [("nina@elsewhere.example", False)]
    # Who has joined is not invited.
    joined = here.members["mina"].user.email
    assert ask(client, "POST /invitations", {"email": joined})[0] == 409
    assert ask(client, f"DELETE /invitations/{first['id']}")[0] == 204
    assert ask(client, f"DELETE /invitations/{first['id']}")[0] == 404
    assert ask(client, f"DELETE /invitations/{here.members['mina'].id}")[0] == 404


@pytest.mark.conformance("D01", "X08")
@pytest.mark.parametrize(
    ("call", "body", "status"),
    [
        ("PATCH /organisation", {"language": "polish"}, 400),
        ("PATCH /organisation", {"language": "klingon"}, 400),
        ("PATCH /organisation", {"language": None}, 400),
        ("PATCH /organisation", {"name": "x" * 10_000}, 400),
        ("PATCH /organisation", {"name": "a\x00b"}, 400),
        ("PATCH /organisation", {"name": "Pa\u202eypal"}, 400),
        ("PATCH /organisation", {"name": "  "}, 400),
        ("PATCH /organisation", {"slug": "other"}, 400),
        ("PATCH /members/{mina}", {"role": "owner"}, 400),
        ("PATCH /members/{mina}", {"role": None}, 400),
        ("PATCH /members/{mina}", {"name": "x"}, 400),
        ("PATCH /members/nobody", {"role": "viewer"}, 404),
        ("POST /invitations", {"email": "nobody"}, 400),
        ("POST /invitations", {"email": "a\x00@b.example"}, 400),
        ("POST /invitations", {"email": "n@b.example", "name": "x" * 10_000}, 400),
        ("POST /invitations", {"email": "n@b.example", "name": "M\u0456na"}, 400),
        ("POST /invitations", {"email": "n@b.example", "name": "Mlna"}, 409),
        ("POST /invitations", {"email": "n@b.example", "name": "Everyone"}, 400),
        ("POST /robots/{bolt}/keys", {"label": "x", "scopes": ["root"]}, 400),
        ("POST /robots/{bolt}/keys", {"label": "x", "scopes": []}, 400),
        ("POST /robots/{bolt}/keys", {"label": "x", "days": 0}, 400),
        ("POST /robots/{bolt}/keys", {"label": "x" * 10_000}, 400),
        ("POST /robots/{bolt}/keys", {"label": "a\x00b"}, 400),
        ("PUT /organisation/gate-policy", {"personal": "never"}, 400),
        ("PATCH /organisation/ageing-policy", {"max_age_days": {"fact": 0}}, 400),
        ("PATCH /organisation/ageing-policy", {"max_age_days": {"wish": 3}}, 400),
        ("PATCH /organisation/ageing-policy", {"keep_most": 0}, 400),
    ],
)
def test_what_is_wrong_is_refused(world: World, call: str, body: Any, status: int) -> None:
    here = world.here
    ids = {"mina": here.members["mina"].id, "bolt": here.robots["bolt"].id}
    assert ask(made_by(here, "ada"), call.format(**ids), body)[0] == status


@pytest.mark.conformance("D01")
def test_the_groups_of_a_key_that_manages_are_an_admins_and_its_own(world: World) -> None:
    here = world.here
    here.browser("ada")
    client = made_by(here, "ada", "clio")
    with organisation_scope(here.id):
        here.groups["launch"].confidential = True
        here.groups["launch"].save(update_fields=["confidential"])
    listed = ask(client, "GET /groups")[1]["results"]
    assert [one["external_id"] for one in listed] == ["design"]
    assert ask(client, "PATCH /groups/launch", {"name": "Open"})[0] == 404
    with organisation_scope(here.id):
        here.groups["launch"].confidential = False
        here.groups["launch"].save(update_fields=["confidential"])
    assert {one["external_id"] for one in ask(client, "GET /groups")[1]["results"]} == {
        "design", "launch"
    }  # fmt: skip
    assert ask(client, "PATCH /groups/launch", {"name": "Lift-off", "confidential": True})[0] == 200
    # To manage a group is not to read it.
    kept = here.remember(here.robot("aria"), "The launch is in June.", group="launch").id
    assert ask(client, f"GET /memories/{kept}")[0] == 404
    assert ask(client, "POST /recall", {"query": "launch", "group": "launch"})[0] == 404


@pytest.mark.conformance("D01")
def test_a_key_that_manages_knows_everyone_and_their_addresses(world: World) -> None:
    here = world.here
    listed = ask(made_by(here, "ada"), "GET /members")[1]["results"]
    assert {one["name"] for one in listed} == {"Ada", "Chidi", "Mina", "Bob", "Vera"}
    assert all(one["email"].endswith(f"@{here.organisation.slug}.example") for one in listed)
    for client in (here.api("aria"), here.browser("chidi")):
        assert {one["email"] for one in ask(client, "GET /members")[1]["results"]} == {None}


@pytest.mark.conformance("D01")
def test_a_key_that_manages_makes_a_group_with_people_whom_its_robot_never_met(
    world: World,
) -> None:
    here = world.here
    vera = here.members["vera"]
    with organisation_scope(here.id):
        GroupMembership.objects.filter(member_id=vera.id).delete()
    client = made_by(here, "ada", "clio")
    body = {"external_id": "attic", "members": [str(vera.id)]}
    assert ask(client, "POST /groups", body)[0] == 201
    listed = ask(client, "GET /groups/attic/members")[1]["results"]
    assert [one["name"] for one in listed] == ["Vera"]


@pytest.mark.conformance("D01")
def test_a_removed_organisation_knows_its_keys_no_more(world: World) -> None:
    client = made_by(world.here, "ada")
    assert ask(client, "GET /organisation")[0] == 200
    close_organisation(world.here.id, now=timezone.now())
    for call in ("GET /organisation", "PATCH /organisation", "GET /members"):
        assert ask(client, call, {} if "PATCH" in call else None)[0] == 401


@pytest.mark.conformance("D01")
def test_a_member_makes_and_ends_the_keys_of_their_own_robot(world: World) -> None:
    here = world.here
    mina = here.browser("mina")
    status, made = ask(mina, "POST /me/robot/keys", {"label": "Laptop", "days": 7})
    assert status == 201
    assert ask(with_key(made["key"]), "GET /me")[1]["member"]["name"] == "Mina"
    listed = ask(mina, "GET /me/robot/keys")[1]["results"]
    assert [one["id"] for one in listed] == [made["id"]]
    assert "key" not in listed[0]
    assert ask(here.browser("bob"), f"DELETE /me/robot/keys/{made['id']}")[0] == 404
    assert ask(mina, f"DELETE /me/robot/keys/{made['id']}")[0] == 204
    assert ask(with_key(made["key"]), "GET /me")[0] == 401
    assert ask(here.browser("vera"), "POST /me/robot/keys", {"label": "x"})[0] == 403
    assert ask(here.api("aria"), "POST /me/robot/keys", {"label": "x"})[0] == 403
