"""`GET /access` and `GET /me/organisations`: what they tell, and to whom."""

from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from memories.access.references import ReaderReferences
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.models.memberships import Member
from orgs.organisations.groups import set_confidential
from tests.world import NOW, Tenant, World

PEOPLE = ("ada", "chidi", "mina", "bob", "vera")


def ask(client: APIClient, memory: UUID, **query: Any) -> tuple[int, Any]:
    answer = client.get("/api/v1/access", {"memory": str(memory), **query})
    body = answer.json()
    return answer.status_code, (body["can_read"], body["reason"]) if "reason" in body else None


def kept(here: Tenant) -> dict[str, UUID]:
    """Memories by Mina, of each audience that she may write to, and one for everyone."""
    mina, listed = here.person("mina"), ReaderReferences(members=(str(here.members["bob"].id),))
    return {
        "private": here.remember(mina, "Mine.", visibility="private").id,
        "design": here.remember(mina, "In design.", group="design", visibility="public").id,
        "shared": here.remember(mina, "For Bob.", visibility="shared", readers=listed).id,
        "all": here.remember(here.person("ada"), "For all.", visibility="organization").id,
    }


@pytest.mark.conformance("Z04")
@pytest.mark.parametrize("opened", [False, True])
def test_the_answer_is_what_the_database_lets_each_read(world: World, opened: bool) -> None:
    here = world.here
    rows = kept(here)
    set_confidential(
        actor=here.person("ada"), group=here.groups["design"], confidential=not opened, now=NOW
    )
    readable = {name: here.readable(here.person(name)) for name in PEOPLE}
    askers = {"private": "mina", "design": "mina", "shared": "mina", "all": "ada"}
    for what, asker in askers.items():
        client = here.browser(asker)
        for name in PEOPLE:
            status, found = ask(client, rows[what], member=str(here.members[name].id))
            assert status == 200
            assert found is not None
            assert found[0] is (rows[what] in readable[name]), (what, name)
    client = here.browser("mina")
    assert ask(client, rows["private"]) == (200, (True, "it is yours"))
    assert ask(client, rows["design"])[1] == (True, "in #design")
    shared = ask(client, rows["shared"], member=str(here.members["bob"].id))
    assert shared[1] == (True, "named as a reader")
    assert ask(client, rows["shared"], member=str(here.members["vera"].id))[1] == (
        False, "not among its readers"
    )  # fmt: skip


@pytest.mark.conformance("Z04")
def test_who_does_not_read_it_is_told_nothing(world: World) -> None:
    """A memory that one does not read and one that does not exist look alike."""
    here = world.here
    rows = kept(here)
    other = world.there.remember(world.there.person("ada"), "Theirs.").id
    mina = str(here.members["mina"].id)
    bob = here.browser("bob")
    answers = [
        bob.get("/api/v1/access", {"memory": str(memory), "member": mina}).json()
        for memory in (rows["private"], rows["design"], other, UUID(int=7))
    ]
    assert {(one["status"], one["type"], one["detail"]) for one in answers} == {
        (404, answers[0]["type"], answers[0]["detail"])
    }
    # Of what one reads, one asks about oneself.
    for name in ("bob", "vera"):
        client = here.browser(name)
        assert ask(client, rows["all"])[1][0] is True  # type: ignore[index]
        assert ask(client, rows["all"], member=str(here.members[name].id))[0] == 200
        assert ask(client, rows["all"], member=mina)[0] == 403
    assert ask(here.browser("chidi"), rows["all"], member=mina)[0] == 200
    assert ask(here.browser("ada"), rows["all"], member=str(world.there.members["mina"].id)) == (
        404, None
    )  # fmt: skip
    assert ask(here.browser("ada"), rows["all"], member="nobody:7")[0] == 404


