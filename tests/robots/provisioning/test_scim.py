"""What an identity provider may do by SCIM, and what it may not."""

from typing import Any

import pytest

from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, GroupMembership
from orgs.models.users import User
from tests.robots.provisioning.scim_calls import (
    PATCH_SCHEMA,
    call,
    group,
    manage_key,
    patch,
    user,
)
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("N23")
OFF = {"op": "replace", "path": "active", "value": False}


def address(tenant: Tenant, name: str) -> str:
    account = tenant.members[name].user
    assert account is not None
    return account.email


def created(key: str, body: Any, kind: str = "Users") -> str:
    status, answer = call(key, f"POST /{kind}", body)
    assert status == 201, answer
    return str(answer["id"])


def member(tenant: Tenant, id_: object) -> Member:
    with organisation_scope(tenant.id):
        return Member.objects.get(id=id_)


def acts(tenant: Tenant) -> list[str]:
    with organisation_scope(tenant.id):
        return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def test_a_user_is_invited_and_gets_no_password(world: World) -> None:
    key = manage_key(world.here)
    body = user("Nina@Example.com", displayName="Nina", externalId="7", password="let-me-in-1")
    id_ = created(key, body)
    status, answer = call(key, f"GET /Users/{id_}")
    assert (status, answer["userName"], answer["displayName"], answer["externalId"]) == (
        *(200, "nina@example.com"), "Nina", "7",
    )  # fmt: skip
    assert answer["active"] is True
    row = member(world.here, id_)
    assert (row.joined_at, row.role) == (None, Role.MEMBER)
    assert not User.objects.get(email="nina@example.com").has_usable_password()
    assert call(key, "POST /Users", body)[1]["scimType"] == "uniqueness"


def test_an_address_with_an_account_elsewhere_is_answered_alike(world: World) -> None:
    key = manage_key(world.here)
    known = address(world.there, "bob")
    answers = []
    for name in (known, "nobody@elsewhere.example"):
        status, body = call(key, "POST /Users", user(name, displayName=name.split("@")[0]))
        assert status == 201
        answers.append(sorted(body))
        assert member(world.here, body["id"]).joined_at is None
    assert answers[0] == answers[1]
    other = member(world.there, world.there.members["bob"].id)
    assert other.removed_at is None


@pytest.mark.parametrize("way", ["PATCH", "PUT", "DELETE"])
def test_leaving_is_leaving_this_organisation_alone(world: World, way: str) -> None:
    here, key = world.here, manage_key(world.here)
    mina = here.members["mina"]
    with organisation_scope(world.there.id):
        elsewhere = Member.objects.create(
            organisation_id=world.there.id, user=mina.user, name="Mina", joined_at=NOW
        )
    bodies = {
        "PATCH": patch({"op": "Replace", "value": {"active": "False"}}),
        "PUT": user("other@example.com", active=False, displayName="Other"),
    }
    status, _ = call(key, f"{way} /Users/{mina.id}", bodies.get(way))
    assert status == (204 if way == "DELETE" else 200)
    row = member(here, mina.id)
    assert row.removed_at is not None
    assert row.user_id == mina.user_id
    with organisation_scope(here.id):
        assert not GroupMembership.objects.filter(member_id=mina.id).exists()
    assert member(world.there, elsewhere.id).removed_at is None
    assert User.objects.get(id=mina.user_id).is_active
    assert acts(here)[-1] == "member.removed"
    # Deleted is gone; deactivated can be read, and activated.
    status, answer = call(key, f"GET /Users/{mina.id}")
    assert status == 404 if way == "DELETE" else answer["active"] is False


def test_activating_invites_anew_as_a_plain_member(world: World) -> None:
    here, key = world.here, manage_key(world.here)
    chidi = here.members["chidi"]
    assert call(key, f"PATCH /Users/{chidi.id}", patch(OFF))[0] == 200
    again = {"op": "replace", "path": "active", "value": True}
    status, answer = call(key, f"PATCH /Users/{chidi.id}", patch(again))
    row = member(here, chidi.id)
    assert (status, answer["active"]) == (200, True)
    assert (row.role, row.joined_at, row.removed_at) == (Role.MEMBER, None, None)


