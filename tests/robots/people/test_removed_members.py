"""Who was removed is no target: nothing is given to them, or put down to them (T23)."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from memories.ingestion.file_import.import_lines import InvalidLineError, parse_line
from memories.ingestion.file_import.import_people import ImportPeople
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.members.members import remove_member
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.organisations.groups import add_to_group
from orgs.organisations.references import link_identity
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T23")

NAME = "slack:U1"


@pytest.fixture
def here(world: World) -> Tenant:
    """Bob is known as slack:U1, in #launch with Lena, who has no account; both are removed."""
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    with organisation_scope(here.id):
        here.members["lena"], _ = create_member(organisation_id=here.id, name="Lena", now=NOW)
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["lena"].id],
        )
    for number, name in enumerate(("bob", "lena"), start=1):
        link_identity(
            organisation_id=here.id,
            platform="slack",
            identifier=f"U{number}",
            member_id=here.members[name].id,
            confirmed_at=NOW,
        )
    said = here.api("aria").post(
        "/api/v1/memories",
        {"content": "The zebra sleeps.", "group": "launch", "member": NAME, "speaker": NAME},
        format="json",
    )
    assert said.status_code == 201, said.content
    here.said = said.json()["id"]  # type: ignore[attr-defined]
    for name in ("bob", "lena"):
        remove_member(here.person("ada"), member_id=here.members[name].id, now=NOW)
    return here


Call = Callable[[Tenant, str], Any]


def post(path: str, who: str = "aria", **body: Any) -> Call:
    """A call with the reference wherever the body says WHO."""

    def put(value: Any, reference: str) -> Any:
        if isinstance(value, dict):
            return {k: put(v, reference) for k, v in value.items()}
        if isinstance(value, list):
            return [put(v, reference) for v in value]
        return reference if value == "WHO" else value

    def call(tenant: Tenant, reference: str) -> Any:
        client = tenant.browser(who) if who in tenant.members else tenant.api(who)
        return client.post(path.replace("WHO", reference), put(body, reference), format="json")

    return call


CALLS: dict[str, Call] = {
    "act_for": post("/api/v1/recall", query="x", member="WHO"),
    "act_for in a group": post("/api/v1/recall", query="x", member="WHO", group="launch"),
    "deposit": post("/api/v1/memories", content="For you.", member="WHO"),
    "deposit in a group": post("/api/v1/memories", content="x", member="WHO", group="launch"),
    "readers": post(
        "/api/v1/memories", content="x", visibility="shared", readers={"members": ["WHO"]}
    ),
    "readers of a person": post(
        "/api/v1/memories", "mina", content="x", visibility="shared", readers={"members": ["WHO"]}
    ),
    "listeners": post("/api/v1/memories", content="x", group="launch", listeners=["WHO"]),
    "conversation": post("/api/v1/conversations", member="WHO"),
    "context": post("/api/v1/groups/launch/members", "dora", add=["WHO"]),
    "out of a group": post("/api/v1/groups/launch/members", "dora", remove=["WHO"]),
    "into a new group": post("/api/v1/groups", "dora", external_id="n", members=["WHO"]),
    "link": post("/api/v1/members/WHO/identities", "dora", identity="irc:x"),
    "link by an admin": post("/api/v1/members/WHO/identities", "ada", identity="irc:x"),
    "confirm": post("/api/v1/members/WHO/identities/slack:U1/confirm", "ada"),
}


@pytest.mark.parametrize("number", [0, 1])
def test_nothing_is_done_for_who_was_removed(here: Tenant, number: int) -> None:
    """As little as for somebody who never was; by id and by name."""
    member = here.members[("bob", "lena")[number]]
    absent = {
        str(member.id): "01990000-0000-7000-8000-00000000dead",
        f"slack:U{number + 1}": "slack:U9",
    }
    for (act, call), (reference, nobody) in product(CALLS.items(), absent.items()):
        told, other = call(here, reference), call(here, nobody)
        assert told.status_code == other.status_code == 404, (act, reference, told.content)
        assert told.json()["detail"] == other.json()["detail"], act
    with organisation_scope(here.id):
        assert not GroupMembership.objects.filter(member_id=member.id).exists()


def test_nothing_is_shared_with_who_was_removed(here: Tenant) -> None:
    memory = here.remember(here.person("mina"), "Mine.", visibility="private").id
    body = {"visibility": "shared", "readers": {"members": [str(here.members["bob"].id)]}}
    url = f"/api/v1/memories/{memory}/share"
    assert here.browser("mina").post(url, body, format="json").status_code == 404


def test_a_speaker_who_was_removed_is_a_name(here: Tenant) -> None:
    client = here.api("aria")
    body = {"content": "The yak sleeps.", "group": "launch", "speaker": NAME}
    kept = client.post("/api/v1/memories", body, format="json")
    assert kept.status_code == 201
    shown = client.get(f"/api/v1/memories/{kept.json()['id']}").json()
    assert (shown["speaker"], shown["member"]) == (NAME, None)
    chat = client.post("/api/v1/conversations", {"group": "launch"}, format="json").json()["id"]
    url = f"/api/v1/conversations/{chat}/messages"
    body = {"content": "where is the key", "speaker": NAME, "mentions": ["slack:U2", "Bob"]}
    client.post(url, body, format="json")
    (message,) = client.get(url).json()["results"]
    assert message["member"] is None


def test_what_they_said_is_still_found_by_them(here: Tenant) -> None:
    """It stays, with their name: to look for it gives them nothing."""
    for reference in (str(here.members["bob"].id), NAME):
        found = here.api("aria").get("/api/v1/memories", {"member": reference, "group": "launch"})
        assert [one["id"] for one in found.json()["results"]] == [here.said]  # type: ignore[attr-defined]
        asked = {"query": "zebra", "group": "launch", "filters": {"members": [reference]}}
        hits = here.api("aria").post("/api/v1/recall", asked, format="json").json()["results"]
        assert [one["id"] for one in hits] == [here.said]  # type: ignore[attr-defined]


def test_an_import_brings_nobody_back(here: Tenant) -> None:
    import orjson

    link_identity(
        organisation_id=here.id,
        platform="import",
        identifier="Lena",
        member_id=here.members["lena"].id,
    )
    with organisation_scope(here.id):
        cast = ImportPeople(here.organisation, NOW, by_group=False, groups=frozenset())
        for place in ({"speaker": "Lena"}, {"subject": "Lena"}, {"audience": ["Lena"]}):
            line = parse_line(1, orjson.dumps({"id": "1", "text": "x", "group": "launch", **place}))
            with pytest.raises(InvalidLineError, match="removed"):
                cast.check(line)
        added = add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["lena"].id],
        )
        assert added == 0
        assert Member.objects.get(id=here.members["lena"].id).removed_at is not None
