"""What a key reaches through the mem0 door: what its robot was told by the user, and no more."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity, Member
from orgs.models.users import User
from orgs.organisations.references import find_members
from robots.access.delegations import end_told_robot
from robots.access.keys import create_key
from tests.memories.api.mem0.test_door import Door
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("N10")
SECRET = "The diagnosis of Alice is a broken wrist."


@pytest.fixture
def told(world: World) -> str:
    """The id of what alice told aria."""
    [made] = Door(world.here.keys["aria"]).add(SECRET, user_id="alice", run_id="s1")["results"]
    world.here.read()
    return str(made["id"])


def reaches(door: Door, memory: str) -> Iterator[tuple[str, int]]:
    """Each call by the id with its status."""
    path, named = f"/v1/memories/{memory}/", {"memory_id": memory}
    yield "get", door("GET", path)[0]
    yield "history", door("GET", f"{path}history/")[0]
    yield "update", door("PUT", path, {"text": "Nothing is broken."})[0]
    yield "batch", door("PUT", "/v1/batch/", {"memories": [{**named, "text": "x y z"}]})[0]
    yield "feedback", door("POST", "/v1/feedback/", {**named, "feedback": "POSITIVE"})[0]
    yield "batch delete", door("DELETE", "/v1/batch/", {"memories": [named]})[0]
    yield "delete", door("DELETE", path)[0]
    hosted = door.client.get(f"/mem0/memories/{memory}")
    yield "self-hosted", hosted.status_code


def finds(door: Door, **filters: Any) -> list[str]:
    """What search and list say of it."""
    found = []
    for path, body in (
        ("/v3/memories/search/", {"query": "diagnosis broken wrist", "threshold": 0}),
        ("/v3/memories/", {}),
    ):
        status, answer = door("POST", path, {**body, "filters": filters})
        if status == 200:
            found += [one["memory"] for one in answer["results"]]
    return found


def test_only_this_robot_and_this_user_read_it(world: World, told: str) -> None:
    here = world.here
    for person in ("ada", "chidi", "mina", "bob"):
        assert UUID(told) not in here.readable(here.person(person))
    for robot in ("bolt", "clio"):
        assert UUID(told) not in here.readable(here.robot(robot))
    # Not even the same robot in a call that acts for nobody or for another.
    assert UUID(told) not in here.readable(here.robot("aria"))


@pytest.mark.parametrize("caller", ["other robot", "other organisation", "without act_for"])
def test_no_other_key_reaches_it(world: World, told: str, caller: str) -> None:
    here = world.here
    if caller == "other robot":
        here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
        key = here.keys["dora"]
    elif caller == "other organisation":
        key = world.there.keys["aria"]
    else:
        of = {"organisation_id": here.id, "robot_id": here.robots["aria"].id}
        _, key = create_key(**of, scopes=("read", "write"), now=timezone.now())
    door = Door(key)
    assert dict(reaches(door, told)) == dict.fromkeys(dict(reaches(door, told)), 404)
    for filters in (
        {"user_id": "alice"},
        {"OR": [{"user_id": "alice"}, {"agent_id": "aria"}]},
        {"AND": [{"user_id": "alice"}, {"NOT": [{"user_id": "bert"}]}]},
        {"run_id": "s1"},
        {"run_id": "*"},
        {"agent_id": "*"},
        {"app_id": "*"},
        {"run_id": {"ne": "other"}, "agent_id": "*"},
        {"NOT": [{"run_id": "other"}], "run_id": "*"},
    ):
        assert finds(door, **filters) == [], filters
    assert SECRET not in str(door("GET", "/v1/entities/")) + str(door("GET", "/v2/entities/"))
    assert "alice" not in str(door("GET", "/v1/entities/"))
    assert door("GET", "/v2/entities/user/alice/")[0] == 404
    for path in ("/v1/memories/?user_id=alice", "/v2/entities/user/alice/"):
        assert door("DELETE", path)[0] in (200, 403, 404)
    assert Door(here.keys["aria"]).texts(user_id="alice") == [SECRET]


@pytest.mark.parametrize(
    "filters",
    [
        {"user_id": "bert"},
        {"user_id": "bert", "OR": [{"run_id": "s1"}, {"run_id": "*"}]},
        {"user_id": "bert", "NOT": [{"user_id": "bert"}]},
        {"OR": [{"user_id": "bert"}, {"NOT": [{"user_id": "bert"}]}]},
        {"OR": [{"user_id": "bert"}, {"user_id": {"ne": "bert"}}]},
        {"OR": [{"user_id": "bert"}, {"run_id": "s1"}]},
        {"OR": [{"user_id": "bert"}, {"agent_id": "aria"}, {"app_id": "launch"}]},
        {"run_id": "s1"},
        {"run_id": {"in": ["s1"]}},
        {"agent_id": "aria"},
        {"app_id": "*"},
        {"agent_id": "*", "NOT": [{"user_id": "x"}]},
    ],
)
def test_no_filter_widens_what_is_asked_for(
    world: World, told: str, filters: dict[str, Any]
) -> None:
    door = Door(world.here.keys["aria"])
    door.add("Bert likes his coffee without milk.", user_id="bert", agent_id="aria")
    assert SECRET not in finds(door, **filters)
    asked = {**filters, "memory_ids": [told]}
    assert finds(door, **asked) == []


def test_another_agent_is_refused(world: World, told: str) -> None:
    door, bolt = Door(world.here.keys["aria"]), world.here.robots["bolt"]
    for agent_id in ("bolt", str(bolt.id), "nobody"):
        body = {"messages": SECRET, "agent_id": agent_id}
        assert door("POST", "/v3/memories/add/", body)[0] == 403
        assert door("POST", "/v3/memories/", {"filters": {"agent_id": agent_id}})[0] == 403
        inside = {"OR": [{"user_id": "alice"}, {"agent_id": {"in": ["aria", agent_id]}}]}
        assert door("POST", "/v3/memories/", {"filters": inside})[0] == 403
    assert door("POST", "/v3/memories/", {"filters": {"agent_id": "aria"}})[0] == 200
    own = str(world.here.robots["aria"].id)
    assert door("POST", "/v3/memories/", {"filters": {"agent_id": own}})[0] == 200


def test_a_key_without_act_for_speaks_for_no_user(world: World) -> None:
    door = Door(world.here.keys["bolt"])
    for path, body in (
        ("/v3/memories/add/", {"messages": SECRET, "user_id": "alice"}),
        ("/v3/memories/search/", {"query": "x", "filters": {"user_id": "alice"}}),
        ("/v3/memories/", {"filters": {"user_id": "alice"}}),
    ):
        status, answer = door("POST", path, body)
        assert (status, "act_for" in answer["detail"]) == (403, True)
    with organisation_scope(world.here.id):
        assert not ExternalIdentity.objects.filter(platform="mem0").exists()
    door.add("The robot keeps this to itself for now.", agent_id="bolt")
    assert door.texts(agent_id="bolt") == ["The robot keeps this to itself for now."]
    assert Door(world.here.keys["aria"]).texts(agent_id="aria") == []


def test_a_personal_robot_makes_nobody(world: World, told: str) -> None:
    here = world.here
    here.add_robot("own", scopes=("read", "write", "act_for"))
    here.give_owner("own", "mina")
    door = Door(here.keys["own"])
    for user_id in ("alice", "new", "mina"):
        assert door("POST", "/v3/memories/add/", {"messages": SECRET, "user_id": user_id})[0] == 403
        assert door("POST", "/v3/memories/", {"filters": {"user_id": user_id}})[0] == 403
    assert [status for _, status in reaches(door, told)] == [404] * 8
    with organisation_scope(here.id):
        assert ExternalIdentity.objects.filter(platform="mem0").count() == 1


def test_other_memories_are_not_reached_by_their_ids(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    door = Door(here.keys["aria"])
    ids = [
        here.remember(here.person("mina"), "My locker has the code 4711."),
        here.remember(here.person("mina"), "The launch is in May.", group="launch"),
        here.remember(here.robot("bolt"), "The office closes at six.", visibility="organisation"),
        here.remember(aria, "The office opens at nine.", visibility="organisation"),
        here.remember(aria, "A note of the robot itself.", visibility="internal"),
        here.remember(aria, "Mina likes tea.", member=str(here.members["mina"].id), group="launch"),
    ]
    for made in ids:
        assert {status for _, status in reaches(door, str(made.id))} == {404}
    for filters in ({"run_id": "*"}, {"agent_id": "*"}, {"app_id": "launch"}, {"app_id": "*"}):
        assert finds(door, **filters) == []


def give_account(tenant: Tenant, user_id: str) -> Member:
    """The member of a user, with a log-in that has proven the name."""
    name = f"mem0:{user_id}"
    with organisation_scope(tenant.id):
        member = find_members(tenant.id, [name])[name]
        member.user = User.objects.create(email=f"{user_id}@x.example")
        member.joined_at = timezone.now()
        member.save(update_fields=["user", "joined_at"])
        ExternalIdentity.objects.filter(member=member).update(confirmed_at=timezone.now())
    return member


def test_a_user_with_a_log_in_sees_and_ends_it(world: World, told: str) -> None:
    here = world.here
    door = Door(here.keys["aria"])
    here.members["alice"] = give_account(here, "alice")
    assert UUID(told) in here.readable(here.person("alice"))
    browser = APIClient()
    here.sign_in(browser, "alice")
    page = browser.get("/me/").content.decode()
    assert "aria" in page
    assert finds(door, user_id="alice") == [SECRET, SECRET]
    end_told_robot(here.person("alice"), here.robots["aria"].id, now=timezone.now())
    assert finds(door, user_id="alice") == []
    assert {status for _, status in reaches(door, told)} == {404}
    assert "alice" not in str(door("GET", "/v1/entities/"))
    assert UUID(told) in here.readable(here.person("alice"))


def test_a_name_that_is_not_proven_opens_nothing(world: World, told: str) -> None:
    here = world.here
    member = give_account(here, "alice")
    with organisation_scope(here.id):
        ExternalIdentity.objects.filter(member=member).update(confirmed_at=None)
    door = Door(here.keys["aria"])
    assert finds(door, user_id="alice") == []
    body = {"messages": SECRET, "user_id": "alice"}
    assert door("POST", "/v3/memories/add/", body)[0] == 409


def test_an_event_is_told_to_its_robot_alone(world: World) -> None:
    here = world.here
    door = Door(here.keys["aria"])
    body = {"messages": SECRET, "user_id": "alice"}
    event = door("POST", "/v3/memories/add/", body)[1]["event_id"]
    assert door("GET", f"/v1/event/{event}/")[1]["results"][0]["data"]["memory"] == SECRET
    for key in (here.keys["bolt"], world.there.keys["aria"]):
        assert Door(key)("GET", f"/v1/event/{event}/")[0] == 404
    other = str(UUID(int=UUID(event).int ^ 1))
    assert door("GET", f"/v1/event/{other}/")[0] == 404


def test_no_session_opens_it(world: World, told: str) -> None:
    browser = world.here.browser("ada")
    assert browser.get(f"/mem0/v1/memories/{told}/").status_code == 401
    body = {"messages": SECRET, "agent_id": "aria"}
    assert browser.post("/mem0/v3/memories/add/", body, format="json").status_code == 401