def test_the_last_admin_stays(world: World) -> None:
    here, key = world.here, manage_key(world.here)
    ada = here.members["ada"].id
    assert call(key, f"DELETE /Users/{ada}")[0] == 409
    assert call(key, f"PATCH /Users/{ada}", patch(OFF))[0] == 409
    assert member(here, ada).removed_at is None


def test_a_changed_address_takes_over_no_account(world: World) -> None:
    """Neither that of the invited person nor that of somebody of another organisation."""
    here, key = world.here, manage_key(world.here)
    invited = created(key, user("nina@example.com"))
    taken = address(world.there, "bob")
    for id_ in (invited, str(here.members["mina"].id)):
        before = member(here, id_).user_id
        email = User.objects.get(id=before).email
        to = {"op": "replace", "path": "userName", "value": taken}
        emails = {"op": "add", "path": 'emails[type eq "work"].value', "value": taken}
        for status, answer in (
            call(key, f"PATCH /Users/{id_}", patch(to)),
            call(key, f"PUT /Users/{id_}", user(taken)),
            call(key, f"PUT /Users/{id_}", user("free@example.com")),
        ):
            assert (status, answer["scimType"]) == (400, "mutability")
        # Another address of the same person is nothing that is kept.
        assert call(key, f"PATCH /Users/{id_}", patch(emails))[0] == 200
        assert member(here, id_).user_id == before
        assert User.objects.get(id=before).email == email


def test_what_is_of_another_organisation_is_not_there(world: World) -> None:
    key = manage_key(world.here)
    theirs = world.there.members["bob"].id
    for said, body in (
        ("GET", None), ("PUT", user("a@example.com")), ("PATCH", patch(OFF)), ("DELETE", None),
    ):  # fmt: skip
        assert call(key, f"{said} /Users/{theirs}", body)[0] == 404
    found = call(key, "GET /Users", filter=f'userName eq "{address(world.there, "bob")}"')
    assert found[1]["totalResults"] == 0
    status, answer = call(key, "POST /Groups", group("Sales", str(theirs)))
    absent = call(key, "POST /Groups", group("Sales", "01990000-0000-7000-8000-00000000dead"))
    assert (status, answer) == absent
    assert (status, answer["scimType"]) == (400, "invalidValue")


def test_groups_are_made_filled_renamed_and_let_go(world: World) -> None:
    here, key = world.here, manage_key(world.here)
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    id_ = created(key, group("Sales", mina), "Groups")
    with organisation_scope(here.id):
        assert Group.objects.get(id=id_).confidential
    add = {"op": "Add", "path": "members", "value": [{"value": bob}]}
    remove = {"op": "remove", "path": f'members[value eq "{mina}"]'}
    rename = {"op": "replace", "path": "displayName", "value": "Sales north"}
    status, answer = call(key, f"PATCH /Groups/{id_}", patch(add, remove, rename))
    assert (status, answer["displayName"]) == (200, "Sales north")
    assert [one["value"] for one in answer["members"]] == [bob]
    # As Entra removes people.
    named = {"op": "Remove", "path": "members", "value": [{"value": bob}]}
    assert "members" not in call(key, f"PATCH /Groups/{id_}", patch(named))[1]
    call(key, f"PUT /Groups/{id_}", group("Sales north", mina, bob))
    assert call(key, f"DELETE /Groups/{id_}")[0] == 204
    assert call(key, f"GET /Groups/{id_}")[0] == 404
    with organisation_scope(here.id):
        assert Group.objects.filter(id=id_).exists()
        assert not GroupMembership.objects.filter(group_id=id_).exists()
    assert {"group.created", "group.members", "group.renamed"} <= set(acts(here))
    assert created(key, group("Sales north"), "Groups") != id_


def test_groups_that_people_made_are_not_the_providers(world: World) -> None:
    here, key = world.here, manage_key(world.here, "aria")
    launch = here.groups["launch"].id
    assert call(key, f"GET /Groups/{launch}")[0] == 404
    assert call(key, f"DELETE /Groups/{launch}")[0] == 404
    assert call(key, "GET /Groups")[1]["totalResults"] == 0
    # The robot knows the name, so a second group of it would be taken for the first.
    status, answer = call(key, "POST /Groups", group(here.groups["launch"].name))
    assert (status, answer["scimType"]) == (409, "uniqueness")


