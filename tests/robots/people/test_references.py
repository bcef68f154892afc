"""Ids win over whatever is spelt like one, and hidden groups are not told by their names (T23)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from memories.ingestion.file_import.import_people import ImportPeople
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Group
from robots.access.acting_for_members import resolve_actor
from robots.registry.robots import add_robot_to_groups
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T23")


def spellings(id_: UUID) -> list[str]:
    """Every way in which Python's UUID() takes an id."""
    text = str(id_)
    return [
        text,
        text.upper(),
        id_.hex,
        f"{{{text}}}",
        f"urn:uuid:{text}",
        f"uuid:{id_.hex}",
        text.replace("-", "", 1),
        "".join(chr(0xFF10 + int(c)) if c.isdigit() else c for c in id_.hex),
    ]


@pytest.mark.parametrize("number", range(8))
def test_a_group_cannot_be_switched_off_by_a_name_like_its_id(world: World, number: int) -> None:
    here, launch = world.here, world.here.groups["launch"]
    here.add_robot("dora", scopes=("read", "write", "manage"))
    name = spellings(launch.id)[number]
    answer = here.api("dora").post(
        "/api/v1/groups", {"external_id": name, "name": "Mine"}, format="json"
    )
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "external_id")
    # Whatever a row says that was there before, or came by another way, the id wins.
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(external_id=name)
    assert resolve_actor(here.robot("aria"), group=name).group_id == launch.id
    assert resolve_actor(here.person("bob"), group=name).group_id == launch.id
    chat = here.api("aria").post("/api/v1/conversations", {"group": name}, format="json").json()
    url = f"/api/v1/conversations/{chat['id']}/messages"
    kept = here.api("aria").post(url, {"content": "the folder is lost"}, format="json").json()
    assert kept["memory"], kept


def test_ids_travel_inside(world: World) -> None:
    """A message becomes a memory in its conversation's group, whatever other groups are called."""
    here, launch = world.here, world.here.groups["launch"]
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["design"].id).update(external_id=str(launch.id))
    client = here.api("aria")
    chat = client.post("/api/v1/conversations", {"group": "launch"}, format="json").json()["id"]
    kept = client.post(
        f"/api/v1/conversations/{chat}/messages", {"content": "the folder is lost"}, format="json"
    ).json()
    memory = client.get(f"/api/v1/memories/{kept['memory']}").json()
    assert memory["group"]["id"] == str(launch.id)


def make(tenant: Tenant, robot: str, external_id: str, **more: Any) -> Any:
    body = {"external_id": external_id, **more}
    return tenant.api(robot).post("/api/v1/groups", body, format="json")


def test_creating_a_group_tells_nothing_of_hidden_ones(world: World) -> None:
    here = world.here
    here.add_robot("dora", scopes=("read", "write", "manage"))
    hidden, fresh = make(here, "dora", "launch"), make(here, "dora", "never-seen")
    assert (hidden.status_code, fresh.status_code) == (201, 201)
    assert hidden.json()["external_id"] == "launch"
    drop = {"id", "external_id", "name", "created_at"}
    assert {k: v for k, v in hidden.json().items() if k not in drop} == {
        k: v for k, v in fresh.json().items() if k not in drop
    }
    # Each is called by its own people; nobody's words land in the other.
    assert resolve_actor(here.robot("dora"), group="launch").group_id == UUID(hidden.json()["id"])
    assert resolve_actor(here.robot("aria"), group="launch").group_id == here.groups["launch"].id
    assert here.api("dora").get("/api/v1/groups/launch").json()["id"] == hidden.json()["id"]
    assert here.api("aria").get("/api/v1/groups/launch").json()["id"] == str(
        here.groups["launch"].id
    )
    known = make(here, "dora", "launch")
    assert known.status_code == 409, "it sits there: it may be told"


def test_a_name_stays_with_the_group_in_which_one_sat_first(world: World) -> None:
    """Who makes a group of a name before, and takes others in later, gets nobody's messages."""
    here, bob = world.here, world.here.members["bob"]
    here.add_robot("dora", scopes=("read", "write", "manage"))
    trap = make(here, "dora", "plans").json()["id"]
    mine = here.browser("ada").post(
        "/api/v1/groups", {"external_id": "plans", "members": [str(bob.id)]}, format="json"
    )
    assert mine.status_code == 201, mine.content
    added = here.api("dora").post(
        f"/api/v1/groups/{trap}/members", {"add": [str(bob.id)]}, format="json"
    )
    assert added.status_code in (200, 404)
    assert resolve_actor(here.person("bob"), group="plans").group_id == UUID(mine.json()["id"])
    with organisation_scope(here.id):
        add_robot_to_groups(
            organisation_id=here.id,
            robot_id=here.robots["aria"].id,
            group_ids=[UUID(mine.json()["id"])],
        )
        add_robot_to_groups(
            organisation_id=here.id, robot_id=here.robots["aria"].id, group_ids=[UUID(trap)]
        )
    assert resolve_actor(here.robot("aria"), group="plans").group_id == UUID(mine.json()["id"])


def test_groups_that_are_made_at_once_fail_nowhere(lasting_world: World) -> None:
    here = lasting_world.here
    here.add_robot("dora", scopes=("read", "write", "manage"))
    here.add_robot("emil", scopes=("read", "write", "manage"))

    def one(number: int) -> int:
        try:
            robot = ("dora", "emil")[number % 2]
            return int(make(here, robot, "at-once", name=f"G {number}").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        told = sorted(pool.map(one, range(8)))
    assert told == [201, 201] + [409] * 6, "one for each robot, which do not know each other's"


def test_an_import_neither_fills_nor_tells_of_a_hidden_group(world: World) -> None:
    """Who makes a group before the file comes gets nothing of it; the owner finds it again."""
    here, ada = world.here, world.here.members["ada"].id
    here.add_robot("dora", scopes=("read", "write", "manage"))
    hidden = UUID(make(here, "dora", "talks").json()["id"])

    def cast(owner: UUID | None, read: frozenset[UUID] | None) -> ImportPeople:
        return ImportPeople(
            here.organisation, NOW, by_group=False, groups=frozenset(), read=read, owner=owner
        )

    with organisation_scope(here.id):
        first = cast(ada, frozenset())
        made = first.group("talks")
        again = cast(ada, frozenset())
        assert again.group("talks") == made
        assert (first.new_groups, again.new_groups) == (1, 0)
        assert made != hidden
        assert cast(here.members["mina"].id, frozenset()).group("talks") not in {made, hidden}
        assert cast(None, frozenset({hidden})).group("talks") == hidden, "one that is read"
        assert cast(None, None).group("talks") == hidden, "a shell: the oldest"


def test_a_shell_is_asked_which_group(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.here
    here.add_robot("dora", scopes=("read", "write", "manage"))
    twin = make(here, "dora", "launch").json()["id"]
    monkeypatch.setattr("orgs.management.output.get_organisation", lambda _r: here.organisation)
    with pytest.raises(CommandError, match=twin):
        call_command("create_robot", organisation="x", name="New", groups="launch")
    call_command("create_robot", organisation="x", name="New", groups=twin)
