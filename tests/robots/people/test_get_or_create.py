"""One call makes or finds a member, a group and a conversation."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.organisations.references import link_identity
from tests.world import Tenant, World

ROSA = {"name": "Rosa", "identity": "telegram:7"}


@pytest.fixture
def api(world: World) -> APIClient:
    world.here.add_robot("desk", scopes=("read", "write", "act_for", "manage"))
    return world.here.api("desk")


def send(api: APIClient, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = api.post(f"/api/v1/{path}", body, format="json")
    return answer.status_code, answer.json()


def count_rows(here: Tenant, model: Any) -> int:
    with organisation_scope(here.id):
        return int(model.objects.filter(organisation_id=here.id).count())


@pytest.mark.conformance("X07")
def test_a_member_is_made_or_found(api: APIClient, world: World) -> None:
    before = count_rows(world.here, Member)
    status, made = send(api, "members", {**ROSA, "if_exists": "return"})
    assert status == 201
    renamed = {**ROSA, "name": "Somebody else"}
    assert send(api, "members", {**renamed, "if_exists": "return"}) == (200, made)
    status, problem = send(api, "members", ROSA)
    assert (status, problem["type"], problem["existing"]) == (
        409, "urn:commonmind:problem:conflict", made["id"]
    )  # fmt: skip
    assert count_rows(world.here, Member) == before + 1
    # A name alone says nothing of who it is.
    status, problem = send(api, "members", {"name": "Rosa", "if_exists": "return"})
    assert (status, problem["errors"][0]["field"]) == (400, "if_exists")
    assert send(api, "members", {**ROSA, "if_exists": "replace"})[0] == 400


@pytest.mark.conformance("X07")
def test_a_member_of_whom_the_caller_may_not_know_is_not_named(
    api: APIClient, world: World
) -> None:
    """The unconfirmed identity of somebody with an account says of nobody who they are."""
    here = world.here
    link_identity(
        organisation_id=here.id, platform="telegram", identifier="7",
        member_id=here.members["bob"].id,
    )  # fmt: skip
    for body in (ROSA, {**ROSA, "if_exists": "return"}):
        status, problem = send(api, "members", body)
        assert (status, "existing" in problem) == (409, False)
        assert str(here.members["bob"].id) not in str(problem)
    here.add_robot("clerk", scopes=("read", "write", "manage"))
    status, _ = send(api, "members", {**ROSA, "identity": "telegram:8"})
    assert status == 201
    status, problem = send(here.api("clerk"), "members", {**ROSA, "identity": "telegram:8"})
    assert (status, "existing" in problem) == (409, False), "it acts for nobody and shares no group"


@pytest.mark.conformance("X07")
def test_a_group_is_made_or_found(api: APIClient, world: World) -> None:
    asked = {"external_id": "choir", "name": "Choir", "if_exists": "return"}
    status, made = send(api, "groups", asked)
    assert status == 201
    assert send(api, "groups", {**asked, "name": "Another", "confidential": False}) == (200, made)
    status, problem = send(api, "groups", {"external_id": "choir", "name": "Choir"})
    assert (status, problem["existing"]) == (409, made["id"])
    # A group in which the caller does not sit may have the same external id and is not told.
    status, other = send(api, "groups", {**asked, "external_id": "launch", "name": "Take-off"})
    assert status == 201
    assert other["id"] != str(world.here.groups["launch"].id)


@pytest.mark.conformance("X07")
def test_one_call_makes_or_finds_all_three(api: APIClient, world: World) -> None:
    here = world.here
    asked = {"external_id": "chat", "if_missing": "create"}
    alone = {**asked, "member": "telegram:7", "member_name": "Rosa"}
    status, made = send(api, "conversations", alone)
    assert (status, made["member"]["name"], made["group"]) == (201, "Rosa", None)
    assert send(api, "conversations", alone) == (200, made)
    assert send(api, "conversations", {"external_id": "chat", "member": "telegram:7"}) == (
        200,
        made,
    )

    both = {**alone, "group": "choir", "member": "telegram:9", "member_name": "Wim"}
    status, together = send(api, "conversations", both)
    assert (status, together["group"]["name"]) == (201, "choir")
    assert send(api, "conversations", both) == (200, together)
    members = api.get("/api/v1/groups/choir/members").json()["results"]
    assert [one["name"] for one in members] == ["Wim"]
    # Who was there already does not come into a group that was there already.
    status, _ = send(api, "conversations", {**both, "member": "telegram:7"})
    assert status == 404
    counted = count_rows(here, Member), count_rows(here, Group)
    for body in ({"member": "telegram:77"}, {"group": "nowhere"}):
        assert send(api, "conversations", body)[0] == 404
        assert send(here.api("aria"), "conversations", {**body, "if_missing": "create"})[0] == 403
    assert send(api, "conversations", {**asked, "member": "telegram"})[0] == 404
    assert (count_rows(here, Member), count_rows(here, Group)) == counted