@pytest.mark.conformance("Z04")
def test_hidden_readers_are_neither_told_nor_denied(world: World) -> None:
    """A group that the asker does not see reads it: nothing is said of its people."""
    here = world.here
    listed = ReaderReferences(groups=(str(here.groups["design"].id),))
    said = here.remember(here.person("mina"), "For design.", visibility="shared", readers=listed)
    with organisation_scope(here.id):
        here.groups["design"].memberships.all().delete()
    client = here.browser("mina")
    assert ask(client, said.id)[1] == (True, "wrote it")
    for name in ("bob", "vera"):
        status, found = ask(client, said.id, member=str(here.members[name].id))
        assert (status, found and found[0]) == (200, None)


@pytest.mark.conformance("Z04")
def test_a_robot_asks_about_members_of_its_groups_and_what_it_wrote(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    aria, clio = here.api("aria"), here.api("clio")
    own = here.remember(here.robot("aria"), "For all.", visibility="organisation").id
    assert ask(aria, own, member=mina)[1] == (True, f"in {here.organisation.name}")
    assert ask(clio, own, member=mina)[0] == 403
    assert ask(aria, own)[0] == 400
    # Vera is in none of its groups, so it does not know her.
    assert ask(aria, own, member=str(here.members["vera"].id))[0] == 404


@pytest.mark.conformance("Z04")
def test_who_has_not_joined_reads_nothing_yet(world: World) -> None:
    here = world.here
    new, _ = create_member(organisation_id=here.id, name="Nina", email="n@new.example", now=NOW)
    client, said = here.browser("ada"), kept(here)["all"]
    assert ask(client, said, member=str(new.id))[1] == (False, "cannot sign in")


@pytest.mark.parametrize("memory", ["", "x", "a\x00"])
def test_what_is_no_id_is_refused(world: World, memory: str) -> None:
    client = world.here.browser("ada")
    assert client.get("/api/v1/access", {"memory": memory}).status_code == 400
    assert client.get("/api/v1/access").status_code == 400


@pytest.mark.conformance("Z04")
def test_where_one_is(world: World) -> None:
    here, there = world.here, world.there
    with organisation_scope(here.id):
        user = Member.objects.select_related("user").get(id=here.members["mina"].id).user
    create_member(organisation_id=there.id, name="Mina", email=user.email, role="viewer", now=NOW)
    found = here.browser("bob").get("/api/v1/me/organisations").json()["results"]
    assert [(one["id"], one["role"], one["current"]) for one in found] == [
        (str(here.id), "member", True)
    ]
    client = APIClient()
    client.force_login(user)
    client.get(f"/organisations/{there.organisation.slug}/")
    found = client.get("/api/v1/me/organisations").json()["results"]
    assert [(one["slug"], one["role"], one["current"]) for one in found] == sorted([
        (here.organisation.slug, "member", False), (there.organisation.slug, "viewer", True)
    ])  # fmt: skip
    robot = here.api("aria").get("/api/v1/me/organisations").json()["results"]
    assert [(one["name"], one["role"]) for one in robot] == [(here.organisation.name, None)]


@pytest.mark.conformance("Z02")
def test_organisation_is_understood_with_a_z(world: World) -> None:
    here = world.here
    api = here.api("aria")
    body = {"content": "The office closes.", "visibility": "organization", "kind": "organization"}
    made = api.post("/api/v1/memories", body, format="json")
    assert (made.status_code, made.json()["audience"]["kind"]) == (201, "organisation")
    listed = api.get("/api/v1/memories", {"kind": "organization"}).json()["results"]
    assert [one["kind"] for one in listed] == ["organisation"]
    asked = {"query": "office", "filters": {"visibilities": ["organization"]}}
    answer = api.post("/api/v1/recall", asked, format="json").json()
    assert [one["id"] for one in answer["results"]] == [made.json()["id"]]
    note = api.post(
        "/api/v1/memories", {"content": "A note.", "visibility": "internal"}, format="json"
    )
    share = f"/api/v1/memories/{note.json()['id']}/share"
    assert api.post(share, {"visibility": "organization"}, format="json").status_code == 200
    problem = api.post("/api/v1/memories", {"content": "x", "visibility": "public"}, format="json")
    assert problem.status_code == 400
    assert "those who read a group" in problem.json()["detail"]
    problem = api.post(share, {"visibility": "public"}, format="json").json()
    assert "For everyone say organisation" in problem["detail"]
