"""Teams over HTTP: who makes them, who is in them, what that opens and closes."""

from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from memories.access.references import ReaderReferences
from memories.access.visibility import TEAM_NOTE_DENIED
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from robots.models.robots import Robot
from robots.models.teams import TeamRobot
from robots.teams import team_robots
from tests.world import NOW, Tenant, World

TEAMS = "/api/v1/teams"


def post(client: Any, path: str, body: Any, status: int = 200) -> Any:
    answer = client.post(f"{TEAMS}{path}", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


def problem(answer: Any) -> str:
    return str(answer["type"]).rpartition(":")[2]


def recorded(tenant: Tenant) -> list[str]:
    with organisation_scope(tenant.id):
        rows = AuditEntry.objects.filter(target_type="team").order_by("at", "id")
        return list(rows.values_list("action", flat=True))


def test_a_team_is_made_changed_and_removed(here: Tenant) -> None:
    ada = here.browser("ada")
    made = post(ada, "", {"id": "coding", "name": "Coding", "purpose": "Writes code."}, 201)
    assert (made["id"], made["active"], made["passive"]) == ("coding", 0, 0)
    assert made["working_memory_tokens"] is None
    assert problem(post(ada, "", {"id": "coding", "name": "Other"}, 409)) == "conflict"
    assert problem(post(ada, "", {"name": "C0ding"}, 409)) == "like-another"
    body = {"name": "Coders", "working_memory_tokens": 100}
    changed = ada.patch(f"{TEAMS}/coding", body, format="json").json()
    assert (changed["name"], changed["working_memory_tokens"]) == ("Coders", 100)
    assert [t["id"] for t in here.api("bolt").get(TEAMS).json()["results"]] == ["coding"]
    assert here.api("bolt").get(f"{TEAMS}/coding").json()["name"] == "Coders"
    assert ada.delete(f"{TEAMS}/coding").status_code == 204
    assert ada.get(f"{TEAMS}/coding").status_code == 404
    assert here.api("bolt").get(TEAMS).json()["results"] == []
    # The name and the id are free again.
    post(ada, "", {"id": "coding", "name": "Coders"}, 201)
    assert recorded(here) == ["team.created", "team.changed", "team.removed", "team.created"]


@pytest.mark.parametrize("wrong", [{}, {"name": ""}, {"name": "x", "id": str(UUID(int=1))}])
@pytest.mark.parametrize("more", [{}, {"loud": True}, {"working_memory_tokens": 0}])
def test_bad_input_makes_no_team(here: Tenant, wrong: Any, more: Any) -> None:
    body = wrong | more if wrong or more else {"id": "x"}
    post(here.browser("ada"), "", body, 400)


def test_those_who_curate_make_teams_and_nobody_else(here: Tenant) -> None:
    post(here.browser("chidi"), "", {"name": "Mine", "id": "mine"}, 201)
    here.add_robot("dora", scopes=("read", "write", "manage"))
    team = here.add_team("pair", "aria")
    for client in (here.browser("mina"), here.browser("vera"), here.api("aria"), here.api("dora")):
        post(client, "", {"name": "Theirs"}, 403)
        post(client, "/pair/robots", {"robot": str(here.robots["bolt"].id)}, 403)
        assert client.patch(f"{TEAMS}/pair", {"name": "x"}, format="json").status_code == 403
        assert client.delete(f"{TEAMS}/{team.id}").status_code == 403
        assert client.delete(f"{TEAMS}/pair/robots/{here.robots['aria'].id}").status_code == 403


def test_only_an_admin_puts_a_robot_into_a_team(here: Tenant) -> None:
    """Else a curator would choose who reads lists and notes that they do not read."""
    here.add_team("pair", "aria")
    kept = here.remember(
        here.person("mina"),
        "The key is under the mat.",
        visibility="shared",
        readers=ReaderReferences(teams=("pair",)),
    ).id
    body = {"robot": str(here.robots["bolt"].id)}
    refused = post(here.browser("chidi"), "/pair/robots", body, 403)
    assert refused["detail"] == "Only an admin puts a robot into a team."
    assert kept not in here.readable(here.robot("bolt"))
    assert team_robots.list_addable_robots(here.person("chidi"), "pair") == []
    offered = team_robots.list_addable_robots(here.person("ada"), "pair")
    assert "bolt" in {robot.name for robot in offered}
    post(here.browser("ada"), "/pair/robots", body, 201)
    assert here.browser("chidi").delete(f"{TEAMS}/pair/robots/{body['robot']}").status_code == 204
    assert kept not in here.readable(here.robot("bolt"))


def test_the_robot_of_one_member_is_put_into_no_team(here: Tenant) -> None:
    here.add_team("pair", "aria")
    here.give_owner("bolt", "bob")
    here.give_owner("clio", "ada")
    for robot in ("bolt", "clio"):
        body = {"robot": str(here.robots[robot].id)}
        refused = post(here.browser("ada"), "/pair/robots", body, 403)
        assert refused["detail"] == team_robots.PERSONAL_ROBOT_REFUSED
    assert team_robots.list_addable_robots(here.person("ada"), "pair") == []


@pytest.mark.conformance("H37")
def test_who_is_added_reads_at_once_and_who_is_removed_no_more(here: Tenant) -> None:
    ada, bolt = here.browser("ada"), str(here.robots["bolt"].id)
    here.add_team("coding", "aria")
    kept = here.remember(here.robot("aria"), "Deploy on Mondays.", visibility="team:coding")
    assert kept.audience_kind == "team"
    assert kept.id not in here.readable(here.robot("bolt"))
    added = post(ada, "/coding/robots", {"robot": bolt}, 201)
    assert (added["status"], added["last_seen_at"]) == ("passive", None)
    assert kept.id in here.readable(here.robot("bolt"))
    post(ada, "/coding/robots", {"robot": bolt}, 200)
    post(ada, "/coding/robots", {"robot": bolt, "status": "active"}, 409)
    listed = here.api("clio").get(f"{TEAMS}/coding/robots").json()["results"]
    assert [one["robot"]["name"] for one in listed] == ["bolt", "aria"]
    assert ada.delete(f"{TEAMS}/coding/robots/{bolt}").status_code == 204
    assert kept.id not in here.readable(here.robot("bolt"))
    assert here.api("bolt").get(f"/api/v1/memories/{kept.id}").status_code == 404
    assert ada.delete(f"{TEAMS}/coding/robots/{bolt}").status_code == 404
    assert recorded(here)[-2:] == ["team.robot_added", "team.robot_removed"]


def test_no_person_reads_the_notes_of_a_team(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    kept = here.remember(here.robot("aria"), "Deploy on Mondays.", visibility="team:coding").id
    for name in here.members:
        assert kept not in here.readable(here.person(name)), name
    for name, status in (("ada", 400), ("mina", 400)):
        body = {"content": "x", "visibility": "team:coding"}
        answer = here.browser(name).post("/api/v1/memories", body, format="json")
        assert (answer.status_code, problem(answer.json())) == (status, "misplaced")


def test_only_a_robot_of_the_team_writes_its_notes(here: Tenant) -> None:
    team = here.add_team("coding", "aria")
    for reference in ("coding", str(team.id), "nothing", str(UUID(int=1))):
        body = {"content": "x", "visibility": f"team:{reference}"}
        answer = here.api("bolt").post("/api/v1/memories", body, format="json")
        assert (answer.status_code, answer.json()["detail"]) == (404, ABSENT), reference
    for wish in ("team", "team:", "teams:coding"):
        body = {"content": "x", "visibility": wish}
        assert here.api("aria").post("/api/v1/memories", body, format="json").status_code == 400


def test_while_it_acts_for_a_member_it_reads_none_of_them(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    hers = str(here.members["mina"].id)
    kept = here.remember(here.robot("aria"), "Give short answers.", visibility="team:coding").id
    assert kept in here.readable(here.robot("bolt"))
    api, asked = here.api("aria"), {"query": "short answers", "member": hers}
    found = api.post("/api/v1/recall", asked, format="json").json()["results"]
    assert found == []
    del asked["member"]
    found = api.post("/api/v1/recall", asked, format="json").json()["results"]
    assert [hit["id"] for hit in found] == [str(kept)]
    assert found[0]["audience"] == {"kind": "team", "label": "The robots of a team"}


@pytest.mark.parametrize("part", ["member", "speaker"])
def test_nothing_about_a_member_is_kept_where_they_do_not_reach_it(here: Tenant, part: str) -> None:
    here.add_team("coding", "aria", "bolt")
    api = here.api("aria")
    about = {"content": "Mina likes short answers.", part: str(here.members["mina"].id)}
    body = {**about, "visibility": "team:coding"}
    refused = api.post("/api/v1/memories", body, format="json")
    assert (refused.status_code, refused.json()["detail"]) == (400, TEAM_NOTE_DENIED)
    kept = api.post("/api/v1/memories", {**about, "group": "launch"}, format="json").json()["id"]
    before = here.readable(here.robot("bolt"))
    body = {"visibility": "team:coding"}
    refused = api.post(f"/api/v1/memories/{kept}/share", body, format="json")
    assert (refused.status_code, refused.json()["detail"]) == (400, TEAM_NOTE_DENIED)
    assert here.readable(here.robot("bolt")) == before


def test_a_team_is_a_reader_like_any_other(here: Tenant) -> None:
    team = here.add_team("coding", "bolt")
    kept = here.remember(
        here.person("mina"),
        "The key is under the mat.",
        visibility="shared",
        readers=ReaderReferences(teams=("coding",)),
    ).id
    assert kept in here.readable(here.robot("bolt"))
    assert kept not in here.readable(here.robot("aria"))
    assert kept not in here.readable(here.person("bob"))
    team_robots.add_team_robot(
        here.person("ada"), str(team.id), str(here.robots["aria"].id), now=NOW
    )
    assert kept in here.readable(here.robot("aria"))


def test_a_memory_is_shared_with_a_team(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    kept = here.remember(here.robot("aria"), "Deploy on Mondays.", visibility="internal").id
    body = {"visibility": "team:coding"}
    answer = here.api("aria").post(f"/api/v1/memories/{kept}/share", body, format="json")
    assert answer.json()["audience"]["kind"] == "team"
    assert kept in here.readable(here.robot("bolt"))
    wider = {"visibility": "shared", "readers": {"teams": ["coding"]}}
    answer = here.api("aria").post(f"/api/v1/memories/{kept}/share", wider, format="json")
    assert answer.json()["audience"]["kind"] == "explicit"
    assert kept in here.readable(here.robot("bolt"))
    answer = here.api("aria").post(
        f"/api/v1/memories/{kept}/share", {"visibility": "team:none"}, format="json"
    )
    assert answer.status_code == 404


@pytest.mark.conformance("H37")
def test_a_question_to_one_team_leaves_the_other_out(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    here.add_team("research", "clio")
    everyone = {"visibility": "organisation"}
    ours = here.remember(here.robot("bolt"), "The parser is slow.", **everyone).id
    theirs = here.remember(here.robot("clio"), "The parser is old.", **everyone).id
    note = here.remember(here.robot("aria"), "The parser is ours.", visibility="team:coding").id
    api = here.api("bolt")

    def asked(*teams: str) -> set[str]:
        body = {"query": "parser", "filters": {"teams": list(teams)}}
        answer = api.post("/api/v1/recall", body, format="json")
        assert answer.status_code == 200, answer.json()
        return {hit["id"] for hit in answer.json()["results"]}

    def listed(team: str) -> set[str]:
        return {m["id"] for m in api.get("/api/v1/memories", {"team": team}).json()["results"]}

    assert asked("coding") == listed("coding") == {str(ours), str(note)}
    assert asked("research") == listed("research") == {str(theirs)}
    assert asked("coding", "research") == asked() == {str(ours), str(theirs), str(note)}
    assert asked("nothing") == listed("nothing") == set()
    # Notes stay the team's when who wrote them has left; other rows go with the robot.
    team_robots.remove_team_robot(
        here.person("ada"), "coding", str(here.robots["aria"].id), now=NOW
    )
    assert asked("coding") == {str(ours), str(note)}
    team_robots.remove_team_robot(
        here.person("ada"), "coding", str(here.robots["bolt"].id), now=NOW
    )
    assert asked("coding") == set()


def test_a_team_is_not_removed_while_memories_are_for_it_alone(here: Tenant) -> None:
    here.add_team("coding", "aria", "bolt")
    kept = here.remember(here.robot("aria"), "Deploy on Mondays.", visibility="team:coding").id
    refused = here.browser("ada").delete(f"{TEAMS}/coding")
    assert (refused.status_code, problem(refused.json())) == (409, "team-in-use")
    assert refused.json()["detail"].startswith("1 memory is for this team alone")
    assert kept in here.readable(here.robot("bolt"))
    assert here.api("aria").delete(f"/api/v1/memories/{kept}").status_code == 204
    assert here.browser("ada").delete(f"{TEAMS}/coding").status_code == 204
    assert kept not in here.readable(here.robot("aria"))


def test_the_other_organisation_has_no_such_team(world: World) -> None:
    here, there = world.here, world.there
    team = here.add_team("coding", "aria", "bolt")
    there.add_team("theirs", "bolt")
    stranger, boss, own = there.api("bolt"), there.browser("ada"), there.robots["bolt"].id
    for client in (stranger, boss):
        assert client.get(f"{TEAMS}/{team.id}/status").status_code == 404
        assert client.get(f"{TEAMS}/{team.id}/working-memory").status_code == 404
        assert client.get(f"{TEAMS}/{team.id}/robots").status_code == 404
        post(client, f"/{team.id}/promote", {}, 404)
        post(client, "/theirs/transfer", {"to": str(team.id)}, 404)
    post(stranger, f"/{team.id}/heartbeat", None, 404)
    post(boss, f"/{team.id}/robots", {"robot": str(own)}, 404)
    post(boss, "/theirs/robots", {"robot": str(here.robots["aria"].id)}, 404)
    assert boss.delete(f"{TEAMS}/{team.id}").status_code == 404
    assert str(team.id) not in boss.get(TEAMS).content.decode()


def test_built_in_and_retired_robots_are_in_no_team(here: Tenant) -> None:
    here.add_team("coding", "aria")
    with organisation_scope(here.id):
        web = Robot.objects.get(organisation_id=here.id, builtin="web")
        Robot.objects.filter(id=here.robots["clio"].id).update(retired_at=NOW)
    for robot in (web.id, here.robots["clio"].id):
        post(here.browser("ada"), "/coding/robots", {"robot": str(robot)}, 404)


def test_a_personal_robot_leaves_its_teams_with_its_member(here: Tenant) -> None:
    # It was put there before teams refused it.
    here.add_team("coding", "bolt", "aria")
    here.give_owner("bolt", "bob")
    remove_member(here.person("ada"), member_id=here.members["bob"].id, now=NOW)
    with organisation_scope(here.id):
        left = TeamRobot.objects.values_list("robot_id", flat=True)
        assert list(left) == [here.robots["aria"].id]
    # The passive one that is left leads with its next heartbeat.
    assert post(here.api("aria"), "/coding/heartbeat", None)["status"] == "active"


def test_a_team_has_so_many_robots_and_no_more(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_robots, "MAX_ROBOTS", 2)
    here.add_team("coding", "aria", "bolt")
    body = {"robot": str(here.robots["clio"].id)}
    assert problem(post(here.browser("ada"), "/coding/robots", body, 409)) == "team-full"


@override_settings(TEAM_WORKING_MEMORY_TOKENS=4_000)
def test_everyone_here_knows_the_teams_and_only_theirs_is_open(here: Tenant) -> None:
    here.add_team("coding", "aria")
    for client in (here.api("bolt"), here.browser("mina"), here.browser("vera")):
        assert [t["id"] for t in client.get(TEAMS).json()["results"]] == ["coding"]
        for part in ("status", "working-memory"):
            assert client.get(f"{TEAMS}/coding/{part}").status_code == 404
    for client in (here.api("aria"), here.browser("chidi")):
        assert client.get(f"{TEAMS}/coding/status").status_code == 200


ABSENT = "There is nothing here that you may see."