def test_only_a_key_that_manages_opens_it(world: World) -> None:
    here = world.here
    for secret in (here.keys["bolt"], "cmk_wrong"):
        for said in ("GET /Users", "GET /Groups", "GET /Schemas", "GET /ServiceProviderConfig"):
            assert call(secret, said)[0] in (401, 403)
    assert here.browser("ada").get("/scim/v2/Users").status_code == 401
    own = manage_key(here)
    here.give_owner("bolt", "ada")
    assert call(own, "GET /Users")[0] == 403
    with_two = manage_key(here, "aria")
    assert call(with_two, "GET /Users")[0] == 200


def test_two_people_of_one_name_come_in(world: World) -> None:
    key = manage_key(world.here)
    first = created(key, user("kim@example.com", displayName="Kim Lee"))
    second = created(key, user("k.lee@example.com", displayName="Kim Lee"))
    names = [call(key, f"GET /Users/{id_}")[1]["displayName"] for id_ in (first, second)]
    assert names == ["Kim Lee", "k.lee"]


def test_lists_are_filtered_and_paged(world: World) -> None:
    here, key = world.here, manage_key(world.here)
    everybody = call(key, "GET /Users")[1]
    assert everybody["totalResults"] == len(everybody["Resources"]) == len(here.members)
    first = call(key, "GET /Users", count="2")[1]
    second = call(key, "GET /Users", count="2", startIndex="3")[1]
    ids = [one["id"] for page in (first, second) for one in page["Resources"]]
    assert ids == [one["id"] for one in everybody["Resources"][:4]]
    assert call(key, "GET /Users", count="0")[1]["totalResults"] == len(here.members)
    mina = address(here, "mina")
    for text in (
        f'userName eq "{mina.upper()}"',
        f'userName sw "{mina[:-3]}" and active eq true',
        f'id eq "{here.members["mina"].id}"',
    ):
        found = call(key, "GET /Users", filter=text)[1]
        assert [one["userName"] for one in found["Resources"]] == [mina], text
    sparse = call(key, "GET /Users", filter=f'userName eq "{mina}"', attributes="userName")[1]
    assert sorted(sparse["Resources"][0]) == ["active", "id", "schemas", "userName"]
    for text in ("userName", "(" * 2000, 'secret eq "x"', 'userName eq "a" ' + "or x pr " * 400):
        status, answer = call(key, "GET /Users", filter=text)
        assert (status, answer["scimType"]) == (400, "invalidFilter"), text[:20]
    assert call(key, "GET /Users", filter='userName eq "\\u0000"')[1]["totalResults"] == 0


@pytest.mark.parametrize(
    ("said", "body"),
    [
        ("POST /Users", {}),
        ("POST /Users", []),
        ("POST /Users", user("no address")),
        ("POST /Users", user("a@example.com", externalId="x" * 201)),
        ("POST /Users", user("a@example.com", externalId="\x00")),
        ("POST /Users", user("a@example.com", active="perhaps")),
        ("POST /Groups", group("   ")),
        ("POST /Groups", group("x" * 201)),
        ("POST /Groups", group("Sales", "not an id")),
        ("PATCH /Users/{mina}", patch(*[OFF] * 101)),
        ("PATCH /Users/{mina}", {"schemas": [PATCH_SCHEMA], "Operations": {"op": "add"}}),
        ("PATCH /Users/{mina}", patch({"op": "explode", "path": "active"})),
        ("PATCH /Users/{mina}", patch({"op": "replace", "path": "active[", "value": 1})),
    ],
)
def test_bad_bodies_change_nothing(world: World, said: str, body: Any) -> None:
    key = manage_key(world.here)
    before = acts(world.here)
    status, answer = call(key, said.format(mina=world.here.members["mina"].id), body)
    assert status == 400, answer
    assert answer["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert answer["status"] == "400"
    assert acts(world.here) == before


def test_who_was_removed_on_the_page_is_invited_again(world: World) -> None:
    here, key = world.here, manage_key(world.here)
    mina = here.members["mina"]
    remove_member(here.person("ada"), member_id=mina.id, now=NOW)
    assert call(key, f"GET /Users/{mina.id}")[0] == 404
    assert created(key, user(address(here, "mina"))) == str(mina.id)
    assert member(here, mina.id).joined_at is None
